// SPDX-License-Identifier: Apache-2.0

/// The masking of a client's frames (RFC 6455 §5.3): XOR with the four bytes of a key, over and over.
///
/// The lowest byte of a key is its first byte; ``rotated(_:by:)`` returns the key for later bytes.
package enum Masking {
    /// Returns the key for the byte that comes `byteCount` bytes later.
    @inline(__always)
    package static func rotated(_ key: UInt32, by byteCount: Int) -> UInt32 {
        let shift = UInt32(truncatingIfNeeded: byteCount & 3) &* 8
        return key &>> shift | key &<< (32 &- shift)
    }

    /// Masks or unmasks bytes, in place or while copying them.
    ///
    /// - Parameters:
    ///   - source: The bytes to read.
    ///   - destination: Where the result goes, with space for as many bytes. It may equal the source, but not overlap
    ///     it otherwise.
    ///   - key: The key, rotated so that its first byte applies to the first byte of the source.
    package static func copy(
        _ source: UnsafeRawBufferPointer, to destination: UnsafeMutableRawPointer, key: UInt32
    ) {
        guard let start = source.baseAddress else { return }
        let byteCount = source.count
        var offset = 0
        let word = UInt64(key.littleEndian) << 32 | UInt64(key.littleEndian)
        // 64 bytes a step, all loaded before any is stored, so that the compiler uses vectors of the target's width.
        // Swift's own vectors (`SIMD64<UInt8>`) are a hundred times slower: their `^` is not inlined.
        //
        // SAFETY: every step ends at byteCount at the latest, and both sides have that many bytes.
        while offset &+ 64 <= byteCount {
            let from = unsafe start + offset
            let to = unsafe destination + offset
            let first = unsafe from.loadUnaligned(fromByteOffset: 0, as: UInt64.self) ^ word
            let second = unsafe from.loadUnaligned(fromByteOffset: 8, as: UInt64.self) ^ word
            let third = unsafe from.loadUnaligned(fromByteOffset: 16, as: UInt64.self) ^ word
            let fourth = unsafe from.loadUnaligned(fromByteOffset: 24, as: UInt64.self) ^ word
            let fifth = unsafe from.loadUnaligned(fromByteOffset: 32, as: UInt64.self) ^ word
            let sixth = unsafe from.loadUnaligned(fromByteOffset: 40, as: UInt64.self) ^ word
            let seventh = unsafe from.loadUnaligned(fromByteOffset: 48, as: UInt64.self) ^ word
            let eighth = unsafe from.loadUnaligned(fromByteOffset: 56, as: UInt64.self) ^ word
            unsafe to.storeBytes(of: first, toByteOffset: 0, as: UInt64.self)
            unsafe to.storeBytes(of: second, toByteOffset: 8, as: UInt64.self)
            unsafe to.storeBytes(of: third, toByteOffset: 16, as: UInt64.self)
            unsafe to.storeBytes(of: fourth, toByteOffset: 24, as: UInt64.self)
            unsafe to.storeBytes(of: fifth, toByteOffset: 32, as: UInt64.self)
            unsafe to.storeBytes(of: sixth, toByteOffset: 40, as: UInt64.self)
            unsafe to.storeBytes(of: seventh, toByteOffset: 48, as: UInt64.self)
            unsafe to.storeBytes(of: eighth, toByteOffset: 56, as: UInt64.self)
            offset &+= 64
        }
        while offset &+ 8 <= byteCount {
            let bytes = unsafe start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            unsafe destination.storeBytes(of: bytes ^ word, toByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        var rest = key
        while offset < byteCount {
            let byte = unsafe start.load(fromByteOffset: offset, as: UInt8.self)
            unsafe destination.storeBytes(
                of: byte ^ UInt8(truncatingIfNeeded: rest), toByteOffset: offset, as: UInt8.self)
            rest = rotated(rest, by: 1)
            offset &+= 1
        }
    }
}
