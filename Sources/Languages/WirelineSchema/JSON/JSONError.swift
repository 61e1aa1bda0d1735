// SPDX-License-Identifier: Apache-2.0

/// Why a text is not JSON.
public struct JSONError: Error, Equatable, Sendable {
    /// The fault.
    public let reason: Reason
    /// The offset, in bytes from the start of the text.
    public let offset: Int
    /// The member or item with the fault, or whose name is the fault: `items[1].count`; empty at the top.
    public let path: String

    init(_ reason: Reason, offset: Int, path: String = "") {
        self.reason = reason
        self.offset = offset
        self.path = path
    }

    /// Returns the same error with a name, or an index in brackets, before its path.
    package func prefixed(by name: String) -> JSONError {
        JSONError(reason, offset: offset, path: FieldPath.joining(name, path))
    }

    /// A fault of a text.
    @nonexhaustive
    public indirect enum Reason: Equatable, Sendable {
        /// A byte, or the end of the text (nil), instead of what was expected.
        case unexpected(UInt8?, expected: Expectation)
        /// The text begins with U+FEFF, which RFC 8259 §8.1 forbids to send.
        case byteOrderMark
        /// A number such as `007`.
        case leadingZero
        /// A byte below 0x20 inside a string.
        case controlCharacter(UInt8)
        /// A backslash before a character that does not form an escape.
        case invalidEscape(UInt8)
        /// `\uD800` to `\uDFFF` that is not half of a pair, and so is not a character and not valid UTF-8.
        case loneSurrogate(UInt16)
        /// A string that is not UTF-8; the offset is that of the first invalid byte.
        case invalidUTF8
        /// A name that occurs twice in one object.
        case duplicateKey(String)
        /// More than `limit` nested arrays and objects.
        case tooDeep(limit: Int)
    }

    /// The syntax that the parser expected at a place.
    @nonexhaustive
    public enum Expectation: Equatable, Sendable {
        case value, key, colon, commaOrBracket, commaOrBrace, digit, hexadecimalDigit, closingQuote, escape, endOfText
    }
}

extension JSONError: CustomStringConvertible {
    /// One readable line: the path, what is wrong, and where.
    public var description: String {
        (path.isEmpty ? "" : path + ": ") + reason.text + " at byte \(offset) of the JSON"
    }
}

extension JSONError.Reason {
    fileprivate var text: String {
        switch self {
        case .unexpected(nil, let expected):
            "the text ends where \(expected.text) was expected"
        case .unexpected(let byte?, let expected):
            "\(named(byte)) where \(expected.text) was expected"
        case .byteOrderMark:
            "a byte order mark"
        case .leadingZero:
            "a number that begins with a superfluous 0"
        case .controlCharacter(let byte):
            "the control character \(named(byte)), which is written as an escape,"
        case .invalidEscape(let byte):
            "a backslash before \(named(byte))"
        case .loneSurrogate(let unit):
            "\\u\(hexadecimal(unit, digitCount: 4)) is half of a pair without the other"
        case .invalidUTF8:
            "bytes that are not UTF-8"
        case .duplicateKey(let key):
            "the key \(FieldPath.quoted(key)) stands twice, again"
        case .tooDeep(let limit):
            "more than \(limit) arrays and objects in one another"
        }
    }

    private func named(_ byte: UInt8) -> String {
        (0x21...0x7E).contains(byte)
            ? "`\(Character(UnicodeScalar(byte)))`" : "0x\(hexadecimal(UInt16(byte), digitCount: 2))"
    }

    private func hexadecimal(_ number: UInt16, digitCount: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digitCount - digits.utf8.count)) + digits
    }
}

extension JSONError.Expectation {
    fileprivate var text: String {
        switch self {
        case .value: "a value"
        case .key: "a key in quotes"
        case .colon: "`:`"
        case .commaOrBracket: "`,` or `]`"
        case .commaOrBrace: "`,` or `}`"
        case .digit: "a digit"
        case .hexadecimalDigit: "a hexadecimal digit"
        case .closingQuote: "the quote that ends a string"
        case .escape: "the rest of an escape"
        case .endOfText: "the end of the text"
        }
    }
}
