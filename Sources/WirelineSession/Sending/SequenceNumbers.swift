// SPDX-License-Identifier: Apache-2.0

/// Which sequence number a message gets, and which message a number belongs to.
///
/// Messages with numbers have ordinals, from 1 on. The number of an ordinal is what the field can hold of it: behind the
/// largest one the numbers begin at 1 again. An ordinal is skipped where the reply to a message that was given up may
/// still come and bear its number.
struct SequenceNumbers {
    enum Next: Equatable {
        /// The message gets this ordinal.
        case now(UInt64)
        /// First something that was given must be known to have arrived.
        case later
        /// Nothing that is known of will make it possible.
        case never
    }

    /// A message whose reply may come when nobody waits for it any more.
    private struct GivenUp {
        let ordinal: UInt64
        let replyID: UInt64
    }

    /// Up to which ordinal messages were given to the connection between two heartbeats.
    private struct Mark {
        let earlierHeartbeats: UInt64
        var ordinal: UInt64
    }

    /// Of more messages that were given up the oldest is forgotten.
    private static let mostGivenUp: UInt64 = 1024
    /// More heartbeats than these do not wait for their answers; see ``HeartbeatMonitor``.
    private static let mostMarks = 32
    /// A server that has left so many heartbeats in a row unanswered will not say by one what has arrived.
    private static let mostUnanswered: UInt64 = 3

    /// The largest number, at least 2: a single one tells nothing from anything.
    private let maximum: UInt64
    /// How far numbers may lie apart so that a server can tell old from new.
    private let window: UInt64
    private let hasHeartbeat: Bool

    private var lastOrdinal: UInt64 = 0
    /// The last one of which it is known that it has arrived.
    private var lastArrived: UInt64 = 0
    /// By their numbers, which no later message has.
    private var givenUp: [UInt64: GivenUp] = [:]
    // INVARIANT: in ascending order of both; a connection is given messages in the order of their ordinals.
    private var marks: [Mark] = []

    init(maximum: UInt64, hasHeartbeat: Bool) {
        precondition(maximum > 1, "a single number tells nothing from anything")
        self.maximum = maximum
        self.hasHeartbeat = hasHeartbeat
        window = maximum / 2
    }

    /// The number of an ordinal.
    func sequence(of ordinal: UInt64) -> UInt64 { 1 + (ordinal - 1) % maximum }

    /// The ordinal that has most recently had a number.
    func ordinal(of sequence: UInt64) -> UInt64? {
        guard 1...maximum ~= sequence, lastOrdinal > 0 else { return nil }
        let place = sequence - 1
        let last = (lastOrdinal - 1) % maximum
        let distance = last >= place ? last - place : maximum - (place - last)
        return distance < lastOrdinal ? lastOrdinal - distance : nil
    }

    // MARK: Going out

    /// The connection is given a message, unless there is no number for it.
    ///
    /// - Parameters:
    ///   - ordinal: The message's ordinal; nil: it has none yet.
    ///   - oldest: The first ordinal of the messages that may be given again, or whose receipt somebody waits for.
    ///   - earlierHeartbeats: How many heartbeats the connection has been given.
    mutating func give(_ ordinal: UInt64?, oldest: UInt64?, earlierHeartbeats: UInt64) -> Next {
        let next = ordinal.map { .now($0) } ?? next(oldest: oldest, earlierHeartbeats)
        if case .now(let ordinal) = next { mark(ordinal, earlierHeartbeats) }
        return next
    }

    private mutating func next(oldest: UInt64?, _ earlierHeartbeats: UInt64) -> Next {
        var ordinal = lastOrdinal + 1
        while givenUp[sequence(of: ordinal)] != nil { ordinal += 1 }
        if let oldest, ordinal - oldest >= window { return .later }
        // The server may have seen any number from the last one that is known to have arrived. What was given since and
        // is not given again may have left a gap that is too wide. A smaller number would be no way out: a server may
        // have the reply to an older message under it.
        if ordinal - lastArrived > window {
            if oldest != nil || mayBeShown(behind: earlierHeartbeats) { return .later }
            // With nothing to wait for, a number is not skipped, though the reply to another message may still come.
            ordinal = lastOrdinal + 1
            guard ordinal - lastArrived <= window else { return .never }
            givenUp[sequence(of: ordinal)] = nil
        }
        lastOrdinal = ordinal
        return .now(ordinal)
    }

    /// Whether a heartbeat's answer may still show that more has arrived than is known.
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

    // MARK: What has become of them

    /// A message has arrived.
    mutating func arrived(_ ordinal: UInt64) { lastArrived = max(lastArrived, ordinal) }

    /// A heartbeat was answered: what was given before it has arrived.
    mutating func heartbeatAnswered(_ heartbeat: UInt64) {
        guard let mark = marks.lastIndex(where: { $0.earlierHeartbeats < heartbeat }) else { return }
        arrived(marks[mark].ordinal)
        marks.removeSubrange(...mark)
    }

    /// Nobody waits any more for the reply to a message that the connection was given.
    mutating func giveUp(_ ordinal: UInt64, replyID: UInt64) {
        // Half of what may be skipped, so that enough is left to be sent without waiting.
        let limit = min(Self.mostGivenUp, window / 2)
        givenUp[sequence(of: ordinal)] = GivenUp(ordinal: ordinal, replyID: replyID)
        guard givenUp.count > limit else { return }
        if let oldest = givenUp.min(by: { $0.value.ordinal < $1.value.ordinal })?.key { givenUp[oldest] = nil }
    }

    /// Whether replies may come for which nobody waits.
    var mayHaveLateReplies: Bool { !givenUp.isEmpty }

    /// A reply has come for which nobody waits.
    ///
    /// - Returns: Whether it is one to a message that was given up.
    mutating func takeLateReply(id: UInt64, sequence: UInt64) -> Bool {
        guard let message = givenUp[sequence], message.replyID == id else { return false }
        givenUp[sequence] = nil
        arrived(message.ordinal)
        return true
    }

    /// The connection has ended, and replies on it come no more.
    mutating func connectionEnded() {
        givenUp = [:]
        marks = []
    }
}
