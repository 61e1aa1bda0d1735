// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// How many timers run on all connections of a script, and how many bytes of messages they use.
///
/// Timers of one connection delay all others of its loop, and each costs about 8 KB. A connection always gets a small share,
/// so that others cannot keep it from starting a timer.
final class TimerBudget: Sendable {
    /// Timers, and the bytes of the messages that they use.
    struct Use {
        var count = 0
        var byteCount = 0

        static func + (left: Use, right: Use) -> Use {
            Use(count: left.count + right.count, byteCount: left.byteCount + right.byteCount)
        }

        static func - (left: Use, right: Use) -> Use {
            Use(count: left.count - right.count, byteCount: left.byteCount - right.byteCount)
        }

        /// Returns what is above a limit, as an error says it; nil: nothing is.
        ///
        /// - Parameter place: Whose timers they are.
        func excess(over limit: Use, _ place: String) -> String? {
            if count > limit.count { return "\(limit.count) timers run on \(place), and no more can" }
            guard byteCount > limit.byteCount else { return nil }
            return "timers of \(place) hold messages of \(limit.byteCount) bytes together, and no more"
        }
    }

    private static let limit = Use(count: 10_000, byteCount: 64 << 20)
    /// It is far more than a script needs, and small enough to limit the cost of any number of messages.
    private static let limitOfConnection = Use(count: 1_000, byteCount: 4 << 20)
    private static let share = Use(count: 16, byteCount: 128 << 10)

    private let use = Mutex(Use())

    /// Counts another timer of a connection.
    ///
    /// - Parameters:
    ///   - own: What the connection uses without it.
    ///   - byteCount: The bytes of the message that the timer uses.
    /// - Returns: Why the timer cannot run, and then nothing was counted; nil: it can.
    func add(to own: Use, byteCount: Int) -> String? {
        let timer = Use(count: 1, byteCount: byteCount)
        if let excess = (own + timer).excess(over: Self.limitOfConnection, "this connection") { return excess }
        let isOfShare = (own + timer).excess(over: Self.share, "") == nil
        return use.withLock { use in
            if !isOfShare, let excess = (use + timer).excess(over: Self.limit, "all connections") { return excess }
            use = use + timer
            return nil
        }
    }

    /// A timer has ended.
    func remove(byteCount: Int) { use.withLock { $0 = $0 - Use(count: 1, byteCount: byteCount) } }
}
