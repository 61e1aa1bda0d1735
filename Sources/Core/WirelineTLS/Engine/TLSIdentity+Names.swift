// SPDX-License-Identifier: Apache-2.0

extension TLSConfiguration {
    /// Makes the configuration of a server with several certificates, chosen by the requested host (SNI, RFC 6066 §3).
    ///
    /// A client that asks for one of a certificate's own hosts gets that certificate: ``TLSIdentity/hostNames()``
    /// become ``identitiesByName``. If several have the same name, the first counts. All other clients get the first
    /// certificate, so it may name no host.
    ///
    /// - Parameter identities: The certificates, at least one. They are read once here, and again by ``TLSContext``.
    /// - Throws: The errors of ``TLSIdentity/hostNames()``; ``TLSError/unusable(_:reason:)`` if any but the first
    ///   certificate names no host: no client could ask for it.
    public static func server(identities: [TLSIdentity]) throws(TLSError) -> TLSConfiguration {
        guard let first = identities.first else { preconditionFailure("a server shows a certificate") }
        var configuration = server(identity: first)
        guard identities.count > 1 else { return configuration }
        for (place, identity) in identities.enumerated() {
            let names = try identity.hostNames()
            guard place == 0 || !names.isEmpty else {
                throw .unusable(.certificateChain, reason: "it names no host, so nobody can ask for it")
            }
            for name in names where configuration.identitiesByName[name] == nil {
                configuration.identitiesByName[name] = identity
            }
        }
        return configuration
    }
}

extension TLSIdentity {
    /// The hosts of the certificate, as names for ``TLSConfiguration/identitiesByName``.
    ///
    /// They are the DNS names among its subject alternative names (RFC 5280 §4.2.1.6), in lower case. Left out are
    /// addresses, patterns such as `w*.example.com`, and invalid host names. The common name is left out too, because
    /// it does not count any more (RFC 9525 §2).
    ///
    /// - Throws: ``TLSError/unavailable(reason:)`` without OpenSSL 3; ``TLSError/unreadableFile(path:code:)``;
    ///   ``TLSError/unusable(_:reason:)``.
    public func hostNames() throws(TLSError) -> [String] {
        let openSSL = try OpenSSL.shared.get()
        let certificates = try CertificateList(certificateChain, .certificateChain, openSSL)
        // SAFETY: the list owns its certificates until the end of this function.
        guard let names = unsafe openSSL.alternativeNames(of: certificates[0]) else {
            throw .unusable(.certificateChain, reason: "its alternative names cannot be read")
        }
        return names.filter { $0.kind == Constant.hostName }.compactMap { name in
            try? ServerName.pattern(String(decoding: name.bytes, as: UTF8.self))
        }
    }
}
