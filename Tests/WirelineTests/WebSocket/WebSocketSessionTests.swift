// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// A WebSocket client that comes back, against servers that close, refuse, fall silent and restart.
@Suite(.ahead, .timeLimit(.minutes(300)))
struct WebSocketSessionTests {
    // MARK: Coming back

    @Test func `each connection is logged in on before anything that waited leaves`() async throws {
        let seen = Seen<String>()
        let server = try await WebSocketServer.serving { client in
            while case .text(let text)? = try await client.receive() {
                seen.add(text)
                if text.hasPrefix("login") { try await client.send("welcome") }
                if text == "go" { return }
            }
        }
        let session = try server.session { login in
            try await login.client.send("login \(login.number)")
            #expect(try await login.client.receive() == .text("welcome"))
        }
        try await session.send("one")
        try await session.send("go")
        #expect(await seen.first(4) == ["login 1", "one", "go", "login 2"])
        try await session.send("two")
        #expect(await seen.first(5).last == "two")
        session.end()
        // What the hook has received is nobody else's.
        for try await message in session.messages { Issue.record("\(message)") }
        await server.shutDown()
    }

    @Test func `a server that restarts finds its clients again, and what was sent meanwhile comes in order`()
        async throws
    {
        // At an address of its own, where nobody else gets the port in between.
        let host = "127.0.0.18"
        let first = try await WebSocketServer.remembering(at: host)
        let session = try first.server.session()
        try await session.send("before")
        #expect(await first.seen.first(1) == ["before"])
        let port = first.server.address.port
        await first.server.shutDown()
        // Not before the session knows that there is no connection: what it gives to one that ends may be lost.
        for await state in session.states {
            if case .waiting = state { break }
            if case .connecting = state { break }
        }
        for number in 0..<100 { try await session.send("\(number)") }
        let second = try await WebSocketServer.remembering(at: host, port: port)
        session.hurry()
        #expect(await second.seen.first(100) == (0..<100).map { "\($0)" })
        #expect(first.seen.count == 1)
        session.end()
        await second.server.shutDown()
    }

    @Test func `messages of both kinds come from one connection after another`() async throws {
        let connections = Seen<Void>()
        let server = try await WebSocketServer.serving { client in
            connections.add(())
            let number = connections.count
            try await client.send("\(number)")
            try await client.send([UInt8(number)])
            if number == 3 { while try await client.receive() != nil {} }
        }
        let session = try server.session()
        var received: [WebSocketMessage] = []
        for try await message in session.messages {
            received.append(message)
            if received.count == 6 { session.end() }
        }
        #expect(received == (1...3).flatMap { [.text("\($0)"), .binary([$0])] })
        let counters = await session.counters()
        #expect(counters.receivedPacketCount == 6)
        #expect(counters.unreadByteCount == 0)
        await server.shutDown()
    }

    @Test func `an address where nobody listens, or without a WebSocket, is passed over at once`() async throws {
        let server = try await WebSocketServer.start(
            at: "127.0.0.1", port: 0, on: EventLoopGroup(threadCount: 1), configuration: .patient
        ) { request in
            request.path == "/" ? .accept() : .refuse(status: 404)
        } handler: { client in
            while try await client.receive() != nil {}
        }
        let urls = try [
            WebSocketURL("ws://\(ServerEndpoint.nobody.host):1/"), WebSocketURL(server.url("/nowhere")),
            WebSocketURL(server.url()),
        ]
        let group = try EventLoopGroup(threadCount: 1)
        // In one turn of its loop: nothing has happened yet.
        let (session, seen) = try await group.loops[0].run { () throws(any Error) in
            let session = try WebSocketSession.start(to: urls, on: group, configuration: .patient())
            return (session, session.states)
        }
        var states: [SessionState] = []
        for await state in seen {
            states.append(state)
            if state == .ready { break }
        }
        #expect(
            states == [
                .connecting(endpoint: 0, attempt: 1), .connecting(endpoint: 1, attempt: 2),
                .connecting(endpoint: 2, attempt: 3), .loggingIn, .ready,
            ])
        session.end()
        await server.shutDown()
    }

    // MARK: What is promised

    @Test func `of messages of which the latest counts, the newest leaves, and again on the next connection`()
        async throws
    {
        let seen = Seen<String>()
        let mayLogIn = Gate()
        let mayEnd = Gate()
        let server = try await WebSocketServer.serving { client in
            while case .text(let text)? = try await client.receive() {
                seen.add(text)
                if text == "go" { return }
                if text == "last" { await mayEnd.wait() }
            }
        }
        let session = try server.session { _ in await mayLogIn.wait() }
        var sent: [SentMessage] = []
        for number in 1...5 { sent.append(try await session.send("a\(number)", delivery: .latest(of: "a"))) }
        let other = try await session.send("b1", delivery: .latest(of: "b"))
        try await session.send("once")
        mayLogIn.open()
        #expect(await seen.first(3) == ["a5", "b1", "once"])
        #expect(try await sent[0].outcome() == .replaced)
        #expect(try await sent[4].outcome() == .given)
        other.cancel()
        // The next connection gets those that count, in front of what comes later.
        try await session.send("go")
        #expect(await seen.first(5).suffix(2) == ["go", "a5"])
        try await session.send("last")
        #expect(await seen.first(6).last == "last")
        session.end()
        mayEnd.open()
        await server.shutDown()
    }

    @Test func `what is only for a connection is refused without one, and what comes too late is dropped`() async throws
    {
        let mayLogIn = Gate()
        let first = try await WebSocketServer.remembering()
        let session = try first.server.session { _ in await mayLogIn.wait() }
        await #expect(throws: ConnectionError.session(.notConnected)) {
            try await session.send("now", delivery: .whileConnected)
        }
        let late = try await session.send("late", timeToLive: .milliseconds(1))
        #expect(try await late.outcome() == .failed(.expired(mayHaveArrived: false)))
        let given = try await session.send("given up")
        given.cancel()
        #expect(try await given.outcome() == .failed(.cancelled(mayHaveArrived: false)))
        mayLogIn.open()
        try await session.waitUntilReady()
        #expect(try await session.send("now", delivery: .whileConnected).outcome() == .given)
        #expect(await first.seen.first(1) == ["now"])
        session.end()
        await first.server.shutDown()
    }

    @Test func `more than may wait is refused with the limit's name`() async throws {
        let mayLogIn = Gate()
        let first = try await WebSocketServer.remembering()
        let session = try first.server.session(
            .patient { $0.outbound = OutboundLimits(byteCount: 100, messageCount: 2) }
        ) { _ in await mayLogIn.wait() }
        await #expect(throws: ConnectionError.session(.tooManyBytes(limit: 100))) {
            try await session.send([UInt8](repeating: 0, count: 87))
        }
        try await session.send([UInt8](repeating: 0, count: 58))
        try await session.send("")
        await #expect(throws: ConnectionError.session(.tooManyMessages(limit: 2))) { try await session.send("") }
        mayLogIn.open()
        session.end()
        await first.server.shutDown()
    }

    @Test func `waiting for an outcome ends with the task, and the message goes its way`() async throws {
        let mayLogIn = Gate()
        let first = try await WebSocketServer.remembering()
        let session = try first.server.session { _ in await mayLogIn.wait() }
        let sent = try await session.send("all the same")
        let waiting = Task { try await sent.outcome() }
        waiting.cancel()
        await #expect(throws: ConnectionError.cancelled) { _ = try await waiting.value }
        mayLogIn.open()
        #expect(await first.seen.first(1) == ["all the same"])
        session.end()
        await first.server.shutDown()
    }

    @Test func `a connection that takes no more is given no more, and the next gets the rest in order`() async throws {
        let count = 1_500
        let body = String(repeating: "x", count: 16_384)
        let mayRead = Gate()
        /// What each connection has brought.
        let numbers = Lock<[[Int]]>([])
        let ended = Seen<Void>()
        let server = try await WebSocketServer.serving { client in
            defer { ended.add(()) }
            let number = numbers.withLock { numbers in
                numbers.append([])
                return numbers.count - 1
            }
            // The client gives the first connection up, with some of a message on the way.
            if number == 0 { await mayRead.wait() }
            while case .text(let text)? = try await client.receive() {
                numbers.withLock { $0[number].append(Int(text.prefix { $0 != " " }) ?? -1) }
            }
        }
        let session = try server.session(
            .patient {
                $0.outbound = OutboundLimits(byteCount: 64 << 20, messageCount: 2 * count)
                // The second connection, whose server reads on, must not meet it, however busy the machine is.
                $0.client.limits.writeTimeout = .seconds(5)
            })
        var sent: [SentMessage] = []
        for number in 0..<count { sent.append(try await session.send("\(number) \(body)")) }
        for message in sent { #expect(try await message.outcome() == .given) }
        mayRead.open()
        session.end()
        _ = await ended.first(2)
        await server.shutDown(within: .seconds(500))
        var next = 0
        for run in numbers.withLock({ $0 }).filter({ !$0.isEmpty }) {
            #expect(run == Array(run[0]..<run[0] + run.count))
            // What waited in the connection before is lost: as much as may wait, and the message that goes beyond it.
            #expect(run[0] >= next && run[0] - next <= 128 / 16 + 2)
            next = run[0] + run.count
        }
        #expect(next == count)
    }

    // MARK: What arrives

    @Test func `what nobody reads holds the server up, and loses nothing`() async throws {
        // More than the system's buffers take.
        let count = 1_500
        let body = String(repeating: "x", count: 16_384)
        let server = try await WebSocketServer.serving { client in
            for number in 0..<count { try await client.send("\(number) \(body)") }
            while try await client.receive() != nil {}
        }
        let limit = 256 << 10
        let session = try server.session(.patient { $0.client.limits.unreadByteCount = limit })
        let isHeldUp = try await eventually {
            let traffic = await server.counters().traffic
            let unreadByteCount = await session.counters().unreadByteCount
            return traffic.waitingSenderCount == 1 && unreadByteCount >= limit
        }
        #expect(isHeldUp)
        let unread = await session.counters().unreadByteCount
        // The session's limit, that of the connection, what one read has brought, and a message beyond each.
        #expect(unread <= limit + (64 + 128) << 10 + 2 * body.utf8.count, "\(unread)")
        var next = 0
        for try await message in session.messages {
            #expect(message == .text("\(next) \(body)"))
            next += 1
            if next == count { break }
        }
        session.end()
        await server.shutDown()
    }

    @Test(arguments: [1, 4, 20])
    func `what an older connection has brought is read first`(messageLimit: Int) async throws {
        let body = String(repeating: "x", count: 16_384)
        let connections = Seen<Void>()
        let server = try await WebSocketServer.serving { client in
            connections.add(())
            let number = connections.count
            for place in 0..<20 { try await client.send("\(number).\(place) \(body)") }
            if number > 1 { while try await client.receive() != nil {} }
        }
        let session = try server.session(.patient { $0.client.limits.unreadByteCount = messageLimit * body.utf8.count })
        // Where there is room for all that it brings, the first one's end is known before anybody reads.
        _ = await connections.first(messageLimit < 20 ? 1 : 2)
        var received: [String] = []
        for try await message in session.messages {
            guard case .text(let text) = message else { continue }
            received.append(String(text.prefix { $0 != " " }))
            if received.count == 40 { break }
        }
        #expect(received == (1...2).flatMap { connection in (0..<20).map { "\(connection).\($0)" } })
        session.end()
        await server.shutDown()
    }

    @Test(arguments: [Relay.Ending.end, .reset])
    func `wherever its server's bytes end, each message that was whole is there, once and in order`(
        ending: Relay.Ending
    ) async throws {
        let connections = Seen<Void>()
        let server = try await WebSocketServer.serving { client in
            connections.add(())
            // Frames of four bytes.
            for place in 0..<4 as Range<UInt8> {
                try await client.send([UInt8(truncatingIfNeeded: connections.count), place])
            }
            while try await client.receive() != nil {}
        }
        let relay = try Relay(to: server.address.port)
        let url = try WebSocketURL("ws://127.0.0.1:\(relay.port)/")
        #expect(try await Self.places(from: url) == [0, 1, 2, 3])
        let recording = try #require(relay.recordings.first).fromServer
        let answerEnd = try #require(recording.firstRange(of: Array("\r\n\r\n".utf8))).upperBound
        for byteCount in 0...answerEnd + 4 * 4 {
            relay.begin(cut: Relay.Cut(behind: byteCount, ending))
            let places = try await Self.places(from: url)
            // The last connection has brought all, the one before it what was whole; a reset overtakes what was sent.
            let whole = [UInt8](0..<UInt8(max(0, byteCount - answerEnd) / 4))
            if ending == .end, whole.count < 4 {
                #expect(places == whole + [0, 1, 2, 3], "\(byteCount)")
            } else {
                #expect(places.suffix(4) == [0, 1, 2, 3] && whole.starts(with: places.dropLast(4)), "\(byteCount)")
            }
        }
        relay.stop()
        await server.shutDown()
    }
}

extension WebSocketSessionTests {
    /// The last bytes of the messages that come, up to the first that is 3.
    private static func places(from url: WebSocketURL) async throws -> [UInt8] {
        let session = try WebSocketSession.start(to: [url], configuration: .patient())
        var places: [UInt8] = []
        for try await message in session.messages {
            guard case .binary(let content) = message, let place = content.last else { continue }
            places.append(place)
            if place == 3 { break }
        }
        session.end()
        return places
    }
}

extension WebSocketSessionConfiguration {
    /// For machines that do many other things at the same time: what has ended is tried again at once, and for long.
    static func patient(_ change: (inout WebSocketSessionConfiguration) -> Void = { _ in }) -> Self {
        var configuration = WebSocketSessionConfiguration(
            client: .patient,
            reconnect: ReconnectPolicy(baseDelay: .milliseconds(1), maximumDelay: .milliseconds(50), retryLimit: nil),
            loginTimeout: .seconds(500))
        change(&configuration)
        return configuration
    }
}

extension WebSocketServer {
    /// A server that writes down the texts that come.
    static func remembering(
        at host: String = "127.0.0.1", port: UInt16 = 0
    ) async throws -> (server: WebSocketServer, seen: Seen<String>) {
        let seen = Seen<String>()
        let server = try await start(
            at: host, port: port, on: ConnectionPair.group.get(), configuration: .patient
        ) { client in
            while case .text(let text)? = try await client.receive() { seen.add(text) }
        }
        return (server, seen)
    }

    func session(
        _ target: String = "/", _ configuration: WebSocketSessionConfiguration = .patient(),
        login: (@Sendable (WebSocketSessionLogin) async throws -> Void)? = nil
    ) throws -> WebSocketSession {
        let url = try WebSocketURL("ws://\(address.ipAddress):\(address.port)\(target)")
        return try WebSocketSession.start(to: [url], configuration: configuration, login: login)
    }

    func session(
        _ configuration: WebSocketSessionConfiguration,
        login: (@Sendable (WebSocketSessionLogin) async throws -> Void)? = nil
    ) throws -> WebSocketSession {
        try session("/", configuration, login: login)
    }
}
