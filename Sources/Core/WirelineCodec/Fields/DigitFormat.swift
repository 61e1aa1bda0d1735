// SPDX-License-Identifier: Apache-2.0

/// How a text of digits is written, one digit in each half of a byte: `bcd[6]`.
///
/// The language, the codecs and the generators ask it for everything that differs between notations.
@frozen
public struct DigitFormat: Hashable, Sendable {
    /// The meaning of half of a byte.
    public let notation: Notation
    /// The number of bytes, which hold twice as many digits.
    public let byteCount: Int

    /// Makes the format of `2 * byteCount` digits.
    public init(_ notation: Notation, byteCount: Int) {
        self.notation = notation
        self.byteCount = byteCount
    }

    /// The meaning of half of a byte; the raw value is the type's name in the schema language.
    @frozen
    public enum Notation: String, CaseIterable, Sendable {
        /// A decimal digit (packed BCD), the first of two in the high half.
        case bcd

        /// The number of different digits, the word for them in names of functions, their name in documents, and a line
        /// about the values on the wire.
        private var row: (radix: Int, word: String, noun: String, summary: String) {
            switch self {
            case .bcd:
                (
                    10, "digits", "decimal digits",
                    "Decimal digits, two in each of so many bytes, the first in the high half."
                )
            }
        }

        package var radix: Int { row.radix }
        package var word: String { row.word }
        package var upperWord: String { word.prefix(1).uppercased() + word.dropFirst() }
        package var noun: String { row.noun }
        package var summary: String { row.summary }

        /// The first character that is no digit.
        package var noDigit: String { String(radix, radix: 36) }
    }

    /// The type in the schema language: `bcd[6]`.
    package var name: String { "\(notation.rawValue)[\(byteCount)]" }

    /// The number of digits; each is one byte of text.
    package var digitCount: Int { 2 * byteCount }

    package var zero: String { text { _ in 0 } }

    /// - Parameter digit: Returns the value of the digit in each place.
    package func text(_ digit: (_ place: Int) -> Int) -> String {
        (0..<digitCount).map { String(digit($0), radix: notation.radix) }.joined()
    }

    /// Throws as ``ByteReader/readDigits(byteCount:)``.
    package func read(from reader: inout ByteReader) throws(CodecError) -> String {
        switch notation {
        case .bcd: try reader.readDigits(byteCount: byteCount)
        }
    }

    /// Throws as ``FixedRun/requireDigits(_:at:)``.
    func require(_ text: String, in run: FixedRun) throws(CodecError) {
        switch notation {
        case .bcd: try run.requireDigits(text, at: 0)
        }
    }

    package func fault(of text: [UInt8]) -> CodecError.Reason? { fault(in: text) }

    func fault(in text: some Collection<UInt8>) -> CodecError.Reason? {
        switch notation {
        case .bcd: text.digitsFault(count: digitCount)
        }
    }

    package func write(_ text: [UInt8], to writer: inout ByteWriter) {
        var run = writer.writeRun(byteCount: byteCount)
        set(text, in: &run)
    }

    func set(_ text: some Sequence<UInt8>, in run: inout MutableFixedRun) {
        switch notation {
        case .bcd: run.setDigits(text, at: 0)
        }
    }
}

// MARK: Packed BCD

//     +----+----+----+----+
//     | d0 | d1 | d2 | d3 |  …
//     +----+----+----+----+
//      byte 0    byte 1

extension FixedRun {
    /// Returns the decimal digits in `byteCount` bytes at `offset`, the high half of each byte first.
    ///
    /// - Throws: ``CodecError/Reason/invalidDigit(_:)`` at the first byte with a half over 9.
    @inlinable @inline(__always)
    public func digits(at offset: Int, byteCount: Int) throws(CodecError) -> String {
        precondition(offset >= 0 && byteCount >= 0 && offset <= self.byteCount &- byteCount, "a field outside the run")
        return try Self.digits(in: bytes, at: start &+ offset, byteCount: byteCount)
    }

    /// Checks that decimal digits stand at `offset`, the high half of each byte first.
    ///
    /// - Parameters:
    ///   - digits: The digits; their number is even.
    ///   - offset: The offset of the field, which lies inside the run.
    /// - Throws: ``CodecError/Reason/wrongConstant(value:expected:)`` with the first byte that differs.
    func requireDigits(_ digits: String, at offset: Int) throws(CodecError) {
        var (position, high) = (start &+ offset, UInt8?.none)
        for digit in digits.utf8 {
            guard let first = high else {
                high = digit & 0xF
                continue
            }
            try Self.require(first << 4 | digit & 0xF, in: bytes, at: position)
            position += 1
            high = nil
        }
    }

    @usableFromInline @inline(never)
    static func digits(in bytes: RawSpan, at start: Int, byteCount: Int) throws(CodecError) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * byteCount)
        for position in start..<start + byteCount {
            let byte = bytes[position]
            guard byte >> 4 <= 9, byte & 0xF <= 9 else { throw CodecError(.invalidDigit(byte), offset: position) }
            text.append(UInt8(ascii: "0") + byte >> 4)
            text.append(UInt8(ascii: "0") + byte & 0xF)
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension ByteReader {
    /// Reads `2 * byteCount` decimal digits; see ``FixedRun/digits(at:byteCount:)``.
    ///
    /// - Throws: ``CodecError/Reason/truncated(needed:available:)``; ``CodecError/Reason/invalidDigit(_:)`` at the
    ///   first byte with a half over 9.
    public mutating func readDigits(byteCount: Int) throws(CodecError) -> String {
        let start = position
        do throws(CodecError) {
            return try readRun(byteCount: byteCount).digits(at: 0, byteCount: byteCount)
        } catch {
            position = start
            throw error
        }
    }
}

extension MutableFixedRun {
    /// Sets bytes at `offset` to decimal digits, two in each; their number must be even.
    public mutating func setDigits(_ digits: String, at offset: Int) { setDigits(digits.utf8, at: offset) }

    mutating func setDigits(_ digits: some Sequence<UInt8>, at offset: Int) {
        var (position, high) = (offset, UInt8?.none)
        for digit in digits {
            let value = digit & 0xF
            if let first = high {
                setInteger(first << 4 | value, at: position, .bigEndian)
                position += 1
                high = nil
            } else {
                high = value
            }
        }
    }
}

extension FieldCheck {
    /// Refuses a text that is not exactly `count` decimal digits.
    ///
    /// - Throws: ``CodecError/Reason/invalidDigit(_:)`` with the first byte that is none,
    ///   ``CodecError/Reason/wrongDigitCount(count:expected:)``.
    public static func digits(_ text: String, count: Int) throws(CodecError) {
        if let fault = text.utf8.digitsFault(count: count) { try fail(fault) }
    }
}

extension Collection<UInt8> {
    func digitsFault(count expected: Int) -> CodecError.Reason? {
        let zero = UInt8(ascii: "0")
        for byte in self where byte < zero || byte > zero + 9 { return .invalidDigit(byte) }
        return count == expected ? nil : .wrongDigitCount(count: count, expected: expected)
    }
}
