// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// The elements that have arrived on a session's connections and were not taken yet; only the loop's thread uses it.
final class SessionInbox<Element: SessionElement> {
    typealias Taken = Result<Element?, ConnectionError>

    private let loop: EventLoop
    private let limit: Int
    private var elements = Queue<Element>()
    private(set) var byteCount = 0
    private let dropsOldest: Bool
    /// The ended connection whose remaining input exceeded the limit, because the program did not read.
    private var overdrawer: ConnectionNumber?
    /// What the reader gets after the last element.
    private var end: Taken?

    /// The task that waits for an element.
    private var receiver: (ticket: WaitTicket, continuation: CheckedContinuation<Taken, Never>)?
    /// The task that waits to add an element; one connection of a session is read at a time.
    private var feeder: CheckedContinuation<Void, Never>?

    /// - Parameters:
    ///   - limit: How many bytes may wait; one element may exceed it. Each counts 256 bytes more than it has, as in
    ///     ``ConnectionLimits/unreadByteCount``.
    ///   - dropsOldest: Whether the oldest elements are dropped for new ones.
    init(on loop: EventLoop, limit: Int, dropsOldest: Bool) {
        self.loop = loop
        self.dropsOldest = dropsOldest
        self.limit = max(1, limit)
    }

    /// Whether nothing more should be added.
    var isHoldingUp: Bool { isFull && !dropsOldest }

    private var isFull: Bool { byteCount + elements.count * 256 >= limit }

    /// Whether an ended connection's remaining input may exceed the limit.
    ///
    /// It cannot wait in the connection, so one connection may exceed the limit. Further ones may not until less waits:
    /// otherwise a server could fill the memory by ending one connection after another.
    func takesRest(of number: ConnectionNumber) -> Bool {
        guard isHoldingUp else { return true }
        if overdrawer == nil { overdrawer = number }
        return overdrawer == number
    }

    // MARK: Adding

    func add(_ element: Element) {
        if let (_, continuation) = receiver.take() { return continuation.resume(returning: .success(element)) }
        // The block that it arrived in may be much larger, and is needed for the next read.
        elements.append(element.copied(for: loop))
        byteCount += element.byteCount
        while dropsOldest, isFull, elements.count > 1, let oldest = elements.popFirst() {
            byteCount -= oldest.byteCount
        }
    }

    /// Waits until fewer bytes wait than the limit, or until no more may be added.
    nonisolated(nonsending) func room() async {
        guard isHoldingUp, end == nil else { return }
        await withCheckedContinuation { feeder = $0 }
    }

    /// Resumes the task that waits to add something.
    func releaseFeeder() {
        feeder.take()?.resume()
    }

    /// Ends the input. What has arrived can still be taken.
    func finish(_ end: Taken) {
        guard self.end == nil else { return }
        self.end = end
        releaseFeeder()
        // A task waits only while the inbox is empty.
        if let (_, continuation) = receiver.take() { continuation.resume(returning: end) }
    }

    // MARK: Taking

    /// Takes an element, or the end after the last one, without waiting; nil if there is neither.
    func take() -> Taken? {
        guard let element = elements.popFirst() else { return end }
        byteCount -= element.byteCount
        if !isHoldingUp {
            overdrawer = nil
            releaseFeeder()
        }
        return .success(element)
    }

    /// Takes the next element when it arrives.
    func take(_ ticket: WaitTicket, _ continuation: CheckedContinuation<Taken, Never>) {
        if ticket.isCancelled { return continuation.resume(returning: .failure(.cancelled)) }
        if let taken = take() { return continuation.resume(returning: taken) }
        guard receiver == nil else { return continuation.resume(returning: .failure(.alreadyReceiving)) }
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
