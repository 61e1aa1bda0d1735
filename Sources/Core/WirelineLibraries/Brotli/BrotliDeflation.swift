// SPDX-License-Identifier: Apache-2.0

/// The state of one brotli stream that is compressed in steps. brotli cannot reset a state, so each stream has its own.
///
/// The memory grows with the content, up to about three times the window of 4 MiB.
@safe
package struct BrotliDeflation: ~Copyable {
    private let brotli: BrotliEncoding
    private let state: BrotliEncoding.Handle

    /// - Parameters:
    ///   - byteCount: The expected total input, in bytes.
    ///   - level: From 0 to 11; nil for brotli's default, which is 11.
    /// - Throws: A failure with ``LibraryFailure/Cause/notInitialised`` if memory is exhausted.
    package init(_ brotli: BrotliEncoding, byteCount: Int, level: Int?) throws(LibraryFailure) {
        // SAFETY: without an allocator, brotli uses that of the C library. It refuses parameters only of a stream that
        // has begun.
        guard let state = unsafe brotli.make(nil, nil, nil) else { throw brotli.library.failure(.notInitialised) }
        if let level { _ = unsafe brotli.set(state, Self.levelParameter, UInt32(level)) }
        _ = unsafe brotli.set(state, Self.byteCountParameter, UInt32(clamping: byteCount))
        _ = unsafe brotli.set(state, Self.blockBitsParameter, Self.smallestBlockBits)
        self.brotli = brotli
        unsafe self.state = state
    }

    deinit {
        // SAFETY: `init` has made the state, which is not used later.
        unsafe brotli.free(state)
    }

    /// Compresses bytes, and appends brotli's output to an array.
    ///
    /// - Throws: A failure with ``LibraryFailure/Cause/gaveUp(status:)`` if memory is exhausted.
    package func deflate(
        _ content: RawSpan, then operation: Operation, into compressed: inout [UInt8]
    ) throws(LibraryFailure) {
        // SAFETY: brotli takes all of the lent bytes, and has none of them when the closure returns.
        let status = unsafe content.withUnsafeBytes { source in unsafe run(source, operation, into: &compressed) }
        guard status == 1 else { throw brotli.library.failure(.gaveUp(status: Int(status))) }
    }

    private func run(
        _ source: UnsafeRawBufferPointer, _ operation: Operation, into compressed: inout [UInt8]
    ) -> CInt {
        var inputByteCount = source.count
        // SAFETY: `source` is lent by the caller; brotli moves the address by what it takes.
        var input = unsafe source.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var status: CInt = 1
        repeat {
            let capacity = Self.roomByteCount
            compressed.append(addingCapacity: capacity) { output in
                unsafe output.withUnsafeMutableBufferPointer { room, filledByteCount in
                    var roomByteCount = capacity
                    // SAFETY: brotli writes at most this many bytes, and none after the call.
                    var next = room.baseAddress
                    status = unsafe brotli.deflate(
                        state, operation.rawValue, &inputByteCount, &input, &roomByteCount, &next, nil)
                    filledByteCount = capacity - roomByteCount
                }
            }
            // SAFETY: the state lives as long as this value.
        } while unsafe status == 1 && (inputByteCount > 0 || brotli.hasMoreOutput(state) != 0)
        return status
    }

    /// What brotli does with input that it has not written yet (`BrotliEncoderOperation` of brotli/encode.h).
    package enum Operation: CInt {
        /// brotli may keep it: more input follows.
        case process = 0
        /// brotli writes all of it.
        case flush = 1
        /// brotli writes all of it, and ends the stream.
        case finish = 2
    }

    private static let roomByteCount = 16 << 10
    // `BrotliEncoderParameter` of brotli/encode.h.
    private static let levelParameter: CInt = 1
    private static let blockBitsParameter: CInt = 3
    private static let byteCountParameter: CInt = 5
    /// brotli compresses in blocks of this size, as a power of two: 64 KiB.
    private static let smallestBlockBits: UInt32 = 16
}
