// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A library of the system, loaded at run time until the process ends.
///
/// Neither building nor starting a program needs the library. Libraries are loaded on Linux only.
@safe
package struct SystemLibrary {
    /// nil means the program and what was loaded with it (`RTLD_DEFAULT`).
    private let handle: UnsafeMutableRawPointer?

    #if os(Linux)
        /// Loads a library, such as `libz.so.1`, with the libraries that it needs.
        ///
        /// - Throws: ``SystemLibraryError/staticProgram`` or ``SystemLibraryError/notFound``.
        package init(_ name: String) throws(SystemLibraryError) {
            // A static program has no dynamic symbols, and would load a second C library beside its own.
            // SAFETY: here and below, C gets texts that live as long as the call, and the library is never closed.
            guard unsafe dlsym(nil, "dlopen") != nil else { throw .staticProgram }
            guard let handle = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { throw .notFound }
            unsafe self.handle = handle
        }

        /// Takes the functions of the program and of what was loaded with it.
        ///
        /// - Throws: ``SystemLibraryError/notFound`` if they have no function of this name.
        package init(inProgramWith function: String) throws(SystemLibraryError) {
            // SAFETY: as above; without a handle, C searches the program.
            guard unsafe dlsym(nil, function) != nil else { throw .notFound }
            unsafe handle = nil
        }

        /// Returns a function of the library, or of the libraries that it needs.
        ///
        /// - Throws: ``SystemLibraryError/noFunction(_:)``.
        package func function<Function>(_ name: String) throws(SystemLibraryError) -> Function {
            // SAFETY: the library is loaded, and C gets a text that lives as long as the call.
            guard let address = unsafe dlsym(handle, name) else { throw .noFunction(name) }
            // SAFETY: the caller names a function and its type from the library's header.
            return unsafe unsafeBitCast(address, to: Function.self)
        }
    #else
        package init(_ name: String) throws(SystemLibraryError) { throw .otherSystem }

        package init(inProgramWith function: String) throws(SystemLibraryError) { throw .otherSystem }

        package func function<Function>(_ name: String) throws(SystemLibraryError) -> Function { throw .otherSystem }
    #endif
}

/// Why a library or a function of it is unavailable.
package enum SystemLibraryError: Error {
    /// A program that is linked statically cannot load libraries.
    case staticProgram
    case notFound
    case noFunction(String)
    /// The system is not Linux.
    case otherSystem
}
