// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A system library that is loaded at run time and stays loaded until the process ends.
///
/// The program builds and starts without the library. Libraries are loaded on Linux only. On other systems the program
/// must be linked with them.
@safe
package struct SystemLibrary {
    /// The file name of the library, or a name for the program itself.
    package let name: String
    package let product: LibraryProduct
    /// The handle for `dlsym(3)`, or ``everywhere``.
    private let handle: UnsafeMutableRawPointer?

    #if os(Linux)
        /// Loads a library, such as `libz.so.1`, with its dependencies.
        ///
        /// - Throws: A failure with ``LibraryFailure/Cause/staticProgram`` or ``LibraryFailure/Cause/notFound``.
        package init(_ name: String, of product: LibraryProduct) throws(LibraryFailure) {
            self.name = name
            self.product = product
            // A static program has no dynamic symbols, and would load a second C library beside its own.
            // SAFETY: here and below, C gets texts that live as long as the call, and the library is never closed.
            guard unsafe dlsym(nil, "dlopen") != nil else {
                throw LibraryFailure(.staticProgram, library: name, of: product)
            }
            guard let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
                throw LibraryFailure(.notFound, library: name, of: product)
            }
            unsafe self.handle = handle
        }

        /// `RTLD_DEFAULT`: the program and the libraries loaded with it.
        private static var everywhere: UnsafeMutableRawPointer? { nil }
    #else
        package init(_ name: String, of product: LibraryProduct) throws(LibraryFailure) {
            throw LibraryFailure(.otherSystem, library: name, of: product)
        }

        /// `RTLD_DEFAULT`, a macro that Swift does not import.
        ///
        /// SAFETY: `dlsym(3)` compares it. It is not an address that is read.
        private static var everywhere: UnsafeMutableRawPointer? { unsafe UnsafeMutableRawPointer(bitPattern: -2) }
    #endif

    /// Uses the functions of the program and of the libraries loaded with it.
    ///
    /// - Throws: A failure with ``LibraryFailure/Cause/notInProgram`` if they have no function of this name.
    package init(inProgramWith function: String, of product: LibraryProduct) throws(LibraryFailure) {
        name = "the program"
        self.product = product
        unsafe handle = Self.everywhere
        // SAFETY: C gets a text that lives as long as the call.
        guard unsafe dlsym(handle, function) != nil else { throw failure(.notInProgram) }
    }

    /// Returns a function of the library or of its dependencies.
    ///
    /// - Throws: A failure with ``LibraryFailure/Cause/noFunction(_:)``.
    package func function<Function>(_ function: String) throws(LibraryFailure) -> Function {
        // SAFETY: the library is loaded, and C gets a text that lives as long as the call.
        guard let address = unsafe dlsym(handle, function) else { throw failure(.noFunction(function)) }
        // SAFETY: the caller names a function and its type from the library's header.
        return unsafe unsafeBitCast(address, to: Function.self)
    }

    package func failure(_ cause: LibraryFailure.Cause) -> LibraryFailure {
        LibraryFailure(cause, library: name, of: product)
    }
}
