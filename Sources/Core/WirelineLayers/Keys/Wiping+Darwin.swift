// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
    import Darwin

    /// Fills memory with zeros. The compiler cannot remove this call, although the zeros are never read.
    func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        // SAFETY: the buffer has this many bytes.
        _ = unsafe memset_s(start, bytes.count, 0, bytes.count)
    }
#endif
