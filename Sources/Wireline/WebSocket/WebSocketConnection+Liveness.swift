// SPDX-License-Identifier: Apache-2.0

import WirelineSession
import WirelineTransport
import WirelineWebSocket

/// Pings that wait to be sent or answered.
struct PingBook {
    /// A ping that has been sent.
    struct Sent {
        let number: UInt64
        let time: Duration
        let meaning: Meaning
    }

    enum Meaning {
        /// Somebody waits for the answer.
        case asked(PendingPing)
        /// The heartbeat of this number.
        case beat(UInt64)
    }

    /// So many heartbeats are kept whose answers have not come: the peer does not answer each.
    static let mostBeats = 32

    var lastNumber: UInt64 = 0
    var sent: [Sent] = []
    /// Those for which there was no room.
    var unsent = Queue<PendingPing>()
}

/// Somebody who waits for the answer to a ping.
@safe
final class PendingPing {
    let ticket: WaitTicket
    let continuation: UnsafeContinuation<Result<Duration, ConnectionError>, Never>
    var timer: EventLoop.Timer?

    init(_ ticket: WaitTicket, _ continuation: UnsafeContinuation<Result<Duration, ConnectionError>, Never>) {
        self.ticket = ticket
        unsafe self.continuation = continuation
    }
}

/// Whether the peer is there.
extension WebSocketConnection {
    // MARK: Pings that somebody asks for

    /// Sends a ping, and waits for the answer.
    nonisolated(nonsending) func ping(within timeout: Duration) async throws(ConnectionError) -> Duration {
        guard stream.loop.isCurrent else {
            return try await withTaskExecutorPreference(stream.loop) { await self.pingOnLoop(timeout) }.get()
        }
        return try await pingAndWait(timeout).get()
    }

    @concurrent
    private func pingOnLoop(_ timeout: Duration) async -> Result<Duration, ConnectionError> {
        await pingAndWait(timeout)
    }

    private nonisolated(nonsending) func pingAndWait(_ timeout: Duration) async -> Result<Duration, ConnectionError> {
        stream.loop.preconditionIsCurrent()
        let ticket = WaitTicket()
        return await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                guard !ticket.isCancelled else { return unsafe continuation.resume(returning: .failure(.cancelled)) }
                let ping = unsafe PendingPing(ticket, continuation)
                ping.timer = loop.schedule(at: loop.now + timeout) {
                    ping.timer = nil
                    self.givePingUp(ticket, .transport(.timedOut))
                }
                pings.unsent.append(ping)
                resumePings()
            }
        } onCancel: {
            stream.loop.execute {
                ticket.isCancelled = true
                self.givePingUp(ticket, .cancelled)
            }
        }
    }

    private func givePingUp(_ ticket: WaitTicket, _ error: ConnectionError) {
        if let ping = pings.unsent.removeFirst(where: { $0.ticket === ticket }) {
            return resume(ping, .failure(error))
        }
        let place = pings.sent.firstIndex { sent in
            if case .asked(let ping) = sent.meaning { ping.ticket === ticket } else { false }
        }
        guard let place, case .asked(let ping) = pings.sent.remove(at: place).meaning else { return }
        resume(ping, .failure(error))
    }

    private func resume(_ ping: PendingPing, _ result: Result<Duration, ConnectionError>) {
        loop.cancel(&ping.timer)
        unsafe ping.continuation.resume(returning: result)
    }

    /// Sends pings that wait, as far as there is room.
    func resumePings() {
        while let ping = pings.unsent.first {
            guard stream.takesOutput, case .open = phase, engine.isOpen else {
                _ = pings.unsent.popFirst()
                resume(ping, .failure(sendError))
                continue
            }
            guard sendPing(.asked(ping)) else { return }
            _ = pings.unsent.popFirst()
            // It may find out that the connection has ended, which all pings are told then.
            pump()
        }
    }

    /// - Returns: Whether there was room for it.
    private func sendPing(_ meaning: PingBook.Meaning) -> Bool {
        let number = pings.lastNumber + 1
        let payload = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        let bytes = unsafe payload.span.bytes
        // It is open, and eight bytes are not too many.
        guard (try? engine.ping(bytes)) == true else { return false }
        pings.lastNumber = number
        pings.sent.append(PingBook.Sent(number: number, time: now, meaning: meaning))
        return true
    }

    /// A ping was answered; of several it may be the newest alone, which answers those before it, too.
    func answered(_ payload: [UInt8]) {
        guard payload.count == 8 else { return }
        let number = payload.reduce(0) { $0 << 8 | UInt64($1) }
        let now = now
        let answered = pings.sent.prefix { $0.number <= number }
        pings.sent.removeFirst(answered.count)
        for ping in answered {
            switch ping.meaning {
            case .asked(let waiter): resume(waiter, .success(now - ping.time))
            case .beat(let beat): _ = heartbeat?.answered(sequence: beat, at: now)
            }
        }
    }

    /// Tells those who wait for answers that there will be none.
    func failPings() {
        let sent = pings.sent
        pings.sent = []
        for ping in sent { if case .asked(let waiter) = ping.meaning { resume(waiter, .failure(sendError)) } }
        resumePings()
    }

    // MARK: Heartbeats

    func beginHeartbeat() {
        guard let policy = limits.heartbeat else { return }
        heartbeat = HeartbeatMonitor(policy: policy, maximumSequence: .max, at: now)
        scheduleHeartbeat()
    }

    private func scheduleHeartbeat() {
        guard let deadline = heartbeat?.deadline, engine.isOpen, stream.isOpen else { return }
        heartbeatTimer = loop.schedule(at: MonotonicTime(sinceOrigin: deadline)) {
            self.heartbeatTimer = nil
            self.beat()
        }
    }

    private func beat() {
        guard engine.isOpen, stream.isOpen else { return }
        // While nothing is read nobody can say whether the peer answers.
        if !isAwaitingPeer { heartbeat?.received(at: now) }
        if passage.hasProgressed(on: stream) { heartbeat?.progressed(at: now) }
        switch heartbeat?.timerFired(at: now) {
        case .giveUp:
            isPeerSilent = true
            return abort(.transport(.timedOut))
        case .beat(let number):
            _ = sendPing(.beat(number))
            passage.began(on: stream, unwrittenByteCount: engine.pendingByteCount)
            forgetOldBeats()
            pump()
        case nil: break
        }
        scheduleHeartbeat()
    }

    private func forgetOldBeats() {
        let isBeat: (PingBook.Sent) -> Bool = { if case .beat = $0.meaning { true } else { false } }
        guard pings.sent.count(where: isBeat) > PingBook.mostBeats, let oldest = pings.sent.firstIndex(where: isBeat)
        else { return }
        pings.sent.remove(at: oldest)
    }
}
