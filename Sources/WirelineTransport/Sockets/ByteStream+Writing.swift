// SPDX-License-Identifier: Apache-2.0

extension ByteStream {
    /// How many bytes have been written and have not left.
    @inlinable
    package var pendingByteCount: Int { outputEnd - outputStart }

    /// How many bytes can be written without more ado; negative where something must be done first.
    @inlinable
    package var freeByteCount: Int { outputLimit &- outputEnd }

    /// Writes bytes; they leave at the end of the loop's turn, or with ``flush()``. On a stream that is closed or whose
    /// output has been ended nothing happens: its handler has been told, or has asked for it.
    ///
    /// - Parameters:
    ///   - byteCount: How many.
    ///   - body: Fills memory of just that many bytes.
    @inlinable @inline(__always)
    package func write(byteCount: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
        guard byteCount <= freeByteCount || makeRoom(byteCount) else { return }
        // Where there is none, nothing is to be written.
        guard let base = unsafe outputBase else { return }
        // SAFETY: there is room for byteCount bytes behind `outputEnd`, by the limit or by makeRoom(_:).
        let room = unsafe UnsafeMutableRawBufferPointer(start: base + outputEnd, count: byteCount)
        outputEnd &+= byteCount
        writeCount &+= 1
        unsafe body(room)
    }

    /// Writes bytes that are there already.
    @inlinable
    package func write(_ bytes: [UInt8]) {
        unsafe write(byteCount: bytes.count) { unsafe $0.copyBytes(from: bytes) }
    }

    /// How much is written without more ado at most while the peer takes nothing, or where that is asked for by
    /// ``writesInSteps``; the bytes asked for come on top.
    private static let stalledStep = 16 << 10

    /// Makes room for bytes, and has the loop send them.
    ///
    /// - Returns: False where nothing may be written.
    @usableFromInline @inline(never)
    func makeRoom(_ byteCount: Int) -> Bool {
        guard takesOutput, byteCount > 0 else { return false }
        showWritten()
        // Showing may have led to the end.
        guard takesOutput else { return false }
        if outputCapacity - outputEnd < byteCount { enlarge(for: byteCount) }
        shownEnd = outputEnd
        if showsWrites {
            outputLimit = 0
        } else {
            // While the peer takes nothing, those who write ask now and then whether they still may.
            let isAsked = isWaitingForRoom || writesInSteps
            outputLimit = isAsked ? min(outputCapacity, outputEnd + Self.stalledStep) : outputCapacity
        }
        if !isUnsent, !isWaitingForRoom {
            isUnsent = true
            loop.sendAtEndOfTurn(self)
        }
        return true
    }

    /// Tells the handler of what has been written since it was told last.
    package func showWritten() {
        guard showsWrites, let base = unsafe outputBase, shownEnd < outputEnd else { return }
        // SAFETY: the bytes lie inside the block and have been written.
        let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: base + shownEnd, count: outputEnd - shownEnd))
        shownEnd = outputEnd
        handler?.wrote(bytes, to: self)
    }

    private func enlarge(for byteCount: Int) {
        let count = pendingByteCount
        guard let base = unsafe outputBase else {
            let isUsual = byteCount <= BlockPool.blockByteCount
            return take(isUsual ? loop.blocks.take() : Block(capacity: byteCount), count: 0)
        }
        let start = unsafe base + outputStart
        // To the front of the block where half of it is free afterwards, so that bytes are not moved again and again.
        guard count + byteCount > outputCapacity / 2 else {
            unsafe base.copyMemory(from: start, byteCount: count)
            (outputStart, outputEnd) = (0, count)
            return
        }
        let bigger = Block(capacity: max(outputCapacity * 2, count + byteCount))
        unsafe bigger.base.copyMemory(from: start, byteCount: count)
        dropOutput()
        take(bigger, count: count)
    }

    private func take(_ block: consuming Block, count: Int) {
        outputCapacity = block.capacity
        unsafe outputBase = block.takeBase()
        (outputStart, outputEnd) = (0, count)
    }

    /// Gives back the block, with whatever is in it.
    func dropOutput() {
        guard let base = unsafe outputBase else { return }
        loop.blocks.giveBack(unsafe Block(reusing: base, capacity: outputCapacity))
        unsafe outputBase = nil
        (outputStart, outputEnd, outputLimit, outputCapacity, shownEnd) = (0, 0, 0, 0, 0)
    }

    /// Sends what waits, as far as the system takes it.
    package func flush() {
        showWritten()
        if let transformState { return flushTransformed(transformState) }
        isUnsent = false
        outputLimit = 0
        guard isOpen, isWritable, let base = unsafe outputBase else { return }
        // SAFETY: the bytes lie inside the block and have been written.
        let result = unsafe SystemCall.send(number, base + outputStart, byteCount: pendingByteCount)
        switch result {
        case .bytes(let count):
            outputStart += count
            sentByteCount &+= UInt64(count)
        case .wouldBlock: break
        case .failed(let error): return failOutput(error)
        }
        guard pendingByteCount == 0 else {
            isWritable = false
            writeDeadline.progressed(at: loop.now)
            watchWriting()
            guard !isWaitingForRoom else { return }
            isWaitingForRoom = true
            handler?.outputStalled(self)
            return
        }
        dropOutput()
        let hadWaited = isWaitingForRoom
        isWaitingForRoom = false
        if endsAfterOutput { finishOutput() }
        if hadWaited { handler?.outputDrained(self) }
    }

    /// Sends what waits now, for one who has more to write.
    ///
    /// To a peer that takes everything, one who never stops writing would send all the time, and keep the loop from its
    /// other sockets and its timers. So there is a limit to what is sent in one turn.
    ///
    /// - Returns: False where that has been reached: whoever has more waits. It leaves at the end of the loop's turn, and the
    ///   handler is told then that it has, or later where the peer does not take it.
    package func flushForMore() -> Bool {
        let maySend = isWaitingForRoom || (!awaitsEndOfTurn || loop.isGenerous) && loop.mayFlush(pendingByteCount)
        if maySend { flush() } else { awaitEndOfTurn() }
        return maySend
    }

    private func awaitEndOfTurn() {
        awaitsEndOfTurn = true
        guard !isUnsent else { return }
        isUnsent = true
        loop.sendAtEndOfTurn(self)
    }

    /// Sends what waits, and has those go on who had to wait for the loop.
    func endTurn() {
        let isAwaited = awaitsEndOfTurn
        awaitsEndOfTurn = false
        flush()
        // Otherwise it is told later.
        if isAwaited, !isWaitingForRoom { handler?.outputDrained(self) }
    }

    /// Sends nothing more. A peer that resets the connection may have said why: that is read first.
    func failOutput(_ error: SystemCallError) {
        guard error.isReset, !hasReadToEnd else { return fail(error) }
        hasFailedOutput = true
        endsAfterOutput = true
        isWaitingForRoom = false
        dropOutput()
        loop.cancel(&writeTimer)
        // An end is there at least, and the system may have told of it in this very turn.
        (isReadable, hasEnded) = (true, true)
        handler?.outputFailed(self, .reset)
        if isOpen, isReading { read() }
    }

    /// How many bytes the peer's system has acknowledged, all in all; nil where this one does not say.
    package var acknowledgedByteCount: UInt64? {
        guard isOpen, let count = SystemCall.unacknowledgedByteCount(number) else { return nil }
        return sentByteCount - min(UInt64(count), sentByteCount)
    }

    /// Gives the connection up when the peer takes nothing for too long. The timer is not set anew with every byte that
    /// leaves.
    func watchWriting() {
        guard writeTimer == nil,
            let look = writeDeadline.nextLook(from: loop.now, acknowledged: acknowledgedByteCount)
        else { return }
        writeTimer = loop.schedule(at: look) {
            self.writeTimer = nil
            guard self.isOpen, self.isWaitingForRoom else { return self.writeDeadline.rest() }
            if self.writeDeadline.isOver(at: self.loop.turnTime, acknowledged: self.acknowledgedByteCount) {
                self.fail(.timedOut)
            } else {
                self.watchWriting()
            }
        }
    }

    func finishOutput() {
        hasEndedOutput = true
        SystemCall.shutdownSending(number)
    }
}
