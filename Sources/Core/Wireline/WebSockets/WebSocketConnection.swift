// SPDX-License-Identifier: Apache-2.0

public import WirelineTransport
import WirelineWebSocket

/// A WebSocket over a TCP connection, with TLS or without; each ``WebSocketEndpoint`` has one.
///
/// It reads also when the program does not receive, so the loop answers pings alone. At a limit of unread messages it
/// stops reading, and back-pressure slows the peer down. Output waits here up to a limit; then the sender waits. A
/// silent connection holds no buffer, except for the part of a message that has arrived.
///
/// One task at a time waits for messages. Members that are not `public` run on the loop's thread unless stated
/// otherwise, so `@unchecked Sendable` needs no lock. Properties that change with every message or every read are
/// `@exclusivity(unchecked)`: no access to them calls other code while it lasts.
@safe
public final class WebSocketConnection: ByteStreamHandler, @unchecked Sendable {
    package let stream: ByteStream
    /// The connection's number in ``TrafficLog`` entries.
    ///
    /// The connections of a process are numbered from 1, and no number is used again.
    public let id = ConnectionIDs.next()
    let limits: WebSocketLimits
    /// Records the events of a connection that this side has made; nil for others.
    let recorder: TimelineRecorder?
    let sharedLimits: SharedLimits?
    /// The state of a connection whose messages are long or slow; nil for others.
    @safe @exclusivity(unchecked) var slowPeer: SlowPeerState?
    @safe @exclusivity(unchecked) var handshake: WebSocketHandshake
    @safe @exclusivity(unchecked) var engine: WebSocketEngine
    private let settlement = Lock<WebSocketAgreement?>(nil)
    /// The result of the handshake; nil before that. Any thread may read it.
    var agreement: WebSocketAgreement? { settlement.withLock { $0 } }
    /// Called once, when the handshake is complete or has failed.
    private var onHandshakeEnd: (() -> Void)?

    // MARK: Input

    @safe @exclusivity(unchecked) var input = WebSocketInput()
    /// Whether the first frame has not arrived yet, and its arrival is to be recorded.
    @safe @exclusivity(unchecked) var notesFirstByte: Bool
    @safe @exclusivity(unchecked) var inputWait = InputWait()
    /// The number of waits for input so far.
    package var waitNumber: UInt32 { inputWait.number }

    // MARK: Output

    @safe @exclusivity(unchecked) var output = WebSocketOutput()
    @safe @exclusivity(unchecked) var pings = OutstandingPings()
    @safe @exclusivity(unchecked) private(set) var compresses = false

    // MARK: The end

    @safe @exclusivity(unchecked) var ending = WebSocketConnectionEnding()
    var endWaiters = EndWaiters()
    /// Called once, when no more output can reach the peer.
    var onOutputEnd: (() -> Void)?
    package var onClosed: (((any Error)?) -> Void)?
    package var handlerTask: Task<Void, Never>?

    // MARK: Time and counters

    /// The timer for the engine's deadline, or for a deadline of the end.
    private var timer: EventLoop.Timer?
    private var timerDeadline: MonotonicTime?
    /// The bytes that the peer had not taken when the timer was set.
    private var undeliveredByteCount = 0
    @safe @exclusivity(unchecked) var peerWatch = PeerWatch()
    @safe @exclusivity(unchecked) var heartbeat = WebSocketHeartbeat()
    @safe @exclusivity(unchecked) var receivedMessageCount = 0
    @safe @exclusivity(unchecked) var sentMessageCount = 0

    /// - Parameters:
    ///   - stream: The stream that carries the frames, with its transform if it has one.
    ///   - recorder: Records the connection's events; nil: no record.
    ///   - sharedLimits: The limits that the connection shares with others.
    init(
        _ stream: ByteStream, _ handshake: WebSocketHandshake, limits: WebSocketLimits,
        recorder: TimelineRecorder? = nil, sharedLimits: SharedLimits? = nil
    ) {
        self.stream = stream
        self.handshake = handshake
        self.limits = limits
        self.recorder = recorder
        notesFirstByte = recorder != nil
        self.sharedLimits = sharedLimits
        engine = WebSocketEngine(handshake.stage == .asking ? .client : .server, configuration: limits.frames)
        stream.writeTimeout = limits.writeTimeout
    }

    /// The loop that carries the connection.
    public var loop: EventLoop { stream.loop }

    /// The peer's address.
    public var peerAddress: SocketAddress { stream.peerAddress }

    func start() throws(TransportError) {
        peerWatch.restartWaiting(at: loop.now)
        try stream.start(self)
        sharedLimits?.log?.record(.opened, of: peerAddress, id)
        guard stream.isOpen else { return }
        if stream.transform == nil { begin() }
        readIfWanted()
    }

    /// Sends the client's request when the stream is ready.
    private func begin() {
        guard handshake.stage == .asking else { return }
        recorder?.note(.webSocketBegan)
        stream.write(handshake.takeOutput())
    }

    package func becameReady(_ stream: ByteStream) {
        recorder?.noteHandshakeEnd(of: stream.tlsTransform)
        begin()
    }

    // MARK: The end of the handshake

    /// Calls a closure once, when the client's handshake is complete or has failed; at once if it has ended already.
    func whenHandshakeEnds(_ action: @escaping () -> Void) {
        guard stream.isOpen, handshake.stage == .asking else { return action() }
        onHandshakeEnd = action
    }

    func open(_ agreement: WebSocketAgreement) {
        settlement.withLock { $0 = agreement }
        var configuration = limits.frames
        // The program's answers to earlier messages leave before the answer to a close, or to invalid bytes.
        configuration.answersCloseLate = true
        configuration.failsLate = true
        engine = WebSocketEngine(engine.role, agreement: agreement, configuration: configuration)
        compresses = agreement.compresses
        loop.cancel(&timer)
        if engine.role == .client { recorder?.note(.webSocketEnded) }
        peerWatch.restartWaiting(at: loop.now)
        beginHeartbeat()
        peerWatch.handshakeCompleted(at: loop.now)
        watchPeer()
        onHandshakeEnd.take()?()
    }

    /// The server's refusal, if its whole head has arrived but not its whole body.
    var refusal: ConnectionError? { handshake.refusal }

    /// Ends the handshake without a WebSocket. The caller has already written the answer to the peer, if there is one.
    func fail(_ error: ConnectionError?) {
        ending.fail(error)
        handshake.fail()
        input.dropBlock(of: stream)
        loop.cancel(&timer)
        finish()
    }

    // MARK: The end

    var hasEnded: Bool {
        if handshake.stage == .failed { return true }
        return engine.end != nil && !input.hasBlock
    }

    /// The error that has ended the connection; nil if both sides have closed, or before the end.
    package var endingError: ConnectionError? {
        if let error = ending.error { return error }
        guard handshake.isComplete, let end = engine.end else { return nil }
        switch end.cause {
        case .closedHere, .closedByPeer: return nil
        case .failed(let error): return .webSocket(error)
        default: return .webSocketEnded(end)
        }
    }

    package var failure: (any Error)? { endingError }

    /// The reason why nothing can be sent.
    var sendError: ConnectionError { endingError ?? ending.outputError ?? .webSocket(.closed) }

    /// Call it after any event. It sends the engine's output, resumes waiting tasks, and ends the connection if it is
    /// due.
    func settle() {
        answerCloseIfDue()
        if ending.hasInputEnded, !input.hasBlock { engine.endOfInput() }
        pump()
        resumeSenders()
        deliver()
        if engine.end != nil { announceEnd() }
        if engine.wantsConnectionClosed { finish() }
        watchEngine()
        readIfWanted()
        if onOutputEnd != nil, !takesMessages { onOutputEnd.take()?() }
    }

    /// Resumes the tasks that wait for the end or to send, after the WebSocket has ended.
    func announceEnd() {
        guard ending.announce() else { return }
        heartbeat.stop(on: loop)
        peerWatch.stop(on: loop)
        resumeSenders()
        failPings()
        // Only a reader in pieces can use a part of a message.
        if !input.isInsideMessage { input.dropPart() }
        // The close frame leaves even if the program ends the process next.
        stream.flush()
        endWaiters.resumeAll()
    }

    /// Ends the output, and closes the stream when the peer has ended, too, or at a deadline.
    ///
    /// A socket that closes with unread bytes resets the connection, and output on its way to the peer is lost (RFC
    /// 1122 §4.2.2.13). So the connection reads and drops its input.
    func finish() {
        guard !ending.isFinishing, stream.isOpen else { return }
        let deadline = loop.now + limits.frames.closeTimeout
        ending.finish(by: deadline)
        stream.endOutput()
        closeIfFinished()
        guard stream.isOpen else { return }
        peerWatch.stop(on: loop)
        loop.cancel(&timer)
        watchEnd(until: deadline)
        releaseMemoryIfDone()
        stream.read()
    }

    func closeIfFinished() {
        guard ending.isFinishing, stream.isOpen, ending.hasInputEnded, stream.hasEndedOutput else { return }
        stream.close()
        streamEnded()
    }

    /// Closes the connection at once; any thread may call it.
    ///
    /// Waiting tasks throw ``ConnectionError/transport(_:)`` with `closed`.
    package func close() {
        loop.execute { self.abort(.transport(.closed)) }
    }

    func abort(_ error: ConnectionError) {
        guard stream.isOpen else { return }
        if engine.end == nil { ending.fail(error) }
        if error != .transport(.closed) { cancelUnawareHandler() }
        closeStream()
    }

    private func closeStream() {
        stream.flush()
        stream.close()
        input.dropBlock(of: stream)
        streamEnded()
    }

    /// Cleans up after the stream was closed.
    func streamEnded() {
        let isFirst = ending.close()
        if !input.hasBlock { endInput() }
        if !handshake.isComplete { handshake.fail() }
        loop.cancel(&timer)
        heartbeat.stop(on: loop)
        peerWatch.stop(on: loop)
        recorder?.close(endingError)
        if isFirst { logEnd() }
        releaseMemoryIfDone()
        // Input that waited for memory no longer waits.
        if input.hasBlock, inputWait.isWaiting { parse() }
        onHandshakeEnd.take()?()
        deliver()
        // Readers may still take messages, but nobody sends any more.
        resumeSenders()
        failPings()
        if hasEnded { announceEnd() }
        onOutputEnd.take()?()
        onClosed.take()?(failure)
    }

    private func endInput() {
        if !ending.isPeerOpen { answerClose() }
        engine.endOfInput()
    }

    // MARK: The peer's close

    /// Answers the peer's close, or its invalid bytes, unless the program may still answer earlier messages.
    private func answerCloseIfDue() {
        guard !ending.isPeerOpen, engine.isOpen else { return }
        let mayHaveAnswers = !input.hasNoMessage || input.isReaderBusy && !inputWait.isWaiting
        guard mayHaveAnswers, !input.dropsMessages, !ending.hasInputEnded else { return answerClose() }
        // The program gets half of the time that a peer gets for its answer.
        if timer == nil { setTimer(loop.now + limits.frames.closeTimeout / 2) }
    }

    private func answerClose() {
        // A received code may be sent. After invalid bytes the engine sends the code of the error.
        try? engine.close(code: ending.peerClose?.code, at: now)
        logClose()
    }

    // MARK: Time

    private func watchEngine() {
        guard handshake.isComplete, !ending.isFinishing, stream.isOpen, let deadline = engine.deadline else { return }
        watchEnd(until: MonotonicTime(sinceOrigin: deadline))
    }

    /// Sets the timer for a deadline. If the peer has not taken all output, the timer fires earlier to check its
    /// progress.
    private func watchEnd(until deadline: MonotonicTime) {
        let look = min(deadline, loop.now + limits.frames.closeTimeout / 4)
        if timer != nil, let timerDeadline, timerDeadline <= look { return }
        undeliveredByteCount = unsentByteCount
        setTimer(undeliveredByteCount > 0 ? look : deadline)
    }

    private var unsentByteCount: Int { engine.pendingByteCount + stream.undeliveredByteCount }

    private func setTimer(_ deadline: MonotonicTime) {
        if timer != nil, timerDeadline == deadline { return }
        loop.cancel(&timer)
        timerDeadline = deadline
        timer = loop.schedule(at: deadline) {
            self.timer = nil
            self.timerFired()
        }
    }

    private func timerFired() {
        let count = unsentByteCount
        let isProgressing = count > 0 && count < undeliveredByteCount
        if var deadline = ending.finishDeadline {
            if isProgressing {
                deadline = loop.now + limits.frames.closeTimeout
                ending.finish(by: deadline)
            }
            return loop.turnTime < deadline ? watchEnd(until: deadline) : closeStream()
        }
        guard handshake.isComplete else { return }
        if !ending.isPeerOpen, engine.isOpen {
            answerClose()
            return settle()
        }
        if isProgressing { engine.outputProgressed(at: now) }
        engine.timerFired(at: now)
        if engine.deadline != nil { watchEngine() } else if engine.end != nil { closeStream() }
    }
}

extension WebSocketConnection: Hashable {
    public static func == (left: WebSocketConnection, right: WebSocketConnection) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
