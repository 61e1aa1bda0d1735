// SPDX-License-Identifier: Apache-2.0

// Text in a fixed number of bytes:
//
//     +--------------------+-----------------+
//     | the text, in UTF-8 | padding         |
//     +--------------------+-----------------+
//      byteCount bytes

extension FixedRun {
    /// Returns the text in `byteCount` bytes at `offset`.
    ///
    /// `padding` is the byte that fills the rest. If it is 0, the text ends at the first NUL, and the bytes after that
    /// are ignored. Any other byte is taken off the end.
    ///
    /// - Throws: ``CodecError/Reason/invalidUTF8(_:)`` at the first invalid byte.
    @inlinable @inline(__always)
    public func text(at offset: Int, byteCount: Int, padding: UInt8) throws(CodecError) -> String {
        precondition(offset >= 0 && byteCount >= 0 && offset <= self.byteCount &- byteCount, "a field outside the run")
        return try Self.text(in: bytes, at: start &+ offset, byteCount: byteCount, padding: padding)
    }

    /// Checks that a text stands in `byteCount` bytes at `offset`.
    ///
    /// - Parameters:
    ///   - text: The text, at most `byteCount` bytes of UTF-8.
    ///   - offset: The offset of the field.
    ///   - byteCount: The bytes of the field.
    ///   - padding: The byte that fills the rest. If it is 0, bytes after the first NUL are ignored.
    /// - Throws: ``CodecError/Reason/wrongConstant(value:expected:)`` with the first byte that differs.
    public func requireText(_ text: String, at offset: Int, byteCount: Int, padding: UInt8) throws(CodecError) {
        precondition(offset >= 0 && byteCount >= 0 && offset <= self.byteCount &- byteCount, "a field outside the run")
        var position = start &+ offset
        let end = position + byteCount
        for byte in text.utf8 where position < end {
            try Self.require(byte, in: bytes, at: position)
            position += 1
        }
        while position < end {
            try Self.require(padding, in: bytes, at: position)
            position = padding == 0 ? end : position + 1
        }
    }

    static func require(_ expected: UInt8, in bytes: RawSpan, at position: Int) throws(CodecError) {
        let byte = bytes[position]
        guard byte == expected else {
            throw CodecError(.wrongConstant(value: Int128(byte), expected: Int128(expected)), offset: position)
        }
    }

    @usableFromInline @inline(never)
    static func text(
        in bytes: RawSpan, at start: Int, byteCount: Int, padding: UInt8
    ) throws(CodecError) -> String {
        let end = textEnd(in: bytes, at: start, byteCount: byteCount, padding: padding)
        var reader = ByteReader(bytes, range: start..<end)
        return try reader.readString(byteCount: end - start)
    }

    fileprivate static func textEnd(in bytes: RawSpan, at start: Int, byteCount: Int, padding: UInt8) -> Int {
        var end = start
        if padding == 0 {
            while end < start + byteCount, bytes[end] != 0 { end += 1 }
        } else {
            end = start + byteCount
            while end > start, bytes[end - 1] == padding { end -= 1 }
        }
        return end
    }
}

extension ByteReader {
    /// Reads text in `byteCount` bytes; see ``FixedRun/text(at:byteCount:padding:)``.
    ///
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)``; ``CodecError/Reason/invalidUTF8(_:)`` at the first
    ///   invalid byte.
    public mutating func readFixedText(byteCount: Int, padding: UInt8) throws(CodecError) -> String {
        let start = position
        do throws(CodecError) {
            return try readRun(byteCount: byteCount).text(at: 0, byteCount: byteCount, padding: padding)
        } catch {
            position = start
            throw error
        }
    }

    /// Reads as ``readFixedText(byteCount:padding:)``, and throws as it does, without copying the text.
    @_lifetime(copy self)
    package mutating func readFixedTextSlice(byteCount: Int, padding: UInt8) throws(CodecError) -> RawSpan {
        let start = position
        _ = try readRun(byteCount: byteCount)
        let end = FixedRun.textEnd(in: bytes, at: start, byteCount: byteCount, padding: padding)
        var text = ByteReader(bytes, range: start..<end)
        do throws(CodecError) {
            return try text.readTextSlice(byteCount: end - start)
        } catch {
            position = start
            throw error
        }
    }
}

extension MutableFixedRun {
    /// Sets `byteCount` bytes at `offset` to a text, which must fit, and to `padding` after it.
    public mutating func setText(_ text: String, at offset: Int, byteCount: Int, padding: UInt8) {
        var position = offset
        for byte in text.utf8 {
            precondition(position < offset + byteCount, "a text that is longer than its field")
            setInteger(byte, at: position, .bigEndian)
            position += 1
        }
        // The bytes of a run are 0 at first.
        guard padding != 0 else { return }
        while position < offset + byteCount {
            setInteger(padding, at: position, .bigEndian)
            position += 1
        }
    }
}

extension String {
    /// Whether a reader of a field that is filled with `padding` would return another text.
    ///
    /// That is so for a NUL anywhere if `padding` is 0, otherwise for that byte at the end.
    package func isChanged(byPadding padding: UInt8) -> Bool {
        padding == 0 ? utf8.contains(0) : utf8.last == padding
    }

    /// Returns why the text does not fit a field of `byteCount` bytes that `padding` fills; nil if it does.
    func fixedTextFault(byteCount: Int, padding: UInt8) -> CodecError.Reason? {
        if utf8.count > byteCount { return .tooLong(count: utf8.count, limit: byteCount) }
        guard isChanged(byPadding: padding) else { return nil }
        return padding == 0 ? .embeddedTerminator : .endsInPadding(padding)
    }
}
