// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineTLS

/// A context gets another configuration while connections use it.
@Suite(.enabled(if: OpenSSLTool.isWanted, "\(OpenSSLTool.absence)"))
struct ReplacementTests {
    let certificates: Certificates
    /// A renewed certificate for the same host, with another key.
    let renewed: IssuedCertificate

    init() throws {
        certificates = try Certificates.made.get()
        renewed = try Self.renewed.get()
    }

    private static let renewed = Result { try Certificates.made.get().root.issue(to: ["DNS:server.test"]) }

    private func client(_ version: TLSVersion, identity: IssuedCertificate? = nil) throws -> TLSContext {
        var configuration = certificates.clientConfiguration(identity: identity)
        configuration.maximumVersion = version
        return try TLSContext(configuration)
    }

    /// Connects, and returns both sides.
    private func connect(_ client: TLSContext, _ server: TLSContext) throws -> Pair {
        let pair = try Pair(client, server)
        try pair.exchange()
        #expect(pair.server.engine.isHandshakeComplete)
        return pair
    }

    private func hash(_ certificate: IssuedCertificate) throws -> TLSKeyHash { try TLSKeyHash(certificate.keyHash) }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `new connections get the new certificate, and those that have begun continue`(version: TLSVersion) throws {
        let server = try TLSContext(certificates.serverConfiguration())
        let old = try connect(client(version), server)
        let beginning = try Pair(client(version), server)
        try beginning.client.engine.start()
        _ = try beginning.server.receive(beginning.client.output())
        try server.replace(with: certificates.serverConfiguration(renewed))
        #expect(try connect(client(version), server).client.engine.peerKeyHash == hash(renewed))
        // The server has already chosen its certificate.
        try beginning.exchange()
        #expect(try beginning.client.engine.peerKeyHash == hash(certificates.server))
        for pair in [old, beginning] {
            try pair.send([1, 2, 3], from: pair.client)
            try pair.send([4, 5], from: pair.server)
            #expect(pair.server.received == [1, 2, 3] && pair.client.received == [4, 5])
        }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a ticket of the old certificate leads to a full handshake, and the next one resumes`(
        version: TLSVersion
    ) throws {
        let (client, server) = (try client(version), try TLSContext(certificates.serverConfiguration()))
        #expect(try !connect(client, server).client.engine.isResumed)
        #expect(try connect(client, server).client.engine.isResumed)
        try server.replace(with: certificates.serverConfiguration(renewed))
        let first = try connect(client, server).client.engine
        #expect(!first.isResumed)
        #expect(try first.peerKeyHash == hash(renewed))
        let second = try connect(client, server).client.engine
        #expect(second.isResumed)
        #expect(try second.peerKeyHash == hash(renewed))
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a removed authority counts for no client any more, also not for one with a ticket`(
        version: TLSVersion
    ) throws {
        var configuration = certificates.serverConfiguration()
        configuration.clientCertificates = .required
        configuration.trustRoots = .only(.text(certificates.root.own.certificate))
        let (client, server) = (try client(version, identity: certificates.client), try TLSContext(configuration))
        #expect(try !connect(client, server).server.engine.isResumed)
        #expect(try connect(client, server).server.engine.isResumed)
        configuration.trustRoots = .only(.text(certificates.otherRoot.own.certificate))
        try server.replace(with: configuration)
        let refused = try Pair(client, server)
        #expect(throws: TLSError.unknownIssuer(depth: 0)) { try refused.exchange() }
        let other = try certificates.otherRoot.issue(to: ["DNS:client.test"], for: .client)
        #expect(try connect(self.client(version, identity: other), server).server.engine.peerKeyHash == hash(other))
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a client shows its new certificate, and resumes no session of the old one`(version: TLSVersion) throws {
        var configuration = certificates.serverConfiguration()
        configuration.clientCertificates = .required
        configuration.trustRoots = .only(.text(certificates.root.own.certificate))
        let (client, server) = (try client(version, identity: certificates.client), try TLSContext(configuration))
        _ = try connect(client, server)
        let renewed = try certificates.root.issue(to: ["DNS:client.test"], for: .client)
        var next = certificates.clientConfiguration(identity: renewed)
        next.maximumVersion = version
        try client.replace(with: next)
        let engine = try connect(client, server).server.engine
        #expect(!engine.isResumed)
        #expect(try engine.peerKeyHash == hash(renewed))
    }

    @Test func `certificates of further hosts are replaced too`() throws {
        let other = try certificates.root.issue(to: ["DNS:other.test"])
        let server = try TLSContext(
            .server(identities: [TLSIdentity(certificates.server), TLSIdentity(other)]))
        let next = try certificates.root.issue(to: ["DNS:other.test"])
        try server.replace(with: .server(identities: [TLSIdentity(certificates.server), TLSIdentity(next)]))
        let pair = try Pair(client(.tls13), server, serverName: "other.test")
        try pair.exchange()
        #expect(try pair.client.engine.peerKeyHash == hash(next))
    }

    @Test func `a bad replacement is an error, and the old certificate stays`() throws {
        let server = try TLSContext(certificates.serverConfiguration())
        let mixed = TLSIdentity(certificateChain: .text(renewed.chain), privateKey: .text(certificates.server.key))
        #expect(throws: TLSError.keyDoesNotMatch) { try server.replace(with: .server(identity: mixed)) }
        let missing = TLSIdentity(certificateChain: .file("/nonexistent"), privateKey: .text(renewed.key))
        // ENOENT
        #expect(throws: TLSError.unreadableFile(path: "/nonexistent", code: 2)) {
            try server.replace(with: .server(identity: missing))
        }
        var configuration = certificates.serverConfiguration(renewed)
        configuration.trustRoots = .only(.text("nothing"))
        configuration.clientCertificates = .required
        #expect(throws: TLSError.self) { try server.replace(with: configuration) }
        let client = try client(.tls13)
        #expect(try connect(client, server).client.engine.peerKeyHash == hash(certificates.server))
        // Its tickets stay good too.
        #expect(try connect(client, server).client.engine.isResumed)
    }

    @Test func `a configuration for the other side, or without a version, is an error`() throws {
        let server = try TLSContext(certificates.serverConfiguration())
        let client = try client(.tls13)
        #expect(throws: TLSError.wrongSide) { try server.replace(with: certificates.clientConfiguration()) }
        #expect(throws: TLSError.wrongSide) { try client.replace(with: certificates.serverConfiguration()) }
        #expect(throws: TLSError.wrongSide) { _ = try server.connect(to: "server.test") }
        #expect(throws: TLSError.wrongSide) { _ = try client.accept() }
        var configuration = certificates.serverConfiguration(renewed)
        configuration.minimumVersion = .tls13
        configuration.maximumVersion = .tls12
        #expect(throws: TLSError.noVersion) { try server.replace(with: configuration) }
        #expect(try connect(client, server).client.engine.peerKeyHash == hash(certificates.server))
    }

    @Test func `the configuration is the new one, without its key`() throws {
        let server = try TLSContext(certificates.serverConfiguration())
        try server.replace(with: certificates.serverConfiguration(renewed))
        #expect(server.configuration.identity?.certificateChain == .text(renewed.chain))
        #expect(server.configuration.identity?.privateKey == .bytes([]))
    }
}
