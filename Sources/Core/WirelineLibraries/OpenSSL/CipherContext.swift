// SPDX-License-Identifier: Apache-2.0

/// AES with one key, in one direction.
///
/// OpenSSL wipes its copy of the key when the context is released.
@safe
package struct CipherContext: ~Copyable {
    private let library: CipherLibrary
    private let context: CipherLibrary.Handle

    /// - Parameters:
    ///   - key: 16, 24 or 32 bytes.
    ///   - vector: The 16 bytes before the first block (CBC), or the first counter (CTR).
    /// - Throws: A failure with ``LibraryFailure/Cause/gaveUp(status:)`` if memory is exhausted, or a count is wrong.
    package init(
        _ library: CipherLibrary, _ mode: AESMode, isEncrypting: Bool, key: RawSpan, vector: RawSpan
    ) throws(LibraryFailure) {
        // SAFETY: the context is this value's own until `deinit`, or until OpenSSL refuses it.
        guard vector.byteCount == AESMode.blockByteCount,
            let cipher = unsafe library.cipher(mode, keyByteCount: key.byteCount), let context = unsafe library.make()
        else { throw library.failure(0) }
        // SAFETY: OpenSSL reads as many bytes of both as the cipher wants, which were counted, and keeps a copy.
        let status = unsafe key.withUnsafeBytes { key in
            unsafe vector.withUnsafeBytes { vector in
                unsafe library.initialize(
                    context, cipher, nil, key.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    vector.baseAddress?.assumingMemoryBound(to: UInt8.self), isEncrypting ? 1 : 0)
            }
        }
        guard status == 1 else {
            unsafe library.free(context)
            library.clearErrors()
            throw library.failure(status)
        }
        self.library = library
        unsafe self.context = context
    }

    deinit {
        // SAFETY: `init` has made the context, which is not used later.
        unsafe library.free(context)
    }

    /// Restarts the cipher with the same key.
    ///
    /// - Parameter vector: 16 bytes.
    package func restart(with vector: RawSpan) throws(LibraryFailure) {
        guard vector.byteCount == AESMode.blockByteCount else { throw library.failure(0) }
        // SAFETY: OpenSSL copies the 16 bytes. −1 keeps the direction.
        let status = unsafe vector.withUnsafeBytes { vector in
            unsafe library.initialize(
                context, nil, nil, nil, vector.baseAddress?.assumingMemoryBound(to: UInt8.self), -1)
        }
        guard status == 1 else { throw refusal(status) }
    }

    /// Encrypts or decrypts the next bytes of a stream (CTR).
    package func transform(_ input: RawSpan) throws(LibraryFailure) -> [UInt8] {
        var status: CInt = 1
        let output = unsafe run(input, roomByteCount: input.byteCount) { room, filledByteCount, source in
            // SAFETY: see `run`.
            status = unsafe update(source, into: room, &filledByteCount)
        }
        guard status == 1 else { throw refusal(status) }
        return output
    }

    /// Encrypts a whole message, and pads it to whole blocks (CBC).
    package func encryptWhole(_ input: RawSpan) throws(LibraryFailure) -> [UInt8] {
        guard let output = transformWhole(input) else { throw library.failure(0) }
        return output
    }

    /// Decrypts a whole message, and removes the padding (CBC).
    ///
    /// - Returns: nil if the byte count is not a multiple of the block, or the padding is wrong.
    package func decryptWhole(_ input: RawSpan) -> [UInt8]? { transformWhole(input) }

    private func transformWhole(_ input: RawSpan) -> [UInt8]? {
        var status: CInt = 1
        // OpenSSL can write one block more than it reads.
        let roomByteCount = input.byteCount + 2 * AESMode.blockByteCount
        let output = unsafe run(input, roomByteCount: roomByteCount) { room, filledByteCount, source in
            // SAFETY: see `run`; `update` has left at least a block of it.
            status = unsafe update(source, into: room, &filledByteCount)
            guard status == 1 else { return }
            var lastByteCount: CInt = 0
            status = unsafe library.finish(context, room + filledByteCount, &lastByteCount)
            filledByteCount += status == 1 ? Int(lastByteCount) : 0
        }
        guard status == 1 else {
            library.clearErrors()
            return nil
        }
        return output
    }

    /// Lends the input and memory for the output to `body`.
    private func run(
        _ input: RawSpan, roomByteCount: Int,
        _ body: (CipherLibrary.Room, _ filledByteCount: inout Int, UnsafeRawBufferPointer) -> Void
    ) -> [UInt8] {
        // SAFETY: both are lent until `body` has returned. An array without capacity has no memory, and then there is
        // nothing to write.
        unsafe input.withUnsafeBytes { source in
            unsafe [UInt8](unsafeUninitializedCapacity: roomByteCount) { room, filledByteCount in
                guard let start = room.baseAddress else { return }
                unsafe body(start, &filledByteCount, source)
            }
        }
    }

    /// OpenSSL counts with a signed 32-bit integer, so long input is passed in pieces.
    private func update(
        _ source: UnsafeRawBufferPointer, into room: CipherLibrary.Room, _ filledByteCount: inout Int
    ) -> CInt {
        // SAFETY: `source` is lent by the caller, and each piece has the count that OpenSSL gets with its address. The
        // room is larger than the source by what OpenSSL may add.
        var rest = unsafe source[...]
        while unsafe !rest.isEmpty {
            let piece = unsafe UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 30))
            unsafe rest = rest.dropFirst(piece.count)
            var byteCount: CInt = 0
            let status = unsafe library.update(
                context, room + filledByteCount, &byteCount, piece.baseAddress?.assumingMemoryBound(to: UInt8.self),
                CInt(piece.count))
            guard status == 1 else { return status }
            filledByteCount += Int(byteCount)
        }
        return 1
    }

    private func refusal(_ status: CInt) -> LibraryFailure {
        library.clearErrors()
        return library.failure(status)
    }
}
