// SPDX-License-Identifier: Apache-2.0

/// One side of a WebSocket after its handshake (RFC 6455 §5 to §7): frames in and out, and their content.
///
/// It reads no socket, starts nothing by itself and reads no clock; `now` is the time of any clock since any moment.
/// The driver does three things, in any order and as often as it likes:
///
/// - passes the peer's bytes to ``read(_:into:at:)``, which stores the content and reports other events;
/// - sends messages with ``send(_:as:)``, ``sendFragment(_:as:isLast:)``, ``ping(_:)`` and ``close(code:reason:at:)``;
/// - after each of these, sends the queued bytes with ``takeOutput(_:)``, also after an error: they tell the peer the
///   reason.
///
/// The driver also reports the end of the connection (``endOfInput()``), keeps the ``deadline``, and closes the
/// connection when ``wantsConnectionClosed`` is true. ``end`` then says what happened.
///
/// The engine answers pings itself. If a peer sends pings faster than it reads the answers, only the newest is
/// answered.
///
/// Whatever the peer sends, the engine stores only one control frame, and zlib's state if messages are compressed.
/// Output is limited to ``WebSocketEngine/Configuration/outputLimit``, one message, and 16 KiB of pongs.
///
/// After an error about the peer's bytes, every further read throws the same error.
///
/// Only one thread at a time may use an engine.
public struct WebSocketEngine: ~Copyable {
    /// The largest size of queued pongs, in bytes: 16 KiB, over a hundred of the longest.
    ///
    /// Beyond it, only the newest ping is answered.
    static let pongLimit = 16 * 1024
    /// The number of pings whose payload is kept to recognize the answers.
    static let unansweredPingLimit = 16

    enum State {
        case open
        /// The peer has closed; this side need not close yet.
        case answering(received: WebSocketClose)
        /// The peer's bytes were invalid, and the peer has not been told yet.
        case failing(WebSocketError)
        /// This side has closed; the peer has not.
        case closing(sent: WebSocketClose, deadline: Duration)
        /// Nothing more is read or queued.
        ///
        /// Queued output may be sent until the deadline, if there is one. If `waitsForPeer`, the peer closes the
        /// connection (RFC 6455 §7.1.1).
        case ended(WebSocketEnd, deadline: Duration?, waitsForPeer: Bool)
    }

    /// The part of a frame that the next byte belongs to.
    enum FramePart {
        case header
        case content
        case control
    }

    /// The side of the connection.
    public let role: WebSocketRole
    /// The limits and timeouts.
    public let configuration: Configuration
    /// How messages are compressed; nil if they are not.
    let deflate: DeflateAgreement?

    var state = State.open {
        didSet {
            isOpen =
                switch state {
                case .open, .answering, .failing: true
                case .closing, .ended: false
                }
        }
    }
    /// Whether messages can be sent. Stored, because a computed property would copy the engine into other modules.
    public private(set) var isOpen = true

    // MARK: Input

    var framePart = FramePart.header
    var headerReader: FrameHeaderReader
    var frame = FrameHeader(isFinal: true, opcode: .binary, payloadByteCount: 0)
    /// The number of payload bytes of the frame that are missing.
    var remainingByteCount = 0
    /// The mask key for the next byte of the frame.
    var maskKey: UInt32 = 0
    /// The number of bytes before the frame.
    var frameOffset = 0
    var takenByteCount = 0
    /// The part of a control frame's payload that has arrived.
    var control: [UInt8] = []
    var message: IncomingMessage?
    var inflater: Inflater?
    /// The number of complete messages, and of complete control frames outside messages.
    package internal(set) var wholeCount = 0

    // MARK: Output

    /// The output queue, from `outputStart` on: whole frames.
    @usableFromInline var output: [UInt8] = []
    @usableFromInline var outputStart = 0
    var sentByteCount = 0
    /// The position of the last pong's end, counted like `sentByteCount`; and the bytes of pongs that are queued.
    var pongEnd = 0
    var pongByteCount = 0
    /// The payload of the newest ping without an answer in the output.
    var owedPong: [UInt8]?
    /// The payloads of this side's unanswered pings.
    var unansweredPings: [[UInt8]] = []
    var fragments: OutgoingFragments?
    var deflater: Deflater?
    /// The compressed part of a message that this side has not sent yet.
    var ahead: CompressedAhead?
    /// The processor time spent on compression, in nanoseconds on processors of about 2020.
    ///
    /// A driver uses it to share time fairly between connections.
    package internal(set) var compressionWork = 0
    var maskKeys = MaskKeys()

    /// Makes an engine for a connection whose handshake is done.
    ///
    /// - Parameters:
    ///   - role: The side of the connection.
    ///   - agreement: The result of the handshake; nil if it was made elsewhere and agreed on nothing special.
    ///   - configuration: The limits and timeouts.
    public init(
        _ role: WebSocketRole, agreement: WebSocketAgreement? = nil,
        configuration: Configuration = Configuration()
    ) {
        self.role = role
        var configuration = configuration
        configuration.outputLimit = max(1, configuration.outputLimit)
        self.configuration = configuration
        deflate = agreement?.deflate
        headerReader = FrameHeaderReader(
            expectsMask: role == .server, allowsCompression: agreement?.deflate != nil)
    }

    // MARK: The end

    /// How the WebSocket ended; nil while it has not.
    public var end: WebSocketEnd? {
        guard case .ended(let end, _, _) = state else { return nil }
        return end
    }

    /// The close frame that this side sent; nil while it has sent none.
    package var sentClose: WebSocketClose? {
        switch state {
        case .open, .answering, .failing: nil
        case .closing(let sent, _): sent
        case .ended(let end, _, _): end.sent
        }
    }

    /// Whether the driver must close the TCP connection.
    public var wantsConnectionClosed: Bool {
        guard case .ended(_, let deadline, let waitsForPeer) = state else { return false }
        return deadline == nil || pendingByteCount == 0 && !waitsForPeer
    }

    /// The latest time to call ``timerFired(at:)``; nil if no timeout is running.
    public var deadline: Duration? {
        switch state {
        case .open, .answering, .failing: nil
        case .closing(_, let deadline): deadline
        case .ended(_, let deadline, _): wantsConnectionClosed ? nil : deadline
        }
    }

    /// Reports the time; a timeout that ended at ``deadline`` takes effect.
    public mutating func timerFired(at now: Duration) {
        guard let deadline, deadline <= now else { return }
        switch state {
        case .open, .answering, .failing: break
        case .closing(let sent, _):
            state = .ended(
                WebSocketEnd(cause: .timedOut, sent: sent, received: nil), deadline: nil, waitsForPeer: false)
        case .ended(let end, _, _): state = .ended(end, deadline: nil, waitsForPeer: false)
        }
    }

    /// Reports that the peer has taken some of the queued output: the timeout of ``deadline`` starts again.
    ///
    /// So a slow reader still receives what was sent before the close.
    public mutating func outputProgressed(at now: Duration) {
        let deadline = now + configuration.closeTimeout
        switch state {
        case .closing(let sent, _): state = .closing(sent: sent, deadline: deadline)
        case .ended(let end, .some, let waitsForPeer):
            state = .ended(end, deadline: deadline, waitsForPeer: waitsForPeer)
        case .open, .answering, .failing, .ended: break
        }
    }

    /// Reports that no more bytes will arrive.
    ///
    /// If both sides have closed, queued output can still be sent until ``deadline``.
    public mutating func endOfInput() {
        switch state {
        case .open: endHere(.cut, sent: nil)
        case .failing(let error): endHere(.failed(error), sent: nil)
        case .closing(let sent, _): endHere(.cut, sent: sent)
        case .ended(let end, let deadline, true): state = .ended(end, deadline: deadline, waitsForPeer: false)
        case .answering, .ended: break
        }
    }

    private mutating func endHere(_ cause: WebSocketEnd.Cause, sent: WebSocketClose?) {
        state = .ended(WebSocketEnd(cause: cause, sent: sent, received: nil), deadline: nil, waitsForPeer: false)
        forgetStreams()
    }

    /// Releases memory that only messages need.
    mutating func forgetStreams() {
        (inflater, deflater, message, fragments, owedPong) = (nil, nil, nil, nil, nil)
        deflate?.share?.giveBack()
        ahead = nil
        unansweredPings = []
    }
}

struct IncomingMessage {
    let kind: WebSocketMessageKind
    let isCompressed: Bool
    /// The number of content bytes that have arrived.
    var byteCount = 0
    /// The number of bytes that its frames have announced.
    var announcedByteCount = 0
    var fragmentCount = 0
    var text = UTF8Progress()
    /// The number of bytes of the unsent tail that the inflater has taken.
    var tailByteCount = 0
}

/// The beginning of a message, compressed before the message is sent.
struct CompressedAhead {
    /// The number of uncompressed bytes that it represents.
    var byteCount = 0
    var compressed: [UInt8] = []
}

struct OutgoingFragments {
    let kind: WebSocketMessageKind
    let isCompressed: Bool
    var isFirst = true
    var byteCount = 0
    var text = UTF8Progress()
}

// SAFETY: an engine cannot be copied, so its zlib streams have one owner on any thread.
extension WebSocketEngine: @unchecked Sendable {}
