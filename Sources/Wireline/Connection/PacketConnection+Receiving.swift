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
        guard stream.loop.isCurrent, let block = current else { return nil }
        // SAFETY: the bytes up to `end` lie inside the block, which is held here.
        let bytes = unsafe RawSpan(_unsafeStart: block.base, byteCount: end)
        guard let bounds = splitter.packetAtSight(in: bytes, at: position) else { return nil }
        let packet = ReceivedPacket(block: block, start: position, bounds: bounds)
        position &+= bounds.packetByteCount
        receivedPacketCount &+= 1
        return packet
    }

    /// What has arrived, all at once; nil when the peer has ended where a packet had ended. It waits until there is something.
    ///
    ///     while var batch = try await connection.nextBatch() {
    ///         while let packet = try batch.next() { … }
    ///     }
    ///
    /// For tasks on the connection's ``loop``, as a server's handlers are: `Task(executorPreference: connection.loop)`. A batch
    /// may turn out to be empty, where a reply was all that has come.
    ///
    /// - Throws: As ``next()``.
    public nonisolated(nonsending) func nextBatch() async throws(ConnectionError) -> PacketBatch? {
        while true {
            stream.loop.preconditionIsCurrent()
            if unsafe receiver == nil {
                if hasPacket(), let block = current ?? requests?.firstUnread?.block { return PacketBatch(self, block) }
                if case .failed(let error) = ending { throw error }
                if try hasEnded() { return nil }
            }
            try await waitForArrival()
        }
    }

    @usableFromInline
    nonisolated(nonsending) func nextToArrive() async throws(ConnectionError) -> ReceivedPacket? {
        // Asked again behind every wait: a task of an actor's goes on wherever the actor happens to run.
        while stream.loop.isCurrent {
            if unsafe receiver == nil {
                if let packet = try takeUnclaimedPacket() { return packet }
                if try hasEnded() { return nil }
                // It may have been a reply, and nothing else has come.
            }
            try await waitForArrival()
        }
        return try await nextFromElsewhere()
    }

    /// Takes the task to the loop, whatever it came from, for the time of one packet.
    @inline(never)
    private nonisolated(nonsending) func nextFromElsewhere() async throws(ConnectionError) -> ReceivedPacket? {
        try await withTaskExecutorPreference(stream.loop) { await self.nextOnLoop() }.get()
    }

    @concurrent
    private func nextOnLoop() async -> Result<ReceivedPacket?, ConnectionError> {
        do throws(ConnectionError) {
            return .success(try await nextToArrive())
        } catch {
            return .failure(error)
        }
    }

    /// Whether there is nothing to take, and no end to tell of.
    @inline(never)
    private func mustWait() -> Bool { unsafe receiver != nil || !hasPacket() && ending == nil }

    /// Waits until there is something to take, or an end to tell of; who calls it looks whether there still is.
    private nonisolated(nonsending) func waitForArrival() async throws(ConnectionError) {
        if let ownersTask, ownersTask == .current {
            waitNumber &+= 1
            await unsafe withUnsafeContinuation { unsafe wait($0, waitNumber) }
        } else {
            await arrivalOrCancellation()
            if Task.isCancelled, stream.loop.isCurrent, mustWait() { throw .cancelled }
        }
    }

    @inline(never)
    private nonisolated(nonsending) func arrivalOrCancellation() async {
        waitNumber &+= 1
        let number = waitNumber
        await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { unsafe wait($0, number) }
        } onCancel: {
            stream.loop.execute { self.cancelReceiving(number) }
        }
    }

    private func wait(_ continuation: UnsafeContinuation<Void, Never>, _ number: UInt32) {
        precondition(unsafe receiver == nil, "one task at a time waits for a connection's packets")
        let wasWanted = wantsBytes
        unsafe receiver = continuation
        guard cancelledWaitNumber != number else { return resumeReceiver() }
        if !wasWanted { beginWaiting() }
        stream.flush()
        // What that found out may have ended the connection, and with it the wait.
        if unsafe receiver != nil { readIfWanted() }
    }

    private func cancelReceiving(_ number: UInt32) {
        guard number == waitNumber else { return }
        cancelledWaitNumber = number
        // It may not have begun to wait.
        guard unsafe receiver != nil else { return }
        resumeReceiver()
        stopUnlessWanted()
    }

    /// Whether somebody waits for what has not arrived.
    var wantsBytes: Bool {
        guard !isFinishing else { return true }
        if case .drained = ending { return false }
        if unsafe receiver != nil { return true }
        if batchHandler != nil { return stream.pendingByteCount < pendingLimit }
        if let requests, requests.waitingCount > 0 { return requests.unreadCost < unreadLimit }
        return false
    }

    /// Asks for more where somebody waits for it, and there is room for it.
    func readIfWanted() {
        guard wantsBytes else { return pauseRest() }
        watchRest()
        if hasShare() { stream.read() } else { pauseRest() }
    }

    /// Takes back what was asked for where nobody waits any more.
    func stopUnlessWanted() {
        guard !wantsBytes else { return }
        stopWaiting()
        pauseRest()
        stream.stopReading()
    }

    /// Tells those who wait of what has arrived, and of the end.
    func deliver() {
        if batchHandler != nil { return runBatch() }
        answerRequests()
        guard unsafe receiver != nil else { return }
        if hasPacket() {
            notePacket()
            resumeReceiver()
        } else if ending != nil {
            resumeReceiver()
        }
    }

    /// Whether something is there for who receives: a packet, or the refusal of one.
    private func hasPacket() -> Bool {
        if let requests, requests.unreadByteCount > 0 { return true }
        guard let block = current else { return false }
        // SAFETY: the bytes up to `end` lie inside the block, which is held here.
        let bytes = unsafe RawSpan(_unsafeStart: block.base, byteCount: end)
        if splitter.packetAtSight(in: bytes, at: position) != nil { return true }
        do throws(CodecError) {
            if position < end, try splitter.packet(in: bytes, at: position) != nil { return true }
            keepRest()
            return false
        } catch {
            return true
        }
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

    private func resumeReceiver() {
        unsafe receiver.take()?.resume()
    }
}
