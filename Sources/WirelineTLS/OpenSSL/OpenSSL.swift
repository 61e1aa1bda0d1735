// SPDX-License-Identifier: Apache-2.0

/// The functions of OpenSSL 3 that this module calls, each with its type.
///
/// They are looked up by name on first use, so that neither building nor starting a program needs OpenSSL. Their names
/// are C's without the prefix: `SSL_read` is `connection.read`.
///
/// Nothing changes after `init`; this justifies `@unchecked Sendable`.
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

    /// - Throws: ``TLSError/unavailable(reason:)`` if a function is missing.
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
        // Without OpenSSL's clean-up at exit: it frees what running threads still use.
        guard general.initialize(Constant.initializeWithoutExit, nil) == 1 else {
            throw .unavailable(reason: "OpenSSL could not be initialised")
        }
    }

    /// OpenSSL, loaded once for the process; a failure lasts until the process ends.
    static let shared: Result<OpenSSL, TLSError> = Result { () throws(TLSError) in
        try first(of: Libraries.places)
    }

    /// Loads OpenSSL from the first place that has it.
    ///
    /// - Throws: ``TLSError/unavailable(reason:)`` of the first library that was tried: it names what to install.
    static func first(of places: [Libraries.Place]) throws(TLSError) -> OpenSSL {
        var failure: TLSError?
        for place in places {
            do throws(TLSError) {
                return try OpenSSL(Libraries(at: place))
            } catch {
                if case .library = place, failure == nil { failure = error }
            }
        }
        // If there is no library to load, the only place says why there is no TLS.
        guard let failure else { return try OpenSSL(Libraries(at: .program)) }
        throw failure
    }
}

/// A pointer to any OpenSSL object.
typealias Handle = OpaquePointer
typealias Text = UnsafePointer<CChar>
typealias Bytes = UnsafePointer<UInt8>
typealias AnyPointer = UnsafeMutableRawPointer
