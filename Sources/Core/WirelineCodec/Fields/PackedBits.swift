// SPDX-License-Identifier: Apache-2.0

/// The integer of a run: fields that share bytes, because one of them begins or ends inside a byte.
///
/// The first field of a run has the most significant bits. This is a header of MQTT, `uint4 type; bit dup; uint2 qos;
/// bit retain;`, with each field's shift and width:
///
///     bit    7   6   5   4   3   2   1   0
///          +---------------+---+-------+---+
///          |     type      |dup|  qos  | r |
///          +---------------+---+-------+---+
///     shift 4               3   1       0
///
/// Shifts and widths come from a schema: a field lies inside the 64 bits.
@frozen
public struct PackedBits: Equatable, Sendable {
    /// The integer; a run of fewer than 64 bits has its low bits.
    public var integer: UInt64

    /// Makes a run of these bits: by default all are 0.
    @inlinable @inline(__always)
    public init(_ integer: UInt64 = 0) { self.integer = integer }

    // MARK: Reading

    /// Returns the unsigned field of `bitWidth` bits.
    @inlinable @inline(__always)
    public func unsigned<T: FixedWidthInteger & UnsignedInteger>(
        bitWidth: Int, shift: Int, as type: T.Type = T.self
    ) -> T {
        let mask = UInt64.max &>> UInt64(truncatingIfNeeded: 64 &- bitWidth)
        return T(truncatingIfNeeded: (integer &>> UInt64(truncatingIfNeeded: shift)) & mask)
    }

    /// Returns the field of `bitWidth` bits in two's complement.
    @inlinable @inline(__always)
    public func signed<T: FixedWidthInteger & SignedInteger>(
        bitWidth: Int, shift: Int, as type: T.Type = T.self
    ) -> T {
        let bits = integer &>> UInt64(truncatingIfNeeded: shift)
        return T(truncatingIfNeeded: Int64(signExtending: bits, bitWidth: bitWidth))
    }

    /// Returns the field of one bit.
    @inlinable @inline(__always)
    public func bit(shift: Int) -> Bool { (integer &>> UInt64(truncatingIfNeeded: shift)) & 1 == 1 }

    // MARK: Writing

    /// Adds a field of `bitWidth` bits, which are 0 so far; only the low bits of `value` are taken.
    @inlinable @inline(__always)
    public mutating func add(_ value: some FixedWidthInteger, bitWidth: Int, shift: Int) {
        let mask = UInt64.max &>> UInt64(truncatingIfNeeded: 64 &- bitWidth)
        integer |= (UInt64(truncatingIfNeeded: value) & mask) &<< UInt64(truncatingIfNeeded: shift)
    }

    /// Adds a field of one bit, which is 0 so far.
    @inlinable @inline(__always)
    public mutating func add(_ value: Bool, shift: Int) { add(value ? 1 : 0 as UInt64, bitWidth: 1, shift: shift) }
}

extension FixedRun {
    /// Returns the integer of 1 to 8 bytes at `offset`, which holds fields that share bytes.
    @inlinable @inline(__always)
    public func packedBits(at offset: Int, byteCount: Int, _ byteOrder: ByteOrder) -> PackedBits {
        PackedBits(unsigned(at: offset, byteCount: byteCount, byteOrder))
    }
}

extension MutableFixedRun {
    /// Sets the integer of 1 to 8 bytes at `offset`, which holds fields that share bytes.
    @inlinable @inline(__always)
    public mutating func setPackedBits(
        _ bits: PackedBits, at offset: Int, byteCount: Int, _ byteOrder: ByteOrder
    ) {
        setUnsigned(bits.integer, at: offset, byteCount: byteCount, byteOrder)
    }
}
