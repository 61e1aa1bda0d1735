// SPDX-License-Identifier: Apache-2.0

import WirelineSession

/// What the server keeps of a client, restarts or not.
struct ServerRecord {
    /// The last sequence number that it has seen.
    var lastSequence: UInt64?
    /// How often each message has arrived, and was dealt with.
    var arrivals: [Int]
    var deliveries: [Int]
    /// The messages that it has dealt with, in order.
    var log: [Int] = []

    init(messageCount: Int) {
        arrivals = Array(repeating: 0, count: messageCount)
        deliveries = arrivals
    }

    /// Whether a sequence number is new: ahead of the last one by at most half of all numbers.
    mutating func isNew(_ sequence: UInt64, maximum: UInt64) -> Bool {
        defer { if isAhead(sequence, maximum: maximum) { lastSequence = sequence } }
        return isAhead(sequence, maximum: maximum)
    }

    private func isAhead(_ sequence: UInt64, maximum: UInt64) -> Bool {
        // Before the first number stands 0, which is the last of them as well.
        let last = lastSequence ?? maximum
        let distance = sequence >= last ? sequence - last : maximum - (last - sequence)
        return 1...(maximum / 2) ~= distance
    }
}
