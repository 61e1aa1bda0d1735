// SPDX-License-Identifier: Apache-2.0

import WirelineSession

/// What the server decides by, and what an onlooker notes of it.
final class SimulatedServer {
    /// The one address that all clients have.
    static let network = PeerNetwork(ipv4: 0xC000_0201)

    var limiter: ConnectionLimiter
    var budget: ByteBudget<Int>?
    var drain: Drain<Int>?
    /// When the drain goes on.
    var drainTimer = Int.max
    var isAccepting = true
    var awayUntil = 0

    // What the onlooker notes.
    var openLinks: [Int: Link] = [:]
    /// When each connection was told to go.
    var told: [Int: Int] = [:]
    var drainStart = 0
    var met: Set<Met> = []

    /// What can happen to a server.
    enum Met: CaseIterable {
        case firstPacketTooLate
        case silence
        case oneTooMany
        case waitForRoom
        case drained
        case closedByDrain
    }

    init(_ scenario: Scenario) {
        limiter = ConnectionLimiter(limit: scenario.connectionLimit)
        budget = scenario.heldByteLimit.map { ByteBudget(limit: $0) }
    }
}

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
