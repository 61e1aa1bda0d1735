// SPDX-License-Identifier: Apache-2.0

extension TLSSetup {
    private var contexts: OpenSSL.Contexts { openSSL.contexts }

    func setVersionsAndModes() throws(TLSError) {
        let (minimum, maximum) = (configuration.minimumVersion.rawValue, configuration.maximumVersion.rawValue)
        // SAFETY: here and below, the handle lives as long as this object, and the calls copy their arguments.
        try require(unsafe contexts.control(handle, Constant.setMinimumVersion, Int(minimum), nil) == 1)
        try require(unsafe contexts.control(handle, Constant.setMaximumVersion, Int(maximum), nil) == 1)
        // The chain is sent as given; otherwise OpenSSL would try to complete it in each handshake.
        _ = unsafe contexts.control(handle, Constant.setMode, Constant.modes, nil)
        let options = Constant.withoutCompression | Constant.serverPrefers | Constant.withoutRenegotiation
        _ = unsafe contexts.setOptions(handle, options)
        unsafe contexts.setObserver(handle, Callbacks.observe)
        if configuration.keyLog != nil { unsafe contexts.setKeyLog(handle, Callbacks.logKey) }
    }

    func setVerification() throws(TLSError) {
        let mode =
            switch (configuration.role, configuration.clientCertificates) {
            case (.client, _), (.server, .requested): Constant.verifyPeer
            case (.server, .required): Constant.verifyPeer | Constant.requireCertificate
            case (.server, .notRequested): Constant.verifyNone
            }
        // SAFETY: the handle lives as long as this object, and the callback is a function without a context.
        unsafe contexts.setVerification(handle, mode, nil)
        unsafe contexts.setVerifier(handle, Callbacks.verify, nil)
        guard mode != Constant.verifyNone, !configuration.dangerouslyTrustsAnyCertificate else { return }
        switch configuration.trustRoots {
        case .system: try require(unsafe contexts.useSystemRoots(handle) == 1)
        case .only(let roots): try addRoots(roots)
        }
    }

    private func addRoots(_ roots: TLSPEM) throws(TLSError) {
        // SAFETY: the handle owns its parameters and its store; OpenSSL counts its own reference to a root or copies
        // its name.
        let parameters = unsafe contexts.verificationParameters(handle)
        try require(unsafe openSSL.verification.setFlags(parameters, Constant.partialChain) == 1)
        let certificates = try CertificateList(roots, .trustRoots, openSSL)
        for index in 0..<certificates.count {
            try require(unsafe openSSL.verification.addRoot(contexts.store(handle), certificates[index]) == 1)
            // Clients with several certificates choose by these names.
            if configuration.role == .server {
                try require(unsafe contexts.nameIssuer(handle, certificates[index]) == 1)
            }
        }
    }

    func setIdentity() throws(TLSError) {
        guard let identity = configuration.identity else { return }
        let certificates = try CertificateList(identity.certificateChain, .certificateChain, openSSL)
        let key = try PrivateKey(identity.privateKey, openSSL)
        openSSL.clearErrors()
        // SAFETY: the handle lives as long as this object, and the key and certificates until the end of this function.
        guard unsafe openSSL.certificates.hasKey(certificates[0], key.handle) == 1 else { throw .keyDoesNotMatch }
        // OpenSSL takes its own references. It refuses, for example, keys that are too short.
        guard unsafe contexts.useCertificate(handle, certificates[0]) == 1 else {
            throw .unusable(.certificateChain, reason: openSSL.firstFailure.reason)
        }
        guard unsafe contexts.useKey(handle, key.handle) == 1 else {
            throw .unusable(.privateKey, reason: openSSL.firstFailure.reason)
        }
        for index in 1..<max(1, certificates.count) {
            let certificate = unsafe AnyPointer(certificates[index])
            guard unsafe contexts.control(handle, Constant.addToChain, 1, certificate) == 1 else {
                throw .unusable(.certificateChain, reason: openSSL.firstFailure.reason)
            }
        }
    }

    func setIdentityChoice() {
        guard hasSetupsByName else { return }
        // SAFETY: the handle lives as long as this object, and the callback has the type for this command.
        _ = unsafe contexts.controlCallback(handle, Constant.setNameChoice, Callbacks.chooseIdentity)
    }

    func setApplicationProtocols() throws(TLSError) {
        guard !applicationProtocols.isEmpty else { return }
        switch configuration.role {
        case .client:
            let list = applicationProtocols.flatMap { [UInt8($0.count)] + $0 }
            // SAFETY: the array lives as long as the call, which copies that many bytes; the callback is a function
            // without a context.
            let status = unsafe list.withUnsafeBufferPointer { list in
                unsafe contexts.offerProtocols(handle, list.baseAddress, UInt32(list.count))
            }
            // Unlike all others, this call returns 0 for success.
            try require(status == 0)
        case .server: unsafe contexts.setProtocolChoice(handle, Callbacks.chooseProtocol, nil)
        }
    }

    func setResumption() throws(TLSError) {
        let keepsSessions = configuration.role == .client && configuration.resumesSessions
        let caching = keepsSessions ? Constant.ownSessionCache : Constant.noSessionCache
        // SAFETY: the handle lives as long as this object, and the callbacks have the types that these calls expect.
        _ = unsafe contexts.control(handle, Constant.setSessionCaching, caching, nil)
        if keepsSessions { unsafe contexts.setSessionKeeper(handle, Callbacks.keepSession) }
        if !configuration.resumesSessions { _ = unsafe contexts.setOptions(handle, Constant.withoutTickets) }
        // One ticket is enough for one reconnect; OpenSSL would make two.
        try require(unsafe contexts.setTicketCount(handle, configuration.resumesSessions ? 1 : 0) == 1)
        guard configuration.role == .server else { return }
        // Sessions with a client certificate need a context name; the ticket keys keep contexts apart.
        let name = Array("wireline".utf8)
        // SAFETY: the array lives as long as the call, which copies that many bytes.
        let status = unsafe name.withUnsafeBufferPointer { name in
            unsafe contexts.setSessionContext(handle, name.baseAddress, UInt32(name.count))
        }
        try require(status == 1)
        guard configuration.resumesSessions else { return }
        let ticketStatus = unsafe contexts.setTicketHandlers(
            handle, Callbacks.makeTicket, Callbacks.chooseTicket, nil)
        try require(ticketStatus == 1)
    }
}
