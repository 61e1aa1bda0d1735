// SPDX-License-Identifier: Apache-2.0

extension TLSEngine {
    /// The condition for which a call of OpenSSL waits.
    enum WaitReason { case nothing, ciphertext, room, draining, end }

    func shakeHands() throws(TLSError) -> WaitReason {
        guard !isHandshakeComplete else { return .nothing }
        openSSL.clearErrors()
        // SAFETY: the handle lives as long as the engine.
        let status = unsafe openSSL.connections.shakeHands(handle)
        guard status == 1 else { return try waitReason(after: status) }
        isHandshakeComplete = true
        return .nothing
    }

    /// Returns why a call with this status has not finished.
    func waitReason(after status: Int32) throws(TLSError) -> WaitReason {
        // SAFETY: the handle lives as long as the engine.
        switch unsafe openSSL.connections.outcome(handle, status) {
        case Constant.wantsReading: return .ciphertext
        case Constant.wantsWriting: return .draining
        case Constant.hasEnded:
            // Neither side may end before the handshake is complete.
            guard isHandshakeComplete else { throw fail(.truncated(duringHandshake: true)) }
            return .end
        default: throw fail(currentError)
        }
    }

    private var currentError: TLSError {
        // A wrong signature leaves errors of other libraries before the one that ends the handshake.
        if let verificationFailure { return verificationFailure }
        let failure = openSSL.firstFailure
        guard failure.library == Constant.librarySSL else {
            return .violation(reason: failure.reason, answer: sentAlert)
        }
        switch failure.code {
        case Constant.noPeerCertificate: return .missingCertificate
        case Constant.alertOffset...Constant.alertOffset + 255:
            return .alert(TLSAlert(rawValue: UInt8(failure.code - Constant.alertOffset)))
        default: return .violation(reason: failure.reason, answer: sentAlert)
        }
    }

    // MARK: Before the handshake

    /// Makes the handshake fail unless the certificate is for this name, and sends the name to the server.
    func expect(_ serverName: ServerName) throws(TLSError) {
        // SAFETY: the connection owns its parameters, and the calls copy their texts.
        let parameters = unsafe openSSL.connections.verificationParameters(handle)
        switch serverName {
        case .host(let name):
            // Only alternative names count, and `*` only for a whole label (RFC 9525 §6.3).
            unsafe openSSL.verification.setHostFlags(parameters, Constant.hostFlags)
            try setup.require(unsafe openSSL.verification.setHost(parameters, name, name.utf8.count) == 1)
            let status = unsafe name.withCString { name in
                unsafe openSSL.connections.control(
                    handle, Constant.setRequestedName, 0, AnyPointer(mutating: name))
            }
            try setup.require(status == 1)
        case .address(let address):
            guard unsafe openSSL.verification.setAddress(parameters, address) == 1
            else { throw .invalidServerName(address) }
        }
    }

    /// Returns the range of this side's preferred name in a client's offer; nil if the offer has none of them.
    ///
    /// In the offer each name follows a byte with its length (RFC 7301 §3.1).
    func chooseProtocol(_ offer: [UInt8]) -> Range<Int>? {
        var offered: [Range<Int>] = []
        var offset = 0
        while offset < offer.count {
            let end = offset + 1 + Int(offer[offset])
            guard end <= offer.count else { return nil }
            offered.append(offset + 1..<end)
            offset = end
        }
        for name in setup.applicationProtocols {
            if let range = offered.first(where: { offer[$0].elementsEqual(name) }) { return range }
        }
        return nil
    }

    // MARK: After the handshake

    /// The agreed version; nil before the handshake is complete.
    public var version: TLSVersion? {
        guard isHandshakeComplete else { return nil }
        // SAFETY: the handle lives as long as the engine.
        return unsafe TLSVersion(rawValue: UInt16(truncatingIfNeeded: openSSL.connections.version(handle)))
    }

    /// The agreed cipher, such as `TLS_AES_256_GCM_SHA384`; nil before the handshake is complete.
    public var cipher: String? {
        // SAFETY: a cipher and its name are static in OpenSSL.
        guard isHandshakeComplete, let cipher = unsafe openSSL.connections.cipher(handle),
            let name = unsafe openSSL.connections.nameOfCipher(cipher)
        else { return nil }
        return unsafe String(cString: name)
    }

    /// The agreed application protocol (ALPN); nil if none.
    public var applicationProtocol: String? {
        guard isHandshakeComplete else { return nil }
        var (start, count): (Bytes?, UInt32) = (nil, 0)
        unsafe openSSL.connections.chosenProtocol(handle, &start, &count)
        guard count > 0, let start = unsafe start else { return nil }
        // SAFETY: OpenSSL says where the name is and how long it is.
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }

    /// Whether the connection resumes the session of an earlier one.
    public var isResumed: Bool {
        // SAFETY: the handle lives as long as the engine.
        isHandshakeComplete && (unsafe openSSL.connections.isResumed(handle) == 1)
    }

    /// The host that a client has asked a server for (SNI); nil if none.
    public var requestedServerName: String? {
        // SAFETY: the connection owns the name, a C string that is copied here.
        guard let name = unsafe openSSL.connections.requestedName(handle, 0) else { return nil }
        return unsafe String(cString: name)
    }

    /// The hash of the public key in the peer's own certificate; nil before the peer has shown one.
    public var peerKeyHash: TLSKeyHash? {
        // SAFETY: the call returns a new reference, which is freed once the hash is made.
        guard let certificate = unsafe openSSL.connections.peerCertificate(handle) else { return nil }
        defer { unsafe openSSL.certificates.free(certificate) }
        return unsafe openSSL.keyHash(of: certificate)
    }

    /// The names in the peer's certificate; nil unless it was verified.
    ///
    /// It is nil before the handshake is complete, if the peer has shown no certificate, and with
    /// ``TLSConfiguration/dangerouslyTrustsAnyCertificate``. A resumed session has the certificate of its original
    /// handshake.
    public var peerCertificate: TLSPeerCertificate? {
        guard isHandshakeComplete else { return nil }
        if let readCertificate { return readCertificate }
        let certificate = verifiedCertificate
        readCertificate = .some(certificate)
        return certificate
    }

    /// DER (RFC 5280 §4.1); nil if ``peerCertificate`` is nil.
    package var peerCertificateBytes: [UInt8]? {
        guard isHandshakeComplete else { return nil }
        // SAFETY: the certificate is valid until the closure returns.
        return unsafe withVerifiedCertificate { unsafe openSSL.encoded($0) } ?? nil
    }

    private var verifiedCertificate: TLSPeerCertificate? {
        // SAFETY: the certificate is valid until the closure returns.
        unsafe withVerifiedCertificate { unsafe TLSPeerCertificate($0, openSSL) }
    }

    @unsafe
    private func withVerifiedCertificate<Value>(_ body: (Handle) -> Value) -> Value? {
        let connections = openSSL.connections
        // SAFETY: the handle lives as long as the engine.
        guard !setup.configuration.dangerouslyTrustsAnyCertificate,
            unsafe connections.verificationResult(handle) == Int(Constant.verified),
            // SAFETY: the call returns a new reference, which is freed after it was used.
            let certificate = unsafe connections.peerCertificate(handle)
        else { return nil }
        defer { unsafe openSSL.certificates.free(certificate) }
        return unsafe body(certificate)
    }
}
