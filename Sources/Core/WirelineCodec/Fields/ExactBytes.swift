// SPDX-License-Identifier: Apache-2.0

// Text and bytes that fill a fixed number of bytes, and values inside a number of bytes that a prefix counts:
//
//     +------------------+        +-----------+------------------+
//     | the value        |        | byteCount | the value        |
//     +------------------+        +-----------+------------------+
//      byteCount bytes

extension FixedRun {
    /// Returns the text that fills `byteCount` bytes at `offset`.
    ///
    /// - Throws: ``CodecError/Reason/invalidUTF8(_:)`` at the first invalid byte.
    @inlinable @inline(__always)
    public func exactText(at offset: Int, byteCount: Int) throws(CodecError) -> String {
        precondition(offset >= 0 && byteCount >= 0 && offset <= self.byteCount &- byteCount, "a field outside the run")
        return try Self.exactText(in: bytes, at: start &+ offset, byteCount: byteCount)
    }

    /// Returns the `byteCount` bytes at `offset`.
    @inlinable @inline(__always)
    public func bytes(at offset: Int, byteCount: Int) -> [UInt8] {
        precondition(offset >= 0 && byteCount >= 0 && offset <= self.byteCount &- byteCount, "a field outside the run")
        return Self.bytes(in: bytes, at: start &+ offset, byteCount: byteCount)
    }

    @usableFromInline @inline(never)
    static func exactText(in bytes: RawSpan, at start: Int, byteCount: Int) throws(CodecError) -> String {
        var reader = ByteReader(bytes, range: start..<start + byteCount)
        return try reader.readString(byteCount: byteCount)
    }

    @usableFromInline @inline(never)
    static func bytes(in bytes: RawSpan, at start: Int, byteCount: Int) -> [UInt8] {
        [UInt8](copying: bytes.extracting(start..<start + byteCount))
    }
}

extension MutableFixedRun {
    /// Sets the bytes from `offset` on.
    public mutating func setBytes(_ bytes: [UInt8], at offset: Int) {
        precondition(offset >= 0 && offset <= byteCount - bytes.count, "bytes outside the run")
        unsafe bytes.withUnsafeBytes { source in
            guard let start = source.baseAddress else { return }
            // SAFETY: by the precondition, the bytes lie inside the run. The array lends its own to the closure.
            unsafe (base + offset).copyMemory(from: start, byteCount: source.count)
        }
    }
}

extension ByteWriter {
    /// Inserts the number of bytes written from an offset on, as a varint before them.
    ///
    /// - Parameter offset: The offset of the first byte that is counted, in bytes from the writer's first.
    public mutating func insertVarintCount(at offset: Int) {
        insert(UInt64(position - offset), at: offset)
    }

    /// Inserts the number of bytes written from an offset on, as a zigzag number before them.
    ///
    /// - Parameter offset: The offset of the first byte that is counted, in bytes from the writer's first.
    public mutating func insertZigzagCount(at offset: Int) {
        insert(Int64(position - offset).zigzag, at: offset)
    }

    private mutating func insert(_ number: UInt64, at offset: Int) {
        precondition(offset >= 0 && offset <= position, "only what has been written is counted")
        let byteCount = position - offset
        let width = number.varintByteCount
        _ = unsafe advance(by: width)
        // SAFETY: advance(by:) has checked the capacity for the bytes at their new place. It may overlap the old one.
        unsafe (base + offset + width).copyMemory(from: base + offset, byteCount: byteCount)
        let end = position
        position = offset
        writeVarint(number)
        position = end
    }

    /// Writes zeros up to an offset, from the writer's first byte.
    public mutating func writeZeros(upTo offset: Int) {
        precondition(offset >= position, "more is written than has its place")
        // The bytes of a run are 0 at first.
        _ = writeRun(byteCount: offset - position)
    }
}
