// SPDX-License-Identifier: Apache-2.0

/// Slows down two nodes of one name, each of which takes the other's connection for its own dead one.
///
/// A node that restarts replaces its connection once. Nothing but epmd prevents two nodes of one name, and only on one
/// host: they would replace each other for ever.
struct ReplacementWatch {
    /// After this time without a replacement, everything is forgotten.
    private static let memory = Duration.seconds(60)
    /// So many replacements are free.
    private static let freeCount = 2

    private var count = 0
    private var last: Duration = .zero

    /// Notes a replacement.
    mutating func replaced(at now: Duration) {
        if now >= last + Self.memory { count = 0 }
        count += 1
        last = now
    }

    /// Until when the next replacement is refused: a second after the second one, and twice as long after each later
    /// one, up to a minute. nil: it is not.
    func refusal(at now: Duration) -> Duration? {
        guard count >= Self.freeCount, now < last + Self.memory else { return nil }
        let end = last + min(.seconds(1) * (1 << min(count - Self.freeCount, 6)), Self.memory)
        return now < end ? end : nil
    }

    /// Whether there is nothing to remember.
    func isOver(at now: Duration) -> Bool { now >= last + Self.memory }
}
