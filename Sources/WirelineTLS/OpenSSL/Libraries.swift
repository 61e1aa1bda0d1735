// SPDX-License-Identifier: Apache-2.0

import WirelineLibraries

/// OpenSSL's libssl and libcrypto, loaded until the process ends.
struct Libraries {
    /// The places to look for OpenSSL, in order.
    ///
    /// The program's own OpenSSL comes first: a second one beside it would be another version with other locks. As
    /// far as known, major versions keep the functions and numbers that this module uses; a missing function is
    /// found at look-up. The name without a version comes last, because it may be OpenSSL 1.
    static let places = [Place.program] + (3...6).map { .library("libssl.so.\($0)") } + [.library("libssl.so")]

    enum Place {
        case program
        case library(String)
    }

    private let libraries: SystemLibrary

    /// - Throws: ``TLSError/unavailable(reason:)``, which says what to install.
    init(at place: Place) throws(TLSError) {
        do {
            switch place {
            case .program: libraries = try SystemLibrary(inProgramWith: "SSL_new")
            case .library(let name): libraries = try SystemLibrary(name)
            }
        } catch {
            throw Self.unavailable(at: place, error)
        }
        try requireVersion()
    }

    /// Throws unless OpenSSL is version 3 or later.
    ///
    /// OpenSSL 1, LibreSSL and BoringSSL have functions of the same names that behave differently.
    private func requireVersion() throws(TLSError) {
        let majorVersion: @convention(c) () -> UInt32 = try function("OPENSSL_version_major")
        guard majorVersion() >= 3 else { throw .unavailable(reason: "OpenSSL is older than version 3") }
    }

    /// A function of libssl, or of the libcrypto that this libssl was linked with.
    ///
    /// The search includes a library's dependencies, so libcrypto is always the one that belongs to libssl.
    ///
    /// - Throws: ``TLSError/unavailable(reason:)`` if neither has it.
    func function<Function>(_ name: String) throws(TLSError) -> Function {
        do {
            return try libraries.function(name)
        } catch {
            throw Self.unavailable(at: .program, error)
        }
    }

    private static func unavailable(at place: Place, _ error: SystemLibraryError) -> TLSError {
        let reason =
            switch (error, place) {
            case (.otherSystem, _): "TLS is built on OpenSSL on Linux only; here use Network.framework"
            case (.noFunction(let name), _):
                "OpenSSL has no function \(name): version 3.0 or a later one is needed"
            case (_, .program): "the program brings no OpenSSL of its own"
            case (.staticProgram, .library(let name)):
                "a static program cannot load \(name): link the C library dynamically to use TLS"
            case (.notFound, .library(let name)):
                """
                \(name) was not found: install OpenSSL 3 (Debian and Ubuntu: libssl3, Fedora: openssl-libs, \
                Alpine: libssl3)
                """
            }
        return .unavailable(reason: reason)
    }
}
