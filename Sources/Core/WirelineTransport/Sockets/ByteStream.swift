// SPDX-License-Identifier: Apache-2.0

/// A connected TCP socket on an event loop, or one end of a connection in memory (``MemoryNetwork``).
///
/// The handler asks for data: ``read()`` takes at most one block from the system before
/// ``ByteStreamHandler/received(_:byteCount:from:)``. So a handler that does not ask applies back-pressure to the peer.
/// Writing never blocks: bytes that the system does not take at once are queued; ``pendingByteCount`` is their number.
///
/// It consists of parts: values with private state, in files of their own. The extensions query and update the parts,
/// and make the system calls and the calls of the handler and the loop.
///
/// Use it only on the loop's own thread, so `@unchecked Sendable` needs no lock. Parts that change with every packet or
/// read are `@exclusivity(unchecked)`: their methods call no other code, and the check took several times as long as
/// the change.
@safe
@usableFromInline
package final class ByteStream: PollTarget, @unchecked Sendable {
    @usableFromInline package let loop: EventLoop
    /// The peer's address; behind a proxy that announces it, the client's.
    package private(set) var peerAddress: SocketAddress

    @safe @exclusivity(unchecked) private(set) var socket: StreamSocket
    /// Converts the stream's bytes to those on the wire and back, such as TLS; nil: there is none.
    @safe @exclusivity(unchecked) private(set) var transformState: TransformState?
    @safe @exclusivity(unchecked) var readiness = SocketReadiness()
    @safe @exclusivity(unchecked) var input = StreamInput()
    @safe @exclusivity(unchecked) var load = WorkLoad()
    @safe @exclusivity(unchecked) var turn = StreamTurn()
    @safe @exclusivity(unchecked) @usableFromInline var output = OutputBuffer()
    @safe @exclusivity(unchecked) var outputState = OutputState()
    var writeDeadline = WriteDeadline()
    /// Whether the stream calls ``ByteStreamHandler/willWrite(to:)`` before writes.
    @safe @exclusivity(unchecked) package var announcesWrites = false

    /// Call ``start(_:)`` next.
    init(_ end: consuming StreamHandle, on loop: EventLoop, peerAddress: SocketAddress) {
        socket = StreamSocket(end)
        self.loop = loop
        self.peerAddress = peerAddress
    }

    var number: Int32 { socket.number }

    /// Nil for a socket of the system.
    package var memorySocket: MemorySocket? { socket.memory }

    /// Receives the stream's events; retained until the stream is closed.
    package var handler: (any ByteStreamHandler)? { socket.handler }

    /// False before the start and after the close.
    package var isOpen: Bool { socket.isOpen }

    @usableFromInline
    package var takesOutput: Bool { isOpen && outputState.isOpen }

    package var hasEndedOutput: Bool { outputState.hasEnded }

    /// The connection is over, but there may be data to read.
    package var hasFailedOutput: Bool { outputState.hasFailed }

    // MARK: Starting

    /// Sets the address that a proxy has announced.
    package func setPeerAddress(_ address: SocketAddress) {
        precondition(!isOpen, "the stream has been started")
        peerAddress = address
    }

    /// Nil if the stream is closed, or if the system does not know it.
    package var localAddress: SocketAddress? { memorySocket?.localAddress ?? (try? SystemCall.localAddress(number)) }

    /// The address at the other end of the socket: the proxy's, if there is one; nil as ``localAddress``.
    package var remoteAddress: SocketAddress? { memorySocket?.peerAddress ?? (try? SystemCall.peerAddress(number)) }

    /// Call it before the stream is started.
    package func insert(_ transform: any StreamTransform) {
        precondition(!isOpen, "the stream has been started")
        transformState = TransformState(transform)
    }

    /// Starts the stream.
    ///
    /// - Throws: ``TransportError/system(_:)`` if the system cannot watch another socket; the stream is then closed.
    package func start(_ handler: any ByteStreamHandler) throws(TransportError) {
        loop.preconditionIsCurrent()
        socket.setOptions()
        do throws(TransportError) {
            try socket.watch(by: self, on: loop)
        } catch {
            socket.close()
            throw error
        }
        socket.open(handler)
        input.start(at: loop.now)
        if let transformState { startTransform(transformState) }
    }

    /// Turns on TCP keep-alive: a silent peer that does not answer fails with ``TransportError/timedOut``.
    ///
    /// - Parameter idleTime: The silence before the first probe, rounded up to seconds; the connection fails after
    ///   twice that time.
    package func keepAlive(after idleTime: Duration) {
        socket.setKeepAlive(after: idleTime)
    }

    /// Limits how many bytes the system buffers in each direction. New output waits behind them.
    package func limitBuffers(to byteCount: Int) { socket.limitBuffers(to: byteCount) }

    // MARK: Turns

    override func becameReady(_ reported: Poller.Readiness) {
        readiness.add(hasFailedOutput ? reported.subtracting(.failed) : reported)
        // A step of a TLS handshake takes as long as thousands of packets.
        if transformState?.readsOnItsOwn == true || load.isHeavy(at: loop.turnTime, share: loop.share) {
            if canSend || isReading && mayHaveInput { continueLater(isBrief: load.isBrief) }
        } else if !turn.willContinue {
            sendAndRead()
        }
        // A reader gets the failure after the data before it. Without a reader, `continueWork()` reports it to the
        // handler.
        if readiness.hasUnhandledFailure { continueLater() }
        if reported.contains(.ended), !reported.contains(.failed) { handler?.peerEnded(self) }
    }

    private var canSend: Bool {
        readiness.isWritable && (isOutputStalled || transformState?.transform.hasOutput == true)
    }

    private func sendAndRead() {
        if canSend { flush() }
        if isOpen, isReading, mayHaveInput { readOnce() }
    }

    override func tookTime(_ nanoseconds: Int64, until now: MonotonicTime) {
        load.took(nanoseconds, share: loop.share, until: now)
    }

    /// Asks the loop to call ``continueWork()``.
    ///
    /// - Parameter isBrief: Whether that usually takes little time.
    func continueLater(isBrief: Bool = false) {
        if isOpen, turn.askToContinue() { loop.continueLater(self, isBrief: isBrief) }
    }

    /// Continues after other streams have had their turn.
    override func continueWork() {
        turn.beginContinuing()
        guard isOpen else { return }
        guard readiness.hasUnhandledFailure else { return sendAndRead() }
        if isReading, mayHaveInput {
            sendAndRead()
            if readiness.hasUnhandledFailure { continueLater() }
        } else {
            handleFailure()
        }
    }

    /// Also resumes writers that waited for the end of the turn.
    override func endTurn() {
        let hadWaitingWriter = turn.end()
        flush()
        // Otherwise the handler is called later.
        if hadWaitingWriter, !isOutputStalled { handler?.outputDrained(self) }
    }

    /// Makes the next writer reserve memory again, so that the handler learns of the write.
    package override func endFreeWriting() {
        if !output.isLent { output.endFreeWriting() }
    }

    /// Reports a failure that no read will report.
    private func handleFailure() {
        readiness.clearFailure()
        let code = socket.takeError()
        // Sending may have reported it already.
        guard code != 0, !hasFailedOutput else { return }
        let error = SystemCallError("recv", code)
        if let transformState { failTransformed(transformState, error) } else { failOutput(error) }
    }

    // MARK: Closing

    /// Sends an end of stream after the queued output (half-close); reading continues.
    package func endOutput() {
        guard isOpen, !hasEndedOutput else { return }
        outputState.beginEnd()
        output.putLentOutputAside()
        output.endFreeWriting()
        // A message that is being filled in is sent first.
        guard !output.isLent else { return }
        if pendingByteCount > 0 {
            flush()
        } else if let transformState {
            finishTransformed(transformState)
        } else {
            finishOutput()
        }
    }

    /// Closes the stream: queued output is lost, and the handler receives no more events.
    package func close() {
        loop.preconditionIsCurrent()
        guard isOpen else { return }
        showWritten()
        if let transformState { closeTransform(transformState) }
        stopServing()
        socket.close()
    }

    /// Releases the handler but keeps the socket open with its unread data, so that the stream can be started again.
    ///
    /// - Precondition: No output is queued, and there is no transform.
    package func detach() {
        loop.preconditionIsCurrent()
        precondition(
            takesOutput && pendingByteCount == 0 && !input.hasEnded && transformState == nil, "not between two uses")
        stopServing()
        readiness.forget()
        input.stopWanting()
    }

    /// Releases the handler, the queued output and the timer, and stops watching the socket.
    private func stopServing() {
        _ = socket.takeHandler()
        output.drop(to: &loop.blocks)
        writeDeadline.cancelTimer(on: loop)
        loop.note(.streamEnded)
        socket.unwatch(by: self, on: loop)
    }

    /// Closes the stream with a TCP RST, so that the peer sees an error instead of an end.
    package func reset() {
        guard isOpen else { return }
        transformState?.suppressClosingMessage()
        socket.setResetOnClose()
        close()
    }

    func fail(_ error: TransportError) {
        let handler = handler
        transformState?.suppressClosingMessage()
        close()
        handler?.failed(self, error)
    }

    func fail(_ error: SystemCallError) {
        fail(TransportError(error))
    }
}
