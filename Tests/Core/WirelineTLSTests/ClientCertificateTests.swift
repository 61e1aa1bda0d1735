// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineTLS

@Suite(.enabled(if: OpenSSLTool.isWanted, "\(OpenSSLTool.absence)"))
struct ClientCertificateTests {
    let certificates: Certificates

    init() throws { certificates = try Certificates.made.get() }

    private func pair(
        _ wish: TLSClientCertificates, _ identity: IssuedCertificate?, _ version: TLSVersion
    ) throws -> Pair {
        var server = certificates.serverConfiguration()
        server.trustRoots = .only(.text(certificates.root.own.certificate))
        server.clientCertificates = wish
        server.maximumVersion = version
        return try Pair(certificates.clientConfiguration(identity: identity), server)
    }

    @Test(arguments: [TLSClientCertificates.requested, .required], [TLSVersion.tls12, .tls13])
    func `a client's certificate is verified, and the server knows its key`(
        wish: TLSClientCertificates, version: TLSVersion
    ) throws {
        let pair = try pair(wish, certificates.client, version)
        try pair.exchange()
        #expect(pair.server.engine.isHandshakeComplete)
        #expect(try pair.server.engine.peerKeyHash == TLSKeyHash(certificates.client.keyHash))
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a client without a certificate is accepted if the certificate is only requested`(version: TLSVersion) throws {
        let pair = try pair(.requested, nil, version)
        try pair.exchange()
        #expect(pair.server.engine.isHandshakeComplete)
        #expect(pair.server.engine.peerKeyHash == nil)
    }

    @Test(arguments: [(TLSVersion.tls12, TLSAlert.handshakeFailure), (.tls13, .certificateRequired)])
    func `a client without a certificate is refused if the certificate is required`(
        version: TLSVersion, alert: TLSAlert
    ) throws {
        let pair = try pair(.required, nil, version)
        #expect(throws: TLSError.missingCertificate) { try pair.exchange() }
        #expect(pair.client.engine.failure == .alert(alert))
    }

    @Test(arguments: [TLSClientCertificates.requested, .required], [TLSVersion.tls12, .tls13])
    func `a client certificate of an unknown issuer is refused`(
        wish: TLSClientCertificates, version: TLSVersion
    ) throws {
        let stranger = try certificates.otherRoot.issue(to: ["DNS:client.test"], for: .client)
        let pair = try pair(wish, stranger, version)
        #expect(throws: TLSError.unknownIssuer(depth: 0)) { try pair.exchange() }
        #expect(pair.client.engine.failure == .alert(.unknownAuthority))
    }

    @Test func `a server's certificate is refused as a client's`() throws {
        let pair = try pair(.required, certificates.server, .tls13)
        // X509_V_ERR_INVALID_PURPOSE
        #expect(throws: TLSError.certificateRefused(code: 26, depth: 0)) { try pair.exchange() }
    }

    @Test func `a server can pin its clients' keys`() throws {
        var server = certificates.serverConfiguration()
        server.trustRoots = .only(.text(certificates.root.own.certificate))
        server.clientCertificates = .required
        server.pins = try TLSPins([certificates.client.keyHash])
        let pair = try Pair(certificates.clientConfiguration(identity: certificates.client), server)
        try pair.exchange()
        #expect(try pair.server.engine.pinOutcome == .matched(TLSKeyHash(certificates.client.keyHash), depth: 0))

        let other = try certificates.root.issue(to: ["DNS:client.test"], for: .client)
        let refused = try Pair(certificates.clientConfiguration(identity: other), server)
        let error = try #require(throws: TLSError.self) { try refused.exchange() }
        guard case .pinMismatch = error else {
            Issue.record("\(error)")
            return
        }
    }
}
