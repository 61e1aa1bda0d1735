// SPDX-License-Identifier: Apache-2.0

/// Whether TLS can be had.
public enum TLSAvailability {
    /// Loads OpenSSL, unless that was done before.
    ///
    /// - Throws: ``TLSError/unavailable(reason:)``, which says what to install.
    public static func check() throws(TLSError) {
        _ = try OpenSSL.shared.get()
    }

    /// Loads OpenSSL from libraries of other names.
    package static func load(ssl: String, crypto: String) throws(TLSError) {
        _ = try OpenSSL(Libraries(ssl: ssl, crypto: crypto))
    }
}
