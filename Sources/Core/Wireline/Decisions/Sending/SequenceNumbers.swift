// SPDX-License-Identifier: Apache-2.0

/// Assigns sequence numbers to messages, and finds the message of a number.
/// Assigns sequence numbers to messages, and finds the message of a number.
///
/// Messages with numbers have ordinals, from 1. The field holds the ordinal as far as it fits: after the largest
/// number,
/// numbers begin at 1 again. An ordinal is skipped if a late reply to an abandoned message may still carry its number.
struct SequenceNumbers {
    enum Next: Equatable {
        case now(UInt64)
        /// An earlier message must be known to have arrived first.
        case later
        /// No expected event can make it possible.
        case never
    }

    /// An abandoned message whose reply may still come.
    private struct GivenUp {
        let ordinal: UInt64
        let replyIDs: [UInt64]
        /// Whether a failed reply may still come. A failed reply has no number.
        var mayFail = true
    }

    /// The last ordinal that was given to the connection between two heartbeats.
    private struct Mark {
        let earlierHeartbeats: UInt64
        var ordinal: UInt64
    }

    /// The largest number of abandoned messages; beyond it the oldest is forgotten.
    private static let mostGivenUp: UInt64 = 1024
    /// The largest number of marks; beyond it the oldest is dropped. ``HeartbeatMonitor`` keeps fewer heartbeats.
    private static let mostMarks = 32
    /// After this many unanswered heartbeats in a row, no answer is expected to show what has arrived.
    private static let mostUnanswered: UInt64 = 3

    /// The largest number, at least 2: with one number, messages cannot be told apart.
    private let maximum: UInt64
    /// The largest distance at which a server can tell new numbers from old ones.
    private let window: UInt64
    private let hasHeartbeat: Bool

    private var lastOrdinal: UInt64 = 0
    /// The last ordinal that is known to have arrived.
    private var lastArrived: UInt64 = 0
    /// Abandoned messages by their numbers. No later message gets one of these numbers.
    private var givenUp: [UInt64: GivenUp] = [:]
    // INVARIANT: both fields ascend; a connection is given messages in the order of their ordinals.
    private var marks: [Mark] = []

    init(maximum: UInt64, hasHeartbeat: Bool) {
        precondition(maximum > 1, "a single number tells nothing from anything")
        self.maximum = maximum
        self.hasHeartbeat = hasHeartbeat
        window = maximum / 2
    }

    func sequence(of ordinal: UInt64) -> UInt64 { 1 + (ordinal - 1) % maximum }

    /// The newest ordinal with this number; nil: none had it.
    func ordinal(of sequence: UInt64) -> UInt64? {
        guard 1...maximum ~= sequence, lastOrdinal > 0 else { return nil }
        let place = sequence - 1
        let last = (lastOrdinal - 1) % maximum
        let distance = last >= place ? last - place : maximum - (place - last)
        return distance < lastOrdinal ? lastOrdinal - distance : nil
    }

    // MARK: Sending

    /// Assigns an ordinal to a message for the connection, if one is available.
    ///
    /// - Parameters:
    ///   - ordinal: The message's ordinal; nil: it has none yet.
    ///   - oldest: The first ordinal of the messages that may be sent again, or that wait for a receipt.
    ///   - earlierHeartbeats: The number of heartbeats that were given to the connection.
    mutating func give(_ ordinal: UInt64?, oldest: UInt64?, earlierHeartbeats: UInt64) -> Next {
        let next = ordinal.map { .now($0) } ?? next(oldest: oldest, earlierHeartbeats)
        if case .now(let ordinal) = next { mark(ordinal, earlierHeartbeats) }
        return next
    }

    private mutating func next(oldest: UInt64?, _ earlierHeartbeats: UInt64) -> Next {
        var ordinal = lastOrdinal + 1
        while givenUp[sequence(of: ordinal)] != nil { ordinal += 1 }
        if let oldest, ordinal - oldest >= window { return .later }
        // The server may have seen any number since the last one that is known to have arrived. Messages since then
        // that are not sent again may have left too wide a gap. A smaller number does not help: the server may have
        // stored the reply to an older message under it.
        if ordinal - lastArrived > window {
            if oldest != nil || mayBeShown(behind: earlierHeartbeats) { return .later }
            // No confirmation will come: use this number even if a late reply may still carry it.
            ordinal = lastOrdinal + 1
            guard ordinal - lastArrived <= window else { return .never }
            givenUp[sequence(of: ordinal)] = nil
        }
        lastOrdinal = ordinal
        return .now(ordinal)
    }

    /// Whether a heartbeat's answer may still show further arrivals.
    private func mayBeShown(behind earlierHeartbeats: UInt64) -> Bool {
        guard hasHeartbeat, let last = marks.last, last.ordinal > lastArrived else { return false }
        return earlierHeartbeats < last.earlierHeartbeats + Self.mostUnanswered
    }

    private mutating func mark(_ ordinal: UInt64, _ earlierHeartbeats: UInt64) {
        if let last = marks.indices.last, marks[last].earlierHeartbeats == earlierHeartbeats {
            marks[last].ordinal = ordinal
            return
        }
        if marks.count == Self.mostMarks { marks.removeFirst() }
        marks.append(Mark(earlierHeartbeats: earlierHeartbeats, ordinal: ordinal))
    }

    // MARK: Confirmations

    mutating func arrived(_ ordinal: UInt64) { lastArrived = max(lastArrived, ordinal) }

    /// The messages that were given before this heartbeat have arrived.
    mutating func heartbeatAnswered(_ heartbeat: UInt64) {
        guard let mark = marks.lastIndex(where: { $0.earlierHeartbeats < heartbeat }) else { return }
        arrived(marks[mark].ordinal)
        marks.removeSubrange(...mark)
    }

    /// A given message was abandoned, but its reply may still come.
    mutating func giveUp(_ ordinal: UInt64, replyIDs: [UInt64]) {
        // Half of the numbers that may be skipped, so that enough are left to send without waiting.
        let limit = min(Self.mostGivenUp, window / 2)
        givenUp[sequence(of: ordinal)] = GivenUp(ordinal: ordinal, replyIDs: replyIDs)
        guard givenUp.count > limit else { return }
        if let oldest = givenUp.min(by: { $0.value.ordinal < $1.value.ordinal })?.key { givenUp[oldest] = nil }
    }

    /// Whether late replies to abandoned messages may come.
    var mayHaveLateReplies: Bool { !givenUp.isEmpty }

    /// Takes a reply that no waiting message matches. Returns whether an abandoned message matches.
    mutating func takeLateReply(id: UInt64, sequence: UInt64) -> Bool {
        guard let message = givenUp[sequence], message.replyIDs.contains(id) else { return false }
        givenUp[sequence] = nil
        arrived(message.ordinal)
        return true
    }

    /// A message has had its reply. A peer answers messages with the same replies in order, so older ones get none any
    /// more.
    mutating func replied(_ ordinal: UInt64, replyIDs: [UInt64]) {
        for (sequence, message) in givenUp where message.ordinal < ordinal && message.replyIDs == replyIDs {
            givenUp[sequence]?.mayFail = false
        }
    }

    /// Takes a failed reply, which does not name its message.
    ///
    /// - Parameter ordinal: The oldest message that waits for it; nil: none.
    /// - Returns: Whether it belongs to an older message, which was abandoned.
    mutating func takeLateFailure(id: UInt64, before ordinal: UInt64?) -> Bool {
        let mayFail = givenUp.filter { $0.value.mayFail && $0.value.replyIDs.contains(id) }
        guard let oldest = mayFail.min(by: { $0.value.ordinal < $1.value.ordinal }) else { return false }
        if let ordinal, ordinal < oldest.value.ordinal { return false }
        givenUp[oldest.key] = nil
        arrived(oldest.value.ordinal)
        return true
    }

    /// The connection has ended, so its replies come no more.
    mutating func connectionEnded() {
        givenUp = [:]
        marks = []
    }
}
