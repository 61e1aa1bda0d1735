// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import TestingSupport
import Wireline
import WirelineTransport
import WirelineWebSocket

/// What a WebSocket session's timelines and its log report about its connections.
@Suite(.ahead)
struct WebSocketSessionTimelineTests {
    private let notes = ConnectionNotes()

    /// Has the events recorded.
    private func configuration(
        _ change: (inout WebSocketSessionConfiguration) throws -> Void = { _ in }
    ) rethrows -> WebSocketSessionConfiguration {
        var configuration = WebSocketSessionConfiguration.patient()
        configuration.client.dialing.timelineHandler = { [notes] in notes.timelines.add($0) }
        configuration.client.log = TrafficLog(notes.record)
        try change(&configuration)
        return configuration
    }

    // MARK: Attempts

    @Test func `a server that accepts and does not answer is reported as a timeout`() async throws {
        let peer = try RawSocket.listen()
        let url = try WebSocketURL("ws://127.0.0.1:\(peer.port())/")
        let session = try WebSocketSession.start(
            to: [url], configuration: configuration { $0.client.dialing.connectTimeout = .milliseconds(300) })
        let states = session.states
        let events = await notes.events(upToOneWith: .webSocketBegan)
        #expect(events.allSatisfy { $0.last == .closed(.transport(.timedOut)) })
        #expect(await notes.loggedEnds.first(1) == ["the deadline has passed"])
        #expect(await states.causes(1) { session.end() }.first == .timedOut)
    }

    @Test func `if one address refuses and one does not answer, the cause is the refusal`() async throws {
        let server = try await WebSocketServer.echo()
        let port = server.address.port
        let dead = try await ConnectingTests.DeadAddress("127.0.0.22", port: port)
        let session = try WebSocketSession.start(
            to: [WebSocketURL("ws://game.test:\(port)/")],
            configuration: configuration {
                $0.client.dialing.connectTimeout = .milliseconds(500)
                $0.client.dialing.attemptDelay = .milliseconds(100)
                $0.client.dialing.resolver = ConnectingTests.resolver([], ["127.0.0.22", "127.0.0.23"])
                // The headers use up a part of the attempt's time.
                $0.headers = { _ in [:] }
            })
        var causes: [DisconnectCause] = []
        // On a busy machine the time may be over before the address has refused.
        for await state in session.states {
            guard case .waiting(_, let cause) = state else { continue }
            causes.append(cause)
            if cause == .refused || causes.count == 20 { break }
        }
        session.end()
        #expect(causes.last == .refused)
        let ends = await notes.timelines.first(1).map { $0.entries.last?.event }
        #expect([.closed(.transport(.refused)), .closed(.transport(.timedOut))].contains(ends[0]))
        withExtendedLifetime(dead) {}
        await server.shutDown()
    }

    // MARK: Ends

    /// Why a session drops a connection.
    enum Reason: CaseIterable, Sendable {
        case slowLogin, refusedLogin, failedLogin, kick

        var cause: DisconnectCause {
            switch self {
            case .slowLogin: .timedOut
            case .refusedLogin: .loginRefused(SessionLoginRefused().description)
            case .failedLogin: .loginFailed("Unlucky()")
            case .kick: .kicked(KickNotice(reason: 1_012, advice: .wait(atLeast: .zero)))
            }
        }

        func serve(_ client: WebSocketServerConnection) async throws {
            if self == .kick { _ = try await client.close(code: .serviceRestart) }
            while try await client.receive() != nil {}
        }

        func logIn(_ login: WebSocketSession.Login) async throws {
            struct Unlucky: Error {}
            switch self {
            case .slowLogin: _ = try await login.client.receive()
            case .refusedLogin: throw SessionLoginRefused()
            case .failedLogin: throw Unlucky()
            case .kick: break
            }
        }
    }

    @Test(arguments: Reason.allCases)
    func `a connection that the session drops ends with the session's cause`(reason: Reason) async throws {
        let server = try await WebSocketServer.serving { try await reason.serve($0) }
        let session = try server.session(
            configuration { if reason == .slowLogin { $0.loginTimeout = .milliseconds(20) } }
        ) { try await reason.logIn($0) }
        #expect(await notes.timelines.first(1)[0].entries.last?.event == .closed(.disconnected(reason.cause)))
        #expect(await notes.loggedEnds.first(1) == [reason.cause.description])
        session.end()
        await server.shutDown()
    }

    @Test func `a session's end and a server's close are both clean ends in the timeline`() async throws {
        let connections = Seen<Void>()
        let server = try await WebSocketServer.serving { client in
            connections.add(())
            // The server closes the first connection with a code that gives no advice.
            if connections.count == 1 { return }
            while try await client.receive() != nil {}
        }
        let session = try server.session(configuration())
        #expect(await notes.timelines.first(1)[0].entries.last?.event == .closed(nil))
        _ = await connections.first(2)
        try await session.waitUntilReady()
        session.end()
        #expect(await notes.timelines.first(2)[1].entries.last?.event == .closed(nil))
        #expect(await notes.loggedEnds.first(2) == [nil, nil])
        await server.shutDown()
    }

    // MARK: Pins

    @Test(.enabled(if: OpenSSLTool.isWanted, Comment(rawValue: OpenSSLTool.absence)))
    func `report-only pins are reported by the open connection and in its timeline`() async throws {
        let certificates = try LocalCertificates.made.get()
        let server = try await WebSocketServer.echo(.patient { $0.listening.tls = try? certificates.serverContext() })
        let session = try WebSocketSession.start(
            to: [WebSocketURL(server.url(isSecure: true))],
            configuration: configuration {
                $0.client.dialing.tls = try certificates.clientContext {
                    $0.pins = try TLSPins([String(repeating: "00", count: 32)], reportOnly: true)
                }
            })
        try await session.waitUntilReady()
        let outcome = try #require(await session.tlsDetails()).pinOutcome
        let received = try #require(outcome.mismatchedKeys)
        #expect(received.first == (try TLSKeyHash(certificates.server.keyHash)))
        session.end()
        let events = await notes.timelines.first(1)[0].entries.map(\.event)
        let place = try #require(events.firstIndex(of: .handshakeEnded))
        #expect(events[place + 1] == .pinsChecked(outcome))
        await server.shutDown()
    }
}
