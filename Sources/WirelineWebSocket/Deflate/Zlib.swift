// SPDX-License-Identifier: Apache-2.0

import WirelineLibraries

/// The zlib functions that this module calls, looked up at first use.
///
/// Neither building nor starting a program needs zlib.
///
/// Nothing changes after initialization, so `@unchecked Sendable` is correct.
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

    /// - Throws: ``WebSocketError/deflateUnavailable(reason:)``, which says what to install, or which function is missing.
    package init(_ name: String) throws(WebSocketError) {
        do {
            let library = try SystemLibrary(name)
            // SAFETY: each property above has the type that zlib.h gives the function named here.
            unsafe version = try library.function("zlibVersion")
            unsafe initializeInflation = try library.function("inflateInit2_")
            unsafe inflate = try library.function("inflate")
            // Unlike `inflateReset`, this keeps the window. Every zlib since 1.2.5.1 has it.
            unsafe restartInflation = try library.function("inflateResetKeep")
            unsafe endInflation = try library.function("inflateEnd")
            unsafe initializeDeflation = try library.function("deflateInit2_")
            unsafe deflate = try library.function("deflate")
            unsafe endDeflation = try library.function("deflateEnd")
        } catch {
            throw Self.unavailable(name, error)
        }
    }

    private static func unavailable(_ library: String, _ error: SystemLibraryError) -> WebSocketError {
        let reason =
            switch error {
            case .otherSystem: "\(library) is loaded on Linux only"
            case .staticProgram:
                "a static program cannot load \(library): link the C library dynamically to use compression"
            case .notFound:
                "\(library) was not found: install zlib (Debian and Ubuntu: zlib1g, Fedora: zlib, Alpine: zlib)"
            case .noFunction(let name): "\(library) has no function \(name)"
            }
        return .deflateUnavailable(reason: reason)
    }

    /// zlib, loaded once for the process; a failure lasts until the process ends.
    package static let shared: Result<Zlib, WebSocketError> = Result { () throws(WebSocketError) in
        try Zlib("libz.so.1")
    }

    /// Returns whether compression is available.
    ///
    /// - Throws: ``WebSocketError/deflateUnavailable(reason:)`` if it is unavailable and not optional.
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
    static let noFlush: CInt = 0
    static let syncFlush: CInt = 2
    static let deflated: CInt = 8
    static let defaultMemoryLevel: CInt = 8
    static let defaultStrategy: CInt = 0
}
