// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// The tasks that wait for a connection's end. Only the connection's loop uses this.
@safe
struct EndWaiters {
    @safe
    private struct Waiter {
        let continuation: UnsafeContinuation<Void, Never>
    }

    /// In memory of its own, because most connections have no such tasks.
    private final class Queue {
        var waiters = NumberedQueue<Waiter>()
        /// Called when an end becomes known; the gateway uses it instead of a task.
        var listener: (() -> Void)?
    }

    /// Nil before the first task.
    private var queue: Queue?

    /// Stores a task until the end, or resumes it at once if the connection has ended or the task was cancelled.
    mutating func add(_ continuation: UnsafeContinuation<Void, Never>, _ ticket: WaitTicket, isOver: Bool) {
        // SAFETY: the task is resumed here and not added, so no other code resumes it again.
        guard !isOver else { return unsafe continuation.resume() }
        let queue = self.queue ?? Queue()
        self.queue = queue
        ticket.place = queue.waiters.append(unsafe Waiter(continuation: continuation))
    }

    /// The closure must not keep the connection.
    mutating func setListener(_ listener: @escaping () -> Void) {
        let queue = self.queue ?? Queue()
        self.queue = queue
        queue.listener = listener
    }

    func callListener() { queue?.listener?() }

    /// Resumes a cancelled task, even before it has begun to wait.
    func cancel(_ ticket: WaitTicket) {
        ticket.isCancelled = true
        guard let place = ticket.place, let waiter = queue?.waiters.remove(place) else { return }
        // SAFETY: removing the waiter from the queue makes this the only place that resumes it.
        unsafe waiter.continuation.resume()
    }

    func resumeAll() {
        callListener()
        // SAFETY: removing the waiter from the queue makes this the only place that resumes it.
        while let waiter = queue?.waiters.popFirst() { unsafe waiter.continuation.resume() }
    }
}
