// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A client's request for a WebSocket.
public struct WebSocketRequest: Sendable {
    /// A cookie that the client sends.
    public struct Cookie: Equatable, Sendable {
        /// The name.
        public let name: String
        /// The value.
        public let value: String

        /// Makes a cookie. Name and value are checked when it is used.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The URL of the WebSocket.
    public var url: WebSocketURL
    /// Additional headers; they replace `Host`, `Origin`, `Cookie` and `Authorization` of the request.
    ///
    /// `Upgrade`, `Connection`, `Sec-WebSocket-…`, `Content-Length` and `Transfer-Encoding` are not allowed.
    public var headers: WebSocketHeaders = [:]
    /// The cookies of the `Cookie` header.
    public var cookies: [Cookie] = []
    /// The credentials of the `Authorization` header (default: those of the URL).
    public var credentials: WebSocketCredentials?
    /// The page for which a browser connects, such as `https://example.com`; other programs need none.
    public var origin: String?
    /// The subprotocols from which the server may choose one, the preferred one first.
    public var subprotocols: [String] = []
    /// The compression to offer; nil offers none.
    public var deflate: WebSocketDeflate?
    /// The largest head of the answer, in bytes (default 16 KiB).
    ///
    /// More is ``WebSocketError/headTooLarge(limit:)``.
    public var headLimit = 16 * 1024
    /// The number of body bytes of a refusal that the error keeps (default 4 KiB).
    public var bodyLimit = 4 * 1024

    /// Makes a request with default values.
    public init(_ url: WebSocketURL) {
        self.url = url
        credentials = url.credentials
    }

    func head(key: String) throws(WebSocketError) -> [UInt8] {
        try validate()
        var usual: WebSocketHeaders = ["Host": url.authority]
        if let origin { usual.append(name: "Origin", value: origin) }
        if !cookies.isEmpty {
            usual.append(name: "Cookie", value: cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; "))
        }
        if let credentials {
            let text = Base64.encode(Array("\(credentials.user):\(credentials.password)".utf8))
            usual.append(name: "Authorization", value: "Basic " + text)
        }
        var own: WebSocketHeaders = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": key, "Sec-WebSocket-Version": "13",
        ]
        if !subprotocols.isEmpty {
            own.append(name: "Sec-WebSocket-Protocol", value: subprotocols.joined(separator: ", "))
        }
        if let deflate {
            own.append(name: "Sec-WebSocket-Extensions", value: DeflateParameters(offerOf: deflate).text)
        }
        let kept = usual.fields.filter { headers[$0.name] == nil }
        let lines = kept.map { "\($0.name): \($0.value)\r\n" }.joined()
        return Array("GET \(url.target) HTTP/1.1\r\n\(lines)\(own.lines)\(headers.lines)\r\n".utf8)
    }

    private func validate() throws(WebSocketError) {
        try headers.validate()
        for field in headers.fields where Self.isReserved(field.name) { throw .reservedHeader(name: field.name) }
        guard headers.values(of: "Host").count <= 1 else { throw .reservedHeader(name: "Host") }
        guard origin?.isHeaderValue != false else { throw .invalidOrigin }
        for cookie in cookies {
            guard cookie.name.isToken, cookie.value.utf8.allSatisfy(Self.isCookieCharacter)
            else { throw .invalidCookie(name: cookie.name) }
        }
        if let credentials {
            guard credentials.user.isHeaderValue, credentials.password.isHeaderValue,
                !credentials.user.utf8.contains(UInt8(ascii: ":"))
            else { throw .invalidCredentials }
        }
        var names: Set<String> = []
        for name in subprotocols where !name.isToken || !names.insert(name).inserted { throw .invalidSubprotocol(name) }
        try deflate?.validate()
    }

    /// Returns whether the handshake writes the header itself, or the header announces a body.
    static func isReserved(_ name: String) -> Bool {
        name.isSameToken(as: "Upgrade") || name.isSameToken(as: "Connection")
            || name.isSameToken(as: "Content-Length") || name.isSameToken(as: "Transfer-Encoding")
            || name.prefix(14).isSameToken(as: "Sec-WebSocket-")
    }

    /// RFC 6265 §4.1.1 allows the byte; the quotation marks around a value are accepted anywhere.
    private static func isCookieCharacter(_ byte: UInt8) -> Bool {
        0x21...0x7E ~= byte && !",;\\".utf8.contains(byte)
    }
}

extension WebSocketRequest.Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name, without the value, so that it can be logged.
    public var description: String { "\(name.escaped())=\(HiddenValue.text)" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror that hides the value.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "value": HiddenValue(value)]) }
}

/// The result of a handshake.
public struct WebSocketAgreement: Equatable, Sendable {
    /// The subprotocol; nil if none.
    public let subprotocol: String?
    /// Whether messages may be compressed.
    public var compresses: Bool { deflate != nil }
    /// The headers of the server's answer, on a client; empty on a server.
    public let headers: WebSocketHeaders
    package let deflate: DeflateAgreement?

    package init(
        subprotocol: String? = nil, headers: WebSocketHeaders = [:], deflate: DeflateAgreement? = nil
    ) {
        self.subprotocol = subprotocol
        self.headers = headers
        self.deflate = deflate
    }
}
