// SPDX-License-Identifier: Apache-2.0

/// Finds the message of a reply if packets have no numbers: replies of one ID come in request order.
///
/// It only counts requests and replies, so abandoned messages take no memory.
struct ReplyOrder {
    private struct Count {
        var given: UInt64 = 0
        var arrived: UInt64 = 0
    }

    // INVARIANT: each ID in here has had fewer replies than messages given.
    private var counts: [UInt64: Count] = [:]

    /// Whether replies are still to come, including those of abandoned messages.
    var awaitsReplies: Bool { !counts.isEmpty }

    /// The place of a message that is given to the connection, among those with replies of this ID.
    mutating func nextPlace(replyID: UInt64) -> UInt64 {
        var count = counts[replyID] ?? Count()
        count.given += 1
        counts[replyID] = count
        return count.given
    }

    /// The place of the message whose reply has come; nil if no reply is awaited.
    mutating func takePlace(replyID: UInt64) -> UInt64? {
        guard var count = counts[replyID] else { return nil }
        count.arrived += 1
        counts[replyID] = count.arrived < count.given ? count : nil
        return count.arrived
    }

    /// Withdraws a message that could not be sent.
    mutating func withdrawPlace(replyID: UInt64) {
        guard var count = counts[replyID] else { return }
        count.given -= 1
        counts[replyID] = count.arrived < count.given ? count : nil
    }

    /// Notes that the connection has ended, so its replies come no more.
    mutating func connectionEnded() { counts = [:] }
}
