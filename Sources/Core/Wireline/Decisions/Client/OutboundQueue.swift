// SPDX-License-Identifier: Apache-2.0

/// The messages of a session, until they are delivered or have failed.
///
/// It is one list in sending order, with a cursor. Messages before the cursor were given to the current connection and
/// wait for confirmation. Messages after it wait to be given. When the connection ends, the cursor moves back to the
/// start of what is kept, so the order never changes.
struct OutboundQueue<Payload> {
    typealias Action = SessionAction<Payload>

    fileprivate struct Entry {
        let number: MessageNumber
        let payload: Payload
        let byteCount: Int
        let delivery: DeliveryPolicy
        let receipt: DeliveryReceipt
        let expiry: Duration?
        /// Its position among the messages with sequence numbers, from 1; nil until it was given.
        var ordinal: UInt64?
        /// Without numbers: its position among the connection's messages with the same replies.
        var replyPlace: UInt64?
        var wasGiven = false
        /// Whether its sender knows the outcome.
        var isOver = false
        /// The number of heartbeats on its connection that were given before it.
        var earlierHeartbeats: UInt64 = 0

        var isConfirmedByHeartbeat: Bool {
            if case .latest = delivery, receipt == .none { return true }
            return receipt == .heartbeat
        }
    }

    private let limits: OutboundLimits
    private let hasHeartbeat: Bool
    /// Whether each connection is given the unconfirmed latest messages.
    /// They then have limits of their own, so that they do not use up the limits of other messages.
    private let repeatsLatest: Bool
    /// nil if packets have no sequence field.
    private var numbers: SequenceNumbers?
    private var replyOrder = ReplyOrder()

    // INVARIANT: `indices` has the index in `slots` of each entry; slots before `head` are nil; `cursor` is not less
    // than `head`.
    private var slots: [Entry?] = []
    private var head = 0
    private var cursor = 0
    private var indices: [MessageNumber: Int] = [:]
    private var latest: [LatestKey: Int] = [:]
    private var lastNumber: UInt64 = 0
    /// No entry expires earlier.
    private var earliestExpiry: Duration?

    private(set) var count = 0
    private(set) var byteCount = 0
    /// The counts of the latest messages, if they have limits of their own.
    private var (latestCount, latestByteCount) = (0, 0)
    /// The number of messages whose sender waits for the outcome.
    private(set) var openCount = 0

    /// The number of messages that only a heartbeat's answer confirms.
    private var heartbeatReceiptCount = 0

    /// Whether a message is queued that only a heartbeat's answer confirms.
    var awaitsHeartbeat: Bool { heartbeatReceiptCount > 0 }

    /// Whether an arriving packet may be the reply to a message, even to an abandoned one.
    var awaitsReplies: Bool { count > 0 || numbers?.mayHaveLateReplies ?? replyOrder.awaitsReplies }

    /// The size of the queue, and of the part that waits to be given to a connection.
    var counters: OutboundCounters {
        var counters = OutboundCounters()
        (counters.messageCount, counters.byteCount) = (count, byteCount)
        for case let entry? in slots[cursor...] {
            counters.waitingMessageCount += 1
            counters.waitingByteCount += entry.byteCount
        }
        return counters
    }

    init(limits: OutboundLimits, maximumSequence: UInt64?, hasHeartbeat: Bool, repeatsLatest: Bool) {
        self.limits = limits
        self.hasHeartbeat = hasHeartbeat
        self.repeatsLatest = repeatsLatest
        // With one number, messages cannot be told apart.
        if let maximumSequence, maximumSequence > 1 {
            numbers = SequenceNumbers(maximum: maximumSequence, hasHeartbeat: hasHeartbeat)
        }
    }

    /// When to call ``expire(at:into:)``; nil: never.
    var deadline: Duration? { earliestExpiry }

    // MARK: Queueing

    mutating func append(
        _ message: OutboundMessage<Payload>, isConnected: Bool, into actions: inout [Action]
    ) throws(SessionError) -> MessageNumber {
        try check(message, isConnected: isConnected)
        var replaced: Int?
        if case .latest(let key) = message.delivery { replaced = latest[key] }
        let old = replaced.flatMap { slots[$0] }
        let isSeparate = isCountedSeparately(message.delivery)
        let (count, byteCount) =
            isSeparate ? (latestCount, latestByteCount) : (count - latestCount, byteCount - latestByteCount)
        guard message.byteCount <= limits.byteCount - (byteCount - (old?.byteCount ?? 0))
        else { throw .tooManyBytes(limit: limits.byteCount) }
        guard count - (old == nil ? 0 : 1) < limits.messageCount
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
        // A message that was given cannot be replaced in place: end it, and append the newer one.
        if let replaced { giveUp(at: replaced, .replaced, into: &actions) }
        compactIfSparse()
        slots.append(nil)
        insert(entry, at: slots.count - 1)
        return entry.number
    }

    private func check(_ message: OutboundMessage<Payload>, isConnected: Bool) throws(SessionError) {
        switch message.delivery {
        case .whileConnected: guard isConnected else { throw .notConnected }
        case .atLeastOnce: guard message.receipt != .none else { throw .needsReceipt }
        case .exactlyOnce:
            guard numbers != nil else { throw .needsSequence }
            guard message.receipt != .none else { throw .needsReceipt }
        case .latest, .atMostOnce: break
        }
        if message.receipt == .reply(anyOf: []) { throw .needsReceipt }
        if message.receipt == .heartbeat, !hasHeartbeat { throw .needsHeartbeat }
        if message.receipt == .acknowledgement, numbers == nil { throw .needsSequence }
    }

    private func isCountedSeparately(_ delivery: DeliveryPolicy) -> Bool {
        if case .latest = delivery { repeatsLatest } else { false }
    }

    private mutating func insert(_ entry: Entry, at index: Int) {
        slots[index] = entry
        indices[entry.number] = index
        if case .latest(let key) = entry.delivery { latest[key] = index }
        if let expiry = entry.expiry { earliestExpiry = min(earliestExpiry ?? expiry, expiry) }
        count += 1
        openCount += 1
        byteCount += entry.byteCount
        if isCountedSeparately(entry.delivery) {
            latestCount += 1
            latestByteCount += entry.byteCount
        }
        if entry.isConfirmedByHeartbeat { heartbeatReceiptCount += 1 }
    }

    // MARK: Sending

    /// Returns the length of the message in bytes; nil if none waits, or if an earlier message must be confirmed first.
    mutating func giveNext(
        to connection: ConnectionNumber, earlierHeartbeats: UInt64, into actions: inout [Action]
    ) -> Int? {
        while cursor < slots.count {
            let index = cursor
            guard var entry = slots[index] else {
                cursor += 1
                continue
            }
            var sequence: UInt64?
            if Self.isNumbered(entry) {
                let oldest = entry.ordinal == nil ? oldestOrdinal : nil
                switch numbers?.give(entry.ordinal, oldest: oldest, earlierHeartbeats: earlierHeartbeats) {
                case .now(let ordinal):
                    entry.ordinal = ordinal
                    sequence = numbers?.sequence(of: ordinal)
                case .later: return nil
                case .never:
                    end(at: index, .failed(.outOfSequenceNumbers), into: &actions)
                    continue
                case nil:
                    guard takeReplyPlace(for: &entry) else {
                        end(at: index, .failed(.tooManyMessages(limit: ReplyOrder.limit)), into: &actions)
                        continue
                    }
                }
            }
            let isRepeated = entry.wasGiven
            entry.wasGiven = true
            entry.earlierHeartbeats = earlierHeartbeats
            slots[index] = entry
            cursor += 1
            let message = GivenMessage(
                number: entry.number, payload: entry.payload, byteCount: entry.byteCount, sequence: sequence,
                isRepeated: isRepeated)
            actions.append(.give(connection, message))
            if entry.receipt == .none {
                // A message without a receipt is done, unless each connection gets it.
                if entry.delivery.isKept, hasHeartbeat || repeatsLatest {
                    tell(.given, ofEntryAt: index, into: &actions)
                } else {
                    end(at: index, .given, into: &actions)
                }
            }
            return entry.byteCount
        }
        return nil
    }

    /// Gives a message its place among those with the same replies, if it waits for one and packets have no numbers.
    ///
    /// - Returns: False if too many messages wait for replies.
    private mutating func takeReplyPlace(for entry: inout Entry) -> Bool {
        guard case .reply(let ids) = entry.receipt else { return true }
        entry.replyPlace = replyOrder.nextPlace(ids)
        return entry.replyPlace != nil
    }

    /// Whether the message has a number if packets have numbers.
    private static func isNumbered(_ entry: Entry) -> Bool {
        switch entry.receipt {
        case .reply, .acknowledgement: true
        case .none, .heartbeat: entry.delivery == .exactlyOnce
        }
    }

    private var oldestOrdinal: UInt64? {
        for index in head..<cursor {
            if let ordinal = slots[index]?.ordinal { return ordinal }
        }
        return nil
    }

    // MARK: Outcomes

    mutating func acknowledge(_ acknowledgement: DeliveryAcknowledgement, into actions: inout [Action]) {
        switch acknowledgement {
        case .sequence(let sequence):
            guard let ordinal = numbers?.ordinal(of: sequence) else { return }
            numbers?.arrived(ordinal)
            _ = confirmFirst(into: &actions) { $0.ordinal == ordinal && $0.receipt == .acknowledgement }
        case .cumulative(let sequence):
            guard let last = numbers?.ordinal(of: sequence) else { return }
            numbers?.arrived(last)
            for index in head..<slots.count {
                guard let entry = slots[index], entry.receipt == .acknowledgement else { continue }
                guard let ordinal = entry.ordinal, ordinal <= last else { continue }
                end(at: index, .confirmed, into: &actions)
            }
        case .reply(let id, let sequence):
            if numbers == nil {
                replyCame(id, into: &actions)
            } else if let sequence {
                replyCame(id, sequence, into: &actions)
            }
        case .failedReply(let id): failureCame(id, into: &actions)
        }
    }

    private mutating func replyCame(_ id: UInt64, into actions: inout [Action]) {
        guard let (place, ids) = replyOrder.takePlace(of: id) else { return }
        let isWanted = confirmFirst(before: cursor, into: &actions) {
            $0.replyPlace == place && $0.receipt == .reply(anyOf: ids)
        }
        if !isWanted { actions.append(.ignoreReply) }
    }

    /// A failed reply does not name its message, so this confirms the oldest given one that waits for such a reply. If
    /// an
    /// older message was abandoned, the reply belongs to that one.
    private mutating func failureCame(_ id: UInt64, into actions: inout [Action]) {
        let first = (head..<cursor).first { slots[$0]?.receipt.isReply(id) == true }
        let ordinal = first.flatMap { slots[$0]?.ordinal }
        if numbers?.takeLateFailure(id: id, before: ordinal) == true { return actions.append(.ignoreReply) }
        guard let first, let ordinal else { return }
        end(at: first, .confirmed, into: &actions)
        numbers?.arrived(ordinal)
    }

    private mutating func replyCame(_ id: UInt64, _ sequence: UInt64, into actions: inout [Action]) {
        guard let ordinal = numbers?.ordinal(of: sequence) else { return }
        var replyIDs: [UInt64] = []
        let isWanted = confirmFirst(into: &actions) { entry in
            // Any other message may have any number.
            guard entry.ordinal == ordinal, case .reply(let ids) = entry.receipt, ids.contains(id) else { return false }
            replyIDs = ids
            return true
        }
        if isWanted {
            numbers?.arrived(ordinal)
            numbers?.replied(ordinal, replyIDs: replyIDs)
        } else if numbers?.takeLateReply(id: id, sequence: sequence) == true {
            actions.append(.ignoreReply)
        }
    }

    /// An answered heartbeat confirms the messages that were given before it.
    mutating func heartbeatAnswered(_ heartbeat: UInt64, into actions: inout [Action]) {
        numbers?.heartbeatAnswered(heartbeat)
        for index in head..<cursor {
            guard let entry = slots[index] else { continue }
            guard entry.earlierHeartbeats < heartbeat else { return }
            guard entry.isConfirmedByHeartbeat else { continue }
            end(at: index, .confirmed, into: &actions)
        }
    }

    private mutating func confirmFirst(
        before end: Int? = nil, into actions: inout [Action], where condition: (Entry) -> Bool
    ) -> Bool {
        for index in head..<(end ?? slots.count) {
            guard let entry = slots[index], condition(entry) else { continue }
            self.end(at: index, .confirmed, into: &actions)
            return true
        }
        return false
    }

    /// Handles the end of the connection: kept messages wait again, others are lost.
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
            if !entry.delivery.isKept {
                end(at: index, .failed(.lost(mayHaveArrived: true)), into: &actions)
            }
        }
        cursor = head
        numbers?.connectionEnded()
        replyOrder.connectionEnded()
    }

    mutating func cancel(_ number: MessageNumber, into actions: inout [Action]) {
        guard let index = indices[number], let entry = slots[index] else { return }
        giveUp(at: index, .failed(.cancelled(mayHaveArrived: entry.wasGiven)), into: &actions)
    }

    /// Ends a message that could not be encoded. Its sequence number stays unused.
    mutating func withdraw(_ number: MessageNumber, into actions: inout [Action]) {
        guard let index = indices[number], let entry = slots[index] else { return }
        if let place = entry.replyPlace, case .reply(let ids) = entry.receipt {
            // It gets no reply, so the replies of later messages move up one place.
            replyOrder.withdrawPlace(place, of: ids)
            for other in index..<cursor where slots[other]?.receipt == entry.receipt {
                if let later = slots[other]?.replyPlace, later > place { slots[other]?.replyPlace = later - 1 }
            }
        }
        end(at: index, .failed(.unencodable), into: &actions)
    }

    mutating func expire(at now: Duration, into actions: inout [Action]) {
        guard let earliestExpiry, earliestExpiry <= now else { return }
        self.earliestExpiry = nil
        var next: Duration?
        for index in head..<slots.count {
            guard let entry = slots[index], let expiry = entry.expiry else { continue }
            if expiry <= now {
                giveUp(at: index, .failed(.expired(mayHaveArrived: entry.wasGiven)), into: &actions)
            } else {
                next = min(next ?? expiry, expiry)
            }
        }
        self.earliestExpiry = next
    }

    /// Ends all messages, because the session has ended.
    mutating func endAll(into actions: inout [Action]) {
        for index in head..<slots.count {
            guard let entry = slots[index] else { continue }
            end(at: index, .failed(.ended(mayHaveArrived: entry.wasGiven)), into: &actions)
        }
    }

    /// Ends a message that was cancelled, replaced or expired. The peer may still reply if it was sent.
    private mutating func giveUp(at index: Int, _ outcome: MessageOutcome, into actions: inout [Action]) {
        if index < cursor, let entry = slots[index], let ordinal = entry.ordinal, case .reply(let ids) = entry.receipt {
            numbers?.giveUp(ordinal, replyIDs: ids)
        }
        end(at: index, outcome, into: &actions)
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

    /// Removes an entry from the counts and indices.
    private mutating func release(_ entry: Entry, at index: Int) {
        count -= 1
        byteCount -= entry.byteCount
        if isCountedSeparately(entry.delivery) {
            latestCount -= 1
            latestByteCount -= entry.byteCount
        }
        if entry.isConfirmedByHeartbeat { heartbeatReceiptCount -= 1 }
        indices[entry.number] = nil
        if case .latest(let key) = entry.delivery, latest[key] == index { latest[key] = nil }
    }

    // MARK: Memory

    /// Closes the gaps when they outnumber the messages.
    private mutating func compactIfSparse() {
        guard slots.count >= 32, slots.count >= 2 * count else { return }
        var kept: [Entry?] = []
        kept.reserveCapacity(count + 1)
        var newCursor = 0
        for index in head..<slots.count {
            if index == cursor { newCursor = kept.count }
            guard let entry = slots[index] else { continue }
            indices[entry.number] = kept.count
            if case .latest(let key) = entry.delivery, latest[key] == index { latest[key] = kept.count }
            kept.append(entry)
        }
        cursor = cursor >= slots.count ? kept.count : newCursor
        slots = kept
        head = 0
    }
}

extension DeliveryReceipt {
    fileprivate func isReply(_ id: UInt64) -> Bool {
        if case .reply(let ids) = self { ids.contains(id) } else { false }
    }
}

extension OutboundQueue: Sendable where Payload: Sendable {}
extension OutboundQueue.Entry: Sendable where Payload: Sendable {}
