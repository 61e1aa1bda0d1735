// SPDX-License-Identifier: Apache-2.0

/// The configuration of one side of TLS connections.
///
/// The defaults are safe: TLS 1.2 or 1.3, a chain that leads to one of the system's roots, and a certificate for the
/// requested host.
///
///     var configuration = TLSConfiguration.client()
///     configuration.pins = try TLSPins(["sha256/9VN3nxGH2…=", "sha256/mNyv9tkPI…="])
///     let context = try TLSContext(configuration)
public struct TLSConfiguration: Sendable {
    enum Role: Sendable { case client, server }

    let role: Role

    /// The lowest version (default: TLS 1.2; lower ones are not supported).
    public var minimumVersion = TLSVersion.tls12
    /// The highest version (default: TLS 1.3).
    public var maximumVersion = TLSVersion.tls13
    /// The ciphers of TLS 1.2, preferred ones first, as in an OpenSSL cipher list (`openssl ciphers`).
    ///
    /// The default is AES-GCM and ChaCha20-Poly1305 with ECDHE key agreement. So a stolen server key does not decrypt
    /// earlier recordings. The default leaves out OpenSSL's ciphers without ECDHE or with CBC.
    public var tls12Ciphers = ["ECDHE+AESGCM", "ECDHE+CHACHA20"]
    /// The cipher suites of TLS 1.3, preferred ones first, by their names in RFC 8446 §B.4.
    /// The default is AES-256-GCM, ChaCha20-Poly1305, AES-128-GCM.
    public var tls13CipherSuites = [
        "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256",
    ]
    /// The groups for key agreement in both versions, preferred ones first, by OpenSSL's names: `X25519`, `P-256` …
    /// The default is empty: OpenSSL's own choice.
    public var groups: [String] = []
    /// The trusted certificates (default: those of the system).
    ///
    /// A server uses them only if it asks clients for certificates.
    public var trustRoots = TLSTrustRoots.system
    /// The certificate to show, if any; a server has one.
    public var identity: TLSIdentity?
    /// The server's certificates by the host name that a client asks for (SNI, RFC 6066 §3; default: empty).
    ///
    /// A name is a host such as `game.example.com`, or `*.example.com`, where the asterisk stands for one label (RFC
    /// 9525 §6.3). An exact name takes precedence. A client that asks for another name, or for none, gets ``identity``.
    /// Names are case-insensitive. ``server(identities:)`` takes the names from the certificates.
    public var identitiesByName: [String: TLSIdentity] = [:]
    /// The application protocols (ALPN, RFC 7301), preferred one first (default: none).
    ///
    /// A client offers them. A server chooses the first of its own that the client offers, and refuses a client that
    /// offers only others.
    public var applicationProtocols: [String] = []
    /// The pinned keys, one of which the peer's chain must contain (default: nil, no pins).
    public var pins: TLSPins?
    /// Whether a server asks clients for certificates (default: no).
    ///
    /// ``TLSEngine/peerCertificate`` then has the names of a client's certificate.
    public var clientCertificates = TLSClientCertificates.notRequested
    /// Whether connections may resume sessions, which saves certificates and signatures (default: yes).
    ///
    /// Sessions and ticket keys belong to one ``TLSContext``, and a client's sessions to one server name. A client
    /// keeps one session for each of up to 256 names. ``TLSContext/replace(with:)`` ends all of them.
    ///
    /// A session is not resumed after a certificate of the peer's chain has expired, or one day after the full
    /// handshake. Then a full handshake verifies the certificate and the pins again. Only a server without
    /// ``clientCertificates`` has nothing to verify, and sets no such limit.
    public var resumesSessions = true
    /// Whether any certificate is accepted, whatever its issuer, name and dates (default: no).
    /// Anybody on the path can then read and change everything, unless ``pins`` are set: they still apply, but only to
    /// the peer's own key.
    public var dangerouslyTrustsAnyCertificate = false
    /// Where the secrets of connections are written, so that Wireshark can read a capture (default: nil, nowhere).
    public var keyLog: TLSKeyLog?

    private init(role: Role, identity: TLSIdentity?) {
        self.role = role
        self.identity = identity
    }

    /// Drops private keys that were given as bytes.
    mutating func dropKeys() {
        identity?.dropKey()
        for name in identitiesByName.keys { identitiesByName[name]?.dropKey() }
    }

    /// Makes a client's configuration.
    ///
    /// - Parameter identity: The certificate to show to servers that ask for one (default: none).
    public static func client(identity: TLSIdentity? = nil) -> TLSConfiguration {
        TLSConfiguration(role: .client, identity: identity)
    }

    /// Makes a server's configuration.
    ///
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
    /// A file, read when a ``TLSContext`` is made, and by ``TLSContext/replace(with:)``; at most 16 MiB.
    case file(String)
    /// The content of such a file.
    case bytes([UInt8])

    /// The content of such a file, as text.
    public static func text(_ text: String) -> TLSPEM { .bytes(Array(text.utf8)) }
}

extension TLSPEM: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The path, or the number of bytes: these may be a private key and are never printed.
    public var description: String {
        switch self {
        case .file(let path): "file(\(String(reflecting: path)))"
        case .bytes(let bytes): "bytes(\(bytes.count) bytes)"
        }
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// A certificate with its chain and its key.
public struct TLSIdentity: Sendable, Equatable {
    /// The certificate, then those that lead from it to a root; the root itself may be left out.
    public var certificateChain: TLSPEM
    /// The private key of the first certificate, not encrypted.
    public var privateKey: TLSPEM

    /// Makes an identity.
    ///
    /// - Parameters:
    ///   - certificateChain: The certificate, then those that lead from it to a root.
    ///   - privateKey: The private key of the first certificate, not encrypted.
    public init(certificateChain: TLSPEM, privateKey: TLSPEM) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }

    fileprivate mutating func dropKey() {
        if case .bytes = privateKey { privateKey = .bytes([]) }
    }
}

/// The trusted certificates.
public enum TLSTrustRoots: Sendable, Equatable {
    /// Those that OpenSSL finds on the system; on Debian `/etc/ssl/certs`, from the package `ca-certificates`.
    /// The environment variables `SSL_CERT_FILE` and `SSL_CERT_DIR` override the place.
    case system
    /// Only these; each is trusted, whether it is a root or not.
    case only(TLSPEM)
}

/// Whether a server asks clients for certificates.
public enum TLSClientCertificates: Sendable, Equatable {
    /// The server does not ask.
    case notRequested
    /// The server asks, and accepts clients without one; a certificate that is shown must be valid.
    case requested
    /// The server asks, and refuses clients without one: ``TLSError/missingCertificate``.
    case required
}
