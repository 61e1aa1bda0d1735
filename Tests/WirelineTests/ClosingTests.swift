// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTransport

/// What was sent last arrives, although the peer has sent more than was read: a socket that is closed then resets the
/// connection, and drops what the peer has not taken.
@Suite(.ahead, .timeLimit(.minutes(300)))
struct ClosingTests {
    private struct Refusal: Error, CustomStringConvertible { let description = "no" }

    /// More than the system takes while nobody reads it, in so many packets.
    private static let lastCount = 100
    private static let last = Sc_20001.entered(
        Cs_20001(sceneID: 9, line: 9, message: String(repeating: "x", count: 60_000)))
    private static func lastByteCount() throws -> Int { try lastCount * last.encoded().count }

    /// All that is sent may wait.
    private static let limits = ConnectionLimits(pendingByteCount: 64 << 20, writeTimeout: nil)

    /// How many bytes come until the peer ends its stream; throws where it resets the connection.
    private func byteCount(from socket: RawSocket) async throws -> Int {
        try await onThread {
            var count = 0
            while true {
                let bytes = try socket.receive()
                guard !bytes.isEmpty else { break }
                count += bytes.count
            }
            socket.endOutput()
            return count
        }
    }

    /// A request, and more behind it than is read at once.
    private func requests(_ beginning: [UInt8]) throws -> [UInt8] {
        let more = Cs_20001(sceneID: 1, line: 1, message: String(repeating: "x", count: 1_000))
        return try beginning + Array(repeatElement(more.encoded(), count: 200).joined())
    }

    /// All that a handler has sent before it has thrown comes, although much has not been read.
    private func expectLastWords(of server: SceneServer, to requests: [UInt8], behind hasThrown: Gate) async throws {
        let socket = try RawSocket.connect(to: server.address.port)
        async let sending: Void = onThread { try socket.send(requests) }
        await hasThrown.wait()
        _ = await server.counters()
        try await sending
        let byteCount = try Self.lastByteCount()
        #expect(try await self.byteCount(from: socket) == byteCount)
    }

    @Test func `a client that finishes loses nothing of what it has sent, although it has not read what came`()
        async throws
    {
        let listener = try RawSocket.listen()
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: listener.port(), protocol: SceneProtocol.self,
            configuration: ClientConfiguration(connectTimeout: .seconds(500), limits: Self.limits))
        let server = try await onThread { try listener.accept() }
        try server.send(Self.last.encoded())
        let message = Cs_20001(sceneID: 9, line: 9, message: String(repeating: "x", count: 60_000))
        for _ in 0..<Self.lastCount { try await client.send(message) }
        client.finish()
        await #expect(throws: ConnectionError.transport(.closed)) { try await client.send(message) }
        await #expect(throws: ConnectionError.transport(.closed)) { _ = try await client.nextPacket() }
        let byteCount = try Self.lastCount * message.encoded().count
        #expect(try await self.byteCount(from: server) == byteCount)
    }

    @Test func `whoever waits for a reply when a connection finishes is told at once`() async throws {
        let listener = try RawSocket.listen()
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: listener.port(), protocol: SceneProtocol.self, configuration: .patient)
        let asking = Task { try await client.request(Cs_20001(sceneID: 1, line: 1, message: "")) }
        #expect(try await eventually { await client.connection.counters().sentPacketCount == 1 })
        client.finish()
        await #expect(throws: ConnectionError.transport(.closed)) { _ = try await asking.value }
    }

    @Test func `whoever waits to send when a connection finishes is told at once`() async throws {
        let ends = ConnectionEnds()
        let server = try await SceneServer.start(
            configuration: ends.configure { $0.limits = ConnectionLimits(pendingByteCount: 1_000, writeTimeout: nil) }
        ) { client in
            let sending = Task(executorPreference: client.loop) { while true { try await client.send(Self.last) } }
            let connection = client.connection
            let isStuck = try await eventually { await connection.counters().waitingSenderCount == 1 }
            #expect(isStuck)
            client.finish(within: .milliseconds(50))
            await #expect(throws: ConnectionError.transport(.closed)) { try await sending.value }
        }
        let socket = try RawSocket.connect(to: server.address.port)
        // It takes nothing, and is not waited for longer than it was said.
        #expect(await ends.next() == nil)
        await server.shutDown()
        withExtendedLifetime(socket) {}
    }

    @Test func `what a handler has sent before it throws arrives`() async throws {
        let ends = ConnectionEnds()
        let hasThrown = Gate()
        let server = try await SceneServer.start(configuration: ends.configure { $0.limits = Self.limits }) { client in
            _ = try await client.nextPacket()
            for _ in 0..<Self.lastCount { try await client.send(Self.last) }
            hasThrown.open()
            throw Refusal()
        }
        try await expectLastWords(of: server, to: requests([]), behind: hasThrown)
        #expect(await ends.nextText() == "no")
        await server.shutDown()
    }

    @Test func `what a batch handler has answered before it came to a broken packet arrives`() async throws {
        let ends = ConnectionEnds()
        let hasThrown = Gate()
        let server = try await PacketServer.startBatched(
            at: "127.0.0.1", port: 0, protocol: SceneProtocol.self,
            configuration: ends.configure { $0.limits = Self.limits }
        ) { client in
            { batch in
                do throws(ConnectionError) {
                    while try batch.next() != nil {
                        for _ in 0..<Self.lastCount { try client.write(Self.last) }
                    }
                } catch {
                    hasThrown.open()
                    throw error
                }
            }
        }
        let requests = try requests(
            Cs_20001(sceneID: 1, line: 1, message: "").encoded() + [UInt8](repeating: 0xFE, count: 6))
        try await expectLastWords(of: server, to: requests, behind: hasThrown)
        guard case .codec = await ends.next() as? ConnectionError else {
            Issue.record("the broken packet is not what has ended the connection")
            return
        }
        await server.shutDown()
    }
}
