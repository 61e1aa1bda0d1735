// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Limits the number of timers and the bytes of their messages, on each connection and on all connections of a script.
///
/// A timer costs about 8 KB, and its work delays the other connections of its loop. The first timers of a connection
/// always fit, so that other connections cannot keep it from starting one.
final class TimerBudget: Sendable {
    /// A number of timers, and the bytes of the messages that they keep.
    struct Use {
        var count = 0
        var byteCount = 0

        static func + (left: Use, right: Use) -> Use {
            Use(count: left.count + right.count, byteCount: left.byteCount + right.byteCount)
        }

        static func - (left: Use, right: Use) -> Use {
            Use(count: left.count - right.count, byteCount: left.byteCount - right.byteCount)
        }

        /// Returns an error's text if a limit is exceeded, otherwise nil.
        ///
        /// - Parameter place: The owner of the timers, for the text.
        func excess(over limit: Use, _ place: String) -> String? {
            if count > limit.count { return "\(limit.count) timers run on \(place), and no more can" }
            guard byteCount > limit.byteCount else { return nil }
            return "timers of \(place) hold messages of \(limit.byteCount) bytes together, and no more"
        }
    }

    private static let limit = Use(count: 10_000, byteCount: 64 << 20)
    /// The limit is far above what a script needs. It bounds the cost of a client that sends many messages.
    private static let limitOfConnection = Use(count: 1_000, byteCount: 4 << 20)
    private static let share = Use(count: 16, byteCount: 128 << 10)

    private let use = Mutex(Use())

    /// Counts a new timer of a connection.
    ///
    /// - Parameters:
    ///   - own: What the connection uses without the new timer.
    ///   - byteCount: The bytes of the message that the timer keeps.
    /// - Returns: nil if the timer can run; otherwise the reason, and the timer is not counted.
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

    func remove(byteCount: Int) { use.withLock { $0 = $0 - Use(count: 1, byteCount: byteCount) } }
}
