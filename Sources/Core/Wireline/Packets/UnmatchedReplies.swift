// SPDX-License-Identifier: Apache-2.0

/// Remembers replies that came without the sequence number of a waiting request.
///
/// If a request times out, its error can then name the reply that came instead. This costs time only for requests, and
/// for packets that arrive while a request waits.
struct UnmatchedReplies {
    /// A packet with the ID of a reply.
    struct Reply: Equatable {
        let id: UInt64
        let sequence: UInt64
    }

    private struct Watch {
        var requestCount = 0
        /// The value of `noteCount` at the last packet with the ID; 0 if there was none.
        var lastNote = 0
        /// The sequence number of the last packet with the ID.
        var lastSequence: UInt64 = 0
    }

    // INVARIANT: at least one request waits for each ID in here.
    private var watches: [UInt64: Watch] = [:]
    /// The number of replies that matched no request.
    private var noteCount = 0

    /// Begins to look for replies to a request.
    ///
    /// - Returns: A mark for ``end(replyIDs:since:)``.
    mutating func begin(replyIDs: [UInt64]) -> Int {
        for id in replyIDs { watches[id, default: Watch()].requestCount += 1 }
        return noteCount
    }

    /// Records a packet that matches no waiting request.
    mutating func note(id: UInt64, sequence: UInt64) {
        guard !watches.isEmpty, var watch = watches[id] else { return }
        noteCount += 1
        watch.lastNote = noteCount
        watch.lastSequence = sequence
        watches[id] = watch
    }

    func isAwaited(id: UInt64) -> Bool { watches[id] != nil }

    /// Ends the search for replies to a request.
    ///
    /// - Returns: The last unmatched reply since the mark; nil if there was none.
    mutating func end(replyIDs: [UInt64], since mark: Int) -> Reply? {
        var (last, reply): (Int, Reply?) = (mark, nil)
        for id in replyIDs {
            guard var watch = watches[id] else { continue }
            if watch.lastNote > last {
                (last, reply) = (watch.lastNote, Reply(id: id, sequence: watch.lastSequence))
            }
            watch.requestCount -= 1
            watches[id] = watch.requestCount > 0 ? watch : nil
        }
        return reply
    }

    mutating func endAll() { watches = [:] }
}
