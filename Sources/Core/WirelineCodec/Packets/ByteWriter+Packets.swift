// SPDX-License-Identifier: Apache-2.0

// Writing of packets, beyond the fields of messages.

extension ByteWriter {
    package mutating func writeNumber(_ value: Int128, _ format: IntegerFormat, _ byteOrder: ByteOrder) {
        writeUnsigned(UInt64(truncatingIfNeeded: value), byteCount: format.byteCount, byteOrder)
    }

    /// Writes the first `byteCount` bytes, at most 16, of a big-endian number.
    @inlinable @inline(__always)
    mutating func writeStart(of bits: UInt128, byteCount: Int) {
        let room = capacity &- position
        let start = unsafe advance(by: byteCount)
        if byteCount <= 8, room >= 8 {
            // SAFETY: 8 bytes are free; the fields after the header overwrite those that the header does not need.
            unsafe start.storeBytes(of: UInt64(truncatingIfNeeded: bits >> 64).bigEndian, as: UInt64.self)
        } else if room >= 16 {
            // SAFETY: 16 bytes are free; the fields after the header overwrite those that the header does not need.
            unsafe start.storeBytes(of: bits.bigEndian, as: UInt128.self)
        } else {
            var rest = bits
            for index in 0..<byteCount {
                // SAFETY: index < byteCount, which advance(by:) has checked.
                unsafe start.storeBytes(of: UInt8(truncatingIfNeeded: rest >> 120), toByteOffset: index, as: UInt8.self)
                rest <<= 8
            }
        }
    }

    /// Writes borrowed bytes, usually few.
    ///
    /// It writes 8 to 32 bytes with two stores, which may overlap, because a call of `memcpy` takes longer.
    @inlinable @inline(__always)
    mutating func writeShortBytes(_ bytes: RawSpan) {
        if bytes.byteCount >= 16, bytes.byteCount <= 32 {
            writeEnds(of: bytes, as: UInt128.self)
        } else if bytes.byteCount >= 8, bytes.byteCount < 16 {
            writeEnds(of: bytes, as: UInt64.self)
        } else {
            writeBytes(bytes)
        }
    }

    /// Writes bytes as two numbers, which may overlap; the byte count is at least one number's and at most two
    /// numbers'.
    @inlinable @inline(__always)
    mutating func writeEnds<T: FixedWidthInteger & BitwiseCopyable>(of bytes: RawSpan, as type: T.Type) {
        let start = unsafe advance(by: bytes.byteCount)
        let end = bytes.byteCount &- MemoryLayout<T>.size
        // SAFETY: both numbers lie inside the bytes, and advance(by:) has checked the capacity for that many. Any bits
        // are an integer.
        let last = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: end, as: T.self)
        unsafe start.storeBytes(of: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: T.self), as: T.self)
        unsafe start.storeBytes(of: last, toByteOffset: end, as: T.self)
    }

    /// The number, of at most 8 bytes, must have been written.
    mutating func overwrite(_ value: UInt64, byteCount: Int, at offset: Int, _ byteOrder: ByteOrder) {
        precondition(
            offset >= 0 && byteCount <= 8 && offset + byteCount <= position, "only what has been written is overwritten"
        )
        for index in 0..<byteCount {
            let shift = 8 * (byteOrder == .bigEndian ? byteCount - 1 - index : index)
            // SAFETY: offset + index lies before position, by the precondition.
            unsafe base.storeBytes(
                of: UInt8(truncatingIfNeeded: value >> UInt64(shift)), toByteOffset: offset + index, as: UInt8.self)
        }
    }

    func checksum(_ kind: ChecksumKind, of range: Range<Int>) -> UInt32 {
        precondition(range.lowerBound >= 0 && range.upperBound <= position, "only what has been written has a checksum")
        // SAFETY: the range lies before position, by the precondition, and those bytes are initialised.
        let bytes = unsafe UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count)
        return unsafe kind.checksum(of: bytes.bytes)
    }
}
