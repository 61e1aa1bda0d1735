// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// A WebSocket session: where it connects to, and what it does first.
@Suite(.ahead)
struct WebSocketSessionTests {
    @Test func `each connection logs in before any queued message leaves`() async throws {
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
        // Only the login hook gets what it has received.
        for try await message in session.messages { Issue.record("\(message)") }
        await server.shutDown()
    }

    // MARK: Headers of an attempt

    @Test func `each attempt has its own headers`() async throws {
        let requests = Seen<WebSocketHeaders>()
        let server = try await WebSocketServer.start(
            at: "127.0.0.1", port: 0, on: EventLoopGroup(threadCount: 1), configuration: .patient
        ) { request in
            requests.add(request.headers)
            return requests.count < 3 ? .refuse(status: 503) : .accept()
        } handler: { client in
            while try await client.receive() != nil {}
        }
        let asked = Seen<WebSocketURL>()
        let session = try server.session(
            .patient {
                $0.client.headers = ["X-Token": "none", "X-Kept": "kept"]
                $0.headers = { url in
                    asked.add(url)
                    await Task.yield()
                    return ["x-token": "\(asked.count)"]
                }
            })
        try await session.waitUntilReady()
        let seen = await requests.first(3)
        #expect(seen.map { $0.values(of: "X-Token") } == [["1"], ["2"], ["3"]])
        #expect(seen.map { $0["X-Kept"] } == ["kept", "kept", "kept"])
        #expect(asked.count == 3)
        #expect(await asked.first(1) == [try WebSocketURL(server.url())])
        session.end()
        await server.shutDown()
    }

    @Test func `failed headers are retried, and an invalid header or a refused login ends the session`() async throws {
        struct NoToken: Error {}
        let server = try await WebSocketServer.echo()
        let (asked, causes) = (Seen<Void>(), Seen<DisconnectCause>())
        // Not before the test watches the session.
        let mayFail = Gate()
        let session = try server.session(
            .patient {
                $0.headers = { _ in
                    asked.add(())
                    if asked.count == 1 {
                        await mayFail.wait()
                        throw NoToken()
                    }
                    return [:]
                }
            })
        let states = session.states
        mayFail.open()
        for await state in states {
            if case .waiting(_, let cause) = state { causes.add(cause) }
            if state == .ready { break }
        }
        #expect(await causes.first(1) == [.loginFailed("NoToken()")])
        #expect(asked.count == 2)
        session.end()
        let refused = try server.session(.patient { $0.headers = { _ in throw SessionLoginRefused() } })
        let refusal = DisconnectCause.loginRefused(SessionLoginRefused().description)
        await #expect(throws: ConnectionError.sessionEnded(.stopped(refusal))) {
            try await refused.waitUntilReady()
        }
        let invalid = try server.session(.patient { $0.headers = { _ in ["X": "a\r\nY: b"] } })
        let error = await #expect(throws: ConnectionError.self) { try await invalid.waitUntilReady() }
        guard case .sessionEnded(.stopped(.misconfigured(let text))) = error else { throw NoToken() }
        #expect(text.contains("X"))
        await server.shutDown()
    }

    @Test func `an attempt waits for its headers no longer than its timeout`() async throws {
        let server = try await WebSocketServer.echo()
        let (asked, cancelled, causes) = (Seen<Void>(), Seen<Void>(), Seen<DisconnectCause>())
        let isWatched = Gate()
        let session = try server.session(
            .patient {
                // The timeout under test; attempts that miss it because the machine is busy are repeated.
                $0.client.dialing.connectTimeout = .milliseconds(500)
                $0.headers = { _ in
                    asked.add(())
                    // The test must see one of them.
                    if asked.count == 1 || !isWatched.isOpen {
                        // No test waits that long; it ends when the task is cancelled.
                        try? await Task.sleep(for: .seconds(36_000))
                        if Task.isCancelled { cancelled.add(()) }
                    }
                    return [:]
                }
            })
        let states = session.states
        isWatched.open()
        for await state in states {
            if case .waiting(_, let cause) = state { causes.add(cause) }
            if state == .ready { break }
        }
        #expect(await causes.first(1) == [.timedOut])
        _ = await cancelled.first(1)
        session.end()
        await server.shutDown()
    }

    // MARK: Delivery

    @Test func `clients reconnect to a restarted server, and messages sent meanwhile arrive in order`() async throws {
        // At its own address, where no other test gets the port in between.
        let host = "127.0.0.18"
        let first = try await WebSocketServer.remembering(at: host)
        let session = try first.server.session()
        try await session.send("before")
        #expect(await first.seen.first(1) == ["before"])
        let port = first.server.address.port
        await first.server.shutDown()
        // Only after the session knows that the connection has ended: it may lose what it gives to an ending one.
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

    @Test func `messages of both kinds arrive from one connection after another`() async throws {
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

    @Test func `an endpoint without a listener, or without a WebSocket, is skipped at once`() async throws {
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
        #expect(
            await seen.untilReady() == [
                .connecting(endpoint: 0, attempt: 1), .connecting(endpoint: 1, attempt: 2),
                .connecting(endpoint: 2, attempt: 3), .loggingIn, .ready,
            ])
        session.end()
        await server.shutDown()
    }
}
