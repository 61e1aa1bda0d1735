// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Goim
import Scene
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// Two tasks receive from one connection: the second one gets an error, the first one continues.
@Suite(.ahead)
struct ConcurrentReceiverTests {
    /// Receives in two tasks, one of which must be refused, and then has something sent.
    ///
    /// - Returns: What the other task received.
    private func second<Element: Sendable>(
        _ receive: @escaping @Sendable () async throws -> Element, then send: () async throws -> Void
    ) async throws -> Element {
        let refused = Seen<ConnectionError?>()
        let received = Seen<Element>()
        let tasks = (0..<2).map { _ in
            Task {
                do {
                    received.add(try await receive())
                } catch {
                    refused.add(error as? ConnectionError)
                }
            }
        }
        #expect(await refused.first(1) == [.alreadyReceiving])
        #expect(received.count == 0)
        try await send()
        for task in tasks { await task.value }
        #expect(refused.count == 1)
        return await received.first(1)[0]
    }

    @Test(arguments: [false, true])
    func `a connection's packets have one receiver at a time`(isOnLoop: Bool) async throws {
        let pair = try await ConnectionPair.make()
        let client = pair.client
        let bytes = try await second {
            if isOnLoop {
                return try await Task(executorPreference: client.loop) { try await client.nextBytes() }.value
            }
            return try await client.nextBytes()
        } then: {
            try await pair.server.send(packet: packet(id: 1, payload: [7]))
        }
        #expect(bytes == (try packet(id: 1, payload: [7])))
        // Both may receive, one after the other.
        try await pair.server.send(packet: packet(id: 2, payload: []))
        #expect(try await client.nextBytes() == (try packet(id: 2, payload: [])))
        pair.close()
    }

    @Test func `a waiting task can be cancelled, and another one receives`() async throws {
        let pair = try await ConnectionPair.make()
        let client = pair.client
        for isOnLoop in [false, true] {
            let first =
                isOnLoop
                ? Task(executorPreference: client.loop) { try await client.nextBytes() }
                : Task { try await client.nextBytes() }
            first.cancel()
            await #expect(throws: ConnectionError.cancelled) { try await first.value }
        }
        try await pair.server.send(packet: packet(id: 1, payload: []))
        #expect(try await client.nextBytes() == (try packet(id: 1, payload: [])))
        pair.close()
    }

    @Test func `batches have one receiver at a time, on the loop`() async throws {
        let pair = try await ConnectionPair.make()
        let client = pair.client
        await #expect(throws: ConnectionError.notOnLoop) { _ = try await client.nextBatch() }
        let id = try await second {
            try await Task(executorPreference: client.loop) { () async throws -> UInt64? in
                var batch = try await client.nextBatch()
                return try batch?.next()?.id
            }.value
        } then: {
            try await pair.server.send(packet: packet(id: 5, payload: []))
        }
        #expect(id == 5)
        pair.close()
    }

    @Test func `a write without waiting throws if it is not called on the loop`() async throws {
        let pair = try await ConnectionPair.make()
        let bytes = try packet(id: 1, payload: [])
        #expect(throws: ConnectionError.notOnLoop) { try pair.client.write(packet: bytes.span.bytes) }
        #expect(throws: ConnectionError.notOnLoop) { try pair.client.write(id: 1, payload: bytes.span.bytes) }
        #expect(throws: ConnectionError.notOnLoop) {
            try pair.client.write(Cs_20001(sceneID: 1, line: 2, message: ""))
        }
        pair.close()
    }

    @Test func `a WebSocket's messages have one receiver at a time`() async throws {
        let maySend = Gate()
        let server = try await WebSocketServer.serving { client in
            await maySend.wait()
            try await client.send("hello")
            _ = try await client.receive()
        }
        let client = try await server.connect()
        let message = try await second {
            try await client.receive()
        } then: {
            maySend.open()
        }
        #expect(message == .text("hello"))
        try await client.close()
        await server.shutDown()
    }

    @Test func `two loops over a client's messages are told so`() async throws {
        let maySend = Gate()
        let server = try await GoimServer.start { client in
            await maySend.wait()
            try await client.send(Notification(body: "hello"))
            while try await client.nextPacket() != nil {}
        }
        let client = try await server.connect()
        let id = try await second {
            for try await message in client.messages { return message.packet.id as UInt64? }
            return nil
        } then: {
            maySend.open()
        }
        #expect(id == Notification.messageID)
        client.close()
        await server.shutDown()
    }

    @Test func `two loops over a WebSocket's messages are told so, also in a session`() async throws {
        let maySend = Gate()
        let server = try await WebSocketServer.serving { client in
            await maySend.wait()
            try await client.send("hello")
            _ = try await client.receive()
        }
        let client = try await server.connect()
        let message = try await second {
            for try await message in client.messages { return message as WebSocketMessage? }
            return nil
        } then: {
            maySend.open()
        }
        #expect(message == .text("hello"))
        try await client.close()
        let mayAnswer = Gate()
        let session = try server.session(.patient()) { login in
            _ = try await login.client.receive()
            mayAnswer.open()
        }
        let echoed = try await second {
            for try await message in session.messages { return message as WebSocketMessage? }
            return nil
        } then: {
            await mayAnswer.wait()
            session.end()
        }
        #expect(echoed == nil)
        await server.shutDown()
    }

    @Test func `a session's messages have one receiver at a time`() async throws {
        let maySend = Gate()
        let server = try await GoimServer.start { client in
            await maySend.wait()
            try await client.send(Notification(body: "hello"))
            while try await client.nextPacket() != nil {}
        }
        let session = try server.session()
        let id = try await second {
            var messages = session.messages.makeAsyncIterator()
            return try await messages.next()?.packet.id
        } then: {
            maySend.open()
        }
        #expect(id == Notification.messageID)
        session.end()
        await server.shutDown()
    }

    @Test func `thousands of waiting senders are cancelled together, and the other output is sent`() async throws {
        let pair = try await ConnectionPair.make(
            limits: ConnectionLimits(maximumPacketByteCount: 16 << 20, pendingByteCount: 1, writeTimeout: nil))
        let client = pair.client
        // More than the system's buffers take.
        let large = try packet(id: 1, payload: [UInt8](repeating: 0, count: 8 << 20))
        try await client.send(packet: large)
        let senders = (0..<5_000).map { number in
            Task { try await client.send(packet: packet(id: 2, payload: [UInt8(number % 256)])) }
        }
        while await client.counters().waitingSenderCount < 5_000 { await Task.yield() }
        for sender in senders.dropLast() { sender.cancel() }
        for sender in senders.dropLast() { await #expect(throws: ConnectionError.cancelled) { try await sender.value } }
        #expect(await client.counters().waitingSenderCount == 1)
        #expect(try await pair.server.nextBytes()?.count == large.count)
        let last = try await pair.server.nextBytes()
        #expect(last?.count == (try packet(id: 2, payload: [0])).count)
        try await senders[4_999].value
        pair.close()
    }
}
