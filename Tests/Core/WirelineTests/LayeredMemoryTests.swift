// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Parts
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineLayers
import WirelineTransport

/// The memory budget of a server also holds for what the layers of packets contain.
@Suite(.ahead)
struct LayeredMemoryTests {
    private static let clientCount = 12
    /// The contents of two packets, for which it is asked before they are opened: `max_inflated` and a copy.
    private static let limit = 16 << 20

    /// A short packet before one that grows to 3 MB in which a short packet comes first.
    private static func packets() throws -> [UInt8] {
        var sealer = PacketSealer(
            PartsProtocol.layout, from: .client, packetLimit: PartsProtocol.maximumPacketByteCount,
            settings: LayerSettings())
        sealer.beginPacket()
        var keystreams = LayerSet()
        let content = try [1, 1_000_000, 1_000_000, 1_000_000].flatMap { count in
            try Say(text: String(repeating: "a", count: count)).encoded()
        }
        let bundle: PacketHeader = ["shape": Int128(Shape.bundle.rawValue)]
        return try Say(text: "ready").encoded()
            + sealer.packet(id: 1, header: bundle, payload: content.rawSpan, .packets, &keystreams)
    }

    private static var configuration: ServerConfiguration {
        var configuration = ServerConfiguration.patient
        configuration.listening.heldByteLimit = limit
        return configuration
    }

    /// Connects clients that send the packets.
    private static func sockets(to port: UInt16) throws -> [RawSocket] {
        let packets = try packets()
        return try (0..<clientCount).map { _ in
            let socket = try RawSocket.connect(to: port)
            try socket.send(packets)
            return socket
        }
    }

    @Test(arguments: [false, true])
    func `only as many packets are opened at a time as there is memory for`(clientsLeave: Bool) async throws {
        let (ready, opened, ended) = (Seen<Void>(), Seen<Void>(), Seen<ConnectionError?>())
        let mayEnd = Seen<Void>()
        let server = try await PacketServer.start(
            at: "127.0.0.1", port: 0, protocol: PartsProtocol.self, on: .ofFewTests(),
            configuration: Self.configuration
        ) { client in
            _ = try await client.nextPacket()
            ready.add(())
            _ = await ready.first(Self.clientCount)
            if clientsLeave { try? await client.waitUntilEnd() }
            do throws(ConnectionError) {
                var isFirst = true
                while try await client.nextPacket() != nil {
                    guard isFirst else { continue }
                    isFirst = false
                    opened.add(())
                    _ = await mayEnd.first(1)
                }
                ended.add(nil)
            } catch {
                ended.add(error)
            }
        }
        let sockets = try Self.sockets(to: try #require(server.addresses.first?.port))
        _ = await ready.first(Self.clientCount)
        for socket in sockets { clientsLeave ? socket.reset() : socket.endOutput() }
        // The loops have time to open all packets.
        for _ in 0..<200 { _ = await server.counters() }
        #expect(opened.count <= 2)
        mayEnd.add(())
        let ends = await ended.first(Self.clientCount)
        #expect(opened.count > 0)
        if !clientsLeave { #expect(ends.allSatisfy { $0 == nil }) }
        await server.shutDown(within: .zero)
        #expect(await server.counters().heldByteCount == 0)
    }

    @Test func `only as many packets of paused connections are opened as there is memory for`() async throws {
        let (ready, opened, taken) = (Seen<PacketConnection>(), Seen<PacketConnection>(), Seen<Void>())
        let server = try await PacketListener.start(
            at: "127.0.0.1", port: 0, layout: PartsProtocol.layout, packetLimit: PartsProtocol.maximumPacketByteCount,
            configuration: Self.configuration,
            handler: .messages { listener, connection in
                listener.endsByItself(connection)
                var count = 0
                return MessageCalls(
                    open: {},
                    take: { batch in
                        guard try batch.next() != nil else { return }
                        count += 1
                        taken.add(())
                        guard count <= 2 else { return }
                        (count == 1 ? ready : opened).add(connection)
                        connection.pauseInput()
                    }, close: { _ in })
            })
        let sockets = try Self.sockets(to: server.address.port)
        for connection in await ready.first(Self.clientCount) { try await connection.onLoop { $0.resumeInput() } }
        for _ in 0..<200 { _ = await server.counters() }
        #expect(opened.count <= 2)
        for count in 1...Self.clientCount {
            try await opened.first(count)[count - 1].onLoop { $0.resumeInput() }
        }
        _ = await taken.first(5 * Self.clientCount)
        for socket in sockets { socket.endOutput() }
        #expect(try await eventually { await server.counters().heldByteCount == 0 })
        await server.shutDown(within: .zero)
    }
}
