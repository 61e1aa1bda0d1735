// SPDX-License-Identifier: Apache-2.0

/// The zlib functions that this package calls, looked up at first use.
///
/// Neither building nor starting a program needs zlib.
///
/// Nothing changes after initialization, so `@unchecked Sendable` is correct.
@safe
package final class Zlib: @unchecked Sendable {
    /// A `z_stream`: ``ZlibStream``.
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

    /// - Throws: What to install, or which function is missing.
    package init(_ name: String) throws(LibraryFailure) {
        library = try SystemLibrary(name, of: .zlib)
        // SAFETY: each property above has the type that zlib.h gives the function named here.
        unsafe version = try library.function("zlibVersion")
        unsafe initializeInflation = try library.function("inflateInit2_")
        unsafe inflate = try library.function("inflate")
        unsafe resetInflation = try library.function("inflateReset")
        // Unlike `inflateReset`, this keeps the window. Every zlib since 1.2.5.1 has it.
        unsafe restartInflation = try library.function("inflateResetKeep")
        unsafe endInflation = try library.function("inflateEnd")
        unsafe initializeDeflation = try library.function("deflateInit2_")
        unsafe deflate = try library.function("deflate")
        unsafe resetDeflation = try library.function("deflateReset")
        unsafe endDeflation = try library.function("deflateEnd")
    }

    /// zlib, loaded once for the process; a failure lasts until the process ends.
    package static let shared: Result<Zlib, LibraryFailure> = Result { () throws(LibraryFailure) in
        try Zlib("libz.so.1")
    }

    /// Throws unless a status of zlib says that all went well.
    func require(_ status: CInt) throws(LibraryFailure) {
        guard status == ZlibConstant.isFine else { throw library.failure(.gaveUp(status: Int(status))) }
    }
}

/// What surrounds the compressed bytes of a stream.
package enum ZlibWrapper: Hashable, Sendable {
    /// Nothing (RFC 1951).
    case none
    /// Two bytes before them and a checksum after them (RFC 1950).
    case zlib
    /// A header, a checksum and a byte count (RFC 1952).
    case gzip

    /// zlib's number for a window of so many bits and this wrapper.
    func code(windowBits: Int) -> CInt {
        switch self {
        case .none: CInt(-windowBits)
        case .zlib: CInt(windowBits)
        case .gzip: CInt(windowBits + 16)
        }
    }
}

/// The state of one zlib stream: `z_stream` of zlib.h, whose size zlib compares with its own.
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

/// Constants of zlib.h.
enum ZlibConstant {
    static let isFine: CInt = 0
    static let streamEnd: CInt = 1
    static let bufferError: CInt = -5
    static let deflated: CInt = 8
    static let defaultLevel: CInt = -1
    static let defaultMemoryLevel: CInt = 8
    static let defaultStrategy: CInt = 0
}

/// What zlib does with what it has kept back when its input ends.
package enum ZlibFlush: CInt, Sendable {
    /// Nothing: more input follows.
    case none = 0
    /// It writes all, so that the peer can read it without what follows.
    case sync = 2
    /// It writes all, and ends the stream.
    case finish = 4
}
