// SPDX-License-Identifier: Apache-2.0

/// Why a system library cannot be used, and what to install.
package struct LibraryFailure: Error, Equatable, Sendable {
    package enum Cause: Equatable, Sendable {
        /// Libraries are loaded on Linux only.
        case otherSystem
        /// The program is linked statically, so it cannot load libraries.
        case staticProgram
        /// The system has no library with this file name.
        case notFound
        /// Neither the program nor the libraries loaded with it have the functions.
        case notInProgram
        /// The library has no function of this name: it is a different library, or too old.
        case noFunction(String)
        /// The library is older than ``LibraryProduct/minimumVersion``.
        case tooOld
        /// The library was loaded, but its initialisation failed.
        case notInitialised
        /// A function of the library returned this status, for example because memory is exhausted.
        case gaveUp(status: Int)
    }

    package let cause: Cause
    /// The file name, such as `libz.so.1`.
    package let library: String
    package let product: LibraryProduct

    package init(_ cause: Cause, library: String, of product: LibraryProduct) {
        self.cause = cause
        self.library = library
        self.product = product
    }

    /// Returns the failure as text.
    ///
    /// - Parameter purpose: What the library is needed for, in one or two words, such as `compression`.
    package func reason(for purpose: String) -> String {
        switch cause {
        case .otherSystem: "\(library) is loaded on Linux only"
        case .staticProgram:
            "a static program cannot load \(library): link the C library dynamically to use \(purpose)"
        case .notFound: "\(library) was not found: install \(product.installedName) (\(product.packages))"
        case .notInProgram: "\(library) brings no \(product.name) of its own"
        case .noFunction(let function):
            if let version = product.minimumVersion {
                "\(product.name) has no function \(function): version \(version).0 or a later one is needed"
            } else {
                "\(library) has no function \(function)"
            }
        case .tooOld: "\(product.name) is older than version \(product.minimumVersion ?? 0)"
        case .notInitialised: "\(product.name) could not be initialised"
        case .gaveUp(let status): "\(product.name) gives up with \(status)"
        }
    }
}

/// A library by the name under which it is known and installed.
package struct LibraryProduct: Equatable, Sendable {
    package let name: String
    /// The lowest major version that works; nil if the file name contains the version.
    package let minimumVersion: Int?
    /// The names of its packages in the common distributions.
    package let packages: String

    /// The name with the version that is needed.
    var installedName: String { minimumVersion.map { "\(name) \($0)" } ?? name }

    package static let zlib = LibraryProduct(
        name: "zlib", minimumVersion: nil, packages: "Debian and Ubuntu: zlib1g, Fedora: zlib, Alpine: zlib")

    package static let brotli = LibraryProduct(
        name: "brotli", minimumVersion: nil,
        packages: "Debian and Ubuntu: libbrotli1, Fedora: libbrotli, Alpine: brotli-libs")

    /// OpenSSL's libssl, together with its libcrypto.
    package static let libssl = LibraryProduct(
        name: "OpenSSL", minimumVersion: 3,
        packages: "Debian and Ubuntu: libssl3, Fedora: openssl-libs, Alpine: libssl3")

    package static let libcrypto = LibraryProduct(
        name: "OpenSSL", minimumVersion: 3,
        packages: "Debian and Ubuntu: libssl3, Fedora: openssl-libs, Alpine: libcrypto3")
}
