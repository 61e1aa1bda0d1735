// SPDX-License-Identifier: Apache-2.0

/// The functions of brotli's decoder, looked up at first use.
///
/// Nothing changes after initialization, so `@unchecked Sendable` is correct.
@safe
package final class BrotliDecoding: @unchecked Sendable {
    typealias Handle = OpaquePointer
    typealias Allocator = @convention(c) (UnsafeMutableRawPointer?, Int) -> UnsafeMutableRawPointer?
    typealias Liberator = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void

    let library: SystemLibrary
    let make: @convention(c) (Allocator?, Liberator?, UnsafeMutableRawPointer?) -> Handle?
    let free: @convention(c) (Handle?) -> Void
    /// The state, the input's byte count and place, the output's, and the count of all output so far.
    let inflate:
        @convention(c) (
            Handle?, UnsafeMutablePointer<Int>?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
            UnsafeMutablePointer<Int>?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, UnsafeMutablePointer<Int>?
        ) -> CInt

    /// - Throws: What to install, or which function is missing.
    package init(_ name: String) throws(LibraryFailure) {
        library = try SystemLibrary(name, of: .brotli)
        // SAFETY: each property above has the type that brotli/decode.h gives the function named here.
        unsafe make = try library.function("BrotliDecoderCreateInstance")
        unsafe free = try library.function("BrotliDecoderDestroyInstance")
        unsafe inflate = try library.function("BrotliDecoderDecompressStream")
    }

    /// The decoder, loaded once for the process; a failure lasts until the process ends.
    package static let shared: Result<BrotliDecoding, LibraryFailure> = Result { () throws(LibraryFailure) in
        try BrotliDecoding("libbrotlidec.so.1")
    }
}
