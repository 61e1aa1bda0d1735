// SPDX-License-Identifier: Apache-2.0

/// An error of a handshake, of a call that sends, or of a connection that must not be used any more.
@nonexhaustive
public enum WebSocketError: Error, Equatable, Sendable {
    // MARK: Calls on this side

    /// The text is not a WebSocket URL; `offset` is the position of the fault, in bytes.
    case invalidURL(WebSocketURLFault, offset: Int)
    /// The header's name is not a token, or its value contains a line end, a NUL or another control character.
    case invalidHeader(name: String)
    /// The header is one that the handshake writes itself, or one that announces a body.
    case reservedHeader(name: String)
    /// The cookie's name or value contains characters that would change the number of cookies.
    case invalidCookie(name: String)
    /// The user's name contains a colon, or the name or the password contains control characters.
    case invalidCredentials
    /// The subprotocol is not a token, or is listed twice.
    case invalidSubprotocol(String)
    /// The origin contains a line end, a NUL or another control character.
    case invalidOrigin
    /// The status of the server's refusal is not between 300 and 599.
    case invalidStatus(Int)
    /// The close code is never sent (RFC 6455 §7.4).
    case invalidCloseCode(UInt16)
    /// The payload of a control frame exceeds 125 bytes; a close frame uses 2 of them for its code.
    case controlTooLong(byteCount: Int)
    /// The text is not UTF-8; `offset` is the position in the message.
    case invalidText(offset: Int)
    /// A message has begun, and the call sends a fragment of another kind or a whole message.
    case insideMessage
    /// The connection is closing or has ended; nothing can be sent.
    case closed
    /// A number in the compression offer is out of bounds: window bits are 8 to 15, levels 0 to 9.
    case invalidDeflate
    /// Compression is not available on this machine; `reason` says what to install.
    case deflateUnavailable(reason: String)

    // MARK: The peer's handshake

    /// The first bytes (up to 8) are not HTTP.
    case notHTTP(firstBytes: [UInt8])
    /// The head breaks HTTP's grammar; `offset` is the position, in bytes from its beginning.
    case malformedHead(WebSocketHeadFault, offset: Int)
    /// The head has more bytes than this limit.
    case headTooLarge(limit: Int)
    /// The head has more headers than this limit.
    case tooManyHeaders(limit: Int)
    /// The connection ended inside the handshake.
    case truncated
    /// The server answered with HTTP instead of a WebSocket: a redirect, a refusal or another protocol.
    indirect case refused(WebSocketResponse)
    /// The server's acceptance is invalid.
    case invalidResponse(WebSocketHandshakeFault)
    /// The client's request is not a valid WebSocket request; `status` is the status of the answer.
    case invalidRequest(WebSocketHandshakeFault, status: Int)
    /// This side refused a valid WebSocket request with this status.
    ///
    /// The status is 200 if it answered with one of ``WebSocketHandshakePolicy/pages``.
    case requestRefused(status: Int)

    // MARK: The peer's frames

    /// The peer broke the protocol in the frame that begins at `offset`, in bytes from the first frame's beginning.
    case violation(WebSocketViolation, offset: Int)
    /// A text message came, but only binary ones are accepted (``WebSocketEngine/Configuration/takesText``).
    ///
    /// `offset` is where its frame begins.
    case unexpectedText(offset: Int)
    /// A text message or a close reason is not UTF-8; `offset` is the position, in bytes from its beginning.
    case invalidUTF8(offset: Int)
    /// Compressed data is damaged; `offset` is where the frame begins.
    case invalidCompression(offset: Int)
    /// A frame announces more bytes than this; in a compressed message, more than twice as many and 1 KiB.
    case frameTooLarge(limit: Int)
    /// A message has more bytes than this; for a compressed message, after decompression.
    case messageTooLarge(limit: Int)
    /// A message has more fragments than this.
    case tooManyFragments(limit: Int)
}

extension WebSocketError {
    /// The close code that the peer receives if this fault is in its frames; nil if the peer is not told.
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

/// The fault in the text of a ``WebSocketURL``.
public enum WebSocketURLFault: Equatable, Sendable {
    /// The text does not begin with `ws://`, `wss://`, `http://` or `https://`.
    case scheme
    /// The user's name or password before `@` cannot be percent-decoded to UTF-8.
    case credentials
    /// The host is missing.
    case missingHost
    /// The host is neither a name in ASCII nor an IP address.
    ///
    /// International names must be in their `xn--` form, IPv6 addresses in brackets.
    case host
    /// The port is not between 1 and 65535.
    case port
    /// A character must be percent-encoded (RFC 3986 §3.3, §3.4).
    ///
    /// In a user's name or password this applies only to spaces and control characters.
    case character
    /// A `%` is not followed by two hexadecimal digits.
    case percentEncoding
    /// The URL has a fragment, which WebSocket URLs must not have (RFC 6455 §3).
    case fragment
}

/// The way in which an HTTP head breaks its grammar (RFC 9112 §2 to §5).
///
/// Only CR LF ends a line, and no line continues the one before. If other software reads these differently, an attacker
/// can smuggle headers past it.
public enum WebSocketHeadFault: Equatable, Sendable {
    /// The first line is neither `GET target HTTP/1.1` nor `HTTP/1.1 101 reason`.
    case startLine
    /// A line feed without a carriage return.
    case bareLineFeed
    /// A carriage return without a line feed.
    case bareCarriageReturn
    /// A NUL or another control character.
    case controlCharacter
    /// A line begins with a space, so it would continue the one before (RFC 9112 §5.2).
    case foldedLine
    /// A line has no colon, or no token before the colon.
    case headerName
}

/// The fault in one side's half of the handshake (RFC 6455 §4).
public enum WebSocketHandshakeFault: Equatable, Sendable {
    /// The request's method is not `GET`.
    case method
    /// The HTTP version is below 1.1.
    case version
    /// The request's target is neither a path nor a URL.
    case target
    /// `Host` is missing, repeated or invalid.
    case host
    /// A browser uses a name that is not the server's (``WebSocketHostPolicy``).
    case foreignHost
    /// The request has a body.
    case body
    /// `Upgrade: websocket` is missing.
    case upgrade
    /// `Connection: Upgrade` is missing.
    case connection
    /// `Sec-WebSocket-Key` is missing, repeated, or not 16 bytes in base64.
    case key
    /// `Sec-WebSocket-Version` is not 13.
    case webSocketVersion
    /// The page in `Origin` may not connect.
    case origin
    /// `Sec-WebSocket-Accept` does not match the key.
    case accept
    /// The subprotocol was not requested, or there are several.
    case subprotocol
    /// An extension was not requested, or its parameters do not match the offer.
    case extensions
}
