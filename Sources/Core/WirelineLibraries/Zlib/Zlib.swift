// SPDX-License-Identifier: Apache-2.0

/// The functions of zlib that this package calls. They are looked up at first use.
///
/// The program builds and starts without zlib.
///
/// Nothing changes after initialization, so `@unchecked Sendable` is correct.
@safe
package final class Zlib: @unchecked Sendable {
    /// A pointer to a `z_stream` (``ZlibStream``).
    typealias Stream = UnsafeMutableRawPointer
    typealias Text = UnsafePointer<CChar>
    typealias Change = @convention(c) (Stream?) -> CInt
    typealias Step = @convention(c) (Stream?, CInt) -> CInt

    private let library: SystemLibrary
    let version: @convention(c) () -> Text?
    let initializeInflation: @convention(c) (Stream?, CInt, Text?, CInt) -> CInt
    let inflate: Step
    let resetInflation: Change
    let restartInflation: Change
    let endInflation: Change
    let initializeDeflation: @convention(c) (Stream?, CInt, CInt, CInt, CInt, CInt, Text?, CInt) -> CInt
    let deflate: Step
    let resetDeflation: Change
    let endDeflation: Change

    /// - Throws: A failure that says what to install, or which function is missing.
    package init(_ name: String) throws(LibraryFailure) {
        library = try SystemLibrary(name, of: .zlib)
        // SAFETY: each property above has the type that zlib.h gives the function named here.
        unsafe version = try library.function("zlibVersion")
        unsafe initializeInflation = try library.function("inflateInit2_")
        unsafe inflate = try library.function("inflate")
        unsafe resetInflation = try library.function("inflateReset")
        // Unlike `inflateReset`, this function keeps the window. It exists since zlib 1.2.5.1.
        unsafe restartInflation = try library.function("inflateResetKeep")
        unsafe endInflation = try library.function("inflateEnd")
        unsafe initializeDeflation = try library.function("deflateInit2_")
        unsafe deflate = try library.function("deflate")
        unsafe resetDeflation = try library.function("deflateReset")
        unsafe endDeflation = try library.function("deflateEnd")
    }

    /// zlib. It is loaded once for the process, and a failure is final.
    package static let shared: Result<Zlib, LibraryFailure> = Result { () throws(LibraryFailure) in
        try Zlib("libz.so.1")
    }

    /// Throws if a status of zlib is an error.
    func require(_ status: CInt) throws(LibraryFailure) {
        guard status == ZlibConstant.isFine else { throw library.failure(.gaveUp(status: Int(status))) }
    }
}

/// The format around the compressed bytes of a stream.
package enum ZlibWrapper: Hashable, Sendable {
    /// No header and no trailer (RFC 1951).
    case none
    /// A header of two bytes and a checksum (RFC 1950).
    case zlib
    /// A header, a checksum and a byte count (RFC 1952).
    case gzip

    /// Returns zlib's number for this wrapper and a window of this size, as a power of two.
    func code(windowBits: Int) -> CInt {
        switch self {
        case .none: CInt(-windowBits)
        case .zlib: CInt(windowBits)
        case .gzip: CInt(windowBits + 16)
        }
    }
}

/// The state of one zlib stream (`z_stream` of zlib.h). zlib refuses it if the size differs from its own.
@safe
struct ZlibStream {
    var nextInput: UnsafePointer<UInt8>?
    var inputByteCount: CUnsignedInt = 0
    var totalInput: CUnsignedLong = 0
    var nextOutput: UnsafeMutablePointer<UInt8>?
    var outputByteCount: CUnsignedInt = 0
    var totalOutput: CUnsignedLong = 0
    var message: UnsafePointer<CChar>?
    var state: OpaquePointer?
    var allocate: OpaquePointer?
    var free: OpaquePointer?
    var context: UnsafeMutableRawPointer?
    var dataType: CInt = 0
    var check: CUnsignedLong = 0
    var reserved: CUnsignedLong = 0
}

/// The constants of zlib.h.
enum ZlibConstant {
    static let isFine: CInt = 0
    static let streamEnd: CInt = 1
    static let bufferError: CInt = -5
    static let deflated: CInt = 8
    static let defaultLevel: CInt = -1
    static let defaultMemoryLevel: CInt = 8
    static let defaultStrategy: CInt = 0
}

/// What zlib does with input that it has not written yet.
package enum ZlibFlush: CInt, Sendable {
    /// zlib may keep it: more input follows.
    case none = 0
    /// zlib writes all of it, so that the peer can decompress it now.
    case sync = 2
    /// zlib writes all of it, and ends the stream.
    case finish = 4
}
