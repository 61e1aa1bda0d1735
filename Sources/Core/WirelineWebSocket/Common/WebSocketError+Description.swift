// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension WebSocketError: CustomStringConvertible {
    /// One line for humans.
    public var description: String {
        switch self {
        case .invalidURL(let fault, let offset): "not the address of a WebSocket: \(fault.words) at offset \(offset)"
        case .invalidHeader(let name): "the header \(name.inQuotes()) has a name or a value that HTTP does not allow"
        case .reservedHeader(let name): "the header \(name.inQuotes()) is the handshake's own"
        case .invalidCookie(let name): "the cookie \(name.inQuotes()) has a name or a value that HTTP does not allow"
        case .invalidCredentials: "a user's name must have no colon, and neither name nor password control characters"
        case .invalidSubprotocol(let name): "\(name.inQuotes()) is no subprotocol's name, or stands there twice"
        case .invalidOrigin: "the origin has characters that HTTP does not allow"
        case .invalidStatus(let status): "\(status) refuses nothing: 300 to 599 do"
        case .invalidCloseCode(let code): "the close code \(code) never stands on the wire"
        case .controlTooLong(let byteCount): "a control frame holds 125 bytes, not \(byteCount)"
        case .invalidText(let offset): "the text is not UTF-8 at offset \(offset)"
        case .insideMessage: "another message has begun and has not ended"
        case .closed: "the WebSocket is closing or has ended"
        case .invalidDeflate: "window bits are 8 to 15, compression levels 0 to 9"
        case .deflateUnavailable(let reason): "there is no compression: \(reason.escaped())"
        case .notHTTP(let bytes): "the peer does not speak HTTP: its first bytes are \(Self.text(of: bytes))"
        case .malformedHead(let fault, let offset): "the peer's HTTP head has \(fault.words) at offset \(offset)"
        case .headTooLarge(let limit): "the peer's HTTP head is over the limit of \(limit) bytes"
        case .tooManyHeaders(let limit): "the peer's HTTP head has more than \(limit) headers"
        case .truncated: "the connection has ended inside the WebSocket handshake"
        case .refused(let response): "the server has answered \(response)"
        case .invalidResponse(let fault): "the server's answer to the handshake is wrong: \(fault.words)"
        case .invalidRequest(let fault, let status):
            "the client's handshake is wrong: \(fault.words); it is answered \(status)"
        case .requestRefused(status: 200): "the client has got a page, and no WebSocket"
        case .requestRefused(let status): "the client's request was refused with \(status)"
        case .violation(let violation, let offset):
            "the peer has broken the WebSocket protocol: \(violation.words) in the frame at offset \(offset)"
        case .unexpectedText(let offset):
            "the peer's message at offset \(offset) is text, and only binary ones are taken"
        case .invalidUTF8(let offset): "the peer's text is not UTF-8 at offset \(offset)"
        case .invalidCompression(let offset): "the peer's compressed frame at offset \(offset) is damaged"
        case .frameTooLarge(let limit): "the peer's frame is over the limit of \(limit) bytes"
        case .messageTooLarge(let limit): "the peer's message is over the limit of \(limit) bytes"
        case .tooManyFragments(let limit): "the peer's message is over the limit of \(limit) fragments"
        }
    }

    private static func text(of bytes: [UInt8]) -> String {
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
        if bytes.first == 0x15 || bytes.first == 0x16 { return digits + ": is this TLS?" }
        let isText = bytes.count > 3 && bytes.allSatisfy { 0x20...0x7E ~= $0 }
        return isText ? "\(digits), ASCII \"\(String(decoding: bytes, as: UTF8.self))\"" : digits
    }
}

extension WebSocketURLFault {
    fileprivate var words: String {
        switch self {
        case .scheme: "ws://, wss://, http:// or https:// is wanted"
        case .credentials: "a user's name or password that cannot be decoded"
        case .missingHost: "there is no host"
        case .host: "neither a host name in ASCII nor an IP address"
        case .port: "a port is 1 to 65535"
        case .character: "a character that must be percent-encoded"
        case .percentEncoding: "a % without two hexadecimal digits"
        case .fragment: "a fragment, which no WebSocket has"
        }
    }
}

extension WebSocketHeadFault {
    fileprivate var words: String {
        switch self {
        case .startLine: "a first line that is not HTTP/1's"
        case .bareLineFeed: "a line that ends with LF alone instead of CR LF"
        case .bareCarriageReturn: "a carriage return without a line feed"
        case .controlCharacter: "a control character"
        case .foldedLine: "a line that begins with a space"
        case .headerName: "a line without a header's name"
        }
    }
}

extension WebSocketHandshakeFault {
    fileprivate var words: String {
        switch self {
        case .method: "the method is not GET"
        case .version: "the version is below HTTP/1.1"
        case .target: "the target is not a path"
        case .host: "there is not exactly one Host"
        case .body: "it has a body"
        case .upgrade: "Upgrade is not websocket"
        case .connection: "Connection is not Upgrade"
        case .key: "Sec-WebSocket-Key is not 16 bytes in base64"
        case .webSocketVersion: "Sec-WebSocket-Version is not 13"
        case .foreignHost: "the Host is not one of the names that this server allows to browsers"
        case .origin: "the Origin is not allowed"
        case .accept: "Sec-WebSocket-Accept does not answer the key"
        case .subprotocol: "the subprotocol was not asked for"
        case .extensions: "the extensions were not asked for"
        }
    }
}

extension WebSocketViolation {
    fileprivate var words: String {
        switch self {
        case .reservedBits: "reserved bits are set"
        case .opcode(let opcode): "the opcode \(opcode) has no meaning"
        case .unmasked: "a client must mask its frames"
        case .masked: "a server must not mask its frames"
        case .lengthEncoding: "the length is not written in the fewest bytes"
        case .lengthOverflow: "the length is 2^63 or more"
        case .fragmentedControl: "a control frame is in fragments"
        case .longControl: "a control frame has more than 125 bytes"
        case .unexpectedContinuation: "nothing is there to be continued"
        case .expectedContinuation: "the message before has not ended"
        case .closePayload: "a close frame has one byte"
        case .closeCode(let code): "the close code \(code) must not stand on the wire"
        }
    }
}
