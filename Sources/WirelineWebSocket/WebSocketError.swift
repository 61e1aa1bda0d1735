// SPDX-License-Identifier: Apache-2.0

/// Why there is no WebSocket, why something was not sent, or why a connection must not be used any more.
@nonexhaustive
public enum WebSocketError: Error, Equatable, Sendable {
    // MARK: What this side was asked to do

    /// Not an address of a WebSocket; `offset` is where in the text, in bytes.
    case invalidURL(WebSocketURLFault, offset: Int)
    /// A header whose name is no token, or whose value has a line end, a NUL or another control character.
    case invalidHeader(name: String)
    /// A header that the handshake itself writes, or that would make a body of what follows.
    case reservedHeader(name: String)
    /// A cookie that would become several, or none.
    case invalidCookie(name: String)
    /// A name with a colon, or control characters, in the name or the password.
    case invalidCredentials
    /// A subprotocol that is no token, or stands there twice.
    case invalidSubprotocol(String)
    /// An origin with a line end, a NUL or another control character.
    case invalidOrigin
    /// A server's answer that was chosen is none: no status from 300 to 599.
    case invalidStatus(Int)
    /// A close code that never stands on the wire (RFC 6455 §7.4).
    case invalidCloseCode(UInt16)
    /// The payload of a control frame has at most 125 bytes; of a close frame 2 are the code's.
    case controlTooLong(byteCount: Int)
    /// Text that is not UTF-8; `offset` is where in the message.
    case invalidText(offset: Int)
    /// A part of another kind of message than has begun, or a whole message inside one that has begun.
    case insideMessage
    /// The connection is closing or has ended: nothing can be sent.
    case closed
    /// The numbers of an offer of compression that are out of bounds: window bits are 8 to 15, levels 0 to 9.
    case invalidDeflate
    /// There is no compression on this machine; `reason` says what to install.
    case deflateUnavailable(reason: String)

    // MARK: The peer's handshake

    /// These are the first bytes of something else than HTTP (up to 8).
    case notHTTP(firstBytes: [UInt8])
    /// The head breaks HTTP's grammar; `offset` is where, in bytes from its beginning.
    case malformedHead(WebSocketHeadFault, offset: Int)
    /// The head has more bytes than this.
    case headTooLarge(limit: Int)
    /// The connection has ended inside the handshake.
    case truncated
    /// The server has answered, but does not want to talk WebSocket: a redirect, a refusal, another protocol.
    indirect case refused(WebSocketResponse)
    /// The server seems to agree, but does it wrongly.
    case invalidResponse(WebSocketHandshakeFault)
    /// The client's request is not one for a WebSocket; `status` is what it is answered.
    case invalidRequest(WebSocketHandshakeFault, status: Int)
    /// This side has refused the client's request, which was one for a WebSocket, with this status; or has answered it
    /// with one of ``WebSocketHandshakePolicy/pages``, and then it is 200.
    case requestRefused(status: Int)

    // MARK: The peer's frames

    /// The peer has broken the protocol in the frame that begins at `offset`, in bytes from the first frame's beginning.
    case violation(WebSocketViolation, offset: Int)
    /// A text message where only binary ones are taken (``WebSocketConfiguration/takesText``); `offset` is where its frame
    /// begins.
    case unexpectedText(offset: Int)
    /// A text message, or the reason of a close, is not UTF-8; `offset` is where, in bytes from its beginning.
    case invalidUTF8(offset: Int)
    /// What should be compressed is not; `offset` is where the frame begins.
    case invalidCompression(offset: Int)
    /// A frame announces more bytes than this; one of a compressed message more than twice as many and 1 KiB.
    case frameTooLarge(limit: Int)
    /// A message has more bytes than this; a compressed one when it is not compressed any more.
    case messageTooLarge(limit: Int)
    /// A message has more fragments than this.
    case tooManyFragments(limit: Int)
}

extension WebSocketError {
    /// The code that the peer is told when this is found in its frames; nil where nobody is told.
    public var closeCode: WebSocketCloseCode? {
        switch self {
        case .violation: .protocolError
        case .unexpectedText: .unsupportedData
        case .invalidUTF8, .invalidCompression: .invalidPayload
        case .frameTooLarge, .messageTooLarge, .tooManyFragments: .messageTooBig
        default: nil
        }
    }
}

/// What is wrong with the text of a ``WebSocketURL``.
public enum WebSocketURLFault: Equatable, Sendable {
    /// It begins with none of `ws://`, `wss://`, `http://` and `https://`.
    case scheme
    /// A user's name or password in front of `@` that cannot be percent-decoded to UTF-8.
    case credentials
    /// No host.
    case missingHost
    /// Neither a host name in ASCII (international names in their `xn--` form), an IPv4 address, nor an IPv6 address in
    /// brackets.
    case host
    /// Not a port from 1 to 65535.
    case port
    /// A character that must be percent-encoded (RFC 3986 §3.3, §3.4); in a user's name or password only a space or a control
    /// character.
    case character
    /// A `%` without two hexadecimal digits.
    case percentEncoding
    /// A fragment, which no WebSocket has (RFC 6455 §3).
    case fragment
}

/// How the head of an HTTP message breaks its grammar (RFC 9112 §2 to §5).
///
/// Line ends are CR LF and nothing else, and no line continues the one before it: what other software may take these for
/// decides what somebody can smuggle past it.
public enum WebSocketHeadFault: Equatable, Sendable {
    /// The first line is neither `GET target HTTP/1.1` nor `HTTP/1.1 101 reason`.
    case startLine
    /// A line feed without a carriage return.
    case bareLineFeed
    /// A carriage return without a line feed.
    case bareCarriageReturn
    /// A NUL or another control character.
    case controlCharacter
    /// A line that begins with a space: it would continue the one before (RFC 9112 §5.2).
    case foldedLine
    /// A line without a colon, or without a token in front of it.
    case headerName
}

/// What is wrong with one side's half of the handshake (RFC 6455 §4).
public enum WebSocketHandshakeFault: Equatable, Sendable {
    /// The request's method is not `GET`.
    case method
    /// HTTP before 1.1.
    case version
    /// The request's target is neither a path nor an address.
    case target
    /// No `Host`, or several, or none that is one.
    case host
    /// The request has a body.
    case body
    /// No `Upgrade: websocket`.
    case upgrade
    /// No `Connection: Upgrade`.
    case connection
    /// No `Sec-WebSocket-Key` with 16 bytes in base64, or several.
    case key
    /// A `Sec-WebSocket-Version` that is not 13.
    case webSocketVersion
    /// The page that asks is none that may (`Origin`).
    case origin
    /// A `Sec-WebSocket-Accept` that does not answer the key.
    case accept
    /// A subprotocol that was not asked for, or several.
    case subprotocol
    /// An extension that was not asked for, or parameters that do not go with it.
    case extensions
}

/// How a frame breaks the protocol (RFC 6455 §5).
public enum WebSocketViolation: Error, Equatable, Sendable {
    /// A reserved bit is set that no extension has given a meaning.
    case reservedBits
    /// This opcode has no meaning.
    case opcode(UInt8)
    /// A client's frame is not masked.
    case unmasked
    /// A server's frame is masked.
    case masked
    /// The length is not written in the fewest bytes.
    case lengthEncoding
    /// A length of 2^63 or more.
    case lengthOverflow
    /// A control frame in fragments.
    case fragmentedControl
    /// A control frame with more than 125 bytes.
    case longControl
    /// A continuation of nothing.
    case unexpectedContinuation
    /// A new message inside one that has not ended.
    case expectedContinuation
    /// A close frame with one byte.
    case closePayload
    /// A close code that must not stand on the wire.
    case closeCode(UInt16)
}
