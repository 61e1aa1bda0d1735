// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// `layer rc4(key)`: each byte XOR the next byte of a keystream, which continues from packet to packet.
///
/// RC4 is broken (RFC 7465). It is here because old protocols use it.
final class RC4Layer: KeystreamLayer {
    /// The permutation of all bytes.
    private let state: SecretMemory
    private var index: UInt8 = 0
    private var other: UInt8 = 0

    static let longestKeyByteCount = 256

    /// - Parameter key: 1 to 256 bytes.
    init(key: SecretMemory) {
        precondition(
            unsafe 1...Self.longestKeyByteCount ~= key.bytes.count, "the stack has counted the bytes of the key")
        state = SecretMemory(byteCount: 256)
        // SAFETY: the permutation has a place for each byte, and places in the key are below its count.
        let permutation = unsafe state.bytes
        for value in 0...255 { unsafe permutation[value] = UInt8(value) }
        var place: UInt8 = 0
        for value in 0...255 {
            unsafe place &+= permutation[value] &+ key.bytes[value % key.bytes.count]
            unsafe permutation.swapAt(value, Int(place))
        }
    }

    func transform(_ source: UnsafeRawBufferPointer, to destination: UnsafeMutableRawPointer) {
        guard let start = unsafe source.assumingMemoryBound(to: UInt8.self).baseAddress,
            let permutation = unsafe state.bytes.assumingMemoryBound(to: UInt8.self).baseAddress
        else { return }
        var (index, other) = (index, other)
        for offset in 0..<source.count {
            // SAFETY: the permutation has a place for each byte; source and destination have `source.count` bytes.
            index &+= 1
            let first = unsafe permutation[Int(index)]
            other &+= first
            let second = unsafe permutation[Int(other)]
            unsafe permutation[Int(index)] = second
            unsafe permutation[Int(other)] = first
            let byte = unsafe start[offset] ^ permutation[Int(first &+ second)]
            unsafe destination.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
        }
        (self.index, self.other) = (index, other)
    }
}
