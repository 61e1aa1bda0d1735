// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// `layer xor(key)`: each byte XOR a byte of the key, over and over. Each packet starts with the key's first byte.
///
/// This hides nothing from an attacker: known content shows the key.
final class XORLayer: KeystreamLayer {
    /// The key, repeated until it has at least ``repeatedByteCount`` bytes.
    private let stream: SecretMemory

    /// A longer key is not repeated. Packets up to this length need only one turn of the outer loop.
    private static let repeatedByteCount = 1_024
    /// The most bytes of a key: more than any known protocol has.
    static let longestKeyByteCount = 65_536

    /// - Parameter key: 1 to 65,536 bytes.
    init(key: SecretMemory) {
        let keyByteCount = unsafe key.bytes.count
        precondition(1...Self.longestKeyByteCount ~= keyByteCount, "the stack has counted the bytes of the key")
        let turnCount = (Self.repeatedByteCount + keyByteCount - 1) / keyByteCount
        stream = SecretMemory(byteCount: turnCount * keyByteCount)
        for turn in 0..<turnCount {
            // SAFETY: the stream has as many bytes as all turns together, and the key is not part of it.
            unsafe UnsafeMutableRawBufferPointer(rebasing: stream.bytes[(turn * keyByteCount)...])
                .copyMemory(from: UnsafeRawBufferPointer(key.bytes))
        }
    }

    func transform(_ source: UnsafeRawBufferPointer, to destination: UnsafeMutableRawPointer) {
        guard let start = source.baseAddress, let stream = unsafe UnsafeRawPointer(stream.bytes.baseAddress)
        else { return }
        var offset = 0
        while offset < source.count {
            let byteCount = unsafe min(self.stream.bytes.count, source.count - offset)
            // SAFETY: a turn ends at the end of the source at the latest, and is not longer than the stream.
            unsafe Self.combine(start + offset, stream, byteCount, to: destination + offset)
            offset += byteCount
        }
    }

    private static func combine(
        _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ byteCount: Int, to destination: UnsafeMutableRawPointer
    ) {
        var offset = 0
        // 64 bytes a step, all loaded before any is stored, so that the compiler uses vectors of the target's width.
        // SAFETY: every step ends at `byteCount` at the latest, and all three sides have that many bytes.
        while offset &+ 64 <= byteCount {
            let first = unsafe word(left, right, offset)
            let second = unsafe word(left, right, offset &+ 8)
            let third = unsafe word(left, right, offset &+ 16)
            let fourth = unsafe word(left, right, offset &+ 24)
            let fifth = unsafe word(left, right, offset &+ 32)
            let sixth = unsafe word(left, right, offset &+ 40)
            let seventh = unsafe word(left, right, offset &+ 48)
            let eighth = unsafe word(left, right, offset &+ 56)
            unsafe destination.storeBytes(of: first, toByteOffset: offset, as: UInt64.self)
            unsafe destination.storeBytes(of: second, toByteOffset: offset &+ 8, as: UInt64.self)
            unsafe destination.storeBytes(of: third, toByteOffset: offset &+ 16, as: UInt64.self)
            unsafe destination.storeBytes(of: fourth, toByteOffset: offset &+ 24, as: UInt64.self)
            unsafe destination.storeBytes(of: fifth, toByteOffset: offset &+ 32, as: UInt64.self)
            unsafe destination.storeBytes(of: sixth, toByteOffset: offset &+ 40, as: UInt64.self)
            unsafe destination.storeBytes(of: seventh, toByteOffset: offset &+ 48, as: UInt64.self)
            unsafe destination.storeBytes(of: eighth, toByteOffset: offset &+ 56, as: UInt64.self)
            offset &+= 64
        }
        while offset &+ 8 <= byteCount {
            let word = unsafe word(left, right, offset)
            unsafe destination.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        while offset < byteCount {
            let byte =
                unsafe left.load(fromByteOffset: offset, as: UInt8.self)
                ^ right.load(fromByteOffset: offset, as: UInt8.self)
            unsafe destination.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
            offset &+= 1
        }
    }

    @inline(__always)
    private static func word(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        // SAFETY: the caller has counted eight bytes from here on, on both sides.
        unsafe left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            ^ right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}
