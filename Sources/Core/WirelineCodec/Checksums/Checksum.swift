// SPDX-License-Identifier: Apache-2.0

/// The checksum of bytes that come in pieces.
///
/// ```swift
/// var checksum = Checksum(.crc16Modbus)
/// checksum.append(header)
/// checksum.append(zeros: 2)
/// checksum.append(payload)
/// checksum.value
/// ```
public struct Checksum: Sendable {
    private let kind: ChecksumKind
    /// The remainder of a CRC before its last inversion; Adler-32's two sums; a sum.
    private var state: UInt32

    /// Makes the checksum of no bytes.
    public init(_ kind: ChecksumKind) {
        self.kind = kind
        state =
            switch kind {
            case .crc32, .crc32c: .max
            case .crc16Modbus, .crc16CCITTFalse, .crc16X25: 0xFFFF
            case .crc16ARC, .crc16XMODEM, .crc16KERMIT, .sum8, .xor8: 0
            case .adler32: 1
            }
    }

    /// The checksum of all bytes so far, in the low bits.
    public var value: UInt32 {
        switch kind {
        case .crc32, .crc32c: ~state
        case .crc16X25: state ^ 0xFFFF
        case .crc16ARC, .crc16Modbus, .crc16CCITTFalse, .crc16XMODEM, .crc16KERMIT, .adler32, .sum8, .xor8: state
        }
    }

    /// Adds bytes.
    public mutating func append(_ bytes: RawSpan) {
        switch kind {
        case .crc32: state = CyclicTable.iso.remainder(state, bytes)
        case .crc32c: state = CyclicTable.castagnoli.remainder(state, bytes)
        case .crc16ARC, .crc16Modbus: state = CyclicTable.ibm.remainder(state, bytes)
        case .crc16KERMIT, .crc16X25: state = CyclicTable.ccittReflected.remainder(state, bytes)
        case .crc16CCITTFalse, .crc16XMODEM: state = CyclicTable.ccitt.remainder16(state, bytes)
        case .adler32: appendToAdler(bytes)
        case .sum8:
            for offset in 0..<bytes.byteCount { state = (state &+ UInt32(bytes[offset])) & 0xFF }
        case .xor8:
            for offset in 0..<bytes.byteCount { state ^= UInt32(bytes[offset]) }
        }
    }

    /// Adds bytes that are 0, such as those of the checksum's own field.
    public mutating func append(zeros count: Int) {
        precondition(count >= 0, "no fewer than 0 bytes")
        let zero: [UInt8] = [0]
        for _ in 0..<count { append(zero.rawSpan) }
    }

    /// The sum of all bytes plus 1, and the sum of these sums, both modulo 65,521 (RFC 1950 §8.2).
    private mutating func appendToAdler(_ bytes: RawSpan) {
        let modulus: UInt32 = 65_521
        // 32 bits hold the sums of this many bytes before the remainder is needed (zlib's NMAX).
        let stride = 5552
        var (low, high) = (state & 0xFFFF, state >> 16)
        var offset = 0
        while offset < bytes.byteCount {
            let end = min(offset + stride, bytes.byteCount)
            for index in offset..<end {
                low &+= UInt32(bytes[index])
                high &+= low
            }
            (low, high) = (low % modulus, high % modulus)
            offset = end
        }
        state = high << 16 | low
    }
}
