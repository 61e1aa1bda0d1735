// SPDX-License-Identifier: Apache-2.0

import WirelineTransport
package import WirelineWebSocket

extension WebSocketConnection: ReceivingConnection {
    /// The result of a wait for input; nil: both sides have closed.
    private typealias Taken<Value> = Result<Value?, ConnectionError>

    /// Takes the next message if it has been read; nil also if the caller is not on the loop.
    ///
    /// Callers try this before ``nextMessage()``: entering and leaving an asynchronous function would take most of the
    /// time of a short message.
    @usableFromInline
    func takeBufferedMessage() -> WebSocketMessage? {
        guard stream.loop.isCurrent, !loop.hasSpentShare else { return nil }
        if let message = takeOfferedMessage() { return message }
        return input.hasNoMessage || input.isInsideMessage ? nil : takeMessage()
    }

    /// Returns the next message; nil when both sides have closed. Skips the rest of a message that was begun in pieces.
    @usableFromInline
    nonisolated(nonsending) func nextMessage() async throws(ConnectionError) -> WebSocketMessage? {
        try await next(inPieces: false) { $0.takeMessage() }
    }

    nonisolated(nonsending) func nextPiece() async throws(ConnectionError) -> WebSocketPiece? {
        try await next(inPieces: true) { $0.takePiece() }
    }

    enum ClientRequest: Sendable {
        case webSocket(WebSocketUpgradeRequest)
        /// A page that the program must make first.
        case page(WebSocketPage)
    }

    /// Waits for the client's request; nil if there was none, or if the client has got a fixed page.
    nonisolated(nonsending) func nextRequest() async throws(ConnectionError) -> ClientRequest? {
        try await next(inPieces: false) { connection in
            connection.handshake.request.map { .webSocket($0) } ?? connection.handshake.wantedPage.map { .page($0) }
        }
    }

    private nonisolated(nonsending) func next<Value: Sendable>(
        inPieces: Bool, _ take: @escaping @Sendable (WebSocketConnection) -> Value?
    ) async throws(ConnectionError) -> Value? {
        // Checked after every wait, because a task of an actor continues on the actor's executor.
        while stream.loop.isCurrent {
            if loop.hasSpentShare {
                // A task that always finds a message would never leave the loop to others.
                await loop.giveWay()
                continue
            }
            guard !inputWait.isClaimed else { throw .alreadyReceiving }
            if let value = take(self) { return value }
            if hasEnded {
                if let endingError { throw endingError }
                return nil
            }
            inputWait.claim()
            input.prepareWait(forPieces: inPieces)
            await waitForInput()
            guard stream.loop.isCurrent else { return try await nextFromElsewhere(inPieces, hasWaited: true, take) }
            inputWait.endClaim()
            if Task.isCancelled, !stream.hasFailedOutput, !hasEnded {
                if let value = take(self) { return value }
                throw .cancelled
            }
        }
        return try await nextFromElsewhere(inPieces, hasWaited: false, take)
    }

    /// - Parameter hasWaited: Whether the task has waited, and so has the claim.
    private nonisolated(nonsending) func nextFromElsewhere<Value: Sendable>(
        _ inPieces: Bool, hasWaited: Bool, _ take: @escaping @Sendable (WebSocketConnection) -> Value?
    ) async throws(ConnectionError) -> Value? {
        try await withTaskExecutorPreference(stream.loop) { await self.nextOnLoop(inPieces, hasWaited, take) }.get()
    }

    @concurrent
    private func nextOnLoop<Value: Sendable>(
        _ inPieces: Bool, _ hasWaited: Bool, _ take: @escaping @Sendable (WebSocketConnection) -> Value?
    ) async -> Taken<Value> {
        // Without this, the optimizer may drop the change of executor; see `SendingConnection`.
        stream.loop.preconditionIsCurrent()
        if hasWaited { inputWait.endClaim() }
        do throws(ConnectionError) {
            return .success(try await next(inPieces: inPieces, take))
        } catch {
            return .failure(error)
        }
    }

    func inputWaitBegan() {
        stream.flush()
        // The flush may have found an end, which also ends the wait.
        guard inputWait.isWaiting, handshake.isComplete else { return }
        input.readerWaits()
        forgetTimeOfProgram()
        if input.hasBlock { parse() } else if ending.isPeerOpen { readIfWanted() } else { settle() }
    }

    func inputWaitCancelled() {}

    /// Cancels the handler's task if it neither receives nor waits to send, because nothing else would report the lost
    /// connection. The cancelled task can still receive the messages that have arrived.
    func cancelUnawareHandler() {
        let isAware = inputWait.isWaiting || output.waitingCount > 0
        if !isAware { handlerTask?.cancel() }
    }

    func deliver() {
        if input.hasInputForReader || hasEnded { inputWait.resume() }
    }
}
