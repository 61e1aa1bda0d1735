// SPDX-License-Identifier: Apache-2.0

/// Decides when to tell a node that we live, and when it is dead.
///
/// Time comes in, and the next deadline goes out. Any packet counts as a sign of life, in both directions.
package struct TickWatch: Sendable {
    package enum Action: Equatable, Sendable {
        /// ``PacketEncoder/tick`` is to be sent.
        case tick
        /// Nothing has come for the whole time: the connection is to be closed.
        case dead
    }

    private let time: Duration
    private var lastSent: Duration
    private var lastReceived: Duration

    /// - Parameters:
    ///   - time: The cluster's `net_ticktime` (Erlang's default: 60 s). A node that is silent for so long is dead; we
    ///     tick after a quarter of it.
    ///   - now: The present.
    package init(time: Duration = .seconds(60), at now: Duration) {
        precondition(time > .zero, "a tick time of \(time)")
        self.time = time
        lastSent = now
        lastReceived = now
    }

    /// When ``poll(at:)`` has something to say at the earliest.
    package var deadline: Duration { min(lastSent + time / 4, lastReceived + time) }

    /// Something was sent.
    package mutating func sent(at now: Duration) { lastSent = max(lastSent, now) }

    /// Something was received.
    package mutating func received(at now: Duration) { lastReceived = max(lastReceived, now) }

    /// Returns what is to be done; nil before the ``deadline``. A tick counts as sent.
    package mutating func poll(at now: Duration) -> Action? {
        if now >= lastReceived + time { return .dead }
        guard now >= lastSent + time / 4 else { return nil }
        lastSent = now
        return .tick
    }
}
