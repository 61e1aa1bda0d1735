// SPDX-License-Identifier: Apache-2.0

/// The certificates of a PEM, in order; at least one.
@safe
struct CertificateList: ~Copyable {
    private let openSSL: OpenSSL
    private var handles: [Handle] = unsafe []

    var count: Int { unsafe handles.count }

    /// A certificate, for as long as the list lives.
    subscript(index: Int) -> Handle { unsafe handles[index] }

    /// - Throws: ``TLSError/unreadableFile(path:code:)``; ``TLSError/unusable(_:reason:)`` when there is no certificate,
    ///   or one is damaged.
    init(_ source: TLSPEM, _ material: TLSMaterial, _ openSSL: OpenSSL) throws(TLSError) {
        self.openSSL = openSSL
        let text = try PEMText(source, openSSL)
        openSSL.clearErrors()
        while let certificate = unsafe openSSL.certificates.read(text.handle, nil, nil, nil) {
            unsafe handles.append(certificate)
        }
        let failure = openSSL.lastFailure
        guard failure.library == Constant.libraryPEM, failure.code == Constant.noStartLine else {
            throw .unusable(material, reason: failure.reason)
        }
        guard count > 0 else { throw .unusable(material, reason: "no -----BEGIN CERTIFICATE----- in it") }
    }

    deinit {
        for index in unsafe handles.indices { unsafe openSSL.certificates.free(handles[index]) }
    }
}

/// The first private key of a PEM.
@safe
struct PrivateKey: ~Copyable {
    private let openSSL: OpenSSL
    let handle: Handle

    /// - Throws: ``TLSError/unreadableFile(path:code:)``; ``TLSError/encryptedKey``; ``TLSError/unusable(_:reason:)``.
    init(_ source: TLSPEM, _ openSSL: OpenSSL) throws(TLSError) {
        self.openSSL = openSSL
        let text = try PEMText(source, openSSL)
        openSSL.clearErrors()
        var wasAskedForPassword = false
        let handle = unsafe withUnsafeMutablePointer(to: &wasAskedForPassword) { asked in
            unsafe openSSL.certificates.readKey(text.handle, nil, Callbacks.refusePassword, asked)
        }
        guard let handle = unsafe handle else {
            guard !wasAskedForPassword else { throw .encryptedKey }
            // OpenSSL's own words for this are "unsupported".
            let isAbsent = !text.contains("PRIVATE KEY-----")
            throw .unusable(
                .privateKey,
                reason: isAbsent ? "no -----BEGIN PRIVATE KEY----- in it" : openSSL.firstFailure.reason)
        }
        unsafe self.handle = handle
    }

    deinit {
        unsafe openSSL.certificates.freeKey(handle)
    }
}

/// A PEM that OpenSSL reads piece by piece.
@safe
private struct PEMText: ~Copyable {
    private let openSSL: OpenSSL
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    let handle: Handle

    init(_ source: TLSPEM, _ openSSL: OpenSSL) throws(TLSError) {
        let text = try source.load()
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count)
        _ = unsafe bytes.initialize(from: text)
        guard let count = Int32(exactly: text.count),
            let handle = unsafe openSSL.streams.makeOfMemory(bytes.baseAddress, count)
        else {
            unsafe bytes.deallocate()
            throw .failed(reason: "no memory for \(text.count) bytes of PEM")
        }
        self.openSSL = openSSL
        unsafe self.bytes = bytes
        unsafe self.handle = handle
    }

    func contains(_ text: String) -> Bool {
        let text = Array(text.utf8)
        return unsafe bytes.indices.contains { unsafe bytes[$0...].starts(with: text) }
    }

    deinit {
        _ = unsafe openSSL.streams.free(handle)
        // The text may have been a key.
        unsafe bytes.update(repeating: 0)
        unsafe bytes.deallocate()
    }
}
