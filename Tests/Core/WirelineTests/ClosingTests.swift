// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Foundation
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTransport

/// The last output arrives, even if the peer has sent more than was read. Without care, closing a socket with unread
/// input resets the connection, and the peer loses what it has not read.
@Suite(.ahead)
struct ClosingTests {
    private struct Refusal: Error, CustomStringConvertible { let description = "no" }

    /// Enough packets to fill the system's buffers while the peer reads nothing.
    private static let lastCount = 100
    private static let last = Sc_20001.entered(
        Cs_20001(sceneID: 9, line: 9, message: String(repeating: "x", count: 60_000)))
    private static func lastByteCount() throws -> Int { try lastCount * last.encoded().count }

    /// Allows all output to be queued.
    private static let limits = ConnectionLimits(pendingByteCount: 64 << 20, writeTimeout: nil)

    /// How many bytes come until the peer ends its stream; throws if it resets the connection.
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

    /// A request, and after it more than one read takes.
    private func requests(_ beginning: [UInt8]) throws -> [UInt8] {
        let more = Cs_20001(sceneID: 1, line: 1, message: String(repeating: "x", count: 1_000))
        return try beginning + repeatElement(more.encoded(), count: 200).merged
    }

    /// Checks that all output of a handler before its error arrives, although much input is unread.
    private func expectLastWords(of server: SceneServer, to requests: [UInt8], behind hasThrown: Gate) async throws {
        let socket = try RawSocket.connect(to: server.address.port)
        async let sending: Void = onThread { try socket.send(requests) }
        await hasThrown.wait()
        _ = await server.counters()
        try await sending
        let byteCount = try Self.lastByteCount()
        #expect(try await self.byteCount(from: socket) == byteCount)
    }

    @Test func `a client that finishes loses no output, even if it has not read its input`() async throws {
        let listener = try RawSocket.listen()
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: listener.port(), protocol: SceneProtocol.self,
            configuration: ClientConfiguration(
                dialing: DialingOptions(connectTimeout: .seconds(500)), limits: Self.limits))
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

    @Test func `a connection whose client was released says so`() async throws {
        let server = try await SceneServer.start { client in while try await client.nextPacket() != nil {} }
        let connection = try await server.connect().connection
        await #expect(throws: ConnectionError.clientReleased) { _ = try await connection.next() }
        await #expect(throws: ConnectionError.clientReleased) {
            try await connection.send(Cs_20001(sceneID: 1, line: 1, message: ""))
        }
        await server.shutDown()
    }

    @Test func `a caller that waits for a reply gets an error at once if the connection finishes`() async throws {
        let listener = try RawSocket.listen()
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: listener.port(), protocol: SceneProtocol.self, configuration: .patient)
        let asking = Task { try await client.request(Cs_20001(sceneID: 1, line: 1, message: "")) }
        #expect(try await eventually { await client.connection.counters().sentPacketCount == 1 })
        client.finish()
        await #expect(throws: ConnectionError.transport(.closed)) { _ = try await asking.value }
    }

    @Test func `a caller that waits to send gets an error at once if the connection finishes`() async throws {
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
        // The peer reads nothing, and the server waits no longer than `within`.
        #expect(await ends.next() == nil)
        await server.shutDown()
        withExtendedLifetime(socket) {}
    }

    @Test func `the output of a handler before its error arrives`() async throws {
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

    @Test func `the answers of a batch handler before an invalid packet arrive`() async throws {
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

    @Test func `a slow reader that sends something late still gets all output before a graceful end`() async throws {
        let ends = ConnectionEnds()
        let hasSent = Gate()
        // As much as the server's system takes at once, so that nothing is queued in the program.
        let count = 30
        let server = try await SceneServer.start(configuration: ends.configure { $0.limits = Self.limits }) { client in
            for _ in 0..<count { try await client.send(Self.last) }
            hasSent.open()
        }
        // The client takes a few kilobytes at a time; the system of this machine buffers the rest.
        let socket = try RawSocket.connect(to: server.address.port, receiveBuffer: 16_384)
        await hasSent.wait()
        let byteCount = try count * Self.last.encoded().count
        let received = try await onThread {
            // The client is silent for longer than the server waits for a peer that has everything.
            Thread.sleep(forTimeInterval: 4)
            // A heartbeat to a closed socket would reset the connection.
            try socket.send([0])
            var count = 0
            while count < byteCount {
                let bytes = try socket.receive()
                guard !bytes.isEmpty else { break }
                count += bytes.count
            }
            socket.endOutput()
            return count
        }
        #expect(received == byteCount)
        #expect(await ends.nextText() == "clean")
        await server.shutDown()
    }
}
