// SPDX-License-Identifier: Apache-2.0

import WirelineLibraries

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

    /// - Throws: The name of a missing function.
    init(_ library: OpenSSLLibrary) throws(LibraryFailure) {
        general = try General(library)
        errors = try Errors(library)
        locks = try Locks(library)
        streams = try Streams(library)
        certificates = try Certificates(library)
        verification = try Verification(library)
        contexts = try Contexts(library)
        connections = try Connections(library)
        sessions = try Sessions(library)
        try library.requireInitialised(general.initialize(OpenSSLLibrary.initializeWithoutExit, nil))
    }

    /// OpenSSL, loaded once for the process; a failure lasts until the process ends.
    static let shared: Result<OpenSSL, TLSError> = Result { () throws(TLSError) in
        try first(of: OpenSSLLibrary.Part.ssl.places)
    }

    /// Loads OpenSSL from the first place that has it.
    ///
    /// - Throws: ``TLSError/unavailable(reason:)`` of the first library that was tried: it names what to install.
    static func first(of places: [OpenSSLLibrary.Place]) throws(TLSError) -> OpenSSL {
        do {
            return try OpenSSLLibrary.first(of: places, .ssl) { library throws(LibraryFailure) in
                try OpenSSL(library)
            }
        } catch {
            throw TLSError(error)
        }
    }
}

extension TLSError {
    init(_ failure: LibraryFailure) {
        self =
            failure.cause == .otherSystem
            ? .unavailable(reason: "here the program links OpenSSL 3 itself, or uses Network.framework")
            : .unavailable(reason: failure.reason(for: "TLS"))
    }
}

/// A pointer to any OpenSSL object.
typealias Handle = OpaquePointer
typealias Text = UnsafePointer<CChar>
typealias Bytes = UnsafePointer<UInt8>
typealias AnyPointer = UnsafeMutableRawPointer
