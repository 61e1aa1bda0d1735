// SPDX-License-Identifier: Apache-2.0

/// The functions of zlib that this module calls, looked up when they are first wanted, so that neither building nor starting
/// a program needs zlib.
///
/// Nothing changes once it is made, which is what `@unchecked Sendable` rests on.
@safe
package final class Zlib: @unchecked Sendable {
    typealias Initializer = @convention(c) (AnyPointer?, Int32, UnsafePointer<CChar>?, Int32) -> Int32
    typealias FullInitializer =
        @convention(c) (AnyPointer?, Int32, Int32, Int32, Int32, Int32, UnsafePointer<CChar>?, Int32) -> Int32
    typealias Step = @convention(c) (AnyPointer?, Int32) -> Int32
    typealias Change = @convention(c) (AnyPointer?) -> Int32

    let version: @convention(c) () -> UnsafePointer<CChar>?
    let initializeInflation: Initializer
    let inflate: Step
    let restartInflation: Change
    let endInflation: Change
    let initializeDeflation: FullInitializer
    let deflate: Step
    let endDeflation: Change

    /// - Throws: ``WebSocketError/deflateUnavailable(reason:)`` when a function is missing.
    package init(_ library: Library) throws(WebSocketError) {
        unsafe version = try library.function("zlibVersion")
        unsafe initializeInflation = try library.function("inflateInit2_")
        unsafe inflate = try library.function("inflate")
        // Unlike `inflateReset` this keeps what may be looked back to. It is in every zlib since 1.2.5.1.
        unsafe restartInflation = try library.function("inflateResetKeep")
        unsafe endInflation = try library.function("inflateEnd")
        unsafe initializeDeflation = try library.function("deflateInit2_")
        unsafe deflate = try library.function("deflate")
        unsafe endDeflation = try library.function("deflateEnd")
    }

    /// zlib, loaded once for the process; the failure stays the same until the process ends.
    package static let shared: Result<Zlib, WebSocketError> = Result { () throws(WebSocketError) in
        try Zlib(Library("libz.so.1"))
    }

    /// Whether there can be compression.
    ///
    /// - Throws: ``WebSocketError/deflateUnavailable(reason:)`` where there is none and it is not optional.
    package static func isAvailable(
        for deflate: WebSocketDeflate, _ zlib: Result<Zlib, WebSocketError> = shared
    ) throws(WebSocketError) -> Bool {
        switch zlib {
        case .success: return true
        case .failure(let error):
            guard deflate.isOptional else { throw error }
            return false
        }
    }
}

typealias AnyPointer = UnsafeMutableRawPointer

/// What zlib knows of one stream of bytes: `z_stream` of zlib.h, whose size zlib compares with its own.
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

/// Numbers of zlib.h.
enum ZlibConstant {
    static let isFine: CInt = 0
    static let streamEnd: CInt = 1
    static let bufferError: CInt = -5
    static let syncFlush: CInt = 2
    static let deflated: CInt = 8
    static let defaultMemoryLevel: CInt = 8
    static let defaultStrategy: CInt = 0
}
