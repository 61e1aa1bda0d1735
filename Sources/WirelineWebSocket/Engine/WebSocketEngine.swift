// SPDX-License-Identifier: Apache-2.0

/// One side of one WebSocket behind its handshake (RFC 6455 §5 to §7): bytes of frames in and out, and content.
///
/// It reads no socket, starts nothing by itself and reads no clock; `now` is any clock's time since any moment. Whoever
/// drives it does three things, in any order and as often as they like:
///
/// - hands what has come from the peer to ``read(_:into:at:)``, which puts content where it is told and says what else came;
/// - gives it what is to be sent: ``send(_:as:)``, ``sendFragment(_:as:isLast:)``, ``ping(_:)``, ``close(code:reason:at:)``;
/// - after each of these, sends what waits: ``takeOutput(_:)``. That holds after an error too, for it tells the peer why.
///
/// Besides it tells it of the connection's end (``endOfInput()``) and of ``deadline``, and ends the connection when
/// ``wantsConnectionClosed``. Then ``end`` says how it came about.
///
/// Pings are answered by the engine itself. While a peer sends more of them than it takes answers, only the newest is
/// answered.
///
/// Whatever the peer sends, the engine holds of it one control frame, and what zlib needs where messages are compressed.
/// Output is bounded by ``WebSocketConfiguration/outputLimit`` and one message.
///
/// An engine that has thrown something about the peer stays failed: reading throws the same from then on.
///
/// It belongs to one thread at a time.
public struct WebSocketEngine: ~Copyable {
    /// Answers to pings that may wait to be sent, in bytes: 16 KiB, over a hundred of the longest. Further ones replace each
    /// other.
    static let pongLimit = 16 * 1024
    /// Of so many pings the payload is kept, for the answers to be known by.
    static let unansweredPingLimit = 16

    enum State {
        case open
        /// The peer has closed; this side has not, and need not yet.
        case answering(received: WebSocketClose)
        /// The peer's bytes are at fault, of which it has not been told yet.
        case failing(WebSocketError)
        /// This side has closed; the peer has not.
        case closing(sent: WebSocketClose, deadline: Duration)
        /// Nothing is read or sent any more. Until the deadline, if there is one, output may leave, and where `waitsForPeer`
        /// the peer has to end the connection (RFC 6455 §7.1.1).
        case ended(WebSocketEnd, deadline: Duration?, waitsForPeer: Bool)
    }

    /// What comes next of the peer's bytes.
    enum Place {
        case header
        case content
        case control
    }

    /// Which end this is.
    public let role: WebSocketRole
    /// What it holds at most.
    public let configuration: WebSocketConfiguration
    /// Whether messages may be compressed, and how.
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
    /// Whether messages can be sent. Stored, for to ask a function of it another module would copy all that is here.
    public private(set) var isOpen = true

    // MARK: Input

    var place = Place.header
    var headerReader: FrameHeaderReader
    /// The frame that has begun.
    var frame = FrameHeader(isFinal: true, opcode: .binary, payloadByteCount: 0)
    /// How much of its payload is to come.
    var remainingByteCount = 0
    /// The key for the next byte of it.
    var maskKey: UInt32 = 0
    /// How many bytes there were in front of the frame.
    var frameOffset = 0
    /// How many bytes were taken.
    var takenByteCount = 0
    /// The payload of a control frame, as far as it has come.
    var control: [UInt8] = []
    /// The message that has begun.
    var message: IncomingMessage?
    var inflater: Inflater?
    /// How many messages have come whole, and control frames that were in none.
    package internal(set) var wholeCount = 0

    // MARK: Output

    /// What waits to be sent, from `outputStart` on: whole frames.
    @usableFromInline var output: [UInt8] = []
    @usableFromInline var outputStart = 0
    /// How many bytes have left.
    var sentByteCount = 0
    /// Where the last answer to a ping ends, counted as `sentByteCount`, and how many bytes such answers have that have not
    /// left.
    var pongEnd = 0
    var pongByteCount = 0
    /// The payload of the newest ping that has no answer in the output.
    var owedPong: [UInt8]?
    /// Payloads of pings of this side's.
    var unansweredPings: [[UInt8]] = []
    /// The message whose fragments are being sent.
    var fragments: OutgoingFragments?
    var deflater: Deflater?
    var maskKeys = MaskKeys()

    /// Begins behind a handshake.
    ///
    /// - Parameters:
    ///   - role: Which end this is.
    ///   - agreement: What the handshake has settled; nil for a handshake without anything special that was made elsewhere.
    ///   - configuration: What the engine holds at most.
    public init(
        _ role: WebSocketRole, agreement: WebSocketAgreement? = nil,
        configuration: WebSocketConfiguration = WebSocketConfiguration()
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

    /// How the WebSocket has ended; nil before it has.
    public var end: WebSocketEnd? {
        guard case .ended(let end, _, _) = state else { return nil }
        return end
    }

    /// What this side has said when it closed; nil before it has.
    package var sentClose: WebSocketClose? {
        switch state {
        case .open, .answering, .failing: nil
        case .closing(let sent, _): sent
        case .ended(let end, _, _): end.sent
        }
    }

    /// Whether the driver is to end the connection underneath.
    public var wantsConnectionClosed: Bool {
        guard case .ended(_, let deadline, let waitsForPeer) = state else { return false }
        return deadline == nil || pendingByteCount == 0 && !waitsForPeer
    }

    /// When ``timerFired(at:)`` is to be called at the latest; nil while nothing is waited for.
    public var deadline: Duration? {
        switch state {
        case .open, .answering, .failing: nil
        case .closing(_, let deadline): deadline
        case .ended(_, let deadline, _): wantsConnectionClosed ? nil : deadline
        }
    }

    /// Takes note of the time; what was waited for until ``deadline`` is waited for no longer.
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

    /// Takes note that the connection brings no more bytes. Where both sides have said that they close, what waits to be sent
    /// still has until ``deadline`` to leave.
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

    /// Gives back what only messages need.
    mutating func forgetStreams() {
        (inflater, deflater, message, fragments, owedPong) = (nil, nil, nil, nil, nil)
        unansweredPings = []
    }
}

/// The message that is being read.
struct IncomingMessage {
    let kind: WebSocketMessageKind
    let isCompressed: Bool
    /// How many bytes of content have come.
    var byteCount = 0
    /// How many bytes its frames have announced.
    var announcedByteCount = 0
    var fragmentCount = 0
    var text = UTF8Progress()
    /// How many bytes of the tail that compressed messages are sent without the inflater has had.
    var tailByteCount = 0
}

/// The message that is being sent in fragments.
struct OutgoingFragments {
    let kind: WebSocketMessageKind
    let isCompressed: Bool
    var isFirst = true
    var byteCount = 0
    var text = UTF8Progress()
}

// SAFETY: an engine cannot be copied, so what its streams of zlib hold has one owner, wherever it goes.
extension WebSocketEngine: @unchecked Sendable {}
