// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Random numbers from the system, many at a time.
    enum SecureRandom {
        /// - Parameter count: At most 64: the system returns at most 256 bytes a call (getentropy(3)).
        static func numbers(count: Int) -> [UInt32] {
            var numbers = [UInt32](repeating: 0, count: count)
            let byteCount = count * MemoryLayout<UInt32>.size
            // SAFETY: the array has this many bytes.
            if unsafe numbers.withUnsafeMutableBytes({ unsafe getentropy($0.baseAddress, byteCount) }) == 0 {
                return numbers
            }
            // The kernel lacks the call. Swift has other sources.
            return numbers.map { _ in UInt32.random(in: .min ... .max) }
        }
    }
#endif
