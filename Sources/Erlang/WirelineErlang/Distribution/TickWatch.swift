// SPDX-License-Identifier: Apache-2.0

/// Decides when to send a tick to a node, and when the node is dead.
///
/// Time comes in, and the next deadline goes out. Any packet counts as a sign of life, in both directions.
package struct TickWatch: Sendable {
    package enum Action: Equatable, Sendable {
        /// Send ``PacketEncoder/tick``.
        case tick
        /// Nothing has come for the whole time: close the connection.
        case dead
    }

    private let time: Duration
    private var lastSent: Duration
    private var lastReceived: Duration

    /// - Parameter time: The cluster's `net_ticktime` (Erlang's default: 60 s). A node that is silent that long is
    ///   dead. After
    ///   a quarter of it without output, we send a tick.
    package init(time: Duration = .seconds(60), at now: Duration) {
        precondition(time > .zero, "a tick time of \(time)")
        self.time = time
        lastSent = now
        lastReceived = now
    }

    /// Before it, ``poll(at:)`` returns nil.
    package var deadline: Duration { min(lastSent + time / 4, lastReceived + time) }

    package mutating func sent(at now: Duration) { lastSent = max(lastSent, now) }

    package mutating func received(at now: Duration) { lastReceived = max(lastReceived, now) }

    /// Returns nil before the ``deadline``. A tick counts as sent.
    package mutating func poll(at now: Duration) -> Action? {
        if now >= lastReceived + time { return .dead }
        guard now >= lastSent + time / 4 else { return nil }
        lastSent = now
        return .tick
    }
}
