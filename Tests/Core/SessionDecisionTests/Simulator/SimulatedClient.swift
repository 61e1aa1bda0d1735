// SPDX-License-Identifier: Apache-2.0

import Wireline

/// A session, its driver, and the notes of an observer about it.
final class SimulatedClient {
    var session: ClientSession<Int>
    let messages: [PlannedMessage]
    var links: [Link] = []
    /// When the driver's timer fires.
    var timer = Int.max
    /// When to look at the peer, before the session asks for it.
    var nextLook: Int?
    /// The session's clock does not go back.
    var latestTime = 0

    // The observer's notes.
    var numbers: [MessageNumber?]
    var indices: [MessageNumber: Int] = [:]
    var refusals: [SessionError?]
    var outcomes: [MessageOutcome?]
    var givings: [Int]
    var states: [SessionState] = []
    /// The lengths of the delays.
    var waits: [Duration] = []
    var readySince: Int?
    /// The numbers of attempts since the last delay, and of delays, since the first attempt or the last stable
    /// connection.
    var roundAttemptCount = 0
    var delayCount = 0
    /// The endpoints that the next attempt may use; nil: any.
    var nextEndpoints: Set<Int>? = [0]
    /// How many attempts in a row went to the same endpoint, since the last stable connection.
    var attemptsInARow = 0
    /// Whether addresses must expire before the next attempt.
    var mustExpireAddresses = false
    /// The number of times that bytes were acknowledged while a heartbeat was on its way.
    var progressCount = 0
    /// The number of replies to messages that were abandoned.
    var ignoredReplyCount = 0
    /// The messages that the driver sends again, though it must not.
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
