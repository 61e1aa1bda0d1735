// SPDX-License-Identifier: Apache-2.0

/// The messages of a session, until they are delivered or cannot be.
///
/// One list in the order of sending, and a cursor: what stands before it was given to the connection that there is and
/// waits to be confirmed; what stands behind it waits to be given. When the connection ends, what is kept goes back
/// behind the cursor where it stands, so the order never changes.
struct OutboundQueue<Payload> {
    typealias Action = SessionAction<Payload>

    fileprivate struct Entry {
        let number: MessageNumber
        /// Nil: the message was given up, and keeps its place so that a late reply is not taken for another one's.
        var payload: Payload?
        var byteCount: Int
        let delivery: DeliveryPolicy
        let receipt: DeliveryReceipt
        let expiry: Duration?
        /// Its place among the messages with sequence numbers, from 1, once it was given.
        var ordinal: UInt64?
        var wasGiven = false
        /// Whether the sender has been told how it ended.
        var isOver = false
        /// How many heartbeats its connection had been given before it.
        var earlierHeartbeats: UInt64 = 0

        var isConfirmedByHeartbeat: Bool {
            if case .latest = delivery, receipt == .none { return true }
            return receipt == .heartbeat
        }
    }

    private let limits: OutboundLimits
    private let maximumSequence: UInt64?
    /// How far numbers may lie apart so that a server can tell old from new.
    private let window: UInt64

    // INVARIANT: an entry's index in `slots` is in `indices` while it is not given up; what stands before `head` is nil,
    // and `cursor` does not stand before it.
    private var slots: [Entry?] = []
    private var head = 0
    private var cursor = 0
    private var indices: [MessageNumber: Int] = [:]
    private var latest: [LatestKey: Int] = [:]
    private var lastNumber: UInt64 = 0
    private var lastOrdinal: UInt64 = 0
    /// The last message with a number of which it is known that it has arrived.
    private var lastArrived: UInt64 = 0
    /// No entry expires before.
    private var earliestExpiry: Duration?

    /// How many entries there are, those that were given up and wait for a late reply included.
    private(set) var count = 0
    private(set) var byteCount = 0
    /// How many messages there are whose sender waits for the outcome.
    private(set) var openCount = 0

    /// How many messages only a heartbeat's answer confirms.
    private var heartbeatReceiptCount = 0

    /// Whether a message is there that only a heartbeat's answer confirms.
    var awaitsHeartbeat: Bool { heartbeatReceiptCount > 0 }

    init(limits: OutboundLimits, maximumSequence: UInt64?) {
        self.limits = limits
        // With a single number nothing can be told from anything.
        let maximumSequence = maximumSequence.flatMap { $0 > 1 ? $0 : nil }
        self.maximumSequence = maximumSequence
        window = maximumSequence.map { $0 / 2 } ?? .max
    }

    /// When ``expire(at:into:)`` is to be called; nil: never.
    var deadline: Duration? { earliestExpiry }

    // MARK: Coming in

    mutating func append(
        _ message: OutboundMessage<Payload>, isConnected: Bool, hasHeartbeat: Bool, into actions: inout [Action]
    ) throws(SessionError) -> MessageNumber {
        try check(message, isConnected: isConnected, hasHeartbeat: hasHeartbeat)
        var replaced: Int?
        if case .latest(let key) = message.delivery { replaced = latest[key] }
        let old = replaced.flatMap { slots[$0] }
        let freesPlace = replaced.map { !mayBeRepliedTo($0) } ?? false
        guard message.byteCount <= limits.byteCount - (byteCount - (old?.byteCount ?? 0))
        else { throw .tooManyBytes(limit: limits.byteCount) }
        guard count - (freesPlace ? 1 : 0) < limits.messageCount
        else { throw .tooManyMessages(limit: limits.messageCount) }

        lastNumber += 1
        let entry = Entry(
            number: MessageNumber(rawValue: lastNumber), payload: message.payload, byteCount: message.byteCount,
            delivery: message.delivery, receipt: message.receipt, expiry: message.expiry)
        if let replaced, let old, !old.wasGiven {
            tell(.replaced, ofEntryAt: replaced, into: &actions)
            release(old, at: replaced)
            insert(entry, at: replaced)
            return entry.number
        }
        // One that was given already has gone its way; the newer one goes behind what has been sent since.
        if let replaced { giveUp(at: replaced, .replaced, into: &actions) }
        compactIfSparse()
        slots.append(nil)
        insert(entry, at: slots.count - 1)
        return entry.number
    }

    private func check(
        _ message: OutboundMessage<Payload>, isConnected: Bool, hasHeartbeat: Bool
    ) throws(SessionError) {
        switch message.delivery {
        case .whileConnected: guard isConnected else { throw .notConnected }
        case .atLeastOnce: guard message.receipt != .none else { throw .needsReceipt }
        case .exactlyOnce:
            guard maximumSequence != nil else { throw .needsSequence }
            guard message.receipt != .none else { throw .needsReceipt }
        case .latest, .atMostOnce: break
        }
        if message.receipt == .heartbeat, !hasHeartbeat { throw .needsHeartbeat }
        if message.receipt == .acknowledgement, maximumSequence == nil { throw .needsSequence }
    }

    private mutating func insert(_ entry: Entry, at index: Int) {
        slots[index] = entry
        indices[entry.number] = index
        if case .latest(let key) = entry.delivery { latest[key] = index }
        if let expiry = entry.expiry { earliestExpiry = min(earliestExpiry ?? expiry, expiry) }
        count += 1
        openCount += 1
        byteCount += entry.byteCount
        if entry.isConfirmedByHeartbeat { heartbeatReceiptCount += 1 }
    }

    // MARK: Going out

    /// The next message for the connection; nil where none waits, or none may go before an earlier one is confirmed.
    mutating func next(earlierHeartbeats: UInt64, into actions: inout [Action]) -> GivenMessage<Payload>? {
        while cursor < slots.count {
            let index = cursor
            guard var entry = slots[index], let payload = entry.payload else {
                cursor += 1
                continue
            }
            var sequence: UInt64?
            if let maximumSequence, Self.isNumbered(entry) {
                if entry.ordinal == nil {
                    switch numbering {
                    case .now: lastOrdinal += 1
                    case .later: return nil
                    case .never:
                        end(at: index, .failed(.outOfSequenceNumbers), into: &actions)
                        continue
                    }
                }
                let ordinal = entry.ordinal ?? lastOrdinal
                entry.ordinal = ordinal
                sequence = 1 + (ordinal - 1) % maximumSequence
            }
            let isRepeated = entry.wasGiven
            entry.wasGiven = true
            entry.earlierHeartbeats = earlierHeartbeats
            slots[index] = entry
            cursor += 1
            if entry.receipt == .none {
                if entry.delivery.isKept {
                    tell(.given, ofEntryAt: index, into: &actions)
                } else {
                    end(at: index, .given, into: &actions)
                }
            }
            return GivenMessage(
                number: entry.number, payload: payload, byteCount: entry.byteCount, sequence: sequence,
                isRepeated: isRepeated)
        }
        return nil
    }

    private static func isNumbered(_ entry: Entry) -> Bool {
        switch entry.receipt {
        case .reply, .acknowledgement: true
        case .none, .heartbeat: entry.delivery == .exactlyOnce
        }
    }

    private enum Numbering {
        case now
        case later
        case never
    }

    /// Whether a message can have the next number.
    private var numbering: Numbering {
        let next = lastOrdinal + 1
        var oldest: UInt64?
        for index in head..<cursor {
            oldest = slots[index]?.ordinal
            if oldest != nil { break }
        }
        if let oldest, next - oldest >= window { return .later }
        // The server may have seen any number from the last one that is known to have arrived. What was given since to
        // connections that have ended, and is not given again, may have left a gap that is too wide. A smaller number
        // would be no way out: a server may have the reply to an older message under it.
        if next - lastArrived <= window { return .now }
        return oldest == nil ? .never : .later
    }

    // MARK: Coming to an end

    /// Takes note of what the peer has said.
    mutating func acknowledge(_ acknowledgement: DeliveryAcknowledgement, into actions: inout [Action]) {
        switch acknowledgement {
        case .sequence(let sequence):
            guard let ordinal = ordinal(of: sequence) else { return }
            lastArrived = max(lastArrived, ordinal)
            _ = confirmFirst(into: &actions) { $0.ordinal == ordinal && $0.receipt == .acknowledgement }
        case .cumulative(let sequence):
            guard let last = ordinal(of: sequence) else { return }
            lastArrived = max(lastArrived, last)
            for index in head..<slots.count {
                guard let entry = slots[index], entry.receipt == .acknowledgement else { continue }
                guard let ordinal = entry.ordinal, ordinal <= last else { continue }
                end(at: index, .confirmed, into: &actions)
            }
        case .reply(let id, let sequence):
            if maximumSequence != nil {
                guard let ordinal = sequence.flatMap({ self.ordinal(of: $0) }) else { return }
                // Any other message may bear any number.
                let isReply = confirmFirst(into: &actions) { $0.ordinal == ordinal && $0.receipt == .reply(id: id) }
                if isReply { lastArrived = max(lastArrived, ordinal) }
            } else {
                _ = confirmFirst(before: cursor, into: &actions) { $0.receipt == .reply(id: id) }
            }
        }
    }

    /// A heartbeat was answered: what was given before it has arrived.
    mutating func heartbeatAnswered(_ heartbeat: UInt64, into actions: inout [Action]) {
        for index in head..<cursor {
            guard let entry = slots[index] else { continue }
            guard entry.earlierHeartbeats < heartbeat else { return }
            if let ordinal = entry.ordinal { lastArrived = max(lastArrived, ordinal) }
            guard entry.isConfirmedByHeartbeat else { continue }
            end(at: index, .confirmed, into: &actions)
        }
    }

    private mutating func confirmFirst(
        before end: Int? = nil, into actions: inout [Action], where condition: (Entry) -> Bool
    ) -> Bool {
        for index in head..<(end ?? slots.count) {
            guard let entry = slots[index], condition(entry) else { continue }
            if entry.payload == nil { actions.append(.ignoreReply) }
            self.end(at: index, .confirmed, into: &actions)
            return true
        }
        return false
    }

    /// The place of the message that has most recently had a number.
    private func ordinal(of sequence: UInt64) -> UInt64? {
        guard let maximumSequence, 1...maximumSequence ~= sequence, lastOrdinal > 0 else { return nil }
        let place = sequence - 1
        let last = (lastOrdinal - 1) % maximumSequence
        let distance = last >= place ? last - place : maximumSequence - (place - last)
        return distance < lastOrdinal ? lastOrdinal - distance : nil
    }

    /// The connection has ended: what is kept waits again, and what is not is lost.
    mutating func connectionEnded(into actions: inout [Action]) {
        let given = cursor
        for index in head..<slots.count {
            guard let entry = slots[index] else { continue }
            guard index < given else {
                if entry.delivery == .whileConnected {
                    end(at: index, .failed(.lost(mayHaveArrived: false)), into: &actions)
                }
                continue
            }
            if entry.payload == nil || !entry.delivery.isKept {
                end(at: index, .failed(.lost(mayHaveArrived: true)), into: &actions)
            }
        }
        cursor = head
    }

    /// The sender gives a message up.
    mutating func cancel(_ number: MessageNumber, into actions: inout [Action]) {
        guard let index = indices[number], let entry = slots[index] else { return }
        giveUp(at: index, .failed(.cancelled(mayHaveArrived: entry.wasGiven)), into: &actions)
    }

    /// Gives up what is of no use any more.
    mutating func expire(at now: Duration, into actions: inout [Action]) {
        guard let earliestExpiry, earliestExpiry <= now else { return }
        self.earliestExpiry = nil
        var next: Duration?
        for index in head..<slots.count {
            guard let entry = slots[index], entry.payload != nil, let expiry = entry.expiry else { continue }
            if expiry <= now {
                giveUp(at: index, .failed(.expired(mayHaveArrived: entry.wasGiven)), into: &actions)
            } else {
                next = min(next ?? expiry, expiry)
            }
        }
        self.earliestExpiry = next
    }

    /// The session has ended.
    mutating func endAll(into actions: inout [Action]) {
        for index in head..<slots.count {
            guard let entry = slots[index] else { continue }
            end(at: index, .failed(.ended(mayHaveArrived: entry.wasGiven)), into: &actions)
        }
    }

    /// Whether the peer may still reply to a message, although nobody waits for that any more.
    private func mayBeRepliedTo(_ index: Int) -> Bool {
        guard index < cursor, case .reply = slots[index]?.receipt else { return false }
        return true
    }

    private mutating func giveUp(at index: Int, _ outcome: MessageOutcome, into actions: inout [Action]) {
        guard let entry = slots[index] else { return }
        guard mayBeRepliedTo(index) else { return end(at: index, outcome, into: &actions) }
        tell(outcome, ofEntryAt: index, into: &actions)
        release(entry, at: index)
        count += 1
        slots[index]?.payload = nil
        slots[index]?.byteCount = 0
    }

    private mutating func tell(_ outcome: MessageOutcome, ofEntryAt index: Int, into actions: inout [Action]) {
        guard let entry = slots[index], !entry.isOver else { return }
        slots[index]?.isOver = true
        openCount -= 1
        actions.append(.complete(entry.number, outcome))
    }

    private mutating func end(at index: Int, _ outcome: MessageOutcome, into actions: inout [Action]) {
        tell(outcome, ofEntryAt: index, into: &actions)
        guard let entry = slots[index] else { return }
        slots[index] = nil
        release(entry, at: index)
        if count == 0 {
            earliestExpiry = nil
            head = slots.count
        } else {
            while slots[head] == nil { head += 1 }
        }
        cursor = max(cursor, head)
    }

    /// Counts an entry no more, and forgets where it stands.
    private mutating func release(_ entry: Entry, at index: Int) {
        count -= 1
        byteCount -= entry.byteCount
        if entry.isConfirmedByHeartbeat { heartbeatReceiptCount -= 1 }
        indices[entry.number] = nil
        if case .latest(let key) = entry.delivery, latest[key] == index { latest[key] = nil }
    }

    // MARK: Memory

    /// Closes the gaps once there are more of them than messages.
    private mutating func compactIfSparse() {
        guard slots.count >= 32, slots.count >= 2 * count else { return }
        var kept: [Entry?] = []
        kept.reserveCapacity(count + 1)
        var newCursor = 0
        for index in head..<slots.count {
            if index == cursor { newCursor = kept.count }
            guard let entry = slots[index] else { continue }
            if indices[entry.number] != nil { indices[entry.number] = kept.count }
            if case .latest(let key) = entry.delivery, latest[key] == index { latest[key] = kept.count }
            kept.append(entry)
        }
        cursor = cursor >= slots.count ? kept.count : newCursor
        slots = kept
        head = 0
    }
}

extension OutboundQueue: Sendable where Payload: Sendable {}
extension OutboundQueue.Entry: Sendable where Payload: Sendable {}
