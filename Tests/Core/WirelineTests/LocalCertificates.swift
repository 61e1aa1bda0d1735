// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import Wireline

/// What tests of TLS present and trust; they connect to `localhost`.
struct LocalCertificates {
    let root: CertificateAuthority
    let server: IssuedCertificate

    /// Made once.
    static let made = Result { try LocalCertificates() }

    private init() throws {
        root = try CertificateAuthority("root")
        server = try root.issue(to: ["DNS:localhost", "IP:127.0.0.1"])
    }

    func serverContext(_ change: (inout TLSConfiguration) throws -> Void = { _ in }) throws -> TLSContext {
        let identity = TLSIdentity(certificateChain: .text(server.chain), privateKey: .text(server.key))
        var configuration = TLSConfiguration.server(identity: identity)
        try change(&configuration)
        return try TLSContext(configuration)
    }

    func clientContext(_ change: (inout TLSConfiguration) throws -> Void = { _ in }) throws -> TLSContext {
        var configuration = TLSConfiguration.client()
        configuration.trustRoots = .only(.text(root.own.certificate))
        try change(&configuration)
        return try TLSContext(configuration)
    }
}

/// Contexts of both sides, for tests that need only a default one.
enum LocalTLS {
    static let contexts = Result {
        let certificates = try LocalCertificates.made.get()
        return (client: try certificates.clientContext(), server: try certificates.serverContext())
    }
}
