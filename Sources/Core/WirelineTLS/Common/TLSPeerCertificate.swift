// SPDX-License-Identifier: Apache-2.0

/// The names in a peer's certificate, which was verified: its issuer is trusted, and it was valid at that time.
///
/// A server uses it to know who a client is, if ``TLSConfiguration/clientCertificates`` asks for certificates:
///
///     guard let name = client.tls?.peerCertificate?.hostNames.first else { … }
///
/// The texts are as in the certificate, in its order, and not normalised: compare host names without regard to case.
/// An alternative name that contains anything but printable ASCII is left out, such as one with a zero byte, which some
/// programs would read as another name. Every name is as trustworthy as the authorities in
/// ``TLSConfiguration/trustRoots``: if these are public ones, anybody can get a certificate from them.
public struct TLSPeerCertificate: Hashable, Sendable {
    /// The distinguished name of the subject, as in RFC 4514: `CN=Mo,O=Example`; empty if it has no attributes.
    ///
    /// The most specific attribute comes first. Letters outside ASCII are UTF-8, and control characters are escaped.
    public let subject: String
    /// The most specific common name (`CN`) of the subject; nil if there is none, or one with a control character.
    public let commonName: String?
    /// The DNS names among the subject alternative names (RFC 5280 §4.2.1.6), which may be patterns: `*.example.com`.
    public let hostNames: [String]
    /// The IP addresses among the subject alternative names: `192.0.2.1`, `2001:db8::1`.
    public let ipAddresses: [String]
    /// The URIs among the subject alternative names, such as `spiffe://example.com/game`.
    public let uris: [String]
    /// The email addresses among the subject alternative names.
    public let emailAddresses: [String]
}
