// SPDX-License-Identifier: Apache-2.0

import WirelineTransport
import WirelineWebSocket

extension WebSocketConnection {
    // MARK: Pings of the program

    nonisolated(nonsending) func ping(within timeout: Duration) async throws(ConnectionError) -> Duration {
        guard stream.loop.isCurrent else {
            return try await withTaskExecutorPreference(stream.loop) { await self.pingOnLoop(timeout) }.get()
        }
        return try await pingAndWait(timeout).get()
    }

    @concurrent
    private func pingOnLoop(_ timeout: Duration) async -> Result<Duration, ConnectionError> {
        // Without this, the optimizer may drop the change of executor; see `SendingConnection`.
        stream.loop.preconditionIsCurrent()
        return await pingAndWait(timeout)
    }

    private nonisolated(nonsending) func pingAndWait(_ timeout: Duration) async -> Result<Duration, ConnectionError> {
        let ping = PendingPing()
        return await withTaskCancellationHandler {
            // SAFETY: the continuation is resumed here, or stored in the ping; `resume(_:_:)` takes it from there.
            await unsafe withUnsafeContinuation { continuation in
                // A handler that was cancelled because its connection is lost gets the reason.
                guard stream.takesOutput else { return unsafe continuation.resume(returning: .failure(sendError)) }
                guard !ping.isCancelled else { return unsafe continuation.resume(returning: .failure(.cancelled)) }
                unsafe ping.continuation = continuation
                ping.timer = loop.schedule(at: loop.now + timeout) {
                    ping.timer = nil
                    self.giveUp(ping, .transport(.timedOut))
                }
                pings.add(ping)
                resumePings()
            }
        } onCancel: {
            stream.loop.execute {
                ping.isCancelled = true
                self.giveUp(ping, .cancelled)
            }
        }
    }

    private func giveUp(_ ping: PendingPing, _ error: ConnectionError) {
        pings.remove(ping)
        resume(ping, .failure(error))
    }

    private func resume(_ ping: PendingPing, _ result: Result<Duration, ConnectionError>) {
        loop.cancel(&ping.timer)
        // SAFETY: a continuation that was taken out of the ping is not resumed again.
        unsafe ping.continuation.take()?.resume(returning: result)
    }

    func resumePings() {
        while let ping = pings.firstUnsent {
            guard stream.takesOutput, handshake.isComplete, engine.isOpen else {
                pings.removeFirstUnsent()
                resume(ping, .failure(sendError))
                continue
            }
            guard sendPing(for: .caller(ping)) else { return }
            pings.removeFirstUnsent()
            // Pumping may find that the connection has ended, and then all pings fail.
            pump()
        }
    }

    /// - Returns: Whether there was room in the output.
    private func sendPing(for purpose: OutstandingPings.Purpose) -> Bool {
        let payload = pings.nextPayload
        // SAFETY: eight bytes have neither padding nor uninitialised bytes.
        let bytes = unsafe payload.span.bytes
        // The engine is open, and eight bytes are not too many, so nothing is thrown.
        guard (try? engine.ping(bytes)) == true else { return false }
        pings.markSent(for: purpose, at: now)
        return true
    }

    func handlePong(_ payload: [UInt8]) {
        let now = now
        while let ping = pings.takeAnswered(by: payload) {
            switch ping.purpose {
            case .caller(let waiter): resume(waiter, .success(now - ping.time))
            case .heartbeat(let number): heartbeat.answered(number, at: now)
            }
        }
    }

    func failPings() {
        for ping in pings.takeSent() {
            if case .caller(let waiter) = ping.purpose { resume(waiter, .failure(sendError)) }
        }
        resumePings()
    }

    // MARK: Heartbeats

    func beginHeartbeat() {
        guard let policy = limits.heartbeat else { return }
        heartbeat.begin(policy, at: loop.now)
        scheduleHeartbeat()
    }

    /// Asks at once whether the peer is alive, if there is a heartbeat.
    func probe() {
        heartbeat.stop(on: loop)
        heartbeat.probe(on: stream)
        scheduleHeartbeat()
    }

    private func scheduleHeartbeat() {
        guard engine.isOpen, stream.isOpen else { return }
        heartbeat.setTimer(on: loop) {
            self.heartbeat.forgetTimer()
            self.checkHeartbeat()
        }
    }

    private func checkHeartbeat() {
        guard engine.isOpen, stream.isOpen else { return }
        switch heartbeat.judgePeer(on: stream, isAwaitingPeer: isAwaitingPeer) {
        case .giveUp:
            ending.failForSilence()
            return abort(.transport(.timedOut))
        case .beat(let number):
            _ = sendPing(for: .heartbeat(number))
            heartbeat.markSent(on: stream, unwrittenByteCount: engine.pendingByteCount)
            pump()
        case nil: break
        }
        scheduleHeartbeat()
    }
}
