// SPDX-License-Identifier: Apache-2.0

/// Why a connection attempt failed, or a connection ended.
///
/// This table lists everything that ends a session for good. All else is retried with back-off, until
/// ``ReconnectPolicy/retryLimit`` is reached.
///
/// | final | why | examples |
/// |---|---|---|
/// | ``kicked(_:)`` with `stop` | the server says so | a ban; a WebSocket close that `advice` calls final |
/// | ``loginRefused`` | the server says so | the login hook throws `SessionLoginRefused`; HTTP 401 or 403 |
/// | ``misconfigured`` | only this side can change it | no OpenSSL, an unreadable certificate file, an invalid URL, a wrong proxy password; HTTP 301 or 308 over TLS |
/// | ``endedByUs`` | the program has ended it | |
///
/// A cause that a third party on the path can produce is not final. Until its user has logged in, a captive portal
/// shows its own certificate for every host, or redirects plain HTTP. So ``notTrusted``, ``wrongKey`` and an HTTP
/// redirect without TLS are retried. The session sends no data to an untrusted server.
@nonexhaustive
public enum DisconnectCause: Equatable, Sendable {
    /// The host refused the connection: no program listens on the port.
    case refused
    /// The peer reset the connection (TCP RST).
    case reset
    /// Connecting or logging in took too long, or the peer read nothing of what was sent to it.
    case timedOut
    /// The host has no known address.
    case unknownHost
    /// A system error: no route, no descriptor, no memory.
    case failed
    /// The peer sent bytes that are not a packet.
    case broken
    /// A heartbeat timed out, and no other bytes arrived.
    case silent
    /// The peer ended its stream without a reason.
    case endedByPeer
    /// The server ended the connection and gave a reason.
    case kicked(KickNotice)
    /// The server refused the login, and would refuse it again.
    case loginRefused
    /// The login failed; a retry may succeed.
    case loginFailed
    /// The server's TLS certificate is not trusted: unknown issuer, wrong host, or expired.
    /// A captive portal or an attacker may be on the path.
    case notTrusted
    /// The server's TLS certificate is valid, but none of its keys is pinned.
    /// The server has a new key, or an attacker has a certificate of a known issuer.
    case wrongKey
    /// This side's configuration cannot work: for example, OpenSSL is missing or a name is invalid.
    case misconfigured
    /// This side ended the connection.
    case endedByUs
}

/// The reason that a server gave when it ended a connection.
public struct KickNotice: Equatable, Sendable {
    /// What the client should do next.
    @nonexhaustive
    public enum Advice: Equatable, Sendable {
        /// Do not reconnect: another login of the same account, a ban, a version that is too old.
        case stop
        /// Reconnect after this time at the earliest: a restart, too many connections.
        case wait(atLeast: Duration)
    }

    /// The protocol's number for the reason.
    public let reason: UInt64
    /// What the client should do next.
    public let advice: Advice

    /// Makes a notice.
    public init(reason: UInt64, advice: Advice) {
        self.reason = reason
        self.advice = advice
    }
}

extension DisconnectCause: CustomStringConvertible {
    /// A description in one line.
    public var description: String {
        switch self {
        case .refused: "nobody listens at the address"
        case .reset: "the peer has reset the connection"
        case .timedOut: "connecting or logging in took too long, or nothing of what was sent was taken"
        case .unknownHost: "no address of the host is known"
        case .failed: "the system could not connect"
        case .broken: "the peer has sent what is no packet"
        case .silent: "the peer has fallen silent"
        case .endedByPeer: "the peer has ended the connection"
        case .kicked(let kick): "the server has ended the connection, with reason \(kick.reason)"
        case .loginRefused: "the server has refused the login"
        case .loginFailed: "the login has failed"
        case .notTrusted: "the server's certificate is not trusted"
        case .wrongKey: "the server's key is not one of the pinned ones"
        case .misconfigured: "this side cannot connect as it is set up"
        case .endedByUs: "the connection was ended on this side"
        }
    }
}
