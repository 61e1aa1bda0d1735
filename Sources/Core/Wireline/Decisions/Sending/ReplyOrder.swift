// SPDX-License-Identifier: Apache-2.0

/// Finds the message of a reply if packets have no numbers: a reply belongs to the oldest message that waits for its
/// ID.
///
/// It only counts messages, so abandoned messages take no memory. The order of messages counts only if some share a
/// part
/// of their replies. Then each change from one kind to another takes a ``Run``.
struct ReplyOrder {
    /// Messages with the same replies. No message between them shares a reply with them.
    private struct Run {
        let replyIDs: [UInt64]
        /// The place of the oldest message, among those with the same replies.
        var first: UInt64
        var count: UInt64

        var end: UInt64 { first + count }
    }

    /// The most runs. A message that would begin another one is refused.
    static let limit = 1_024

    // INVARIANT: no run is empty. Runs with the same replies have ascending places without a gap. A run is older than
    // the later ones that share a reply with it.
    private var runs: [Run] = []

    /// Whether replies may still come, including those to abandoned messages.
    var awaitsReplies: Bool { !runs.isEmpty }

    /// Returns the place of a given message, among those with the same replies; nil if too many messages wait.
    mutating func nextPlace(_ replyIDs: [UInt64]) -> UInt64? {
        for index in runs.indices.reversed() {
            if runs[index].replyIDs == replyIDs {
                defer { runs[index].count += 1 }
                return runs[index].end
            }
            // A message may join an older run if it shares no reply with the runs between.
            if runs[index].replyIDs.contains(where: replyIDs.contains) { break }
        }
        guard runs.count < Self.limit else { return nil }
        let place = runs.last { $0.replyIDs == replyIDs }?.end ?? 1
        runs.append(Run(replyIDs: replyIDs, first: place, count: 1))
        return place
    }

    /// Returns the place of the message that gets this reply, among those with the same replies; nil: no message waits
    /// for it.
    mutating func takePlace(of id: UInt64) -> (place: UInt64, replyIDs: [UInt64])? {
        guard let index = runs.firstIndex(where: { $0.replyIDs.contains(id) }) else { return nil }
        let run = runs[index]
        runs[index].first += 1
        removeOne(at: index)
        return (run.first, run.replyIDs)
    }

    /// Withdraws a message that could not be sent. The places of later messages with the same replies decrease by one.
    mutating func withdrawPlace(_ place: UInt64, of replyIDs: [UInt64]) {
        let index = runs.firstIndex { $0.replyIDs == replyIDs && $0.first <= place && place < $0.end }
        guard let index else { return }
        for later in runs.indices[(index + 1)...] where runs[later].replyIDs == replyIDs { runs[later].first -= 1 }
        removeOne(at: index)
    }

    private mutating func removeOne(at index: Int) {
        runs[index].count -= 1
        guard runs[index].count == 0 else { return }
        runs.remove(at: index)
        guard index > 0, index < runs.count, runs[index - 1].replyIDs == runs[index].replyIDs else { return }
        runs[index - 1].count += runs[index].count
        runs.remove(at: index)
    }

    /// The connection has ended, so its replies come no more.
    mutating func connectionEnded() { runs = [] }
}
