// SPDX-License-Identifier: Apache-2.0

/// The state of one brotli stream that is decompressed. brotli cannot reset a state, so each stream has its own.
///
/// brotli allocates a window of the size that the stream names, at most 16 MiB. The system provides memory only for the
/// part that is used.
@safe
package struct BrotliInflation: StreamInflation, ~Copyable {
    private let brotli: BrotliDecoding
    private let state: BrotliDecoding.Handle

    /// - Throws: A failure with ``LibraryFailure/Cause/notInitialised`` if memory is exhausted.
    package init(_ brotli: BrotliDecoding) throws(LibraryFailure) {
        // SAFETY: without an allocator, brotli uses that of the C library.
        guard let state = unsafe brotli.make(nil, nil, nil) else {
            throw brotli.library.failure(.notInitialised)
        }
        self.brotli = brotli
        unsafe self.state = state
    }

    deinit {
        // SAFETY: `init` has made the state, which is not used later.
        unsafe brotli.free(state)
    }

    package func inflate(
        _ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer
    ) -> InflationStep {
        var (inputByteCount, roomByteCount) = (source.count, destination.count)
        // SAFETY: brotli reads and writes at most this many bytes, and none after the call.
        var input = unsafe source.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var output = unsafe destination.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let status = unsafe brotli.inflate(state, &inputByteCount, &input, &roomByteCount, &output, nil)
        let progress: InflationStep.Progress =
            switch status {
            case Self.needsInput, Self.needsRoom: .isIncomplete
            case Self.hasEnded: .hasEnded
            default: .isDamaged
            }
        return InflationStep(
            takenByteCount: source.count - inputByteCount, filledByteCount: destination.count - roomByteCount,
            hasFilledRoom: roomByteCount == 0, progress: progress)
    }

    // The values of `BrotliDecoderResult` (brotli/decode.h).
    private static let hasEnded: CInt = 1
    private static let needsInput: CInt = 2
    private static let needsRoom: CInt = 3
}
