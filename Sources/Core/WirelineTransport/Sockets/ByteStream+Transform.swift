// SPDX-License-Identifier: Apache-2.0

/// Streams whose bytes differ from those on the wire.
extension ByteStream {
    package var transform: (any StreamTransform)? { transformState?.transform }

    /// Call it after the stream has been started.
    func startTransform(_ state: TransformState) {
        do throws(TransformFailure) {
            try state.transform.start()
            flush()
        } catch {
            failTransform(state)
        }
    }

    // MARK: Reading

    /// Passes arrived data to the handler, once. During the handshake it reads even if the handler does not ask for
    /// data.
    func readTransformed(_ state: TransformState) {
        // A stream that waits for more data holds no block.
        defer { keepRest(state) }
        var hasFilled = false
        while isOpen, !input.hasEnded, isReading {
            if !state.hasInput {
                // A peer whose bytes carry no data must not keep the loop from other sockets.
                guard !hasFilled else { return readiness.isReadable ? continueLater() : () }
                hasFilled = true
                guard fill(state) else { return }
            }
            guard state.transform.isReady && input.isWanted ? deliver(state) : agree(state) else { return }
        }
    }

    /// Returns the block, and keeps bytes that the handler has not asked for in memory of their size.
    private func keepRest(_ state: TransformState) {
        if let block = state.takeInputBlock(keepsRest: isOpen && !input.hasEnded) { giveBack(block) }
    }

    /// - Returns: Whether bytes have arrived from the wire.
    private func fill(_ state: TransformState) -> Bool {
        guard readiness.isReadable else { return false }
        switch takeInput(state) {
        case .bytes(let count) where count > 0: return true
        case .bytes:
            input.end()
            if let failure = outputState.failure {
                fail(failure)
                return false
            }
            do throws(TransformFailure) {
                try state.transform.endOfInput()
                handler?.endOfStream(self)
            } catch {
                failTransform(state)
            }
        case .wouldBlock: break
        case .failed(let error): fail(error)
        }
        return false
    }

    /// Reads up to a block of bytes from the wire.
    private func takeInput(_ state: TransformState) -> TransferResult {
        let block = takeBlock()
        let capacity = min(block.capacity, load.readLimit)
        // SAFETY: the block has as many bytes as it says.
        let result = unsafe socket.receive(into: block.base, capacity: capacity)
        guard case .bytes(let count) = result, count > 0 else {
            giveBack(block)
            readiness.foundNoInput()
            return result
        }
        countInput(count, capacity: capacity)
        if let last = state.replaceInput(block, byteCount: count) { giveBack(last) }
        return result
    }

    /// Continues the handshake, without data for the handler.
    ///
    /// - Returns: Whether to continue with the bytes that have arrived.
    private func agree(_ state: TransformState) -> Bool {
        // SAFETY: there is no memory to write to.
        let reading = unsafe state.receive(into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
        return settle(state, reading.stop)
    }

    /// Passes the data of the arrived bytes to the handler, if there is any.
    ///
    /// - Returns: Whether to continue, because there was no data.
    private func deliver(_ state: TransformState) -> Bool {
        guard let room = handler?.lendReadBuffer(for: self) else { return false }
        // A few compressed bytes may expand to many.
        let (offset, byteCount) = (room.offset, min(room.byteCount, load.readLimit))
        // SAFETY: the block has `byteCount` bytes after `offset`; ReadBuffer's initializer checks it.
        let reading = unsafe state.receive(
            into: UnsafeMutableRawBufferPointer(start: room.block.base + offset, count: byteCount))
        var block: Block? = room.takeBlock()
        if reading.filledByteCount > 0 {
            load.read(reading.filledByteCount)
            input.stopWanting()
            handler?.received(&block, byteCount: reading.filledByteCount, from: self)
        } else {
            handler?.receivedNothing(&block, from: self)
        }
        if let rest = block.take() { giveBack(rest) }
        return settle(state, reading.stop) && reading.filledByteCount == 0
    }

    /// - Returns: Whether the transform can continue.
    private func settle(_ state: TransformState, _ stop: TransformReading.Stop) -> Bool {
        guard isOpen else { return false }
        if stop == .failed {
            failTransform(state)
            return false
        }
        if !state.wasReady, state.transform.isReady {
            state.becomeReady()
            load.forgetReads()
            flush()
            handler?.becameReady(self)
        } else if state.transform.hasOutput || isOutputStalled {
            flush()
        }
        guard isOpen else { return false }
        switch stop {
        case .needsBytes, .needsRoom: return true
        case .needsSending where !hasFailedOutput: return !state.transform.hasOutput
        case .ended where !hasFailedOutput:
            input.end()
            handler?.endOfStream(self)
            return false
        case .needsSending, .ended, .failed:
            // Output must be sent first, but no more can be sent.
            if let failure = outputState.failure { fail(failure) }
            return false
        }
    }

    // MARK: Writing

    /// Sends queued output until the transform or the system takes no more.
    func flushTransformed(_ state: TransformState) {
        turn.beginSending()
        output.endFreeWriting()
        guard isOpen, !hasFailedOutput else { return }
        do throws(TransformFailure) {
            try encode(state)
        } catch {
            return failTransform(state)
        }
        guard isOpen, !hasFailedOutput else { return }
        guard pendingByteCount == 0, !state.transform.hasOutput else { return waitForRoom() }
        output.drop(to: &loop.blocks)
        let wasStalled = isOutputStalled
        output.endStall()
        if !outputState.isOpen { finishTransformed(state) }
        watchDelivery()
        if wasStalled { handler?.outputDrained(self) }
    }

    /// The write timeout starts now if the output did not wait before.
    private func waitForRoom() {
        if !isOutputStalled { writeDeadline.progressed(at: loop.now) }
        stallOutput()
    }

    private func encode(_ state: TransformState) throws(TransformFailure) {
        while sendOutput(state), state.transform.isReady, pendingByteCount > 0 {
            // Bytes leave the queue only after they were sent: queued bytes count against the limit.
            output.removeFirst(state.takeEncodedByteCount())
            // SAFETY: the queued bytes stay where they are until the transform has taken them.
            guard pendingByteCount > 0, let start = unsafe output.pendingBytes else { return }
            let bytes = unsafe RawSpan(_unsafeStart: start, byteCount: pendingByteCount)
            // If it takes none, the peer must send something first.
            guard try state.encode(bytes) else { return }
        }
    }

    /// - Returns: Whether all of the transform's output was sent.
    private func sendOutput(_ state: TransformState) -> Bool {
        guard !hasFailedOutput else { return false }
        if let error = drainOutput(state) { failTransformed(state, error) }
        return isOpen && !hasFailedOutput && !state.transform.hasOutput
    }

    /// Stops sending. The data that the peer sent before the end can still be read, such as the reason.
    func failTransformed(_ state: TransformState, _ error: SystemCallError) {
        if error.endsConnection { readRemainingInput(state) }
        guard isOpen else { return }
        if state.hasUnclaimedData { failOutput(error) } else { fail(error) }
    }

    /// Reads the data that the peer sent before the reset, such as the reason for it.
    ///
    /// The next reader gets it.
    private func readRemainingInput(_ state: TransformState) {
        readiness.foundNoRoom()
        let room = takeBlock()
        var count = 0
        var stop = TransformReading.Stop.needsBytes
        while stop == .needsBytes {
            if !state.hasInput {
                guard case .bytes(let count) = takeInput(state), count > 0 else { break }
            }
            // SAFETY: the bytes after the first `count` lie inside the block.
            let reading = unsafe state.receive(
                into: UnsafeMutableRawBufferPointer(start: room.base + count, count: room.capacity - count))
            count += reading.filledByteCount
            stop = reading.stop
        }
        if count > 0 {
            state.keepUnclaimedData(room, byteCount: count)
            // The end must still be read.
            readiness.expectInput()
        } else {
            giveBack(room)
            if stop == .failed { fail(.closed) }
        }
    }

    private func drainOutput(_ state: TransformState) -> SystemCallError? {
        var failure: SystemCallError?
        while readiness.isWritable, failure == nil, state.transform.hasOutput {
            state.transform.withOutput { bytes in
                // SAFETY: the bytes are lent for as long as the call lasts.
                let result = unsafe bytes.withUnsafeBytes { bytes in
                    unsafe bytes.baseAddress.map { unsafe socket.send($0, byteCount: bytes.count) }
                }
                switch result {
                case .bytes(let count):
                    output.countSent(count)
                    if state.wasReady { writeDeadline.progressed(at: loop.now) }
                    return count
                case .failed(let error): failure = error
                case .wouldBlock, nil: readiness.foundNoRoom()
                }
                return 0
            }
        }
        return failure
    }

    /// Waits until the handshake is complete and everything is sent.
    func finishTransformed(_ state: TransformState) {
        guard !outputState.hasEnded else { return }
        do throws(TransformFailure) {
            if state.transform.isReady { try state.transform.endOutput() }
        } catch {
            return failTransform(state)
        }
        guard state.transform.isReady, sendOutput(state), !state.transform.owesEnd else { return waitForRoom() }
        if state.transform.endsSocketOutput { finishOutput() } else { outputState.end() }
    }

    /// Sends the transform's closing message if the system takes it now and all earlier output was sent.
    func closeTransform(_ state: TransformState) {
        if state.sendsClosingMessage, state.transform.isReady, pendingByteCount == 0 {
            state.transform.queueClosingMessage()
            _ = drainOutput(state)
            dropInput()
        }
        if let block = state.takeInputBlock(keepsRest: false) { giveBack(block) }
        if let block = state.takeUnclaimedData() { giveBack(block) }
    }

    /// Reads and drops data that the handler will not read, such as a server's session tickets.
    ///
    /// A socket closed with unread data resets the connection, and sent data may be lost.
    private func dropInput() {
        guard readiness.isReadable else { return }
        let block = takeBlock()
        // SAFETY: the block has as many bytes as it says.
        _ = unsafe socket.receive(into: block.base, capacity: block.capacity)
        giveBack(block)
    }

    /// Sends the transform's remaining output, such as an alert, and closes the stream.
    private func failTransform(_ state: TransformState) {
        _ = sendOutput(state)
        guard isOpen else { return }
        dropInput()
        fail(.closed)
    }
}
