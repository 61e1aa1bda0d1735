// SPDX-License-Identifier: Apache-2.0

package import WirelineErlang

/// How far the end of the gateway has come.
package struct DrainLife {
    private enum Phase {
        case open
        /// Owners and clients have been told. At this time, the rest is closed.
        case draining(until: Duration)
        /// The rest was closed, and its last bytes leave. At this time it is over although clients are left.
        case closing(until: Duration)
        case drained
    }

    /// How long the last bytes of clients may take to leave, and a second: a loop may be blocked.
    private static let flushTime = Duration.seconds(6)

    private var phase = Phase.open
    /// The owners that were told.
    private var told: Set<ErlangPID> = []
    /// Whether nobody can connect any more.
    private var isDeaf = false

    package var isDraining: Bool { if case .open = phase { false } else { true } }

    /// When the rest is closed; nil before the drain, and after that.
    package var closingTime: Duration? { if case .draining(let time) = phase { time } else { nil } }

    /// When something is to be done.
    package var deadline: Duration? {
        switch phase {
        case .draining(until: let time), .closing(until: let time): time
        case .open, .drained: nil
        }
    }

    /// The gateway is to end at this time. A drain that goes on can only become shorter.
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

    /// The owner of a client is to be told.
    ///
    /// - Returns: Whether it has not been told before.
    package mutating func tell(_ owner: ErlangPID) -> Bool { told.insert(owner).inserted }

    /// - Returns: Whether the rest is to be closed now.
    package mutating func isOver(at now: Duration) -> Bool {
        guard case .draining(let time) = phase, time <= now else { return false }
        phase = .closing(until: now + Self.flushTime)
        return true
    }

    /// - Returns: Whether the drain ends now, although clients are left that were closed long ago.
    package mutating func isOverdue(at now: Duration) -> Bool {
        guard case .closing(let time) = phase, time <= now else { return false }
        phase = .drained
        return true
    }

    package mutating func listenersClosed() { isDeaf = true }

    /// - Returns: Whether the drain ends now, if no client is left.
    package mutating func end() -> Bool {
        switch phase {
        case .draining where isDeaf, .closing:
            phase = .drained
            return true
        case .open, .draining, .drained: return false
        }
    }
}
