// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Recognizes other protocols from the first bytes of a server.
struct ProbeGreeting {
    /// The bytes to send; empty if the server sends first.
    let bytes: [UInt8]

    /// All greetings, in the order in which they are tried.
    ///
    /// The order matters: a TLS server can answer HTTP with text, and an HTTP server can answer other greetings. A
    /// memcached answers both lines and packets, but only its packets identify it.
    ///
    /// - Parameter isInsideTLS: Whether the connection already uses TLS.
    static func all(isInsideTLS: Bool) -> [ProbeGreeting] {
        (isInsideTLS ? [] : [ProbeGreeting(bytes: clientHello)]) + [
            ProbeGreeting(bytes: Array("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)),
            ProbeGreeting(bytes: Array("PING\r\n".utf8)), ProbeGreeting(bytes: memcachedVersion),
            ProbeGreeting(bytes: postgreSQLStartup),
        ]
    }

    /// The result for a peer whose protocol is inside TLS.
    static let tls = "TLS"

    /// Returns the protocol that a server's bytes identify; nil if they identify none.
    static func name(of bytes: [UInt8]) -> String? {
        // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
        let span = unsafe bytes.span.bytes
        if let misdirectedProtocol = CodecError.MisdirectedProtocol(recognising: span) {
            switch misdirectedProtocol {
            case .http: return "HTTP"
            case .ssh: return "SSH"
            case .tls: return tls
            default: break
            }
        }
        // These are simple strings and errors of Redis (RESP).
        let redis = ["+PONG\r\n", "-ERR ", "-NOAUTH ", "-DENIED ", "-NOPERM ", "-LOADING "]
        if redis.contains(where: { bytes.starts(with: $0.utf8) }) { return "Redis" }
        // SMTP and FTP servers greet with 220 (RFC 5321 and RFC 959).
        if bytes.starts(with: "220 ".utf8) || bytes.starts(with: "220-".utf8) { return "SMTP or FTP" }
        return nil
    }

    /// Whether the bytes are lines of ASCII, which servers of many protocols send.
    static func isText(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 4 && bytes.last == UInt8(ascii: "\n")
            && bytes.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
    }

    /// Asks a memcached for its version. The request is only a header of 24 bytes.
    private static let memcachedVersion: [UInt8] = [0x80, 0x0B] + [UInt8](repeating: 0, count: 22)

    /// Starts a session of PostgreSQL's protocol 3.0 without a user. The server answers with an error message.
    private static let postgreSQLStartup: [UInt8] = [0, 0, 0, 9, 0, 3, 0, 0, 0]

    /// A ClientHello that every server of TLS 1.0 to 1.3 answers, at least with an alert (RFC 5246 §7.4.1.2).
    private static let clientHello: [UInt8] = {
        let suites: [UInt8] = [0xC0, 0x2B, 0xC0, 0x2F, 0xC0, 0x13, 0x00, 0x9C, 0x00, 0x2F]
        let groups: [UInt8] = [0x00, 0x0A, 0x00, 0x06, 0x00, 0x04, 0x00, 0x1D, 0x00, 0x17]
        let signatures: [UInt8] = [0x00, 0x0D, 0x00, 0x08, 0x00, 0x06, 0x04, 0x03, 0x08, 0x04, 0x04, 0x01]
        let extensions = groups + signatures
        var randomness = SystemRandomness()
        let random = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &randomness) }
        let body: [UInt8] =
            [3, 3] + random + [0] + [0, UInt8(suites.count)] + suites + [1, 0] + [0, UInt8(extensions.count)]
            + extensions
        let handshake: [UInt8] = [1, 0, 0, UInt8(body.count)] + body
        return [0x16, 3, 1, 0, UInt8(handshake.count)] + handshake
    }()
}
