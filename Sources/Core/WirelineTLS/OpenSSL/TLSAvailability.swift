// SPDX-License-Identifier: Apache-2.0

import WirelineLibraries

/// Checks whether TLS is available.
public enum TLSAvailability {
    /// Loads OpenSSL, unless it is already loaded.
    ///
    /// - Throws: ``TLSError/unavailable(reason:)``, which says what to install.
    public static func check() throws(TLSError) {
        _ = try OpenSSL.shared.get()
    }

    /// Loads OpenSSL from the first usable of these libraries, beside what is already loaded.
    package static func load(libraries names: [String]) throws(TLSError) {
        _ = try OpenSSL.first(of: names.map { .library($0) })
    }

    /// Looks for OpenSSL in the program itself and the libraries loaded with it.
    package static func loadFromProgram() throws(TLSError) {
        _ = try OpenSSL.first(of: [.program])
    }
}
