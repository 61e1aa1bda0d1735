// SPDX-License-Identifier: Apache-2.0

/// Reads the fields of a payload, one after another.
///
/// A reader borrows its bytes without copying them, and cannot outlive them. Offsets in its errors count from the first
/// byte it was given; for a packet, this is the first byte of the header. A read that fails leaves the position
/// unchanged.
@frozen
public struct ByteReader: ~Escapable {
    @usableFromInline let bytes: RawSpan
    @usableFromInline var position: Int
    /// The end of the readable bytes: the end of the payload, or of the structure that is being read.
    /// INVARIANT: `0 <= position <= end <= bytes.byteCount`
    @usableFromInline var end: Int
    /// The number of structure levels that may still be entered.
    @usableFromInline var remainingDepth: Int
    @usableFromInline let maximumDepth: Int

    /// Makes a reader of all the bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to read; they must outlive the reader.
    ///   - maximumDepth: How deeply structures may nest (default 32, as in a schema without options).
    @inlinable
    @_lifetime(copy bytes)
    public init(_ bytes: RawSpan, maximumDepth: Int = 32) {
        self.bytes = bytes
        position = 0
        end = bytes.byteCount
        remainingDepth = maximumDepth
        self.maximumDepth = maximumDepth
    }

    /// Makes a reader of the bytes in `range`, whose offsets still count from the first byte of `bytes`.
    @inlinable
    @_lifetime(copy bytes)
    public init(_ bytes: RawSpan, range: Range<Int>, maximumDepth: Int = 32) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.byteCount, "the range leads outside the bytes")
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
        remainingDepth = maximumDepth
        self.maximumDepth = maximumDepth
    }

    /// The offset of the next field, in bytes from the start.
    @inlinable @inline(__always)
    public var offset: Int { position }

    /// Makes a reader without checks: `0 <= start <= end <= bytes.byteCount` must hold.
    @inlinable @inline(__always)
    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, uncheckedStart start: Int, end: Int, maximumDepth: Int) {
        self.bytes = bytes
        position = start
        self.end = end
        remainingDepth = maximumDepth
        self.maximumDepth = maximumDepth
    }

    /// The number of bytes left.
    @inlinable @inline(__always)
    public var remaining: Int { end &- position }

    /// Whether the position is exactly at the end.
    @inlinable @inline(__always)
    public var isAtEnd: Bool { position == end }

    // MARK: Runs

    /// Reads the next `byteCount` bytes, a constant of the schema, with one check.
    ///
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)``.
    @inlinable @inline(__always)
    @_lifetime(copy self)
    public mutating func readRun(byteCount: Int) throws(CodecError) -> FixedRun {
        precondition(byteCount >= 0, "a run has no fewer than 0 bytes")
        guard byteCount <= remaining else { try Self.failRun(byteCount, position, end) }
        let start = position
        position = start &+ byteCount
        return FixedRun(bytes, uncheckedStart: start, byteCount: byteCount)
    }

    /// Reads the next `byteCount` bytes without copying them.
    ///
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)``, also for a negative `byteCount`.
    @inlinable @inline(__always)
    @_lifetime(copy self)
    public mutating func readSlice(byteCount: Int) throws(CodecError) -> RawSpan {
        guard UInt(bitPattern: byteCount) <= UInt(bitPattern: remaining) else { try failSlice(byteCount) }
        let start = position
        position = start &+ byteCount
        // SAFETY: start and start + byteCount lie between 0 and end, by the guard and the invariant.
        return unsafe bytes.extracting(unchecked: Range(uncheckedBounds: (start, start &+ byteCount)))
    }

    /// Reads all bytes that are left, without copying them.
    @inlinable
    @_lifetime(copy self)
    public mutating func readRest() -> RawSpan {
        let start = position
        position = end
        // SAFETY: the invariant.
        return unsafe bytes.extracting(unchecked: Range(uncheckedBounds: (start, end)))
    }

    // MARK: Single fields

    /// Reads an integer of the type's own width.
    ///
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)``.
    @inlinable @inline(__always)
    public mutating func readInteger<T: FixedWidthInteger & BitwiseCopyable>(
        as type: T.Type = T.self, _ byteOrder: ByteOrder
    ) throws(CodecError) -> T {
        try readRun(byteCount: MemoryLayout<T>.size).integer(at: 0, byteOrder)
    }

    /// Reads an unsigned integer of three bytes.
    ///
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)``.
    @inlinable
    public mutating func readUnsigned24(_ byteOrder: ByteOrder) throws(CodecError) -> UInt32 {
        try readRun(byteCount: 3).unsigned24(at: 0, byteOrder)
    }

    /// Reads an integer of three bytes in two's complement.
    ///
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)``.
    @inlinable
    public mutating func readSigned24(_ byteOrder: ByteOrder) throws(CodecError) -> Int32 {
        try readRun(byteCount: 3).signed24(at: 0, byteOrder)
    }

    /// Reads an unsigned integer of 1 to 8 bytes.
    ///
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)``.
    @inlinable
    public mutating func readUnsigned(byteCount: Int, _ byteOrder: ByteOrder) throws(CodecError) -> UInt64 {
        try readRun(byteCount: byteCount).unsigned(at: 0, byteCount: byteCount, byteOrder)
    }

    /// Reads an integer of 1 to 8 bytes in two's complement.
    ///
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)``.
    @inlinable
    public mutating func readSigned(byteCount: Int, _ byteOrder: ByteOrder) throws(CodecError) -> Int64 {
        try readRun(byteCount: byteCount).signed(at: 0, byteCount: byteCount, byteOrder)
    }

    /// Reads a 32-bit IEEE 754 number, bit for bit: signalling NaNs and −0 stay unchanged.
    ///
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)``.
    @inlinable
    public mutating func readFloat32(_ byteOrder: ByteOrder) throws(CodecError) -> Float {
        try readRun(byteCount: 4).float32(at: 0, byteOrder)
    }

    /// Reads a 64-bit IEEE 754 number, bit for bit.
    ///
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)``.
    @inlinable
    public mutating func readFloat64(_ byteOrder: ByteOrder) throws(CodecError) -> Double {
        try readRun(byteCount: 8).float64(at: 0, byteOrder)
    }

    /// Reads one byte that must be 0 or 1.
    ///
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)``, ``CodecError/Reason/invalidBoolean(_:)``.
    @inlinable
    public mutating func readBoolean() throws(CodecError) -> Bool {
        let start = position
        let byte = try readInteger(as: UInt8.self, .bigEndian)
        do throws(CodecError) {
            return try Self.boolean(byte, at: start)
        } catch {
            position = start
            throw error
        }
    }

    /// Returns the `bool` that a byte means; `offset` is used for the error.
    ///
    /// - Throws: ``CodecError/Reason/invalidBoolean(_:)``.
    @inlinable
    public static func boolean(_ byte: UInt8, at offset: Int) throws(CodecError) -> Bool {
        guard byte <= 1 else { try failBoolean(byte, offset) }
        return byte == 1
    }

    @usableFromInline @inline(never)
    static func failBoolean(_ byte: UInt8, _ offset: Int) throws(CodecError) -> Never {
        throw CodecError(.invalidBoolean(byte), offset: offset)
    }

    /// Reads the count that precedes a string or a list.
    ///
    /// The count is not checked here. For a string, ``readSlice(byteCount:)`` refuses more bytes than are left. For a
    /// list, ``itemCapacity(_:minimumByteCount:)`` returns how many items to reserve. If an `Int` has 32 bits, a count
    /// above `Int.max` reads as `Int.max`; memory never holds that many bytes.
    ///
    /// A varint may have any of `forms`: by default only the shortest.
    ///
    /// - Returns: The count. With a sign it may be −1: the value is absent.
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)``, for a varint what
    ///   ``readVarint(maximumByteCount:_:)`` throws, and for another negative number
    ///   ``CodecError/Reason/outOfRange(value:minimum:maximum:)``.
    @inlinable
    public mutating func readCount(
        _ format: CountFormat, _ byteOrder: ByteOrder, _ forms: VarintForms = .shortest
    ) throws(CodecError) -> Int {
        switch format {
        case .uint8: return Int(try readInteger(as: UInt8.self, byteOrder))
        case .uint16: return Int(try readInteger(as: UInt16.self, byteOrder))
        case .uint32: return Int(clampingCount: try readInteger(as: UInt32.self, byteOrder))
        case .varint: return try readVarintCount(forms)
        case .int16, .int32, .zigzag: return try readSignedCount(format, byteOrder, forms)
        }
    }

    @usableFromInline
    mutating func readSignedCount(
        _ format: CountFormat, _ byteOrder: ByteOrder, _ forms: VarintForms
    ) throws(CodecError) -> Int {
        let start = position
        let count =
            switch format {
            case .int16: Int(try readInteger(as: Int16.self, byteOrder))
            case .int32: Int(try readInteger(as: Int32.self, byteOrder))
            default: Int(try readZigzagCount(forms))
            }
        do throws(CodecError) {
            return try Self.count(count, format, at: start)
        } catch {
            position = start
            throw error
        }
    }

    /// Returns a count with a sign, or −1, which says that the value is absent.
    ///
    /// - Parameters:
    ///   - number: The number that was read.
    ///   - format: Its format.
    ///   - offset: The offset of the number, which is used for the error.
    /// - Throws: ``CodecError/Reason/outOfRange(value:minimum:maximum:)`` for another negative number.
    @inlinable @inline(__always)
    public static func count(_ number: Int, _ format: CountFormat, at offset: Int) throws(CodecError) -> Int {
        guard number >= -1 else { try failCount(number, format, offset) }
        return number
    }

    @usableFromInline @inline(never)
    static func failCount(_ number: Int, _ format: CountFormat, _ offset: Int) throws(CodecError) -> Never {
        let reason = CodecError.Reason.outOfRange(
            value: Int128(number), minimum: -1, maximum: Int128(format.maximum))
        throw CodecError(reason, offset: offset)
    }

    /// Returns how many items to reserve: at most what the bytes left can contain, whatever count was announced.
    ///
    /// - Parameters:
    ///   - count: The announced number of items.
    ///   - minimumByteCount: The fewest bytes that an item takes, at least 1.
    @inlinable
    public func itemCapacity(_ count: Int, minimumByteCount: Int) -> Int {
        min(count, remaining / minimumByteCount)
    }

    /// Reads the byte that ends a list, if it comes next.
    ///
    /// - Returns: Whether it has been read; if not, an item follows.
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)`` at the end of the bytes.
    @inlinable
    public mutating func readTerminator(_ terminator: UInt8) throws(CodecError) -> Bool {
        guard !isAtEnd else { try failSlice(1) }
        guard bytes[position] == terminator else { return false }
        position &+= 1
        return true
    }

    // MARK: Structures

    /// Enters a structure, one level deeper; ``leaveStructure()`` leaves it.
    ///
    /// - Throws: ``CodecError/Reason/tooDeep(limit:)``.
    @inlinable
    public mutating func enterStructure() throws(CodecError) {
        guard remainingDepth > 0 else { try failDepth() }
        remainingDepth &-= 1
    }

    /// Leaves a structure that ``enterStructure()`` entered.
    @inlinable
    public mutating func leaveStructure() {
        remainingDepth &+= 1
    }

    /// Enters the body of a structure with a size prefix; it limits the readable bytes until ``leaveSizedBody(_:)``.
    ///
    /// - Returns: A value to pass to ``leaveSizedBody(_:)``.
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)`` if fewer bytes are left than the prefix says, also
    ///   for a negative `byteCount`.
    @inlinable
    public mutating func enterSizedBody(byteCount: Int) throws(CodecError) -> SizedBody {
        guard UInt(bitPattern: byteCount) <= UInt(bitPattern: remaining) else { try failSlice(byteCount) }
        let body = SizedBody(end: position &+ byteCount, outerEnd: end)
        end = body.end
        return body
    }

    /// Leaves the body of a structure with a size prefix and skips its unread bytes.
    @inlinable
    public mutating func leaveSizedBody(_ body: SizedBody) {
        // A body of another reader could break the invariant that the unchecked loads rely on.
        precondition(
            body.end == end && body.outerEnd >= end && body.outerEnd <= bytes.byteCount, "not the body entered")
        position = body.end
        end = body.outerEnd
    }

    /// The end of the body of a structure with a size prefix, and the end of the enclosing bytes.
    @frozen
    public struct SizedBody: Sendable {
        @usableFromInline let end: Int
        @usableFromInline let outerEnd: Int

        @inlinable
        init(end: Int, outerEnd: Int) {
            self.end = end
            self.outerEnd = outerEnd
        }
    }

    // MARK: The end

    /// Checks that no bytes are left.
    ///
    /// - Throws: ``CodecError/Reason/trailingBytes(count:)``.
    @inlinable
    public func requireEnd() throws(CodecError) {
        guard isAtEnd else { try failEnd() }
    }

    // MARK: Errors

    @usableFromInline @inline(never)
    func truncated(_ needed: Int, behind whole: Int = 0) -> CodecError {
        CodecError(.truncated(needed: needed, available: remaining - whole), offset: position + whole)
    }

    /// Throws that a run is cut off.
    ///
    /// This and the functions like it throw themselves. If they returned the error, every caller would contain the code
    /// that throws it and reports it to debuggers, and generated code has very many callers.
    @usableFromInline @inline(never)
    static func failRun(_ needed: Int, _ position: Int, _ end: Int) throws(CodecError) -> Never {
        throw CodecError(runOf: needed, available: end - position, offset: position)
    }

    @usableFromInline @inline(never)
    func failSlice(_ needed: Int) throws(CodecError) -> Never { throw truncated(needed) }

    @usableFromInline @inline(never)
    func failDepth() throws(CodecError) -> Never { throw error(.tooDeep(limit: maximumDepth)) }

    @usableFromInline @inline(never)
    func failEnd() throws(CodecError) -> Never { throw error(.trailingBytes(count: remaining)) }

    @usableFromInline @inline(never)
    func error(_ reason: CodecError.Reason) -> CodecError {
        CodecError(reason, offset: position)
    }
}
