// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Goim
import Scene
import Testing
import TestingSupport
import Wireline

/// Messages that are read by their type.
@Suite(.ahead)
struct MessageStreamTests {
    private static let oneByte: [UInt8] = [1]

    /// A server that sends notifications with these texts to each client, and then reads until the client ends.
    ///
    /// - Parameter start: When it sends the first one; nil: at once. A second stream gets only what the first one has
    ///   not taken yet.
    private func notifying(
        _ bodies: [String], after start: Gate? = nil,
        then body: @escaping @Sendable (ServerConnection<GoimProtocol>) async throws -> Void = { _ in }
    ) async throws -> PacketServer<GoimProtocol> {
        try await GoimServer.start { client in
            await start?.wait()
            for body in bodies { try await client.send(Notification(body: body)) }
            try await body(client)
            while try await client.nextPacket() != nil {}
        }
    }

    /// The texts of the next notifications.
    private func bodies(_ count: Int, of stream: MessageStream<Notification>) async throws -> [String] {
        var bodies: [String] = []
        while bodies.count < count, let next = try await stream.next() { bodies.append(next.body) }
        return bodies
    }

    @Test func `each stream gets all messages of its type, and other messages are received as before`() async throws {
        let mayBegin = Gate()
        let server = try await notifying(["1", "2"], after: mayBegin) { client in
            try await client.send(HeartbeatReply(popularity: 3))
            try await client.send(ChangeRoomReply())
            try await client.send(Notification(body: "4"))
            try await client.send(SubscribeReply(operations: ""))
        }
        let client = try await server.connect()
        let (first, second) = (client.messages(of: Notification.self), client.messages(of: Notification.self))
        let popularities = client.messages(of: HeartbeatReply.self)
        // The loop has made all of them.
        _ = await popularities.droppedCount
        mayBegin.open()
        async let firstBodies = bodies(3, of: first)
        async let secondBodies = bodies(3, of: second)
        var others: [UInt64] = []
        while others.count < 2, let packet = try await client.nextPacket() { others.append(packet.id) }
        #expect(others == [ChangeRoomReply.messageID, SubscribeReply.messageID])
        #expect(try await firstBodies == ["1", "2", "4"])
        #expect(try await secondBodies == ["1", "2", "4"])
        #expect(try await popularities.next()?.popularity == 3)
        client.close()
        await server.shutDown()
    }

    @Test(arguments: [false, true])
    func `a loop reads a stream up to the end of the connection`(isOnLoop: Bool) async throws {
        let server = try await GoimServer.start { client in
            for number in 0..<1_000 { try await client.send(Notification(body: "\(number)")) }
        }
        let client = try await server.connect()
        let stream = client.messages(of: Notification.self)
        let read: @Sendable () async throws -> [String] = {
            var bodies: [String] = []
            for try await notification in stream { bodies.append(notification.body) }
            return bodies
        }
        let bodies =
            try await isOnLoop ? Task(executorPreference: client.loop) { try await read() }.value : read()
        #expect(bodies == (0..<1_000).map { "\($0)" })
        #expect(try await stream.next() == nil)
        // One that begins after the end ends at once.
        #expect(try await client.messages(of: HeartbeatReply.self).next() == nil)
        await server.shutDown()
    }

    @Test func `an error comes after the messages that have arrived`() async throws {
        let mayBegin = Gate()
        let server = try await notifying(["1", "2"], after: mayBegin)
        let client = try await server.connect()
        let (stream, other) = (client.messages(of: Notification.self), client.messages(of: Notification.self))
        // The loop has made both.
        _ = await other.droppedCount
        mayBegin.open()
        // Both have arrived in the other stream, too.
        #expect(try await bodies(2, of: stream) == ["1", "2"])
        client.close()
        await #expect(throws: ConnectionError.transport(.closed)) { _ = try await stream.next() }
        #expect(try await bodies(2, of: other) == ["1", "2"])
        await #expect(throws: ConnectionError.transport(.closed)) { _ = try await other.next() }
        await server.shutDown()
    }

    @Test func `messages that no task has taken yet come first`() async throws {
        let server = try await GoimServer.start { client in
            while let received = try await client.nextMessage() {
                try await client.send(Notification(body: "early"))
                try await client.send(ChangeRoomReply())
                try await client.reply(to: received, with: HeartbeatReply(popularity: 1))
            }
        }
        let client = try await server.connect()
        _ = try await client.request(Heartbeat(body: ""))
        let stream = client.messages(of: Notification.self)
        #expect(try await stream.next()?.body == "early")
        #expect(try await client.request(Heartbeat(body: "")).popularity == 1)
        #expect(try await stream.next()?.body == "early")
        for _ in 0..<2 { #expect(try await client.nextPacket()?.id == ChangeRoomReply.messageID) }
        client.close()
        await server.shutDown()
    }

    @Test func `when a stream is gone, its messages go where they went before`() async throws {
        let server = try await GoimServer.start { client in
            var number = 0
            while try await client.nextPacket() != nil {
                number += 1
                try await client.send(Notification(body: "\(number)"))
            }
        }
        let client = try await server.connect()
        do {
            let stream = client.messages(of: Notification.self)
            try await client.send(Heartbeat(body: ""))
            #expect(try await stream.next()?.body == "1")
        }
        try await client.send(Heartbeat(body: ""))
        #expect(try await client.nextPacket()?.decode(Notification.self).body == "2")
        client.close()
        await server.shutDown()
    }

    @Test func `a slow reader loses its oldest messages, and delays no one`() async throws {
        let text = String(repeating: "x", count: 744)  // with its header and the fixed part, about 1,016 bytes
        let server = try await notifying((0..<100).map { "\($0) \(text)" }) { client in
            try await client.send(HeartbeatReply(popularity: 1))
        }
        var configuration = ClientConfiguration.patient
        configuration.limits.unreadByteCount = 10_000
        let client = try await server.connect(configuration: configuration)
        let slow = client.messages(of: Notification.self)
        let other = client.messages(of: HeartbeatReply.self)
        #expect(try await other.next()?.popularity == 1)
        let droppedCount = await slow.droppedCount
        #expect(droppedCount > 80 && droppedCount < 100)
        let rest = try await bodies(100 - droppedCount, of: slow)
        #expect(rest == (droppedCount..<100).map { "\($0) \(text)" })
        client.close()
        await server.shutDown()
    }

    @Test func `messages that no task asks for do not stop the reading`() async throws {
        let server = try await GoimServer.start { client in
            for _ in 0..<1_000 { try await client.send(ChangeRoomReply()) }
            try await client.send(Notification(body: "last"))
            while let received = try await client.nextMessage() {
                try await client.reply(to: received, with: HeartbeatReply(popularity: 1))
            }
        }
        var configuration = ClientConfiguration.patient
        configuration.limits.unreadByteCount = 10_000
        let client = try await server.connect(configuration: configuration)
        let stream = client.messages(of: Notification.self)
        #expect(try await stream.next()?.body == "last")
        #expect(try await client.request(Heartbeat(body: "")).popularity == 1)
        #expect(try await client.connection.onLoop { $0.unreadByteCount } <= 10_000)
        client.close()
        await server.shutDown()
    }

    @Test func `a slow task that receives all other messages misses none, beside a stream`() async throws {
        let mayGoOn = Gate()
        let server = try await GoimServer.start { client in
            try await client.send(HeartbeatReply(popularity: 0))
            await mayGoOn.wait()
            for number in 1..<500 as Range<UInt32> {
                try await client.send(HeartbeatReply(popularity: number))
                try await client.send(Notification(body: "\(number)"))
            }
        }
        var configuration = ClientConfiguration.patient
        configuration.limits.unreadByteCount = 3_000
        let client = try await server.connect(configuration: configuration)
        let stream = client.messages(of: Notification.self)
        var numbers: [UInt32] = []
        guard case .heartbeatReply(let first)? = try await client.nextMessage()?.message else {
            throw ConnectionError.endedBeforeReply
        }
        numbers.append(first.popularity)
        mayGoOn.open()
        // So many wait that the connection reads no more.
        #expect(try await eventually { try await client.connection.onLoop { $0.unreadByteCount } >= 200 })
        while case .heartbeatReply(let reply)? = try await client.nextMessage()?.message {
            numbers.append(reply.popularity)
        }
        #expect(numbers == Array(0..<500))
        var last = ""
        while let notification = try await stream.next() { last = notification.body }
        #expect(last == "499")
        await server.shutDown()
    }

    @Test func `two tasks that read one stream are told so`() async throws {
        let maySend = Gate()
        let server = try await GoimServer.start { client in
            await maySend.wait()
            try await client.send(Notification(body: "1"))
            while try await client.nextPacket() != nil {}
        }
        let client = try await server.connect()
        let stream = client.messages(of: Notification.self)
        let results = Seen<Result<String?, ConnectionError>>()
        let tasks = (0..<2).map { _ in
            Task {
                do throws(ConnectionError) {
                    results.add(.success(try await stream.next()?.body))
                } catch {
                    results.add(.failure(error))
                }
            }
        }
        #expect(await results.first(1) == [.failure(.alreadyReceiving)])
        maySend.open()
        #expect(await results.first(2).last == .success("1"))
        for task in tasks { await task.value }
        let cancelled = Task { try await stream.next() }
        cancelled.cancel()
        await #expect(throws: ConnectionError.cancelled) { _ = try await cancelled.value }
        client.close()
        await server.shutDown()
    }

    @Test func `a message that does not match the schema is an error, and the next one follows`() async throws {
        let server = try await SceneServer.start { client in
            try await client.send(
                packet: PacketLayout.standard.encode(id: Sc_20001.messageID, payload: Self.oneByte.span.bytes))
            try await client.send(Sc_20001.entered(Cs_20001(sceneID: 1, line: 2, message: "")))
            while try await client.nextPacket() != nil {}
        }
        let client = try await server.connect()
        let stream = client.messages(of: Sc_20001.self)
        await #expect(throws: ConnectionError.self) { _ = try await stream.next() }
        #expect(try await stream.next()?.defaultCombat == 2)
        #expect(await client.connection.counters().refusedPacketCount == 1)
        client.close()
        await server.shutDown()
    }

    @Test func `a server's handler reads by type, too`() async throws {
        let server = try await GoimServer.start { client in
            let rooms = client.messages(of: ChangeRoom.self)
            let heartbeats = client.messages(of: Heartbeat.self)
            while let room = try await rooms.next() {
                let heartbeat = try await heartbeats.next()
                try await client.send(Notification(body: room.room + (heartbeat?.body ?? "")))
            }
        }
        let client = try await server.connect()
        let stream = client.messages(of: Notification.self)
        try await client.send(Heartbeat(body: "2"))
        try await client.send(ChangeRoom(room: "1"))
        #expect(try await stream.next()?.body == "12")
        client.endOutput()
        #expect(try await stream.next() == nil)
        await server.shutDown()
    }

    @Test func `a session's streams live across its connections, up to its end`() async throws {
        // What comes between the two streams' beginnings would go to the first one alone.
        let mayBegin = Gate()
        let server = try await GoimServer.start { client in
            await mayBegin.wait()
            try await client.send(Notification(body: "hello"))
            try await client.send(ChangeRoomReply())
            while case .heartbeat? = try await client.nextMessage()?.message {}
        }
        let session = try server.session()
        let (first, second) = (session.messages(of: Notification.self), session.messages(of: Notification.self))
        // The loop has made both.
        _ = await second.droppedCount
        mayBegin.open()
        #expect(try await first.next()?.body == "hello")
        // The server ends the connection.
        try await session.send(ChangeRoom(room: "1"))
        #expect(try await first.next()?.body == "hello")
        #expect(try await bodies(2, of: second) == ["hello", "hello"])
        var others = session.messages.makeAsyncIterator()
        #expect(try await others.next()?.packet.id == ChangeRoomReply.messageID)
        session.end()
        #expect(try await first.next() == nil)
        #expect(try await session.messages(of: HeartbeatReply.self).next() == nil)
        await server.shutDown()
    }

    @Test func `messages that no task asks for do not stop a session`() async throws {
        let server = try await GoimServer.start { client in
            for _ in 0..<1_000 { try await client.send(ChangeRoomReply()) }
            try await client.send(Notification(body: "last"))
            while let received = try await client.nextMessage() {
                try await client.reply(to: received, with: HeartbeatReply(popularity: 1))
            }
        }
        var configuration = PacketSessionConfiguration.patient
        configuration.client.limits.unreadByteCount = 10_000
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: configuration)
        #expect(try await session.messages(of: Notification.self).next()?.body == "last")
        session.end()
        await server.shutDown()
    }
}
