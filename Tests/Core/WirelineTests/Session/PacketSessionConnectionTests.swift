// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Goim
import Scene
import Testing
import TestingSupport
import Wireline

/// A session's connections: endpoints, login, states, restarts, the session's end.
@Suite(.ahead)
struct PacketSessionConnectionTests {
    @Test func `states report the connection, its end and the next connection`() async throws {
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
                // The state may have passed before the test reads it.
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
        // A later reader sees the end.
        #expect(await session.states.reduce(into: []) { $0.append($1) } == [.ended(.byUs)])
        await #expect(throws: ConnectionError.session(.ended(mayHaveArrived: false))) {
            try await session.send(Cs_20001(sceneID: 1, line: 1, message: "too late"))
        }
        await server.shutDown()
    }

    @Test func `an endpoint without a listener is skipped at once`() async throws {
        let server = try await SceneServer.start { client in while try await client.nextPacket() != nil {} }
        let endpoints = [.nobody, server.endpoint]
        let group = try EventLoopGroup(threadCount: 1)
        // In one turn of its loop: nothing has happened yet.
        let (session, seen) = try await group.loops[0].run { () throws(any Error) in
            let session = try PacketSession.start(
                to: endpoints, protocol: SceneProtocol.self, on: group, configuration: .patient)
            return (session, session.states)
        }
        #expect(
            await seen.untilReady() == [
                .connecting(endpoint: 0, attempt: 1), .connecting(endpoint: 1, attempt: 2), .loggingIn, .ready,
            ])
        session.end()
        await server.shutDown()
    }

    @Test func `a session ends with an error if every attempt is refused`() async throws {
        // At its own address, where no other test gets the port.
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

    /// How a session ends that never reaches its server, and how often its resolver was asked for IPv4 addresses.
    static func attempts(
        _ count: Int, to server: SceneServer, loginTimeout: Duration
    ) async throws -> (end: ConnectionError?, lookupCount: Int) {
        let lookups = Seen<AddressFamily>()
        let through = Gate()
        let address = server.address.ipAddress
        var configuration = PacketSessionConfiguration.patient
        configuration.reconnect = ReconnectPolicy(baseDelay: .milliseconds(1), retryLimit: count - 1)
        configuration.loginTimeout = loginTimeout
        configuration.client.dialing.resolver = CachingResolver(
            ClosureResolver { _, family throws(TransportError) in
                lookups.add(family)
                return try ResolvedAddresses(
                    ipAddresses: family == .ipv4 ? [address] : [], timeToLive: .seconds(80_000))
            }, policy: CachingResolver.Policy(patience: .seconds(500), lookupTimeout: .seconds(500)))
        let session = try PacketSession.start(
            to: [ServerEndpoint("game.test", port: server.address.port)], protocol: SceneProtocol.self,
            configuration: configuration
        ) { _ in await through.wait() }
        let end = await #expect(throws: ConnectionError.self) { try await session.waitUntilReady() }
        through.open()
        return (end, await lookups.first(lookups.count).count { $0 == .ipv4 })
    }

    @Test func `after a refusal the addresses are kept, and the resolver is not asked again`() async throws {
        let gone = try await SceneServer.start(at: "127.0.0.12") { _ in }
        await gone.shutDown()
        let (end, lookupCount) = try await Self.attempts(4, to: gone, loginTimeout: .seconds(500))
        #expect(end == .sessionEnded(.outOfRetries(last: .refused)))
        #expect(lookupCount == 1)
    }

    @Test func `after a timeout the resolver is asked again, each time`() async throws {
        let server = try await SceneServer.start { client in while try await client.nextPacket() != nil {} }
        let (end, lookupCount) = try await Self.attempts(4, to: server, loginTimeout: .milliseconds(20))
        #expect(end == .sessionEnded(.outOfRetries(last: .timedOut)))
        #expect(lookupCount == 4)
        await server.shutDown()
    }

    @Test func `a refused login ends the session, and a failed login is retried`() async throws {
        let server = try await GoimServer.start { client in
            while let received = try await client.nextMessage() {
                guard case .authentication = received.message else { continue }
                try await client.reply(to: received, with: AuthenticationReply(body: #"{"code":401}"#))
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
        await #expect(throws: ConnectionError.sessionEnded(.stopped(.loginRefused(#"{"code":401}"#)))) {
            try await session.waitUntilReady()
        }
        #expect(await numbers.first(2) == [1, 2])
        await server.shutDown()
    }

    @Test func `a reply after the login's timeout is no reply to a later request`() async throws {
        let mayReply = Gate()
        let server = try await SceneServer.start { client in
            var isFirst = true
            while let received = try await client.nextMessage() {
                guard case .cs20001(let enter) = received.message else { continue }
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

    @Test func `a session without references ends its connection after its output has left`() async throws {
        let seen = Seen<String>()
        let server = try await SceneServer.start { client in
            while let received = try await client.nextMessage() {
                if case .cs20001(let enter) = received.message { seen.add(enter.message) }
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

    @Test func `clients reconnect to a server that restarts on its port`() async throws {
        // At its own address, where no other test gets the port in between.
        let host = "127.0.0.7"
        let first = try await SceneServer.start(at: host) { client in
            while let received = try await client.nextMessage() {
                guard case .cs20001(let enter) = received.message else { continue }
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
            while let received = try await client.nextMessage() {
                guard case .cs20001(let enter) = received.message else { continue }
                try await client.send(Sc_20001.entered(enter))
            }
        }
        session.hurry()
        #expect(try await reply.message == "second")
        session.end()
        await second.shutDown()
    }
}
