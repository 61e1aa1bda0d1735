// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension TLSEngine {
    /// Verifies the peer's chain, then the pins.
    ///
    /// - Parameter chain: OpenSSL's state of the verification (`X509_STORE_CTX`).
    func verify(_ chain: Handle?) -> Bool {
        let verification = openSSL.verification
        let isTrustedBlindly = setup.configuration.dangerouslyTrustsAnyCertificate
        let now = setup.now()
        // SAFETY: here and below, the chain is OpenSSL's for as long as this call lasts.
        unsafe verification.setTime(verification.parameters(chain), now)
        if !isTrustedBlindly, unsafe verification.verify(chain) != 1 {
            verificationFailure = unsafe error(
                ofCode: verification.code(chain), depth: Int(verification.depth(chain)))
            // A refusal without a code would count as a success.
            if unsafe verification.code(chain) == Constant.verified {
                unsafe verification.setCode(chain, Constant.certificateRejected)
            }
            return false
        }
        if isTrustedBlindly { unsafe verification.setCode(chain, Constant.verified) }
        sessionDeadline = now + Self.sessionLifetime
        // Without verification, dates never count.
        if !isTrustedBlindly { unsafe endSession(withVerified: chain) }
        guard let pins = setup.configuration.pins else { return true }
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

    /// Limits the session to the first expiry of the chain's certificates.
    private func endSession(withVerified chain: Handle?) {
        // SAFETY: the chain lives as long as the call of `verify`, and the certificates as long as the chain.
        let ends = unsafe certificates(ofVerified: chain).map { unsafe openSSL.expiry(of: $0) ?? 0 }
        for end in ends { sessionDeadline = min(sessionDeadline ?? end, end) }
    }

    /// The chain as OpenSSL has verified it; the peer may have sent another one.
    private func certificates(ofVerified chain: Handle?) -> [Handle] {
        // SAFETY: the chain owns the stack, and the index is below its count.
        guard let stack = unsafe openSSL.verification.chain(chain) else { return unsafe [] }
        return unsafe (0..<openSSL.general.countOfStack(stack)).compactMap { index in
            unsafe openSSL.general.elementOfStack(stack, index)
        }
    }

    private func keyHashes(ofVerified chain: Handle?) -> [TLSKeyHash] {
        // SAFETY: the chain lives as long as the call of `verify`, and the certificates as long as the chain.
        unsafe certificates(ofVerified: chain).compactMap { unsafe openSSL.keyHash(of: $0) }
    }

    private func ownKeyHash(of chain: Handle?) -> [TLSKeyHash] {
        // SAFETY: the chain lives as long as the call of `verify`, and owns its certificate.
        guard let certificate = unsafe openSSL.verification.certificate(chain),
            let hash = unsafe openSSL.keyHash(of: certificate)
        else { return [] }
        return [hash]
    }
}

extension OpenSSL {
    /// In seconds since 1970; nil if the date is invalid.
    func expiry(of certificate: Handle) -> Int? {
        // SAFETY: OpenSSL fills the calendar, which holds plain numbers, and the certificate owns the date that it is
        // read from.
        var calendar = unsafe tm()
        guard unsafe certificates.calendarTime(certificates.lastTime(certificate), &calendar) == 1
        else { return nil }
        return unsafe Int(timegm(&calendar))
    }

    /// DER; nil without memory.
    func encoded(_ certificate: Handle) -> [UInt8]? {
        // Without a buffer, the call only counts.
        let count = Int(unsafe certificates.encode(certificate, nil))
        guard count > 0 else { return nil }
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filledCount in
            var place = buffer.baseAddress
            // SAFETY: the call writes as many bytes as it has counted, and moves `place` behind them.
            filledCount = max(0, Int(unsafe certificates.encode(certificate, &place)))
        }
    }

    /// The hash of a certificate's public key; nil without memory.
    func keyHash(of certificate: Handle) -> TLSKeyHash? {
        var encoded: UnsafeMutablePointer<UInt8>?
        // SAFETY: OpenSSL allocates the encoded key, and returns its length.
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
