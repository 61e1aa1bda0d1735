// SPDX-License-Identifier: Apache-2.0

import WirelineWebSocket

/// What stands between a client and its servers, and connects to them for it (``ClientConfiguration/proxy``).
///
/// The proxy is asked before TLS begins, and TLS goes through it to the server: it sees whom the client talks to, and
/// nothing of what they say. It is spoken to without TLS itself, name and password included. It is the proxy that looks the
/// server's name up.
///
/// Environment variables such as `http_proxy` are not read; where they should count, their value is what ``init(_:)`` takes.
public enum Proxy: Equatable, Sendable {
    /// One that is asked with HTTP's method `CONNECT` (RFC 9110 §9.3.6), and given name and password as `Basic` (RFC 7617).
    case http(host: String, port: UInt16, credentials: ProxyCredentials? = nil)
    /// One that speaks SOCKS 5 (RFC 1928), and is given name and password where it asks for them (RFC 1929).
    case socks5(host: String, port: UInt16, credentials: ProxyCredentials? = nil)

    /// Reads an address, such as `http://user:password@10.0.0.1:8080` or `socks5://[::1]:1080`.
    ///
    /// Name and password are percent-encoded. Without a port it is 80, or 1080 with SOCKS. `socks5h` is the same as `socks5`.
    ///
    /// - Throws: ``ProxyError/invalidURL``.
    public init(_ url: String) throws(ProxyError) {
        guard let end = url.firstRange(of: "://") else { throw .invalidURL }
        let rest = url[end.upperBound...]
        // What stands for itself in both is written there, and only a port that is not is another one.
        guard let address = try? WebSocketURL("http://" + rest), let other = try? WebSocketURL("https://" + rest),
            address.target == "/"
        else { throw .invalidURL }
        let credentials = address.credentials.map { ProxyCredentials(user: $0.user, password: $0.password) }
        let port = address.port == other.port ? UInt16(truncatingIfNeeded: address.port) : nil
        switch url[..<end.lowerBound].lowercased() {
        case "http": self = .http(host: address.host, port: port ?? 80, credentials: credentials)
        case "socks5", "socks5h": self = .socks5(host: address.host, port: port ?? 1080, credentials: credentials)
        default: throw .invalidURL
        }
    }

    /// Where the proxy is.
    var address: (host: String, port: UInt16) {
        switch self {
        case .http(let host, let port, _), .socks5(let host, let port, _): (host, port)
        }
    }
}

/// A name and a password for a ``Proxy``.
public struct ProxyCredentials: Equatable, Sendable {
    /// The name: for HTTP without a colon, for SOCKS of 1 to 255 bytes.
    public let user: String
    /// The password: for SOCKS of 1 to 255 bytes.
    public let password: String

    /// Makes credentials; whether the proxy's protocol allows them is checked when they are used.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}
