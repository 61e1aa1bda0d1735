// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineTLS

/// Which ciphers and groups are accepted, and what happens to others.
@Suite(.enabled(if: OpenSSLTool.isWanted, "\(OpenSSLTool.absence)"), .amongAll)
struct CipherTests {
    let certificates: Certificates
    let files: CertificateFiles
    /// A certificate with an RSA key: only such a key works without ECDHE.
    let certificate: IssuedCertificate

    init() throws {
        certificates = try Certificates.made.get()
        files = try CertificateFiles(certificates)
        let key = try OpenSSLTool.run(
            ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"], in: files.folder)
        certificate = try certificates.root.issue(to: ["DNS:server.test"], key: String(decoding: key, as: UTF8.self))
        try files.write("rsa", certificate)
    }

    private func pair(
        _ version: TLSVersion, client change: (inout TLSConfiguration) -> Void = { _ in },
        server changeServer: (inout TLSConfiguration) -> Void = { _ in }
    ) throws -> Pair {
        var (client, server) = (certificates.clientConfiguration(), certificates.serverConfiguration(certificate))
        client.maximumVersion = version
        change(&client)
        changeServer(&server)
        return try Pair(client, server)
    }

    @Test(arguments: [
        ("AES128-SHA", false), ("AES256-GCM-SHA384", false), ("ECDHE-RSA-AES128-SHA", false),
        ("ECDHE-RSA-AES256-SHA384", false), ("DHE-RSA-AES128-GCM-SHA256", false), ("ECDHE-RSA-AES128-GCM-SHA256", true),
        ("ECDHE-RSA-CHACHA20-POLY1305", true),
    ])
    func `s_client needs forward secrecy and authenticated encryption`(
        cipher: String, isFine: Bool
    ) throws {
        let listener = try LoopbackListener()
        let process = try PeerProcess(
            OpenSSLTool.process(
                [
                    "s_client", "-connect", "127.0.0.1:\(listener.port)", "-tls1_2", "-cipher", cipher, "-CAfile",
                    "root",
                ],
                in: files.folder))
        let context = try TLSContext(certificates.serverConfiguration(certificate))
        let side = try SocketSide(context.accept(), accepting: listener)
        guard isFine else {
            let error = #expect(throws: TLSError.self) { try side.shakeHands() }
            guard case .violation(_, answer: .handshakeFailure) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(try process.finish().text.contains("alert handshake failure"))
            return
        }
        try side.shakeHands()
        #expect(side.engine.cipher == cipher)
        try side.end()
        _ = try process.finish()
    }

    @Test(arguments: ["AES128-SHA", "ECDHE-RSA-AES128-SHA"])
    func `a server with only old ciphers is refused`(cipher: String) throws {
        let process = try PeerProcess(
            OpenSSLTool.process(
                [
                    "s_server", "-accept", "127.0.0.1:0", "-cert", "rsa", "-key", "rsa-key", "-tls1_2", "-cipher",
                    cipher,
                ], in: files.folder))
        let side = try SocketSide(
            TLSContext(certificates.clientConfiguration()).connect(to: "server.test"),
            connectingTo: process.port(behind: "ACCEPT"))
        #expect(throws: TLSError.alert(.handshakeFailure)) { try side.shakeHands() }
        withExtendedLifetime(process) {}
    }

    @Test(arguments: [
        (TLSVersion.tls12, "ECDHE-RSA-AES256-GCM-SHA384"), (.tls13, "TLS_AES_256_GCM_SHA384"),
    ])
    func `the strongest cipher is the default`(version: TLSVersion, cipher: String) throws {
        let pair = try pair(version)
        try pair.exchange()
        #expect(pair.client.engine.cipher == cipher)
        #expect(pair.server.engine.cipher == cipher)
    }

    @Test(arguments: [true, false])
    func `each side can choose its ciphers`(isClient: Bool) throws {
        let choice: (inout TLSConfiguration) -> Void = {
            $0.tls12Ciphers = ["ECDHE-RSA-AES128-SHA", "AES128-SHA"]
            $0.tls13CipherSuites = ["TLS_AES_128_GCM_SHA256"]
        }
        let other: (inout TLSConfiguration) -> Void = { $0.tls12Ciphers = ["AES128-SHA"] }
        let old = try pair(.tls12, client: isClient ? choice : other, server: isClient ? other : choice)
        try old.exchange()
        #expect(old.client.engine.cipher == "AES128-SHA")
        let new = try pair(.tls13, client: isClient ? choice : other, server: isClient ? other : choice)
        try new.exchange()
        #expect(new.client.engine.cipher == "TLS_AES_128_GCM_SHA256")
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a handshake fails if the two sides have no group in common`(version: TLSVersion) throws {
        let fine = try pair(version, client: { $0.groups = ["X25519", "P-384"] }, server: { $0.groups = ["P-384"] })
        try fine.exchange()
        #expect(fine.server.engine.isHandshakeComplete)
        let refused = try pair(version, client: { $0.groups = ["X25519"] }, server: { $0.groups = ["P-384"] })
        let error = #expect(throws: TLSError.self) { try refused.exchange() }
        guard case .violation = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    private struct Misnomer: Sendable {
        var error: TLSError
        var change: @Sendable (inout TLSConfiguration) -> Void

        init(_ error: TLSError, _ change: @escaping @Sendable (inout TLSConfiguration) -> Void) {
            self.error = error
            self.change = change
        }
    }

    private static let misnomers = [
        Misnomer(.unknownCipher("AES-7")) { $0.tls12Ciphers = ["ECDHE+AESGCM", "AES-7"] },
        Misnomer(.unknownCipher("TLS_AES_128_GCM_SHA256")) { $0.tls12Ciphers = ["TLS_AES_128_GCM_SHA256"] },
        Misnomer(.unknownCipher("ECDHE+AESGCM:AES-7")) { $0.tls12Ciphers = ["ECDHE+AESGCM:AES-7"] },
        Misnomer(.unknownCipher("")) { $0.tls12Ciphers = ["ECDHE+AESGCM", "!ECDHE"] },
        Misnomer(.unknownCipher("")) { $0.tls12Ciphers = [] },
        Misnomer(.unknownCipher("")) { $0.tls12Ciphers = [""] },
        Misnomer(.unknownCipher("")) { $0.tls13CipherSuites = [] },
        Misnomer(.unknownCipher("TLS_AES")) { $0.tls13CipherSuites = ["TLS_AES_256_GCM_SHA384", "TLS_AES"] },
        Misnomer(.unknownCipher("ECDHE-RSA-AES128-SHA")) { $0.tls13CipherSuites = ["ECDHE-RSA-AES128-SHA"] },
        Misnomer(.unknownGroup("P-257")) { $0.groups = ["X25519", "P-257"] },
        Misnomer(.unknownGroup("")) { $0.groups = [""] },
        Misnomer(.unknownGroup("X25519:P-256")) { $0.groups = ["X25519:P-256"] },
    ]

    @Test(arguments: misnomers.indices)
    func `an unknown cipher or group is an error that names it`(index: Int) throws {
        for var configuration in [certificates.clientConfiguration(), certificates.serverConfiguration()] {
            Self.misnomers[index].change(&configuration)
            #expect(throws: Self.misnomers[index].error) { try TLSContext(configuration) }
        }
    }
}
