// SPDX-License-Identifier: Apache-2.0

/// A run of fields of fixed width, checked once as a whole; reading a field is then a plain load.
///
/// Offsets count from the run's first byte. They come from a schema, not from the wire. An offset outside the run is a
/// mistake of the caller and stops the program.
@frozen
public struct FixedRun: ~Escapable {
    @usableFromInline let bytes: RawSpan
    @usableFromInline let start: Int
    /// The number of bytes; a constant wherever a run is read, so that the compiler does the check of each field.
    /// INVARIANT: `0 <= start`, `0 <= byteCount`, `start + byteCount <= bytes.byteCount`
    @usableFromInline let byteCount: Int

    @inlinable @inline(__always)
    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, uncheckedStart start: Int, byteCount: Int) {
        self.bytes = bytes
        self.start = start
        self.byteCount = byteCount
    }

    /// The offset at which the run begins, in bytes from the first byte that the reader was given.
    @inlinable @inline(__always)
    public var startOffset: Int { start }

    /// Returns the signed or unsigned integer at `offset`, in its type's own width.
    @inlinable @inline(__always)
    public func integer<T: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: T.Type = T.self, _ byteOrder: ByteOrder
    ) -> T {
        precondition(offset >= 0 && offset <= byteCount &- MemoryLayout<T>.size, "a field outside the run")
        // SAFETY: integers have no invalid bits, and the field lies inside the run, by the precondition.
        let raw = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: start &+ offset, as: T.self)
        return byteOrder == .bigEndian ? T(bigEndian: raw) : T(littleEndian: raw)
    }

    /// Returns the `bool` at `offset`, whose byte must be 0 or 1.
    ///
    /// - Throws: ``CodecError/Reason/invalidBoolean(_:)``.
    @inlinable @inline(__always)
    public func boolean(at offset: Int) throws(CodecError) -> Bool {
        try ByteReader.boolean(integer(at: offset, as: UInt8.self, .bigEndian), at: start &+ offset)
    }

    /// Returns the unsigned 24-bit integer at `offset`.
    @inlinable @inline(__always)
    public func unsigned24(at offset: Int, _ byteOrder: ByteOrder) -> UInt32 {
        let pair = integer(at: byteOrder == .bigEndian ? offset : offset + 1, as: UInt16.self, byteOrder)
        let lowest = integer(at: byteOrder == .bigEndian ? offset + 2 : offset, as: UInt8.self, byteOrder)
        return UInt32(pair) << 8 | UInt32(lowest)
    }

    /// Returns the 24-bit integer at `offset` in two's complement.
    @inlinable @inline(__always)
    public func signed24(at offset: Int, _ byteOrder: ByteOrder) -> Int32 {
        Int32(bitPattern: unsigned24(at: offset, byteOrder) << 8) >> 8
    }

    /// Returns the unsigned integer of 1 to 8 bytes at `offset`.
    ///
    /// If `byteCount` is a constant, this is one load, or two that overlap.
    @inlinable @inline(__always)
    public func unsigned(at offset: Int, byteCount: Int, _ byteOrder: ByteOrder) -> UInt64 {
        precondition(byteCount >= 1 && byteCount <= 8, "an integer of more than 8 bytes, or of none")
        switch byteCount {
        case 1: return UInt64(integer(at: offset, as: UInt8.self, byteOrder))
        case 2: return UInt64(integer(at: offset, as: UInt16.self, byteOrder))
        case 3: return UInt64(unsigned24(at: offset, byteOrder))
        case 4: return UInt64(integer(at: offset, as: UInt32.self, byteOrder))
        case 8: return integer(at: offset, as: UInt64.self, byteOrder)
        default:
            let first = UInt64(integer(at: offset, as: UInt32.self, byteOrder))
            let last = UInt64(integer(at: offset &+ byteCount &- 4, as: UInt32.self, byteOrder))
            let shift = UInt64(truncatingIfNeeded: 8 &* (byteCount &- 4))
            return byteOrder == .bigEndian ? first &<< shift | last : last &<< shift | first
        }
    }

    /// Returns the integer of 1 to 8 bytes at `offset` in two's complement.
    @inlinable @inline(__always)
    public func signed(at offset: Int, byteCount: Int, _ byteOrder: ByteOrder) -> Int64 {
        let bits = unsigned(at: offset, byteCount: byteCount, byteOrder)
        return Int64(signExtending: bits, bitWidth: 8 &* byteCount)
    }

    /// Returns the 32-bit count at `offset`.
    ///
    /// If an `Int` has 32 bits, a count above `Int.max` reads as `Int.max`. So many bytes are never left, so
    /// ``ByteReader`` refuses it.
    @inlinable @inline(__always)
    public func count32(at offset: Int, _ byteOrder: ByteOrder) -> Int {
        Int(clampingCount: integer(at: offset, as: UInt32.self, byteOrder))
    }

    /// Returns the 32-bit IEEE 754 number at `offset`, bit for bit.
    @inlinable @inline(__always)
    public func float32(at offset: Int, _ byteOrder: ByteOrder) -> Float {
        Float(bitPattern: integer(at: offset, as: UInt32.self, byteOrder))
    }

    /// Returns the 64-bit IEEE 754 number at `offset`, bit for bit.
    @inlinable @inline(__always)
    public func float64(at offset: Int, _ byteOrder: ByteOrder) -> Double {
        Double(bitPattern: integer(at: offset, as: UInt64.self, byteOrder))
    }
}

extension Int64 {
    /// Makes the number that the low bits mean in two's complement, whatever the bits above them are.
    @inlinable @inline(__always)
    init(signExtending bits: UInt64, bitWidth: Int) {
        let spare = Int64(truncatingIfNeeded: 64 &- bitWidth)
        self = (Int64(bitPattern: bits) &<< spare) &>> spare
    }
}
