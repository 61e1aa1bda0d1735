// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The two libraries of OpenSSL, loaded for as long as the process runs.
    @safe
    struct Libraries {
        private let ssl: AnyPointer
        private let crypto: AnyPointer

        /// - Throws: ``TLSError/unavailable(reason:)``, which says what to install.
        init(ssl: String, crypto: String) throws(TLSError) {
            // A static program has no dynamic symbols, and would load a second C library beside its own.
            guard unsafe dlsym(nil, "dlopen") != nil else {
                throw .unavailable(
                    reason: "a static program cannot load \(ssl): link the C library dynamically to use TLS")
            }
            unsafe (self.crypto, self.ssl) = (try Self.open(crypto), try Self.open(ssl))
        }

        private static func open(_ name: String) throws(TLSError) -> AnyPointer {
            guard let library = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
                throw .unavailable(
                    reason: """
                        \(name) was not found: install OpenSSL 3 (Debian and Ubuntu: libssl3, Fedora: openssl-libs, \
                        Alpine: libssl3)
                        """)
            }
            return unsafe library
        }

        /// A function of either library.
        ///
        /// - Throws: ``TLSError/unavailable(reason:)`` when neither has it.
        func function<Function>(_ name: String) throws(TLSError) -> Function {
            guard let address = unsafe dlsym(ssl, name) ?? dlsym(crypto, name) else {
                throw .unavailable(reason: "OpenSSL has no function \(name): version 3.0 or a later 3 is needed")
            }
            // SAFETY: the caller names a function and its type from OpenSSL's headers.
            return unsafe unsafeBitCast(address, to: Function.self)
        }
    }
#endif
