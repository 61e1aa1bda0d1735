// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

/// A request, until its task continues.
///
/// Only the connection's loop uses it, so `@unchecked Sendable` needs no lock.
@safe
final class PendingRequest: SendObserver, @unchecked Sendable {
    typealias Outcome = Result<ReceivedPacket, ConnectionError>

    private let connection: PacketConnection?
    /// The type of the request, for the names of its replies; nil if they have none.
    private let type: (any RequestMessage.Type)?
    let replyIDs: [UInt64]
    fileprivate(set) var sequence: UInt64?
    /// The state of ``UnmatchedReplies`` when the request was sent; nil if the search for its replies has ended.
    fileprivate var mark: Int?
    fileprivate(set) var ordinal: UInt64 = 0
    /// Whether the queue counts it.
    fileprivate(set) var isRegistered = false
    fileprivate(set) var wasSent = false
    let ticket = WaitTicket()
    var timer: EventLoop.Timer?
    private var continuation: UnsafeContinuation<Outcome, Never>?
    /// Whether the task continues already: with a reply, or because the request was given up.
    private(set) var isOver = false

    init(on connection: PacketConnection, of type: any RequestMessage.Type) {
        self.connection = connection
        self.type = type
        replyIDs = type.replyIDs
    }

    init(replyIDs: [UInt64]) {
        connection = nil
        type = nil
        self.replyIDs = replyIDs
    }

    /// The error for a reply that came without the request's number.
    fileprivate func unmatchedReply(_ reply: UnmatchedReplies.Reply, expected: UInt64) -> ConnectionError {
        .unmatchedReply(type?.replyName(reply.id) ?? "", expected: expected, received: reply.sequence)
    }

    func sendEnded(_ result: Result<Void, ConnectionError>) {
        switch result {
        case .success: connection?.requests?.sent(self)
        case .failure(let error): connection?.giveUp(self, error)
        }
    }

    /// - Returns: False if the request was given up before it began.
    func begin(_ continuation: UnsafeContinuation<Outcome, Never>) -> Bool {
        guard !isOver else {
            // SAFETY: the request is over, so ``resume(_:)`` never sees this continuation.
            unsafe continuation.resume(returning: .failure(.cancelled))
            return false
        }
        unsafe self.continuation = continuation
        return true
    }

    func resume(_ outcome: Outcome) {
        guard !isOver else { return }
        isOver = true
        // SAFETY: `isOver` was false and is never set back, so this runs once.
        unsafe continuation?.resume(returning: outcome)
        unsafe continuation = nil
    }
}

/// Matches replies with requests, and keeps packets that arrive before the replies.
///
/// With a sequence field, a reply has its request's number and the ID of one of its replies. A failed reply has the
/// schema's number for failures instead. It answers the oldest request that may have its ID as a reply, even if that
/// request was given up.
///
/// Without such a field, a packet answers the oldest request that waits for its ID. So the peer must answer requests
/// that share a reply, such as a common error, in their order. A request that is given up keeps its place until its
/// reply arrives. So a late reply is never matched with another request.
///
/// The queue only decides: it has no socket and no clock.
final class RequestQueue {
    /// The most requests that may wait at a time.
    static let limit = 65_535
    /// Numbers below this are used again soon enough to meet a late reply.
    ///
    /// At a million requests a second, 24 bits are used up in seconds, 32 bits in an hour.
    private static let mostNumbersRemembered: UInt64 = 1 << 24

    /// The largest number of the sequence field; nil if there is none.
    private let maximumSequence: UInt64?
    /// The sequence number of replies to failed requests; nil if such replies have none.
    private let failureSequence: UInt64?
    private var lastSequence: UInt64 = 0
    private var bySequence: [UInt64: PendingRequest] = [:]
    /// The requests without numbers, by the ID of each reply. A line with several replies is in several lists.
    private var linesByReplyID: [UInt64: [RequestLine]] = [:]
    private var lastOrdinal: UInt64 = 0
    /// The number of requests that keep a place, including those that were given up.
    private var entryCount = 0
    private(set) var waitingCount = 0

    private var unread = Queue<ReceivedPacket>()
    private(set) var unreadByteCount = 0
    var readers = MessageReaders()
    /// Whether a task has received packets while there were requests or readers.
    var wasRead = false
    /// Whether the oldest unread packets are dropped at the limit: readers need later packets, and no task takes these.
    var dropsUnread: Bool { !readers.isEmpty && !wasRead }
    /// The estimated memory of unread packets: their bytes, and 256 for each packet.
    var unreadCost: Int { unreadByteCount + unread.count * 256 }

    /// Whether every given-up request keeps its place, whatever its number.
    private let remembersAll: Bool
    private var wasLate = false
    private var unmatched = UnmatchedReplies()
    /// The requests that a failed reply may still answer, if failed replies have a number of their own.
    private var givenUp = AbandonedRequests()
    /// The numbers of given-up requests that are not remembered: their late replies match nothing.
    private var forgotten: ClosedRange<UInt64>?

    init(layout: PacketLayout, remembersAll: Bool = false) {
        maximumSequence = layout.maximumSequence
        failureSequence = layout.failureSequence
        self.remembersAll = remembersAll
    }

    /// Returns whether the last packet was a reply that came too late, and forgets it.
    func takeLateMark() -> Bool {
        defer { wasLate = false }
        return wasLate
    }

    var isIdle: Bool { entryCount == 0 && unread.isEmpty && readers.isEmpty }

    var wantsInput: Bool { waitingCount > 0 || !readers.isEmpty }

    // MARK: Requests

    /// Gives a request its number, if there are numbers. They begin at 1; messages that are not replies have 0.
    func register(_ request: PendingRequest) throws(ConnectionError) {
        guard entryCount < Self.limit else { throw .tooManyRequests(limit: Self.limit) }
        if let maximumSequence {
            // If there are fewer numbers than requests may wait, all of them can be in use.
            guard UInt64(bySequence.count) < maximumSequence else {
                throw .tooManyRequests(limit: Int(clamping: maximumSequence))
            }
            repeat {
                lastSequence = lastSequence >= maximumSequence ? 1 : lastSequence + 1
            } while bySequence[lastSequence] != nil
            request.sequence = lastSequence
            bySequence[lastSequence] = request
        }
        request.isRegistered = true
        entryCount += 1
        waitingCount += 1
    }

    /// Records that a request is sent now: its reply comes after those of earlier requests.
    func sent(_ request: PendingRequest) {
        request.wasSent = true
        lastOrdinal += 1
        request.ordinal = lastOrdinal
        if maximumSequence == nil {
            line(for: request.replyIDs).requests.append(request)
        } else {
            request.mark = unmatched.begin(replyIDs: request.replyIDs)
        }
    }

    private func line(for replyIDs: [UInt64]) -> RequestLine {
        if let line = linesByReplyID[replyIDs[0]]?.first(where: { $0.replyIDs == replyIDs }) { return line }
        let line = RequestLine(replyIDs)
        for id in replyIDs { linesByReplyID[id, default: []].append(line) }
        return line
    }

    func timeOut(_ request: PendingRequest) {
        guard let expected = request.sequence, let received = endSearch(for: request) else {
            return giveUp(request, .unanswered(unreadByteCount: unreadByteCount))
        }
        giveUp(request, request.unmatchedReply(received, expected: expected))
    }

    /// Ends the search for replies without the request's number.
    ///
    /// - Returns: The last such reply that came while the request waited; nil if there was none.
    @discardableResult
    private func endSearch(for request: PendingRequest) -> UnmatchedReplies.Reply? {
        guard let mark = request.mark.take() else { return nil }
        return unmatched.end(replyIDs: request.replyIDs, since: mark)
    }

    /// Ends a request without a reply. If a reply may still arrive, the request keeps its place.
    func giveUp(_ request: PendingRequest, _ error: ConnectionError) {
        guard !request.isOver else { return }
        request.resume(.failure(error))
        guard request.isRegistered else { return }
        waitingCount -= 1
        endSearch(for: request)
        if request.wasSent, failureSequence != nil { givenUp.add(request) }
        let remembersNumber = remembersAll || maximumSequence.map { $0 < Self.mostNumbersRemembered } ?? true
        guard !request.wasSent || !remembersNumber else { return }
        if let sequence = request.sequence {
            bySequence[sequence] = nil
            if request.wasSent { forget(sequence) }
        }
        entryCount -= 1
    }

    private func forget(_ sequence: UInt64) {
        forgotten = min(sequence, forgotten?.lowerBound ?? sequence)...max(sequence, forgotten?.upperBound ?? sequence)
    }

    /// Removes all requests that were sent, because nothing more arrives.
    ///
    /// - Returns: The requests that a task waits for.
    func takeAll() -> [PendingRequest] {
        var requests = bySequence.values.filter(\.wasSent)
        bySequence = bySequence.filter { !$0.value.wasSent }
        for line in linesByReplyID.values.joined() {
            while let request = line.requests.popFirst() { requests.append(request) }
        }
        linesByReplyID = [:]
        unmatched.endAll()
        givenUp.removeAll()
        entryCount -= requests.count
        let waiting = requests.filter { !$0.isOver }
        waitingCount -= waiting.count
        return waiting
    }

    // MARK: Packets

    /// The request that a packet answers; nil if it answers none, or is too late.
    func takeRequest(answeredBy packet: ReceivedPacket, layout: PacketLayout) -> PendingRequest? {
        guard let request = takeEntry(for: packet, layout) else { return nil }
        entryCount -= 1
        wasLate = request.isOver
        guard !request.isOver else { return nil }
        waitingCount -= 1
        endSearch(for: request)
        return request
    }

    private func takeEntry(for packet: ReceivedPacket, _ layout: PacketLayout) -> PendingRequest? {
        // A part of a message answers nothing.
        guard !packet.lent.isOpaque else { return nil }
        guard maximumSequence != nil else {
            guard let lines = linesByReplyID[packet.id] else { return nil }
            let oldest = lines.min { $0.firstOrdinal < $1.firstOrdinal }
            return oldest?.requests.popFirst()
        }
        guard let sequence = packet.sequence(in: layout) else { return nil }
        if sequence == failureSequence { return takeOldest(answeredBy: packet.id, sequence) }
        guard let request = bySequence[sequence], request.wasSent, request.replyIDs.contains(packet.id) else {
            if forgotten?.contains(sequence) != true { unmatched.note(id: packet.id, sequence: sequence) }
            return nil
        }
        bySequence[sequence] = nil
        givenUp.answered(request)
        return request
    }

    /// Takes the oldest request that a failed reply with an ID may answer, whatever its number is. It may have been
    /// given up.
    private func takeOldest(answeredBy id: UInt64, _ failureSequence: UInt64) -> PendingRequest? {
        let waiting = oldestWaiting(for: id)
        guard let late = givenUp.takeOldest(answeredBy: id, before: waiting) else {
            if let sequence = waiting?.sequence { bySequence[sequence] = nil }
            return waiting
        }
        // A younger request that times out can report this reply.
        unmatched.note(id: id, sequence: failureSequence)
        guard let sequence = late.sequence, bySequence[sequence] === late else {
            // Its number is not remembered.
            wasLate = true
            return nil
        }
        bySequence[sequence] = nil
        return late
    }

    private func oldestWaiting(for id: UInt64) -> PendingRequest? {
        // Without this check, each packet that answers nothing would cost a look at all requests.
        guard unmatched.isAwaited(id: id) else { return nil }
        let waiting = bySequence.values.lazy.filter { $0.wasSent && !$0.isOver && $0.replyIDs.contains(id) }
        return waiting.min { $0.ordinal < $1.ordinal }
    }

    /// Keeps a packet until the program takes it.
    func keepUnread(_ packet: ReceivedPacket, limit: Int) {
        unread.append(packet)
        unreadByteCount += packet.byteCount
        while dropsUnread, unreadCost >= limit, unread.count > 1 { _ = takeUnread() }
    }

    /// Adds a reader of one type, and gives it the unread packets of that type.
    func add(_ reader: Inbox<ReceivedPacket>, of id: UInt64) {
        var rest = Queue<ReceivedPacket>()
        while let packet = takeUnread() {
            if packet.id == id { reader.add(packet) } else { rest.append(packet) }
        }
        while let packet = rest.popFirst() { keepUnread(packet, limit: .max) }
        readers.add(reader, of: id)
    }

    var firstUnread: ReceivedPacket? { unread.first }

    func takeUnread() -> ReceivedPacket? {
        guard let packet = unread.popFirst() else { return nil }
        unreadByteCount -= packet.byteCount
        return packet
    }
}

/// The requests of a connection without numbers that have the same replies, in the order of sending.
///
/// A request type has one line, which stays for its next request.
private final class RequestLine {
    let replyIDs: [UInt64]
    var requests = Queue<PendingRequest>()

    init(_ replyIDs: [UInt64]) { self.replyIDs = replyIDs }

    /// The ordinal of the oldest request; the largest number if there is none.
    var firstOrdinal: UInt64 { requests.first?.ordinal ?? .max }
}
