// SPDX-License-Identifier: Apache-2.0

/// Which pages a browser may connect to a server for (RFC 6455 §10.2).
///
/// A browser sends cookies along whichever page asks, and says in `Origin` which it is. Programs that are no browsers send
/// no `Origin`; they are not kept out by this.
@nonexhaustive
public enum WebSocketOriginPolicy: Equatable, Sendable {
    /// Pages of the same host and port as the request's.
    case sameOrigin
    /// Those, and pages of these origins, such as `https://example.com`.
    case sameOriginAnd([String])
    /// Any page: for servers that know nobody by cookies or addresses.
    case any

    /// Whether a request with this `Origin` and `Host` may be answered.
    func allows(origin: String, host: String) -> Bool {
        switch self {
        case .any: true
        case .sameOrigin: Self.isSame(origin, host)
        case .sameOriginAnd(let others):
            Self.isSame(origin, host) || others.contains { $0.isSameToken(as: origin) }
        }
    }

    /// Whether the page came from this host. The server does not know whether there is TLS in front of it, so that a host
    /// without a port may have either scheme's.
    private static func isSame(_ origin: String, _ host: String) -> Bool {
        guard let page = try? WebSocketURL(origin), page.target == "/", page.credentials == nil,
            let server = try? WebSocketURL((page.isSecure ? "https://" : "http://") + host)
        else { return false }
        return page.host.isSameToken(as: server.host) && page.port == server.port
    }
}
