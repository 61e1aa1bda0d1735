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

    /// Calls a closure when an end becomes known: the connection leaves, the server shuts down, or the peer is lost or
    /// has ended its stream. Earlier packets may be unread. The closure may be called several times, and must not keep
    /// the connection. Call it on the loop.
    package func whenEndIsKnown(_ action: @escaping () -> Void) { endWaiters.setListener(action) }

    /// Whether the peer has ended its stream. Some of its bytes may be unread.
    package var hasPeerEnded: Bool { ending.hasPeerEnded }

    /// The reason of the end; nil if both sides end the connection in order.
    package var endReason: (any Error)? { ending.reason }

    package var isLeaving: Bool { ending.isLeaving }

    /// Closes a lost connection whose input is paused. Nothing reads it, so nothing else would notice the end.
    func closeIfLostUnread() {
        if isInputPaused, stream.isOpen, stream.hasFailedOutput { close() }
    }

    /// Cancels the handler's task if it neither receives nor waits to send, because nothing else would report the lost
    /// connection. The cancelled task can still receive the packets that have arrived.
    func cancelUnawareHandler() {
        let isAsking = requests.map { $0.waitingCount > 0 || $0.readers.isAwaited } ?? false
        let isAware = inputWait.isWaiting || senders.isAwaited || isAsking
        if !isAware { handlerTask?.cancel() }
    }
}
