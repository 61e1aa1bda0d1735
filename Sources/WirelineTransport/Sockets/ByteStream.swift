// SPDX-License-Identifier: Apache-2.0

/// Who deals with what comes of a stream; always called on the thread of the stream's loop.
package protocol ByteStreamHandler: AnyObject {
    /// Where the next bytes go: a block of the loop's, unless the handler has one that holds what they continue.
    func makeRoom(for stream: ByteStream) -> ReadRoom

    /// Bytes have arrived: `byteCount` of them, where ``makeRoom(for:)`` wanted them.
    ///
    /// A handler that cannot deal with them now takes the block, and gives it back with ``ByteStream/giveBack(_:)`` when
    /// it is done. It calls ``ByteStream/read()`` when it wants to be told of more.
    func received(_ block: inout Block?, byteCount: Int, from stream: ByteStream)

    /// Nothing has come, and the block that was made room in comes back; a handler that does not take it needs it no
    /// more.
    func receivedNothing(_ block: inout Block?, from stream: ByteStream)

    /// Bytes have been written, in one piece; only where ``ByteStream/showsWrites`` is set.
    func wrote(_ bytes: [UInt8], to stream: ByteStream)

    /// The peer does not take what is written as fast as it comes: some of it begins to wait.
    func outputStalled(_ stream: ByteStream)

    /// Nothing that was written waits any more, after some had, or after ``ByteStream/flushForMore()`` has said no.
    func outputDrained(_ stream: ByteStream)

    /// The peer has reset the connection: what was written and has not left is lost, and nothing more is taken. What it
    /// has sent before is still there to be read; ``failed(_:_:)`` follows behind it.
    func outputFailed(_ stream: ByteStream, _ error: TransportError)

    /// The peer will send no more; what is written still reaches it.
    func endOfStream(_ stream: ByteStream)

    /// The two sides of a stream with a ``StreamTransform`` have agreed on how to talk.
    func becameReady(_ stream: ByteStream)

    /// The connection has failed and is closed: nothing follows.
    func failed(_ stream: ByteStream, _ error: TransportError)
}

extension ByteStreamHandler {
    package func makeRoom(for stream: ByteStream) -> ReadRoom {
        ReadRoom(stream.takeBlock(), offset: 0)
    }

    package func receivedNothing(_ block: inout Block?, from stream: ByteStream) {}

    package func wrote(_ bytes: [UInt8], to stream: ByteStream) {}

    package func outputStalled(_ stream: ByteStream) {}

    package func becameReady(_ stream: ByteStream) {}

    package func outputFailed(_ stream: ByteStream, _ error: TransportError) {}
}

/// Where bytes are to be read to.
package struct ReadRoom: ~Copyable {
    let block: Block
    let offset: Int
    /// How many bytes may be read.
    let byteCount: Int

    /// - Parameters:
    ///   - block: A block with room for at least one byte.
    ///   - offset: How many bytes of it are taken.
    ///   - limit: The most bytes that may be read, at least one (default: as many as there is room for).
    package init(_ block: consuming Block, offset: Int, limit: Int = .max) {
        precondition(offset >= 0 && offset < block.capacity && limit > 0, "no room in the block")
        byteCount = min(block.capacity - offset, limit)
        self.block = block
        self.offset = offset
    }

    consuming func takeBlock() -> Block { block }
}

/// A connected TCP socket on an event loop.
///
/// Reading is asked for: between ``read()`` and the next call of ``ByteStreamHandler/received(_:byteCount:from:)`` at
/// most one block of bytes is taken from the system, so a handler that does not ask slows the peer down. Writing never
/// blocks: what the system does not take at once waits here, and ``pendingByteCount`` says how much that is.
///
/// Everything here is for the loop's own thread alone; that is also the lock behind `@unchecked Sendable`. What changes
/// with every packet or every read is `@exclusivity(unchecked)`: no access to it calls out to others while it lasts, and
/// checking that took several times as long as the change.
@safe
@usableFromInline
package final class ByteStream: PollTarget, @unchecked Sendable {
    @usableFromInline package let loop: EventLoop
    /// Where the connection leads.
    package let peerAddress: SocketAddress
    /// Who is told; held until the stream is closed.
    @safe @exclusivity(unchecked) package private(set) var handler: (any ByteStreamHandler)?

    @safe @exclusivity(unchecked) private var descriptor: Descriptor?
    /// What turns the stream's bytes into those on the wire, if anything does.
    @safe @exclusivity(unchecked) var transformState: TransformState?
    var number: Int32 { descriptor?.number ?? -1 }

    // MARK: Reading

    /// Whether the system may have something: bytes, an end of stream or an error.
    @safe @exclusivity(unchecked) var isReadable = false
    /// Whether the peer has ended, so that a read that fills no block is not the last.
    @safe @exclusivity(unchecked) var hasEnded = false
    /// How many bytes have come from the system, all in all.
    @safe @exclusivity(unchecked) package internal(set) var receivedByteCount: UInt64 = 0
    /// Whether the handler has asked.
    @safe @exclusivity(unchecked) package internal(set) var wantsToRead = false
    @safe @exclusivity(unchecked) var hasReadToEnd = false
    /// Whether the loop has been asked to come back.
    @safe @exclusivity(unchecked) var isUnread = false

    // MARK: Writing

    /// What has been written and has not left: the bytes from `outputStart` to `outputEnd` of a block, if there are any.
    @exclusivity(unchecked) @usableFromInline var outputBase: UnsafeMutableRawPointer?
    @safe @exclusivity(unchecked) var outputCapacity = 0
    @safe @exclusivity(unchecked) @usableFromInline var outputStart = 0
    @safe @exclusivity(unchecked) @usableFromInline var outputEnd = 0
    /// Up to where bytes may be written without more ado: the block's end while the loop knows that there is something
    /// to send; 0 otherwise, and once nothing more may be written.
    @safe @exclusivity(unchecked) @usableFromInline var outputLimit = 0

    /// How many times something has been written.
    @safe @exclusivity(unchecked) @usableFromInline package var writeCount = 0
    /// How many bytes the system has taken, all in all.
    @safe @exclusivity(unchecked) package internal(set) var sentByteCount: UInt64 = 0
    /// Whether the handler is told of everything that is written: at the next write, or when it leaves.
    @safe @exclusivity(unchecked) package var showsWrites = false
    /// Up to where it has been told.
    @safe @exclusivity(unchecked) var shownEnd = 0

    @safe @exclusivity(unchecked) var isWritable = true
    @safe @exclusivity(unchecked) var isUnsent = false
    /// Whether the handler is to be told when the loop's turn ends.
    @safe @exclusivity(unchecked) var awaitsEndOfTurn = false
    @safe @exclusivity(unchecked) var isWaitingForRoom = false
    /// Whether the peer does not take what is written as fast as it comes.
    package var isOutputStalled: Bool { isWaitingForRoom }
    /// Whether those who write are to ask now and then whether they still may, although the peer takes everything.
    @safe @exclusivity(unchecked) private(set) var writesInSteps = false
    /// Has those who write ask so. (Other modules' accesses to what is stored here would be checked for exclusivity.)
    package func writeInSteps(_ isAsked: Bool) { writesInSteps = isAsked }
    @safe @exclusivity(unchecked) var endsAfterOutput = false
    @safe @exclusivity(unchecked) package internal(set) var hasEndedOutput = false
    /// Whether sending has come upon a reset that reading has not come upon yet.
    @safe @exclusivity(unchecked) var hasFailedOutput = false

    /// How long the peer may take nothing of what waits for it before the connection is given up with
    /// ``TransportError/timedOut`` (default: for ever).
    package var writeTimeout: Duration? {
        get { writeDeadline.timeout }
        set { writeDeadline.timeout = newValue }
    }
    var writeDeadline = WriteDeadline()
    var writeTimer: EventLoop.Timer?

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
        if let transformState { startTransform(transformState) }
    }

    /// Whether the stream has been started and has not been closed.
    package var isOpen: Bool { handler != nil }

    /// Whether what is written will be sent.
    @usableFromInline
    package var takesOutput: Bool { isOpen && !endsAfterOutput }

    override func becameReady(_ readiness: Poller.Readiness) {
        if readiness.contains(.ended) { hasEnded = true }
        if readiness.contains(.writable) {
            isWritable = true
            if isWaitingForRoom || transformState?.transform.hasOutput == true { flush() }
        }
        if readiness.contains(.readable) {
            isReadable = true
            if isReading { readOnce() }
        }
    }

    // MARK: Closing

    /// Sends an end of stream once everything written before has left; reading goes on.
    package func endOutput() {
        guard isOpen, !hasEndedOutput else { return }
        endsAfterOutput = true
        outputLimit = 0
        if pendingByteCount > 0 {
            flush()
        } else if let transformState {
            finishTransformed(transformState)
        } else {
            finishOutput()
        }
    }

    /// Closes the stream: what was written and has not left is lost, and the handler hears no more.
    package func close() {
        loop.preconditionIsCurrent()
        guard isOpen else { return }
        showWritten()
        if let transformState { closeTransform(transformState) }
        handler = nil
        dropOutput()
        loop.cancel(&writeTimer)
        loop.unwatch(self, number)
        descriptor = nil
    }

    /// Lets the handler go and leaves the socket open, with what has come and was not read: the stream can be started anew.
    ///
    /// - Precondition: Nothing that was written waits to be sent, and there is no transform.
    package func detach() {
        loop.preconditionIsCurrent()
        precondition(isOpen && pendingByteCount == 0 && !takesNoMore && transformState == nil, "not between two uses")
        handler = nil
        dropOutput()
        loop.cancel(&writeTimer)
        loop.unwatch(self, number)
        // Whoever watches it next is told of all this again.
        (isReadable, hasEnded, wantsToRead, isWritable) = (false, false, false, true)
    }

    private var takesNoMore: Bool { endsAfterOutput || hasReadToEnd }

    /// Closes the stream so that the peer is told of an error (TCP RST) and not of an end.
    package func reset() {
        guard isOpen else { return }
        transformState?.mayTakeLeave = false
        SystemCall.setResetOnClose(number)
        close()
    }

    func fail(_ error: TransportError) {
        let handler = handler
        transformState?.mayTakeLeave = false
        close()
        handler?.failed(self, error)
    }

    func fail(_ error: SystemCallError) {
        fail(TransportError(error))
    }

    // MARK: Reading

    /// Asks for bytes: the handler is told of them once, in this turn of the loop at the earliest.
    package func read() {
        guard isOpen, !hasReadToEnd else { return }
        wantsToRead = true
        guard mayHaveInput, !isUnread else { return }
        isUnread = true
        loop.readInNextTurn(self)
    }

    /// Takes back what ``read()`` has asked for.
    package func stopReading() {
        wantsToRead = false
    }

    func readOn() {
        isUnread = false
        if isOpen, isReading, mayHaveInput { readOnce() }
    }

    /// Whether somebody wants what arrives: the handler, or a transform that has not come to an agreement.
    var isReading: Bool { wantsToRead || transformState?.readsOnItsOwn == true }

    /// Whether there may be something to read, in the system or in the transform.
    private var mayHaveInput: Bool { isReadable || transformState?.hasInput == true }

    private func readOnce() {
        if let transformState { return readTransformed(transformState) }
        wantsToRead = false
        guard let room = handler?.makeRoom(for: self) else { return }
        let capacity = room.byteCount
        // SAFETY: the block has as many bytes as it says.
        let result = unsafe SystemCall.receive(number, into: room.block.base + room.offset, capacity: capacity)
        var block: Block? = room.takeBlock()
        switch result {
        case .bytes(let count) where count > 0:
            receivedByteCount &+= UInt64(count)
            // A read that does not fill its room has taken everything (epoll(7)); what comes later is told of anew.
            isReadable = hasEnded || count == capacity
            handler?.received(&block, byteCount: count, from: self)
        case .bytes:
            isReadable = false
            hasReadToEnd = true
            handler?.receivedNothing(&block, from: self)
            if hasFailedOutput { fail(.reset) } else { handler?.endOfStream(self) }
        case .wouldBlock:
            isReadable = false
            wantsToRead = true
            handler?.receivedNothing(&block, from: self)
        case .failed(let error):
            handler?.receivedNothing(&block, from: self)
            fail(error)
        }
        if let rest = block.take() { giveBack(rest) }
    }

    /// A block of the loop's, for as long as it is needed.
    package func takeBlock() -> Block {
        loop.blocks.take()
    }

    /// Gives back a block that a handler has kept.
    package func giveBack(_ block: consuming Block) {
        loop.blocks.giveBack(block)
    }
}
