// SPDX-License-Identifier: Apache-2.0

extension ByteStream {
    @inlinable
    package var pendingByteCount: Int { output.pendingByteCount }

    /// The number of bytes that can be written at once; negative if something must be done first.
    @inlinable
    package var freeByteCount: Int { output.freeByteCount }

    @inlinable
    package var writeCount: Int { output.writeCount }

    package var sentByteCount: UInt64 { output.sentByteCount }

    package var isOutputStalled: Bool { output.isStalled }

    /// Whether the handler receives a copy of everything that is written: at the next write, or when it is sent.
    package var showsWrites: Bool {
        get { output.isShown }
        set { output.show(newValue) }
    }

    package func writeInSteps(_ isAsked: Bool) { output.writeInSteps(isAsked) }

    // MARK: Writing

    /// Writes bytes; they are sent at the end of the loop's turn, or with ``flush()``.
    ///
    /// If the stream is closed or its output has ended, it writes nothing: the handler knows, or asked for it.
    ///
    /// - Parameter body: Fills memory of exactly `byteCount` bytes.
    @inlinable @inline(__always)
    package func write(byteCount: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
        guard byteCount <= freeByteCount || reserveOutput(byteCount) else { return }
        // SAFETY: the check above has reserved memory for these bytes. Without a block there is nothing to write.
        guard let room = unsafe output.write(byteCount) else { return }
        unsafe body(room)
    }

    /// Writes bytes that a message of the program fills in.
    ///
    /// Meanwhile the message may do anything, such as write to this stream or close it. Its own writes follow its
    /// bytes. This costs two stores and a comparison more than ``write(byteCount:_:)``.
    @inlinable @inline(__always)
    package func writeMessage(byteCount: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
        // SAFETY: the loan ends below.
        guard let loan = unsafe lendOutput(byteCount: byteCount) else { return }
        unsafe body(loan.room)
        unsafe endLoan(loan)
    }

    /// Lends memory of exactly that many bytes to a message of the program, until ``endLoan(_:)``.
    ///
    /// It is ``writeMessage(byteCount:_:)`` in two steps: the compiler would not inline the closure.
    ///
    /// - Returns: Nil if nothing may be written.
    @inlinable @inline(__always) @unsafe
    package func lendOutput(byteCount: Int) -> OutputBuffer.Loan? {
        guard byteCount <= freeByteCount || reserveOutput(byteCount) else { return nil }
        // SAFETY: as in write(byteCount:_:); a lent block stays where it is until the loan ends.
        return unsafe output.lend(byteCount)
    }

    /// Ends a loan of ``lendOutput(byteCount:)``: the bytes are written now.
    @inlinable @inline(__always) @unsafe
    package func endLoan(_ loan: OutputBuffer.Loan) {
        // SAFETY: the caller ends each loan once.
        if unsafe !output.endLoan(loan) { unsafe endLending(loan) }
    }

    /// Completes a message that used the output for something else meanwhile.
    @usableFromInline @inline(never)
    func endLending(_ loan: OutputBuffer.Loan) {
        // SAFETY: each loan ends once, and the last one first; so the output put aside last is this message's.
        guard let lent = unsafe output.takeLentOutput(after: loan) else { return }
        guard isOpen, !hasFailedOutput else {
            output.drop(to: &loop.blocks)
            // SAFETY: the message is complete, so nothing uses the block.
            return unsafe loop.blocks.giveBack(lent.takeBlock())
        }
        // SAFETY: as above; the output takes the block over.
        unsafe output.restore(lent, from: &loop.blocks)
        guard !outputState.isOpen, !output.isLent else { return }
        flush()
    }

    @inlinable
    package func write(_ bytes: [UInt8]) {
        // SAFETY: the memory has exactly as many bytes as the array.
        unsafe write(byteCount: bytes.count) { unsafe $0.copyBytes(from: bytes) }
    }

    /// Reserves memory for bytes, and asks the loop to send them.
    ///
    /// - Returns: False if nothing may be written.
    @usableFromInline @inline(never)
    func reserveOutput(_ byteCount: Int) -> Bool {
        guard takesOutput, byteCount > 0 else { return false }
        if announcesWrites { handler?.willWrite(to: self) }
        output.putLentOutputAside()
        showWritten()
        // The handler may have ended the output.
        guard takesOutput else { return false }
        output.reserve(byteCount, from: &loop.blocks)
        // A stalled stream also asks: ``EventLoop/endFreeWriting()`` looks only at streams that have asked to send.
        askToSend()
        return true
    }

    /// Passes the bytes written since the last call to the handler.
    package func showWritten() {
        guard let bytes = output.takeUnshown() else { return }
        handler?.wrote(bytes, to: self)
    }

    /// The memory held for bytes that wait here, in bytes.
    ///
    /// It covers queued output, the transform's output, and input that no transform has taken. Output that is sent at
    /// the end of the loop's turn counts by its length.
    package var heldByteCount: Int {
        let inputByteCount = transformState?.heldInputByteCount ?? 0
        guard isOutputStalled else { return pendingByteCount + inputByteCount }
        return output.capacity + inputByteCount + (transformState?.transform.heldOutputByteCount ?? 0)
    }

    // MARK: Sending

    /// Sends queued output until the system takes no more.
    package func flush() {
        // Complete messages are sent together with the incomplete one; the loop has been asked to send it.
        guard !output.isLent else { return }
        if output.isShown { showWritten() }
        if let transformState { return flushTransformed(transformState) }
        turn.beginSending()
        output.endFreeWriting()
        // SAFETY: as many bytes are queued, and nothing changes the queue during the call.
        guard isOpen, readiness.isWritable, let bytes = unsafe output.pendingBytes else { return }
        switch unsafe socket.send(bytes, byteCount: pendingByteCount) {
        case .bytes(let count):
            output.removeFirst(count)
            output.countSent(count)
        case .wouldBlock: break
        case .failed(let error): return failOutput(error)
        }
        guard pendingByteCount == 0 else {
            readiness.foundNoRoom()
            writeDeadline.progressed(at: loop.now)
            return stallOutput()
        }
        output.drop(to: &loop.blocks)
        let wasStalled = isOutputStalled
        output.endStall()
        if !outputState.isOpen { finishOutput() }
        watchDelivery()
        if wasStalled { handler?.outputDrained(self) }
    }

    /// Sends queued output now, for a writer that has more.
    ///
    /// If the peer reads everything, a writer that never stops would send all the time and keep the loop from other
    /// sockets and timers. So the bytes sent in one turn are limited.
    ///
    /// - Returns: False if the limit is reached: the writer must wait. The stream sends the output at the end of the
    ///   loop's turn, and then calls the handler.
    package func flushForMore() -> Bool {
        let maySend =
            isOutputStalled || (!turn.hasWaitingWriter || loop.ignoresShare) && loop.mayFlush(pendingByteCount)
        if maySend {
            flush()
        } else {
            turn.addWaitingWriter()
            askToSend()
        }
        return maySend
    }

    private func askToSend() {
        if turn.askToSend() { loop.sendAtEndOfTurn(self) }
    }

    /// Starts to wait, or continues to wait, until the system takes more, in as little memory as possible.
    func stallOutput() {
        let hasShrunk = output.shrink(&loop.blocks)
        let wasStalled = isOutputStalled
        output.stall()
        watchWriting()
        if !wasStalled { handler?.outputStalled(self) } else if hasShrunk { handler?.outputShrank(self) }
    }

    /// Stops sending. The data that the peer sent before the end can still be read, such as the reason.
    func failOutput(_ error: SystemCallError) {
        guard error.endsConnection, !input.hasEnded, hasUnreadInput else { return fail(error) }
        outputState.fail(error)
        output.endStall()
        output.drop(to: &loop.blocks)
        writeDeadline.cancelTimer(on: loop)
        // The system may have reported the end in this very turn.
        readiness.expectEnd()
        handler?.outputFailed(self, TransportError(error))
        if isOpen, isReading { read() }
    }

    func finishOutput() {
        outputState.end()
        socket.shutDownSending()
    }
}
