// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import Wireline
import WirelineTesting

extension PacketSessionConfiguration {
    /// For machines that do many other things at the same time: the session reconnects at once, and retries for long.
    static let patient = PacketSessionConfiguration(
        client: .patient,
        reconnect: ReconnectPolicy(baseDelay: .milliseconds(1), maximumDelay: .milliseconds(50), retryLimit: nil),
        loginTimeout: .seconds(500))
}

/// What tests of packet sessions and WebSocket sessions wait for.
extension AsyncStream<SessionState> {
    /// The states up to the first one in which messages are sent.
    func untilReady() async -> [SessionState] {
        var states: [SessionState] = []
        for await state in self {
            states.append(state)
            if state == .ready { break }
        }
        return states
    }

    /// The causes of ended connections, as long as there are states; `end` is called when there are so many causes.
    func causes(_ count: Int = .max, then end: () -> Void = {}) async -> [DisconnectCause] {
        var causes: [DisconnectCause] = []
        for await state in self {
            // The session may wait once more before it has ended.
            guard case .waiting(_, let cause) = state, causes.count < count else { continue }
            causes.append(cause)
            if causes.count == count { end() }
        }
        return causes
    }
}

/// Checks the numbers, from 0 on, that a session's connections received; each number was sent at most once.
///
/// - Parameters:
///   - runs: The numbers of each connection, in order.
///   - lossLimit: How many numbers may be lost with a connection.
func expectNumbers(
    upTo count: Int, inRuns runs: [[Int]], lossLimit: Int, at sourceLocation: SourceLocation = #_sourceLocation
) {
    var next = 0
    for run in runs where !run.isEmpty {
        #expect(run == Array(run[0]..<run[0] + run.count), sourceLocation: sourceLocation)
        #expect(run[0] >= next && run[0] - next <= lossLimit, sourceLocation: sourceLocation)
        next = run[0] + run.count
    }
    #expect(next == count, sourceLocation: sourceLocation)
}

extension ServerEndpoint {
    /// An endpoint without a listener: the tests' servers have other addresses, and may get any port.
    static let nobody = ServerEndpoint("127.0.0.3", port: 1)
}

extension PacketServer {
    var endpoint: ServerEndpoint { ServerEndpoint(address.ipAddress, port: address.port) }

    func session(
        conventions: SessionConventions<Definition> = SessionConventions(),
        login: (@Sendable (PacketSession<Definition>.Login) async throws -> Void)? = nil
    ) throws -> PacketSession<Definition> {
        try PacketSession.start(
            to: [endpoint], protocol: Definition.self, configuration: .patient, conventions: conventions, login: login)
    }
}

extension TestServer {
    func session(
        conventions: SessionConventions<Definition> = SessionConventions(),
        login: (@Sendable (PacketSession<Definition>.Login) async throws -> Void)? = nil
    ) throws -> PacketSession<Definition> {
        try PacketSession.start(
            to: [endpoint], protocol: Definition.self, on: network.loops, configuration: .patient,
            conventions: conventions, login: login)
    }
}
