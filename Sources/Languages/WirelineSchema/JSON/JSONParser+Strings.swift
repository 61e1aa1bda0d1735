// SPDX-License-Identifier: Apache-2.0

extension JSONParser {
    /// Reads a string, from its first quote through its last (RFC 8259 §7).
    mutating func parseString() throws(JSONError) -> String {
        offset += 1
        let start = offset
        var text: [UInt8] = []
        var runStart = offset
        while true {
            guard let byte = peek() else { throw unexpected(.closingQuote) }
            switch byte {
            case UInt8(ascii: "\""):
                append(runStart..<offset, to: &text)
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw JSONError(.invalidUTF8, offset: firstInvalidOffset(in: start..<offset))
                }
                offset += 1
                return string
            case UInt8(ascii: "\\"):
                append(runStart..<offset, to: &text)
                try parseEscape(into: &text)
                runStart = offset
            case 0..<0x20:
                throw JSONError(.controlCharacter(byte), offset: offset)
            default:
                offset += 1
            }
        }
    }

    private mutating func parseEscape(into text: inout [UInt8]) throws(JSONError) {
        let start = offset
        offset += 1
        guard let letter = peek() else { throw unexpected(.escape) }
        offset += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try parseScalar(escapeStart: start)).utf8)
        default: throw JSONError(.invalidEscape(letter), offset: start)
        }
    }

    /// Reads the four digits after `\u`, and for a high surrogate the `\u` and four digits of its other half.
    private mutating func parseScalar(escapeStart start: Int) throws(JSONError) -> Character {
        let first = try parseCodeUnit()
        if let scalar = Unicode.Scalar(first) { return Character(scalar) }
        let isHigh = UTF16.isLeadSurrogate(first)
        guard isHigh, skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) else {
            throw JSONError(.loneSurrogate(first), offset: start)
        }
        let second = try parseCodeUnit()
        guard UTF16.isTrailSurrogate(second) else { throw JSONError(.loneSurrogate(first), offset: start) }
        let number = 0x1_0000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
        guard let scalar = Unicode.Scalar(number) else { throw JSONError(.loneSurrogate(first), offset: start) }
        return Character(scalar)
    }

    private mutating func parseCodeUnit() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = peek().flatMap(hexadecimalDigit) else { throw unexpected(.hexadecimalDigit) }
            unit = unit << 4 | UInt16(digit)
            offset += 1
        }
        return unit
    }

    /// Returns the offset at which a string stops being UTF-8.
    ///
    /// It is computed only for a string that is known to be invalid. Escapes are ASCII and change nothing.
    private func firstInvalidOffset(in range: Range<Int>) -> Int {
        var raw: [UInt8] = []
        append(range, to: &raw)
        var iterator = raw.makeIterator()
        var parser = Unicode.UTF8.ForwardParser()
        var position = range.lowerBound
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded): position += encoded.count
            case .error, .emptyInput: return position
            }
        }
    }
}

func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
