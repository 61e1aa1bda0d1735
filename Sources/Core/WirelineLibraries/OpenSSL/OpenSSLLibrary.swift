// SPDX-License-Identifier: Apache-2.0

/// OpenSSL's libssl with its libcrypto, or libcrypto alone. It stays loaded until the process ends.
package struct OpenSSLLibrary {
    package enum Part: Sendable {
        /// libssl, with the libcrypto that it is linked with.
        case ssl
        case crypto

        fileprivate var product: LibraryProduct { self == .ssl ? .libssl : .libcrypto }

        /// A function that a program has only if it contains this part.
        fileprivate var knownFunction: String { self == .ssl ? "SSL_new" : "EVP_CIPHER_CTX_new" }

        private var fileName: String { self == .ssl ? "libssl.so" : "libcrypto.so" }

        /// The places to search, in order.
        ///
        /// The OpenSSL in the program comes first: a second one could have another version, and would have its own
        /// locks. As far as known, all major versions from 3 keep the functions and numbers that this package uses. A
        /// missing function is found at look-up. The file name without a version comes last, because it may be OpenSSL
        /// 1.
        package var places: [Place] {
            [.program] + (3...6).map { .library("\(fileName).\($0)") } + [.library(fileName)]
        }
    }

    package enum Place: Sendable {
        case program
        case library(String)
    }

    let library: SystemLibrary

    /// - Throws: A failure that says why the place has no OpenSSL of version 3 or later.
    package init(_ part: Part, at place: Place) throws(LibraryFailure) {
        switch place {
        case .program: library = try SystemLibrary(inProgramWith: part.knownFunction, of: part.product)
        case .library(let name): library = try SystemLibrary(name, of: part.product)
        }
        try requireVersion()
    }

    /// Throws if the version is less than 3.
    ///
    /// OpenSSL 1, LibreSSL and BoringSSL have functions with the same names that behave differently.
    private func requireVersion() throws(LibraryFailure) {
        let majorVersion: @convention(c) () -> UInt32 = try function("OPENSSL_version_major")
        guard majorVersion() >= 3 else { throw library.failure(.tooOld) }
    }

    /// Returns a function of the part, or of the libcrypto that libssl is linked with.
    ///
    /// The search includes a library's dependencies, so libcrypto is always the one of this libssl.
    package func function<Function>(_ name: String) throws(LibraryFailure) -> Function {
        try library.function(name)
    }

    /// Throws if an initialisation of OpenSSL has failed.
    package func requireInitialised(_ result: Int32) throws(LibraryFailure) {
        guard result == 1 else { throw library.failure(.notInitialised) }
    }

    /// `OPENSSL_INIT_NO_ATEXIT`: no clean-up at exit. The clean-up frees memory that running threads still use.
    package static let initializeWithoutExit: UInt64 = 0x0008_0000

    /// Loads OpenSSL from the first place that has it, and looks up its functions.
    ///
    /// - Throws: The failure of the first library that was tried, because it names what to install.
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
        // No library was tried: the program is the only place. Trying it again throws the reason.
        guard let failure else { return try functions(OpenSSLLibrary(part, at: .program)) }
        throw failure
    }
}
