// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Goim
import Testing
import TestingSupport
import Wireline
import WirelineTransport

/// What a session's timelines and its log report about its connections: why one failed, and which side ended it.
@Suite(.ahead)
struct SessionTimelineTests {
    private let notes = ConnectionNotes()

    /// Has the events recorded.
    private var configuration: PacketSessionConfiguration {
        var configuration = PacketSessionConfiguration.patient
        configuration.client.dialing.timelineHandler = { [notes] in notes.timelines.add($0) }
        configuration.client.log = TrafficLog(of: GoimProtocol.self, notes.record)
        return configuration
    }

    // MARK: Attempts

    @Test func `an attempt without an answer times out, in the session and in the timeline`() async throws {
        let server = try await GoimServer.start { _ in }
        let dead = try await ConnectingTests.DeadAddress("127.0.0.20", port: server.address.port)
        var configuration = configuration
        configuration.client.dialing.connectTimeout = .milliseconds(200)
        let session = try PacketSession.start(
            to: [ServerEndpoint("127.0.0.20", port: server.address.port)], protocol: GoimProtocol.self,
            configuration: configuration)
        #expect(await session.states.causes(1) { session.end() }.first == .timedOut)
        let address = dead.listener.address
        let events = await notes.events(upToOneWith: .attemptBegan(address))
        #expect(events.allSatisfy { $0.last == .closed(.transport(.timedOut)) })
        #expect(events.last == [.attemptBegan(address), .attemptAbandoned(address), .closed(.transport(.timedOut))])
        await server.shutDown()
    }

    /// A peer whose system accepts connections, and that does nothing itself: each handshake waits for an answer.
    private func endsOfHandshakes(
        with peer: RawSocket, that begin: ConnectionTimeline.Event, _ change: (inout ClientConfiguration) throws -> Void
    ) async throws -> (cause: DisconnectCause?, ends: Set<String>, logged: String?) {
        var configuration = configuration
        configuration.client.dialing.connectTimeout = .milliseconds(300)
        try change(&configuration.client)
        let session = try PacketSession.start(
            to: [ServerEndpoint("127.0.0.1", port: peer.port())], protocol: GoimProtocol.self,
            configuration: configuration)
        let states = session.states
        let events = await notes.events(upToOneWith: begin)
        let logged = await notes.loggedEnds.first(1)[0]
        let cause = await states.causes(1) { session.end() }.first
        return (cause, Set(events.compactMap(\.last).map { "\($0)" }), logged)
    }

    @Test func `a slow WebSocket handshake times out`() async throws {
        let peer = try RawSocket.listen()
        let told = try await endsOfHandshakes(with: peer, that: .webSocketBegan) {
            $0.webSocket = ClientConfiguration.WebSocketOptions()
        }
        #expect(told.cause == .timedOut)
        #expect(told.ends == ["closed: the deadline has passed"])
        #expect(told.logged == "the deadline has passed")
    }

    @Test(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)))
    func `a slow TLS handshake times out`() async throws {
        let peer = try RawSocket.listen()
        let told = try await endsOfHandshakes(with: peer, that: .handshakeBegan) {
            $0.dialing.tls = try LocalTLS.contexts.get().client
        }
        #expect(told.cause == .timedOut)
        #expect(told.ends == ["closed: the deadline has passed"])
        #expect(told.logged == "the deadline has passed")
    }

    @Test func `if one address refuses and one does not answer, the cause is the refusal`() async throws {
        let server = try await GoimServer.start { _ in }
        let port = server.address.port
        let dead = try await ConnectingTests.DeadAddress("127.0.0.20", port: port)
        let lookups = Seen<Void>()
        var configuration = configuration
        configuration.client.dialing.connectTimeout = .milliseconds(500)
        configuration.client.dialing.attemptDelay = .milliseconds(100)
        configuration.client.dialing.resolver = CachingResolver(
            ClosureResolver { _, family throws(TransportError) in
                if family == .ipv4 { lookups.add(()) }
                return try ResolvedAddresses(
                    ipAddresses: family == .ipv4 ? ["127.0.0.20", "127.0.0.21"] : [], timeToLive: .seconds(80_000))
            }, policy: CachingResolver.Policy(patience: .seconds(500), lookupTimeout: .seconds(500)))
        let session = try PacketSession.start(
            to: [ServerEndpoint("game.test", port: port)], protocol: GoimProtocol.self, configuration: configuration)
        var causes: [DisconnectCause] = []
        // On a busy machine the time may be over before the address has refused.
        for await state in session.states {
            guard case .waiting(_, let cause) = state else { continue }
            causes.append(cause)
            if cause == .refused || causes.count == 20 { break }
        }
        session.end()
        #expect(causes.last == .refused)
        // A host that answered is not looked up again, nor one whose answer comes when the time is over.
        #expect((1...causes.count).contains(lookups.count))
        let timeline = await notes.timelines.first(causes.count)[causes.count - 1]
        #expect(timeline.entries.last?.event == .closed(.transport(.refused)))
        withExtendedLifetime(dead) {}
        await server.shutDown()
    }

    // MARK: Ends

    /// Why a session drops a connection.
    enum Reason: CaseIterable, Sendable {
        case silence, slowLogin, refusedLogin, failedLogin, kick, kickWithEnd

        static let notice = KickNotice(reason: 4, advice: .wait(atLeast: .zero))

        var cause: DisconnectCause {
            switch self {
            case .silence: .silent
            case .slowLogin: .timedOut
            case .refusedLogin: .loginRefused(SessionLoginRefused().description)
            case .failedLogin: .loginFailed("Unlucky()")
            case .kick, .kickWithEnd: .kicked(Self.notice)
            }
        }

        var conventions: SessionConventions<GoimProtocol> {
            var conventions = SessionConventions<GoimProtocol>()
            conventions.end(Notification.self) { _ in Self.notice }
            if self == .silence {
                conventions.heartbeat(
                    HeartbeatPolicy(interval: .milliseconds(10), timeout: .milliseconds(50)),
                    answeredBy: HeartbeatReply.self
                ) { Heartbeat(body: "") }
            }
            return conventions
        }

        /// What the server does before it reads without answering.
        func serve(_ client: ServerConnection<GoimProtocol>) async throws {
            if self == .kick || self == .kickWithEnd { try await client.send(Notification(body: "elsewhere")) }
            if self == .kickWithEnd { return }
            while try await client.nextPacket() != nil {}
        }

        func logIn(_ login: PacketSession<GoimProtocol>.Login) async throws {
            struct Unlucky: Error {}
            switch self {
            case .slowLogin: _ = try await login.client.request(Authentication(body: ""), timeout: .seconds(500))
            case .refusedLogin: throw SessionLoginRefused()
            case .failedLogin: throw Unlucky()
            case .silence, .kick, .kickWithEnd: break
            }
        }
    }

    @Test(arguments: Reason.allCases)
    func `a connection that the session drops ends with the session's cause`(reason: Reason) async throws {
        let server = try await GoimServer.start { try await reason.serve($0) }
        var configuration = configuration
        if reason == .slowLogin { configuration.loginTimeout = .milliseconds(20) }
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: configuration,
            conventions: reason.conventions
        ) { try await reason.logIn($0) }
        #expect(await notes.timelines.first(1)[0].entries.last?.event == .closed(.disconnected(reason.cause)))
        #expect(await notes.loggedEnds.first(1) == [reason.cause.description])
        session.end()
        await server.shutDown()
    }

    @Test func `a server that ends without a message is the side that ended the connection`() async throws {
        let server = try await GoimServer.start { _ in }
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: configuration)
        #expect(await notes.timelines.first(1)[0].entries.last?.event == .closed(nil))
        #expect(await notes.loggedEnds.first(1) == [nil])
        session.end()
        await server.shutDown()
    }

    @Test func `a session that is ended is the side that closed its connection`() async throws {
        let server = try await GoimServer.start { client in while try await client.nextPacket() != nil {} }
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: configuration)
        try await session.waitUntilReady()
        session.end()
        #expect(await notes.timelines.first(1)[0].entries.last?.event == .closed(.transport(.closed)))
        await server.shutDown()
    }

    // MARK: Pins

    @Test(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)), arguments: [false, true])
    func `report-only pins are reported by the open connection and in its timeline`(
        isInWebSocket: Bool
    ) async throws {
        let certificates = try LocalCertificates.made.get()
        var serverConfiguration = ServerConfiguration.patient
        serverConfiguration.listening.tls = try certificates.serverContext()
        if isInWebSocket { serverConfiguration.webSocket = ServerConfiguration.WebSocketOptions() }
        let server = try await GoimServer.start(configuration: serverConfiguration) { client in
            while try await client.nextPacket() != nil {}
        }
        var configuration = configuration
        configuration.client.dialing.tls = try certificates.clientContext {
            $0.pins = try TLSPins([String(repeating: "00", count: 32)], reportOnly: true)
        }
        if isInWebSocket { configuration.client.webSocket = ClientConfiguration.WebSocketOptions() }
        let session = try PacketSession.start(
            to: [server.endpoint], protocol: GoimProtocol.self, configuration: configuration)
        try await session.waitUntilReady()
        let outcome = try #require(await session.tlsDetails()).pinOutcome
        let received = try #require(outcome.mismatchedKeys)
        #expect(received.first == (try TLSKeyHash(certificates.server.keyHash)))
        session.end()
        let events = await notes.timelines.first(1)[0].entries.map(\.event)
        let place = try #require(events.firstIndex(of: .handshakeEnded))
        #expect(events[place + 1] == .pinsChecked(outcome))
        #expect("\(events[place + 1])" == "no pinned key, but " + received.map(\.base64).joined(separator: ", "))
        for await state in session.states where state == .ended(.byUs) {}
        #expect(await session.tlsDetails() == nil)
        await server.shutDown()
    }
}
