// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
import WirelineTransport

extension PacketConnection: ReceivingConnection {
    /// Returns the next packet; nil when the peer ends its stream after a whole packet.
    ///
    /// - Throws: ``ConnectionError``, after every earlier packet was returned; later calls throw it again.
    ///   ``ConnectionError/alreadyReceiving`` while another task waits; that task continues to wait.
    ///   ``ConnectionError/cancelled`` if the task is cancelled while it waits; no packet is lost.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func next() async throws(ConnectionError) -> ReceivedPacket? {
        if let packet = takeBufferedPacket() { return packet }
        return try await nextToArrive()
    }

    /// Returns the next message; nil when the peer ends its stream after a whole packet.
    ///
    /// - Throws: ``ConnectionError``, as ``next()``; ``ConnectionError/codec(_:)`` also if the message does not match
    ///   the schema.
    @inlinable @inline(__always)
    nonisolated(nonsending) func nextMessage<Message: IncomingMessage>() async throws(ConnectionError)
        -> ReceivedMessage<Message>?
    {
        let packet =
            if let packet = takeBufferedPacket(Message.Definition.plan) { packet } else { try await nextToArrive() }
        return if let packet { try message(in: packet) } else { nil }
    }

    /// Decodes the message of a packet that was taken. Any thread may call it.
    @inlinable @inline(__always)
    func message<Message: IncomingMessage>(
        in packet: ReceivedPacket
    ) throws(ConnectionError) -> ReceivedMessage<Message> {
        do throws(CodecError) {
            let message = try Message(in: packet.lent)
            if message.unknownID != nil { noteUnknownID() }
            return ReceivedMessage(message, in: packet)
        } catch {
            throw refusedMessage(error)
        }
    }

    /// Returns the next packet if it was already read and the splitter's fast path finds it; nil otherwise.
    ///
    /// It is inlined into its callers: a call alone would take longer than this work.
    @inlinable @inline(__always)
    func takeBufferedPacket() -> ReceivedPacket? {
        guard stream.loop.isCurrent else { return nil }
        return input.takeOnFastPath()
    }

    /// Code that is compiled for one protocol passes a constant `plan`.
    @inlinable @inline(__always)
    func takeBufferedPacket(_ plan: PacketPlan) -> ReceivedPacket? {
        guard stream.loop.isCurrent else { return nil }
        return input.takeOnFastPath(plan)
    }

    /// Lends all packets that have arrived; nil when the peer ends its stream after a whole packet.
    ///
    /// It waits until there are some.
    ///
    ///     while var batch = try await connection.nextBatch() {
    ///         while let packet = try batch.next() { … }
    ///     }
    ///
    /// Call it in a task on the connection's ``loop``, such as a server's handler or a
    /// `Task(executorPreference: connection.loop)`. A batch is empty if only a reply to a request has arrived.
    ///
    /// - Throws: As ``next()``; ``ConnectionError/notOnLoop`` if the task is not on the loop.
    public nonisolated(nonsending) func nextBatch() async throws(ConnectionError) -> PacketBatch? {
        while stream.loop.isCurrent {
            guard !inputWait.isClaimed else { throw .alreadyReceiving }
            if mustOpenLater {
                await stream.loop.giveWay()
                continue
            }
            if lookForPacket(), let block = input.currentBlock ?? requests?.firstUnread?.block {
                return PacketBatch(self, block)
            }
            if let error = ending.inputError, !isInputUnfinished { throw error }
            if try hasEnded() { return nil }
            inputWait.claim()
            try await waitForArrival()
            guard stream.loop.isCurrent else {
                stream.loop.execute { self.inputWait.endClaim() }
                throw .notOnLoop
            }
            inputWait.endClaim()
        }
        throw .notOnLoop
    }

    @usableFromInline
    nonisolated(nonsending) func nextToArrive() async throws(ConnectionError) -> ReceivedPacket? {
        var holdsClaim = false
        // Checked again after every wait, because an actor's task continues wherever the actor runs.
        while stream.loop.isCurrent {
            if holdsClaim { inputWait.endClaim() }
            holdsClaim = false
            guard !inputWait.isClaimed else { throw .alreadyReceiving }
            guard !mustOpenLater else { break }
            if let packet = try takeUnclaimedPacket() { return packet }
            guard !mustOpenLater else { break }
            if try hasEnded() { return nil }
            // The packet may have been a reply, and no other packet has arrived.
            inputWait.claim()
            holdsClaim = true
            try await waitForArrival()
        }
        return try await nextOnSlowPath(holdsClaim)
    }

    /// Returns the next packet in a turn that has time to open it. A task on another executor moves to the loop for one
    /// packet.
    ///
    /// It is one function, because each place where a handler can wait takes memory of its idle task.
    @inline(never)
    private nonisolated(nonsending) func nextOnSlowPath(
        _ holdsClaim: Bool
    ) async throws(ConnectionError) -> ReceivedPacket? {
        if stream.loop.isCurrent {
            // Packets that were opened so far count.
            _ = requestMemory(isWanted: false)
            await stream.loop.giveWay()
            return try await nextToArrive()
        }
        return try await withTaskExecutorPreference(stream.loop) { await self.nextOnLoop(holdsClaim) }.get()
    }

    @concurrent
    private func nextOnLoop(_ hasWaited: Bool) async -> Result<ReceivedPacket?, ConnectionError> {
        // Without this, the optimizer may drop the change of executor; see `SendingConnection`.
        stream.loop.preconditionIsCurrent()
        if hasWaited { inputWait.endClaim() }
        do throws(ConnectionError) {
            return .success(try await nextToArrive())
        } catch {
            return .failure(error)
        }
    }

    /// Whether there is neither a packet to take nor an end to report.
    @inline(never)
    private func mustWait() -> Bool { inputWait.isWaiting || !lookForPacket() && !isEndNext }

    /// Whether a reader learns the input's end now.
    private var isEndNext: Bool { ending.input != nil && !isInputUnfinished }

    /// Waits for a packet to take or an end to report. The caller must then check whether it is still there.
    ///
    /// It is inlined, because as a function it would allocate a frame for each wait.
    @inline(__always)
    private nonisolated(nonsending) func waitForArrival() async throws(ConnectionError) {
        if let ownersTask, ownersTask == .current { return await waitForInputUncancelled() }
        await waitForInput()
        if Task.isCancelled, stream.loop.isCurrent, !stream.hasFailedOutput, mustWait() {
            inputWait.endClaim()
            throw .cancelled
        }
    }

    func inputWaitBegan() {
        if !ending.isLeaving, !isInputWantedWithoutTask { beginWaiting() }
        stream.flush()
        // The flush may have found the connection's end, which also ends the wait.
        if inputWait.isWaiting { readIfWanted() }
    }

    func inputWaitCancelled() { stopUnlessWanted() }

    /// Whether someone needs more input: a task, a request, the batch handler, or a connection that leaves and drops
    /// it.
    var wantsBytes: Bool {
        guard !ending.isLeaving else { return true }
        if case .drained = ending.input { return false }
        return inputWait.isWaiting || isInputWantedWithoutTask
    }

    private var isInputWantedWithoutTask: Bool {
        if batchHandler != nil { return !isInputPaused && hasRoomForAnswers }
        if let requests, requests.wantsInput { return takesUnread(requests) }
        return false
    }

    func readIfWanted() {
        guard wantsBytes else { return pauseRate() }
        watchRate()
        guard requestMemory() else { return pauseRate() }
        guard awaitedContentByteCount == 0 else {
            // The memory is for the packet that has arrived, and not for more input.
            pauseRate()
            return openLater()
        }
        stream.read()
    }

    func stopUnlessWanted() {
        guard !wantsBytes else { return }
        stopWaiting()
        pauseRate()
        stream.stopReading()
        dropReservation()
    }

    /// Passes input, or its end, to the batch handler, the requests and the waiting task.
    func deliver() {
        if batchHandler != nil { return runBatch() }
        answerRequests()
        guard inputWait.isWaiting else { return }
        if lookForPacket() {
            notePacket()
            inputWait.resume()
        } else if isEndNext {
            inputWait.resume()
        }
    }

    /// Finds a packet, or an error, that a task can take. Otherwise it keeps a partial packet in memory of its size.
    private func lookForPacket() -> Bool {
        if let requests, requests.unreadByteCount > 0 { return true }
        do throws(ConnectionError) {
            if try hasPacketToTake() { return true }
        } catch {
            return true
        }
        if !awaitsContentMemory { keepRest() }
        return false
    }

    /// Finds a whole packet for which there is memory, also if it must be opened in a later turn.
    func hasPacketToTake() throws(ConnectionError) -> Bool {
        if try input.lookForPacket() { return requestMemoryToOpen() }
        // A state that was set may have made a packet of the bytes whose memory was requested.
        dropReservation()
        return false
    }

    /// Whether the input has ended without an error.
    ///
    /// - Throws: ``ConnectionError/codec(_:)`` if the stream has ended inside a packet.
    @inline(never)
    func hasEnded() throws(ConnectionError) -> Bool {
        guard !isInputUnfinished else { return false }
        switch ending.input {
        case .endOfStream:
            try requireWhole()
            return true
        case .drained: return true
        case .failed, nil: return false
        }
    }
}
