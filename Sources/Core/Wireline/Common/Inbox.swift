// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

protocol InboxElement: Sendable {
    var byteCount: Int { get }

    /// Returns a copy in memory of its own, because many elements may wait for long.
    func copied(for loop: EventLoop) -> Self
}

/// The elements that have arrived and were not taken: on a session's connections, or for one reader of a type.
///
/// Only the loop's thread uses it, except for ``next()``, so `@unchecked Sendable` needs no lock.
final class Inbox<Element: InboxElement>: @unchecked Sendable {
    typealias Taken = Result<Element?, ConnectionError>

    private let loop: EventLoop
    private let limit: Int
    private var elements = Queue<Element>()
    private(set) var byteCount = 0
    private let dropsOldest: Bool
    /// Whether the oldest elements are dropped until a task has taken one: readers of other types need later elements.
    var dropsUntilTaken = false { didSet { if !isSaturated { resumeProducer() } } }
    private var wasTaken = false
    private(set) var droppedCount = 0
    /// The ended connection whose remaining input exceeded the limit, because the program did not read.
    private var overLimitConnection: ConnectionNumber?
    private var end: Taken?

    private var receiver: (ticket: WaitTicket, continuation: CheckedContinuation<Taken, Never>)?
    /// The task that waits to add an element. A session reads one connection at a time.
    private var producer: CheckedContinuation<Void, Never>?

    /// - Parameter limit: The most bytes that may wait, but for one element. Each element counts 256 bytes more than it
    ///   has, as in ``ConnectionLimits/unreadByteCount``.
    init(on loop: EventLoop, limit: Int, dropsOldest: Bool) {
        self.loop = loop
        self.dropsOldest = dropsOldest
        self.limit = max(1, limit)
    }

    /// Whether nothing more should be added for now.
    var isSaturated: Bool { isFull && !dropsNow }

    private var dropsNow: Bool { dropsOldest || dropsUntilTaken && !wasTaken }

    /// The estimated memory of the elements.
    var cost: Int { byteCount + elements.count * 256 }

    var hasEnded: Bool { end != nil }

    var isAwaited: Bool { receiver != nil }

    private var isFull: Bool { cost >= limit }

    /// Whether an ended connection's remaining input may exceed the limit.
    ///
    /// It cannot wait in the connection, so one connection may exceed the limit. Further ones must wait until less is
    /// unread: otherwise a server could fill the memory by ending one connection after another.
    func admitRest(of number: ConnectionNumber) -> Bool {
        guard isSaturated else { return true }
        if overLimitConnection == nil { overLimitConnection = number }
        return overLimitConnection == number
    }

    // MARK: Adding

    func add(_ element: Element) {
        if let (_, continuation) = receiver.take() { return continuation.resume(returning: .success(element)) }
        // The element's block may be much larger, and the next read needs it.
        elements.append(element.copied(for: loop))
        byteCount += element.byteCount
        while dropsNow, isFull, elements.count > 1, let oldest = elements.popFirst() {
            byteCount -= oldest.byteCount
            droppedCount += 1
        }
    }

    /// Moves the chosen elements, in their order, to another inbox.
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

    /// Waits until the elements are below the limit, or the inbox has ended.
    nonisolated(nonsending) func room() async {
        guard isSaturated, end == nil else { return }
        await withCheckedContinuation { producer = $0 }
    }

    func resumeProducer() {
        producer.take()?.resume()
    }

    /// Ends the input. The elements that have arrived can still be taken.
    func finish(_ end: Taken) {
        guard self.end == nil else { return }
        self.end = end
        resumeProducer()
        // A task waits only while the inbox is empty.
        if let (_, continuation) = receiver.take() { continuation.resume(returning: end) }
    }

    // MARK: Taking

    /// Takes an element, or the end after the last one, without waiting; nil if there is neither.
    func take() -> Taken? {
        wasTaken = true
        guard let element = elements.popFirst() else { return end }
        byteCount -= element.byteCount
        if !isSaturated {
            overLimitConnection = nil
            resumeProducer()
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

    /// Ends a wait, even before it has begun.
    func cancel(_ ticket: WaitTicket) {
        ticket.isCancelled = true
        guard let receiver, receiver.ticket === ticket else { return }
        self.receiver = nil
        receiver.continuation.resume(returning: .failure(.cancelled))
    }
}
