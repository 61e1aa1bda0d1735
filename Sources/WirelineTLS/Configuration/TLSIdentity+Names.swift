// SPDX-License-Identifier: Apache-2.0

extension TLSConfiguration {
    /// A server that shows each client the certificate of the host that it asks for (SNI, RFC 6066 §3).
    ///
    /// Each certificate is shown to those who ask for one of its own hosts: ``TLSIdentity/hostNames()`` become
    /// ``identitiesByName``. Of several for the same name the first counts. The first certificate of all is also what
    /// everybody else gets, so it may name no host.
    ///
    /// - Parameter identities: The certificates, at least one. They are read once here, and again by ``TLSContext``.
    /// - Throws: What ``TLSIdentity/hostNames()`` throws; ``TLSError/unusable(_:reason:)`` for one behind the first that
    ///   names no host: nobody could ask for it.
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
    /// The hosts that the certificate is for, as names that can stand in ``TLSConfiguration/identitiesByName``.
    ///
    /// They are the DNS names among its subject alternative names (RFC 5280 §4.2.1.6), in lower case. Others are left out:
    /// addresses, which nobody asks for by name, patterns such as `w*.example.com`, and what is no name of a host. So is
    /// the common name, which does not count any more (RFC 9525 §2).
    ///
    /// - Throws: ``TLSError/unavailable(reason:)`` without OpenSSL 3; ``TLSError/unreadableFile(path:code:)``;
    ///   ``TLSError/unusable(_:reason:)``.
    public func hostNames() throws(TLSError) -> [String] {
        let openSSL = try OpenSSL.shared.get()
        let certificates = try CertificateList(certificateChain, .certificateChain, openSSL)
        let (functions, general) = (openSSL.certificates, openSSL.general)
        var criticality: Int32 = 0
        // SAFETY: the names are freed behind the loop, and what is read of them is copied.
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
