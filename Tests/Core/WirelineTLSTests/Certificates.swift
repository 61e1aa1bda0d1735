// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineTLS

/// What the tests of this module use together, made once.
struct Certificates {
    let root: CertificateAuthority
    let intermediate: CertificateAuthority
    /// An authority that only a few tests trust.
    let otherRoot: CertificateAuthority
    /// `server.test`, `*.wild.test`, 127.0.0.1 and ::1.
    let server: IssuedCertificate
    let client: IssuedCertificate

    static let made = Result { try Certificates() }

    private init() throws {
        root = try CertificateAuthority("root")
        intermediate = try root.intermediate("intermediate")
        otherRoot = try CertificateAuthority("other root")
        server = try intermediate.issue(to: ["DNS:server.test", "DNS:*.wild.test", "IP:127.0.0.1", "IP:::1"])
        client = try root.issue(to: ["DNS:client.test"], for: .client)
    }

    /// A server with a certificate; by default that of `server.test`.
    func serverConfiguration(_ certificate: IssuedCertificate? = nil) -> TLSConfiguration {
        .server(identity: TLSIdentity(certificate ?? server))
    }

    /// A client that trusts the root.
    func clientConfiguration(identity: IssuedCertificate? = nil) -> TLSConfiguration {
        var configuration = TLSConfiguration.client(identity: identity.map { TLSIdentity($0) })
        configuration.trustRoots = .only(.text(root.own.certificate))
        return configuration
    }
}

extension TLSIdentity {
    init(_ issued: IssuedCertificate) {
        self.init(certificateChain: .text(issued.chain), privateKey: .text(issued.key))
    }
}
