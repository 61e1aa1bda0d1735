// SPDX-License-Identifier: Apache-2.0

import WirelineTransport
package import WirelineWebSocket

extension WebSocketConnection: ServedConnection {
    package var currentCounters: ConnectionCounters {
        loop.note(.connectionCounted)
        var counters = ConnectionCounters()
        counters.receivedByteCount = Int(clamping: stream.receivedByteCount)
        counters.sentByteCount = Int(clamping: stream.sentByteCount)
        counters.receivedPacketCount = receivedMessageCount
        counters.sentPacketCount = sentMessageCount
        counters.pendingByteCount = stream.pendingByteCount + engine.pendingByteCount
        counters.unreadByteCount = input.unreadByteCount
        counters.waitingSenderCount = output.waitingCount
        if case .failed = engine.end?.cause { counters.refusedPacketCount = 1 }
        return counters
    }

    package func drain(telling farewell: WebSocketClose?) {
        switch handshake.stage {
        case .complete: tell(farewell)
        case .listening: abort(.transport(.closed))
        case .answering: handshake.drain()
        case .asking, .failed: break
        }
    }

    private func tell(_ farewell: WebSocketClose?) {
        let farewell = farewell ?? WebSocketClose(code: .goingAway)
        // The caller of `shutDown` has checked the code and the reason.
        try? beginClose(code: farewell.code, reason: farewell.reason)
    }

    /// Ends without an answer to the request. The connection reads the client's bytes, so that the client sees an end,
    /// not a reset.
    package func dismiss(telling farewell: WebSocketClose?) { fail(.transport(.closed)) }

    package func dropInput() { dropMessages() }

    package func handlerEnded(_ failure: (any Error)?) {
        leave(code: failure == nil ? .normal : .internalError)
    }

    /// Answers the client's request, which has arrived. Any thread may call it.
    ///
    /// - Returns: Whether the WebSocket is open now.
    /// - Throws: ``ConnectionError/webSocket(_:)`` for an invalid answer, and the client gets 500; the error that has
    ///   ended the connection meanwhile.
    func answer(_ answer: WebSocketAnswer) async throws(ConnectionError) -> Bool {
        try await loop.run { () throws(ConnectionError) in try self.answerOnLoop(answer) }
    }

    private func answerOnLoop(_ answer: WebSocketAnswer) throws(ConnectionError) -> Bool {
        guard handshake.stage == .answering else { throw endingError ?? .transport(.closed) }
        let agreement: WebSocketAgreement?
        do throws(WebSocketError) {
            agreement = try handshake.answer(answer)
        } catch {
            stream.write(handshake.takeOutput())
            fail(.webSocket(error))
            throw .webSocket(error)
        }
        stream.write(handshake.takeOutput())
        guard let agreement else {
            fail(nil)
            return false
        }
        open(agreement)
        parse()
        return true
    }

    /// Answers a client that waits for a page, unless the connection has ended meanwhile. Any thread may call it.
    func answer(with page: WebSocketPage) async {
        await loop.run {
            guard self.handshake.stage == .answering else { return }
            self.handshake.answer(with: page)
            self.stream.write(self.handshake.takeOutput())
            self.fail(nil)
        }
    }

    /// Sets the client's timeouts: for its request, including TLS, and later for silence.
    func setDeadlines(_ limits: PeerDeadlines.Limits) {
        guard stream.isOpen, handshake.stage == .listening else { return }
        peerWatch.begin(limits, isShakingHands: true, at: loop.now)
        watchPeer()
    }
}
