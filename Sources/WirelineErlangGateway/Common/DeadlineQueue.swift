// SPDX-License-Identifier: Apache-2.0

/// The deadlines of clients that all wait equally long, so that the first to begin is the first to end.
///
/// A deadline is not taken back: whoever gets one looks whether the client still waits for it.
struct DeadlineQueue {
    private var entries: [(time: Duration, client: ClientNumber)] = []
    private var start = 0

    /// The earliest deadline; nil if there is none.
    var first: Duration? { start < entries.count ? entries[start].time : nil }

    /// Adds a deadline, which is not earlier than those before it.
    mutating func append(_ time: Duration, _ client: ClientNumber) { entries.append((time, client)) }

    /// Takes the earliest deadline if its time has come.
    mutating func popFirst(at now: Duration) -> (time: Duration, client: ClientNumber)? {
        guard start < entries.count, entries[start].time <= now else { return nil }
        defer {
            start += 1
            // On average, each entry is moved at most once.
            if start >= 64, start >= entries.count / 2 || start == entries.count {
                entries.removeFirst(start)
                start = 0
            }
        }
        return entries[start]
    }
}
