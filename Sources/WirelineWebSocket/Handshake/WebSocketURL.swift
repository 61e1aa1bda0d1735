// SPDX-License-Identifier: Apache-2.0

/// The address of a WebSocket (RFC 6455 §3).
///
///     wss://user:password@game.example.com:9443/live/room?line=2
///     scheme     credentials   host        port path      query
///
/// `http` and `https` stand for `ws` and `wss`. Without a port it is 80, or 443 for `wss`. What is percent-encoded in path
/// and query stays so; what must be and is not is refused, as a fragment is.
public struct WebSocketURL: Equatable, Hashable, Sendable {
    /// Whether the connection is to be TLS (`wss`).
    public let isSecure: Bool
    /// A user's name and password; in the text they are percent-encoded, here they are not.
    public let credentials: WebSocketCredentials?
    /// The name or address of the server, an IPv6 address without its brackets.
    public let host: String
    /// The port, 1 to 65535.
    public let port: Int
    /// The path; at least `/`.
    public let path: String
    /// What is behind the first `?`; nil where there is none.
    public let query: String?

    /// Reads an address.
    ///
    /// - Throws: ``WebSocketError/invalidURL(_:offset:)``.
    public init(_ text: String) throws(WebSocketError) {
        var parser = URLParser(text)
        isSecure = try parser.takeScheme()
        credentials = try parser.takeCredentials()
        host = try parser.takeHost()
        port = try parser.takePort() ?? Self.defaultPort(isSecure: isSecure)
        path = try parser.takePath()
        query = try parser.takeQuery()
    }

    static func defaultPort(isSecure: Bool) -> Int { isSecure ? 443 : 80 }

    /// What a request asks for: path and query.
    public var target: String { path + (query.map { "?" + $0 } ?? "") }

    /// Host and port as they stand in `Host`: brackets around an IPv6 address, and no port that is the scheme's own.
    public var authority: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port == Self.defaultPort(isSecure: isSecure) ? name : "\(name):\(port)"
    }
}

/// A user's name and password (RFC 7617).
public struct WebSocketCredentials: Equatable, Hashable, Sendable {
    /// The name; it must have no colon.
    public let user: String
    /// The password.
    public let password: String

    /// Makes credentials; whether HTTP allows them is checked when they are used.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

extension WebSocketURL: CustomStringConvertible {
    /// The address as text, without credentials, so that it can be logged.
    public var description: String { (isSecure ? "wss://" : "ws://") + authority + target }
}
