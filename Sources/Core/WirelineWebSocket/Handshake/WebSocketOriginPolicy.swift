// SPDX-License-Identifier: Apache-2.0

/// The pages from which a browser may connect to a server (RFC 6455 §10.2).
///
/// A browser sends cookies with the request of any page, and names the page in `Origin`. Other programs send no
/// `Origin`, so this does not stop them.
@nonexhaustive
public enum WebSocketOriginPolicy: Equatable, Sendable {
    /// Allows pages with the same host and port as the request.
    case sameOrigin
    /// Also allows pages of these origins, such as `https://example.com`.
    case sameOriginAnd([String])
    /// Allows any page: for servers that do not identify users by cookies or addresses.
    case any

    /// Returns whether a request with this `Origin` and `Host` is allowed.
    func allows(origin: String, host: String) -> Bool {
        switch self {
        case .any: true
        case .sameOrigin: Self.isSame(origin, host)
        case .sameOriginAnd(let others):
            Self.isSame(origin, host) || others.contains { $0.isSameToken(as: origin) }
        }
    }

    /// Returns whether the page came from this host.
    ///
    /// The server does not know whether a TLS proxy forwards to it, so a host without a port matches either scheme's
    /// default port.
    private static func isSame(_ origin: String, _ host: String) -> Bool {
        guard let page = try? WebSocketURL(origin), page.target == "/", page.credentials == nil,
            let server = try? WebSocketURL((page.isSecure ? "https://" : "http://") + host)
        else { return false }
        return page.host.isSameToken(as: server.host) && page.port == server.port
    }
}
