// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Reports the connection's end to tasks that do not receive.
extension PacketConnection {
    /// Waits until the peer ends its stream, the server shuts down or the connection ends, also while no task receives.
    ///
    /// It is for handlers that wait for something other than packets. Packets that arrived before the end may be
    /// unread; they are not lost. Any number of tasks may wait.
    ///
    /// - Throws: The error that ended the connection, unless the peer ended its stream or the server shuts down;
    ///   ``ConnectionError/cancelled`` if the task is cancelled first.
    public nonisolated(nonsending) func waitUntilEnd() async throws(ConnectionError) {
        let ticket = WaitTicket()
        await withTaskCancellationHandler {
            // SAFETY: `endWaiters` resumes each task once: at once, when it is cancelled, or when the connection ends.
            await unsafe withUnsafeContinuation { continuation in
                loop.execute {
                    let isOver = self.hasEndForWaiters || ticket.isCancelled
                    unsafe self.endWaiters.add(continuation, ticket, isOver: isOver)
                }
            }
        } onCancel: {
            loop.execute { self.endWaiters.cancel(ticket) }
        }
        try await loop.run { () throws(ConnectionError) in try self.requireEnd() }
    }

    private var hasEndForWaiters: Bool {
        ending.hasPeerEnded || ending.isDraining || stream.hasFailedOutput || !stream.isOpen
    }

    private func requireEnd() throws(ConnectionError) {
        if let error = endingError ?? ending.failure as? ConnectionError { throw error }
        guard hasEndForWaiters else { throw .cancelled }
    }

    /// Calls a closure when an end becomes known: the connection leaves, the server shuts down, or the peer is lost or has
    /// ended its stream. What came before may be unread. The closure may be called several times, and must not keep the
    /// connection. Used on the loop.
    package func whenEndIsKnown(_ action: @escaping () -> Void) { endWaiters.setListener(action) }

    /// Whether the peer sends no more, although what it has sent may be unread.
    package var hasPeerEnded: Bool { ending.hasPeerEnded }

    /// Why the connection ends: nil if both sides end it in order.
    package var endReason: (any Error)? { ending.reason }

    /// Whether the connection only waits until it can close.
    package var isLeaving: Bool { ending.isLeaving }

    /// Closes a lost connection whose input is paused. Nothing reads it, so nothing else would notice the end.
    func closeIfLostUnread() {
        if isInputPaused, stream.isOpen, stream.hasFailedOutput { close() }
    }

    /// Cancels the handler's task if it neither receives nor waits to send: nothing else would tell it that the
    /// connection is lost. The cancelled task can still receive what has arrived.
    func cancelUnawareHandler() {
        let isAsking = requests.map { $0.waitingCount > 0 || $0.readers.isAwaited } ?? false
        let isAware = inputWait.isWaiting || senders.isAwaited || isAsking
        if !isAware { handlerTask?.cancel() }
    }
}
