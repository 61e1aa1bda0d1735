// SPDX-License-Identifier: Apache-2.0

public import WirelineTLS

/// What the two sides of a TLS connection have agreed on.
public struct TLSDetails: Equatable, Sendable {
    /// The version of TLS.
    public let version: TLSVersion
    /// The cipher, by its standard name.
    public let cipher: String
    /// The application protocol, where both sides know one (ALPN, RFC 7301).
    public let applicationProtocol: String?
    /// Whether an earlier session goes on.
    public let isResumed: Bool
    /// The name that the client has asked for (SNI, RFC 6066 §3); what a server sees.
    public let requestedServerName: String?
    /// The hash of the key in the peer's certificate.
    public let peerKeyHash: TLSKeyHash?
    /// Whether one of the pinned keys was there.
    public let pinOutcome: TLSPinOutcome
}
