// SPDX-License-Identifier: Apache-2.0

import Wireline

/// Counts what has happened in runs: a simulator in which little happens would prove little.
struct Coverage {
    private(set) var repetitionCount = 0
    private(set) var progressCount = 0
    private(set) var ignoredReplyCount = 0
    private(set) var server: Set<SimulatedServer.Met> = []
    private(set) var states: [SessionState] = []
    /// The outcomes of each promise.
    private(set) var outcomes: Set<String> = []

    mutating func add(_ simulation: Simulation) {
        for client in simulation.clients { add(client) }
        server.formUnion(simulation.server.met)
    }

    private mutating func add(_ client: SimulatedClient) {
        for (message, outcome) in zip(client.messages, client.outcomes) {
            outcomes.insert(Self.name(message.delivery) + " " + (outcome.map { Self.name($0) } ?? "refused"))
        }
        for state in client.states {
            let state = Self.withoutNumbers(state)
            if !states.contains(state) { states.append(state) }
        }
        repetitionCount += client.givings.count { $0 > 1 }
        progressCount += client.progressCount
        ignoredReplyCount += client.ignoredReplyCount
    }

    static let expectedStates: [SessionState] =
        [.connecting(endpoint: 0, attempt: 0), .loggingIn, .ready, .ended(.byUs)]
        + ([
            .refused, .reset, .timedOut, .unknownHost, .failed(""), .silent, .endedByPeer, .notTrusted(.expired),
            .wrongKey, kick,
        ] as [DisconnectCause]).map {
            .waiting(until: .zero, cause: $0)
        }
        + ([kick, .loginRefused(""), .misconfigured("")] as [DisconnectCause]).map { .ended(.stopped($0)) }
        + [.ended(.outOfRetries(last: .refused))]

    static var expectedOutcomes: [String] {
        let always = ["confirmed", "refused", "expired", "cancelled", "ended"]
        var expected = always.map { "atLeastOnce " + $0 } + always.map { "exactlyOnce " + $0 }
        expected.append("exactlyOnce outOfSequenceNumbers")
        expected += (always + ["given", "replaced"]).map { "latest " + $0 }
        expected += (always + ["given", "lost"]).map { "atMostOnce " + $0 }
        expected += (["confirmed", "refused", "given", "lost", "expired"]).map { "whileConnected " + $0 }
        return expected
    }

    private static let kick = DisconnectCause.kicked(KickNotice(reason: 0, advice: .stop))

    private static func withoutNumbers(_ state: SessionState) -> SessionState {
        switch state {
        case .connecting: .connecting(endpoint: 0, attempt: 0)
        case .waiting(_, .kicked): .waiting(until: .zero, cause: kick)
        case .waiting(_, let cause): .waiting(until: .zero, cause: cause)
        case .ended(.stopped(.kicked)): .ended(.stopped(kick))
        case .ended(.outOfRetries): .ended(.outOfRetries(last: .refused))
        case .ended, .loggingIn, .ready: state
        }
    }

    private static func name(_ delivery: DeliveryPolicy) -> String {
        switch delivery {
        case .latest: "latest"
        case .whileConnected, .atMostOnce, .atLeastOnce, .exactlyOnce: "\(delivery)"
        }
    }

    private static func name(_ outcome: MessageOutcome) -> String {
        switch outcome {
        case .failed(.lost): "lost"
        case .failed(.expired): "expired"
        case .failed(.cancelled): "cancelled"
        case .failed(.ended): "ended"
        case .failed(.outOfSequenceNumbers): "outOfSequenceNumbers"
        case .failed, .given, .confirmed, .replaced: "\(outcome)"
        }
    }
}
