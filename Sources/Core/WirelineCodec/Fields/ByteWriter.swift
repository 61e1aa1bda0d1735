// SPDX-License-Identifier: Apache-2.0

/// Writes the fields of a payload into memory whose size was measured before.
///
/// Writes cannot fail: values were checked, and bytes counted, before the memory was allocated. Writing past its end is
/// a mistake of the caller and stops the program.
@frozen
@safe
public struct ByteWriter: ~Copyable, ~Escapable {
    @usableFromInline let base: UnsafeMutableRawPointer
    @usableFromInline let capacity: Int
    /// INVARIANT: `0 <= position <= capacity`, and the bytes before it are initialised.
    @usableFromInline var position: Int

    /// The memory must outlive the writer: callers make the writer inside the scope that lends the memory.
    @inlinable @inline(__always)
    @_lifetime(immortal)
    init(base: UnsafeMutableRawPointer, capacity: Int) {
        // SAFETY: the caller lends the memory for at least as long as the writer lives.
        unsafe self.base = base
        self.capacity = capacity
        position = 0
    }

    /// The number of bytes written so far.
    @inlinable
    public var offset: Int { position }

    /// Reserves a run of fields of fixed width, with one check; the caller then sets each field.
    ///
    /// The run's bytes count as written from then on. A byte that is not set is written as 0, never as old memory
    /// contents.
    @inlinable @inline(__always)
    @_lifetime(copy self)
    public mutating func writeRun(byteCount: Int) -> MutableFixedRun {
        let start = unsafe advance(by: byteCount)
        // If all bytes are set at once, the compiler removes this. In generated code one store is left: for a run that
        // ends with a string's count, because a branch comes before the count.
        // SAFETY: advance(by:) has checked the capacity.
        unsafe Self.clear(start, byteCount: byteCount)
        return unsafe MutableFixedRun(base: start, byteCount: byteCount)
    }

    /// Sets bytes to 0.
    ///
    /// Most runs are short. The compiler would unroll a loop over their bytes into one store for each byte, and then
    /// have to remove nearly all of them. With these steps it knows at once which ones it takes.
    @inlinable @inline(__always)
    @unsafe
    static func clear(_ start: UnsafeMutableRawPointer, byteCount: Int) {
        // SAFETY: the callers have checked the capacity for byteCount bytes; no step goes past them.
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
        // The last step, because most runs end with a count of two bytes.
        if byteCount & 2 != 0 { unsafe start.storeBytes(of: 0, toByteOffset: offset, as: UInt16.self) }
    }

    /// Checks the capacity and returns the address for the next `byteCount` bytes.
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

    /// Writes the low bytes, 1 to 8, of an integer; pass a signed one by its bit pattern.
    @inlinable
    public mutating func writeUnsigned(_ value: UInt64, byteCount: Int, _ byteOrder: ByteOrder) {
        var run = writeRun(byteCount: byteCount)
        run.setUnsigned(value, at: 0, byteCount: byteCount, byteOrder)
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

    /// Writes a `zigzag`: a signed integer whose numbers near 0 are short.
    public mutating func writeZigzag(_ value: Int64) { writeVarint(value.zigzag) }

    /// Writes a `varint32`: 1 to 5 bytes, and 5 for a negative number.
    public mutating func writeVarint32(_ value: Int32) { writeVarint(UInt64(UInt32(bitPattern: value))) }

    /// Writes a `varint64`: 1 to 10 bytes, and 10 for a negative number.
    public mutating func writeVarint64(_ value: Int64) { writeVarint(UInt64(bitPattern: value)) }

    /// Writes the count that precedes a string or a list; it must fit its format.
    @inlinable
    public mutating func writeCount(_ count: Int, _ format: CountFormat, _ byteOrder: ByteOrder) {
        precondition(UInt(bitPattern: count) <= UInt(bitPattern: format.maximum), "a count that its prefix cannot say")
        switch format {
        case .uint8: writeInteger(UInt8(truncatingIfNeeded: count), byteOrder)
        case .uint16, .int16: writeInteger(UInt16(truncatingIfNeeded: count), byteOrder)
        case .uint32, .int32: writeInteger(UInt32(truncatingIfNeeded: count), byteOrder)
        case .varint: writeVarint(UInt64(truncatingIfNeeded: count))
        case .zigzag: writeZigzag(Int64(count))
        }
    }

    /// Writes the count of a value that is absent, which is −1; its format must have a sign.
    @inlinable
    public mutating func writeAbsence(_ format: CountFormat, _ byteOrder: ByteOrder) {
        switch format {
        case .int16: writeInteger(-1 as Int16, byteOrder)
        case .int32: writeInteger(-1 as Int32, byteOrder)
        case .zigzag: writeZigzag(-1)
        case .uint8, .uint16, .uint32, .varint: preconditionFailure("a prefix without a sign has no number for absence")
        }
    }

    /// Overwrites a count that was written before the items it counts.
    ///
    /// - Parameters:
    ///   - count: The count, which must fit its format.
    ///   - offset: The offset at which it was written, in bytes from the writer's first.
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
        case .uint16, .int16: run.setInteger(UInt16(truncatingIfNeeded: count), at: 0, byteOrder)
        case .uint32, .int32: run.setInteger(UInt32(truncatingIfNeeded: count), at: 0, byteOrder)
        case .varint, .zigzag: preconditionFailure("a varint is written when its count is known")
        }
    }

    /// Writes an integer over bytes that have been written, such as the number of bytes after them.
    ///
    /// - Parameters:
    ///   - value: The integer; its low bytes are written.
    ///   - offset: The offset of its first byte from the writer's first.
    ///   - byteCount: Its width, 1 to 8 bytes.
    ///   - byteOrder: Its byte order.
    public mutating func patchUnsigned(_ value: UInt64, at offset: Int, byteCount: Int, _ byteOrder: ByteOrder) {
        precondition(offset >= 0 && offset + byteCount <= position, "only what has been written is written over")
        // SAFETY: the integer's bytes lie before position, by the precondition.
        var run = unsafe MutableFixedRun(base: base + offset, byteCount: byteCount)
        run.setUnsigned(value, at: 0, byteCount: byteCount, byteOrder)
    }

    // MARK: Bytes and text

    /// Writes the UTF-8 of a string, without a prefix.
    ///
    /// It is not inlined: a call in each place is shorter, and takes less time to compile, than its branches.
    @inline(never)
    public mutating func writeText(_ text: String) {
        #if _pointerBitWidth(_64) && _endian(little) && !hasFeature(Embedded)
            if let bytes = ShortText.bytes(of: text) { return writeShortText(bytes) }
        #endif
        writeAnyText(text)
    }

    #if _pointerBitWidth(_64) && _endian(little) && !hasFeature(Embedded)
        /// Writes at most 15 bytes with two stores, which overlap.
        @inline(__always)
        private mutating func writeShortText(_ text: ShortText.Bytes) {
            let (room, byteCount) = (capacity &- position, text.byteCount)
            // SAFETY: advance(by:) has checked the capacity for the text. The first branch stores more bytes, inside
            // the capacity; the fields after the text overwrite those. The others end where the text ends.
            let start = unsafe advance(by: byteCount)
            if room >= 16 {
                unsafe start.storeBytes(of: text.low, as: UInt64.self)
                unsafe start.storeBytes(of: text.high, toByteOffset: 8, as: UInt64.self)
            } else if byteCount >= 8 {
                unsafe start.storeBytes(of: text.low, as: UInt64.self)
                // The last 8 bytes of the text. A shift by 64 bits would do nothing, so there are two shifts.
                let shift = UInt64(truncatingIfNeeded: 8 &* (byteCount &- 8))
                let last = text.low &>> shift | (text.high &<< 1) &<< (63 &- shift)
                unsafe start.storeBytes(of: last, toByteOffset: byteCount &- 8, as: UInt64.self)
            } else if byteCount >= 4 {
                let last = UInt32(truncatingIfNeeded: text.low &>> UInt64(truncatingIfNeeded: 8 &* (byteCount &- 4)))
                unsafe start.storeBytes(of: UInt32(truncatingIfNeeded: text.low), as: UInt32.self)
                unsafe start.storeBytes(of: last, toByteOffset: byteCount &- 4, as: UInt32.self)
            } else if byteCount >= 2 {
                let last = UInt8(truncatingIfNeeded: text.low &>> UInt64(truncatingIfNeeded: 8 &* (byteCount &- 1)))
                unsafe start.storeBytes(of: UInt16(truncatingIfNeeded: text.low), as: UInt16.self)
                unsafe start.storeBytes(of: last, toByteOffset: byteCount &- 1, as: UInt8.self)
            } else if byteCount == 1 {
                unsafe start.storeBytes(of: UInt8(truncatingIfNeeded: text.low), as: UInt8.self)
            }
        }
    #endif

    @inline(never)
    private mutating func writeAnyText(_ text: String) {
        ShortText.compareOnce()
        // SAFETY: the string lends its bytes, with their count, for as long as the closure runs.
        let isContiguous: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { utf8 in
            unsafe copy(from: UnsafeRawPointer(utf8.baseAddress), byteCount: utf8.count)
        }
        if isContiguous == nil { writeForeignText(text) }
    }

    /// Writes a string that is not stored as UTF-8, such as one bridged from Objective-C.
    @inline(never)
    private mutating func writeForeignText(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            // SAFETY: the string lends its bytes, with their count, for as long as the closure runs.
            unsafe copy(from: UnsafeRawPointer(utf8.baseAddress), byteCount: utf8.count)
        }
    }

    /// Writes bytes, without a prefix.
    @inlinable @inline(__always)
    public mutating func writeBytes(_ bytes: [UInt8]) {
        // Usually empty: bytes from a peer with a newer schema are written like a field.
        if !bytes.isEmpty { writeSomeBytes(bytes) }
    }

    @usableFromInline @inline(never)
    mutating func writeSomeBytes(_ bytes: [UInt8]) {
        // SAFETY: the array lends its bytes, with their count, for as long as the closure runs.
        unsafe bytes.withUnsafeBytes { unsafe copy(from: $0.baseAddress, byteCount: $0.count) }
    }

    /// Writes borrowed bytes, without a prefix.
    @inlinable
    public mutating func writeBytes(_ bytes: RawSpan) {
        // SAFETY: the span lends its bytes, with their count, for as long as the closure runs.
        unsafe bytes.withUnsafeBytes { unsafe copy(from: $0.baseAddress, byteCount: $0.count) }
    }

    @inlinable @inline(__always)
    @unsafe
    mutating func copy(from source: UnsafeRawPointer?, byteCount: Int) {
        let start = unsafe advance(by: byteCount)
        guard let source = unsafe source else { return }
        // SAFETY: advance(by:) has checked the capacity; the source has byteCount bytes by this function's contract.
        unsafe start.copyMemory(from: source, byteCount: byteCount)
    }
}

/// Memory for a run of fields of fixed width, checked once as a whole; setting a field is then a plain store.
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
        // SAFETY: the writer that makes the run has checked that these bytes are part of its memory.
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

    /// Sets the 24-bit integer at `offset` to the low bits of `value`; pass a signed one by its bit pattern.
    @inlinable @inline(__always)
    public mutating func set24(_ value: UInt32, at offset: Int, _ byteOrder: ByteOrder) {
        let isBigEndian = byteOrder == .bigEndian
        setInteger(UInt16(truncatingIfNeeded: value >> 8), at: isBigEndian ? offset : offset + 1, byteOrder)
        setInteger(UInt8(truncatingIfNeeded: value), at: isBigEndian ? offset + 2 : offset, byteOrder)
    }

    /// Sets the integer of 1 to 8 bytes at `offset` to the low bytes of `value`; pass a signed one by its bit pattern.
    ///
    /// If `byteCount` is a constant, this is one store, or two that overlap.
    @inlinable @inline(__always)
    public mutating func setUnsigned(_ value: UInt64, at offset: Int, byteCount: Int, _ byteOrder: ByteOrder) {
        precondition(byteCount >= 1 && byteCount <= 8, "an integer of more than 8 bytes, or of none")
        switch byteCount {
        case 1: setInteger(UInt8(truncatingIfNeeded: value), at: offset, byteOrder)
        case 2: setInteger(UInt16(truncatingIfNeeded: value), at: offset, byteOrder)
        case 3: set24(UInt32(truncatingIfNeeded: value), at: offset, byteOrder)
        case 4: setInteger(UInt32(truncatingIfNeeded: value), at: offset, byteOrder)
        case 8: setInteger(value, at: offset, byteOrder)
        default:
            let low = UInt32(truncatingIfNeeded: value)
            let high = UInt32(truncatingIfNeeded: value &>> UInt64(truncatingIfNeeded: 8 &* (byteCount &- 4)))
            let isBigEndian = byteOrder == .bigEndian
            setInteger(isBigEndian ? high : low, at: offset, byteOrder)
            setInteger(isBigEndian ? low : high, at: offset &+ byteCount &- 4, byteOrder)
        }
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
