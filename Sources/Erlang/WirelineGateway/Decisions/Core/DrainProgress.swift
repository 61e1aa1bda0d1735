// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// How far the gateway's drain has come.
package struct DrainProgress {
    private enum Phase {
        case open
        /// Owners and clients know about the drain. At this time, the remaining clients are closed.
        case draining(until: Duration)
        /// The remaining clients were closed, and their last output leaves. At this time, the drain ends in any case.
        case closing(until: Duration)
        case drained
    }

    /// The time for the last output of clients, and a second more, because a loop may be blocked.
    private static let flushTime = Duration.seconds(6)

    private var phase = Phase.open
    /// Owners that know about the drain.
    private var notified: Set<ErlangPID> = []
    /// Whether the listeners are closed, so that no client can connect.
    private var areListenersClosed = false

    package var isDraining: Bool { if case .open = phase { false } else { true } }

    /// When the remaining clients are closed; nil before the drain, and after that time.
    package var closingTime: Duration? { if case .draining(let time) = phase { time } else { nil } }

    /// The time of the next step; nil: none.
    package var deadline: Duration? {
        switch phase {
        case .draining(until: let time), .closing(until: let time): time
        case .open, .drained: nil
        }
    }

    /// Starts the drain, which ends at this time. A running drain can only become shorter.
    ///
    /// - Returns: Whether the drain begins now.
    package mutating func begin(until time: Duration) -> Bool {
        switch phase {
        case .open:
            phase = .draining(until: time)
            return true
        case .draining(let end):
            phase = .draining(until: min(end, time))
            return false
        case .closing, .drained: return false
        }
    }

    /// Returns true once for each owner: tell it about the drain.
    package mutating func addNotified(_ owner: ErlangPID) -> Bool { notified.insert(owner).inserted }

    /// Returns whether the remaining clients must be closed now.
    package mutating func beginClosing(at now: Duration) -> Bool {
        guard case .draining(let time) = phase, time <= now else { return false }
        phase = .closing(until: now + Self.flushTime)
        return true
    }

    /// Returns whether the drain ends now, although some closed clients are still there.
    package mutating func endIfOverdue(at now: Duration) -> Bool {
        guard case .closing(let time) = phase, time <= now else { return false }
        phase = .drained
        return true
    }

    package mutating func listenersClosed() { areListenersClosed = true }

    /// Call this if no client is left. Returns whether the drain ends now.
    package mutating func end() -> Bool {
        switch phase {
        case .draining where areListenersClosed, .closing:
            phase = .drained
            return true
        case .open, .draining, .drained: return false
        }
    }
}
