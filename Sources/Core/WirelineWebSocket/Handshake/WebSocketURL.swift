// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The URL of a WebSocket (RFC 6455 §3).
///
///     wss://user:password@game.example.com:9443/live/room?line=2
///     scheme     credentials   host        port path      query
///
/// `http` and `https` mean `ws` and `wss`. The default port is 80, or 443 for `wss`. Percent-encoding in path and query
/// is kept. A missing percent-encoding and a fragment are refused.
public struct WebSocketURL: Equatable, Hashable, Sendable {
    /// Whether the connection uses TLS (`wss`).
    public let isSecure: Bool
    /// The user's name and password, percent-decoded.
    public let credentials: WebSocketCredentials?
    /// The name or address of the server; an IPv6 address without brackets.
    public let host: String
    /// The port, 1 to 65535.
    public let port: Int
    /// The path; at least `/`.
    public let path: String
    /// The text after the first `?`; nil if there is none.
    public let query: String?

    /// Parses a URL.
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

    /// The target of the request: path and query.
    public var target: String { path + (query.map { "?" + $0 } ?? "") }

    /// Host and port as in `Host`: an IPv6 address in brackets, and no port if it is the scheme's default.
    public var authority: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port == Self.defaultPort(isSecure: isSecure) ? name : "\(name):\(port)"
    }
}

/// A user's name and password (RFC 7617).
public struct WebSocketCredentials: Equatable, Hashable, Sendable {
    /// The name; it must not contain a colon.
    public let user: String
    /// The password.
    public let password: String

    /// Makes credentials. They are checked when they are used.
    public init(user: String, password: String) {
        self.user = user
        self.password = password
    }
}

extension WebSocketCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name, without the password, so that it can be logged.
    public var description: String { "\(user.inQuotes()), password: \(HiddenValue.text)" }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror that hides the password.
    public var customMirror: Mirror { Mirror(self, children: ["user": user, "password": HiddenValue(password)]) }
}

extension WebSocketURL: CustomStringConvertible {
    /// The URL as text, without credentials, so that it can be logged.
    public var description: String { (isSecure ? "wss://" : "ws://") + authority + target }
}
