// SPDX-License-Identifier: Apache-2.0

/// Remembers replies that came without the sequence number of a waiting request.
///
/// If a request times out, its error can then say what came instead of the reply. It costs something only for requests,
/// and for packets that arrive while a request waits.
struct UnmatchedReplies {
    /// A packet that has the ID of a reply.
    struct Reply: Equatable {
        let id: UInt64
        let sequence: UInt64
    }

    private struct Watch {
        /// The number of requests that wait for a reply with the ID.
        var requestCount = 0
        /// How many packets were noted until the last one with the ID; 0 if there was none.
        var lastNote = 0
        /// The sequence number of the last one.
        var lastSequence: UInt64 = 0
    }

    // INVARIANT: each ID in here has a request that waits.
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

    /// Records that a packet is no reply to a waiting request.
    mutating func note(id: UInt64, sequence: UInt64) {
        guard !watches.isEmpty, var watch = watches[id] else { return }
        noteCount += 1
        watch.lastNote = noteCount
        watch.lastSequence = sequence
        watches[id] = watch
    }

    /// Whether a request waits for a reply with the ID.
    func isAwaited(id: UInt64) -> Bool { watches[id] != nil }

    /// Ends the search of a request.
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

    /// Ends the search of all requests.
    mutating func endAll() { watches = [:] }
}
