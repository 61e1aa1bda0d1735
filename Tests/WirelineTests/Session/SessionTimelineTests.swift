// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Goim
import Testing
import TestingSupport
import Wireline
import WirelineTransport

/// What a session's timelines and its log tell of its connections: why one has not come about, and who has ended it.
@Suite(.ahead, .timeLimit(.minutes(300)))
struct SessionTimelineTests {
    private let notes = ConnectionNotes()

    /// Has what happens noted.
    private var configuration: PacketSessionConfiguration {
        var configuration = PacketSessionConfiguration.patient
        configuration.client.timelineHandler = { [notes] in notes.timelines.add($0) }
        configuration.client.log = TrafficLog(of: GoimProtocol.self, notes.record)
        return configuration
    }

    // MARK: Attempts

    @Test func `an address that does not answer has timed out, for the session and in its timeline`() async throws {
        let server = try await GoimServer.start { _ in }
        let dead = try await ConnectingTests.DeadAddress("127.0.0.20", port: server.address.port)
        var configuration = configuration
        configuration.client.connectTimeout = .milliseconds(200)
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

    /// A peer whose system accepts connections, and who does nothing itself: each waits for the answer to its handshake.
    private func endsOfHandshakes(
        with peer: RawSocket, that begin: ConnectionTimeline.Event, _ change: (inout ClientConfiguration) throws -> Void
    ) async throws -> (cause: DisconnectCause?, ends: Set<String>, logged: String?) {
        var configuration = configuration
        configuration.client.connectTimeout = .milliseconds(300)
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

    @Test func `a WebSocket that does not come about in time has timed out`() async throws {
        let peer = try RawSocket.listen()
        let told = try await endsOfHandshakes(with: peer, that: .webSocketBegan) { $0.webSocket = WebSocketOptions() }
        #expect(told.cause == .timedOut)
        #expect(told.ends == ["closed: the deadline has passed"])
        #expect(told.logged == "the deadline has passed")
    }

    @Test(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)))
    func `a handshake of TLS that takes too long has timed out`() async throws {
        let peer = try RawSocket.listen()
        let told = try await endsOfHandshakes(with: peer, that: .handshakeBegan) {
            $0.tls = try LocalTLS.contexts.get().client
        }
        #expect(told.cause == .timedOut)
        #expect(told.ends == ["closed: the deadline has passed"])
        #expect(told.logged == "the deadline has passed")
    }

    @Test func `where one address refuses and one does not answer, the session is refused`() async throws {
        let server = try await GoimServer.start { _ in }
        let port = server.address.port
        let dead = try await ConnectingTests.DeadAddress("127.0.0.20", port: port)
        let lookups = Seen<Void>()
        var configuration = configuration
        configuration.client.connectTimeout = .milliseconds(500)
        configuration.client.attemptDelay = .milliseconds(100)
        configuration.client.resolver = CachingResolver(
            ClosureResolver { _, family throws(TransportError) in
                if family == .ipv4 { lookups.add(()) }
                return try ResolvedAddresses(
                    ipAddresses: family == .ipv4 ? ["127.0.0.20", "127.0.0.21"] : [], timeToLive: .seconds(80_000))
            }, policy: CachingResolver.Policy(patience: .seconds(500), lookupTimeout: .seconds(500)))
        let session = try PacketSession.start(
            to: [ServerEndpoint("game.test", port: port)], protocol: GoimProtocol.self, configuration: configuration)
        var causes: [DisconnectCause] = []
        // On a busy machine the time may be over before anybody has refused.
        for await state in session.states {
            guard case .waiting(_, let cause) = state else { continue }
            causes.append(cause)
            if cause == .refused || causes.count == 20 { break }
        }
        session.end()
        #expect(causes.last == .refused)
        // What has answered is not looked up again.
        #expect(lookups.count == causes.count)
        let timeline = await notes.timelines.first(causes.count)[causes.count - 1]
        #expect(timeline.entries.last?.event == .closed(.transport(.refused)))
        withExtendedLifetime(dead) {}
        await server.shutDown()
    }
}
