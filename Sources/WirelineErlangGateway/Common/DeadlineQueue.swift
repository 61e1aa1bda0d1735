// SPDX-License-Identifier: Apache-2.0

/// Deadlines that are all equally long, so that the first to begin is the first to end.
///
/// A deadline stays here when its client no longer waits. So the caller checks each one that it takes.
struct DeadlineQueue<Item> {
    private var line = Line<(time: Duration, item: Item)>()

    /// The earliest deadline; nil if there is none.
    var first: Duration? { line.first?.time }

    /// Adds a deadline, which is not earlier than those before it.
    mutating func append(_ time: Duration, _ item: Item) { line.append((time, item)) }

    /// Takes the earliest deadline if its time has come.
    mutating func popFirst(at now: Duration) -> (time: Duration, item: Item)? {
        guard let first, first <= now else { return nil }
        return line.popFirst()
    }
}
