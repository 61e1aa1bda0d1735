// SPDX-License-Identifier: Apache-2.0

/// The functions of OpenSSL 3 that this module calls, each typed once.
///
/// They are looked up by name when they are first wanted, so that neither building nor starting a program needs OpenSSL.
/// The names are C's, without their prefix: `SSL_read` is `connection.read`.
///
/// Nothing changes once it is made, which is what `@unchecked Sendable` rests on.
@safe
final class OpenSSL: @unchecked Sendable {
    let general: General
    let errors: Errors
    let locks: Locks
    let streams: Streams
    let certificates: Certificates
    let verification: Verification
    let contexts: Contexts
    let connections: Connections
    let sessions: Sessions
    /// How OpenSSL reads and writes the bytes of a ``TLSEngine``; see ``EngineStream``. Never freed.
    let engineStream: OpaquePointer

    /// - Throws: ``TLSError/unavailable(reason:)`` when a function is missing.
    init(_ libraries: Libraries) throws(TLSError) {
        general = try General(libraries)
        errors = try Errors(libraries)
        locks = try Locks(libraries)
        streams = try Streams(libraries)
        certificates = try Certificates(libraries)
        verification = try Verification(libraries)
        contexts = try Contexts(libraries)
        connections = try Connections(libraries)
        sessions = try Sessions(libraries)
        // Without OpenSSL's clean-up at exit: it frees what threads that still run are using.
        guard general.initialize(Constant.initializeWithoutExit, nil) == 1,
            let engineStream = unsafe EngineStream.makeMethod(streams)
        else { throw .unavailable(reason: "OpenSSL could not be initialised") }
        unsafe self.engineStream = engineStream
    }

    /// OpenSSL, loaded once for the process; the failure stays the same until the process ends.
    static let shared: Result<OpenSSL, TLSError> = Result { () throws(TLSError) in
        try OpenSSL(Libraries(ssl: "libssl.so.3", crypto: "libcrypto.so.3"))
    }
}

/// Any of OpenSSL's objects.
typealias Handle = OpaquePointer
typealias Text = UnsafePointer<CChar>
typealias Bytes = UnsafePointer<UInt8>
typealias AnyPointer = UnsafeMutableRawPointer
