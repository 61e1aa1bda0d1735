// SPDX-License-Identifier: Apache-2.0

import WirelineTransport
package import WirelineWebSocket

extension WebSocketConnection {
    /// What a wait for something that arrives gives; nil: both sides have closed.
    private typealias Taken<Value> = Result<Value?, ConnectionError>

    /// The next message where it has been read already; on the loop alone there is one.
    ///
    /// Asked first where messages are waited for: entering and leaving functions that may wait would take most of the time of a
    /// short message.
    @usableFromInline
    func messageAtHand() -> WebSocketMessage? {
        guard stream.loop.isCurrent, !inbox.isEmpty, !isInsidePieces else { return nil }
        return takeMessage()
    }

    /// The next message, behind one that has been begun in pieces; nil when both sides have closed.
    @usableFromInline
    nonisolated(nonsending) func nextMessage() async throws(ConnectionError) -> WebSocketMessage? {
        try await next(inPieces: false) { $0.takeMessage() }
    }

    /// The next piece of a message; nil when both sides have closed.
    nonisolated(nonsending) func nextPiece() async throws(ConnectionError) -> WebSocketPiece? {
        try await next(inPieces: true) { $0.takePiece() }
    }

    /// A client's request; nil where there was none.
    nonisolated(nonsending) func nextRequest() async throws(ConnectionError) -> WebSocketUpgradeRequest? {
        try await next(inPieces: false) { connection in
            guard case .answering(let handshake) = connection.phase else { return nil }
            return handshake.request
        }
    }

    private nonisolated(nonsending) func next<Value: Sendable>(
        inPieces: Bool, _ take: @escaping @Sendable (WebSocketConnection) -> Value?
    ) async throws(ConnectionError) -> Value? {
        // Asked again behind every wait: a task of an actor's goes on wherever the actor happens to run.
        while stream.loop.isCurrent {
            if let value = take(self) { return value }
            if hasEnded {
                if let endingError { throw endingError }
                return nil
            }
            await arrivalOrCancellation(inPieces)
            if Task.isCancelled, stream.loop.isCurrent, !hasEnded {
                if let value = take(self) { return value }
                throw .cancelled
            }
        }
        return try await withTaskExecutorPreference(stream.loop) { await self.nextOnLoop(inPieces, take) }.get()
    }

    @concurrent
    private func nextOnLoop<Value: Sendable>(
        _ inPieces: Bool, _ take: @escaping @Sendable (WebSocketConnection) -> Value?
    ) async -> Taken<Value> {
        do throws(ConnectionError) {
            return .success(try await next(inPieces: inPieces, take))
        } catch {
            return .failure(error)
        }
    }

    /// Waits until there is something to take, or an end to tell of, or the task is cancelled.
    private nonisolated(nonsending) func arrivalOrCancellation(_ inPieces: Bool) async {
        waitNumber &+= 1
        let number = waitNumber
        await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { unsafe wait($0, number, inPieces) }
        } onCancel: {
            stream.loop.execute { self.cancelReceiving(number) }
        }
    }

    private func wait(_ continuation: UnsafeContinuation<Void, Never>, _ number: UInt32, _ inPieces: Bool) {
        precondition(unsafe receiver == nil, "one task at a time waits for a WebSocket's messages")
        unsafe receiver = continuation
        // The rest of a message that nobody wants whole is dropped as it comes.
        wantsPieces = inPieces || isInsidePieces
        guard cancelledWaitNumber != number else { return resumeReceiver() }
        stream.flush()
        // What that found out may have ended the connection, and with it the wait.
        guard unsafe receiver != nil, case .open = phase else { return }
        hasTaken = false
        forgetTimeOfProgram()
        if input != nil { parse() } else if peerClose != nil || hasFault { settle() } else { readIfWanted() }
    }

    private func cancelReceiving(_ number: UInt32) {
        guard number == waitNumber else { return }
        cancelledWaitNumber = number
        resumeReceiver()
    }

    /// Whether there is something for who waits.
    var canTake: Bool { !inbox.isEmpty || wantsPieces && collector.heldByteCount > 0 }

    /// Tells who waits of what has arrived, and of the end: once, however much it is.
    func deliver() {
        guard unsafe receiver != nil, canTake || hasEnded else { return }
        resumeReceiver()
    }

    func resumeReceiver() {
        unsafe receiver.take()?.resume()
    }
}
