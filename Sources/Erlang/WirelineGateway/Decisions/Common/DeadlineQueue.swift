// SPDX-License-Identifier: Apache-2.0

/// Deadlines of equal length, so that the first to begin is the first to end.
///
/// A deadline stays here when its client no longer waits. So the caller must check each one that it takes.
struct DeadlineQueue<Item> {
    private var queue = FIFOQueue<(time: Duration, item: Item)>()

    var first: Duration? { queue.first?.time }

    /// The deadline must not be earlier than those before it.
    mutating func append(_ time: Duration, _ item: Item) { queue.append((time, item)) }

    /// Takes the earliest deadline if it has passed.
    mutating func popFirst(at now: Duration) -> (time: Duration, item: Item)? {
        guard let first, first <= now else { return nil }
        return queue.popFirst()
    }
}
