// SPDX-License-Identifier: Apache-2.0

/// The names under which browsers may reach a server (`Host`, RFC 9110 §7.2).
///
/// This prevents DNS rebinding. A page of `evil.example` lets its own name resolve to an address that only the visitor
/// can reach, such as 127.0.0.1. Then page and server have the same origin, and ``WebSocketOriginPolicy/sameOrigin``
/// allows the page. The name in `Host` is still the attacker's.
///
/// Every policy allows names that an attacker cannot redirect: IP addresses, `localhost`, and names that end in
/// `.localhost` (RFC 6761 §6.3).
///
/// The server checks a request for a WebSocket if it has an `Origin`. Browsers always send one (RFC 6455 §4.1). Other
/// programs cannot be attacked in this way, so they may use any name. The server checks a request for a page if that
/// has a `Host`.
@nonexhaustive
public enum WebSocketHostPolicy: Equatable, Sendable {
    /// A server that listens on a loopback address also allows the name under which it listens, and no others; other
    /// servers allow every name.
    ///
    /// A proxy on the same machine that forwards `Host` needs ``localAnd(_:)`` with the names that it serves.
    case localOnLoopback
    /// These names are also allowed, whatever address the server listens on.
    ///
    /// Write `game.example.com`, or `*.example.com` for every name that ends in `.example.com`. Port and case do not
    /// matter.
    case localAnd([String])
    /// Every name is allowed: for servers whose messages reveal and change nothing.
    case any

    /// Returns whether a browser's request for this host is allowed.
    ///
    /// - Parameters:
    ///   - host: A name or an address, without a port or brackets.
    ///   - ownNames: The names under which the server listens.
    func allows(_ host: String, listensOnLoopback: Bool, ownNames: [String] = []) -> Bool {
        switch self {
        case .any: true
        case .localOnLoopback:
            !listensOnLoopback || Self.isLocal(host) || ownNames.contains { Self.matches(host, $0) }
        case .localAnd(let names): Self.isLocal(host) || names.contains { Self.matches(host, $0) }
        }
    }

    private static func isLocal(_ host: String) -> Bool {
        HostName.isAddress(host) || matches(host, "localhost") || matches(host, "*.localhost")
    }

    private static func matches(_ host: String, _ pattern: String) -> Bool {
        let (name, pattern) = (withoutRoot(host[...]), withoutRoot(pattern[...]))
        guard pattern.hasPrefix("*.") else { return name.isSameToken(as: pattern) }
        let end = pattern.dropFirst()
        return name.utf8.count > end.utf8.count && name.suffix(end.count).isSameToken(as: end)
    }

    /// `localhost.` is `localhost`.
    private static func withoutRoot(_ name: Substring) -> Substring { name.hasSuffix(".") ? name.dropLast() : name }
}
