// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport
import Wireline
import WirelineWebSocket

/// What ends the connections of a WebSocket session, and the session itself.
@Suite(.ahead)
struct WebSocketSessionEndTests {
    // MARK: Refusals and closes

    @Test(
        .enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)),
        arguments: [(401, false), (403, false), (401, true), (301, true), (308, true)])
    func `a refusal that would repeat ends the session`(status: Int, overTLS: Bool) async throws {
        let tls = try LocalTLS.contexts.get()
        let server = try await WebSocketServer.start(
            at: "127.0.0.1", port: 0, on: EventLoopGroup(threadCount: 1),
            configuration: .patient { $0.listening.tls = overTLS ? tls.server : nil }
        ) { _ in
            .refuse(status: status, headers: ["Location": "ws://127.0.0.1/elsewhere"])
        } handler: { _ in
        }
        let session = try WebSocketSession.start(
            to: [WebSocketURL(server.url(isSecure: overTLS))],
            configuration: .patient { if overTLS { $0.client.dialing.tls = tls.client } })
        let error = await #expect(throws: ConnectionError.self) { try await session.waitUntilReady() }
        guard case .sessionEnded(.stopped(let cause)) = error else { throw ConnectionError.endedBeforeReply }
        if case .misconfigured(let text) = cause {
            #expect([301, 308].contains(status) && text.contains("\(status)"))
        } else {
            #expect(cause == .refusedByHTTP(status: status))
        }
        await #expect(throws: ConnectionError.sessionEnded(.stopped(cause))) {
            for try await _ in session.messages {}
        }
        await #expect(throws: ConnectionError.session(.ended(mayHaveArrived: false))) {
            try await session.send("too late")
        }
        await server.shutDown()
    }

    @Test func `any other refusal is retried, as often as the policy says`() async throws {
        let attempts = Seen<Int>()
        let server = try await WebSocketServer.start(
            at: "127.0.0.1", port: 0, on: EventLoopGroup(threadCount: 1), configuration: .patient
        ) { _ in
            attempts.add(attempts.count)
            // Without TLS a captive portal may redirect.
            return .refuse(status: [404, 301, 503, 308][attempts.count % 4])
        } handler: { _ in
        }
        let session = try server.session(
            .patient { $0.reconnect = ReconnectPolicy(baseDelay: .milliseconds(1), retryLimit: 4) })
        await #expect(throws: ConnectionError.sessionEnded(.outOfRetries(last: .refusedByHTTP(status: 301)))) {
            try await session.waitUntilReady()
        }
        #expect(attempts.count == 5)
        await server.shutDown()
    }

    @Test(arguments: [429, 503])
    func `a session waits as long as the server's Retry-After says`(status: Int) async throws {
        let attempts = Seen<ContinuousClock.Instant>()
        // Until the test watches the session, the server refuses: the test must see that it waits.
        let isWatched = Gate()
        let server = try await WebSocketServer.start(
            at: "127.0.0.1", port: 0, on: EventLoopGroup(threadCount: 1), configuration: .patient
        ) { _ in
            attempts.add(.now)
            return attempts.count == 1 || !isWatched.isOpen
                ? .refuse(status: status, headers: ["Retry-After": "1"]) : .accept()
        } handler: { client in
            while try await client.receive() != nil {}
        }
        let session = try server.session()
        let states = session.states
        isWatched.open()
        // A call of `hurry()` does not shorten it.
        for await state in states {
            guard case .waiting(_, let cause) = state else { continue }
            #expect(cause == .kicked(KickNotice(reason: UInt64(status), advice: .wait(atLeast: .seconds(1)))))
            session.hurry()
            break
        }
        try await session.waitUntilReady()
        let times = await attempts.first(attempts.count)
        #expect(times.count >= 2 && zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= .seconds(1) })
        session.end()
        await server.shutDown()
    }

    @Test(
        arguments: [
            (
                503, ["Retry-After": "100000"],
                .kicked(KickNotice(reason: 503, advice: .wait(atLeast: .milliseconds(9))))
            ),
            (
                429, ["Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"],
                .kicked(KickNotice(reason: 429, advice: .wait(atLeast: .zero)))
            ),
            (503, ["Retry-After": "soon"], .refusedByHTTP(status: 503)),
            (500, ["Retry-After": "100000"], .refusedByHTTP(status: 500)),
        ] as [(Int, WebSocketHeaders, DisconnectCause)])
    func `no server delays the session for longer than the limit`(
        status: Int, headers: WebSocketHeaders, cause: DisconnectCause
    ) async throws {
        let attempts = Seen<Void>()
        let server = try await WebSocketServer.start(
            at: "127.0.0.1", port: 0, on: EventLoopGroup(threadCount: 1), configuration: .patient
        ) { _ in
            attempts.add(())
            return .refuse(status: status, headers: headers)
        } handler: { _ in
        }
        let session = try server.session(.patient { $0.retryAfterLimit = .milliseconds(9) })
        for await state in session.states {
            guard case .waiting(_, let waiting) = state else { continue }
            #expect(waiting == cause)
            break
        }
        _ = await attempts.first(2)
        session.end()
        await server.shutDown()
    }

    @Test func `an invalid header ends the session at once`() throws {
        let url = try WebSocketURL("ws://127.0.0.1:1/")
        #expect(throws: ConnectionError.webSocket(.invalidSubprotocol("a b"))) {
            try WebSocketSession.start(to: [url], configuration: .patient { $0.client.subprotocols = ["a b"] })
        }
    }

    @Test(arguments: [1_008, 4_001] as [UInt16])
    func `a close code that forbids reconnecting ends the session, also during login`(code: UInt16) async throws {
        let server = try await WebSocketServer.serving { client in
            try await client.send("why")
            if client.request.path == "/login" { _ = try await client.receive() }
            try await client.close(code: WebSocketCloseCode(rawValue: code), reason: "banned")
        }
        let configuration = WebSocketSessionConfiguration.patient {
            $0.advice = { close in
                #expect(close.reason == "banned")
                return close.code?.rawValue == 4_001 ? .stop : WebSocketSessionConfiguration.usualAdvice(close)
            }
        }
        let kicked = DisconnectCause.kicked(KickNotice(reason: UInt64(code), advice: .stop))
        let direct = try server.session(configuration)
        let loggingIn = try server.session("/login", configuration) { login in
            struct NotWelcome: Error {}
            try await login.client.send("me")
            while try await login.client.receive() != .text("welcome") {
                if await login.client.end != nil { throw NotWelcome() }
            }
        }
        var messages: [WebSocketMessage] = []
        await #expect(throws: ConnectionError.sessionEnded(.stopped(kicked))) {
            for try await message in direct.messages { messages.append(message) }
        }
        #expect(messages == [.text("why")])
        await #expect(throws: ConnectionError.sessionEnded(.stopped(kicked))) {
            try await loggingIn.waitUntilReady()
        }
        await server.shutDown()
    }

    @Test(
        arguments: [
            (1_000, DisconnectCause.endedByPeer), (1_001, .endedByPeer), (1_011, .endedByPeer), (4_001, .endedByPeer),
            (1_012, .kicked(KickNotice(reason: 1_012, advice: .wait(atLeast: .zero)))),
            (1_013, .kicked(KickNotice(reason: 1_013, advice: .wait(atLeast: .zero)))),
        ] as [(UInt16, DisconnectCause)])
    func `after any other close code the session reconnects after a delay`(
        code: UInt16, cause: DisconnectCause
    ) async throws {
        let connections = Seen<Void>()
        let server = try await WebSocketServer.serving { client in
            connections.add(())
            guard connections.count == 1 else {
                while try await client.receive() != nil {}
                return
            }
            _ = try await client.receive()
            try await client.close(code: WebSocketCloseCode(rawValue: code))
        }
        let session = try server.session()
        let states = session.states
        try await session.send("go")
        var causes: [DisconnectCause] = []
        for await state in states {
            if case .waiting(_, let cause) = state { causes.append(cause) }
            if state == .ready, !causes.isEmpty { session.end() }
        }
        #expect(causes == [cause])
        await server.shutDown()
    }

    @Test func `a refused login ends the session, a failed one is retried, and unread messages are kept`()
        async throws
    {
        let connections = Seen<Void>()
        let server = try await WebSocketServer.serving { client in
            connections.add(())
            try await client.send("news \(connections.count)")
            while try await client.receive() != nil {}
        }
        let session = try server.session { login in
            struct Unlucky: Error {}
            // The pong comes after the news.
            try await login.client.ping(timeout: .seconds(500))
            if login.number == 1 { throw Unlucky() }
            throw SessionLoginRefused("401")
        }
        var messages: [WebSocketMessage] = []
        await #expect(throws: ConnectionError.sessionEnded(.stopped(.loginRefused("401")))) {
            for try await message in session.messages { messages.append(message) }
        }
        #expect(messages == [.text("news 1"), .text("news 2")])
        await server.shutDown()
    }

    @Test func `a login that takes too long is closed with 1001, and retried`() async throws {
        let connections = Seen<Void>()
        let ends = Seen<WebSocketEnd>()
        let server = try await WebSocketServer.serving { client in
            // The session may connect again before the test ends it.
            let isFirst = connections.count == 0
            connections.add(())
            while try await client.receive() != nil {}
            let end = try await client.waitUntilEnd()
            if isFirst { ends.add(end) }
        }
        let session = try server.session(.patient { $0.loginTimeout = .milliseconds(20) }) { login in
            _ = try await login.client.receive()
        }
        for await state in session.states {
            guard case .waiting(_, let cause) = state else { continue }
            #expect(cause == .timedOut)
            session.end()
        }
        #expect(await ends.first(1)[0].received?.code == .goingAway)
        await server.shutDown()
    }

    // MARK: Liveness

    @Test func `a silent server is given up, and the session reconnects`() async throws {
        let socket = try RawSocket.listen()
        let url = try WebSocketURL("ws://127.0.0.1:\(socket.port())/")
        let accepting = Task {
            // The connections stay open, and nothing reads or answers.
            var peers: [RawSocket] = []
            for _ in 0..<3 { peers.append(try await onThread { try socket.acceptWebSocket() }) }
            return peers
        }
        let session = try WebSocketSession.start(
            to: [url],
            configuration: .patient {
                $0.client.limits.heartbeat = HeartbeatPolicy(interval: .milliseconds(10), timeout: .milliseconds(50))
            })
        let causes = await session.states.causes(3) { session.end() }
        #expect(causes.prefix(3) == [.silent, .silent, .silent])
        #expect(try await accepting.value.count == 3)
    }

    @Test func `a hurry finds a dead connection within seconds`() async throws {
        let socket = try RawSocket.listen()
        let url = try WebSocketURL("ws://127.0.0.1:\(socket.port())/")
        let accepting = Task { try await onThread { try socket.acceptWebSocket() } }
        let session = try WebSocketSession.start(
            to: [url],
            configuration: .patient {
                $0.client.limits.heartbeat = HeartbeatPolicy(
                    interval: .seconds(500), timeout: .seconds(500), probeTimeout: .milliseconds(20))
            })
        try await session.waitUntilReady()
        session.hurry()
        let causes = await session.states.causes(1) { session.end() }
        #expect(causes.first == .silent)
        _ = try await accepting.value
    }

    @Test func `pings are sent and answered while the main thread is blocked`() async throws {
        let first = try await WebSocketServer.remembering()
        let session = try first.server.session(
            .patient {
                $0.client.limits.heartbeat = HeartbeatPolicy(interval: .milliseconds(20), timeout: .seconds(500))
            })
        try await session.waitUntilReady()
        let answered = Seen<Void>()
        let watching = Task {
            let hasAnswers = try await eventually { await session.roundTrips.count >= 5 }
            if hasAnswers { answered.add(()) }
        }
        await MainActor.run { answered.block(until: 1) }
        try await watching.value
        let roundTrips = await session.roundTrips
        #expect(roundTrips.minimum > .zero && roundTrips.minimum <= roundTrips.smoothed * 2)
        session.end()
        _ = await session.drain()
        // The round trips of the last connection are still known.
        #expect(await session.roundTrips.count >= roundTrips.count)
        await first.server.shutDown()
    }

    // MARK: The end

    @Test func `a session that is ended closes with 1000 after its queued messages`() async throws {
        let seen = Seen<String>()
        let ends = Seen<WebSocketEnd>()
        let server = try await WebSocketServer.serving { client in
            while case .text(let text)? = try await client.receive() { seen.add(text) }
            ends.add(try await client.waitUntilEnd())
        }
        let session = try server.session()
        try await session.waitUntilReady()
        for number in 0..<100 { try await session.send("\(number)") }
        session.end()
        #expect(await seen.first(100) == (0..<100).map { "\($0)" })
        #expect(await ends.first(1)[0].received?.code == .normal)
        // A later reader sees the end.
        #expect(await session.states.reduce(into: []) { $0.append($1) } == [.ended(.byUs)])
        for try await message in session.messages { Issue.record("\(message)") }
        await server.shutDown()
    }

    @Test func `a session without references closes its connection after its output has left`() async throws {
        let seen = Seen<String>()
        let ends = Seen<WebSocketEnd>()
        let server = try await WebSocketServer.serving { client in
            while case .text(let text)? = try await client.receive() { seen.add(text) }
            ends.add(try await client.waitUntilEnd())
        }
        do {
            let session = try server.session()
            try await session.waitUntilReady()
            try await session.send("last")
        }
        #expect(await seen.first(1) == ["last"])
        #expect(await ends.first(1)[0].received?.code == .normal)
        await server.shutDown()
    }

    @Test func `draining waits until a connection has taken every message`() async throws {
        let mayLogIn = Gate()
        let first = try await WebSocketServer.remembering()
        let session = try first.server.session { _ in await mayLogIn.wait() }
        let sent = try await session.send("one")
        try await session.send("two", delivery: .latest(of: "state"))
        async let cause = session.drain(within: .seconds(500))
        while true {
            do throws(ConnectionError) { try await session.send("late", delivery: .latest(of: "late")) } catch { break }
        }
        mayLogIn.open()
        #expect(await cause == .byUs)
        #expect(try await sent.outcome() == .given)
        #expect(await first.seen.first(2) == ["one", "two"])
        await first.server.shutDown()
    }

    @Test func `draining that takes too long drops the queued messages`() async throws {
        let url = try WebSocketURL("ws://\(ServerEndpoint.nobody.host):1/")
        let session = try WebSocketSession.start(to: [url], configuration: .patient())
        let sent = try await session.send("never")
        #expect(await session.drain(within: .milliseconds(20)) == .byUs)
        #expect(try await sent.outcome() == .failed(.ended(mayHaveArrived: false)))
    }
}
