// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A certificate with its key and the certificates from it to a root, in PEM.
public struct IssuedCertificate: Sendable {
    public let certificate: String
    /// The issuers' certificates up to the root, which is left out.
    public var issuers: String
    public let key: String
    /// The SHA-256 of the public key in hexadecimal, as the tool `openssl` computes it.
    public let keyHash: String

    /// The certificate and its issuers.
    public var chain: String { certificate + issuers }
}

/// Issues certificates for tests with the tool `openssl`; the keys are of the curve P-256.
public struct CertificateAuthority: Sendable {
    /// Its own certificate.
    public let own: IssuedCertificate
    private let isRoot: Bool

    /// A root that is not in the system's list.
    public init(_ name: String) throws {
        own = try Self.inFolder { folder in
            let arguments = ["req", "-x509", "-new", "-sha256", "-days", "2", "-key", "key", "-subj", "/CN=" + name]
            let extensions = ["-addext", "keyUsage=critical,keyCertSign,cRLSign"]
            try Self.makeKey(nil, in: folder)
            let certificate = try OpenSSLTool.run(arguments + extensions, in: folder)
            return try Self.issued(certificate, issuers: "", in: folder)
        }
        isRoot = true
    }

    private init(below own: IssuedCertificate) {
        self.own = own
        isRoot = false
    }

    /// An authority below this one.
    public func intermediate(_ name: String, validity: Validity = .now) throws -> CertificateAuthority {
        let extensions = "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n"
        return CertificateAuthority(below: try issue("/CN=" + name, extensions, validity: validity))
    }

    /// The purpose of a certificate.
    public enum Usage: String, Sendable {
        case server = "serverAuth"
        case client = "clientAuth"
    }

    /// When a certificate is valid.
    public enum Validity: Sendable {
        case now, over, later
        /// From now on, for one hour.
        case hour
    }

    /// A certificate for a peer.
    ///
    /// - Parameters:
    ///   - names: Its names, as OpenSSL's `subjectAltName` takes them: `DNS:example.com`, `IP:127.0.0.1`.
    ///   - key: The key in PEM; without, a new one.
    ///   - subject: The subject, as the tool `openssl` takes it: `/O=Example/CN=Mo`.
    public func issue(
        to names: [String], for usage: Usage = .server, validity: Validity = .now, key: String? = nil,
        subject: String = "/CN=peer"
    ) throws -> IssuedCertificate {
        let extensions = "subjectAltName=\(names.joined(separator: ","))\nextendedKeyUsage=\(usage.rawValue)\n"
        return try issue(subject, extensions, validity: validity, key: key)
    }

    /// A certificate signed by its own key.
    public static func selfSigned(for names: [String]) throws -> IssuedCertificate {
        try inFolder { folder in
            try makeKey(nil, in: folder)
            let arguments = ["req", "-x509", "-new", "-sha256", "-days", "2", "-key", "key", "-subj", "/CN=peer"]
            let extensions = ["-addext", "subjectAltName=" + names.joined(separator: ",")]
            return try issued(OpenSSLTool.run(arguments + extensions, in: folder), issuers: "", in: folder)
        }
    }

    // MARK: Running the tool

    private func issue(
        _ subject: String, _ extensions: String, validity: Validity = .now, key: String? = nil
    ) throws -> IssuedCertificate {
        try Self.inFolder { folder in
            try Self.makeKey(key, in: folder)
            try own.certificate.write(to: folder.appending(path: "issuer"), atomically: false, encoding: .utf8)
            try own.key.write(to: folder.appending(path: "issuer-key"), atomically: false, encoding: .utf8)
            try (Self.configuration + extensions)
                .write(to: folder.appending(path: "configuration"), atomically: false, encoding: .utf8)
            try "".write(to: folder.appending(path: "database"), atomically: false, encoding: .utf8)
            try OpenSSLTool.run(
                ["req", "-new", "-utf8", "-sha256", "-key", "key", "-subj", subject, "-out", "request"], in: folder)
            let days = Self.days(of: validity)
            let certificate = try OpenSSLTool.run(
                [
                    "ca", "-batch", "-notext", "-config", "configuration", "-in", "request", "-startdate", days.first,
                    "-enddate", days.last,
                ], in: folder)
            return try Self.issued(certificate, issuers: isRoot ? "" : own.chain, in: folder)
        }
    }

    private static func makeKey(_ key: String?, in folder: URL) throws {
        let file = folder.appending(path: "key")
        if let key { return try key.write(to: file, atomically: false, encoding: .utf8) }
        try OpenSSLTool.run(
            ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "key"], in: folder)
    }

    private static func issued(_ certificate: Data, issuers: String, in folder: URL) throws -> IssuedCertificate {
        let key = try String(contentsOf: folder.appending(path: "key"), encoding: .utf8)
        try OpenSSLTool.run(["pkey", "-in", "key", "-pubout", "-outform", "DER", "-out", "public"], in: folder)
        let hash = try OpenSSLTool.run(["dgst", "-sha256", "-r", "public"], in: folder)
        return IssuedCertificate(
            certificate: String(decoding: certificate, as: UTF8.self), issuers: issuers, key: key,
            keyHash: String(decoding: hash.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
    }

    /// The first and the last second of a certificate, as ASN.1 writes them.
    private static func days(of validity: Validity) -> (first: String, last: String) {
        switch validity {
        case .now: ("20200101000000Z", "20991231235959Z")
        case .over: ("20200101000000Z", "20210101000000Z")
        case .later: ("20980101000000Z", "20991231235959Z")
        case .hour: ("20200101000000Z", text(of: Date(timeIntervalSinceNow: 3600)))
        }
    }

    private static func text(of date: Date) -> String {
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        return style.format(date).replacing("T", with: "")
    }

    /// Runs a closure in a folder that is removed afterwards.
    private static func inFolder<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "wireline-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }

    private static let configuration = """
        [ca]
        default_ca = default
        [default]
        database = database
        new_certs_dir = .
        certificate = issuer
        private_key = issuer-key
        rand_serial = yes
        default_md = sha256
        policy = policy
        preserve = yes
        x509_extensions = extensions
        [policy]
        organizationName = optional
        commonName = supplied
        [extensions]

        """
}
