// SPDX-License-Identifier: Apache-2.0

import Wireline

/// The server's decisions, and the notes of an observer about it.
final class SimulatedServer {
    /// The address that all clients share.
    static let network = PeerNetwork(ipv4: 0xC000_0201)

    var limiter: ConnectionLimiter
    var budget: ByteBudget<Int>?
    var drain: Drain<Int>?
    /// When the drain continues.
    var drainTimer = Int.max
    var isAccepting = true
    var awayUntil = 0
    /// Whether the budget's next round is planned.
    var awaitsRound = false

    // The observer's notes.
    var openLinks: [Int: Link] = [:]
    /// When each connection was told to go.
    var told: [Int: Int] = [:]
    var drainStart = 0
    var intruders: [Int: SimulatedIntruder] = [:]
    /// The number of intruders that have not come.
    var expectedIntruderCount: Int
    /// The number of times that intruders have got memory.
    var intruderGrantCount = 0
    /// When the last intruder went.
    var calmSince = 0
    var isCalm: Bool { intruders.isEmpty && expectedIntruderCount == 0 }
    var met: Set<Met> = []

    /// What can happen to a server.
    enum Met: CaseIterable {
        case firstPacketTooLate
        case silence
        case oneTooMany
        case waitForRoom
        case drained
        case closedByDrain
        case handshakeTooLate
        /// A client that held memory was closed for others.
        case closedForRoom
        /// A client reset its connection while output waited for it.
        case resetWithOutput
        /// A client's system acknowledged nothing for too long.
        case takesNothing
        /// A client that reads nothing was closed after its system had acknowledged everything.
        case acknowledgedInTheEnd
        /// A connection ended before the server had handled what its system had acknowledged.
        case acknowledgedUnread
    }

    init(_ scenario: Scenario) {
        limiter = ConnectionLimiter(limit: scenario.connectionLimit)
        expectedIntruderCount = scenario.intruders.count
        budget = scenario.heldByteLimit.map { ByteBudget(limit: $0) }
    }
}

/// What the server keeps about a client, also after a restart.
struct ServerRecord {
    /// The last sequence number that it has seen.
    var lastSequence: UInt64?
    /// The number of times that each message has arrived and was handled.
    var arrivals: [Int]
    var deliveries: [Int]
    /// The messages that it has handled, in order.
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
        // The number before the first one is 0, which is also the last of all numbers.
        let last = lastSequence ?? maximum
        let distance = sequence >= last ? sequence - last : maximum - (last - sequence)
        return 1...(maximum / 2) ~= distance
    }
}
