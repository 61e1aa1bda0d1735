// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport

/// What a session does for the program that holds it; any task, any thread.
extension SessionDriver {
    /// Where the session stands: now, and then whenever that changes.
    var states: AsyncStream<SessionState> {
        let (stream, observer) = AsyncStream.makeStream(of: SessionState.self, bufferingPolicy: .bufferingNewest(64))
        loop.execute { self.add(observer) }
        return stream
    }

    /// What has passed through all connections, and what waits in the present one and to be read.
    func counters() async -> ConnectionCounters {
        await loop.run {
            var counters = self.ownCounters
            if let connection = self.link?.connection { counters += connection.currentCounters }
            counters.unreadByteCount += self.inbox.byteCount
            return counters
        }
    }

    /// What the session holds of what it was given to send.
    func outboundCounters() async -> OutboundCounters { await loop.run { self.currentOutboundCounters } }

    /// What TLS has agreed on for the connection that there is.
    func tlsDetails() async -> TLSDetails? {
        await loop.run { self.link?.connection?.stream.tlsTransform?.details }
    }

    /// Waits until messages go out.
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

    /// Takes no more messages, and ends the session when those that it has have had their outcome, or time is over.
    func drain(within timeout: Duration) async -> SessionEndCause {
        tell(.drain(deadline: elapsed + timeout))
        for await state in states {
            if case .ended(let cause) = state { return cause }
        }
        tell(.end)
        return .byUs
    }

    /// Tells the session what its program wants.
    func tell(_ event: SessionEvent) {
        loop.execute { self.handle(event) }
    }

    /// Hands the session a message.
    func take(
        _ payload: Carrier.Payload, byteCount: Int, _ delivery: DeliveryPolicy, confirmedBy receipt: DeliveryReceipt,
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

    /// What has arrived, one after another, for whoever iterates; nil at the end.
    nonisolated(nonsending) func next() async throws(ConnectionError) -> Carrier.Element? {
        if loop.isCurrent, let taken = inbox.take() { return try taken.get() }
        let ticket = WaitTicket()
        let taken = await loop.visit {
            await withTaskCancellationHandler {
                await withCheckedContinuation { self.inbox.take(ticket, $0) }
            } onCancel: {
                self.loop.execute { self.inbox.cancel(ticket) }
            }
        }
        return try taken.get()
    }
}
