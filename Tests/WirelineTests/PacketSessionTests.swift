// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Goim
import Scene
import Testing
import TestingSupport
import Wireline

/// A client that comes back, against servers that end, refuse, fall silent and restart.
@Suite(.ahead, .timeLimit(.minutes(300)))
struct PacketSessionTests {
    @Test func `what is sent before there is a connection leaves behind the login`() async throws {
        let seen = Seen<String>()
        let server = try await GoimServer.start { client in
            for try await message in client.messages {
                switch message {
                case .message(let login as Authentication, let packet):
                    seen.add("login " + login.body)
                    try await client.reply(to: packet, with: AuthenticationReply(body: "{}"))
                case .message(let room as ChangeRoom, let packet):
                    seen.add("room " + room.room)
                    try await client.reply(to: packet, with: ChangeRoomReply())
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

    @Test func `a request that must arrive is sent again with the same sequence`() async throws {
        let seen = Seen<[Int128?]>()
        let server = try await GoimServer.start { client in
            // The first connection ends with the request read and unanswered.
            let isFirst = seen.count == 0
            for try await message in client.messages {
                guard case .message(let room as ChangeRoom, let packet) = message else { continue }
                seen.add([try message.header["Sequence"], Int128(room.room)])
                guard !isFirst else { return }
                try await client.reply(to: packet, with: ChangeRoomReply())
            }
        }
        let session = try server.session()
        _ = try await session.request(ChangeRoom(room: "7"), delivery: .exactlyOnce)
        let sent = await seen.first(2)
        #expect(sent == [[1, 7], [1, 7]])
        // The next one has the next number.
        _ = try await session.request(ChangeRoom(room: "8"), delivery: .exactlyOnce)
        #expect(await seen.first(3).last == [2, 8])
        await server.shutDown()
    }

    @Test func `a request that may arrive once fails with its connection and says so`() async throws {
        let server = try await SceneServer.start { client in _ = try await client.nextPacket() }
        let session = try server.session()
        await #expect(throws: ConnectionError.session(.lost(mayHaveArrived: true))) {
            _ = try await session.request(Cs_20001(sceneID: 1, line: 2, message: "once"))
        }
        await server.shutDown()
    }

    @Test func `without a sequence in the header nothing is promised to arrive exactly once`() async throws {
        let server = try await SceneServer.start { client in while try await client.nextPacket() != nil {} }
        let session = try server.session()
        let message = Cs_20001(sceneID: 1, line: 2, message: "")
        await #expect(throws: ConnectionError.session(.needsSequence)) {
            try await session.send(message, delivery: .exactlyOnce, confirmedBy: .reply(id: 20001))
        }
        // No heartbeat, no acknowledgement: nothing could say that it has arrived.
        await #expect(throws: ConnectionError.session(.needsReceipt)) {
            try await session.send(message, delivery: .atLeastOnce)
        }
        await server.shutDown()
    }

    @Test func `of messages of which the latest counts, the newest that waited leaves`() async throws {
        let seen = Seen<UInt32>()
        let mayLogIn = Gate()
        let server = try await SceneServer.start { client in
            for try await message in client.messages {
                if case .message(let enter as Cs_20001, _) = message { seen.add(enter.line) }
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

    @Test func `states tell of the connection, its end and the next one`() async throws {
        let server = try await SceneServer.start { client in
            // Ends the connection with its first message.
            _ = try await client.nextPacket()
        }
        let mayLogIn = Gate()
        let session = try server.session { _ in await mayLogIn.wait() }
        var states: [SessionState] = []
        for await state in session.states {
            switch state {
            case .connecting(_, attempt: 1):
                // It may be over before anybody looks.
                continue
            case .loggingIn:
                mayLogIn.open()
                states.append(state)
            case .waiting(let until, let cause):
                #expect(until <= session.elapsed + .seconds(1))
                states.append(.waiting(until: .zero, cause: cause))
            default:
                states.append(state)
            }
            if states == [.loggingIn, .ready] {
                try await session.send(Cs_20001(sceneID: 1, line: 1, message: "bye"))
            }
            if states.count == 5 { session.end() }
        }
        #expect(
            states.prefix(5) == [
                .loggingIn, .ready, .waiting(until: .zero, cause: .endedByPeer), .connecting(endpoint: 0, attempt: 2),
                .loggingIn,
            ])
        #expect(states.last == .ended(.byUs))
        // Whoever looks later sees the end.
        #expect(await session.states.reduce(into: []) { $0.append($1) } == [.ended(.byUs)])
        await #expect(throws: ConnectionError.session(.ended(mayHaveArrived: false))) {
            try await session.send(Cs_20001(sceneID: 1, line: 1, message: "too late"))
        }
        await server.shutDown()
    }

    @Test func `an endpoint where nobody listens is passed over at once`() async throws {
        let server = try await SceneServer.start { client in while try await client.nextPacket() != nil {} }
        let endpoints = [.nobody, server.endpoint]
        let group = try EventLoopGroup(threadCount: 1)
        // In one turn of its loop: nothing has happened yet.
        let (session, seen) = try await group.loops[0].run { () throws(any Error) in
            let session = try PacketSession.start(
                to: endpoints, protocol: SceneProtocol.self, on: group, configuration: .patient)
            return (session, session.states)
        }
        var states: [SessionState] = []
        for await state in seen {
            states.append(state)
            if state == .ready { break }
        }
        #expect(
            states == [
                .connecting(endpoint: 0, attempt: 1), .connecting(endpoint: 1, attempt: 2), .loggingIn, .ready,
            ])
        session.end()
        await server.shutDown()
    }

    @Test func `a session whose every attempt is refused says so in the end`() async throws {
        // At an address of its own, where nobody else gets the port.
        let gone = try await SceneServer.start(at: "127.0.0.6") { _ in }
        await gone.shutDown()
        var configuration = PacketSessionConfiguration.patient
        configuration.reconnect = ReconnectPolicy(baseDelay: .milliseconds(1), retryLimit: 3)
        let group = try EventLoopGroup(threadCount: 1)
        // On its loop, where it cannot have ended before.
        let starting = Task(executorPreference: group.loops[0]) { [configuration] in
            let session = try PacketSession.start(
                to: [gone.endpoint], protocol: SceneProtocol.self, on: group, configuration: configuration)
            return (session, try await session.send(Cs_20001(sceneID: 1, line: 1, message: "")))
        }
        let (session, waiting) = try await starting.value
        await #expect(throws: ConnectionError.sessionEnded(.outOfRetries(last: .refused))) {
            try await session.waitUntilReady()
        }
        await #expect(throws: ConnectionError.sessionEnded(.outOfRetries(last: .refused))) {
            for try await _ in session.messages {}
        }
        #expect(try await waiting.outcome() == .failed(.ended(mayHaveArrived: false)))
    }

    @Test func `a login that is refused ends the session, and one that fails is tried again`() async throws {
        let server = try await GoimServer.start { client in
            for try await message in client.messages {
                guard case .message(is Authentication, let packet) = message else { continue }
                try await client.reply(to: packet, with: AuthenticationReply(body: #"{"code":401}"#))
            }
        }
        let numbers = Seen<Int>()
        let session = try server.session { login in
            numbers.add(login.number)
            struct Unlucky: Error {}
            if login.number == 1 { throw Unlucky() }
            let reply = try await login.client.request(Authentication(body: ""))
            throw SessionLoginRefused(reply.body)
        }
        await #expect(throws: ConnectionError.sessionEnded(.stopped(.loginRefused))) {
            try await session.waitUntilReady()
        }
        #expect(await numbers.first(2) == [1, 2])
        await server.shutDown()
    }

    @Test func `heartbeats are sent and answered while the main thread is blocked`() async throws {
        let beats = Seen<Int128?>()
        let server = try await GoimServer.start { client in
            for try await message in client.messages {
                guard case .message(is Heartbeat, let packet) = message else { continue }
                beats.add(try message.header["Sequence"])
                try await client.reply(to: packet, with: HeartbeatReply(popularity: 1))
            }
        }
        var conventions = SessionConventions<GoimProtocol>()
        conventions.heartbeat(
            HeartbeatPolicy(interval: .milliseconds(20), timeout: .seconds(500)), answeredBy: HeartbeatReply.self
        ) { Heartbeat(body: "") }
        let session = try server.session(conventions: conventions)
        try await session.waitUntilReady()
        await MainActor.run { beats.block(until: 10) }
        #expect(await beats.first(3) == [1, 2, 3])
        #expect(try await eventually { await session.roundTrips.count > 0 })
        let roundTrips = await session.roundTrips
        #expect(roundTrips.minimum > .zero && roundTrips.minimum <= roundTrips.smoothed * 2)
        session.end()
        for try await message in session.messages { Issue.record("\(message)") }
        await server.shutDown()
    }

    @Test func `a server that falls silent is given up for another connection`() async throws {
        let server = try await GoimServer.start { client in
            // Reads on and says nothing.
            while try await client.nextPacket() != nil {}
        }
        var conventions = SessionConventions<GoimProtocol>()
        conventions.heartbeat(
            HeartbeatPolicy(interval: .milliseconds(10), timeout: .milliseconds(50)), answeredBy: HeartbeatReply.self
        ) { Heartbeat(body: "") }
        let session = try server.session(conventions: conventions)
        var causes: [DisconnectCause] = []
        for await state in session.states {
            guard case .waiting(_, let cause) = state else { continue }
            causes.append(cause)
            if causes.count == 3 { session.end() }
        }
        #expect(causes.prefix(3) == [.silent, .silent, .silent])
        await server.shutDown()
    }

    @Test func `a server that says why it ends the connection is believed`() async throws {
        let server = try await GoimServer.start { client in
            try await client.send(Notification(body: "you have logged in elsewhere"))
            while try await client.nextPacket() != nil {}
        }
        var conventions = SessionConventions<GoimProtocol>()
        let notice = KickNotice(reason: 4, advice: .stop)
        conventions.end(Notification.self) { $0.body.contains("elsewhere") ? notice : nil }
        let session = try server.session(conventions: conventions)
        // The message itself says more than its number.
        var bodies: [String] = []
        await #expect(throws: ConnectionError.sessionEnded(.stopped(.kicked(notice)))) {
            for try await message in session.messages {
                guard case .message(let notification as Notification, _) = message else { continue }
                bodies.append(notification.body)
            }
        }
        #expect(bodies == ["you have logged in elsewhere"])
        await server.shutDown()
    }

    @Test func `a server that refuses a login with a reason is believed too`() async throws {
        let server = try await GoimServer.start { client in
            _ = try await client.nextPacket()
            try await client.send(Notification(body: "full"))
        }
        var conventions = SessionConventions<GoimProtocol>()
        let notice = KickNotice(reason: 9, advice: .stop)
        conventions.end(Notification.self) { _ in notice }
        let session = try server.session(conventions: conventions) { login in
            _ = try await login.client.request(Authentication(body: ""))
        }
        await #expect(throws: ConnectionError.sessionEnded(.stopped(.kicked(notice)))) {
            try await session.waitUntilReady()
        }
        await server.shutDown()
    }

    @Test func `a question of the server's is answered on the loop, with its sequence`() async throws {
        let answers = Seen<Int128?>()
        let server = try await GoimServer.start { client in
            try await client.send(Notification(body: "are you there?"), header: ["Sequence": 77])
            for try await message in client.messages { answers.add(try message.header["Sequence"]) }
        }
        var conventions = SessionConventions<GoimProtocol>()
        conventions.answer(Notification.self) { Heartbeat(body: $0.body) }
        let session = try server.session(conventions: conventions)
        await MainActor.run { answers.block(until: 1) }
        #expect(await answers.first(1) == [77])
        session.end()
        await server.shutDown()
    }

    @Test func `an acknowledgement confirms what was sent, also at login`() async throws {
        let seen = Seen<String>()
        let server = try await GoimServer.start { client in
            let isFirst = seen.count == 0
            for try await message in client.messages {
                guard case .message(let room as ChangeRoom, _) = message else { continue }
                seen.add(room.room)
                if isFirst, room.room == "b" { return }
                if !isFirst { try await client.send(Notification(body: "\(try message.header["Sequence"] ?? 0)")) }
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

    @Test func `what nobody reads holds the server up, loses nothing, and is no silence`() async throws {
        // More than the system's buffers take.
        let count = 1_500
        let body = String(repeating: "x", count: 16_384)
        let beats = Seen<UInt64>()
        let connections = Seen<Void>()
        let sent = Seen<Int>()
        let server = try await GoimServer.start { client in
            connections.add(())
            let connection = connections.count
            async let reading: Void = { while let packet = try await client.nextPacket() { beats.add(packet.id) } }()
            for number in 0..<count {
                try await client.send(Notification(body: "\(connection).\(number) \(body)"))
                sent.add(number)
            }
            try await reading
        }
        var configuration = PacketSessionConfiguration.patient
        configuration.client.limits.unreadByteCount = 4_096
        var conventions = SessionConventions<GoimProtocol>()
        // No answer ever comes: the session must not mind, for it reads nothing.
        conventions.heartbeat(
            HeartbeatPolicy(interval: .milliseconds(250), timeout: .seconds(15)), answeredBy: HeartbeatReply.self
        ) { Heartbeat(body: "") }
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, on: EventLoopGroup(threadCount: 1),
            configuration: configuration, conventions: conventions
        ) { login in
            // From here on there is always something to read.
            _ = await sent.first(8)
            let first = try await login.client.nextPacket()
            #expect(first != nil)
        }
        // More than the timeout passes, and nobody reads.
        #expect(Set(await beats.first(65)) == [Heartbeat.messageID])
        #expect(connections.count == 1)
        var next = 1
        for try await message in session.messages {
            guard case .message(let notification as Notification, _) = message else { continue }
            // While it is read, a machine that is busy with other things may keep the server silent.
            guard notification.body.hasPrefix("1.") else { break }
            #expect(notification.body == "1.\(next) \(body)")
            next += 1
            if next == count { break }
        }
        #expect(next == count || connections.count > 1)
        session.end()
        await server.shutDown()
    }

    @Test func `what an older connection has brought is read first`() async throws {
        let body = String(repeating: "x", count: 16_384)
        let connections = Seen<Int>()
        let server = try await GoimServer.start { client in
            connections.add(connections.count)
            let connection = connections.count
            for number in 0..<20 { try await client.send(Notification(body: "\(connection).\(number) \(body)")) }
            if connection > 1 { while try await client.nextPacket() != nil {} }
        }
        var configuration = PacketSessionConfiguration.patient
        configuration.client.limits.unreadByteCount = 4 * body.utf8.count
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: configuration)
        _ = await connections.first(1)
        try await session.waitUntilReady()
        var received: [String] = []
        for try await message in session.messages {
            guard case .message(let notification as Notification, _) = message else { continue }
            received.append(String(notification.body.prefix { $0 != " " }))
            if received.count == 40 { break }
        }
        #expect(received == (1...2).flatMap { connection in (0..<20).map { "\(connection).\($0)" } })
        session.end()
        await server.shutDown()
    }

    @Test func `where the oldest may be dropped, nobody needs to read for requests to be answered`() async throws {
        let body = String(repeating: "x", count: 16_384)
        let server = try await GoimServer.start { client in
            for try await packet in client.packets {
                for _ in 0..<10 { try await client.send(Notification(body: body)) }
                try await client.reply(to: packet, with: ChangeRoomReply())
            }
        }
        var configuration = PacketSessionConfiguration.patient
        configuration.client.limits.unreadByteCount = body.utf8.count
        configuration.client.requestTimeout = .milliseconds(100)
        let holding = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: configuration)
        // The reply stands behind what nobody reads, and the error says so once that has arrived.
        var byteCount: Int?
        while byteCount == nil {
            do throws(ConnectionError) {
                _ = try await holding.request(ChangeRoom(room: "1"))
                Issue.record("it was answered")
            } catch {
                if case .unanswered(let unreadByteCount) = error { byteCount = unreadByteCount }
            }
        }
        #expect(byteCount ?? 0 > body.utf8.count)
        configuration.dropsOldestUnread = true
        configuration.client.requestTimeout = .seconds(500)
        let dropping = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: configuration)
        for number in 0..<5 { _ = try await dropping.request(ChangeRoom(room: "\(number)")) }
        holding.end()
        dropping.end()
        await server.shutDown()
    }

    @Test func `a connection that takes no more is given no more, and the next one gets the rest`() async throws {
        let count = 1_500
        let body = String(repeating: "x", count: 16_384)
        let mayRead = Gate()
        /// What each connection has brought.
        let numbers = Lock<[[Int]]>([])
        let connections = Seen<Void>()
        let ended = Seen<Void>()
        let server = try await GoimServer.start { client in
            connections.add(())
            defer { ended.add(()) }
            let number = connections.count - 1
            numbers.withLock { $0.append([]) }
            // The client gives the first connection up, with some of a message on the way.
            if connections.count == 1 { await mayRead.wait() }
            for try await message in client.messages {
                guard case .message(let room as ChangeRoom, _) = message else { continue }
                numbers.withLock { $0[number].append(Int(room.room.prefix { $0 != " " }) ?? -1) }
            }
        }
        var configuration = PacketSessionConfiguration.patient
        configuration.outbound = OutboundLimits(byteCount: 64 << 20, messageCount: 2 * count)
        // The second connection, whose server reads on, must not meet it, however busy the machine is.
        configuration.client.limits.writeTimeout = .seconds(5)
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: configuration)
        var sent: [SentMessage] = []
        for number in 0..<count { sent.append(try await session.send(ChangeRoom(room: "\(number) \(body)"))) }
        for message in sent { #expect(try await message.outcome() == .given) }
        mayRead.open()
        session.end()
        _ = await ended.first(2)
        await server.shutDown(within: .seconds(500))
        var next = 0
        for run in numbers.withLock({ $0 }).filter({ !$0.isEmpty }) {
            #expect(run == Array(run[0]..<run[0] + run.count))
            // What waited in the connection before is lost: as much as may wait, and the message that goes beyond it.
            #expect(run[0] >= next && run[0] - next <= 64 / 16 + 2)
            next = run[0] + run.count
        }
        #expect(next == count)
    }

    @Test func `a session that is never quiet asks all the same where an answer is needed`() async throws {
        let server = try await GoimServer.start { client in
            // Each answer brings the next question.
            try await client.send(Notification(body: ""))
            for try await message in client.messages {
                switch message {
                case .message(is Heartbeat, let packet):
                    try await client.reply(to: packet, with: HeartbeatReply(popularity: 1))
                case .message(is Subscribe, _): try await client.send(Notification(body: ""))
                default: break
                }
            }
        }
        var conventions = SessionConventions<GoimProtocol>()
        conventions.heartbeat(
            HeartbeatPolicy(interval: .milliseconds(500), timeout: .seconds(500), rhythm: .whenQuiet),
            answeredBy: HeartbeatReply.self
        ) { Heartbeat(body: "") }
        conventions.answer(Notification.self) { _ in Subscribe(operations: "") }
        let session = try server.session(conventions: conventions)
        let sent = try await session.send(ChangeRoom(room: "1"), delivery: .exactlyOnce)
        #expect(try await sent.outcome() == .confirmed)
        session.end()
        await server.shutDown()
    }

    @Test func `a server that asks and asks gets every answer, in order`() async throws {
        // As much as the system takes in one direction while nothing is read from the other.
        let count = 2_000
        let body = String(repeating: "x", count: 1_024)
        let answers = Seen<Int128?>()
        let server = try await GoimServer.start { client in
            for number in 1...count {
                try await client.send(Notification(body: body), header: ["Sequence": Int128(number)])
            }
            for try await message in client.messages { answers.add(try message.header["Sequence"]) }
        }
        var conventions = SessionConventions<GoimProtocol>()
        conventions.answer(Notification.self) { Heartbeat(body: $0.body) }
        let session = try server.session(conventions: conventions)
        #expect(await answers.first(count) == (1...count).map { Int128($0) })
        session.end()
        await server.shutDown()
    }

    @Test func `waiting for an outcome ends with the task, and the message goes its way`() async throws {
        let mayLogIn = Gate()
        let seen = Seen<String>()
        let server = try await SceneServer.start { client in
            for try await message in client.messages {
                if case .message(let enter as Cs_20001, _) = message { seen.add(enter.message) }
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

    @Test func `a reply that comes after the login has given up is nobody's`() async throws {
        let mayReply = Gate()
        let server = try await SceneServer.start { client in
            var isFirst = true
            for try await message in client.messages {
                guard case .message(let enter as Cs_20001, _) = message else { continue }
                if isFirst { await mayReply.wait() }
                isFirst = false
                try await client.send(Sc_20001.entered(enter))
            }
        }
        let session = try server.session { login in
            await #expect(throws: ConnectionError.unanswered(unreadByteCount: 0)) {
                _ = try await login.client.request(
                    Cs_20001(sceneID: 1, line: 1, message: "login"), timeout: .milliseconds(1))
            }
        }
        async let reply = session.request(Cs_20001(sceneID: 1, line: 1, message: "session"))
        try await session.waitUntilReady()
        mayReply.open()
        #expect(try await reply.message == "session")
        var iterator = session.messages.makeAsyncIterator()
        let late = try await iterator.next()?.packet.decode(Sc_20001.self)
        #expect(late?.message == "login")
        await server.shutDown()
    }

    @Test func `a session that nobody holds ends its connection, once what was sent has left`() async throws {
        let seen = Seen<String>()
        let server = try await SceneServer.start { client in
            for try await message in client.messages {
                if case .message(let enter as Cs_20001, _) = message { seen.add(enter.message) }
            }
            seen.add("end")
        }
        do {
            let session = try server.session()
            try await session.waitUntilReady()
            try await session.send(Cs_20001(sceneID: 1, line: 1, message: "last"))
        }
        #expect(await seen.first(2) == ["last", "end"])
        await server.shutDown()
    }

    @Test func `draining waits for the outcome of every message`() async throws {
        let mayReply = Gate()
        let server = try await GoimServer.start { client in
            for try await packet in client.packets {
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

    @Test func `a request that its task gives up is forgotten, and its late reply is nobody's`() async throws {
        let mayReply = Gate()
        let seen = Seen<Bool>()
        let server = try await GoimServer.start { client in
            for try await packet in client.packets {
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
        for try await message in session.messages {
            guard case .message(let notification as Notification, _) = message else {
                Issue.record("\(message)")
                break
            }
            #expect(notification.body == "after")
            break
        }
        await server.shutDown()
    }

    @Test func `whoever iterates can be cancelled, and somebody else goes on`() async throws {
        let maySend = Gate()
        let server = try await GoimServer.start { client in
            await maySend.wait()
            try await client.send(Notification(body: "for the second"))
            while try await client.nextPacket() != nil {}
        }
        let session = try server.session()
        let task = Task { for try await _ in session.messages { Issue.record("nothing was sent") } }
        task.cancel()
        await #expect(throws: ConnectionError.cancelled) { try await task.value }
        maySend.open()
        var iterator = session.messages.makeAsyncIterator()
        #expect(try await iterator.next()?.packet.id == Notification.messageID)
        await server.shutDown()
    }

    @Test func `more than may wait is refused with the limit's name`() async throws {
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

    @Test func `a server that restarts on its port finds its clients again`() async throws {
        // At an address of its own, where nobody else gets the port in between.
        let host = "127.0.0.7"
        let first = try await SceneServer.start(at: host) { client in
            for try await message in client.messages {
                guard case .message(let enter as Cs_20001, _) = message else { continue }
                try await client.send(Sc_20001.entered(enter))
            }
        }
        let session = try first.session()
        #expect(try await session.request(Cs_20001(sceneID: 1, line: 1, message: "first")).message == "first")
        await first.shutDown()
        async let reply = session.request(
            Cs_20001(sceneID: 2, line: 2, message: "second"), delivery: .atLeastOnce, timeout: .seconds(500))
        let second = try await PacketServer.start(
            at: host, port: first.address.port, protocol: SceneProtocol.self, configuration: .patient
        ) { client in
            for try await message in client.messages {
                guard case .message(let enter as Cs_20001, _) = message else { continue }
                try await client.send(Sc_20001.entered(enter))
            }
        }
        session.hurry()
        #expect(try await reply.message == "second")
        session.end()
        await second.shutDown()
    }
}

extension PacketSessionConfiguration {
    /// For machines that do many other things at the same time: what has ended is tried again at once, and for long.
    static let patient = PacketSessionConfiguration(
        client: .patient,
        reconnect: ReconnectPolicy(baseDelay: .milliseconds(1), maximumDelay: .milliseconds(50), retryLimit: nil),
        loginTimeout: .seconds(500))
}

extension ServerEndpoint {
    /// Where nobody listens: the tests' servers have other addresses, and may get any port.
    static let nobody = ServerEndpoint("127.0.0.3", port: 1)
}

extension PacketServer {
    var endpoint: ServerEndpoint { ServerEndpoint(address.ipAddress, port: address.port) }

    func session(
        conventions: SessionConventions<Definition> = SessionConventions(),
        login: (@Sendable (SessionLogin<Definition>) async throws -> Void)? = nil
    ) throws -> PacketSession<Definition> {
        try PacketSession.start(
            to: [endpoint], protocol: Definition.self, configuration: .patient, conventions: conventions, login: login)
    }
}
