// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// What a client asks a server for.
public struct WebSocketRequest: Sendable {
    /// A cookie that the client sends.
    public struct Cookie: Equatable, Sendable {
        /// Its name.
        public let name: String
        /// Its value.
        public let value: String

        /// Makes a cookie; whether HTTP allows it is checked when it is used.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Where the WebSocket is.
    public var url: WebSocketURL
    /// Headers of the caller's. They replace those that would be written otherwise (`Host`, `Origin`, `Cookie`,
    /// `Authorization`); only `Upgrade`, `Connection`, `Sec-WebSocket-…` and those of a body must not be among them.
    public var headers: WebSocketHeaders = [:]
    /// What stands in `Cookie`.
    public var cookies: [Cookie] = []
    /// What stands in `Authorization` (default: what the address has).
    public var credentials: WebSocketCredentials?
    /// The page for which a browser asks, such as `https://example.com`; other programs need none.
    public var origin: String?
    /// Of these the server may choose one; the preferred one first.
    public var subprotocols: [String] = []
    /// How messages are compressed if the server can; nil: not at all.
    public var deflate: WebSocketDeflate?
    /// How many bytes the head of the answer may have (default 16 KiB). More is
    /// ``WebSocketError/headTooLarge(limit:)``.
    public var headLimit = 16 * 1024
    /// How many bytes of the body of an answer that refuses are kept for the error (default 4 KiB).
    public var bodyLimit = 4 * 1024

    /// Makes a request without anything special.
    public init(_ url: WebSocketURL) {
        self.url = url
        credentials = url.credentials
    }

    /// The request as bytes.
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

    /// Whether a header is the handshake's, or says that a body follows.
    static func isReserved(_ name: String) -> Bool {
        name.isSameToken(as: "Upgrade") || name.isSameToken(as: "Connection")
            || name.isSameToken(as: "Content-Length") || name.isSameToken(as: "Transfer-Encoding")
            || name.prefix(14).isSameToken(as: "Sec-WebSocket-")
    }

    /// RFC 6265 §4.1.1; the quotation marks that may stand around a value are taken anywhere.
    private static func isCookieCharacter(_ byte: UInt8) -> Bool {
        0x21...0x7E ~= byte && !",;\\".utf8.contains(byte)
    }
}

/// What the handshake has settled.
public struct WebSocketAgreement: Equatable, Sendable {
    /// The subprotocol; nil if none.
    public let subprotocol: String?
    /// Whether messages may be compressed.
    public var compresses: Bool { deflate != nil }
    /// What a client has in the server's answer; a server has none.
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
