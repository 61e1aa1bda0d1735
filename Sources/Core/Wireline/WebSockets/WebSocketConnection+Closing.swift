// SPDX-License-Identifier: Apache-2.0

import WirelineTransport
import WirelineWebSocket

extension WebSocketConnection {
    func beginClose(code: WebSocketCloseCode?, reason: String = "") throws(WebSocketError) {
        guard handshake.isComplete else { return }
        try engine.close(code: code, reason: reason, at: now)
        logClose()
        // The peer's answer may be in input that waits for memory.
        if input.hasBlock { parse() } else { settle() }
    }

    /// - Throws: ``ConnectionError/webSocket(_:)`` for a code or a reason that cannot be sent;
    ///   ``ConnectionError/cancelled``.
    nonisolated(nonsending) func close(
        code: WebSocketCloseCode?, reason: String
    ) async throws(ConnectionError) -> WebSocketEnd {
        do throws(WebSocketError) {
            try await loop.run { () throws(WebSocketError) in try self.beginClose(code: code, reason: reason) }
        } catch {
            throw .webSocket(error)
        }
        return try await waitForEnd()
    }

    nonisolated(nonsending) func waitForEnd() async throws(ConnectionError) -> WebSocketEnd {
        await endOrCancellation()
        guard let end = await loop.run({ self.announcedEnd }) else { throw .cancelled }
        return end
    }

    /// Whether waiting tasks can learn the end: it was announced, or a lost connection reads no more because too much
    /// is unread.
    private var isEndKnown: Bool { ending.isAnnounced || stream.hasFailedOutput && !wantsBytes }

    /// Resumes the tasks that wait for the end of a lost connection, if nothing else would.
    func tellLossUnread() {
        if isEndKnown { endWaiters.resumeAll() }
    }

    /// The WebSocket's end; nil before the waiting tasks can learn it.
    var announcedEnd: WebSocketEnd? {
        guard isEndKnown else { return nil }
        return engine.end ?? WebSocketEnd(cause: .cut, sent: nil, received: nil)
    }

    private nonisolated(nonsending) func endOrCancellation() async {
        let ticket = WaitTicket()
        await withTaskCancellationHandler {
            // SAFETY: `EndWaiters` resumes each continuation once: at once, at the end, or when the task is cancelled.
            await unsafe withUnsafeContinuation { continuation in
                loop.execute {
                    let isOver = self.isEndKnown || ticket.isCancelled
                    unsafe self.endWaiters.add(continuation, ticket, isOver: isOver)
                }
            }
        } onCancel: {
            loop.execute { self.endWaiters.cancel(ticket) }
        }
    }

    /// Closes and drops further messages, because the program no longer receives or sends.
    ///
    /// - Parameter error: The reason, unless the connection has failed before; nil: none.
    func leave(code: WebSocketCloseCode, for error: ConnectionError? = nil) {
        if stream.isOpen, endingError == nil, !ending.isPeerFaulty { ending.fail(error) }
        dropMessages()
        guard handshake.isComplete else { return ending.isFinishing ? () : close() }
        // The callers' codes may be sent.
        try? beginClose(code: code)
    }

    func dropMessages() {
        input.dropMessages()
        releaseMemoryIfDone()
    }

    /// Ends the WebSocket because of the peer, or of all connections of the server together. The peer gets a close
    /// frame if it still takes output.
    func end(_ error: ConnectionError) {
        guard stream.isOpen && !ending.isFinishing || !input.hasNoMessage else { return }
        ending.fail(error)
        input.dropPart()
        input.dropBlock(of: stream)
        var needsMemory = false
        if case .noRoom = error { needsMemory = true }
        if needsMemory {
            dropMessages()
            dropSlowPeerState()
        }
        // Otherwise the last piece of a message may have arrived.
        if input.hasNoMessage { input.leaveMessage() }
        // Queued output takes memory, too.
        if needsMemory, stream.isOutputStalled { return abort(error) }
        guard stream.isOpen, !ending.isFinishing else {
            if ending.hasInputEnded { engine.endOfInput() }
            deliver()
            return hasEnded ? announceEnd() : ()
        }
        guard handshake.isComplete else { return fail(error) }
        // The client may try again later: the line may be faster, or memory free.
        try? engine.close(code: .tryAgainLater, at: now)
        logClose()
        // The engine must not wait for the peer's answer, which would come after the incomplete message.
        engine.endOfInput()
        settle()
    }
}
