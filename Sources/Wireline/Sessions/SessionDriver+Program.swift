// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// What a session does for its program; callable from any task and thread.
extension SessionDriver {
    /// The session's state now, and after each change.
    var states: AsyncStream<SessionState> {
        let (stream, observer) = AsyncStream.makeStream(of: SessionState.self, bufferingPolicy: .bufferingNewest(64))
        loop.execute { self.add(observer) }
        return stream
    }

    /// The counters of all connections so far; waiting bytes are those of the current connection and of the inbox.
    func counters() async -> ConnectionCounters {
        await loop.run {
            var counters = self.ownCounters
            if let connection = self.link?.connection { counters += connection.currentCounters }
            counters.unreadByteCount += self.inbox.byteCount
            return counters
        }
    }

    /// What the session holds of the messages it was given.
    func outboundCounters() async -> OutboundCounters { await loop.run { self.currentOutboundCounters } }

    /// What TLS negotiated for the current connection.
    func tlsDetails() async -> TLSDetails? {
        await loop.run { self.link?.connection?.stream.tlsTransform?.details }
    }

    /// Waits until the session sends messages.
    func waitUntilReady() async throws(ConnectionError) {
        for await state in states {
            switch state {
            case .ready: return
            case .ended(let cause): throw .sessionEnded(cause)
            case .connecting, .loggingIn, .waiting: continue
            }
        }
        throw .cancelled
    }

    /// Takes no more messages, and ends the session when each has an outcome, or when the timeout passes.
    func drain(within timeout: Duration) async -> SessionEndCause {
        tell(.drain(deadline: elapsed + timeout))
        for await state in states {
            if case .ended(let cause) = state { return cause }
        }
        tell(.end)
        return .byUs
    }

    /// Gives the session an event from its program.
    func tell(_ event: SessionEvent) {
        loop.execute { self.handle(event) }
    }

    /// Gives the session a message.
    func take(
        _ payload: Adapter.Payload, byteCount: Int, _ delivery: DeliveryPolicy, confirmedBy receipt: DeliveryReceipt,
        timeToLive: Duration?, _ ticket: DeliveryTicket
    ) async throws(ConnectionError) {
        do throws(SessionError) {
            try await loop.run { () throws(SessionError) in
                let outbound = OutboundMessage(
                    payload, byteCount: byteCount, delivery: delivery, receipt: receipt,
                    expiry: timeToLive.map { self.elapsed + $0 })
                try self.send(outbound, ticket)
            }
        } catch {
            if case .cancelled = error { throw .cancelled }
            throw .session(error)
        }
        await loop.giveWay()
    }

    /// Returns the next element that arrived, for the task that iterates; nil at the end.
    nonisolated(nonsending) func next() async throws(ConnectionError) -> Adapter.Element? { try await inbox.next() }
}
