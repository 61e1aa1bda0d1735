// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTransport

/// Clients that end or vanish while their handlers wait for something other than packets.
@Suite(.ahead)
struct LostClientTests {
    private static let hello = Cs_20001(sceneID: 1, line: 1, message: "")

    @Test func `a client's reset cancels a handler that waits for something else`() async throws {
        let ends = ConnectionEnds()
        let hasBegun = Gate()
        let server = try await SceneServer.start(configuration: ends.configure()) { client in
            hasBegun.open()
            try await Task.sleep(for: .seconds(100_000))
        }
        let socket = try RawSocket.connect(to: server.address.port)
        await hasBegun.wait()
        socket.reset()
        #expect(await ends.next() is CancellationError)
        #expect(server.connections.isEmpty)
        await server.shutDown()
    }

    @Test func `packets that arrived before a reset can be read by a cancelled handler`() async throws {
        let ends = ConnectionEnds()
        let hasBegun = Gate()
        let (counts, feed) = AsyncStream<Int>.makeStream()
        let server = try await SceneServer.start(configuration: ends.configure()) { client in
            hasBegun.open()
            try? await Task.sleep(for: .seconds(100_000))
            // In a child task, which is cancelled, too.
            async let count = Self.countPackets(of: client)
            feed.yield(try await count)
        }
        let socket = try RawSocket.connect(to: server.address.port)
        await hasBegun.wait()
        try socket.send(repeatElement(Self.hello.encoded(), count: 1_000).merged)
        #expect(try await eventually { socket.unacknowledgedByteCount == 0 })
        socket.reset()
        var iterator = counts.makeAsyncIterator()
        #expect(await iterator.next() == 1_000)
        #expect(await ends.next() as? ConnectionError == .transport(.reset))
        await server.shutDown()
    }

    @Test func `a handler that was cancelled by a reset gets the reason when it sends or asks`() async throws {
        let ends = ConnectionEnds()
        let hasBegun = Gate()
        let server = try await SceneServer.start(configuration: ends.configure()) { client in
            hasBegun.open()
            try? await Task.sleep(for: .seconds(100_000))
            #expect(Task.isCancelled)
            await #expect(throws: ConnectionError.transport(.reset)) {
                _ = try await client.connection.request(Self.hello)
            }
            try await client.send(Sc_20001.entered(Self.hello))
        }
        let socket = try RawSocket.connect(to: server.address.port)
        await hasBegun.wait()
        socket.reset()
        #expect(await ends.next() as? ConnectionError == .transport(.reset))
        await server.shutDown()
    }

    /// How many packets come until the connection fails.
    private static func countPackets(of client: ServerConnection<SceneProtocol>) async throws -> Int {
        var count = 0
        do throws(ConnectionError) {
            while try await client.nextPacket() != nil { count += 1 }
        } catch {
            guard error == .transport(.reset) else { throw error }
        }
        return count
    }

    @Test func `a reset gives a receiving handler an error, and does not cancel it`() async throws {
        let ends = ConnectionEnds()
        let (outcomes, feed) = AsyncStream<Bool>.makeStream()
        let server = try await SceneServer.start(configuration: ends.configure()) { client in
            await #expect(throws: ConnectionError.transport(.reset)) {
                while try await client.nextPacket() != nil {}
            }
            feed.yield(Task.isCancelled)
        }
        let socket = try RawSocket.connect(to: server.address.port)
        try socket.send(Self.hello.encoded())
        #expect(try await eventually { await server.counters().traffic.receivedPacketCount == 1 })
        socket.reset()
        var iterator = outcomes.makeAsyncIterator()
        #expect(await iterator.next() == false)
        await server.shutDown()
    }

    @Test func `a handler learns of its client's end without reading, and can still answer`() async throws {
        let ends = ConnectionEnds()
        let hasBegun = Gate()
        let server = try await SceneServer.start(configuration: ends.configure()) { client in
            hasBegun.open()
            try await client.waitUntilEnd()
            // At once, because the end has already come.
            try await client.waitUntilEnd()
            #expect(!Task.isCancelled)
            #expect(try await client.nextPacket() != nil)
            try await client.send(Sc_20001.entered(Self.hello))
        }
        let socket = try RawSocket.connect(to: server.address.port)
        await hasBegun.wait()
        try socket.send(Self.hello.encoded())
        socket.endOutput()
        let answer = try Sc_20001.entered(Self.hello).encoded()
        let received = try await onThread { try socket.receive() }
        #expect(received == answer)
        #expect(await ends.nextText() == "clean")
        await server.shutDown()
    }

    @Test func `a handler that only waits for the end learns that the server shuts down, and can still answer`()
        async throws
    {
        let ends = ConnectionEnds()
        let hasBegun = Gate()
        let server = try await SceneServer.start(configuration: ends.configure()) { client in
            hasBegun.open()
            try await client.waitUntilEnd()
            #expect(!Task.isCancelled)
            try await client.send(Sc_20001.entered(Self.hello))
        }
        let socket = try RawSocket.connect(to: server.address.port)
        await hasBegun.wait()
        async let shutDown: Void = server.shutDown(within: .seconds(500))
        let received = try await onThread { try socket.receive() }
        #expect(try received == Sc_20001.entered(Self.hello).encoded())
        socket.endOutput()
        #expect(await ends.nextText() == "clean")
        await shutDown
    }

    @Test func `waiting for the end throws the reason if the connection is reset or closed`() async throws {
        let listener = try RawSocket.listen()
        let client = try await PacketClient.connect(
            to: "127.0.0.1", port: listener.port(), protocol: SceneProtocol.self, configuration: .patient)
        let peer = try await onThread { try listener.accept() }
        let waiting = Task { try await client.waitUntilEnd() }
        let cancelled = Task { try await client.waitUntilEnd() }
        cancelled.cancel()
        await #expect(throws: ConnectionError.cancelled) { try await cancelled.value }
        peer.reset()
        await #expect(throws: ConnectionError.transport(.reset)) { try await waiting.value }
        client.close()

        let other = try await PacketClient.connect(
            to: "127.0.0.1", port: listener.port(), protocol: SceneProtocol.self, configuration: .patient)
        other.close()
        await #expect(throws: ConnectionError.transport(.closed)) { try await other.waitUntilEnd() }
    }

    @Test func `a reset cancels a WebSocket handler that waits for something else`() async throws {
        let ends = ConnectionEnds()
        let hasBegun = Gate()
        var configuration = WebSocketServerConfiguration()
        configuration.listening.handshakeTimeout = nil
        configuration.listening.connectionEnded = ends.configure().listening.connectionEnded
        let server = try await WebSocketServer.start(at: "127.0.0.1", port: 0, configuration: configuration) { client in
            hasBegun.open()
            try? await Task.sleep(for: .seconds(100_000))
            #expect(Task.isCancelled)
            await #expect(throws: ConnectionError.transport(.reset)) { _ = try await client.ping() }
            try await client.send("late")
        }
        let socket = try RawSocket.connect(to: server.address.port)
        let request = [
            "GET / HTTP/1.1", "Host: localhost", "Connection: Upgrade", "Upgrade: websocket",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==", "", "",
        ]
        try socket.send(Array(request.joined(separator: "\r\n").utf8))
        await hasBegun.wait()
        socket.reset()
        #expect(await ends.next() as? ConnectionError == .transport(.reset))
        #expect(server.connectionCount == 0)
        await server.shutDown()
    }
}
