// SPDX-License-Identifier: Apache-2.0

/// The functions of brotli's decoder. They are looked up at first use.
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
    /// The arguments: the state, the input's byte count and address, the output's byte count and address, and the total
    /// number of output bytes.
    let inflate:
        @convention(c) (
            Handle?, UnsafeMutablePointer<Int>?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
            UnsafeMutablePointer<Int>?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, UnsafeMutablePointer<Int>?
        ) -> CInt

    /// - Throws: A failure that says what to install, or which function is missing.
    package init(_ name: String) throws(LibraryFailure) {
        library = try SystemLibrary(name, of: .brotli)
        // SAFETY: each property above has the type that brotli/decode.h gives the function named here.
        unsafe make = try library.function("BrotliDecoderCreateInstance")
        unsafe free = try library.function("BrotliDecoderDestroyInstance")
        unsafe inflate = try library.function("BrotliDecoderDecompressStream")
    }

    /// The decoder. It is loaded once for the process, and a failure is final.
    package static let shared: Result<BrotliDecoding, LibraryFailure> = Result { () throws(LibraryFailure) in
        try BrotliDecoding("libbrotlidec.so.1")
    }
}
