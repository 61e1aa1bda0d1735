// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Calls of the program, from any task and thread.
extension SessionDriver {
    var states: AsyncStream<SessionState> {
        let (stream, observer) = AsyncStream.makeStream(of: SessionState.self, bufferingPolicy: .bufferingNewest(64))
        loop.execute { self.add(observer) }
        return stream
    }

    /// The counters of all connections so far. Waiting bytes are those of the current connection and of the inbox.
    func counters() async -> ConnectionCounters {
        await loop.run {
            var counters = self.ownCounters
            if let connection = self.link?.connection { counters += connection.currentCounters }
            counters.unreadByteCount += self.inbox.byteCount
            return counters
        }
    }

    func outboundCounters() async -> OutboundCounters { await loop.run { self.currentOutboundCounters } }

    func tlsDetails() async -> TLSDetails? {
        await loop.run { self.link?.connection?.stream.tlsTransform?.details }
    }

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

    func drain(within timeout: Duration) async -> SessionEndCause {
        tell(.drain(deadline: elapsed + timeout))
        for await state in states {
            if case .ended(let cause) = state { return cause }
        }
        tell(.end)
        return .byUs
    }

    func tell(_ event: SessionEvent) {
        loop.execute { self.handle(event) }
    }

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

    /// Returns the next element; nil at the end. One task at a time may call it.
    nonisolated(nonsending) func next() async throws(ConnectionError) -> Adapter.Element? { try await inbox.next() }
}
