// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineWebSocket

/// A proxy that connects to servers for a client (``DialingOptions/proxy``).
///
/// The proxy connects before TLS begins, and TLS runs through the proxy to the server. So the proxy learns which server
/// the client talks to, but not what they say. The connection to the proxy itself has no TLS: name and password travel
/// unencrypted. The proxy looks up the server's name.
///
/// Environment variables such as `http_proxy` are not read. To use one, give its value to ``init(_:)``.
public enum Proxy: Equatable, Sendable {
    /// A proxy for the HTTP method `CONNECT` (RFC 9110 §9.3.6); name and password are sent as `Basic` (RFC 7617).
    case http(host: String, port: UInt16, credentials: Credentials? = nil)
    /// A SOCKS 5 proxy (RFC 1928); name and password are sent if it asks for them (RFC 1929).
    case socks5(host: String, port: UInt16, credentials: Credentials? = nil)

    /// Reads a URL, such as `http://user:password@10.0.0.1:8080` or `socks5://[::1]:1080`.
    ///
    /// Name and password are percent-encoded. The default port is 80, or 1080 with SOCKS. `socks5h` is the same as
    /// `socks5`.
    ///
    /// - Throws: ``ProxyError/invalidURL``.
    public init(_ url: String) throws(ProxyError) {
        guard let end = url.firstRange(of: "://") else { throw .invalidURL }
        let rest = url[end.upperBound...]
        // If both URLs have the same port, the text states one; otherwise each has its scheme's default.
        guard let address = try? WebSocketURL("http://" + rest), let other = try? WebSocketURL("https://" + rest),
            address.target == "/"
        else { throw .invalidURL }
        let credentials = address.credentials.map { Credentials(user: $0.user, password: $0.password) }
        let port = address.port == other.port ? UInt16(truncatingIfNeeded: address.port) : nil
        switch url[..<end.lowerBound].lowercased() {
        case "http": self = .http(host: address.host, port: port ?? 80, credentials: credentials)
        case "socks5", "socks5h": self = .socks5(host: address.host, port: port ?? 1080, credentials: credentials)
        default: throw .invalidURL
        }
    }

    var address: (host: String, port: UInt16) {
        switch self {
        case .http(let host, let port, _), .socks5(let host, let port, _): (host, port)
        }
    }
}

extension Proxy {
    /// A name and a password for a ``Proxy``.
    public struct Credentials: Equatable, Sendable {
        /// The name: without a colon for HTTP, 1 to 255 bytes for SOCKS.
        public let user: String
        /// The password: 1 to 255 bytes for SOCKS.
        public let password: String

        /// Makes credentials; they are checked against the proxy's protocol when they are used.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }
}

extension Proxy.Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name without the password, so that it can be logged.
    public var description: String { "\(user.inQuotes()), password: \(HiddenValue.text)" }

    /// The name without the password.
    public var debugDescription: String { description }

    /// A mirror that hides the password.
    public var customMirror: Mirror { Mirror(self, children: ["user": user, "password": HiddenValue(password)]) }
}
