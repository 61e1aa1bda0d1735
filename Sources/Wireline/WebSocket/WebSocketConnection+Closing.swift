// SPDX-License-Identifier: Apache-2.0

import WirelineTransport
import WirelineWebSocket

extension WebSocketConnection {
    /// Begins to close, unless that has begun.
    func beginClose(code: WebSocketCloseCode?, reason: String = "") throws(WebSocketError) {
        guard case .open = phase else { return }
        try engine.close(code: code, reason: reason, at: now)
        logClose()
        // The peer's answer may stand behind what there was no room for.
        if input != nil { parse() } else { settle() }
    }

    /// Closes, and waits until both sides have, or the peer's time for that is over.
    ///
    /// - Throws: ``ConnectionError/webSocket(_:)`` for a code or a reason that cannot be sent, ``ConnectionError/cancelled``.
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

    /// Waits until the WebSocket has ended, whoever ends it.
    nonisolated(nonsending) func waitForEnd() async throws(ConnectionError) -> WebSocketEnd {
        await endOrCancellation()
        guard let end = await loop.run({ self.hasToldEnd ? self.finalEnd : nil }) else { throw .cancelled }
        return end
    }

    /// How the WebSocket has ended.
    var finalEnd: WebSocketEnd { engine.end ?? WebSocketEnd(cause: .cut, sent: nil, received: nil) }

    private nonisolated(nonsending) func endOrCancellation() async {
        let ticket = WaitTicket()
        await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                loop.execute { unsafe self.waitForEnd(ticket, continuation) }
            }
        } onCancel: {
            loop.execute {
                ticket.isCancelled = true
                guard let place = self.closers.firstIndex(where: { $0.ticket === ticket }) else { return }
                unsafe self.closers.remove(at: place).continuation.resume()
            }
        }
    }

    private func waitForEnd(_ ticket: WaitTicket, _ continuation: UnsafeContinuation<Void, Never>) {
        guard !hasToldEnd, !ticket.isCancelled else { return unsafe continuation.resume() }
        closers.append(unsafe EndWaiter(ticket: ticket, continuation: continuation))
    }

    /// Nobody will receive or send any more: closes, and drops what comes.
    ///
    /// - Parameter error: Why, unless the connection has failed; nil: there is no more to say.
    func leave(code: WebSocketCloseCode, for error: ConnectionError? = nil) {
        if stream.isOpen, endingError == nil, !hasFault { ownFailure = error }
        dropMessages()
        guard case .open = phase else { return isFinishing ? () : close() }
        // The codes that are given here may be sent.
        try? beginClose(code: code)
    }
}

extension WebSocketConnection {
    /// Nobody takes any more what has come or comes.
    func dropMessages() {
        dropsMessages = true
        inbox = Queue()
        inboxCost = 0
        dropShareIfDone()
    }

    /// Ends the WebSocket for a reason that is the peer's, or the server's with all its connections; the peer is told as far
    /// as it takes anything.
    func end(_ error: ConnectionError) {
        guard stream.isOpen && !isFinishing || !inbox.isEmpty else { return }
        if ownFailure == nil { ownFailure = error }
        collector = WebSocketMessageCollector()
        dropInput()
        var needsRoom = false
        if case .noRoom = error { needsRoom = true }
        if needsRoom {
            dropMessages()
            dropBurden()
        }
        // Otherwise the last piece of a message may have come.
        if inbox.isEmpty { isInsidePieces = false }
        // What waits to be sent holds room, too.
        if needsRoom, stream.isOutputStalled { return abort(error) }
        guard stream.isOpen, !isFinishing else {
            if hasInputEnded { engine.endOfInput() }
            deliver()
            return hasEnded ? tellEnd() : ()
        }
        guard case .open = phase else { return fail(error) }
        // It may come back: a slow line is nobody's fault, and there may be room then.
        try? engine.close(code: .tryAgainLater, at: now)
        logClose()
        // Its answer would stand behind what it does not bring on.
        engine.endOfInput()
        settle()
    }
}

/// Somebody who waits for a WebSocket's end.
@safe
struct EndWaiter {
    let ticket: WaitTicket
    let continuation: UnsafeContinuation<Void, Never>
}
