// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
package import WirelineLayers
package import WirelineTLS
public import WirelineTransport

/// A TCP connection that sends and receives packets of any protocol.
///
/// It reads only while a task, a request or a batch handler waits for input. So a slow reader slows the peer down.
/// Output is queued up to a limit, and then senders wait. An idle connection holds no buffer, except for a partial
/// packet.
///
/// One task at a time may wait for packets; another one gets ``ConnectionError/alreadyReceiving``. Any task may call
/// what is `public`, except ``write(_:header:)``, ``write(packet:)`` and other calls that throw ``ConnectionError/notOnLoop``.
/// Calls on the connection's own ``loop`` take no lock and wake no thread.
///
/// All other members are used only on the loop's thread, so `@unchecked Sendable` needs no lock. Properties that change
/// with every packet or every read are `@exclusivity(unchecked)`, because the check would cost time for each packet. No
/// access to them calls other code while it lasts.
@safe
public final class PacketConnection: ByteStreamHandler, @unchecked Sendable {
    /// The layout of packets. Any thread may read it; the splitter's own copy belongs to the loop.
    public let layout: PacketLayout
    /// The layout of the packets that this end sends now. It differs from ``layout`` if packets depend on the sender or
    /// on states. With states only the loop reads it, because it can change.
    @safe @exclusivity(unchecked) @usableFromInline package internal(set) var sentLayout: PacketLayout
    /// The most bytes of a packet that the connection receives, or makes from a payload.
    @usableFromInline let maximumPacketByteCount: Int
    @usableFromInline package let stream: ByteStream
    /// The connection's number in ``TrafficLog`` entries.
    ///
    /// The connections of a process are numbered from 1, and no number is used again.
    public let id = ConnectionIDs.next()
    @usableFromInline let pendingLimit: Int
    let unreadLimit: Int
    /// Records the events of a connection that this side opened; nil for others.
    let recorder: TimelineRecorder?

    // MARK: Input

    @safe @exclusivity(unchecked) @usableFromInline var input: PacketInput

    // MARK: Receivers

    @safe @exclusivity(unchecked) var inputWait = InputWait()
    /// The handler's task. It is cancelled only together with its connection, so its waits need no cancellation
    /// handler. That saves memory in each idle connection. The property is set to nil before that task ends.
    @safe @exclusivity(unchecked) var ownersTask: TaskIdentity?
    // The flags fill the last bytes of the word before them: elsewhere, they would take eight bytes more.
    /// Whether a packet may be a reply, or earlier packets are still unread. While it is true, the splitter's fast path
    /// is off. So connections that make no requests pay nothing for the check.
    @safe @exclusivity(unchecked) var isRouting = false {
        didSet { if isRouting != oldValue { input.setInspectsEach(isRouting || sharedLimits?.log != nil) } }
    }
    /// Whether packets that the batch handler did not take are kept for its next call.
    @safe @exclusivity(unchecked) var keepsBatchRest = false
    /// Whether the batch handler takes nothing for now.
    @safe @exclusivity(unchecked) var isInputPaused = false
    /// Whether the first bytes have not arrived yet, and their arrival is to be recorded.
    @safe @exclusivity(unchecked) var notesFirstByte: Bool
    let side: WirelineCodec.Sender
    /// The closure that takes packets without a task; if it is set, no task receives.
    @safe @exclusivity(unchecked) var batchHandler: BatchHandler?
    /// The requests, and the packets that arrived before their replies; nil before the first request.
    @safe @exclusivity(unchecked) var requests: RequestQueue?

    // MARK: Counters and limits

    /// The number of messages whose ID the schema does not know.
    @safe @exclusivity(unchecked) var unknownIDCount: UInt32 = 0
    /// The number of packets that are malformed or do not match the schema.
    @safe @exclusivity(unchecked) var refusedPacketCount: UInt32 = 0
    /// The limits and the log that the connection shares with others.
    let sharedLimits: SharedLimits?
    /// The state of a connection whose packets are long or slow; nil for others.
    @safe @exclusivity(unchecked) var slowPeer: SlowPeerState?

    // MARK: Senders

    @safe @exclusivity(unchecked) @usableFromInline var senders = SendQueue<[UInt8]>()

    // MARK: Its end

    /// Called once, when the stream has been closed.
    package var onClosed: (((any Error)?) -> Void)?
    @safe @exclusivity(unchecked) var ending = PacketConnectionEnding()
    var endWaiters = EndWaiters()
    /// The first of the groups that the connection belongs to; only its loop uses it.
    var memberships: Membership?
    /// The states for which the log shows the next written packet.
    var shownStates = PacketStates()
    package var handlerTask: Task<Void, Never>?
    @safe @exclusivity(unchecked) var peerWatch = PeerWatch()

    typealias BatchHandler = (_ batch: inout PacketBatch) throws -> Void

    /// - Parameters:
    ///   - packetLimit: The most bytes of a packet, unless `limits` has a limit.
    ///   - tls: This side of TLS; nil: no TLS.
    ///   - recorder: Records the connection's events; nil: no record.
    ///   - sharedLimits: The limits and the log that the connection shares with others.
    ///   - layers: The program's options for the layers of packets.
    package convenience init(
        _ stream: ByteStream, layout: PacketLayout, packetLimit: Int = 1 << 20,
        limits: ConnectionLimits = ConnectionLimits(), tls: TLSEngine? = nil, recorder: TimelineRecorder? = nil,
        sharedLimits: SharedLimits? = nil, side: WirelineCodec.Sender = .client, layers: LayerOptions = LayerOptions()
    ) {
        self.init(
            stream, layout: layout, side: side, packetLimit: packetLimit, limits: limits, tls: tls, webSocket: nil,
            recorder: recorder, sharedLimits: sharedLimits, layers: layers)
    }

    /// - Parameter webSocket: This side of the WebSocket that carries the packets; nil: no WebSocket.
    init(
        _ stream: ByteStream, layout: PacketLayout, side: WirelineCodec.Sender, packetLimit: Int,
        limits: ConnectionLimits, tls: TLSEngine?,
        webSocket: WebSocketTransform?, recorder: TimelineRecorder?, sharedLimits: SharedLimits?, layers: LayerOptions
    ) {
        self.recorder = recorder
        notesFirstByte = recorder != nil
        self.layout = layout
        self.side = side
        sentLayout = layout.layout(from: side)
        self.stream = stream
        self.sharedLimits = sharedLimits
        pendingLimit = max(1, limits.pendingByteCount)
        unreadLimit = max(1, limits.unreadByteCount)
        maximumPacketByteCount = limits.maximumPacketByteCount ?? packetLimit
        // With a WebSocket, the handshake checks which page connects (``ServerConfiguration/WebSocketOptions``).
        input = PacketInput(
            PacketSplitter(
                layout: layout, context: PacketContext(from: side.peer), maximumPacketByteCount: maximumPacketByteCount),
            judgesRequestLine: sharedLimits?.side == .server && webSocket == nil,
            layers: layout.hasContent
                ? LayeredInput(
                    LayeredTraffic(
                        layout, side: side, packetLimit: maximumPacketByteCount, options: layers, on: stream.loop))
                : nil)
        stream.writeTimeout = limits.writeTimeout
        insert(tls.map { TLSTransform($0) }, webSocket)
        stream.showsWrites = sharedLimits?.log != nil
        guard sharedLimits?.log != nil else { return }
        input.setInspectsEach(true)
        layeredTraffic?.showSent()
    }

    package func start() throws(TransportError) {
        try stream.start(self)
        sharedLimits?.log?.record(.opened, of: peerAddress, id)
    }

    /// The connection's loop.
    ///
    /// A task that prefers it (`Task(executorPreference: connection.loop)`) sends and receives without thread switches.
    @inlinable public var loop: EventLoop { stream.loop }

    /// The peer's address.
    public var peerAddress: SocketAddress { stream.peerAddress }

    // MARK: Its end

    /// Half-closes: sends an end of stream after everything sent before. Packets may still arrive.
    ///
    /// Tasks that wait to send get ``ConnectionError/transport(_:)`` with `closed`.
    public func endOutput() {
        loop.execute {
            self.afterSealing {
                self.leaveGroups()
                self.stream.endOutput()
            }
        }
    }

    /// Closes the connection at once.
    ///
    /// Output that waits is sent only as far as the system takes it now. Of long packets with compression, the
    /// connection sends only those that it can compress within some milliseconds. Tasks that wait for a packet, for a
    /// reply or to send get ``ConnectionError/transport(_:)`` with `closed`.
    ///
    /// If input has arrived that was not read, or still arrives, the system resets the connection. It then drops output
    /// that the peer has not received (RFC 1122, 4.2.2.13), so the last messages may be lost. ``finish(within:)`` loses
    /// none.
    public func close() {
        loop.execute {
            self.leaveGroups()
            self.sealWithinShare()
            self.stream.flush()
            self.setCloseCode()
            self.stream.close()
            self.ending.endInput(.failed(.transport(.closed)))
            self.input.drop()
            self.streamEnded()
        }
    }

    func end(_ error: ConnectionError) {
        ending.endInput(.failed(error))
        cancelUnawareHandler()
        close()
    }

    /// Resumes all waiting tasks after the connection has ended.
    func streamEnded() {
        let isFirst = ending.close()
        leaveGroups()
        // Only a task can still take packets.
        let isTask = batchHandler == nil
        layeredTraffic?.deferred = DeferredPackets()
        recorder?.close(endingError)
        if isFirst { logEnd() }
        batchHandler = nil
        deliver()
        giveUpRequests(sendError)
        resumeSenders()
        peerWatch.stop(on: loop)
        // Packets with layers may still become large.
        if isTask, input.hasLayers, input.byteCount > 0 || input.hasOpened {
            keepGrantedMemory()
        } else {
            if !isTask { input.drop() }
            dropSlowPeerState()
        }
        transform?.onReady.take()?()
        endWaiters.resumeAll()
        onClosed.take()?(ending.reason)
    }

    /// Stops reading: receivers get the bytes that this machine has received, and then the end.
    ///
    /// - Parameter farewell: A message that the peer gets first, encoded as for a new connection; nil: none.
    package func drain(telling farewell: SharedPacket? = nil) {
        // A connection that is already leaving reads and drops its input until the end.
        guard !ending.isLeaving else { return }
        if let farewell { writeShared(farewell) }
        ending.drain(after: stream.receivedByteCount + UInt64(stream.unreadByteCount))
        endWaiters.resumeAll()
        endDrain()
    }

    /// Ends the drain if all input that it waits for was read.
    func endDrain() {
        guard let drainEnd = ending.drainEnd, stream.receivedByteCount >= drainEnd, !stream.mayTransformHaveMore
        else { return }
        ending.endInput(.drained)
        stream.stopReading()
        deliver()
    }

    /// The error that ended the connection; nil if the peer ended its stream.
    package var endingError: ConnectionError? { ending.inputError }

    /// The error that the batch handler threw, or that ended the stream.
    package var failure: (any Error)? { ending.failure }

    /// Closes the connection after everything was sent and the peer has ended its side, or has had time to.
    ///
    /// That time is 2 s without input or acknowledgements from the peer. It is at most 30 s after the peer has
    /// acknowledged everything.
    ///
    /// If a socket is closed with unread input, the system resets the connection, and output on its way to the peer is
    /// lost (RFC 1122, 4.2.2.13). So this reads and drops the input. Tasks that wait for a packet, for a reply or to
    /// send get ``ConnectionError/transport(_:)`` with `closed` at once. The call returns at once, too. Long packets
    /// that were sent before are still compressed, and the time counts from the call.
    ///
    /// - Parameter timeout: The time after which it is closed in any case; nil (default): no limit while the peer
    ///   reads. A peer that reads nothing is limited by ``ConnectionLimits/writeTimeout``.
    public func finish(within timeout: Duration? = nil) {
        loop.execute { self.finishOnLoop(within: timeout) }
    }

    private func finishOnLoop(within timeout: Duration?) {
        guard stream.isOpen, !ending.isLeaving else { return }
        leaveGroups()
        ending.leave()
        endWaiters.callListener()
        peerWatch.stop(on: loop)
        input.drop()
        // Tasks that wait to send would send after the end of the stream.
        let late = senders.removeAll()
        deliver()
        endOutputAfterSealing()
        for sender in late { sender.resume(.failure(sendError)) }
        giveUpRequests(sendError)
        closeIfFinished()
        guard stream.isOpen else { return }
        withdrawRequest()
        _ = requestMemory()
        stream.read()
        peerWatch.finish(
            at: loop.now, within: timeout, undeliveredByteCount: stream.undeliveredByteCount + deferredByteCount)
        watchPeer()
    }

    /// Sends a last message, stops receiving, and closes the connection after the message was sent.
    ///
    /// - Parameters:
    ///   - states: The states for which the packet was encoded.
    ///   - error: The error for tasks that wait for packets or to send.
    ///   - timeout: The time after which the connection is closed in any case.
    func sendLast(
        _ packet: SharedPacket, from states: PacketStates = PacketStates(), _ error: ConnectionError,
        within timeout: Duration
    ) {
        guard stream.isOpen, !ending.isLeaving else { return }
        ending.failInput(error)
        ending.fail(error)
        writeShared(packet, from: states)
        finish(within: timeout)
    }

    /// The time limit for ending a connection that failed on this side, or that was accepted too late.
    static let partingTime = Duration.seconds(10)

    /// Ends the connection because a handler failed. Output that was sent before, such as the reason, still arrives.
    func handlerFailed() {
        // Nothing was sent, so closing at once loses nothing.
        guard stream.sentByteCount > 0 || stream.pendingByteCount > 0 || hasDeferredPackets else { return close() }
        setCloseCode()
        finish(within: Self.partingTime)
    }

    func closeIfFinished() {
        if ending.isLeaving, ending.isPeerReadToEnd, stream.hasEndedOutput { close() }
    }
}

extension PacketConnection: Hashable {
    public static func == (left: PacketConnection, right: PacketConnection) -> Bool { left === right }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
