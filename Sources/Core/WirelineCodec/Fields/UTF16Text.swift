// SPDX-License-Identifier: Apache-2.0

// Text in UTF-16, without a byte order mark: each unit has two bytes, in the byte order of its field.
//
//     +---------+---------+---------+---------+
//     | 004C  L | 0069  i | D83D    | DE00    |     "Li😀": four units; the last two are one character
//     +---------+---------+---------+---------+

extension ByteReader {
    /// Reads text of a known number of 16-bit units; nothing is repaired.
    ///
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)``, before anything is allocated;
    ///   ``CodecError/Reason/invalidUTF16`` at the first unit that is half of a surrogate pair without the other half.
    public mutating func readUTF16(unitCount: Int, _ byteOrder: ByteOrder) throws(CodecError) -> String {
        guard unitCount <= remaining / 2 else {
            throw truncated(unitCount.multipliedReportingOverflow(by: 2).partialValue)
        }
        let text = try String(utf16In: bytes, position..<position + 2 * unitCount, byteOrder)
        position += 2 * unitCount
        return text
    }

    /// Reads text up to a 16-bit unit of 0, which is skipped and not part of the text.
    ///
    /// - Throws: ``CodecError/Reason/missingTerminator``, ``CodecError/Reason/invalidUTF16``.
    public mutating func readTerminatedUTF16(_ byteOrder: ByteOrder) throws(CodecError) -> String {
        let text = try readUTF16(unitCount: unitCountToTerminator(), byteOrder)
        position += 2
        return text
    }

    /// Reads text up to the end of the bytes.
    ///
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)`` at the last byte if it is half of a unit;
    ///   ``CodecError/Reason/invalidUTF16``.
    public mutating func readRestOfUTF16(_ byteOrder: ByteOrder) throws(CodecError) -> String {
        guard remaining.isMultiple(of: 2) else {
            throw CodecError(.truncated(needed: 2, available: 1), offset: offset + remaining - 1)
        }
        return try readUTF16(unitCount: remaining / 2, byteOrder)
    }

    /// Reads text in `byteCount` bytes; see ``FixedRun/utf16(at:byteCount:padding:_:)``.
    ///
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)``, ``CodecError/Reason/invalidUTF16``.
    public mutating func readFixedUTF16(
        byteCount: Int, padding: UInt8, _ byteOrder: ByteOrder
    ) throws(CodecError) -> String {
        let start = position
        do throws(CodecError) {
            return try readRun(byteCount: byteCount).utf16(at: 0, byteCount: byteCount, padding: padding, byteOrder)
        } catch {
            position = start
            throw error
        }
    }

    /// Returns the number of 16-bit units before the next one of 0.
    ///
    /// - Throws: ``CodecError/Reason/missingTerminator``.
    public func unitCountToTerminator() throws(CodecError) -> Int {
        var place = position
        while place + 2 <= end {
            if bytes[place] == 0, bytes[place + 1] == 0 { return (place - position) / 2 }
            place += 2
        }
        throw error(.missingTerminator)
    }
}

extension FixedRun {
    /// Returns the text in `byteCount` bytes, an even number, at `offset`.
    ///
    /// `padding` is the unit that fills the rest. If it is 0, the text ends at the first unit of 0, and the units after
    /// that are ignored. Any other unit is taken off the end.
    ///
    /// - Throws: ``CodecError/Reason/invalidUTF16`` at the first unit that is half of a surrogate pair without the
    ///   other half.
    @inlinable @inline(__always)
    public func utf16(
        at offset: Int, byteCount: Int, padding: UInt8, _ byteOrder: ByteOrder
    ) throws(CodecError) -> String {
        precondition(offset >= 0 && byteCount >= 0 && offset <= self.byteCount &- byteCount, "a field outside the run")
        return try Self.utf16(in: bytes, at: start &+ offset, byteCount: byteCount, padding: padding, byteOrder)
    }

    @usableFromInline @inline(never)
    static func utf16(
        in bytes: RawSpan, at start: Int, byteCount: Int, padding: UInt8, _ byteOrder: ByteOrder
    ) throws(CodecError) -> String {
        var end = start
        if padding == 0 {
            while end < start + byteCount, bytes.unit(at: end, byteOrder) != 0 { end += 2 }
        } else {
            end = start + byteCount
            while end > start, bytes.unit(at: end - 2, byteOrder) == UInt16(padding) { end -= 2 }
        }
        return try String(utf16In: bytes, start..<end, byteOrder)
    }
}

extension ByteWriter {
    /// Writes the 16-bit units of a string, without a prefix.
    @inline(never)
    public mutating func writeUTF16(_ text: String, _ byteOrder: ByteOrder) {
        for scalar in text.unicodeScalars {
            let (first, second) = scalar.utf16Units
            writeInteger(first, byteOrder)
            if let second { writeInteger(second, byteOrder) }
        }
    }
}

extension MutableFixedRun {
    /// Sets `byteCount` bytes at `offset` to a text, which must fit, and to units of `padding` after it.
    public mutating func setUTF16(
        _ text: String, at offset: Int, byteCount: Int, padding: UInt8, _ byteOrder: ByteOrder
    ) {
        var position = offset
        for scalar in text.unicodeScalars {
            let (first, second) = scalar.utf16Units
            setInteger(first, at: position, byteOrder)
            position += 2
            guard let second else { continue }
            setInteger(second, at: position, byteOrder)
            position += 2
        }
        precondition(position <= offset + byteCount, "a text that is longer than its field")
        // The bytes of a run are 0 at first.
        guard padding != 0 else { return }
        while position < offset + byteCount {
            setInteger(UInt16(padding), at: position, byteOrder)
            position += 2
        }
    }
}

extension String {
    /// The number of 16-bit units in UTF-16.
    ///
    /// - Complexity: O(*n*) in the number of bytes.
    public var utf16UnitCount: Int {
        var count = 0
        // Each character has one byte that is no continuation; only one of four bytes has two units.
        for byte in utf8 where byte & 0xC0 != 0x80 { count += byte >= 0xF0 ? 2 : 1 }
        return count
    }

    package func isChanged(byUTF16Padding padding: UInt8) -> Bool {
        padding == 0 ? utf8.contains(0) : unicodeScalars.last?.value == UInt32(padding)
    }

    fileprivate init(utf16In bytes: RawSpan, _ range: Range<Int>, _ byteOrder: ByteOrder) throws(CodecError) {
        var utf8: [UInt8] = []
        utf8.reserveCapacity(range.count / 2)
        var position = range.lowerBound
        while position < range.upperBound {
            let unit = bytes.unit(at: position, byteOrder)
            var value = UInt32(unit)
            if unit & 0xF800 == 0xD800 {
                let next = position + 2 < range.upperBound ? bytes.unit(at: position + 2, byteOrder) : 0
                guard unit & 0xFC00 == 0xD800, next & 0xFC00 == 0xDC00 else {
                    throw CodecError(.invalidUTF16, offset: position)
                }
                value = 0x10000 + (value & 0x3FF) << 10 + UInt32(next & 0x3FF)
                position += 2
            }
            position += 2
            utf8.append(utf8Of: value)
        }
        self.init(decoding: utf8, as: UTF8.self)
    }
}

extension RawSpan {
    fileprivate func unit(at offset: Int, _ byteOrder: ByteOrder) -> UInt16 {
        let (first, second) = (UInt16(self[offset]), UInt16(self[offset + 1]))
        return byteOrder == .bigEndian ? first << 8 | second : second << 8 | first
    }
}

extension Unicode.Scalar {
    /// The second unit is nil for a character of the first 65,536.
    fileprivate var utf16Units: (UInt16, UInt16?) {
        guard value >= 0x10000 else { return (UInt16(truncatingIfNeeded: value), nil) }
        let rest = value - 0x10000
        return (
            0xD800 | UInt16(truncatingIfNeeded: rest >> 10), 0xDC00 | UInt16(truncatingIfNeeded: rest & 0x3FF)
        )
    }
}

extension [UInt8] {
    fileprivate mutating func append(utf8Of value: UInt32) {
        func byte(_ lead: UInt32, _ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: lead | value >> shift) }
        func continuation(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | value >> shift & 0x3F) }
        switch value {
        case 0..<0x80: append(byte(0, 0))
        case 0x80..<0x800:
            append(byte(0xC0, 6))
            append(continuation(0))
        case 0x800..<0x10000:
            append(byte(0xE0, 12))
            append(continuation(6))
            append(continuation(0))
        default:
            append(byte(0xF0, 18))
            append(continuation(12))
            append(continuation(6))
            append(continuation(0))
        }
    }
}
