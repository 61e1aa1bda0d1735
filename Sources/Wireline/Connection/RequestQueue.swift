// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

/// A request that has been made, until its task goes on.
///
/// Its properties are touched on the connection's loop, which is the lock behind `@unchecked Sendable`.
@safe
final class PendingRequest: @unchecked Sendable {
    typealias Outcome = Result<ReceivedPacket, ConnectionError>

    let replyID: UInt64
    fileprivate(set) var sequence: UInt64?
    /// Whether the queue counts it.
    fileprivate(set) var isRegistered = false
    /// Whether a reply may come.
    fileprivate(set) var wasSent = false
    /// What ends the request at its deadline.
    var timer: EventLoop.Timer?
    private var continuation: UnsafeContinuation<Outcome, Never>?
    /// Whether the task goes on already: with a reply, or because it was given up.
    private(set) var isOver = false

    init(replyID: UInt64) {
        self.replyID = replyID
    }

    /// - Returns: False where the request was given up before it began.
    func begin(_ continuation: UnsafeContinuation<Outcome, Never>) -> Bool {
        guard !isOver else {
            unsafe continuation.resume(returning: .failure(.cancelled))
            return false
        }
        unsafe self.continuation = continuation
        return true
    }

    func resume(_ outcome: Outcome) {
        guard !isOver else { return }
        isOver = true
        unsafe continuation?.resume(returning: outcome)
        unsafe continuation = nil
    }
}

/// Which reply belongs to which request, and what has arrived in front of the replies.
///
/// With a sequence field in the header, a reply is what has its request's number and the ID of the reply's message.
/// Without one, replies of one ID come in the order of their requests. A request that is given up keeps its place until
/// its reply comes after all, so that a late reply is never taken for another one's.
///
/// It decides and does nothing: no socket, no clock.
final class RequestQueue {
    /// How many requests may wait at a time.
    static let limit = 65_535
    /// Numbers below this one are used again soon enough for a late reply to meet them: 24 bits are used up in seconds. With
    /// 32 bits it takes an hour of a million requests a second.
    private static let mostNumbersRemembered: UInt64 = 1 << 24

    /// The largest number of the sequence field; nil where there is none.
    private let maximumSequence: UInt64?
    private var lastSequence: UInt64 = 0
    private var bySequence: [UInt64: PendingRequest] = [:]
    private var byReplyID: [UInt64: Queue<PendingRequest>] = [:]
    /// How many requests have their place, those that were given up included.
    private var entryCount = 0
    /// How many of them somebody waits for.
    private(set) var waitingCount = 0

    private var unread = Queue<ReceivedPacket>()
    private(set) var unreadByteCount = 0
    /// About what they take, with the memory that each of them needs besides its bytes.
    var unreadCost: Int { unreadByteCount + unread.count * 256 }

    /// Whether every request that was given up keeps its place, whatever its number.
    private let remembersAll: Bool
    /// Whether the packet that was last taken for a reply has come too late to be one.
    private var wasLate = false

    init(layout: PacketLayout, remembersAll: Bool = false) {
        maximumSequence = layout.maximumSequence
        self.remembersAll = remembersAll
    }

    /// Whether the packet that was last handed over is a reply that has come too late; once.
    func takeLateMark() -> Bool {
        defer { wasLate = false }
        return wasLate
    }

    /// Whether packets need not be looked at here.
    var isIdle: Bool { entryCount == 0 && unread.isEmpty }

    // MARK: Requests

    /// Gives a request its number, where there are numbers; they begin at 1, and 0 is left to messages that are no reply.
    func register(_ request: PendingRequest) throws(ConnectionError) {
        guard entryCount < Self.limit else { throw .tooManyRequests(limit: Self.limit) }
        if let maximumSequence {
            // With fewer numbers than requests may wait, all of them can be taken.
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

    /// Takes note of a request that leaves now: its reply comes behind those of earlier ones.
    func sent(_ request: PendingRequest) {
        request.wasSent = true
        if maximumSequence == nil { byReplyID[request.replyID, default: Queue()].append(request) }
    }

    /// Ends a request without a reply. Where one may come after all, the request keeps its place.
    func giveUp(_ request: PendingRequest, _ error: ConnectionError) {
        guard !request.isOver else { return }
        request.resume(.failure(error))
        guard request.isRegistered else { return }
        waitingCount -= 1
        let remembersNumber = remembersAll || maximumSequence.map { $0 < Self.mostNumbersRemembered } ?? true
        guard !request.wasSent || !remembersNumber else { return }
        if let sequence = request.sequence { bySequence[sequence] = nil }
        entryCount -= 1
    }

    /// Forgets all requests that were sent, because nothing more arrives.
    ///
    /// - Returns: Those that somebody waits for.
    func takeAll() -> [PendingRequest] {
        var requests = bySequence.values.filter(\.wasSent)
        bySequence = bySequence.filter { !$0.value.wasSent }
        for var queue in byReplyID.values {
            while let request = queue.popFirst() { requests.append(request) }
        }
        byReplyID = [:]
        entryCount -= requests.count
        let waiting = requests.filter { !$0.isOver }
        waitingCount -= waiting.count
        return waiting
    }

    // MARK: Packets

    /// The request that a packet answers; nil for a message that is nobody's reply, or comes too late to be one.
    func takeRequest(answeredBy packet: ReceivedPacket, layout: PacketLayout) -> PendingRequest? {
        guard let request = takeEntry(for: packet, layout) else { return nil }
        entryCount -= 1
        wasLate = request.isOver
        guard !request.isOver else { return nil }
        waitingCount -= 1
        return request
    }

    private func takeEntry(for packet: ReceivedPacket, _ layout: PacketLayout) -> PendingRequest? {
        guard maximumSequence != nil else {
            guard let request = byReplyID[packet.id]?.popFirst() else { return nil }
            if byReplyID[packet.id]?.isEmpty == true { byReplyID[packet.id] = nil }
            return request
        }
        guard let sequence = packet.sequence(in: layout), let request = bySequence[sequence],
            request.wasSent, request.replyID == packet.id
        else { return nil }
        bySequence[sequence] = nil
        return request
    }

    /// Keeps a packet for whoever iterates.
    func keepUnread(_ packet: ReceivedPacket) {
        unread.append(packet)
        unreadByteCount += packet.byteCount
    }

    var firstUnread: ReceivedPacket? { unread.first }

    func takeUnread() -> ReceivedPacket? {
        guard let packet = unread.popFirst() else { return nil }
        unreadByteCount -= packet.byteCount
        return packet
    }
}
