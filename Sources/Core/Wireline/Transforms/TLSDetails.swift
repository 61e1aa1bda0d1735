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
    /// The hash of the key in the peer's certificate; nil if the peer has shown none.
    public let peerKeyHash: TLSKeyHash?
    /// The names in the peer's certificate, such as those of the client on a server; nil unless it was verified.
    ///
    /// A server has it only with `TLSConfiguration.clientCertificates`, and not of a client without a certificate. With
    /// `dangerouslyTrustsAnyCertificate` it is nil.
    public let peerCertificate: TLSPeerCertificate?
    /// Whether one of the pinned keys was found.
    public let pinOutcome: TLSPinOutcome
}
