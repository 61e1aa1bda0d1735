// SPDX-License-Identifier: Apache-2.0

/// A stream whose bytes are not those on the wire.
extension ByteStream {
    /// Puts a transform between the stream and its socket; before the stream is started.
    package func insert(_ transform: any StreamTransform) {
        precondition(!isOpen, "the stream has been started")
        transformState = TransformState(transform)
    }

    /// What stands between the stream and its socket.
    package var transform: (any StreamTransform)? { transformState?.transform }

    /// Begins to talk to the peer, when the stream has been started.
    func startTransform(_ state: TransformState) {
        do throws(TransformFailure) {
            try state.transform.start()
            flush()
        } catch {
            failTransform(state)
        }
    }

    // MARK: Reading

    /// Hands over what has arrived, once; while the two sides come to an agreement, reads on its own account.
    func readTransformed(_ state: TransformState) {
        // However this ends: who waits for more holds no block.
        defer { keepRest(state) }
        var hasFilled = false
        while isOpen, !hasReadToEnd, isReading {
            if !state.hasInput {
                // A peer whose bytes say nothing must not keep the loop from the others.
                guard !hasFilled else { return readInNextTurn() }
                hasFilled = true
                guard fill(state) else { return }
            }
            guard state.transform.isReady && wantsToRead ? deliver(state) : agree(state) else { return }
        }
    }

    private func readInNextTurn() {
        guard isReadable, !isUnread else { return }
        isUnread = true
        loop.readInNextTurn(self)
    }

    /// Gives back the block, but for what nobody has asked for yet: that is kept in memory of just its size.
    private func keepRest(_ state: TransformState) {
        guard let block = state.block.take() else { return }
        let count = isOpen && !hasReadToEnd ? state.end - state.start : 0
        if count > 0 {
            let rest = Block(capacity: count)
            // SAFETY: the bytes from `start` to `end` lie inside the block.
            unsafe rest.base.copyMemory(from: block.base + state.start, byteCount: count)
            state.block = consume rest
        }
        giveBack(block)
        (state.start, state.end) = (0, count)
    }

    /// - Returns: Whether something has come from the wire.
    private func fill(_ state: TransformState) -> Bool {
        guard isReadable else { return false }
        switch takeInput(state) {
        case .bytes(let count) where count > 0: return true
        case .bytes:
            endReading()
            guard !hasFailedOutput else {
                fail(.reset)
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

    /// Takes what has come from the wire, as much as a block holds.
    private func takeInput(_ state: TransformState) -> TransferResult {
        let block = takeBlock()
        // SAFETY: the block has as many bytes as it says.
        let result = unsafe SystemCall.receive(number, into: block.base, capacity: block.capacity)
        guard case .bytes(let count) = result, count > 0 else {
            giveBack(block)
            isReadable = false
            return result
        }
        receivedByteCount &+= UInt64(count)
        isReadable = hasEnded || count == block.capacity
        if let taken = state.block.take() { giveBack(taken) }
        state.block = consume block
        (state.start, state.end) = (0, count)
        return result
    }

    /// Goes on to come to an agreement; nothing is handed over.
    ///
    /// - Returns: Whether to go on with what has come.
    private func agree(_ state: TransformState) -> Bool {
        let reading = unsafe state.receive(into: UnsafeMutableRawBufferPointer(start: nil, count: 0))
        return settle(state, reading.stop)
    }

    /// Hands over what the bytes from the wire say, if they say something.
    ///
    /// - Returns: Whether to go on, for they said nothing.
    private func deliver(_ state: TransformState) -> Bool {
        guard let room = handler?.makeRoom(for: self) else { return false }
        let (offset, byteCount) = (room.offset, room.byteCount)
        // SAFETY: the block has as many bytes as it says.
        let reading = unsafe state.receive(
            into: UnsafeMutableRawBufferPointer(start: room.block.base + offset, count: byteCount))
        var block: Block? = room.takeBlock()
        if reading.filledByteCount > 0 {
            wantsToRead = false
            handler?.received(&block, byteCount: reading.filledByteCount, from: self)
        } else {
            handler?.receivedNothing(&block, from: self)
        }
        if let rest = block.take() { giveBack(rest) }
        return settle(state, reading.stop) && reading.filledByteCount == 0
    }

    /// Does what the transform has stopped for.
    ///
    /// - Returns: Whether it can go on.
    private func settle(_ state: TransformState, _ stop: TransformReading.Stop) -> Bool {
        guard isOpen else { return false }
        if stop == .failed {
            failTransform(state)
            return false
        }
        if !state.wasReady, state.transform.isReady {
            state.wasReady = true
            flush()
            handler?.becameReady(self)
        } else if state.transform.hasOutput || isWaitingForRoom {
            flush()
        }
        guard isOpen else { return false }
        switch stop {
        case .needsBytes, .needsRoom: return true
        case .needsSending where !hasFailedOutput: return !state.transform.hasOutput
        case .ended where !hasFailedOutput:
            endReading()
            handler?.endOfStream(self)
            return false
        case .needsSending, .ended, .failed:
            // Nothing of what would have to be sent leaves any more.
            fail(.reset)
            return false
        }
    }

    private func endReading() {
        hasReadToEnd = true
        wantsToRead = false
    }

    // MARK: Writing

    /// Sends what waits, as far as the transform and the system take it.
    func flushTransformed(_ state: TransformState) {
        isUnsent = false
        outputLimit = 0
        guard isOpen, !hasFailedOutput else { return }
        do throws(TransformFailure) {
            try encode(state)
        } catch {
            return failTransform(state)
        }
        guard isOpen, !hasFailedOutput else { return }
        guard pendingByteCount == 0, !state.transform.hasOutput else { return waitForRoom() }
        let hadWaited = isWaitingForRoom
        dropOutput()
        isWaitingForRoom = false
        if endsAfterOutput { finishTransformed(state) }
        if hadWaited { handler?.outputDrained(self) }
    }

    /// Begins to wait until more can be sent. The peer's time for that goes on until something of the stream leaves.
    private func waitForRoom() {
        guard !isWaitingForRoom else { return }
        isWaitingForRoom = true
        writeDeadline.progressed(at: loop.now)
        watchWriting()
        handler?.outputStalled(self)
    }

    private func encode(_ state: TransformState) throws(TransformFailure) {
        while sendOutput(state), state.transform.isReady, let base = unsafe outputBase, pendingByteCount > 0 {
            // What has left is forgotten here and not before: as long as it waits, it counts.
            outputStart += state.encodedByteCount
            state.encodedByteCount = 0
            guard pendingByteCount > 0 else { return }
            // SAFETY: the bytes lie inside the block and have been written.
            let bytes = unsafe RawSpan(_unsafeStart: base + outputStart, byteCount: pendingByteCount)
            state.encodedByteCount = try state.transform.send(bytes)
            // Something must come from the peer first.
            guard state.encodedByteCount > 0 else { return }
        }
    }

    /// Sends what the transform has for the wire.
    ///
    /// - Returns: Whether all of it has left.
    private func sendOutput(_ state: TransformState) -> Bool {
        guard !hasFailedOutput else { return false }
        if let error = drainOutput(state) {
            if error.isReset { hearLastWords(state) }
            guard isOpen else { return false }
            if state.hasHeard { failOutput(error) } else { fail(error) }
        }
        return isOpen && !hasFailedOutput && !state.transform.hasOutput
    }

    /// Reads why the peer has given up, in front of the reset: that it has done so is the lesser part of it.
    ///
    /// What it has sent before that is kept for whoever reads, and with it why it has given up.
    private func hearLastWords(_ state: TransformState) {
        isWritable = false
        let room = takeBlock()
        var count = 0
        var stop = TransformReading.Stop.needsBytes
        while stop == .needsBytes {
            if !state.hasInput {
                guard case .bytes(let count) = takeInput(state), count > 0 else { break }
            }
            // SAFETY: the bytes behind the first `count` lie inside the block.
            let reading = unsafe state.receive(
                into: UnsafeMutableRawBufferPointer(start: room.base + count, count: room.capacity - count))
            count += reading.filledByteCount
            stop = reading.stop
        }
        if count > 0 {
            state.keepHeard(room, byteCount: count)
            // An end is still to be read.
            isReadable = true
        } else {
            giveBack(room)
            if stop == .failed { fail(.closed) }
        }
    }

    /// Hands the system what the transform has for the wire, as far as it takes it.
    private func drainOutput(_ state: TransformState) -> SystemCallError? {
        var failure: SystemCallError?
        while isWritable, failure == nil, state.transform.hasOutput {
            state.transform.withOutput { bytes in
                // SAFETY: the bytes are lent for as long as the call lasts.
                let result = unsafe bytes.withUnsafeBytes { bytes in
                    unsafe bytes.baseAddress.map { unsafe SystemCall.send(number, $0, byteCount: bytes.count) }
                }
                switch result {
                case .bytes(let count):
                    sentByteCount &+= UInt64(count)
                    if state.wasReady { writeDeadline.progressed(at: loop.now) }
                    return count
                case .failed(let error): failure = error
                case .wouldBlock, nil: isWritable = false
                }
                return 0
            }
        }
        return failure
    }

    /// Ends the output behind everything that was written, once the two sides have come to an agreement.
    func finishTransformed(_ state: TransformState) {
        guard !hasEndedOutput else { return }
        do throws(TransformFailure) {
            if state.transform.isReady { try state.transform.endOutput() }
        } catch {
            return failTransform(state)
        }
        guard state.transform.isReady, sendOutput(state), !state.transform.owesEnd else { return waitForRoom() }
        if state.transform.endsSocketOutput { finishOutput() } else { hasEndedOutput = true }
    }

    /// Takes leave of the peer, as far as the system takes that now, and unless something is missing in front of it.
    func closeTransform(_ state: TransformState) {
        if state.mayTakeLeave, state.transform.isReady, pendingByteCount == 0 {
            state.transform.takeLeave()
            _ = drainOutput(state)
            dropInput()
        }
        if let block = state.block.take() { giveBack(block) }
        if let block = state.takeHeard() { giveBack(block) }
    }

    /// Takes what has come and nobody will read, such as a server's session tickets: a socket that is closed with bytes in
    /// it resets the connection, and what was sent may be lost.
    private func dropInput() {
        guard isReadable else { return }
        let block = takeBlock()
        // SAFETY: the block has as many bytes as it says.
        _ = unsafe SystemCall.receive(number, into: block.base, capacity: block.capacity)
        giveBack(block)
    }

    /// Closes the stream; what the transform has to say of that is sent first.
    private func failTransform(_ state: TransformState) {
        _ = sendOutput(state)
        guard isOpen else { return }
        dropInput()
        fail(.closed)
    }
}
