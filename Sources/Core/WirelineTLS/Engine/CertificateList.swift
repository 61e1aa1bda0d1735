// SPDX-License-Identifier: Apache-2.0

/// The certificates of a PEM, in order; at least one.
@safe
struct CertificateList: ~Copyable {
    private let openSSL: OpenSSL
    // INVARIANT: the list owns one reference to each certificate, from its place in `handles` to `deinit`.
    private var handles: [Handle] = unsafe []

    // SAFETY: this reads only the array's count.
    var count: Int { unsafe handles.count }

    /// A certificate, for as long as the list lives.
    ///
    /// SAFETY: the array checks the index.
    subscript(index: Int) -> Handle { unsafe handles[index] }

    /// - Throws: ``TLSError/unreadableFile(path:code:)``; ``TLSError/notRegularFile(path:)``;
    ///   ``TLSError/unusable(_:reason:)`` if there is no certificate, or one is damaged.
    init(_ source: TLSPEM, _ material: TLSMaterial, _ openSSL: OpenSSL) throws(TLSError) {
        self.openSSL = openSSL
        let text = try PEMText(source, openSSL)
        openSSL.clearErrors()
        // Without a callback, OpenSSL would ask for a password on the terminal.
        var wasAskedForPassword = false
        // SAFETY: OpenSSL calls back only during this call, with the pointer given here; each certificate read is a new
        // reference for the list.
        unsafe withUnsafeMutablePointer(to: &wasAskedForPassword) { asked in
            while let certificate = unsafe openSSL.certificates.read(
                text.handle, nil, Callbacks.refusePassword, asked)
            {
                unsafe handles.append(certificate)
            }
        }
        guard !wasAskedForPassword else { throw .unusable(material, reason: "a certificate in it is encrypted") }
        let failure = openSSL.lastFailure
        guard failure.library == Constant.libraryPEM, failure.code == Constant.noStartLine else {
            throw .unusable(material, reason: failure.reason)
        }
        guard count > 0 else { throw .unusable(material, reason: "no -----BEGIN CERTIFICATE----- in it") }
    }

    deinit {
        // SAFETY: each certificate is freed once, because only `deinit` frees and the list cannot be copied.
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
        // SAFETY: OpenSSL calls back only during this call, with the pointer given here; the key is this value's own.
        let handle = unsafe withUnsafeMutablePointer(to: &wasAskedForPassword) { asked in
            unsafe openSSL.certificates.readKey(text.handle, nil, Callbacks.refusePassword, asked)
        }
        guard let handle = unsafe handle else {
            guard !wasAskedForPassword else { throw .encryptedKey }
            // OpenSSL itself would say "unsupported".
            let isAbsent = !text.contains("PRIVATE KEY-----")
            throw .unusable(
                .privateKey,
                reason: isAbsent ? "no -----BEGIN PRIVATE KEY----- in it" : openSSL.firstFailure.reason)
        }
        unsafe self.handle = handle
    }

    deinit {
        // SAFETY: the key is freed once, because this value cannot be copied.
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
        var text = try source.load()
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count)
        // SAFETY: the memory has one byte for each of the text.
        _ = unsafe bytes.initialize(from: text)
        // The text of a file may be a key, so erase it. Bytes given by the caller stay the caller's.
        if case .file = source {
            // SAFETY: the buffer is the array's, with its byte count.
            unsafe text.withUnsafeMutableBytes { bytes in
                unsafe openSSL.general.erase(bytes.baseAddress, bytes.count)
            }
        }
        guard let count = Int32(exactly: bytes.count),
            let handle = unsafe openSSL.streams.makeOfMemory(bytes.baseAddress, count)
        else {
            unsafe bytes.deallocate()
            throw .failed(reason: "no memory for \(bytes.count) bytes of PEM")
        }
        self.openSSL = openSSL
        // SAFETY: the memory and the stream are this value's own; `deinit` frees the stream first, because it reads the
        // memory.
        unsafe self.bytes = bytes
        unsafe self.handle = handle
    }

    func contains(_ text: String) -> Bool {
        let text = Array(text.utf8)
        // SAFETY: the indices are those of the memory, which lives as long as this value.
        return unsafe bytes.indices.contains { unsafe bytes[$0...].starts(with: text) }
    }

    deinit {
        // SAFETY: the stream is freed before the memory that it reads, each once, because this value cannot be copied.
        _ = unsafe openSSL.streams.free(handle)
        // The text may have been a key.
        unsafe openSSL.general.erase(bytes.baseAddress, bytes.count)
        unsafe bytes.deallocate()
    }
}
