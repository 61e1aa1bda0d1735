// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineTLS

/// Which certificate a server shows to which client.
@Suite(.enabled(if: OpenSSLTool.isWanted, "\(OpenSSLTool.absence)"), .amongAll)
struct IdentityChoiceTests {
    /// What the tests use together, made once: `server.test` is the default certificate.
    private struct Issued {
        let certificates: Certificates
        let game: IssuedCertificate
        let wild: IssuedCertificate

        static let made = Result { try Issued() }

        private init() throws {
            certificates = try Certificates.made.get()
            game = try certificates.root.issue(to: ["DNS:game.example.test"])
            wild = try certificates.intermediate.issue(to: ["DNS:*.example.test"])
        }

        func name(of hash: TLSKeyHash?) throws -> String {
            let names = try [
                TLSKeyHash(certificates.server.keyHash): "server", TLSKeyHash(game.keyHash): "game",
                TLSKeyHash(wild.keyHash): "wild",
            ]
            return hash.flatMap { names[$0] } ?? "none"
        }
    }

    private let issued: Issued
    private let server: TLSConfiguration

    init() throws {
        issued = try Issued.made.get()
        var server = issued.certificates.serverConfiguration()
        server.identitiesByName = [
            "Game.Example.test": TLSIdentity(issued.game), "*.example.test": TLSIdentity(issued.wild),
        ]
        self.server = server
    }

    private func client(_ version: TLSVersion) -> TLSConfiguration {
        var client = issued.certificates.clientConfiguration()
        client.maximumVersion = version
        return client
    }

    private static let choices = [
        ("game.example.test", "game"), ("GAME.example.test.", "game"), ("other.example.test", "wild"),
        ("server.test", "server"),
    ]

    @Test(arguments: choices, [TLSVersion.tls12, .tls13])
    func `a client gets the certificate of the host that it asks for`(
        choice: (name: String, shown: String), version: TLSVersion
    ) throws {
        let pair = try Pair(client(version), server, serverName: choice.name)
        try pair.exchange()
        try pair.send([1, 2, 3], from: pair.client)
        #expect(pair.server.received == [1, 2, 3])
        #expect(try issued.name(of: pair.client.engine.peerKeyHash) == choice.shown)
        let requested = choice.name.split(separator: ".").joined(separator: ".").lowercased()
        #expect(pair.server.engine.requestedServerName == requested)
    }

    @Test(arguments: ["example.test", "a.b.example.test", "example.test.other", "unknown", "127.0.0.1"])
    func `a client that asks for an unknown name gets the default certificate`(name: String) throws {
        var client = client(.tls13)
        client.dangerouslyTrustsAnyCertificate = true
        let pair = try Pair(client, server, serverName: name)
        try pair.exchange()
        #expect(try issued.name(of: pair.client.engine.peerKeyHash) == "server")
    }

    @Test func `a certificate lists its host names`() throws {
        let names = ["DNS:A.example.test", "DNS:*.Wild.test", "DNS:w*.test", "IP:127.0.0.1", "email:a@b.test"]
        let issued = try issued.certificates.root.issue(to: names)
        #expect(try TLSIdentity(issued).hostNames() == ["a.example.test", "*.wild.test"])
        #expect(try TLSIdentity(self.issued.certificates.root.own).hostNames() == [])
        #expect(throws: TLSError.unusable(.certificateChain, reason: "no -----BEGIN CERTIFICATE----- in it")) {
            try TLSIdentity(certificateChain: .text(issued.key), privateKey: .text(issued.key)).hostNames()
        }
    }

    @Test func `a certificate with damaged names is an error, not one without names`() throws {
        let damaged = try issued.certificates.root.issue(to: ["DER:30:7f:82"])
        #expect(throws: TLSError.unusable(.certificateChain, reason: "its alternative names cannot be read")) {
            try TLSIdentity(damaged).hostNames()
        }
    }

    @Test(arguments: choices + [("any.wild.test", "server"), ("127.0.0.1", "server")])
    func `several certificates are chosen by the names in them`(choice: (name: String, shown: String)) throws {
        let second = try issued.certificates.root.issue(to: ["DNS:server.test", "DNS:game.example.test"])
        let server = try TLSConfiguration.server(
            identities: [issued.certificates.server, issued.wild, issued.game, second].map(TLSIdentity.init))
        let pair = try Pair(client(.tls13), server, serverName: choice.name)
        try pair.exchange()
        #expect(try issued.name(of: pair.client.engine.peerKeyHash) == choice.shown)
    }

    @Test func `of several certificates only the first may have no host name`() throws {
        let (root, game) = (TLSIdentity(issued.certificates.root.own), TLSIdentity(issued.game))
        #expect(
            try TLSConfiguration.server(identities: [root, game]).identitiesByName.keys.sorted() == [
                "game.example.test"
            ])
        #expect(throws: TLSError.self) { try TLSConfiguration.server(identities: [game, root]) }
        #expect(try TLSConfiguration.server(identities: [root]).identity == root)
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a session resumes with the certificate of its name`(version: TLSVersion) throws {
        let contexts = try (TLSContext(client(version)), TLSContext(server))
        for isResumed in [false, true] {
            let pair = try Pair(contexts.0, contexts.1, serverName: "game.example.test")
            try pair.exchange()
            #expect(pair.client.engine.isResumed == isResumed)
            #expect(try issued.name(of: pair.client.engine.peerKeyHash) == "game")
        }
    }

    @Test func `all settings except the certificate apply to every name`() throws {
        var (client, server) = (client(.tls13), server)
        server.clientCertificates = .required
        server.trustRoots = .only(.text(issued.certificates.root.own.certificate))
        server.applicationProtocols = ["wireline"]
        server.pins = try TLSPins([issued.certificates.client.keyHash])
        client.applicationProtocols = ["wireline"]
        let nameless = try Pair(client, server, serverName: "game.example.test")
        #expect(throws: TLSError.missingCertificate) { try nameless.exchange() }
        client.identity = TLSIdentity(issued.certificates.client)
        let pair = try Pair(client, server, serverName: "game.example.test")
        try pair.exchange()
        #expect(pair.server.engine.applicationProtocol == "wireline")
        #expect(try pair.server.engine.pinOutcome == .matched(TLSKeyHash(issued.certificates.client.keyHash), depth: 0))
        #expect(try issued.name(of: pair.client.engine.peerKeyHash) == "game")
    }

    @Test(arguments: ["*", "*.", "a.*.test", "w*.test", "*.*.test", "127.0.0.1", "*.0.0.1", "::1", "a b", ""])
    func `an invalid pattern for host names is refused`(name: String) throws {
        var server = issued.certificates.serverConfiguration()
        server.identitiesByName = [name: TLSIdentity(issued.game)]
        #expect(throws: TLSError.invalidServerName(name)) { try TLSContext(server) }
    }

    @Test func `an unusable certificate for a name is refused, too`() throws {
        var server = issued.certificates.serverConfiguration()
        let mixed = TLSIdentity(certificateChain: .text(issued.game.chain), privateKey: .text(issued.wild.key))
        server.identitiesByName = ["game.example.test": mixed]
        #expect(throws: TLSError.keyDoesNotMatch) { try TLSContext(server) }
    }

    @Test(arguments: choices.dropFirst(2) + [("game.example.test", "game"), ("", "server")], ["-tls1_2", "-tls1_3"])
    func `s_client gets the certificate of the name that it asks for`(
        choice: (name: String, shown: String), version: String
    ) throws {
        let files = try CertificateFiles(issued.certificates)
        let listener = try LoopbackListener()
        let name = choice.name.isEmpty ? ["-noservername"] : ["-servername", choice.name]
        let expected = choice.name.isEmpty ? "server.test" : choice.name
        let process = try PeerProcess(
            OpenSSLTool.process(
                [
                    "s_client", "-connect", "127.0.0.1:\(listener.port)", "-verify_hostname", expected, "-CAfile",
                    "root",
                    "-verify_return_error", version,
                ] + name, in: files.folder))
        let side = try SocketSide(TLSContext(server).accept(), accepting: listener)
        try process.write("wireline\n")
        try side.run { side.side.received.count >= 9 }
        #expect(side.side.received == Array("wireline\n".utf8))
        try side.end()
        #expect(try process.finish().text.contains("Verify return code: 0 (ok)"))
    }
}
