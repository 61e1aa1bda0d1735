// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import Wireline

/// A client without a session, and what it does to a server. Times are microseconds.
struct PlannedIntruder {
    enum Kind: CaseIterable {
        /// It never completes its handshakes.
        case unready
        /// It sends most of a message, for which the server holds memory, and then stops.
        case holder
        /// It continues so slowly that the message would take minutes.
        case dribbler
        /// It sends one message after another, each in a few seconds.
        case worker
        /// It leaves a small message in the memory of a larger one.
        case leaver
        /// Its program reads nothing of what is sent to it. Its system acknowledges what fits its buffer.
        case deaf
    }

    var kind: Kind
    var time: Int
    /// The number of bytes that the server holds for it.
    var byteCount: Int
    /// The number of these bytes that fit the buffer of its system.
    var acknowledgedByteCount: Int
    /// The time after which it resets its connection; nil: never.
    var resetDelay: Int?
}

/// An intruder's connection, as the server sees it.
final class SimulatedIntruder {
    /// The address that all of them have.
    static let network = PeerNetwork(ipv4: 0xC633_6401)
    /// The time between its actions.
    static let step = 500_000
    /// How long it may acknowledge nothing while output waits for it.
    static let writeTimeout = 10_000_000

    let number: Int
    let plan: PlannedIntruder
    var deadlines: PeerDeadlines
    var isOpen = true
    /// When its deadlines are checked.
    var timer = Int.max
    var heardAt: Int
    var wantedSince: Int
    /// When its system last acknowledged bytes.
    var acknowledgedAt: Int
    var isDraining = false
    /// The number of bytes that it has sent and acknowledged.
    var movedByteCount: UInt64 = 0
    /// The number of bytes sent to it that its system has not acknowledged.
    var undeliveredByteCount = 0
    /// The number of its actions since it got memory.
    var stepCount = 0

    init(_ plan: PlannedIntruder, number: Int, limits: PeerDeadlines.Limits, at now: Int) {
        self.plan = plan
        self.number = number
        deadlines = PeerDeadlines(limits, isShakingHands: plan.kind == .unready, at: .microseconds(now))
        (heardAt, wantedSince, acknowledgedAt) = (now, now, now)
    }
}

extension Scenario {
    /// Clients that use up the memory that a server has for all clients.
    static func intruders(
        heldByteLimit: Int?, until end: Int, using random: inout SeededGenerator
    ) -> [PlannedIntruder] {
        let limit = heldByteLimit ?? 10_000
        // With fewer bytes no client is too slow.
        guard limit >= 200, random.percentage() < 50 else { return [] }
        return (0..<1 + random.below(6)).map { _ in
            let byteCount = limit * (30 + random.below(70)) / 100
            return PlannedIntruder(
                kind: PlannedIntruder.Kind.allCases[random.below(PlannedIntruder.Kind.allCases.count)],
                time: random.below(end), byteCount: byteCount,
                acknowledgedByteCount: random.percentage() < 40 ? byteCount : random.below(byteCount),
                resetDelay: random.percentage() < 40 ? random.below(8_000_000) : nil)
        }
    }
}
