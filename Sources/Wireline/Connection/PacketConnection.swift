// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
import WirelineSession
package import WirelineTLS
public import WirelineTransport

/// Packets over a TCP connection, in both directions, whatever their messages are.
///
/// What arrives is read only while somebody waits for it, so a reader that does not keep up slows the peer down. What is
/// sent waits here up to a limit, and then the sender waits. An idle connection holds no memory for bytes but those of a
/// packet that has begun.
///
/// Packets are waited for by one task at a time. Everything that is `public` may be called from any task, but for
/// ``write(_:)`` and ``write(packet:)``; on the connection's own ``loop`` it takes no lock and wakes no thread.
///
/// Everything else is for the loop's own thread; that is also the lock behind `@unchecked Sendable`. What changes with
/// every packet or every read is `@exclusivity(unchecked)`: no access to it calls out to others while it lasts, and checking that took
/// a third of the time of an echo.
@safe
public final class PacketConnection: ByteStreamHandler, @unchecked Sendable {
    /// How packets are laid out. Not the splitter's own, which belongs to the loop: this may be read from any thread.
    public let layout: PacketLayout
    /// The most bytes that a packet may have which is received, or made of a payload.
    @usableFromInline let maximumPacketByteCount: Int
    @usableFromInline package let stream: ByteStream
    @usableFromInline let pendingLimit: Int
    /// How many packets have been taken.
    @safe @exclusivity(unchecked) @usableFromInline var receivedPacketCount = 0
    let unreadLimit: Int
    /// Takes note of what becomes of a connection that this side has made.
    let recorder: TimelineRecorder?
    @safe @exclusivity(unchecked) @usableFromInline var splitter: PacketSplitter

    // MARK: What has arrived

    /// What was read last, and which bytes of it have not been looked at: those from `position` to `end`.
    @safe @exclusivity(unchecked) @usableFromInline var current: SharedBlock?
    @safe @exclusivity(unchecked) @usableFromInline var position = 0
    @safe @exclusivity(unchecked) @usableFromInline var end = 0
    /// The beginning of a packet whose rest has not arrived, where it is short.
    @safe @exclusivity(unchecked) var held: [UInt8] = []
    @safe @exclusivity(unchecked) var ending: Ending?

    // MARK: Who waits for it

    /// The task that waits, of which there is one at a time; its waits are numbered, so that one that is over is not
    /// cancelled in place of the next. What has arrived is not handed over but taken: so little is kept while a task
    /// waits, which most tasks do.
    @safe @exclusivity(unchecked) var receiver: UnsafeContinuation<Void, Never>?
    @safe @exclusivity(unchecked) var waitNumber: UInt32 = 0
    @safe @exclusivity(unchecked) var cancelledWaitNumber: UInt32 = 0
    /// The task that cannot be cancelled but with its connection, so that its waits need not listen for that: this
    /// saves a kilobyte a connection. Taken away before that task ends.
    @safe @exclusivity(unchecked) var ownersTask: TaskIdentity?
    /// Who takes packets without a task; then nobody else asks for them.
    @safe @exclusivity(unchecked) var batchHandler: BatchHandler?
    /// Requests that have been sent, and what has arrived in front of their replies; nil before the first one.
    @safe @exclusivity(unchecked) var requests: RequestQueue?
    /// Whether a packet may be a reply, or others have arrived before it that nobody has read.
    /// The splitter finds nothing at sight then: so it costs those nothing that make no requests.
    @safe @exclusivity(unchecked) var isRouting = false {
        didSet { if isRouting != oldValue { setSight() } }
    }

    // MARK: What is seen of it

    /// How many messages came with an ID that the schema does not know, and how many packets were none, or said what the
    /// schema does not.
    @safe @exclusivity(unchecked) var unknownIDCount: UInt32 = 0
    @safe @exclusivity(unchecked) var refusedPacketCount: UInt32 = 0
    /// What the connection has in common with others.
    let supervision: Supervision?
    /// What is kept of a connection whose packets are long or slow.
    @safe @exclusivity(unchecked) var burden: ConnectionBurden?

    // MARK: Who waits to send

    @safe @exclusivity(unchecked) @usableFromInline var senders = Queue<Sender>()

    // MARK: Its end

    /// Is called once, when the stream has been closed.
    package var onClosed: (((any Error)?) -> Void)?
    /// When bytes last arrived.
    @safe @exclusivity(unchecked) var lastArrival = MonotonicTime(nanoseconds: 0)
    /// When somebody last began to wait for more; so much earlier as was waited before in vain.
    @safe @exclusivity(unchecked) var waitingSince = MonotonicTime(nanoseconds: 0)
    /// For how long somebody had waited who has given up, since bytes last arrived.
    @safe @exclusivity(unchecked) var waited = Duration.zero
    @safe @exclusivity(unchecked) var isFinishing = false
    var hasLoggedEnd = false
    /// Whether the peer sends no more.
    var hasPeerEnded = false
    /// Whether it is to be noted when bytes arrive.
    @safe @exclusivity(unchecked) var notesFirstByte: Bool
    /// What the batch handler has thrown, or what has ended the stream.
    @safe @exclusivity(unchecked) package var failure: (any Error)?
    /// By when the peer must have done its part.
    @safe @exclusivity(unchecked) var deadlines = PeerDeadlines(at: .zero)
    /// When that is looked at.
    var peerTimer: EventLoop.Timer?

    typealias BatchHandler = (_ batch: inout PacketBatch) throws -> Void

    enum Ending {
        case endOfStream
        /// This side wants nothing more.
        case drained
        case failed(ConnectionError)
    }

    /// - Parameters:
    ///   - stream: What carries the packets; ``start()`` brings it to life.
    ///   - layout: How packets are laid out.
    ///   - packetLimit: The most bytes of a packet where `limits` does not say.
    ///   - limits: What the connection may cost.
    ///   - tls: This side of TLS, if there is to be any.
    ///   - recorder: Takes note of what becomes of the connection, if anybody does.
    ///   - supervision: What the connection has in common with others.
    package convenience init(
        _ stream: ByteStream, layout: PacketLayout, packetLimit: Int = 1 << 20,
        limits: ConnectionLimits = ConnectionLimits(), tls: TLSEngine? = nil, recorder: TimelineRecorder? = nil,
        supervision: Supervision? = nil
    ) {
        self.init(
            stream, layout: layout, packetLimit: packetLimit, limits: limits, tls: tls, webSocket: nil,
            recorder: recorder, supervision: supervision)
    }

    /// - Parameter webSocket: This side of a WebSocket, if one is to carry the packets.
    init(
        _ stream: ByteStream, layout: PacketLayout, packetLimit: Int, limits: ConnectionLimits, tls: TLSEngine?,
        webSocket: WebSocketTransform?, recorder: TimelineRecorder?, supervision: Supervision?
    ) {
        self.recorder = recorder
        notesFirstByte = recorder != nil
        self.layout = layout
        self.stream = stream
        self.supervision = supervision
        pendingLimit = max(1, limits.pendingByteCount)
        unreadLimit = max(1, limits.unreadByteCount)
        maximumPacketByteCount = limits.maximumPacketByteCount ?? packetLimit
        splitter = PacketSplitter(layout: layout, maximumPacketByteCount: maximumPacketByteCount)
        stream.writeTimeout = limits.writeTimeout
        insert(tls.map { TLSTransform($0) }, webSocket)
        guard supervision?.log != nil else { return }
        stream.showsWrites = true
        setSight()
    }

    private func setSight() {
        splitter.findsPacketsAtSight = !isRouting && supervision?.log == nil
    }

    /// Begins to deal with the stream.
    package func start() throws(TransportError) {
        lastArrival = stream.loop.now
        try stream.start(self)
        supervision?.log?.record(.opened, of: peerAddress)
    }

    /// The loop that the connection lives on: a task that prefers it (`Task(executorPreference: connection.loop)`) sends
    /// and receives without changing threads.
    @inlinable public var loop: EventLoop { stream.loop }

    /// Where the connection leads.
    public var peerAddress: SocketAddress { stream.peerAddress }

    // MARK: Its end

    /// Sends an end of stream once everything sent before has left; packets may still arrive. Those who wait to send get
    /// ``ConnectionError/transport(_:)`` with `closed`.
    public func endOutput() {
        loop.execute { self.stream.endOutput() }
    }

    /// Closes the connection at once: of what was sent and has not left, only what the system takes now still leaves.
    /// Who waits for a packet, a reply, or to send, gets ``ConnectionError/transport(_:)`` with `closed`.
    ///
    /// Where something has arrived that was not read, or still arrives, the system resets the connection and drops what it
    /// has taken and the peer has not (RFC 1122, 4.2.2.13): the last messages may be lost. ``finish(within:)`` loses none.
    public func close() {
        loop.execute {
            self.stream.flush()
            self.setCloseCode()
            self.stream.close()
            if self.ending == nil { self.ending = .failed(.transport(.closed)) }
            self.dropInput()
            self.streamEnded()
        }
    }

    /// Closes the connection for a reason.
    func end(_ error: ConnectionError) {
        if ending == nil { ending = .failed(error) }
        close()
    }

    /// Tells everyone who waits that nothing more comes or goes.
    func streamEnded() {
        recorder?.close(endingError)
        logEnd()
        batchHandler = nil
        deliver()
        giveUpRequests(sendError)
        resumeSenders()
        loop.cancel(&peerTimer)
        dropBurden()
        transform?.onReady.take()?()
        guard let onClosed = onClosed.take() else { return }
        if failure == nil, !isFinishing { failure = endingError }
        onClosed(failure)
    }

    /// Asks for nothing more: who receives gets what has been read, and then an end.
    ///
    /// - Parameter farewell: What the peer is told before.
    package func drain(telling farewell: [UInt8]? = nil) {
        // What arrives at one that takes leave already is taken and dropped until its end.
        guard !isFinishing else { return }
        if let farewell { stream.write(farewell) }
        if ending == nil { ending = .drained }
        stream.stopReading()
        deliver()
    }

    /// What has ended the connection; nil where the peer has ended its stream.
    package var endingError: ConnectionError? {
        if case .failed(let error) = ending { error } else { nil }
    }

    /// Closes the connection once what was sent has left and the peer has ended too, or has been given time to: 2 s in which
    /// it sends nothing, 30 s in which it does.
    ///
    /// A socket that is closed with bytes in it that nobody has read resets the connection, and what is still on its way
    /// to the peer is lost (RFC 1122, 4.2.2.13). So what arrives is taken and dropped. Who waits for a packet, a reply, or to
    /// send, gets ``ConnectionError/transport(_:)`` with `closed` at once. It returns at once, too.
    ///
    /// - Parameter timeout: After which time it is closed in any case; nil (default): what is on its way to a peer that takes
    ///   it may take as long as it likes, which ``ConnectionLimits/writeTimeout`` bounds for one that does not.
    public func finish(within timeout: Duration? = nil) {
        loop.execute { self.takeLeave(within: timeout) }
    }

    private func takeLeave(within timeout: Duration?) {
        guard stream.isOpen, !isFinishing else { return }
        isFinishing = true
        loop.cancel(&peerTimer)
        dropInput()
        if ending == nil { ending = .failed(.transport(.closed)) }
        // Whoever waits to send would come behind the end.
        let late = takeSenders()
        deliver()
        stream.endOutput()
        for sender in late { resume(sender, .failure(sendError)) }
        giveUpRequests(sendError)
        closeIfFinished()
        guard stream.isOpen else { return }
        _ = hasShare()
        stream.read()
        deadlines.finish(at: now, within: timeout)
        watchPeer()
    }

    /// Sends a last message, asks for nothing more, and closes the connection once the message has left.
    ///
    /// - Parameters:
    ///   - bytes: The message.
    ///   - error: What those get who wait for packets or to send.
    ///   - timeout: After which time it is closed in any case.
    package func sendLast(_ bytes: [UInt8], _ error: ConnectionError, within timeout: Duration) {
        guard stream.isOpen, !isFinishing else { return }
        ending = .failed(error)
        if failure == nil { failure = error }
        stream.write(bytes)
        finish(within: timeout)
    }

    /// How long a connection may take to end that has failed on this side, or has come too late.
    static let partingTime = Duration.seconds(10)

    /// Ends the connection because a handler has failed: what was sent before, such as why, still reaches the peer.
    func handlerFailed() {
        // There is nothing to lose of what was never sent.
        guard stream.sentByteCount > 0 || stream.pendingByteCount > 0 else { return close() }
        setCloseCode()
        finish(within: Self.partingTime)
    }

    private func dropInput() {
        current = nil
        held = []
        (position, end) = (0, 0)
    }

    func closeIfFinished() {
        if isFinishing, hasPeerEnded, stream.hasEndedOutput { close() }
    }
}

extension PacketConnection: Hashable {
    public static func == (left: PacketConnection, right: PacketConnection) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Names one who waits. Its only property is touched on the connection's loop, which is the lock behind
/// `@unchecked Sendable`.
final class WaitTicket: @unchecked Sendable {
    var isCancelled = false
}
