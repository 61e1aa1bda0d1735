// SPDX-License-Identifier: Apache-2.0

extension TLSEngine {
    /// Verifies the chain that the peer has shown, then the pins.
    ///
    /// - Parameter chain: OpenSSL's state of the verification (`X509_STORE_CTX`).
    func verify(_ chain: Handle?) -> Bool {
        let verification = openSSL.verification
        let isTrustedBlindly = context.configuration.dangerouslyTrustsAnyCertificate
        if !isTrustedBlindly, unsafe verification.verify(chain) != 1 {
            // SAFETY: here and below, the chain is OpenSSL's for as long as this call lasts.
            verificationFailure = unsafe error(
                ofCode: verification.code(chain), depth: Int(verification.depth(chain)))
            // A refusal without a reason would be taken for none.
            if unsafe verification.code(chain) == Constant.verified {
                unsafe verification.setCode(chain, Constant.certificateRejected)
            }
            return false
        }
        if isTrustedBlindly { unsafe verification.setCode(chain, Constant.verified) }
        guard let pins = context.configuration.pins else { return true }
        let hashes = isTrustedBlindly ? unsafe ownKeyHash(of: chain) : unsafe keyHashes(ofVerified: chain)
        if let depth = hashes.firstIndex(where: pins.hashes.contains) {
            pinOutcome = .matched(hashes[depth], depth: depth)
            return true
        }
        pinOutcome = .mismatched(received: hashes)
        guard !pins.reportOnly else { return true }
        verificationFailure = .pinMismatch(received: hashes)
        unsafe verification.setCode(chain, Constant.certificateRejected)
        return false
    }

    private func error(ofCode code: Int32, depth: Int) -> TLSError {
        switch code {
        case Constant.notYetValid: .certificateNotYetValid(depth: depth)
        case Constant.expired: .certificateExpired(depth: depth)
        case Constant.selfSigned: .selfSigned(depth: depth)
        case Constant.issuerNotFound, Constant.selfSignedInChain, Constant.issuerNotFoundLocally,
            Constant.chainOfOneUnverified:
            .unknownIssuer(depth: depth)
        case Constant.wrongHost, Constant.wrongAddress: .wrongHost(expected: serverName?.text ?? "")
        default: .certificateRefused(code: code, depth: depth)
        }
    }

    /// The keys of the chain as it was verified, which need not be as it was sent.
    private func keyHashes(ofVerified chain: Handle?) -> [TLSKeyHash] {
        guard let stack = unsafe openSSL.verification.chain(chain) else { return [] }
        return unsafe (0..<openSSL.general.countOfStack(stack)).compactMap { index in
            unsafe openSSL.general.elementOfStack(stack, index).flatMap { unsafe openSSL.keyHash(of: $0) }
        }
    }

    private func ownKeyHash(of chain: Handle?) -> [TLSKeyHash] {
        guard let certificate = unsafe openSSL.verification.certificate(chain),
            let hash = unsafe openSSL.keyHash(of: certificate)
        else { return [] }
        return [hash]
    }
}

extension OpenSSL {
    /// The hash of a certificate's public key; nil without memory.
    func keyHash(of certificate: Handle) -> TLSKeyHash? {
        var encoded: UnsafeMutablePointer<UInt8>?
        // SAFETY: OpenSSL allocates what it encodes, and says how long it is.
        let count = unsafe certificates.encodePublicKey(certificates.publicKey(certificate), &encoded)
        guard count > 0, let encoded = unsafe encoded else { return nil }
        defer { unsafe general.free(encoded, nil, 0) }
        var bytes = [UInt8](repeating: 0, count: TLSKeyHash.byteCount)
        let status = unsafe bytes.withUnsafeMutableBytes { bytes in
            unsafe general.digest(encoded, Int(count), bytes.baseAddress, nil, general.sha256(), nil)
        }
        return status == 1 ? TLSKeyHash(bytes: bytes) : nil
    }
}
