// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline

/// What a connection and a server report about their traffic.
@Suite(.ahead)
struct CounterTests {
    private static let hello = Cs_20001(sceneID: 1, line: 1, message: "hi")

    @Test(arguments: [false, true])
    func `both sides count packets and bytes, and a server keeps the counts of ended connections`(
        isBatched: Bool
    ) async throws {
        let configuration = ServerConfiguration.patient
        let server =
            isBatched
            ? try await PacketServer.startBatched(
                at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, configuration: configuration
            ) { client in
                { batch in while let packet = try batch.next() { try client.write(packet: packet.bytes) } }
            }
            : try await SceneServer.start(configuration: configuration) { client in
                while let packet = try await client.nextPacket() { try await client.forward(packet) }
            }
        let byteCount = try Self.hello.encoded().count
        let client = try await server.connect()
        for _ in 0..<10 {
            try await client.send(Self.hello)
            #expect(try await client.nextPacket() != nil)
        }
        var counters = await client.connection.counters()
        #expect(counters.sentPacketCount == 10 && counters.receivedPacketCount == 10)
        #expect(counters.sentByteCount == 10 * byteCount && counters.receivedByteCount == 10 * byteCount)
        counters = await server.counters().traffic
        #expect(counters.sentPacketCount == 10 && counters.receivedPacketCount == 10)
        #expect(counters.pendingByteCount == 0 && counters.unreadByteCount == 0)
        client.close()
        await server.shutDown()
        let all = await server.counters()
        #expect(all.connectionCount == 0 && all.acceptedConnectionCount == 1)
        #expect(all.traffic.receivedByteCount == 10 * byteCount && all.traffic.sentByteCount == 10 * byteCount)
    }

    @Test func `a reply and the messages before it are counted once`() async throws {
        let server = try await SceneServer.start { client in
            _ = try await client.nextPacket()
            let other = try packet(id: 9, payload: [1, 2, 3])
            try await client.send(packet: other + other)
            try await client.send(Sc_20001.entered(Self.hello))
            while try await client.nextPacket() != nil {}
        }
        let client = try await server.connect()
        _ = try await client.request(Self.hello)
        var counters = await client.connection.counters()
        #expect(counters.receivedPacketCount == 3)
        #expect(counters.unreadByteCount == 18)
        for _ in 0..<2 { #expect(try await client.nextPacket()?.id == 9) }
        counters = await client.connection.counters()
        #expect(counters.receivedPacketCount == 3)
        #expect(counters.unreadByteCount == 0)
        client.close()
        await server.shutDown()
    }

    @Test func `a session counts the traffic of all its connections together`() async throws {
        // Each connection ends after its first answer.
        let server = try await SceneServer.start { client in
            guard try await client.nextPacket() != nil else { return }
            try await client.send(packet: packet(id: 9, payload: [1, 2, 3]))
            try await client.send(Sc_20001.entered(Self.hello))
        }
        let session = try server.session()
        let byteCount = try Sc_20001.entered(Self.hello).encoded().count + packet(id: 9, payload: [1, 2, 3]).count
        var messages = session.messages.makeAsyncIterator()
        for number in 1...3 {
            _ = try await session.request(Self.hello, delivery: .atLeastOnce, timeout: .seconds(500))
            #expect(try await messages.next()?.packet.id == 9)
            let counters = await session.counters()
            #expect(counters.receivedPacketCount == 2 * number && counters.receivedByteCount == byteCount * number)
            // A request that was given to an ending connection is sent again.
            #expect(counters.sentPacketCount >= number)
            #expect(counters.unknownIDCount == number && counters.unreadByteCount == 0)
        }
        session.end()
        await server.shutDown()
    }

    @Test func `unknown IDs, refused messages and refused packets have separate counters`() async throws {
        let ends = ConnectionEnds()
        let server = try await SceneServer.start(configuration: ends.configure()) { client in
            do {
                while try await client.nextMessage() != nil {}
            } catch ConnectionError.codec {
                while try await client.nextMessage() != nil {}
            }
        }
        let client = try await server.connect()
        for _ in 0..<3 { try await client.send(packet: packet(id: 9, payload: [])) }
        try await client.send(packet: packet(id: Cs_20001.messageID, payload: [1]))
        try await client.connection.sendRaw(Array("GET / HTTP/1.1\r\n\r\n".utf8))
        #expect(await ends.next() is ConnectionError)
        let counters = await server.counters().traffic
        #expect(counters.unknownIDCount == 3)
        #expect(counters.refusedPacketCount == 2)
        #expect(counters.receivedPacketCount == 4)
        client.close()
        await server.shutDown()
    }

    @Test func `queued output is counted while it waits`() async throws {
        let pair = try await ConnectionPair.make(limits: ConnectionLimits(pendingByteCount: 1_000, writeTimeout: nil))
        let bytes = try packet(payload: [UInt8](repeating: 1, count: 60_000))
        let sending = Task { for _ in 0..<200 { try await pair.client.send(packet: bytes) } }
        // Both at once: the system may take queued output a moment later.
        #expect(
            try await eventually {
                let counters = await pair.client.counters()
                return counters.waitingSenderCount > 0 && counters.pendingByteCount > 0
            })
        #expect(await pair.server.counters().unreadByteCount == 0)
        for _ in 0..<200 { #expect(try await pair.server.nextBytes()?.count == bytes.count) }
        try await sending.value
        #expect(await pair.client.counters().waitingSenderCount == 0)
        #expect(await pair.server.counters().receivedPacketCount == 200)
        pair.close()
    }
}
