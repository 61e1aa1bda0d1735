// SPDX-License-Identifier: Apache-2.0

/// Who deals with what comes of a stream; always called on the thread of the stream's loop.
package protocol ByteStreamHandler: AnyObject {
    /// Bytes have arrived: the first `byteCount` of the block.
    ///
    /// A handler that cannot deal with them now takes the block, and gives it back with ``ByteStream/giveBack(_:)`` when
    /// it is done. It calls ``ByteStream/read()`` when it wants to be told of more.
    func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream)

    /// Nothing that was written waits any more, after some had.
    func outputDrained(_ stream: ByteStream)

    /// The peer will send no more; what is written still reaches it.
    func endOfStream(_ stream: ByteStream)

    /// The connection has failed and is closed: nothing follows.
    func failed(_ stream: ByteStream, _ error: TransportError)
}

/// A connected TCP socket on an event loop.
///
/// Reading is asked for: between ``read()`` and the next call of ``ByteStreamHandler/received(_:byteCount:from:)`` at
/// most one block of bytes is taken from the system, so a handler that does not ask slows the peer down. Writing never
/// blocks: what the system does not take at once waits here, and ``pendingByteCount`` says how much that is.
///
/// Everything here is for the loop's own thread alone; that is also the lock behind `@unchecked Sendable`.
package final class ByteStream: PollTarget, @unchecked Sendable {
    package let loop: EventLoop
    /// Where the connection leads.
    package let peerAddress: SocketAddress
    /// Who is told; held until the stream is closed.
    package private(set) var handler: (any ByteStreamHandler)?

    private var descriptor: Descriptor?
    private var number: Int32 { descriptor?.number ?? -1 }

    // MARK: Reading

    /// Whether the system may have something: bytes, an end of stream or an error.
    private var isReadable = false
    /// Whether the peer has ended, so that a read that fills no block is not the last.
    private var hasEnded = false
    /// Whether the handler has asked.
    private var wantsToRead = false
    private var hasReadToEnd = false
    /// Whether the loop has been asked to come back.
    private var isUnread = false

    // MARK: Writing

    private var isWritable = true
    private var output = OutputBuffer()
    private var isUnsent = false
    private var isWaitingForRoom = false
    private var endsAfterOutput = false
    private var hasEndedOutput = false

    /// Takes a connected socket over; ``start(_:)`` then brings it to life.
    init(_ descriptor: consuming Descriptor, on loop: EventLoop, peerAddress: SocketAddress) {
        self.descriptor = consume descriptor
        self.loop = loop
        self.peerAddress = peerAddress
    }

    /// Begins to deal with the socket.
    ///
    /// - Throws: ``TransportError/system(_:)`` when the system cannot watch one more socket; the stream is then closed.
    package func start(_ handler: any ByteStreamHandler) throws(TransportError) {
        loop.preconditionIsCurrent()
        SystemCall.setNoDelay(number)
        do throws(TransportError) {
            try loop.watch(self, number)
        } catch {
            descriptor = nil
            throw error
        }
        self.handler = handler
    }

    /// Whether the stream can be read from or written to.
    package var isOpen: Bool { handler != nil }

    override func becameReady(_ readiness: Poller.Readiness) {
        if readiness.contains(.ended) { hasEnded = true }
        if readiness.contains(.writable) {
            isWritable = true
            if isWaitingForRoom { flush() }
        }
        if readiness.contains(.readable) {
            isReadable = true
            if wantsToRead { readOnce() }
        }
    }

    // MARK: Closing

    /// Sends an end of stream once everything written before has left; reading goes on.
    package func endOutput() {
        guard isOpen, !hasEndedOutput else { return }
        endsAfterOutput = true
        if output.isEmpty { finishOutput() } else { flush() }
    }

    /// Closes the stream: what was written and has not left is lost, and the handler hears no more.
    package func close() {
        loop.preconditionIsCurrent()
        guard isOpen else { return }
        handler = nil
        output.removeAll(into: &loop.blocks)
        descriptor = nil
        loop.forget(self)
    }

    /// Closes the stream so that the peer is told of an error (TCP RST) and not of an end.
    package func reset() {
        guard isOpen else { return }
        SystemCall.setResetOnClose(number)
        close()
    }

    private func fail(_ error: TransportError) {
        let handler = handler
        close()
        handler?.failed(self, error)
    }

    private func fail(_ error: SystemCallError) {
        fail(error.isReset ? .reset : .system(error))
    }

    // MARK: Reading

    /// Asks for bytes: the handler is told of them once, in this turn of the loop at the earliest.
    package func read() {
        guard isOpen, !hasReadToEnd else { return }
        wantsToRead = true
        guard isReadable, !isUnread else { return }
        isUnread = true
        loop.readInNextTurn(self)
    }

    /// Takes back what ``read()`` has asked for.
    package func stopReading() {
        wantsToRead = false
    }

    func readOn() {
        isUnread = false
        if isOpen, wantsToRead, isReadable { readOnce() }
    }

    private func readOnce() {
        wantsToRead = false
        let room = loop.blocks.take()
        // SAFETY: the block has as many bytes as it says.
        let result = unsafe SystemCall.receive(number, into: room.base, capacity: room.capacity)
        var block: Block? = consume room
        switch result {
        case .bytes(let count) where count > 0:
            // A read that does not fill its room has taken everything (epoll(7)); what comes later is told of anew.
            isReadable = hasEnded || count == BlockPool.blockByteCount
            handler?.received(&block, byteCount: count, from: self)
        case .bytes:
            isReadable = false
            hasReadToEnd = true
            handler?.endOfStream(self)
        case .wouldBlock:
            isReadable = false
            wantsToRead = true
        case .failed(let error): fail(error)
        }
        if let rest = block.take() { giveBack(rest) }
    }

    /// Gives back a block that a handler has kept.
    package func giveBack(_ block: consuming Block) {
        loop.blocks.giveBack(block)
    }

    // MARK: Writing

    /// How many bytes have been written and have not left.
    package var pendingByteCount: Int { output.count }

    /// Writes bytes; they leave at the end of the loop's turn, or with ``flush()``. On a stream that is closed or whose
    /// output has been ended nothing happens: its handler has been told, or has asked for it.
    ///
    /// - Parameters:
    ///   - byteCount: How many.
    ///   - body: Fills memory of just that many bytes.
    package func write(byteCount: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
        guard isOpen, !endsAfterOutput, byteCount > 0 else { return }
        unsafe output.append(byteCount: byteCount, from: &loop.blocks, body)
        guard !isUnsent, !isWaitingForRoom else { return }
        isUnsent = true
        loop.sendAtEndOfTurn(self)
    }

    /// Writes bytes that are there already.
    package func write(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { source in
            unsafe write(byteCount: source.count) { unsafe $0.copyMemory(from: source) }
        }
    }

    /// Sends what waits, as far as the system takes it.
    package func flush() {
        isUnsent = false
        guard isOpen, isWritable, !output.isEmpty else { return }
        let number = number
        let result = unsafe output.drain(into: &loop.blocks) { unsafe SystemCall.send(number, $0, byteCount: $1) }
        if case .failed(let error) = result { return fail(error) }
        guard output.isEmpty else {
            isWritable = false
            isWaitingForRoom = true
            return
        }
        let hadWaited = isWaitingForRoom
        isWaitingForRoom = false
        if endsAfterOutput { finishOutput() }
        if hadWaited { handler?.outputDrained(self) }
    }

    private func finishOutput() {
        hasEndedOutput = true
        SystemCall.shutdownSending(number)
    }
}
