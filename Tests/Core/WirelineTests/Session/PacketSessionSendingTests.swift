// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Goim
import Scene
import Testing
import TestingSupport
import Wireline

/// What happens to the messages that a session is given: order, resending, limits, outcomes.
@Suite(.ahead)
struct PacketSessionSendingTests {
    @Test func `messages sent before there is a connection leave after the login`() async throws {
        let seen = Seen<String>()
        let server = try await GoimServer.start { client in
            while let received = try await client.nextMessage() {
                switch received.message {
                case .authentication(let login):
                    seen.add("login " + login.body)
                    try await client.reply(to: received, with: AuthenticationReply(body: "{}"))
                case .changeRoom(let room):
                    seen.add("room " + room.room)
                    try await client.reply(to: received, with: ChangeRoomReply())
                default: seen.add("something else")
                }
            }
        }
        let session = try server.session { login in
            #expect(login.number == 1)
            _ = try await login.client.request(Authentication(body: "me"))
        }
        try await session.send(ChangeRoom(room: "1"))
        _ = try await session.request(ChangeRoom(room: "2"))
        #expect(await seen.first(3) == ["login me", "room 1", "room 2"])
        await server.shutDown()
    }

    @Test func `a request that must arrive is sent again with the same sequence number`() async throws {
        let seen = Seen<[Int128?]>()
        let server = try await GoimServer.start { client in
            // The first connection ends after it has read the request, without a reply.
            let isFirst = seen.count == 0
            while let received = try await client.nextMessage() {
                guard case .changeRoom(let room) = received.message else { continue }
                seen.add([try received.header["Sequence"], Int128(room.room)])
                guard !isFirst else { return }
                try await client.reply(to: received, with: ChangeRoomReply())
            }
        }
        let session = try server.session()
        _ = try await session.request(ChangeRoom(room: "7"), delivery: .exactlyOnce)
        let sent = await seen.first(2)
        #expect(sent == [[1, 7], [1, 7]])
        // The next request has the next number.
        _ = try await session.request(ChangeRoom(room: "8"), delivery: .exactlyOnce)
        #expect(await seen.first(3).last == [2, 8])
        await server.shutDown()
    }

    @Test func `a request that may arrive only once fails with its connection, and the error says so`() async throws {
        let server = try await SceneServer.start { client in _ = try await client.nextPacket() }
        let session = try server.session()
        await #expect(throws: ConnectionError.session(.lost(mayHaveArrived: true))) {
            _ = try await session.request(Cs_20001(sceneID: 1, line: 2, message: "once"))
        }
        await server.shutDown()
    }

    @Test func `exactly-once delivery needs a sequence number in the header`() async throws {
        let server = try await SceneServer.start { client in while try await client.nextPacket() != nil {} }
        let session = try server.session()
        let message = Cs_20001(sceneID: 1, line: 2, message: "")
        await #expect(throws: ConnectionError.session(.needsSequence)) {
            try await session.send(message, delivery: .exactlyOnce, confirmedBy: .reply(id: 20001))
        }
        // No heartbeat and no acknowledgement: nothing could confirm the delivery.
        await #expect(throws: ConnectionError.session(.needsReceipt)) {
            try await session.send(message, delivery: .atLeastOnce)
        }
        await server.shutDown()
    }

    @Test func `of messages marked as latest only, only the newest waiting one is sent`() async throws {
        let seen = Seen<UInt32>()
        let mayLogIn = Gate()
        let server = try await SceneServer.start { client in
            while let received = try await client.nextMessage() {
                if case .cs20001(let enter) = received.message { seen.add(enter.line) }
            }
        }
        let session = try server.session { _ in await mayLogIn.wait() }
        var sent: [SentMessage] = []
        for line in 1...5 as ClosedRange<UInt32> {
            let position = Cs_20001(sceneID: 1, line: line, message: "")
            sent.append(try await session.send(position, delivery: .latest(of: Cs_20001.self)))
        }
        try await session.send(Cs_20001(sceneID: 1, line: 6, message: ""))
        mayLogIn.open()
        #expect(await seen.first(2) == [5, 6])
        #expect(try await sent[0].outcome() == .replaced)
        #expect(try await sent[4].outcome() == .given)
        await server.shutDown()
    }

    @Test func `an acknowledgement confirms sent messages, also during login`() async throws {
        let seen = Seen<String>()
        let server = try await GoimServer.start { client in
            let isFirst = seen.count == 0
            while let received = try await client.nextMessage() {
                guard case .changeRoom(let room) = received.message else { continue }
                seen.add(room.room)
                if isFirst, room.room == "b" { return }
                if !isFirst { try await client.send(Notification(body: "\(try received.header["Sequence"] ?? 0)")) }
            }
        }
        var conventions = SessionConventions<GoimProtocol>()
        conventions.acknowledgement(Notification.self) { UInt64($0.body).map { .cumulative($0) } }
        let session = try server.session(conventions: conventions) { login in
            if login.number == 2 { login.acknowledge(.cumulative(1)) }
        }
        let first = try await session.send(ChangeRoom(room: "a"), delivery: .exactlyOnce)
        let second = try await session.send(ChangeRoom(room: "b"), delivery: .exactlyOnce)
        #expect(try await first.outcome() == .confirmed)
        #expect(try await second.outcome() == .confirmed)
        #expect(await seen.first(3) == ["a", "b", "b"])
        await server.shutDown()
    }

    @Test func `a connection that is full gets no more, and the next one gets the rest`() async throws {
        let count = 1_500
        let body = String(repeating: "x", count: 16_384)
        let mayRead = Gate()
        /// What each connection has received.
        let numbers = Lock<[[Int]]>([])
        let connections = Seen<Void>()
        let ended = Seen<Void>()
        let server = try await GoimServer.start { client in
            connections.add(())
            defer { ended.add(()) }
            let number = connections.count - 1
            numbers.withLock { $0.append([]) }
            // The client gives up the first connection in the middle of a message, and comes again. The system keeps what
            // it has taken for the first one for less than a minute.
            if number == 0 { await mayRead.wait() } else { mayRead.open() }
            while let received = try await client.nextMessage() {
                guard case .changeRoom(let room) = received.message else { continue }
                numbers.withLock { $0[number].append(Int(room.room.prefix { $0 != " " }) ?? -1) }
            }
        }
        var configuration = PacketSessionConfiguration.patient
        configuration.outbound = OutboundLimits(byteCount: 64 << 20, messageCount: 2 * count)
        // The second connection, whose server reads, must not time out, however busy the machine is.
        configuration.client.limits.writeTimeout = .seconds(5)
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: configuration)
        var sent: [SentMessage] = []
        for number in 0..<count { sent.append(try await session.send(ChangeRoom(room: "\(number) \(body)"))) }
        for message in sent { #expect(try await message.outcome() == .given) }
        session.end()
        _ = await ended.first(2)
        await server.shutDown(within: .seconds(500))
        // The queue of the first connection is lost: as much as may wait, and the message over the limit.
        expectNumbers(upTo: count, inRuns: numbers.withLock { $0 }, lossLimit: 64 / 16 + 2)
    }

    @Test func `a cancelled wait for an outcome ends, and the message is still sent`() async throws {
        let mayLogIn = Gate()
        let seen = Seen<String>()
        let server = try await SceneServer.start { client in
            while let received = try await client.nextMessage() {
                if case .cs20001(let enter) = received.message { seen.add(enter.message) }
            }
        }
        let session = try server.session { _ in await mayLogIn.wait() }
        let sent = try await session.send(Cs_20001(sceneID: 1, line: 1, message: "all the same"))
        let waiting = Task { try await sent.outcome() }
        waiting.cancel()
        await #expect(throws: ConnectionError.cancelled) { _ = try await waiting.value }
        mayLogIn.open()
        #expect(await seen.first(1) == ["all the same"])
        await server.shutDown()
    }

    @Test func `draining waits for the outcome of every message`() async throws {
        let mayReply = Gate()
        let server = try await GoimServer.start { client in
            while let packet = try await client.nextPacket() {
                await mayReply.wait()
                try await client.reply(to: packet, with: ChangeRoomReply())
            }
        }
        let session = try server.session()
        let sent = try await session.send(
            ChangeRoom(room: "1"), delivery: .atLeastOnce, confirmedBy: .reply(id: ChangeRoomReply.messageID))
        async let cause = session.drain(within: .seconds(500))
        while true {
            do throws(ConnectionError) { try await session.send(ChangeRoom(room: "late")) } catch { break }
        }
        mayReply.open()
        #expect(await cause == .byUs)
        #expect(try await sent.outcome() == .confirmed)
        await server.shutDown()
    }

    @Test func `a cancelled request is forgotten, and its late reply is dropped`() async throws {
        let mayReply = Gate()
        let seen = Seen<Bool>()
        let server = try await GoimServer.start { client in
            while let packet = try await client.nextPacket() {
                seen.add(true)
                await mayReply.wait()
                try await client.reply(to: packet, with: ChangeRoomReply())
                try await client.send(Notification(body: "after"))
            }
        }
        let session = try server.session()
        let task = Task { try await session.request(ChangeRoom(room: "1"), timeout: .seconds(500)) }
        _ = await seen.first(1)
        task.cancel()
        await #expect(throws: ConnectionError.cancelled) { _ = try await task.value }
        mayReply.open()
        for try await received in session.messages {
            guard case .notification(let notification) = received.message else {
                Issue.record("\(received)")
                break
            }
            #expect(notification.body == "after")
            break
        }
        await server.shutDown()
    }

    @Test func `unanswered requests do not fill the outbound queue`() async throws {
        let seen = Seen<String>()
        let server = try await GoimServer.start { client in
            while let received = try await client.nextMessage() {
                switch received.message {
                case .subscribe(let request): seen.add(request.operations)
                case .changeRoom: try await client.reply(to: received, with: ChangeRoomReply())
                default: seen.add("something else")
                }
            }
        }
        var configuration = PacketSessionConfiguration.patient
        configuration.outbound = OutboundLimits(messageCount: 2)
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: configuration)
        for number in 1...5 {
            let sent = try await session.send(
                Subscribe(operations: "\(number)"), confirmedBy: .reply(id: SubscribeReply.messageID))
            #expect(await seen.first(number).last == "\(number)")
            sent.cancel()
            #expect(try await sent.outcome() == .failed(.cancelled(mayHaveArrived: true)))
        }
        _ = try await session.request(ChangeRoom(room: "7"))
        await server.shutDown()
    }

    @Test func `the counters show the messages that wait, and the unconfirmed ones`() async throws {
        let mayLogIn = Gate()
        let mayReply = Gate()
        let server = try await GoimServer.start { client in
            while let packet = try await client.nextPacket() {
                await mayReply.wait()
                try await client.reply(to: packet, with: ChangeRoomReply())
            }
        }
        let session = try server.session { _ in await mayLogIn.wait() }
        let sent = try await session.send(
            ChangeRoom(room: "1"), delivery: .atLeastOnce, confirmedBy: .reply(id: ChangeRoomReply.messageID))
        try await session.send(ChangeRoom(room: "22"))
        var counters = await session.outboundCounters()
        #expect((counters.messageCount, counters.byteCount) == (2, 16 + 1 + 16 + 2))
        #expect((counters.waitingMessageCount, counters.waitingByteCount) == (2, 16 + 1 + 16 + 2))
        mayLogIn.open()
        #expect(try await eventually { await session.outboundCounters().waitingMessageCount == 0 })
        counters = await session.outboundCounters()
        #expect((counters.messageCount, counters.byteCount) == (1, 16 + 1))
        #expect(counters.waitingByteCount == 0)
        mayReply.open()
        #expect(try await sent.outcome() == .confirmed)
        #expect(await session.outboundCounters() == OutboundCounters())
        await server.shutDown()
    }

    @Test func `a message over a limit is refused, and the error names the limit`() async throws {
        let mayLogIn = Gate()
        let server = try await SceneServer.start { client in while try await client.nextPacket() != nil {} }
        var configuration = PacketSessionConfiguration.patient
        configuration.outbound = OutboundLimits(byteCount: 100, messageCount: 2)
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: SceneProtocol.self, configuration: configuration
        ) { _ in await mayLogIn.wait() }
        let small = Cs_20001(sceneID: 1, line: 1, message: "")
        let large = Cs_20001(sceneID: 1, line: 1, message: String(repeating: "x", count: 100))
        await #expect(throws: ConnectionError.session(.tooManyBytes(limit: 100))) { try await session.send(large) }
        try await session.send(small)
        try await session.send(small)
        await #expect(throws: ConnectionError.session(.tooManyMessages(limit: 2))) { try await session.send(small) }
        await #expect(throws: ConnectionError.session(.notConnected)) {
            try await session.send(small, delivery: .whileConnected)
        }
        mayLogIn.open()
        await server.shutDown()
    }
}
