// SPDX-License-Identifier: Apache-2.0

/// Remembers replies that came without the sequence number of a waiting request.
///
/// If a request times out, its error can then say what came instead of the reply. It costs something only for requests,
/// and for packets that arrive while a request waits.
struct UnmatchedReplies {
    private struct Watch {
        /// The number of requests that wait for a reply with the ID.
        var requestCount = 0
        /// The number of replies with the ID that matched no request.
        var replyCount = 0
        /// The sequence number of the last one.
        var lastSequence: UInt64 = 0
    }

    // INVARIANT: each ID in here has a request that waits.
    private var watches: [UInt64: Watch] = [:]

    /// Begins to look for replies to a request.
    ///
    /// - Returns: A mark for ``end(replyID:since:)``.
    mutating func begin(replyID: UInt64) -> Int {
        watches[replyID, default: Watch()].requestCount += 1
        return watches[replyID]?.replyCount ?? 0
    }

    /// Records that a packet is no reply to a waiting request.
    mutating func note(id: UInt64, sequence: UInt64) {
        guard !watches.isEmpty, var watch = watches[id] else { return }
        watch.replyCount += 1
        watch.lastSequence = sequence
        watches[id] = watch
    }

    /// Ends the search of a request.
    ///
    /// - Returns: The sequence number of the last unmatched reply since the mark; nil if there was none.
    mutating func end(replyID: UInt64, since mark: Int) -> UInt64? {
        guard var watch = watches[replyID] else { return nil }
        watch.requestCount -= 1
        watches[replyID] = watch.requestCount > 0 ? watch : nil
        return watch.replyCount > mark ? watch.lastSequence : nil
    }

    /// Ends the search of all requests.
    mutating func endAll() { watches = [:] }
}
