// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineWebSocket

/// The handshake with an HTTP proxy (RFC 9110 §9.3.6).
///
///     CONNECT game.example.com:9001 HTTP/1.1
///     Host: game.example.com:9001
///     Proxy-Authorization: Basic …
///
/// The server's bytes follow the head of a 2xx answer, even if the head states a length.
struct HTTPConnectHandshake: Sendable {
    /// The most bytes of an answer's head, as in a WebSocket handshake.
    private static let headLimit = 16 * 1024

    private var output: [UInt8]
    private var reader = HeadReader(limit: headLimit, beginning: "HTTP/1.")
    private var hasConnected = false

    init(to host: String, port: UInt16, _ credentials: Proxy.Credentials?) throws(ProxyError) {
        // Any other host would change the request.
        guard HostName.isHost(host), port > 0 else { throw .invalidHost }
        let authority = (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
        var lines = "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n"
        if let credentials {
            guard !credentials.user.contains(":"), Self.isPrintable(credentials.user),
                Self.isPrintable(credentials.password)
            else { throw .invalidCredentials }
            let text = "\(credentials.user):\(credentials.password)"
            lines += "Proxy-Authorization: Basic \(Base64.encode(Array(text.utf8)))\r\n"
        }
        output = Array((lines + "\r\n").utf8)
    }

    /// Whether the text has no control characters, as RFC 7617 §2 requires.
    private static func isPrintable(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }

    /// At least the missing part of the empty line that ends the head.
    var neededByteCount: Int { hasConnected ? 0 : reader.neededByteCount }

    mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    /// Takes at most ``neededByteCount`` bytes.
    mutating func receive(_ bytes: RawSpan) throws(ProxyError) {
        let head: HTTPHead
        do throws(WebSocketError) {
            _ = try reader.receive(bytes)
            guard reader.isComplete else { return }
            head = try HTTPHead(reader.bytes)
        } catch {
            throw .invalidAnswer(error)
        }
        let (version, digits, reason) = head.startLine
        guard version.utf8.count == 8, digits.utf8.count == 3, let status = Int(digits), status >= 100
        else { throw .invalidAnswer(.malformedHead(.startLine, offset: 0)) }
        switch status {
        // Another answer follows (RFC 9110 §15.2).
        case ..<200: reader.restart()
        case ..<300: hasConnected = true
        default: throw .refused(status: status, reason: reason)
        }
    }
}
