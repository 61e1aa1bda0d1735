// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport
package import WirelineWebSocket

/// A WebSocket at a server.
extension WebSocketConnection: ServedConnection {
    package var currentCounters: ConnectionCounters {
        var counters = ConnectionCounters()
        counters.receivedByteCount = Int(clamping: stream.receivedByteCount)
        counters.sentByteCount = Int(clamping: stream.sentByteCount)
        counters.receivedPacketCount = receivedMessageCount
        counters.sentPacketCount = sentMessageCount
        counters.pendingByteCount = stream.pendingByteCount + engine.pendingByteCount
        counters.unreadByteCount = unreadByteCount
        counters.waitingSenderCount = senders.count + parts.count
        if case .failed = engine.end?.cause { counters.refusedPacketCount = 1 }
        return counters
    }

    package func drain(telling farewell: WebSocketClose?) {
        switch phase {
        case .open: tell(farewell)
        case .listening: abort(.transport(.closed))
        case .answering: lateness = farewell ?? WebSocketClose(code: .goingAway)
        case .asking, .failed: break
        }
    }

    private func tell(_ farewell: WebSocketClose?) {
        let farewell = farewell ?? WebSocketClose(code: .goingAway)
        // Whoever has the server end has checked it.
        try? beginClose(code: farewell.code, reason: farewell.reason)
    }

    package func dismiss(telling farewell: WebSocketClose?) { close() }

    package func handlerEnded(_ failure: (any Error)?) {
        leave(code: failure == nil ? .normal : .internalError)
    }

    /// Answers the client's request, which has come; any thread.
    ///
    /// - Returns: Whether there is a WebSocket now.
    /// - Throws: ``ConnectionError/webSocket(_:)`` for an answer that is none, and the client is answered 500; what has ended
    ///   the connection meanwhile.
    func answer(_ answer: WebSocketAnswer) async throws(ConnectionError) -> Bool {
        try await loop.run { () throws(ConnectionError) in try self.answerOnLoop(answer) }
    }

    private func answerOnLoop(_ answer: WebSocketAnswer) throws(ConnectionError) -> Bool {
        guard case .answering(var handshake) = phase else { throw endingError ?? .transport(.closed) }
        do throws(WebSocketError) {
            try handshake.answer(lateness == nil ? answer : .refuse(status: 503))
        } catch {
            // This answer is one.
            try? handshake.answer(.refuse(status: 500))
            stream.write(handshake.takeOutput())
            fail(.webSocket(error))
            throw .webSocket(error)
        }
        stream.write(handshake.takeOutput())
        guard let agreement = handshake.agreement else {
            fail(nil)
            return false
        }
        open(agreement)
        parse()
        return true
    }

    /// Gives the client so much time for its request, TLS included, and later the peer for saying something.
    func setDeadlines(_ limits: PeerDeadlines.Limits) {
        guard stream.isOpen, case .listening = phase else { return }
        deadlines = PeerDeadlines(limits, isShakingHands: true, at: now)
        watchPeer()
    }
}
