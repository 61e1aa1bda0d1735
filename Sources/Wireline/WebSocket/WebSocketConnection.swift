// SPDX-License-Identifier: Apache-2.0

import WirelineSession
public import WirelineTransport
import WirelineWebSocket

/// A WebSocket over a TCP connection, with TLS or without; what ``WebSocketEndpoint`` is made of.
///
/// Bytes are read whether somebody receives or not, so pings are answered by the loop alone; at a limit of messages that
/// nobody has taken nothing more is read, which slows the peer down. What is sent waits here up to a limit, and then the
/// sender waits. A connection that is silent holds no memory for bytes but those of a message that has begun.
///
/// Messages are waited for by one task at a time. All that is not `public` is for the loop's own thread, unless it says
/// otherwise; that is also the lock behind `@unchecked Sendable`. What changes with every message or every read is
/// `@exclusivity(unchecked)`: no access to it calls out to others while it lasts.
@safe
public final class WebSocketConnection: ByteStreamHandler, @unchecked Sendable {
    /// How far the connection has come. Indirect, for a handshake is hundreds of bytes, and to look at what is here copies it.
    indirect enum Phase {
        /// The server's answer is waited for; its request leaves when the stream is ready.
        case asking(WebSocketClientHandshake)
        /// A client's request is waited for.
        case listening(WebSocketServerHandshake)
        /// A client's request has come, and somebody thinks about it.
        case answering(WebSocketServerHandshake)
        /// There is a WebSocket.
        case open
        /// There will be none.
        case failed
    }

    package let stream: ByteStream
    let limits: WebSocketLimits
    /// Takes note of what becomes of a connection that this side has made.
    let recorder: TimelineRecorder?
    /// What the connection has in common with others.
    let supervision: Supervision?
    /// What is kept of a connection whose messages are long or slow.
    @safe @exclusivity(unchecked) var burden: ConnectionBurden?
    @safe @exclusivity(unchecked) var phase: Phase
    @safe @exclusivity(unchecked) var engine: WebSocketEngine
    /// What both sides have settled; nil before that. This is for all threads.
    private let settlement = Lock<WebSocketAgreement?>(nil)
    var agreement: WebSocketAgreement? { settlement.withLock { $0 } }
    /// Is called once, when there is a WebSocket, or there will be none.
    var onOpen: (() -> Void)?

    // MARK: What has arrived

    /// Whether it is to be noted when frames begin to arrive.
    @safe @exclusivity(unchecked) var notesFirstByte: Bool
    /// What was read last, and which bytes of it have not been looked at: those from `position` to `inputEnd`.
    @safe @exclusivity(unchecked) var input: Block?
    @safe @exclusivity(unchecked) var position = 0
    @safe @exclusivity(unchecked) var inputEnd = 0
    @safe @exclusivity(unchecked) var collector = WebSocketMessageCollector()
    /// Messages that nobody has taken, or their last pieces.
    @safe @exclusivity(unchecked) var inbox = Queue<WebSocketPiece>()
    /// What they count for.
    @safe @exclusivity(unchecked) var inboxCost = 0
    /// Whether somebody has taken the beginning of a message, and not its end.
    @safe @exclusivity(unchecked) var isInsidePieces = false
    /// Whether nobody will take what comes.
    @safe @exclusivity(unchecked) var dropsMessages = false
    @safe @exclusivity(unchecked) var isParsing = false

    // MARK: Who waits for it

    /// The task that waits, of which there is one at a time; its waits are numbered, so that one that is over is not
    /// cancelled in place of the next.
    @safe @exclusivity(unchecked) var receiver: UnsafeContinuation<Void, Never>?
    @safe @exclusivity(unchecked) var wantsPieces = false
    @safe @exclusivity(unchecked) package internal(set) var waitNumber: UInt32 = 0
    @safe @exclusivity(unchecked) var cancelledWaitNumber: UInt32 = 0

    // MARK: Who waits to send

    @safe @exclusivity(unchecked) var senders = Queue<Sender>()
    /// Those who send a message in parts: the one whose parts leave.
    @safe @exclusivity(unchecked) var writer: WebSocketWriter?
    /// Its parts that wait.
    @safe @exclusivity(unchecked) var parts = Queue<Sender>()
    @safe @exclusivity(unchecked) var pings = PingBook()
    /// Is called once, when less waits than may, or nothing is sent any more.
    @safe @exclusivity(unchecked) var onRoom: (() -> Void)?
    @safe @exclusivity(unchecked) var isPumping = false

    // MARK: Its end

    /// What has kept it from an end that both sides agree on, as far as it is known before the engine knows of an end.
    @safe @exclusivity(unchecked) var ownFailure: ConnectionError?
    /// What the peer has said when it closed.
    @safe @exclusivity(unchecked) var peerClose: WebSocketClose?
    /// Whether the peer's bytes have been found to be at fault.
    @safe @exclusivity(unchecked) var hasFault = false
    /// Whether somebody has taken a message, and has not come back for the next one.
    @safe @exclusivity(unchecked) var hasTaken = false
    /// Why nothing that is sent reaches the peer any more, although it may still have something to say.
    @safe @exclusivity(unchecked) var outputFailure: ConnectionError?
    /// Who waits for the end.
    var closers: [EndWaiter] = []
    /// Whether those who wait have been told of the end.
    var hasToldEnd = false
    /// Whether only what is on its way to the peer is waited for.
    @safe @exclusivity(unchecked) var isFinishing = false
    /// What of its end has been logged.
    var (hasLoggedClose, hasLoggedPeerClose, hasLoggedEnd) = (false, false, false)
    /// Whether the peer sends no more, or the stream is closed.
    @safe @exclusivity(unchecked) var hasInputEnded = false
    /// What a server's client is to be told, once it has been answered.
    var lateness: WebSocketClose?
    /// Is called once, when nothing that is given to the connection reaches the peer any more.
    var onOutputEnd: (() -> Void)?
    package var onClosed: (((any Error)?) -> Void)?

    // MARK: Time and counts

    /// The engine's deadline, or that of the end.
    var timer: EventLoop.Timer?
    var timerDeadline: MonotonicTime?
    /// By when the peer must have done its part, and when that is looked at.
    var deadlines = PeerDeadlines(at: .zero)
    var peerTimer: EventLoop.Timer?
    var heartbeatTimer: EventLoop.Timer?
    var heartbeat: HeartbeatMonitor?
    /// Whether the connection has been given up because nothing has answered a heartbeat.
    var isPeerSilent = false
    /// How far a heartbeat has come that nobody has answered.
    var passage = HeartbeatPassage()
    @safe @exclusivity(unchecked) var lastArrival = MonotonicTime(nanoseconds: 0)
    /// When reading was last begun, after a time in which there was too much that nobody had taken.
    @safe @exclusivity(unchecked) var readingSince = MonotonicTime(nanoseconds: 0)
    @safe @exclusivity(unchecked) var receivedMessageCount = 0
    @safe @exclusivity(unchecked) var sentMessageCount = 0

    /// - Parameters:
    ///   - stream: What carries the frames, with its transform if it has one; ``start()`` brings it to life.
    ///   - phase: Which side of which handshake this is.
    ///   - limits: What the connection may cost.
    ///   - recorder: Takes note of what becomes of the connection, if anybody does.
    ///   - supervision: What the connection has in common with others.
    init(
        _ stream: ByteStream, _ phase: Phase, limits: WebSocketLimits, recorder: TimelineRecorder? = nil,
        supervision: Supervision? = nil
    ) {
        self.stream = stream
        self.phase = phase
        self.limits = limits
        self.recorder = recorder
        notesFirstByte = recorder != nil
        self.supervision = supervision
        let role: WebSocketRole = if case .asking = phase { .client } else { .server }
        engine = WebSocketEngine(role, configuration: limits.frames)
        stream.writeTimeout = limits.writeTimeout
    }

    /// The loop that the connection lives on.
    public var loop: EventLoop { stream.loop }

    /// Where the connection leads.
    public var peerAddress: SocketAddress { stream.peerAddress }

    /// Begins to deal with the stream.
    func start() throws(TransportError) {
        lastArrival = loop.now
        readingSince = loop.now
        try stream.start(self)
        supervision?.log?.record(.opened, of: peerAddress)
        guard stream.isOpen else { return }
        if stream.transform == nil { begin() }
        readIfWanted()
    }

    /// The stream can be used.
    private func begin() {
        guard case .asking(let handshake) = phase else { return }
        recorder?.note(.webSocketBegan)
        stream.write(handshake.request)
    }

    package func becameReady(_ stream: ByteStream) {
        lastArrival = loop.now
        recorder?.noteHandshakeEnd(of: stream.tlsTransform)
        begin()
    }

    // MARK: The handshake's end

    /// There is a WebSocket.
    func open(_ agreement: WebSocketAgreement) {
        settlement.withLock { $0 = agreement }
        var configuration = limits.frames
        // What the program still has to say to earlier messages comes before the answer to a close, or to a fault.
        configuration.answersCloseLate = true
        configuration.failsLate = true
        engine = WebSocketEngine(engine.role, agreement: agreement, configuration: configuration)
        phase = .open
        loop.cancel(&timer)
        if engine.role == .client { recorder?.note(.webSocketEnded) }
        (lastArrival, readingSince) = (loop.now, loop.now)
        beginHeartbeat()
        deadlines.handshakeCompleted(at: now)
        watchPeer()
        onOpen.take()?()
    }

    /// What the server has answered that refuses, where all of its head has come and not all of its body.
    var refusal: ConnectionError? {
        guard case .asking(let handshake) = phase else { return nil }
        return handshake.refusal.map { .webSocket(.refused($0)) }
    }

    /// There will be no WebSocket; what the peer is told of that, if anything, has been written.
    func fail(_ error: ConnectionError?) {
        if ownFailure == nil { ownFailure = error }
        phase = .failed
        dropInput()
        loop.cancel(&timer)
        finish()
    }

    // MARK: The end

    /// How the WebSocket has ended; nil before it has.
    var end: WebSocketEnd? { engine.end }

    /// Whether nothing of the peer's is waited for that somebody could take.
    var hasEnded: Bool {
        if case .failed = phase { return true }
        return engine.end != nil && input == nil
    }

    /// What has ended the connection; nil where both sides have said that they close.
    package var endingError: ConnectionError? {
        if let ownFailure { return ownFailure }
        guard case .open = phase, let end = engine.end else { return nil }
        switch end.cause {
        case .closedHere, .closedByPeer: return nil
        case .failed(let error): return .webSocket(error)
        default: return .webSocketEnded(end)
        }
    }

    package var failure: (any Error)? { endingError }

    /// Why nothing can be sent.
    var sendError: ConnectionError { endingError ?? outputFailure ?? .webSocket(.closed) }

    /// Does what follows from whatever has just happened: sends what the engine has to send, tells those who wait, and ends
    /// the connection when it is time for that.
    func settle() {
        answerCloseIfDue()
        if hasInputEnded, input == nil { engine.endOfInput() }
        pump()
        resumeSenders()
        deliver()
        if engine.end != nil { tellEnd() }
        if engine.wantsConnectionClosed { finish() }
        watchEngine()
        readIfWanted()
        if onOutputEnd != nil, !takesMessages { onOutputEnd.take()?() }
    }

    /// Tells those who wait for the end, or to send, that there is one.
    func tellEnd() {
        guard !hasToldEnd else { return }
        hasToldEnd = true
        loop.cancel(&heartbeatTimer)
        loop.cancel(&peerTimer)
        resumeSenders()
        failPings()
        // A message that has broken off is of use to nobody, unless somebody takes it in pieces.
        if !isInsidePieces { collector = WebSocketMessageCollector() }
        let waiting = closers
        closers = []
        // Whoever ends the process next does not cut off what the peer is told.
        stream.flush()
        for waiter in waiting { unsafe waiter.continuation.resume() }
    }

    /// Ends the stream once what was written has left, and closes it when the peer has ended too, or has had time to.
    ///
    /// A socket that is closed with bytes in it that nobody has read resets the connection, and what is still on its way
    /// to the peer is lost (RFC 1122, 4.2.2.13). So what arrives is taken and dropped.
    func finish() {
        guard !isFinishing, stream.isOpen else { return }
        isFinishing = true
        stream.endOutput()
        closeIfFinished()
        guard stream.isOpen else { return }
        loop.cancel(&peerTimer)
        setTimer(loop.now + limits.frames.closeTimeout)
        dropShareIfDone()
        stream.read()
    }

    func closeIfFinished() {
        guard isFinishing, stream.isOpen, hasInputEnded, stream.hasEndedOutput else { return }
        stream.close()
        streamEnded()
    }

    /// Closes the connection at once; may be called on any thread. Who waits gets ``ConnectionError/transport(_:)`` with
    /// `closed`.
    package func close() {
        loop.execute { self.abort(.transport(.closed)) }
    }

    /// Closes the connection at once, for a reason.
    func abort(_ error: ConnectionError) {
        guard stream.isOpen else { return }
        if ownFailure == nil, engine.end == nil { ownFailure = error }
        closeStream()
    }

    private func closeStream() {
        stream.flush()
        stream.close()
        dropInput()
        streamEnded()
    }

    /// The stream is closed.
    func streamEnded() {
        hasInputEnded = true
        if input == nil { endInput() }
        if case .open = phase {} else { phase = .failed }
        loop.cancel(&timer)
        loop.cancel(&heartbeatTimer)
        loop.cancel(&peerTimer)
        recorder?.close(endingError)
        logEnd()
        dropShareIfDone()
        // What has come and waited for room need not wait any more.
        if input != nil, unsafe receiver != nil { parse() }
        onOpen.take()?()
        deliver()
        // Messages may still be taken; nothing is sent any more.
        resumeSenders()
        failPings()
        if hasEnded { tellEnd() }
        onOutputEnd.take()?()
        onClosed.take()?(failure)
    }

    private func endInput() {
        if peerClose != nil || hasFault { answerClose() }
        engine.endOfInput()
    }

    // MARK: The peer's close

    /// Answers the peer's close, or tells it of its fault, unless there are messages in front of it that somebody may have
    /// something to say to.
    private func answerCloseIfDue() {
        guard peerClose != nil || hasFault, engine.isOpen else { return }
        let isWaitedFor = unsafe receiver != nil
        let mayHaveAnswers = !inbox.isEmpty || hasTaken && !isWaitedFor
        guard mayHaveAnswers, !dropsMessages, !hasInputEnded else { return answerClose() }
        // Half of the time that the peer is given where it is this side's turn.
        if timer == nil { setTimer(loop.now + limits.frames.closeTimeout / 2) }
    }

    private func answerClose() {
        // What has come may be sent; who is at fault is told the code of that.
        try? engine.close(code: peerClose?.code, at: now)
        logClose()
    }

    // MARK: Time

    /// Has the engine told of its deadline.
    private func watchEngine() {
        guard case .open = phase, !isFinishing, stream.isOpen, let deadline = engine.deadline else { return }
        setTimer(MonotonicTime(sinceOrigin: deadline))
    }

    func setTimer(_ deadline: MonotonicTime) {
        if timer != nil, timerDeadline == deadline { return }
        loop.cancel(&timer)
        timerDeadline = deadline
        timer = loop.schedule(at: deadline) {
            self.timer = nil
            self.timeIsOver()
        }
    }

    private func timeIsOver() {
        guard !isFinishing else { return closeStream() }
        guard case .open = phase else { return }
        if peerClose != nil || hasFault, engine.isOpen {
            answerClose()
            return settle()
        }
        engine.timerFired(at: now)
        if engine.end == nil { watchEngine() } else { closeStream() }
    }
}

extension WebSocketConnection: Hashable {
    public static func == (left: WebSocketConnection, right: WebSocketConnection) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
