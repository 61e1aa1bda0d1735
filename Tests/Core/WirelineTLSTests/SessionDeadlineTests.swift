// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineTLS

/// A resumed session carries no certificate, so the certificate's dates must end the session.
@Suite(.enabled(if: OpenSSLTool.isWanted, "\(OpenSSLTool.absence)"))
struct SessionDeadlineTests {
    let certificates: Certificates
    let clock = TestClock()

    init() throws { certificates = try Certificates.made.get() }

    /// A client and a server with one clock; the server requires the client's certificate if there is one.
    private func contexts(
        _ version: TLSVersion, server: IssuedCertificate? = nil, client: IssuedCertificate? = nil
    ) throws -> (client: TLSContext, server: TLSContext) {
        var serverConfiguration = certificates.serverConfiguration(server)
        if client != nil {
            serverConfiguration.trustRoots = .only(.text(certificates.root.own.certificate))
            serverConfiguration.clientCertificates = .required
        }
        var clientConfiguration = certificates.clientConfiguration(identity: client)
        clientConfiguration.maximumVersion = version
        return try (
            TLSContext(clientConfiguration, now: clock.now), TLSContext(serverConfiguration, now: clock.now)
        )
    }

    /// One connection; its engines are released afterwards.
    private func isResumed(_ contexts: (client: TLSContext, server: TLSContext)) throws -> Bool {
        let pair = try Pair(contexts.client, contexts.server)
        try pair.exchange()
        #expect(pair.client.engine.isHandshakeComplete)
        #expect(pair.client.engine.isResumed == pair.server.engine.isResumed)
        return pair.client.engine.isResumed
    }

    @Test(arguments: [TLSVersion.tls12, .tls13], [true, false])
    func `an expired client certificate, or its issuer's, does not resume`(
        version: TLSVersion, isOwn: Bool
    ) throws {
        let issuer = isOwn ? certificates.root : try certificates.root.intermediate("short", validity: .hour)
        let client = try issuer.issue(to: ["DNS:client.test"], for: .client, validity: isOwn ? .hour : .now)
        let contexts = try contexts(version, client: client)
        #expect(try !isResumed(contexts))
        #expect(try isResumed(contexts))
        #expect(try isResumed(contexts))
        clock.advance(byHours: 2)
        let pair = try Pair(contexts.client, contexts.server)
        #expect(throws: TLSError.certificateExpired(depth: isOwn ? 0 : 1)) { try pair.exchange() }
        #expect(pair.client.engine.failure == .alert(.certificateExpired))
    }

    @Test(arguments: [TLSVersion.tls12, .tls13], [true, false])
    func `an expired server certificate, or its issuer's, does not resume`(
        version: TLSVersion, isOwn: Bool
    ) throws {
        let issuer = isOwn ? certificates.root : try certificates.root.intermediate("short", validity: .hour)
        let server = try issuer.issue(to: ["DNS:server.test"], validity: isOwn ? .hour : .now)
        let contexts = try contexts(version, server: server)
        #expect(try !isResumed(contexts))
        #expect(try isResumed(contexts))
        #expect(try isResumed(contexts))
        clock.advance(byHours: 2)
        let pair = try Pair(contexts.client, contexts.server)
        #expect(throws: TLSError.certificateExpired(depth: isOwn ? 0 : 1)) { try pair.exchange() }
    }

    /// The client's clock stands still, so that only the server's limit counts.
    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a chain of resumptions ends a day after the full handshake`(version: TLSVersion) throws {
        var contexts = try contexts(version, client: certificates.client)
        var clientConfiguration = certificates.clientConfiguration(identity: certificates.client)
        clientConfiguration.maximumVersion = version
        contexts.client = try TLSContext(clientConfiguration)
        #expect(try !isResumed(contexts))
        for _ in 0..<23 {
            clock.advance(byHours: 1)
            #expect(try isResumed(contexts))
        }
        clock.advance(byHours: 1)
        #expect(try !isResumed(contexts))
        #expect(try isResumed(contexts))
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `a client offers no session a day after the full handshake`(version: TLSVersion) throws {
        let contexts = try contexts(version)
        #expect(try !isResumed(contexts))
        clock.advance(byHours: 23)
        #expect(try isResumed(contexts))
        clock.advance(byHours: 1)
        #expect(try !isResumed(contexts))
        #expect(try isResumed(contexts))
    }

    @Test(arguments: [TLSVersion.tls12, .tls13])
    func `certificate dates do not end sessions of a client that trusts any certificate`(version: TLSVersion) throws {
        let server = try certificates.root.issue(to: ["DNS:server.test"], validity: .over)
        var clientConfiguration = certificates.clientConfiguration()
        clientConfiguration.maximumVersion = version
        clientConfiguration.dangerouslyTrustsAnyCertificate = true
        let contexts = try (
            client: TLSContext(clientConfiguration, now: clock.now),
            server: TLSContext(certificates.serverConfiguration(server), now: clock.now)
        )
        #expect(try !isResumed(contexts))
        #expect(try isResumed(contexts))
    }
}
