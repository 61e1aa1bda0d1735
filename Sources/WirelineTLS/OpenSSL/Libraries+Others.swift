// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)
    /// Where TLS is another framework's: nothing is loaded.
    struct Libraries {
        /// - Throws: ``TLSError/unavailable(reason:)``, always.
        init(ssl: String, crypto: String) throws(TLSError) {
            throw .unavailable(reason: "TLS is built on OpenSSL on Linux only; here use Network.framework")
        }

        func function<Function>(_ name: String) throws(TLSError) -> Function {
            throw .unavailable(reason: "TLS is built on OpenSSL on Linux only; here use Network.framework")
        }
    }
#endif
