// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineTLS

/// The names in a verified certificate.
@Suite(.enabled(if: OpenSSLTool.isWanted, "\(OpenSSLTool.absence)"))
struct PeerCertificateTests {
    let certificates: Certificates

    init() throws { certificates = try Certificates.made.get() }

    private func contexts(
        _ client: IssuedCertificate?, _ version: TLSVersion = .tls13,
        _ change: (inout TLSConfiguration) -> Void = { _ in }
    ) throws -> (client: TLSContext, server: TLSContext) {
        var server = certificates.serverConfiguration()
        server.trustRoots = .only(.text(certificates.root.own.certificate))
        server.clientCertificates = .requested
        server.maximumVersion = version
        change(&server)
        return try (TLSContext(certificates.clientConfiguration(identity: client)), TLSContext(server))
    }

    /// The names that a server sees of a client with this certificate.
    private func seen(of client: IssuedCertificate) throws -> TLSPeerCertificate {
        let contexts = try contexts(client)
        let pair = try Pair(contexts.client, contexts.server)
        try pair.exchange()
        return try #require(pair.server.engine.peerCertificate)
    }

    @Test func `each kind of name is there, in the order of the certificate`() throws {
        let names = [
            "DNS:b.test", "URI:spiffe://example.test/game", "IP:192.0.2.1", "email:mo@example.test", "DNS:*.A.test",
            "IP:2001:db8::1", "email:lin@example.test", "URI:https://example.test/?a=b", "RID:1.2.3",
        ]
        let client = try certificates.root.issue(to: names, for: .client, subject: "/O=Example/CN=Mo")
        let certificate = try seen(of: client)
        #expect(certificate.subject == "CN=Mo,O=Example")
        #expect(certificate.commonName == "Mo")
        #expect(certificate.hostNames == ["b.test", "*.A.test"])
        #expect(certificate.ipAddresses == ["192.0.2.1", "2001:db8::1"])
        #expect(certificate.uris == ["spiffe://example.test/game", "https://example.test/?a=b"])
        #expect(certificate.emailAddresses == ["mo@example.test", "lin@example.test"])
    }

    @Test(arguments: [
        ("/CN=老王", "CN=老王", "老王"), ("/CN=a, b;c=d", #"CN=a\, b\;c=d"#, "a, b;c=d"),
        ("/CN=outer/CN=inner", "CN=inner,CN=outer", "inner"), ("/CN=é\u{1}", #"CN=é\01"#, nil),
    ])
    func `a subject is text of RFC 4514, and a common name with a control character is left out`(
        subject: String, text: String, commonName: String?
    ) throws {
        let client = try certificates.root.issue(to: ["DNS:a.test"], for: .client, subject: subject)
        let certificate = try seen(of: client)
        #expect(certificate.subject == text)
        #expect(certificate.commonName == commonName)
    }

    @Test func `a name with a zero byte and an address of three bytes are left out`() throws {
        // [2] "a\0b", [2] "ok", [7] 01 02 03
        let names = ["DER:30:0e:82:03:61:00:62:82:02:6f:6b:87:03:01:02:03"]
        let certificate = try seen(of: certificates.root.issue(to: names, for: .client))
        #expect(certificate.hostNames == ["ok"])
        #expect(certificate.ipAddresses == [])
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a resumed session has the certificate of the first handshake`(version: TLSVersion) throws {
        let contexts = try contexts(certificates.client, version)
        for isResumed in [false, true] {
            let pair = try Pair(contexts.client, contexts.server)
            #expect(pair.server.engine.peerCertificate == nil)
            try pair.exchange()
            #expect(pair.server.engine.isResumed == isResumed)
            #expect(pair.server.engine.peerCertificate?.hostNames == ["client.test"])
            // A client knows the server's.
            #expect(pair.client.engine.peerCertificate?.ipAddresses == ["127.0.0.1", "::1"])
        }
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `there is none without a client certificate, and none that was not verified`(version: TLSVersion) throws {
        let without = try contexts(nil, version)
        let pair = try Pair(without.client, without.server)
        try pair.exchange()
        #expect(pair.server.engine.isHandshakeComplete && pair.server.engine.peerCertificate == nil)

        let stranger = try certificates.otherRoot.issue(to: ["DNS:client.test"], for: .client)
        let blind = try contexts(stranger, version) { $0.dangerouslyTrustsAnyCertificate = true }
        for _ in 0..<2 {
            let pair = try Pair(blind.client, blind.server)
            try pair.exchange()
            #expect(pair.server.engine.peerKeyHash != nil && pair.server.engine.peerCertificate == nil)
        }
    }
}
