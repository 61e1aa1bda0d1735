// SPDX-License-Identifier: Apache-2.0

extension TLSSetup {
    private var contexts: OpenSSL.Contexts { openSSL.contexts }

    /// Sets ciphers and groups; tries each name alone first, because OpenSSL ignores unknown names in a list.
    func setCiphers() throws(TLSError) {
        let (ciphers, suites) = (configuration.tls12Ciphers, configuration.tls13CipherSuites)
        // `!`, `-`, `+` and `@` only change what the other elements have chosen.
        for name in ciphers where name.first?.isLetter != false {
            // SAFETY: here and below, the handle lives as long as this object, and OpenSSL copies the names.
            guard Self.isSingleCipherName(name), unsafe contexts.setCiphers(handle, name) == 1 else {
                throw .unknownCipher(name)
            }
        }
        for name in suites {
            // Some versions of OpenSSL accept an unknown name without an error.
            guard Self.isSingleCipherName(name), unsafe contexts.setCipherSuites(handle, name) == 1,
                cipherNames.contains(name)
            else { throw .unknownCipher(name) }
        }
        for name in configuration.groups {
            guard Self.isSingleCipherName(name), setGroups(name) else { throw .unknownGroup(name) }
        }
        openSSL.clearErrors()
        guard unsafe contexts.setCiphers(handle, ciphers.joined(separator: ":")) == 1,
            unsafe contexts.setCipherSuites(handle, suites.joined(separator: ":")) == 1
        else { throw .unknownCipher("") }
        if suites.isEmpty, configuration.maximumVersion == .tls13 { throw .unknownCipher("") }
        let groups = configuration.groups.joined(separator: ":")
        if !groups.isEmpty { try require(setGroups(groups)) }
    }

    /// Rejects texts with characters that separate names in OpenSSL's lists.
    private static func isSingleCipherName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy { 0x21...0x7E ~= $0 && !":,;/?*".utf8.contains($0) }
    }

    /// The names set so far; the suites of TLS 1.3 come before the ciphers of TLS 1.2.
    private var cipherNames: [String] {
        // SAFETY: the list and its names are the context's, the index is below its count, and the names are copied
        // here.
        guard let ciphers = unsafe contexts.ciphers(handle) else { return [] }
        return unsafe (0..<openSSL.general.countOfStack(ciphers)).compactMap { index in
            unsafe openSSL.connections.nameOfCipher(openSSL.general.elementOfStack(ciphers, index))
                .map { unsafe String(cString: $0) }
        }
    }

    private func setGroups(_ list: String) -> Bool {
        // SAFETY: OpenSSL reads the text and does not change it.
        unsafe list.withCString { list in
            unsafe contexts.control(handle, Constant.setGroups, 0, AnyPointer(mutating: list)) == 1
        }
    }
}
