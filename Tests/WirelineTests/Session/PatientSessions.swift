// SPDX-License-Identifier: Apache-2.0

import FaultSupport
import Testing
import Wireline

extension PacketSessionConfiguration {
    /// For machines that do many other things at the same time: what has ended is tried again at once, and for long.
    static let patient = PacketSessionConfiguration(
        client: .patient,
        reconnect: ReconnectPolicy(baseDelay: .milliseconds(1), maximumDelay: .milliseconds(50), retryLimit: nil),
        loginTimeout: .seconds(500))
}

/// What tests of both kinds of sessions, of packets and of WebSockets, look for.
extension AsyncStream<SessionState> {
    /// The states up to the first in which messages go out.
    func untilReady() async -> [SessionState] {
        var states: [SessionState] = []
        for await state in self {
            states.append(state)
            if state == .ready { break }
        }
        return states
    }

    /// Why connections have ended, as long as there are states; `end` is called when there are so many.
    func causes(_ count: Int = .max, then end: () -> Void = {}) async -> [DisconnectCause] {
        var causes: [DisconnectCause] = []
        for await state in self {
            guard case .waiting(_, let cause) = state else { continue }
            causes.append(cause)
            if causes.count == count { end() }
        }
        return causes
    }
}

/// Checks what a session's connections have brought of numbers from 0 on that were sent at most once.
///
/// - Parameters:
///   - runs: Those of each connection, in order.
///   - lossLimit: How many may have been lost with a connection.
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
