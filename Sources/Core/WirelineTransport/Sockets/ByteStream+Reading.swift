// SPDX-License-Identifier: Apache-2.0

extension ByteStream {
    package var receivedByteCount: UInt64 { input.receivedByteCount }

    /// Before the first bytes: when the stream was started.
    package var lastArrival: MonotonicTime { input.lastArrival }

    package var wantsToRead: Bool { input.isWanted }

    /// Asks for bytes: the handler receives them once, in this turn of the loop at the earliest.
    package func read() {
        guard isOpen, !input.hasEnded else { return }
        input.want()
        if mayHaveInput { continueLater() }
    }

    /// Withdraws the request of ``read()``.
    package func stopReading() {
        input.stopWanting()
    }

    /// The number of unread bytes that have arrived at this machine.
    package var unreadByteCount: Int {
        guard isOpen, !input.hasEnded else { return 0 }
        return socket.unreadByteCount ?? 0
    }

    /// The transform may have more output from bytes already read.
    package var mayTransformHaveMore: Bool { transformState?.mayHaveMore == true }

    /// Whether the handler wants data, or a transform during its handshake.
    var isReading: Bool { input.isWanted || transformState?.readsOnItsOwn == true }

    /// Whether there may be data to read, in the system or in the transform.
    var mayHaveInput: Bool { readiness.isReadable || transformState?.hasInput == true }

    /// It asks the system.
    var hasUnreadInput: Bool { transformState?.hasInput == true || socket.hasUnreadInput }

    /// Reads at most one block, and hands it over.
    func readOnce() {
        if let transformState { return readTransformed(transformState) }
        input.stopWanting()
        guard let room = handler?.lendReadBuffer(for: self) else { return }
        let capacity = min(room.byteCount, load.readLimit)
        // SAFETY: the block has `byteCount` bytes after `offset`; ReadBuffer's initializer checks it.
        let result = unsafe socket.receive(into: room.block.base + room.offset, capacity: capacity)
        var block: Block? = room.takeBlock()
        switch result {
        case .bytes(let count) where count > 0:
            countInput(count, capacity: capacity)
            handler?.received(&block, byteCount: count, from: self)
        case .bytes:
            readiness.foundNoInput()
            input.end()
            handler?.receivedNothing(&block, from: self)
            if let failure = outputState.failure { fail(failure) } else { handler?.endOfStream(self) }
        case .wouldBlock:
            readiness.foundNoInput()
            input.want()
            handler?.receivedNothing(&block, from: self)
        case .failed(let error):
            handler?.receivedNothing(&block, from: self)
            fail(error)
        }
        if let rest = block.take() { giveBack(rest) }
    }

    /// `capacity` is the size of the memory in which the system has put the bytes.
    func countInput(_ byteCount: Int, capacity: Int) {
        input.arrived(byteCount, at: loop.now)
        load.read(byteCount)
        readiness.tookInput(filledBuffer: byteCount == capacity)
    }

    // MARK: Blocks

    package static var usualBlockByteCount: Int { BlockPool.blockByteCount }

    package func takeBlock() -> Block {
        loop.blocks.take()
    }

    /// Lends the bytes that were read into a block to `body`, and takes the block back: for handlers that keep no bytes
    /// in the block.
    package func lend(_ block: inout Block?, byteCount: Int, to body: (RawSpan) -> Void) {
        guard let read = block.take() else { return }
        Self.pass(read, byteCount: byteCount, to: body)
        giveBack(read)
    }

    private static func pass(_ block: borrowing Block, byteCount: Int, to body: (RawSpan) -> Void) {
        // SAFETY: this many bytes have been read into the block, which lives until `body` has returned.
        body(unsafe RawSpan(_unsafeStart: block.base, byteCount: byteCount))
    }

    package func giveBack(_ block: consuming Block) {
        loop.blocks.giveBack(block)
    }
}
