// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A library of the system, loaded for as long as the process runs.
    @safe
    package struct Library {
        private let handle: AnyPointer
        private let name: String

        /// - Throws: ``WebSocketError/deflateUnavailable(reason:)``, which says what to install.
        package init(_ name: String) throws(WebSocketError) {
            // A static program has no dynamic symbols, and would load a second C library beside its own.
            guard unsafe dlsym(nil, "dlopen") != nil else {
                throw .deflateUnavailable(
                    reason: "a static program cannot load \(name): link the C library dynamically to use compression")
            }
            guard let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
                throw .deflateUnavailable(
                    reason: """
                        \(name) was not found: install zlib (Debian and Ubuntu: zlib1g, Fedora: zlib, Alpine: zlib)
                        """)
            }
            unsafe self.handle = handle
            self.name = name
        }

        /// A function of the library.
        ///
        /// - Throws: ``WebSocketError/deflateUnavailable(reason:)`` when it has none of this name.
        func function<Function>(_ name: String) throws(WebSocketError) -> Function {
            guard let address = unsafe dlsym(handle, name) else {
                throw .deflateUnavailable(reason: "\(self.name) has no function \(name)")
            }
            // SAFETY: the caller names a function and its type from the library's header.
            return unsafe unsafeBitCast(address, to: Function.self)
        }
    }
#endif
