// SPDX-License-Identifier: Apache-2.0

extension TLSEngine {
    /// What a call of OpenSSL's waits for.
    enum Want { case nothing, ciphertext, room, draining, end }

    /// Goes on with the handshake.
    func shakeHands() throws(TLSError) -> Want {
        guard !isHandshakeComplete else { return .nothing }
        openSSL.clearErrors()
        // SAFETY: the handle lives as long as the engine.
        let status = unsafe openSSL.connections.shakeHands(handle)
        guard status == 1 else { return try want(after: status) }
        isHandshakeComplete = true
        return .nothing
    }

    /// Why a call that returned `status` has not done its work.
    func want(after status: Int32) throws(TLSError) -> Want {
        switch unsafe openSSL.connections.outcome(handle, status) {
        case Constant.wantsReading: return .ciphertext
        case Constant.wantsWriting: return .draining
        case Constant.hasEnded:
            // Before the handshake is complete nobody may end.
            guard isHandshakeComplete else { throw fail(.truncated(duringHandshake: true)) }
            return .end
        default: throw fail(currentError)
        }
    }

    private var currentError: TLSError {
        // A signature that is wrong leaves errors of other libraries in front of the one that ends the handshake.
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

    // MARK: Before it

    /// Makes the handshake fail unless the certificate is for this name, and tells the server of it.
    func expect(_ serverName: ServerName) throws(TLSError) {
        let parameters = unsafe openSSL.connections.verificationParameters(handle)
        switch serverName {
        case .host(let name):
            // Only names that stand in the certificate as such count, and `*` for a whole label (RFC 9525 §6.3).
            unsafe openSSL.verification.setHostFlags(parameters, Constant.hostFlags)
            try context.require(unsafe openSSL.verification.setHost(parameters, name, name.utf8.count) == 1)
            let status = unsafe name.withCString { name in
                unsafe openSSL.connections.control(
                    handle, Constant.setRequestedName, 0, AnyPointer(mutating: name))
            }
            try context.require(status == 1)
        case .address(let address):
            guard unsafe openSSL.verification.setAddress(parameters, address) == 1
            else { throw .invalidServerName(address) }
        }
    }

    /// Of the names in a client's offer (RFC 7301 §3.1: each behind a byte with its length), where the one is that this
    /// side prefers.
    func chooseProtocol(_ offer: [UInt8]) -> Range<Int>? {
        var offered: [Range<Int>] = []
        var offset = 0
        while offset < offer.count {
            let end = offset + 1 + Int(offer[offset])
            guard end <= offer.count else { return nil }
            offered.append(offset + 1..<end)
            offset = end
        }
        for name in context.applicationProtocols {
            if let range = offered.first(where: { offer[$0].elementsEqual(name) }) { return range }
        }
        return nil
    }

    // MARK: Resumption

    func resumeSession(of serverName: ServerName) throws(TLSError) {
        let sessions = openSSL.sessions
        guard context.configuration.resumesSessions, let entry = context.sessions.take(for: serverName.text)
        else { return }
        // A fatal alert behind the ticket has ended the session too (RFC 5246 §7.2.2), and nobody else would free it.
        guard unsafe sessions.isResumable(entry.session) == 1 else { return unsafe sessions.free(entry.session) }
        let status = unsafe openSSL.connections.setSession(handle, entry.session)
        if unsafe sessions.version(entry.session) < Int32(TLSVersion.tls13.rawValue) {
            context.sessions.put(entry, for: serverName.text)
        } else {
            // Using a ticket twice would show who comes again (RFC 8446 §C.4); the server sends new ones.
            unsafe sessions.free(entry.session)
        }
        try context.require(status == 1)
        pinOutcome = entry.pinOutcome
    }

    /// Keeps a session for the next connection; OpenSSL has verified whose it is before it makes one.
    func keep(_ session: Handle) -> Bool {
        guard context.configuration.resumesSessions, let serverName else { return false }
        context.sessions.put(unsafe SessionStore.Entry(session: session, pinOutcome: pinOutcome), for: serverName.text)
        return true
    }

    // MARK: After it

    /// The version that both sides have agreed on; nil before that.
    public var version: TLSVersion? {
        guard isHandshakeComplete else { return nil }
        return unsafe TLSVersion(rawValue: UInt16(truncatingIfNeeded: openSSL.connections.version(handle)))
    }

    /// The cipher that both sides have agreed on, such as `TLS_AES_256_GCM_SHA384`; nil before that.
    public var cipher: String? {
        guard isHandshakeComplete, let cipher = unsafe openSSL.connections.cipher(handle),
            let name = unsafe openSSL.connections.nameOfCipher(cipher)
        else { return nil }
        return unsafe String(cString: name)
    }

    /// The application protocol that both sides have agreed on (ALPN); nil if none.
    public var applicationProtocol: String? {
        guard isHandshakeComplete else { return nil }
        var (start, count): (Bytes?, UInt32) = (nil, 0)
        unsafe openSSL.connections.chosenProtocol(handle, &start, &count)
        guard count > 0, let start = unsafe start else { return nil }
        // SAFETY: OpenSSL says where the name is and how long it is.
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }

    /// Whether the connection continues what an earlier one has agreed on.
    public var isResumed: Bool {
        isHandshakeComplete && (unsafe openSSL.connections.isResumed(handle) == 1)
    }

    /// The host that a client has asked a server for (SNI); nil if it has not.
    public var requestedServerName: String? {
        guard let name = unsafe openSSL.connections.requestedName(handle, 0) else { return nil }
        return unsafe String(cString: name)
    }

    /// The hash of the public key in the peer's own certificate; nil before the peer has shown one.
    public var peerKeyHash: TLSKeyHash? {
        guard let certificate = unsafe openSSL.connections.peerCertificate(handle) else { return nil }
        defer { unsafe openSSL.certificates.free(certificate) }
        return unsafe openSSL.keyHash(of: certificate)
    }
}
