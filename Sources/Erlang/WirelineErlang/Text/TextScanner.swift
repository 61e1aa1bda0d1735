// SPDX-License-Identifier: Apache-2.0

/// Reads the words, numbers and quoted texts of Erlang's syntax.
struct TextScanner {
    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { offset == bytes.count }

    func fault(_ fault: ErlangTextFault) -> ErlangError { .invalidText(fault, offset: offset) }

    /// The next byte; it stays unread.
    func peek() throws(ErlangError) -> UInt8 {
        guard offset < bytes.count else { throw fault(.incomplete) }
        return bytes[offset]
    }

    /// Call this only after ``peek()`` has returned the byte.
    mutating func advance() { offset += 1 }

    /// Skips spaces, line ends and comments.
    mutating func skipSpace() {
        while offset < bytes.count {
            if bytes[offset] == UInt8(ascii: "%") {
                while offset < bytes.count, bytes[offset] != UInt8(ascii: "\n") { offset += 1 }
            } else if bytes[offset] > UInt8(ascii: " ") {
                return
            } else {
                offset += 1
            }
        }
    }

    /// Skips space and then this byte; false if another byte comes next.
    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        skipSpace()
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    /// Skips space and then this byte, or throws.
    mutating func expect(_ character: Unicode.Scalar) throws(ErlangError) {
        skipSpace()
        try expectDirectly(character)
    }

    /// Skips this byte, or throws. Space is not skipped.
    mutating func expectDirectly(_ character: Unicode.Scalar) throws(ErlangError) {
        guard try peek() == UInt8(ascii: character) else { throw fault(.unexpectedCharacter) }
        offset += 1
    }

    // MARK: Words

    /// False if a longer word begins with this one.
    func isAtWord(_ word: String) -> Bool {
        var ahead = self
        return ahead.word() == word
    }

    /// Reads the characters that an atom without quotes may have, also letters of Latin-1, as Erlang does.
    mutating func word() -> String {
        let start = offset
        while offset < bytes.count {
            if bytes[offset].isNameByte {
                offset += 1
            } else if offset + 1 < bytes.count, bytes[offset] == 0xC3, bytes[offset + 1] != 0x97,
                bytes[offset + 1] != 0xB7
            {
                // U+00C0 to U+00FF are the letters, but for the signs × and ÷.
                offset += 2
            } else {
                break
            }
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    // MARK: Characters

    /// Reads text up to the same quote that begins it.
    mutating func quoted() throws(ErlangError) -> String {
        let quote = Unicode.Scalar(try peek())
        offset += 1
        var text = String.UnicodeScalarView()
        while true {
            if try peek() == UInt8(ascii: quote) {
                offset += 1
                return String(text)
            }
            text.append(try character())
        }
    }

    /// Reads a character or an escape.
    mutating func character() throws(ErlangError) -> Unicode.Scalar {
        let first = try peek()
        if first == UInt8(ascii: "\\") {
            offset += 1
            return try escape()
        }
        return wholeCharacter(first)
    }

    /// Reads a character of UTF-8. It is never cut off, because a `String` has only whole ones.
    private mutating func wholeCharacter(_ first: UInt8) -> Unicode.Scalar {
        let byteCount = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        let text = String(decoding: bytes[offset..<offset + byteCount], as: UTF8.self)
        offset += byteCount
        return text.unicodeScalars.first ?? "\u{FFFD}"
    }

    /// Reads an escape after its backslash.
    private mutating func escape() throws(ErlangError) -> Unicode.Scalar {
        let start = offset - 1
        let first = try peek()
        switch first {
        case UInt8(ascii: "0")...UInt8(ascii: "7"): return try number(at: start, radix: 8, digitCount: 1...3)
        case UInt8(ascii: "x"):
            offset += 1
            guard skipDirectly("{") else { return try number(at: start, radix: 16, digitCount: 2...2) }
            let scalar = try number(at: start, radix: 16, digitCount: 1...6)
            try expectDirectly("}")
            return scalar
        case UInt8(ascii: "^"):
            offset += 1
            let letter = try peek()
            offset += 1
            guard 0x40..<0x80 ~= letter else { throw .invalidText(.escape, offset: start) }
            return Unicode.Scalar(letter & 31)
        default:
            let letter = wholeCharacter(first)
            return Self.escaped(letter) ?? letter
        }
    }

    private mutating func skipDirectly(_ character: Unicode.Scalar) -> Bool {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    private static func escaped(_ letter: Unicode.Scalar) -> Unicode.Scalar? {
        switch letter {
        case "b": "\u{8}"
        case "d": "\u{7F}"
        case "e": "\u{1B}"
        case "f": "\u{C}"
        case "n": "\n"
        case "r": "\r"
        case "s": " "
        case "t": "\t"
        case "v": "\u{B}"
        default: nil
        }
    }

    /// Reads the code point of a character.
    private mutating func number(
        at start: Int, radix: UInt32, digitCount: ClosedRange<Int>
    ) throws(ErlangError) -> Unicode.Scalar {
        var value: UInt32 = 0
        var count = 0
        while count < digitCount.upperBound, offset < bytes.count, let digit = Self.digit(bytes[offset]), digit < radix
        {
            value = value * radix + digit
            offset += 1
            count += 1
        }
        guard count >= digitCount.lowerBound, let scalar = Unicode.Scalar(value)
        else { throw .invalidText(.escape, offset: start) }
        return scalar
    }

    /// In any base up to 36; nil for other bytes.
    private static func digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A")) + 10
        default: nil
        }
    }

    // MARK: Numbers

    /// Reads decimal digits without a sign.
    mutating func digits() throws(ErlangError) -> UInt64 {
        let start = offset
        while offset < bytes.count, bytes[offset].isDigit { offset += 1 }
        guard let value = UInt64(String(decoding: bytes[start..<offset], as: UTF8.self))
        else { throw .invalidText(.number, offset: start) }
        return value
    }

    /// Reads an integer or a float, with an optional sign.
    ///
    /// - Parameter byteLimit: The most bytes of an integer.
    mutating func number(byteLimit: Int) throws(ErlangError) -> ErlangTerm {
        let start = offset
        let isNegative = bytes[offset] == UInt8(ascii: "-")
        if !bytes[offset].isDigit { offset += 1 }
        skipSpace()
        let first = offset
        let value = try integer(radix: 10, byteLimit: byteLimit)
        if offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "."), bytes[offset + 1].isDigit {
            return try float(from: first, isNegative: isNegative, start)
        }
        guard skipDirectly("#") else { return ErlangTerm(isNegative: isNegative, magnitude: value.magnitude) }
        let base = ErlangTerm(isNegative: false, magnitude: value.magnitude).integer(as: UInt32.self) ?? 0
        guard 2...36 ~= base else { throw .invalidText(.number, offset: start) }
        let digits = try integer(radix: base, byteLimit: byteLimit)
        return ErlangTerm(isNegative: isNegative, magnitude: digits.magnitude)
    }

    /// An underscore may stand between two digits.
    private mutating func integer(radix: UInt32, byteLimit: Int) throws(ErlangError) -> Limbs {
        let start = offset
        var limbs = Limbs()
        // Groups of digits that fit 32 bits are added at once, because each step walks through the whole number.
        var (part, factor): (UInt32, UInt32) = (0, 1)
        var isAfterDigit = false
        while offset < bytes.count {
            if bytes[offset] == UInt8(ascii: "_"), isAfterDigit, offset + 1 < bytes.count,
                let next = Self.digit(bytes[offset + 1]), next < radix
            {
                offset += 1
            }
            guard let digit = Self.digit(bytes[offset]), digit < radix else { break }
            (part, factor) = (part * radix + digit, factor * radix)
            if factor > UInt32.max / radix / radix {
                limbs.multiply(by: factor, adding: part)
                (part, factor) = (0, 1)
                guard limbs.byteCount <= byteLimit + 3 else { throw .integerTooLong(limit: byteLimit, offset: start) }
            }
            isAfterDigit = true
            offset += 1
        }
        guard isAfterDigit else { throw .invalidText(offset < bytes.count ? .number : .incomplete, offset: start) }
        limbs.multiply(by: factor, adding: part)
        return limbs
    }

    private mutating func float(from first: Int, isNegative: Bool, _ start: Int) throws(ErlangError) -> ErlangTerm {
        offset += 1
        skipDigits()
        if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            offset += 1
            if offset < bytes.count, bytes[offset] == UInt8(ascii: "-") || bytes[offset] == UInt8(ascii: "+") {
                offset += 1
            }
            guard offset < bytes.count, bytes[offset].isDigit else { throw .invalidText(.number, offset: start) }
            skipDigits()
        }
        let text = String(decoding: bytes[first..<offset].filter { $0 != UInt8(ascii: "_") }, as: UTF8.self)
        guard let value = Double(text), value.isFinite else { throw .invalidText(.number, offset: start) }
        return .float(isNegative ? -value : value)
    }

    private mutating func skipDigits() {
        while offset < bytes.count, bytes[offset].isDigit || bytes[offset] == UInt8(ascii: "_") { offset += 1 }
    }
}
