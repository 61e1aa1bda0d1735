// SPDX-License-Identifier: Apache-2.0

/// A bit string whose bits do not fill its last byte.
public struct ErlangBits: Hashable, Sendable {
    /// The bytes. In the last one, the bits that are not part of the bit string are 0.
    public let bytes: [UInt8]
    /// How many bits of the last byte count, from the most significant one on: 1 to 7.
    public let lastBitCount: Int

    /// - Parameters:
    ///   - bytes: The bytes; bits of the last one that do not count are set to 0.
    ///   - lastBitCount: How many bits of the last byte count.
    /// - Returns: nil if there is no byte, or if not 1 to 7 bits of the last one count: whole bytes are
    ///   ``ErlangTerm/binary(_:)``.
    public init?(_ bytes: [UInt8], lastBitCount: Int) {
        guard !bytes.isEmpty, 1...7 ~= lastBitCount else { return nil }
        self.init(checked: bytes, lastBitCount: lastBitCount)
    }

    /// There must be at least one byte, with 1 to 7 used bits in the last one.
    init(checked bytes: [UInt8], lastBitCount: Int) {
        var bytes = bytes
        bytes[bytes.count - 1] &= 0xFF << UInt8(8 - lastBitCount)
        self.bytes = bytes
        self.lastBitCount = lastBitCount
    }

    /// The number of bits.
    public var bitCount: Int { 8 * (bytes.count - 1) + lastBitCount }
}
