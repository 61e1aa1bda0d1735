// SPDX-License-Identifier: Apache-2.0

/// OpenSSL's libssl with its libcrypto, or its libcrypto alone, loaded until the process ends.
package struct OpenSSLLibrary {
    /// A part of OpenSSL that can be loaded.
    package enum Part: Sendable {
        /// libssl, with the libcrypto that it was linked with.
        case ssl
        case crypto

        fileprivate var product: LibraryProduct { self == .ssl ? .libssl : .libcrypto }

        /// A function that only a program with this part has.
        fileprivate var knownFunction: String { self == .ssl ? "SSL_new" : "EVP_CIPHER_CTX_new" }

        private var fileName: String { self == .ssl ? "libssl.so" : "libcrypto.so" }

        /// The places to look for it, in order.
        ///
        /// The program's own OpenSSL comes first: a second one beside it would be another version with other locks. As
        /// far as known, major versions keep the functions and numbers that this package uses; a missing function is
        /// found at look-up. The name without a version comes last, because it may be OpenSSL 1.
        package var places: [Place] {
            [.program] + (3...6).map { .library("\(fileName).\($0)") } + [.library(fileName)]
        }
    }

    package enum Place: Sendable {
        case program
        case library(String)
    }

    let library: SystemLibrary

    /// - Throws: Why the place has no OpenSSL of version 3 or later.
    package init(_ part: Part, at place: Place) throws(LibraryFailure) {
        switch place {
        case .program: library = try SystemLibrary(inProgramWith: part.knownFunction, of: part.product)
        case .library(let name): library = try SystemLibrary(name, of: part.product)
        }
        try requireVersion()
    }

    /// Throws unless OpenSSL is version 3 or later.
    ///
    /// OpenSSL 1, LibreSSL and BoringSSL have functions of the same names that behave differently.
    private func requireVersion() throws(LibraryFailure) {
        let majorVersion: @convention(c) () -> UInt32 = try function("OPENSSL_version_major")
        guard majorVersion() >= 3 else { throw library.failure(.tooOld) }
    }

    /// A function of the part, or of the libcrypto that this libssl was linked with.
    ///
    /// The search includes a library's dependencies, so libcrypto is always the one that belongs to libssl.
    package func function<Function>(_ name: String) throws(LibraryFailure) -> Function {
        try library.function(name)
    }

    /// Throws unless an initialisation of OpenSSL has succeeded.
    package func requireInitialised(_ result: Int32) throws(LibraryFailure) {
        guard result == 1 else { throw library.failure(.notInitialised) }
    }

    /// `OPENSSL_INIT_NO_ATEXIT`: without OpenSSL's clean-up at exit, which frees what running threads still use.
    package static let initializeWithoutExit: UInt64 = 0x0008_0000

    /// Loads OpenSSL from the first place that has it, and looks up its functions.
    ///
    /// - Throws: The failure of the first library that was tried: it names what to install.
    package static func first<Functions>(
        of places: [Place], _ part: Part, _ functions: (OpenSSLLibrary) throws(LibraryFailure) -> Functions
    ) throws(LibraryFailure) -> Functions {
        var failure: LibraryFailure?
        for place in places {
            do throws(LibraryFailure) {
                return try functions(OpenSSLLibrary(part, at: place))
            } catch {
                if case .library = place, failure == nil { failure = error }
            }
        }
        // If there is no library to load, the only place says why there is no OpenSSL.
        guard let failure else { return try functions(OpenSSLLibrary(part, at: .program)) }
        throw failure
    }
}
