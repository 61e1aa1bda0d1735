// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineCodec
import WirelineTransport

/// Servers whose handlers are closures, one for each connection, that get all arrived packets at once.
@Suite(.ahead)
struct BatchHandlerTests {
    @Test func `a batch handler continues after replies over the limit leave in one write`() async throws {
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self,
            configuration: ServerConfiguration(
                firstPacketTimeout: nil, limits: ConnectionLimits(pendingByteCount: 1, writeTimeout: nil))
        ) { client in
            { batch in
                while let packet = try batch.next() {
                    try client.write(Sc_20001.entered(Cs_20001(payloadOf: packet)))
                }
            }
        }
        let client = try await server.connect()
        for line in 1...3 as ClosedRange<UInt32> {
            let reply = try await client.request(Cs_20001(sceneID: 1, line: line, message: "hi"))
            #expect(reply.defaultCombat == line)
        }
        await server.shutDown()
    }

    @Test func `a batch handler takes all packets of a read at once`() async throws {
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self,
            configuration: .patient
        ) {
            client in
            var total: UInt32 = 0
            return { batch in
                while let packet = try batch.next() {
                    let enter = try Cs_20001(payloadOf: packet)
                    total += enter.line
                    try client.write(Sc_20001.entered(Cs_20001(sceneID: 1, line: total, message: enter.message)))
                }
            }
        }
        let client = try await server.connect()
        let sending = Task {
            for number in 1...2_000 as ClosedRange<UInt32> {
                try await client.send(Cs_20001(sceneID: 1, line: number, message: "\(number)"))
            }
            client.endOutput()
        }
        var replies: [Sc_20001] = []
        while let received = try await client.nextMessage() {
            if case .sc20001(let reply) = received.message { replies.append(reply) }
        }
        try await sending.value
        let sums = (1...2_000 as ClosedRange<UInt32>).map { $0 * ($0 + 1) / 2 }
        #expect(replies.map(\.defaultCombat) == sums)
        #expect(replies.last?.message == "2000")
        await server.shutDown()
    }

    @Test func `a batch handler stops reading from a client that reads nothing, and no packet is lost`() async throws {
        let limits = ConnectionLimits(pendingByteCount: 10_000, writeTimeout: nil)
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self,
            configuration: ConnectionEnds().configure { $0.limits = limits }
        ) { client in
            { batch in while let packet = try batch.next() { try client.write(packet: packet.bytes) } }
        }
        let client = try await server.connect(on: ConnectionPair.group.get())
        let packet = try packet(payload: [UInt8](repeating: 7, count: 10_000))
        // More than twice what the system's buffers hold in both directions.
        let byteCount = 8_000 * packet.count
        let sending = Task {
            for _ in 0..<8_000 { try await client.send(packet: packet) }
            client.endOutput()
        }
        // Until the server has read nothing more for a while.
        var (receivedByteCount, quietCount) = (0, 0)
        while quietCount < 20 {
            try await Task.sleep(for: .milliseconds(10))
            let count = await server.counters().traffic.receivedByteCount
            let isWaiting = await client.connection.counters().waitingSenderCount == 1
            quietCount = isWaiting && count > 0 && count == receivedByteCount ? quietCount + 1 : 0
            receivedByteCount = count
            guard count < byteCount else { break }
        }
        #expect(receivedByteCount < byteCount / 2)
        #expect(await server.counters().traffic.pendingByteCount < limits.pendingByteCount + (256 << 10))
        var received = 0
        while let packet = try await client.nextPacket() { received += packet.byteCount }
        try await sending.value
        #expect(received == byteCount)
        client.close()
        await server.shutDown()
    }

    @Test func `a connection that is closed while its batch handler is made is released`() async throws {
        let (made, feed) = AsyncStream<WeakConnection>.makeStream()
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self
        ) { client in
            feed.yield(WeakConnection(client.connection))
            client.close()
            return { batch in while let packet = try batch.next() { try client.write(packet: packet.bytes) } }
        }
        let client = try await server.connect()
        #expect(try await client.nextPacket() == nil)
        var iterator = made.makeAsyncIterator()
        let closed = try #require(await iterator.next())
        #expect(try await eventually { closed.connection == nil })
        #expect(server.connections.isEmpty)
        client.close()
        await server.shutDown()
    }

    @Test func `an error of a batch handler closes its connection, and is reported`() async throws {
        struct Refusal: Error, CustomStringConvertible { let description = "no" }
        let ends = ConnectionEnds()
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self, configuration: ends.configure()
        ) { _ in
            { _ in throw Refusal() }
        }
        let client = try await server.connect()
        try await client.send(Cs_20001(sceneID: 1, line: 1, message: ""))
        #expect(await ends.nextText() == "no")
        await server.shutDown()
    }
}

/// A weak reference to a connection.
private final class WeakConnection: Sendable {
    private let reference: Lock<WeakReference>

    init(_ connection: PacketConnection) {
        reference = Lock(WeakReference(connection: connection))
    }

    var connection: PacketConnection? { reference.withLock { $0.connection } }

    private struct WeakReference {
        weak var connection: PacketConnection?
    }
}
