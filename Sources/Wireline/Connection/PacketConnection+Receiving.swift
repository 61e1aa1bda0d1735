// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
import WirelineTransport

extension PacketConnection {
    /// The next packet; nil when the peer has ended where a packet had ended.
    ///
    /// - Throws: ``ConnectionError``, once every packet before it has been handed over, and again at every later call.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func next() async throws(ConnectionError) -> ReceivedPacket? {
        if let packet = packetAtHand() { return packet }
        return try await nextToArrive()
    }

    /// The next packet where it has been read already and is known to be one at sight.
    ///
    /// Inlined where packets are asked for: the call alone would take longer than all this.
    @inlinable @inline(__always)
    func packetAtHand() -> ReceivedPacket? {
        guard stream.loop.isCurrent, !isRouting, let block = current else { return nil }
        // SAFETY: the bytes up to `end` lie inside the block, which is held here.
        let bytes = unsafe RawSpan(_unsafeStart: block.base, byteCount: end)
        guard let bounds = splitter.packetAtSight(in: bytes, at: position) else { return nil }
        let packet = ReceivedPacket(block: block, start: position, bounds: bounds)
        position &+= bounds.packetByteCount
        return packet
    }

    @usableFromInline
    nonisolated(nonsending) func nextToArrive() async throws(ConnectionError) -> ReceivedPacket? {
        guard stream.loop.isCurrent else {
            return try await withTaskExecutorPreference(stream.loop) { await self.receiveOnLoop() }.get()
        }
        if receiver == nil, let packet = try takeUnclaimedPacket() { return packet }
        return try await waitForPacket().get()
    }

    /// Takes the task to the loop, whatever it came from, for the time of one packet.
    @concurrent
    private func receiveOnLoop() async -> Received {
        await waitForPacket()
    }

    private nonisolated(nonsending) func waitForPacket() async -> Received {
        stream.loop.preconditionIsCurrent()
        let ticket = WaitTicket()
        return await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { continuation in
                receive(unsafe Receiver(ticket: ticket, continuation: continuation))
            }
        } onCancel: {
            stream.loop.execute { self.cancelReceiving(ticket) }
        }
    }

    private func receive(_ receiver: Receiver) {
        precondition(self.receiver == nil, "one task at a time waits for a connection's packets")
        self.receiver = receiver
        guard !receiver.ticket.isCancelled else { return resumeReceiver(.failure(.cancelled)) }
        deliver()
        guard self.receiver != nil else { return }
        stream.flush()
        stream.read()
    }

    private func cancelReceiving(_ ticket: WaitTicket) {
        ticket.isCancelled = true
        guard receiver?.ticket === ticket else { return }
        resumeReceiver(.failure(.cancelled))
        if !wantsBytes { stream.stopReading() }
    }

    /// Whether somebody waits for what has not arrived.
    var wantsBytes: Bool {
        guard !isFinishing else { return true }
        if case .drained = ending { return false }
        if receiver != nil { return true }
        if let requests, requests.waitingCount > 0 { return requests.unreadByteCount < unreadLimit }
        return batchHandler != nil && stream.pendingByteCount < pendingLimit
    }

    /// Hands packets, or the end, to those who wait for them.
    func deliver() {
        if batchHandler != nil { return runBatch() }
        if receiver != nil {
            do throws(ConnectionError) {
                if let packet = try takeUnclaimedPacket() {
                    resumeReceiver(.success(packet))
                } else if try hasEnded() {
                    resumeReceiver(.success(nil))
                }
            } catch {
                resumeReceiver(.failure(error))
            }
        }
        answerRequests()
    }

    /// Whether nothing more comes, although nothing went wrong.
    ///
    /// - Throws: When the stream has ended inside a packet.
    func hasEnded() throws(ConnectionError) -> Bool {
        switch ending {
        case .endOfStream:
            try requireWhole()
            return true
        case .drained: return true
        case .failed, nil: return false
        }
    }

    private func resumeReceiver(_ result: Received) {
        guard let receiver else { return }
        self.receiver = nil
        hasHadPacket = true
        unsafe receiver.continuation.resume(returning: result)
    }
}
