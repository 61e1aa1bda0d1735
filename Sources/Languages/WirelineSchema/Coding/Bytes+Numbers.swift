// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

extension [UInt8] {
    /// Appends the low bytes of an integer.
    package mutating func append(_ number: Int128, _ format: IntegerFormat, _ byteOrder: ByteOrder) {
        for position in 0..<format.byteCount {
            let place = byteOrder == .bigEndian ? format.byteCount - 1 - position : position
            append(UInt8(truncatingIfNeeded: number >> Int128(8 * place)))
        }
    }

    /// Appends an unsigned LEB128: seven bits a byte, lowest first; all bytes except the last have the top bit set.
    package mutating func append(varint number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}
