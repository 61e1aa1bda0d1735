// SPDX-License-Identifier: Apache-2.0

/// What a client's frames are mixed with (RFC 6455 §5.3): byte by byte, over and over, the four bytes of a key.
///
/// A key is a number whose lowest byte is the key's first; ``rotated(_:by:)`` makes the key for bytes further behind.
package enum Masking {
    /// The key that begins so many bytes behind where `key` does.
    @inline(__always)
    package static func rotated(_ key: UInt32, by byteCount: Int) -> UInt32 {
        let shift = UInt32(truncatingIfNeeded: byteCount & 3) &* 8
        return key &>> shift | key &<< (32 &- shift)
    }

    /// Mixes bytes with a key on their way from one place to another, or where they stand.
    ///
    /// - Parameters:
    ///   - source: Where they come from.
    ///   - destination: Where they go; there must be room. It may be the same place, and must not overlap otherwise.
    ///   - key: The key, rotated so that its first byte is the one for the first byte of these.
    package static func copy(
        _ source: UnsafeRawBufferPointer, to destination: UnsafeMutableRawPointer, key: UInt32
    ) {
        guard let start = source.baseAddress else { return }
        let byteCount = source.count
        var offset = 0
        let word = UInt64(key.littleEndian) << 32 | UInt64(key.littleEndian)
        // 64 bytes a step, loaded before any is stored, so that the compiler makes vectors of them, as wide as the program is
        // compiled for. Swift's own (`SIMD64<UInt8>`) are slower by a hundred times: their `^` is not inlined.
        //
        // SAFETY: every step ends at byteCount at the latest, up to which there are bytes at both places.
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
