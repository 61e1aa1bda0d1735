// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// Something that arrives.
protocol InboxElement: Sendable {
    var byteCount: Int { get }

    /// Returns a copy in memory of its own, because it may be kept for long among many others.
    func copied(for loop: EventLoop) -> Self
}

/// The elements that have arrived and were not taken yet: on a session's connections, or for one reader of a type.
///
/// Only the loop's thread uses it, except for ``next()``, so `@unchecked Sendable` needs no lock.
final class Inbox<Element: InboxElement>: @unchecked Sendable {
    typealias Taken = Result<Element?, ConnectionError>

    private let loop: EventLoop
    private let limit: Int
    private var elements = Queue<Element>()
    private(set) var byteCount = 0
    private let dropsOldest: Bool
    /// Whether the oldest elements are dropped as long as no task has taken any: others read what comes after them.
    var dropsUntilTaken = false { didSet { if !isHoldingUp { releaseFeeder() } } }
    private var wasTaken = false
    /// The number of elements that were dropped for new ones.
    private(set) var droppedCount = 0
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
    var isHoldingUp: Bool { isFull && !dropsNow }

    private var dropsNow: Bool { dropsOldest || dropsUntilTaken && !wasTaken }

    /// The memory that the elements need, roughly.
    var cost: Int { byteCount + elements.count * 256 }

    /// Whether nothing more is added.
    var hasEnded: Bool { end != nil }

    /// Whether a task waits for an element.
    var isAwaited: Bool { receiver != nil }

    private var isFull: Bool { cost >= limit }

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
        while dropsNow, isFull, elements.count > 1, let oldest = elements.popFirst() {
            byteCount -= oldest.byteCount
            droppedCount += 1
        }
    }

    /// Moves some of the elements, in their order, to another inbox.
    func move(to other: Inbox, where isMoved: (Element) -> Bool) {
        var rest = Queue<Element>()
        while let element = elements.popFirst() {
            guard isMoved(element) else {
                rest.append(element)
                continue
            }
            byteCount -= element.byteCount
            other.add(element)
        }
        elements = rest
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
        wasTaken = true
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

    /// Returns the next element when it arrives; nil at the end. Any task may call it, one at a time.
    nonisolated(nonsending) func next() async throws(ConnectionError) -> Element? {
        if loop.isCurrent, let taken = take() { return try taken.get() }
        let ticket = WaitTicket()
        let taken = await loop.visit {
            await withTaskCancellationHandler {
                await withCheckedContinuation { self.take(ticket, $0) }
            } onCancel: {
                self.loop.execute { self.cancel(ticket) }
            }
        }
        return try taken.get()
    }

    /// Ends a wait, whether it has begun or not.
    func cancel(_ ticket: WaitTicket) {
        ticket.isCancelled = true
        guard let receiver, receiver.ticket === ticket else { return }
        self.receiver = nil
        receiver.continuation.resume(returning: .failure(.cancelled))
    }
}
