// SPDX-License-Identifier: Apache-2.0

/// Why a connection attempt failed, or a connection ended.
///
/// This table lists everything that ends a session for good. All else is retried with back-off, until
/// ``ReconnectPolicy/retryLimit`` is reached.
///
/// | final | why | examples |
/// |---|---|---|
/// | ``kicked(_:)`` with `stop` | the server says so | a ban; a WebSocket close that `advice` calls final |
/// | ``loginRefused(_:)`` | the server says so | the login hook throws `SessionLoginRefused` |
/// | ``refusedByHTTP(status:)`` | the server says so | HTTP 401 or 403; other refusals are retried |
/// | ``misconfigured(_:)`` | only this side can change it | no OpenSSL, an unreadable certificate file, an invalid URL, a wrong proxy password; HTTP 301 or 308 over TLS |
/// | ``endedByUs`` | the program has ended it | |
///
/// A cause that a third party on the path can produce is not final. Until its user has logged in, a captive portal
/// shows its own certificate for every host, or redirects plain HTTP. So ``notTrusted(_:)``, ``wrongKey`` and an HTTP
/// redirect without TLS are retried. The session sends no data to an untrusted server.
///
/// Texts are for people: they may change in any version.
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
    /// Any other failure, such as a system error (no route, no descriptor, no memory); the text says which.
    case failed(String)
    /// The peer broke the protocol, for example with bytes that are not a packet; the text says how.
    case broken(String)
    /// A heartbeat timed out, and no other bytes arrived.
    case silent
    /// The peer ended its stream without a reason.
    case endedByPeer
    /// The server ended the connection and gave a reason.
    case kicked(KickNotice)
    /// The server refused the login, and would refuse it again; the text is that of `SessionLoginRefused`.
    case loginRefused(String)
    /// The login failed, and a retry may succeed; the text is that of the hook's error.
    case loginFailed(String)
    /// The server answered the WebSocket handshake with another HTTP status than 101.
    case refusedByHTTP(status: Int)
    /// The server's TLS certificate is not trusted: unknown issuer, wrong host, or expired.
    /// A captive portal or an attacker may be on the path.
    case notTrusted(CertificateFault)
    /// The server's TLS certificate is valid, but none of its keys is pinned.
    /// The server has a new key, or an attacker has a certificate of a known issuer.
    case wrongKey
    /// This side's configuration cannot work: for example, OpenSSL is missing or a name is invalid. The text says why.
    case misconfigured(String)
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
        case .failed(let text): Self.line("the connection has failed", text)
        case .broken(let text): Self.line("the peer has broken the protocol", text)
        case .silent: "the peer has fallen silent"
        case .endedByPeer: "the peer has ended the connection"
        case .kicked(let kick): "the server has ended the connection, with reason \(kick.reason)"
        case .loginRefused(let text): Self.line("the server has refused the login", text)
        case .loginFailed(let text): Self.line("the login has failed", text)
        case .refusedByHTTP(let status): "the server has refused the WebSocket with HTTP status \(status)"
        case .notTrusted(let fault): "the server's certificate is not trusted: \(fault)"
        case .wrongKey: "the server's key is not one of the pinned ones"
        case .misconfigured(let text): Self.line("this side cannot connect as it is set up", text)
        case .endedByUs: "the connection was ended on this side"
        }
    }

    private static func line(_ cause: String, _ text: String) -> String { text.isEmpty ? cause : "\(cause): \(text)" }

    /// Whether an HTTP status means that the server would refuse again.
    static func isFinal(status: Int) -> Bool { status == 401 || status == 403 }
}
