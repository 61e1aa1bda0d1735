// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

/// A packet that takes long to show delays no other client.
@Suite(.waiting)
struct BusyDisplayTests {
    private static let files: KeyValuePairs = [
        "Protocols/Big/Big.wire": """
        option max_packet = 67108864;
        option list_count = uint32;
        message Cs_7 { uint8[] list; }
        message Cs_1 { }

        """
    ]

    /// A list of so many items takes long to show.
    private static let itemCount = 1 << 19

    private static func bigPacket() throws -> [UInt8] {
        let count = (0..<4).map { UInt8(truncatingIfNeeded: itemCount >> (24 - 8 * $0)) }
        return try standardPacket(id: 7, count + [UInt8](repeating: 1, count: itemCount))
    }

    /// On a busy machine a large packet may be shown before another client's bytes have passed.
    private static let attempts = 0..<10

    @Test func `a proxy forwards other packets while it shows a large one`() async throws {
        let big = try Self.bigPacket()
        let arrived = Seen<Void>()
        // Returns small packets, and takes large ones.
        let server = try await rawPeer { all, new in
            if all.count == big.count { arrived.add(()) }
            return all.count > 100 ? [] : new
        }
        let proxy = try ServingTool(
            running: ["proxy", "--listen", "127.0.0.1:0", "--to", server.address], files: Self.files)
        // Some of them have the loop of the large packet.
        var others: [PacketConnection] = []
        for _ in 0..<8 { others.append(try await proxy.connect()) }
        let small = try standardPacket(id: 1, [])
        var isAhead = false
        for attempt in Self.attempts where !isAhead {
            let client = try await proxy.connect()
            await client.sendRaw(big)
            _ = await arrived.first(attempt + 1)
            for other in others {
                await other.sendRaw(small)
                #expect(try await other.next()?.id == 1)
            }
            var (smallCount, hasBig) = (0, false)
            isAhead = true
            while !hasBig || smallCount < others.count, let line = proxy.nextLine() {
                if line.contains(" client: Cs_1 ") { smallCount += 1 }
                if line.contains(" client: Cs_7 ") { (hasBig, isAhead) = (true, smallCount == others.count) }
            }
            client.close()
        }
        #expect(isAhead)
        for other in others { other.close() }
        #expect(proxy.end().status == 0)
    }

    @Test func `a server with --verbose answers while it shows a large packet`() async throws {
        let big = try Self.bigPacket()
        let server = try ServingTool("--verbose", "--threads=1", files: Self.files)
        let shown = Lock("")
        // Only this thread reads the errors.
        nonisolated(unsafe) let tool = server
        let reader = Thread {
            while case let text = tool.nextErrors(), !text.isEmpty { shown.withLock { $0 += text } }
        }
        reader.start()
        func count() -> Int { shown.withLock { $0.matches(of: #/received Cs_7 /#).count } }
        let (client, other) = (try await server.connect(), try await server.connect())
        let small = try standardPacket(id: 1, [])
        var isAhead = false
        for attempt in Self.attempts where !isAhead {
            await client.sendRaw(big)
            #expect(try await client.next()?.id == 7)
            for _ in 0..<50 {
                await other.sendRaw(small)
                #expect(try await other.next()?.id == 1)
            }
            isAhead = count() == attempt
            while count() == attempt { await Task.yield() }
        }
        #expect(isAhead)
        client.close()
        other.close()
        #expect(server.endUnread() == 0)
    }
}
