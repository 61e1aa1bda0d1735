// SPDX-License-Identifier: Apache-2.0

/// Why a library of the system cannot be used, and what to install.
package struct LibraryFailure: Error, Equatable, Sendable {
    /// What went wrong.
    package enum Cause: Equatable, Sendable {
        /// The system is not Linux.
        case otherSystem
        /// A program that is linked statically cannot load libraries.
        case staticProgram
        /// The system has no library of this name.
        case notFound
        /// Neither the program nor what was loaded with it has the library's functions.
        case notInProgram
        /// The library has no function of this name: it is another library, or too old.
        case noFunction(String)
        /// The library is older than ``LibraryProduct/minimumVersion``.
        case tooOld
        /// The library was found, but could not begin.
        case notInitialised
        /// The library has answered with this status, as it does if memory is exhausted.
        case gaveUp(status: Int)
    }

    package let cause: Cause
    /// The file's name, such as `libz.so.1`.
    package let library: String
    package let product: LibraryProduct

    package init(_ cause: Cause, library: String, of product: LibraryProduct) {
        self.cause = cause
        self.library = library
        self.product = product
    }

    /// Returns the failure in words.
    ///
    /// - Parameter purpose: What the library is wanted for, in one or two words: `compression`.
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

/// A library, as people know and install it.
package struct LibraryProduct: Equatable, Sendable {
    package let name: String
    /// The major version that is needed at least; nil if the file's name says it.
    package let minimumVersion: Int?
    /// The packages of the usual distributions.
    package let packages: String

    /// The name, and the version that is needed.
    var installedName: String { minimumVersion.map { "\(name) \($0)" } ?? name }

    package static let zlib = LibraryProduct(
        name: "zlib", minimumVersion: nil, packages: "Debian and Ubuntu: zlib1g, Fedora: zlib, Alpine: zlib")

    package static let brotli = LibraryProduct(
        name: "brotli", minimumVersion: nil,
        packages: "Debian and Ubuntu: libbrotli1, Fedora: libbrotli, Alpine: brotli-libs")

    /// OpenSSL's libssl, which needs its libcrypto.
    package static let libssl = LibraryProduct(
        name: "OpenSSL", minimumVersion: 3,
        packages: "Debian and Ubuntu: libssl3, Fedora: openssl-libs, Alpine: libssl3")

    /// OpenSSL's libcrypto alone.
    package static let libcrypto = LibraryProduct(
        name: "OpenSSL", minimumVersion: 3,
        packages: "Debian and Ubuntu: libssl3, Fedora: openssl-libs, Alpine: libcrypto3")
}
