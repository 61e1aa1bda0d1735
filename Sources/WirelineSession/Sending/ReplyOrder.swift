// SPDX-License-Identifier: Apache-2.0

/// Which message a reply belongs to where packets have no numbers: replies of one ID come in the order of their requests.
///
/// Places and replies are counted, so a message that was given up needs no memory for its reply to be told from others.
struct ReplyOrder {
    private struct Count {
        var given: UInt64 = 0
        var arrived: UInt64 = 0
    }

    // INVARIANT: of each ID that is here, fewer replies have arrived than messages were given.
    private var counts: [UInt64: Count] = [:]

    /// Whether replies are still to come, wanted or not.
    var awaitsReplies: Bool { !counts.isEmpty }

    /// The place of a message that the connection is given now, among those with replies of this ID.
    mutating func nextPlace(replyID: UInt64) -> UInt64 {
        var count = counts[replyID] ?? Count()
        count.given += 1
        counts[replyID] = count
        return count.given
    }

    /// The place of the message whose reply has come; nil where none is waited for.
    mutating func takePlace(replyID: UInt64) -> UInt64? {
        guard var count = counts[replyID] else { return nil }
        count.arrived += 1
        counts[replyID] = count.arrived < count.given ? count : nil
        return count.arrived
    }

    /// The connection has ended, and replies on it come no more.
    mutating func connectionEnded() { counts = [:] }
}
