// SPDX-License-Identifier: Apache-2.0

extension ByteReader {
    /// Reads valid UTF-8 of a known number of bytes; nothing is repaired.
    ///
    /// Overlong forms, surrogates and incomplete characters are refused (Unicode 16, table 3-7). NUL, a byte order mark
    /// and noncharacters are ordinary text.
    ///
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)``; ``CodecError/Reason/invalidUTF8(_:)`` at the first
    ///   invalid byte.
    @inline(never)
    public mutating func readString(byteCount: Int) throws(CodecError) -> String {
        guard UInt(bitPattern: byteCount) <= UInt(bitPattern: remaining),
            let text = ShortText.string(ofASCII: bytes, at: position, byteCount: byteCount)
        else { return try readAnyString(byteCount: byteCount) }
        position &+= byteCount
        return text
    }

    /// Reads a string that may be long or not ASCII. It is a separate function, so that short strings do not pay for
    /// its registers.
    @inline(never)
    private mutating func readAnyString(byteCount: Int) throws(CodecError) -> String {
        guard UInt(bitPattern: byteCount) <= UInt(bitPattern: remaining) else { throw truncated(byteCount) }
        ShortText.compareOnce()
        // SAFETY: position and position + byteCount lie between 0 and end, by the guard and the invariant.
        let slice = unsafe bytes.extracting(
            unchecked: Range(uncheckedBounds: (position, position &+ byteCount)))
        let text = try String(validating: slice, at: position)
        position &+= byteCount
        return text
    }

    /// Reads as ``readString(byteCount:)``, and throws as it does, without copying the text.
    @_lifetime(copy self)
    package mutating func readTextSlice(byteCount: Int) throws(CodecError) -> RawSpan {
        guard UInt(bitPattern: byteCount) <= UInt(bitPattern: remaining) else { throw truncated(byteCount) }
        let start = position
        // SAFETY: start and start + byteCount lie between 0 and end, by the guard and the invariant.
        let slice = unsafe bytes.extracting(unchecked: Range(uncheckedBounds: (start, start &+ byteCount)))
        do throws(UTF8Flaw) {
            _ = try slice.validateUTF8()
        } catch {
            throw CodecError(.invalidUTF8(error.fault), offset: start + error.offset)
        }
        position = start &+ byteCount
        return slice
    }

    /// Reads UTF-8 up to a NUL, which is skipped and not part of the text.
    ///
    /// - Throws: ``CodecError/Reason/missingTerminator``, ``CodecError/Reason/invalidUTF8(_:)``.
    public mutating func readTerminatedString() throws(CodecError) -> String {
        let text = try readString(byteCount: byteCountToTerminator())
        position += 1
        return text
    }

    /// Reads bytes up to a NUL, which is skipped and not part of the result.
    ///
    /// - Throws: ``CodecError/Reason/missingTerminator``.
    public mutating func readTerminatedBytes() throws(CodecError) -> [UInt8] {
        let bytes = try readBytes(byteCount: byteCountToTerminator())
        position += 1
        return bytes
    }

    /// Reads bytes and copies them into an array.
    ///
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)``, before anything is allocated.
    public mutating func readBytes(byteCount: Int) throws(CodecError) -> [UInt8] {
        [UInt8](copying: try readSlice(byteCount: byteCount))
    }

    /// Reads all bytes after the last field that the schema knows; usually there are none.
    @inlinable @inline(__always)
    public mutating func readTrailingBytes() -> [UInt8] {
        isAtEnd ? [] : readSomeTrailingBytes()
    }

    @usableFromInline @inline(never)
    mutating func readSomeTrailingBytes() -> [UInt8] {
        [UInt8](copying: readRest())
    }

    /// Returns the number of bytes before the next NUL.
    ///
    /// - Throws: ``CodecError/Reason/missingTerminator``.
    public func byteCountToTerminator() throws(CodecError) -> Int {
        for index in position..<end where bytes[index] == 0 { return index - position }
        throw error(.missingTerminator)
    }
}

extension RawSpan {
    /// Checks the bounds.
    @inlinable @inline(__always)
    subscript(offset: Int) -> UInt8 {
        // SAFETY: any bits are a valid byte; the load checks its bounds.
        unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }
}

extension [UInt8] {
    /// Makes an array that is a copy of the bytes, with one allocation.
    public init(copying bytes: RawSpan) {
        // SAFETY: the buffer is copied before it ends.
        self = unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
    }
}
