// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import TestingSupport
import WirelineTLS

/// What an attacker would try, and what must still work.
@Suite(.enabled(if: OpenSSLTool.isWanted, "\(OpenSSLTool.absence)"))
struct VerificationTests {
    let certificates: Certificates

    init() throws { certificates = try Certificates.made.get() }

    /// The client's error for a certificate, and the alert that the server then gets.
    private func refusal(
        of certificate: IssuedCertificate, for name: String = "server.test",
        _ change: (inout TLSConfiguration) -> Void = { _ in }
    ) throws -> (error: TLSError, alert: TLSError?) {
        var client = certificates.clientConfiguration()
        change(&client)
        let pair = try Pair(client, certificates.serverConfiguration(certificate), serverName: name)
        let error = try #require(throws: TLSError.self) { try pair.exchange() }
        #expect(!pair.client.engine.isHandshakeComplete)
        #expect(pair.client.engine.failure == error)
        #expect(throws: error) { _ = try pair.client.write([1]) }
        return (error, pair.server.engine.failure)
    }

    // MARK: Chain and name

    @Test(arguments: ["other.test", "test", "a.b.wild.test", "wild.test", "127.0.0.2", "::2"])
    func `a certificate for other hosts is refused`(name: String) throws {
        let (error, alert) = try refusal(of: certificates.server, for: name)
        #expect(error == .wrongHost(expected: name))
        #expect(alert == .alert(.badCertificate))
    }

    @Test func `a common name does not count as a host name`() throws {
        // The tool gives every certificate the common name "peer".
        #expect(try refusal(of: certificates.server, for: "peer").error == .wrongHost(expected: "peer"))
    }

    @Test func `an expired certificate is refused`() throws {
        let certificate = try certificates.root.issue(to: ["DNS:server.test"], validity: .over)
        let (error, alert) = try refusal(of: certificate)
        #expect(error == .certificateExpired(depth: 0))
        #expect(alert == .alert(.certificateExpired))
    }

    @Test func `a certificate that is not yet valid is refused`() throws {
        let certificate = try certificates.root.issue(to: ["DNS:server.test"], validity: .later)
        #expect(try refusal(of: certificate).error == .certificateNotYetValid(depth: 0))
    }

    @Test func `a self-signed certificate is refused`() throws {
        let (error, alert) = try refusal(of: .selfSigned())
        #expect(error == .selfSigned(depth: 0))
        #expect(alert == .alert(.unknownAuthority))
    }

    @Test func `a trusted self-signed certificate is accepted`() throws {
        let certificate = try IssuedCertificate.selfSigned()
        var client = TLSConfiguration.client()
        client.trustRoots = .only(.text(certificate.certificate))
        let pair = try Pair(client, certificates.serverConfiguration(certificate))
        try pair.exchange()
        #expect(pair.client.engine.isHandshakeComplete)
    }

    @Test func `a certificate of an unknown authority is refused`() throws {
        let (error, alert) = try refusal(of: certificates.otherRoot.issue(to: ["DNS:server.test"]))
        #expect(error == .unknownIssuer(depth: 0))
        #expect(alert == .alert(.unknownAuthority))
    }

    @Test func `a certificate with a wrong signature is refused for that reason`() throws {
        let genuine = try certificates.root.issue(to: ["DNS:server.test"])
        let base64 = genuine.certificate.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()
        var bytes = try #require(Data(base64Encoded: base64))
        // The signature comes last.
        bytes[bytes.count - 1] ^= 1
        let forged = """
            -----BEGIN CERTIFICATE-----
            \(bytes.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed]))
            -----END CERTIFICATE-----

            """
        let identity = TLSIdentity(certificateChain: .text(forged), privateKey: .text(genuine.key))
        let pair = try Pair(certificates.clientConfiguration(), .server(identity: identity))
        // X509_V_ERR_CERT_SIGNATURE_FAILURE, decrypt_error
        #expect(throws: TLSError.certificateRefused(code: 7, depth: 0)) { try pair.exchange() }
        #expect(pair.server.engine.failure == .alert(TLSAlert(rawValue: 51)))
    }

    @Test func `a chain without its intermediate is refused, unless the intermediate is trusted`() throws {
        var bare = certificates.server
        bare.issuers = ""
        #expect(try refusal(of: bare).error == .unknownIssuer(depth: 0))
        var client = certificates.clientConfiguration()
        client.trustRoots = .only(.text(certificates.intermediate.own.certificate))
        let pair = try Pair(client, certificates.serverConfiguration(bare))
        try pair.exchange()
        #expect(pair.client.engine.isHandshakeComplete)
    }

    @Test func `the system's roots do not include the tests' authority`() throws {
        let error = try refusal(of: certificates.server) { $0.trustRoots = .system }.error
        #expect(error == .unknownIssuer(depth: 1))
    }

    @Test func `a client's certificate is refused as a server's`() throws {
        let certificate = try certificates.root.issue(to: ["DNS:server.test"], for: .client)
        let error = try refusal(of: certificate).error
        // X509_V_ERR_INVALID_PURPOSE
        #expect(error == .certificateRefused(code: 26, depth: 0))
        #expect("\(error)".contains("purpose"))
    }

    // MARK: Pins

    private func pins(_ hashes: String..., reportOnly: Bool = false) throws -> TLSPins {
        try TLSPins(hashes, reportOnly: reportOnly)
    }

    @Test(arguments: [0, 1, 2])
    func `a pinned key anywhere in the verified chain is enough`(depth: Int) throws {
        let hash = [certificates.server, certificates.intermediate.own, certificates.root.own][depth].keyHash
        var client = certificates.clientConfiguration()
        client.pins = try pins(hash)
        let pair = try Pair(client, certificates.serverConfiguration())
        try pair.exchange()
        #expect(try pair.client.engine.pinOutcome == .matched(TLSKeyHash(hash), depth: depth))
    }

    @Test func `a valid chain without a pinned key is refused, and the error names the received keys`() throws {
        let pins = try pins(certificates.client.keyHash)
        let (error, alert) = try refusal(of: certificates.server) { $0.pins = pins }
        let chain = [certificates.server, certificates.intermediate.own, certificates.root.own]
        #expect(try error == .pinMismatch(received: chain.map { issued throws in try TLSKeyHash(issued.keyHash) }))
        #expect(alert == .alert(.badCertificate))
    }

    @Test func `an empty set of pins matches no key`() throws {
        let error = try refusal(of: certificates.server) { $0.pins = TLSPins([TLSKeyHash]()) }.error
        guard case .pinMismatch = error else {
            Issue.record("\(error)")
            return
        }
    }

    /// A trusted authority was deceived into issuing a certificate, and the attacker sends the pinned certificate
    /// along.
    @Test func `a pinned certificate outside the verified chain does not count`() throws {
        var attacker = try certificates.otherRoot.issue(to: ["DNS:server.test"])
        attacker.issuers = certificates.server.chain
        let pins = try pins(certificates.server.keyHash, certificates.intermediate.own.keyHash)
        let error = try refusal(of: attacker) { client in
            client.trustRoots = .only(
                .text(certificates.root.own.certificate + certificates.otherRoot.own.certificate))
            client.pins = pins
        }.error
        let received = [attacker, certificates.otherRoot.own]
        #expect(try error == .pinMismatch(received: received.map { issued throws in try TLSKeyHash(issued.keyHash) }))
    }

    @Test func `a pin does not replace the chain`() throws {
        let certificate = try certificates.otherRoot.issue(to: ["DNS:server.test"])
        let pins = try pins(certificate.keyHash)
        #expect(try refusal(of: certificate) { $0.pins = pins }.error == .unknownIssuer(depth: 0))
        let ownSigned = try IssuedCertificate.selfSigned()
        let ownPins = try self.pins(ownSigned.keyHash)
        #expect(try refusal(of: ownSigned) { $0.pins = ownPins }.error == .selfSigned(depth: 0))
    }

    @Test func `a pin does not replace the name`() throws {
        let certificate = try certificates.root.issue(to: ["DNS:other.test"], key: certificates.server.key)
        #expect(certificate.keyHash == certificates.server.keyHash)
        let pins = try pins(certificate.keyHash)
        #expect(try refusal(of: certificate) { $0.pins = pins }.error == .wrongHost(expected: "server.test"))
    }

    @Test func `a pin does not replace the dates`() throws {
        let certificate = try certificates.root.issue(
            to: ["DNS:server.test"], validity: .over, key: certificates.server.key)
        let pins = try pins(certificate.keyHash)
        #expect(try refusal(of: certificate) { $0.pins = pins }.error == .certificateExpired(depth: 0))
    }

    @Test func `a server that has changed to the back-up key is accepted`() throws {
        let renewed = try certificates.root.issue(to: ["DNS:server.test"])
        var client = certificates.clientConfiguration()
        client.pins = try pins(certificates.server.keyHash, renewed.keyHash)
        let pair = try Pair(client, certificates.serverConfiguration(renewed))
        try pair.exchange()
        #expect(try pair.client.engine.pinOutcome == .matched(TLSKeyHash(renewed.keyHash), depth: 0))
    }

    @Test func `a report-only mismatch is reported, and the server is accepted`() throws {
        var client = certificates.clientConfiguration()
        client.pins = try pins(certificates.client.keyHash, reportOnly: true)
        let pair = try Pair(client, certificates.serverConfiguration())
        try pair.exchange()
        #expect(pair.client.engine.isHandshakeComplete)
        guard case .mismatched(let received) = pair.client.engine.pinOutcome else {
            Issue.record("\(pair.client.engine.pinOutcome)")
            return
        }
        #expect(try received.first == TLSKeyHash(certificates.server.keyHash))
        #expect(received.count == 3)
    }

    @Test func `report-only pins leave the other checks on`() throws {
        let pins = try pins(certificates.server.keyHash, reportOnly: true)
        let error = try refusal(of: certificates.server, for: "other.test") { $0.pins = pins }.error
        #expect(error == .wrongHost(expected: "other.test"))
    }

    // MARK: Without verification

    @Test func `without verification any certificate is accepted, but a pin still counts`() throws {
        let expired = try certificates.otherRoot.issue(to: ["DNS:other.test"], validity: .over)
        var client = certificates.clientConfiguration()
        client.dangerouslyTrustsAnyCertificate = true
        let open = try Pair(client, certificates.serverConfiguration(expired))
        try open.exchange()
        #expect(open.client.engine.isHandshakeComplete)

        client.pins = try pins(expired.keyHash)
        let pinned = try Pair(client, certificates.serverConfiguration(expired))
        try pinned.exchange()
        #expect(try pinned.client.engine.pinOutcome == .matched(TLSKeyHash(expired.keyHash), depth: 0))
    }

    @Test func `without verification a pin must match the peer's own key`() throws {
        var attacker = try certificates.otherRoot.issue(to: ["DNS:server.test"])
        attacker.issuers = certificates.server.chain
        let pins = try pins(certificates.server.keyHash)
        let error = try refusal(of: attacker) { client in
            client.dangerouslyTrustsAnyCertificate = true
            client.pins = pins
        }.error
        #expect(try error == .pinMismatch(received: [TLSKeyHash(attacker.keyHash)]))
    }
}

extension IssuedCertificate {
    static func selfSigned() throws -> IssuedCertificate {
        try CertificateAuthority.selfSigned(for: ["DNS:server.test"])
    }
}
