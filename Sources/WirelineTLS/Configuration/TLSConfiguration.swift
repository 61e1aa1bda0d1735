// SPDX-License-Identifier: Apache-2.0

/// How one side of TLS connections behaves.
///
/// What is left as it is, is safe: TLS 1.2 or 1.3, a chain that leads to one of the system's roots, and a certificate
/// that is for the host which was asked for.
///
///     var configuration = TLSConfiguration.client()
///     configuration.pins = try TLSPins(["sha256/9VN3nxGH2…=", "sha256/mNyv9tkPI…="])
///     let context = try TLSContext(configuration)
public struct TLSConfiguration: Sendable {
    enum Role: Sendable { case client, server }

    let role: Role

    /// The lowest version that is spoken (default: TLS 1.2; lower ones cannot be had).
    public var minimumVersion = TLSVersion.tls12
    /// The highest version that is spoken (default: TLS 1.3).
    public var maximumVersion = TLSVersion.tls13
    /// Whose certificates are trusted (default: those of the system).
    ///
    /// A server looks at them only when it asks clients for certificates.
    public var trustRoots = TLSTrustRoots.system
    /// The certificate to show, if any; a server has one.
    public var identity: TLSIdentity?
    /// What a server shows to clients that ask for a host by its name (SNI, RFC 6066 §3), by that name (default: nothing;
    /// everybody gets ``identity``).
    ///
    /// A name is a host such as `game.example.com`, or `*.example.com` for all that have one label in the place of the
    /// asterisk (RFC 9525 §6.3); a name that stands here as such comes first. Who asks for another name, or for none, gets
    /// ``identity``. Upper and lower case are the same. ``server(identities:)`` takes the names from the certificates.
    public var identitiesByName: [String: TLSIdentity] = [:]
    /// The application protocols (ALPN, RFC 7301), the preferred one first (default: none).
    ///
    /// A client offers them. A server chooses the first of its own that the client offers, and refuses a client that
    /// offers others only.
    public var applicationProtocols: [String] = []
    /// The keys of which the peer's chain must contain one (default: nil, any will do).
    public var pins: TLSPins?
    /// Whether a server asks clients for certificates (default: no).
    public var clientCertificates = TLSClientCertificates.notRequested
    /// Whether a later connection may continue what an earlier one has agreed on, which saves it the certificates and
    /// signatures (default: yes).
    ///
    /// Sessions and the keys of tickets belong to one ``TLSContext``, and a client's sessions to one server name. A
    /// client keeps one session for each of up to 256 names.
    public var resumesSessions = true
    /// Whether the peer's certificate is taken as it is, whoever has signed it and whatever its name and dates are
    /// (default: no). Anybody on the way can then read and change everything, unless ``pins`` are set: they still count,
    /// and only for the peer's own key.
    public var dangerouslyTrustsAnyCertificate = false

    private init(role: Role, identity: TLSIdentity?) {
        self.role = role
        self.identity = identity
    }

    /// - Parameter identity: The certificate to show to servers that ask for one (default: none).
    public static func client(identity: TLSIdentity? = nil) -> TLSConfiguration {
        TLSConfiguration(role: .client, identity: identity)
    }

    /// - Parameter identity: The server's certificate.
    public static func server(identity: TLSIdentity) -> TLSConfiguration {
        TLSConfiguration(role: .server, identity: identity)
    }
}

/// A version of TLS.
public enum TLSVersion: UInt16, Comparable, Sendable {
    /// TLS 1.2 (RFC 5246).
    case tls12 = 0x0303
    /// TLS 1.3 (RFC 8446).
    case tls13 = 0x0304

    public static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
}

/// Certificates or a key in PEM (RFC 7468): `-----BEGIN …-----`, base64, `-----END …-----`.
public enum TLSPEM: Sendable, Equatable {
    /// A file, read when a ``TLSContext`` is made; up to 16 MiB.
    case file(String)
    /// What would be in the file.
    case bytes([UInt8])

    /// What would be in the file.
    public static func text(_ text: String) -> TLSPEM { .bytes(Array(text.utf8)) }
}

/// A certificate with its chain and its key.
public struct TLSIdentity: Sendable, Equatable {
    /// The certificate, then those that lead from it to a root; the root itself may be left out.
    public var certificateChain: TLSPEM
    /// The private key of the first certificate, not encrypted.
    public var privateKey: TLSPEM

    /// - Parameters:
    ///   - certificateChain: The certificate, then those that lead from it to a root.
    ///   - privateKey: The private key of the first certificate, not encrypted.
    public init(certificateChain: TLSPEM, privateKey: TLSPEM) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }
}

/// Whose certificates are trusted.
public enum TLSTrustRoots: Sendable, Equatable {
    /// Those that OpenSSL finds on the system, on Debian in `/etc/ssl/certs` from the package `ca-certificates`; the
    /// environment's `SSL_CERT_FILE` and `SSL_CERT_DIR` may point elsewhere.
    case system
    /// These and no others; each is trusted, whether it is a root or not.
    case only(TLSPEM)
}

/// Whether a server asks clients for certificates.
public enum TLSClientCertificates: Sendable, Equatable {
    /// It does not.
    case notRequested
    /// It does, and goes on without one; one that is shown must be good.
    case requested
    /// It does, and refuses clients without one: ``TLSError/missingCertificate``.
    case required
}
