// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// What has arrived on a session's connections, one after another, until somebody iterates; for the loop's own thread.
final class SessionInbox<Element: SessionElement> {
    typealias Taken = Result<Element?, ConnectionError>

    private let loop: EventLoop
    private let limit: Int
    private var elements = Queue<Element>()
    private(set) var byteCount = 0
    private let dropsOldest: Bool
    /// The connection that has ended while nobody read, and whose rest went beyond the limit.
    private var overdrawer: ConnectionNumber?
    /// What follows the last element.
    private var end: Taken?

    /// Who waits for one.
    private var receiver: (ticket: WaitTicket, continuation: CheckedContinuation<Taken, Never>)?
    /// Who waits to put one in: of a session's connections one is read at a time.
    private var feeder: CheckedContinuation<Void, Never>?

    /// - Parameters:
    ///   - limit: How many bytes may wait; an element may go beyond it. Each counts for 256 bytes more than it has, as in
    ///     ``ConnectionLimits/unreadByteCount``.
    ///   - dropsOldest: Whether the oldest elements make room for new ones.
    init(on loop: EventLoop, limit: Int, dropsOldest: Bool) {
        self.loop = loop
        self.dropsOldest = dropsOldest
        self.limit = max(1, limit)
    }

    /// Whether nothing more should be put in.
    var isHoldingUp: Bool { isFull && !dropsOldest }

    private var isFull: Bool { byteCount + elements.count * 256 >= limit }

    /// Whether what is left of a connection that has ended is to be put in, although it goes beyond the limit.
    ///
    /// Nobody can wait with it, so of one connection it is; of the next ones not, until there is room again: a server could
    /// fill the memory by ending one connection after another.
    func takesRest(of number: ConnectionNumber) -> Bool {
        guard isHoldingUp else { return true }
        if overdrawer == nil { overdrawer = number }
        return overdrawer == number
    }

    // MARK: Putting in

    func add(_ element: Element) {
        if let (_, continuation) = receiver.take() { return continuation.resume(returning: .success(element)) }
        // The block that it came in may be much larger, and is needed for the next read.
        elements.append(element.copied(for: loop))
        byteCount += element.byteCount
        while dropsOldest, isFull, elements.count > 1, let oldest = elements.popFirst() {
            byteCount -= oldest.byteCount
        }
    }

    /// Waits until there is room, or nothing is to be put in any more.
    nonisolated(nonsending) func room() async {
        guard isHoldingUp, end == nil else { return }
        await withCheckedContinuation { feeder = $0 }
    }

    /// Lets go of who waits to put something in.
    func releaseFeeder() {
        feeder.take()?.resume()
    }

    /// Nothing more comes. What has arrived is still there to be taken.
    func finish(_ end: Taken) {
        guard self.end == nil else { return }
        self.end = end
        releaseFeeder()
        // Somebody waits only where nothing is there.
        if let (_, continuation) = receiver.take() { continuation.resume(returning: end) }
    }

    // MARK: Taking out

    /// What can be taken without waiting: an element, or the end behind the last one; nil where there is neither.
    func take() -> Taken? {
        guard let element = elements.popFirst() else { return end }
        byteCount -= element.byteCount
        if !isHoldingUp {
            overdrawer = nil
            releaseFeeder()
        }
        return .success(element)
    }

    /// Takes what comes first, when it comes.
    func take(_ ticket: WaitTicket, _ continuation: CheckedContinuation<Taken, Never>) {
        if ticket.isCancelled { return continuation.resume(returning: .failure(.cancelled)) }
        if let taken = take() { return continuation.resume(returning: taken) }
        precondition(receiver == nil, "one task at a time iterates over a session's messages")
        receiver = (ticket, continuation)
    }

    /// Ends a wait, whether it has begun or not.
    func cancel(_ ticket: WaitTicket) {
        ticket.isCancelled = true
        guard let receiver, receiver.ticket === ticket else { return }
        self.receiver = nil
        receiver.continuation.resume(returning: .failure(.cancelled))
    }
}
