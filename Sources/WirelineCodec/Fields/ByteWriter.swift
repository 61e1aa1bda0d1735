// SPDX-License-Identifier: Apache-2.0

/// Writes the fields of a payload into room that was measured before.
///
/// Writes cannot fail: what is to be written has been checked, and its bytes counted, when the room was made. Writing
/// past the room is a mistake of the caller and stops the program.
@frozen
@safe
public struct ByteWriter: ~Copyable, ~Escapable {
    @usableFromInline let base: UnsafeMutableRawPointer
    @usableFromInline let capacity: Int
    /// INVARIANT: `0 <= position <= capacity`, and the bytes before it are initialised.
    @usableFromInline var position: Int

    /// The room must outlive the writer; the callers in this module make one inside the scope that lends the room.
    @inlinable @inline(__always)
    @_lifetime(immortal)
    init(base: UnsafeMutableRawPointer, capacity: Int) {
        unsafe self.base = base
        self.capacity = capacity
        position = 0
    }

    /// How many bytes have been written.
    @inlinable
    public var offset: Int { position }

    /// Takes room for a run of fields of fixed width, with one check; each of them should then be set.
    ///
    /// The run's bytes count as written from then on. One that is not set goes out as 0, not as what lay in that memory.
    @inlinable @inline(__always)
    @_lifetime(copy self)
    public mutating func writeRun(byteCount: Int) -> MutableFixedRun {
        let start = unsafe advance(by: byteCount)
        // Where all bytes are set at once, the compiler removes this. What is left in generated code is one store for a
        // run that ends with a string's count, which a branch stands before.
        // SAFETY: advance(by:) has checked the room.
        unsafe Self.clear(start, byteCount: byteCount)
        return unsafe MutableFixedRun(base: start, byteCount: byteCount)
    }

    /// Sets bytes to 0.
    ///
    /// Most runs are short. A loop over their bytes would be unrolled by the compiler into as many stores for each run,
    /// all but a few of which it has to find needless then; of these steps it is known at once which are taken.
    @inlinable @inline(__always)
    @unsafe
    static func clear(_ start: UnsafeMutableRawPointer, byteCount: Int) {
        // SAFETY: the callers have checked the room for byteCount bytes; each step ends at the latest there.
        if byteCount >= 8 { unsafe start.storeBytes(of: 0, as: UInt64.self) }
        if byteCount >= 16 { unsafe start.storeBytes(of: 0, toByteOffset: 8, as: UInt64.self) }
        if byteCount >= 24 { unsafe start.storeBytes(of: 0, toByteOffset: 16, as: UInt64.self) }
        var offset = byteCount & 0x18
        if byteCount >= 32 {
            offset = 24
            while offset &+ 8 <= byteCount {
                unsafe start.storeBytes(of: 0, toByteOffset: offset, as: UInt64.self)
                offset &+= 8
            }
        }
        if byteCount & 4 != 0 {
            unsafe start.storeBytes(of: 0, toByteOffset: offset, as: UInt32.self)
            offset &+= 4
        }
        if byteCount & 1 != 0 {
            unsafe start.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
            offset &+= 1
        }
        // Last, because it is a count of two bytes that most runs end with.
        if byteCount & 2 != 0 { unsafe start.storeBytes(of: 0, toByteOffset: offset, as: UInt16.self) }
    }

    /// Checks the room, and hands out where the next `byteCount` bytes go.
    @inlinable @inline(__always)
    @unsafe
    mutating func advance(by byteCount: Int) -> UnsafeMutableRawPointer {
        precondition(
            UInt(bitPattern: byteCount) <= UInt(bitPattern: capacity &- position), "more is written than was measured")
        // SAFETY: position + byteCount <= capacity, by the precondition and the invariant.
        let start = unsafe base + position
        position &+= byteCount
        return unsafe start
    }

    // MARK: Single fields

    /// Writes an integer in its type's own width.
    @inlinable @inline(__always)
    public mutating func writeInteger<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, _ byteOrder: ByteOrder) {
        var run = writeRun(byteCount: MemoryLayout<T>.size)
        run.setInteger(value, at: 0, byteOrder)
    }

    /// Writes an unsigned integer of three bytes: the low 24 bits of `value`.
    @inlinable
    public mutating func writeUnsigned24(_ value: UInt32, _ byteOrder: ByteOrder) {
        var run = writeRun(byteCount: 3)
        run.set24(value, at: 0, byteOrder)
    }

    /// Writes an integer of three bytes in two's complement: the low 24 bits of `value`.
    @inlinable
    public mutating func writeSigned24(_ value: Int32, _ byteOrder: ByteOrder) {
        writeUnsigned24(UInt32(bitPattern: value), byteOrder)
    }

    /// Writes a 32-bit IEEE 754 number, bit for bit.
    @inlinable
    public mutating func writeFloat32(_ value: Float, _ byteOrder: ByteOrder) {
        writeInteger(value.bitPattern, byteOrder)
    }

    /// Writes a 64-bit IEEE 754 number, bit for bit.
    @inlinable
    public mutating func writeFloat64(_ value: Double, _ byteOrder: ByteOrder) {
        writeInteger(value.bitPattern, byteOrder)
    }

    /// Writes one byte, 1 or 0.
    @inlinable
    public mutating func writeBoolean(_ value: Bool) {
        writeInteger(value ? 1 : 0 as UInt8, .bigEndian)
    }

    /// Writes an unsigned integer (LEB128) in its shortest form: 1 to 10 bytes.
    public mutating func writeVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            writeInteger(UInt8(truncatingIfNeeded: rest) | 0x80, .bigEndian)
            rest >>= 7
        }
        writeInteger(UInt8(truncatingIfNeeded: rest), .bigEndian)
    }

    /// Writes the count that stands in front of a string or a list; it must fit its format.
    @inlinable
    public mutating func writeCount(_ count: Int, _ format: CountFormat, _ byteOrder: ByteOrder) {
        precondition(UInt(bitPattern: count) <= UInt(bitPattern: format.maximum), "a count that its prefix cannot say")
        switch format {
        case .uint8: writeInteger(UInt8(truncatingIfNeeded: count), byteOrder)
        case .uint16: writeInteger(UInt16(truncatingIfNeeded: count), byteOrder)
        case .uint32: writeInteger(UInt32(truncatingIfNeeded: count), byteOrder)
        case .varint: writeVarint(UInt64(truncatingIfNeeded: count))
        }
    }

    /// Sets a count that was written before what it counts.
    ///
    /// - Parameters:
    ///   - count: The count, which must fit its format.
    ///   - offset: Where it was written, in bytes from the writer's first.
    ///   - format: Its format; not a varint, whose width depends on the count.
    ///   - byteOrder: Its byte order.
    public mutating func patchCount(_ count: Int, at offset: Int, _ format: CountFormat, _ byteOrder: ByteOrder) {
        precondition(UInt(bitPattern: count) <= UInt(bitPattern: format.maximum), "a count that its prefix cannot say")
        precondition(
            offset >= 0 && offset + format.minimumByteCount <= position, "only what has been written is written over")
        // SAFETY: the count's bytes lie before position, by the precondition.
        var run = unsafe MutableFixedRun(base: base + offset, byteCount: format.minimumByteCount)
        switch format {
        case .uint8: run.setInteger(UInt8(truncatingIfNeeded: count), at: 0, byteOrder)
        case .uint16: run.setInteger(UInt16(truncatingIfNeeded: count), at: 0, byteOrder)
        case .uint32: run.setInteger(UInt32(truncatingIfNeeded: count), at: 0, byteOrder)
        case .varint: preconditionFailure("a varint is written when its count is known")
        }
    }

    // MARK: Bytes and text

    /// Writes the UTF-8 of a string, without a prefix.
    @inlinable @inline(__always)
    public mutating func writeText(_ text: String) {
        let isContiguous: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { utf8 in
            unsafe copy(from: UnsafeRawPointer(utf8.baseAddress), byteCount: utf8.count)
        }
        if isContiguous == nil { writeForeignText(text) }
    }

    /// Writes a string that is not stored as UTF-8: one that was bridged from Objective-C.
    @usableFromInline @inline(never)
    mutating func writeForeignText(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            unsafe copy(from: UnsafeRawPointer(utf8.baseAddress), byteCount: utf8.count)
        }
    }

    /// Writes bytes, without a prefix.
    @inlinable @inline(__always)
    public mutating func writeBytes(_ bytes: [UInt8]) {
        // Most often there are none: what a peer with a newer schema has sent is written like a field.
        if !bytes.isEmpty { writeSomeBytes(bytes) }
    }

    @usableFromInline @inline(never)
    mutating func writeSomeBytes(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe copy(from: $0.baseAddress, byteCount: $0.count) }
    }

    /// Writes lent bytes, without a prefix.
    @inlinable
    public mutating func writeBytes(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { unsafe copy(from: $0.baseAddress, byteCount: $0.count) }
    }

    @inlinable @inline(__always)
    @unsafe
    mutating func copy(from source: UnsafeRawPointer?, byteCount: Int) {
        let start = unsafe advance(by: byteCount)
        guard let source = unsafe source else { return }
        // SAFETY: advance(by:) has checked the room; the source has byteCount bytes by this function's contract.
        unsafe start.copyMemory(from: source, byteCount: byteCount)
    }
}

/// Room for a run of fields of fixed width, which was checked as a whole, so that setting one is a plain store.
///
/// A byte that is not set is 0.
@frozen
@safe
public struct MutableFixedRun: ~Copyable, ~Escapable {
    @usableFromInline let base: UnsafeMutableRawPointer
    @usableFromInline let byteCount: Int

    @inlinable @inline(__always)
    @_lifetime(immortal)
    init(base: UnsafeMutableRawPointer, byteCount: Int) {
        unsafe self.base = base
        self.byteCount = byteCount
    }

    /// Sets the integer of the type's own width at `offset`, in bytes from the run's first.
    @inlinable @inline(__always)
    public mutating func setInteger<T: FixedWidthInteger & BitwiseCopyable>(
        _ value: T, at offset: Int, _ byteOrder: ByteOrder
    ) {
        precondition(offset >= 0 && offset <= byteCount &- MemoryLayout<T>.size, "a field outside the run")
        // SAFETY: the field lies inside the run, by the precondition.
        unsafe base.storeBytes(
            of: byteOrder == .bigEndian ? value.bigEndian : value.littleEndian, toByteOffset: offset, as: T.self)
    }

    /// Sets the byte at `offset` to 1 or 0.
    @inlinable @inline(__always)
    public mutating func setBoolean(_ value: Bool, at offset: Int) {
        setInteger(value ? 1 : 0 as UInt8, at: offset, .bigEndian)
    }

    /// Sets the 24-bit integer at `offset` to the low bits of `value`; signed ones are passed by their bits.
    @inlinable @inline(__always)
    public mutating func set24(_ value: UInt32, at offset: Int, _ byteOrder: ByteOrder) {
        let isBigEndian = byteOrder == .bigEndian
        setInteger(UInt16(truncatingIfNeeded: value >> 8), at: isBigEndian ? offset : offset + 1, byteOrder)
        setInteger(UInt8(truncatingIfNeeded: value), at: isBigEndian ? offset + 2 : offset, byteOrder)
    }

    /// Sets the 32-bit IEEE 754 number at `offset`, bit for bit.
    @inlinable @inline(__always)
    public mutating func setFloat32(_ value: Float, at offset: Int, _ byteOrder: ByteOrder) {
        setInteger(value.bitPattern, at: offset, byteOrder)
    }

    /// Sets the 64-bit IEEE 754 number at `offset`, bit for bit.
    @inlinable @inline(__always)
    public mutating func setFloat64(_ value: Double, at offset: Int, _ byteOrder: ByteOrder) {
        setInteger(value.bitPattern, at: offset, byteOrder)
    }
}
