// SPDX-License-Identifier: Apache-2.0

// Swift's `Float16` does not exist on Macs with Intel processors, so this file converts the bits itself.
//
//     bit 15   bits 14–10              bits 9–0
//     +------+-----------------------+----------+
//     | sign | exponent, 15 is 2^0   | fraction |
//     +------+-----------------------+----------+

extension Float {
    /// The result is exact. A NaN keeps its bits, and still signals if it did.
    @inlinable @inline(__always)
    init(halfPrecision bits: UInt16) {
        let sign = UInt32(bits & 0x8000) &<< 16
        let magnitude = UInt32(bits & 0x7FFF)
        if magnitude >= 0x7C00 {
            self.init(bitPattern: sign | 0x7F80_0000 | (magnitude &- 0x7C00) &<< 13)
        } else if magnitude >= 0x400 {
            self.init(bitPattern: sign | (magnitude &+ (112 &<< 10)) &<< 13)
        } else {
            self.init(bitPattern: sign | (Float(magnitude) * 0x1p-24).bitPattern)
        }
    }
}

extension UInt16 {
    /// Makes the 16 bits of the nearest number; a tie goes to the number whose last bit is 0. From 65520 on it is
    /// infinite.
    ///
    /// It rounds once. With a step over `Float`, a number just above the middle of two would first become the middle.
    @inlinable
    init(halfPrecision value: Double) {
        let sign = UInt16(truncatingIfNeeded: value.bitPattern &>> 48) & 0x8000
        let magnitude = value.magnitude
        if magnitude < 0x1p-14 {
            // The last bit of a number of this size is worth 2^-24, so the processor rounds.
            self = sign | UInt16(truncatingIfNeeded: (magnitude + 0x1p28).bitPattern)
        } else if magnitude < 65520 {
            let bits = magnitude.bitPattern &- (1008 &<< 52)
            self = sign | UInt16(truncatingIfNeeded: (bits &+ (1 &<< 41 &- 1) &+ (bits &>> 42 & 1)) &>> 42)
        } else if !value.isNaN {
            self = sign | 0x7C00
        } else {
            // As the processor does it for a `Float`: the first bits, and the quiet bit.
            self = sign | 0x7E00 | UInt16(truncatingIfNeeded: value.bitPattern &>> 42) & 0x3FF
        }
    }

    /// Makes the 16 bits of the nearest number. A NaN that was made of 16 bits keeps them.
    @inlinable @inline(__always)
    init(halfPrecision value: Float) {
        guard value.isNaN, value.bitPattern & 0x007F_E000 != 0 else {
            self.init(halfPrecision: Double(value))
            return
        }
        self.init(truncatingIfNeeded: value.bitPattern &>> 16 & 0x8000 | 0x7C00 | value.bitPattern &>> 13 & 0x3FF)
    }
}

extension FixedRun {
    /// Returns the 16-bit IEEE 754 number at `offset`, exactly; a NaN keeps its bits.
    @inlinable @inline(__always)
    public func float16(at offset: Int, _ byteOrder: ByteOrder) -> Float {
        Float(halfPrecision: integer(at: offset, as: UInt16.self, byteOrder))
    }
}

extension ByteReader {
    /// Reads a 16-bit IEEE 754 number exactly: signalling NaNs and −0 stay unchanged.
    ///
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)``.
    @inlinable
    public mutating func readFloat16(_ byteOrder: ByteOrder) throws(CodecError) -> Float {
        try readRun(byteCount: 2).float16(at: 0, byteOrder)
    }
}

extension MutableFixedRun {
    /// Sets the 16-bit IEEE 754 number at `offset` to the nearest one; to an infinity from ±65520 on.
    @inlinable @inline(__always)
    public mutating func setFloat16(_ value: Float, at offset: Int, _ byteOrder: ByteOrder) {
        setInteger(UInt16(halfPrecision: value), at: offset, byteOrder)
    }
}

extension ByteWriter {
    /// Writes the nearest 16-bit IEEE 754 number; an infinity from ±65520 on, which ``FieldCheck/float16(_:)`` refuses.
    @inlinable
    public mutating func writeFloat16(_ value: Float, _ byteOrder: ByteOrder) {
        writeInteger(UInt16(halfPrecision: value), byteOrder)
    }
}
