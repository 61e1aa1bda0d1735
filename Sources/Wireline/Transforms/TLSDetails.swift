// SPDX-License-Identifier: Apache-2.0

public import WirelineTLS

/// What the two sides of a TLS connection negotiated.
public struct TLSDetails: Equatable, Sendable {
    /// The version of TLS.
    public let version: TLSVersion
    /// The cipher, by its standard name.
    public let cipher: String
    /// The application protocol, if both sides support one (ALPN, RFC 7301).
    public let applicationProtocol: String?
    /// Whether the connection resumed an earlier session.
    public let isResumed: Bool
    /// The name that the client asked for (SNI, RFC 6066 §3); known to the server.
    public let requestedServerName: String?
    /// The hash of the key in the peer's certificate.
    public let peerKeyHash: TLSKeyHash?
    /// Whether one of the pinned keys was found.
    public let pinOutcome: TLSPinOutcome
}
