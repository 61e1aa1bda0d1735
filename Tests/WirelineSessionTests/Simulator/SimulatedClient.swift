// SPDX-License-Identifier: Apache-2.0

import WirelineSession

/// A session, what drives it, and what an onlooker notes of it.
final class SimulatedClient {
    var session: ClientSession<Int>
    let messages: [PlannedMessage]
    var links: [Link] = []
    /// When the driver's timer fires.
    var timer = Int.max
    /// When the peer is to be looked at, before the session asks for that.
    var nextLook: Int?
    /// The session's clock does not go back.
    var latestTime = 0

    // What the onlooker notes.
    var numbers: [MessageNumber?]
    var indices: [MessageNumber: Int] = [:]
    var refusals: [SessionError?]
    var outcomes: [MessageOutcome?]
    var givings: [Int]
    var states: [SessionState] = []
    /// How long the delays were.
    var waits: [Duration] = []
    var readySince: Int?
    /// Attempts since the last delay, and delays, since the first attempt or the last stable connection.
    var roundAttemptCount = 0
    var delayCount = 0
    /// Where the next attempt may go; nil: to any endpoint.
    var nextEndpoints: Set<Int>? = [0]
    /// How many attempts in a row went to the same endpoint, since the last stable connection.
    var attemptsInARow = 0
    /// Whether addresses must expire before the next attempt.
    var mustExpireAddresses = false
    /// How often bytes were acknowledged while a heartbeat was on its way.
    var progressCount = 0
    /// How many replies have come to messages that were given up.
    var ignoredReplyCount = 0
    /// What the driver gives once more, though it must not.
    var repeatedOnce: [Int] = []

    init(_ configuration: SessionConfiguration, messages: [PlannedMessage]) {
        session = ClientSession(configuration)
        self.messages = messages
        numbers = Array(repeating: nil, count: messages.count)
        refusals = Array(repeating: nil, count: messages.count)
        outcomes = Array(repeating: nil, count: messages.count)
        givings = Array(repeating: 0, count: messages.count)
    }

    var isReady: Bool { session.state == .ready }

    var isEnded: Bool {
        if case .ended = session.state { true } else { false }
    }
}
