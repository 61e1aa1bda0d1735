// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc) || canImport(Musl)
    #if canImport(Glibc)
        import Glibc
    #else
        import Musl
    #endif

    /// Fills memory with zeros. The compiler cannot remove this call, although the zeros are never read.
    func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        // SAFETY: the buffer has this many bytes.
        unsafe explicit_bzero(start, bytes.count)
    }
#endif
