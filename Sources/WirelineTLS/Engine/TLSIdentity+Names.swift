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
        let (functions, general) = (openSSL.certificates, openSSL.general)
        var criticality: Int32 = 0
        // SAFETY: the names are freed after the loop, and what is read of them is copied.
        guard let names = unsafe functions.readExtension(certificates[0], Constant.alternativeNames, &criticality, nil)
        else {
            guard criticality == Constant.isMissing else {
                throw .unusable(.certificateChain, reason: "its alternative names cannot be read")
            }
            return []
        }
        defer { unsafe functions.freeNames(names) }
        var found: [String] = []
        for index in 0..<(unsafe general.countOfStack(names)) {
            var kind: Int32 = 0
            let value = unsafe functions.valueOfName(general.elementOfStack(names, index), &kind)
            guard kind == Constant.hostName, let bytes = unsafe functions.bytesOfText(value) else { continue }
            let count = unsafe Int(functions.byteCountOfText(value))
            let text = unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
            if let name = try? ServerName.pattern(text) { found.append(name) }
        }
        return found
    }
}
