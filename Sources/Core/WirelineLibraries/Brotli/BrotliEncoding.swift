// SPDX-License-Identifier: Apache-2.0

/// The functions of brotli's encoder. They are looked up at first use.
///
/// Nothing changes after initialization, so `@unchecked Sendable` is correct.
@safe
package final class BrotliEncoding: @unchecked Sendable {
    typealias Handle = OpaquePointer
    private typealias Encoder =
        @convention(c) (
            CInt, CInt, CInt, Int, UnsafePointer<UInt8>?, UnsafeMutablePointer<Int>?, UnsafeMutablePointer<UInt8>?
        ) -> CInt

    let library: SystemLibrary
    private let largestByteCount: @convention(c) (Int) -> Int
    /// The arguments: the level, the window's bits, the mode, the input's byte count and address, and the output's.
    private let encode: Encoder
    let make: @convention(c) (BrotliDecoding.Allocator?, BrotliDecoding.Liberator?, UnsafeMutableRawPointer?) -> Handle?
    let free: @convention(c) (Handle?) -> Void
    let set: @convention(c) (Handle?, CInt, UInt32) -> CInt
    /// The arguments: the state, the operation, the input's byte count and address, the output's byte count and
    /// address, and the total number of output bytes.
    let deflate:
        @convention(c) (
            Handle?, CInt, UnsafeMutablePointer<Int>?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
            UnsafeMutablePointer<Int>?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, UnsafeMutablePointer<Int>?
        ) -> CInt
    let hasMoreOutput: @convention(c) (Handle?) -> CInt

    /// - Throws: A failure that says what to install, or which function is missing.
    package init(_ name: String) throws(LibraryFailure) {
        library = try SystemLibrary(name, of: .brotli)
        // SAFETY: each property above has the type that brotli/encode.h gives the function named here.
        largestByteCount = try library.function("BrotliEncoderMaxCompressedSize")
        unsafe encode = try library.function("BrotliEncoderCompress")
        unsafe make = try library.function("BrotliEncoderCreateInstance")
        unsafe free = try library.function("BrotliEncoderDestroyInstance")
        unsafe set = try library.function("BrotliEncoderSetParameter")
        unsafe deflate = try library.function("BrotliEncoderCompressStream")
        unsafe hasMoreOutput = try library.function("BrotliEncoderHasMoreOutput")
    }

    /// The encoder. It is loaded once for the process, and a failure is final.
    package static let shared: Result<BrotliEncoding, LibraryFailure> = Result { () throws(LibraryFailure) in
        try BrotliEncoding("libbrotlienc.so.1")
    }

    /// Compresses bytes to one complete stream.
    ///
    /// - Parameter level: From 0 to 11; nil for brotli's default, which is 11.
    /// - Throws: A failure with ``LibraryFailure/Cause/gaveUp(status:)`` if memory is exhausted.
    package func compress(_ content: RawSpan, level: Int?) throws(LibraryFailure) -> [UInt8] {
        var status: CInt = 0
        let capacity = largestByteCount(content.byteCount)
        // SAFETY: brotli reads the content's bytes, which are lent, and writes at most `capacity` bytes to the array.
        let compressed = unsafe content.withUnsafeBytes { source in
            unsafe [UInt8](unsafeUninitializedCapacity: capacity) { room, filledByteCount in
                var byteCount = capacity
                unsafe status = encode(
                    level.map { CInt($0) } ?? Self.defaultLevel, Self.defaultWindowBits, Self.defaultMode, source.count,
                    source.baseAddress?.assumingMemoryBound(to: UInt8.self), &byteCount, room.baseAddress)
                filledByteCount = status == 1 ? byteCount : 0
            }
        }
        guard status == 1 else { throw library.failure(.gaveUp(status: Int(status))) }
        return compressed
    }

    // The constants of brotli/encode.h.
    private static let defaultLevel: CInt = 11
    private static let defaultWindowBits: CInt = 22
    private static let defaultMode: CInt = 0
}
