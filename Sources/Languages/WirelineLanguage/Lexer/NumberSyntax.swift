// SPDX-License-Identifier: Apache-2.0

struct NumberSyntax {
    var span: SourceSpan
    var value: Value

    enum Value: Equatable {
        case integer(Int128)
        case float(Double)
        /// The lexer has reported it.
        case faulty
    }

    /// The value of an integer; nil for fractions and faulty ones.
    var integer: Int128? {
        if case .integer(let value) = value { value } else { nil }
    }

    var isFaulty: Bool { value == .faulty }

    static func value(of text: String, isNegative: Bool) -> Value {
        if let magnitude = character(text) ?? integer(text) { return .integer(isNegative ? -magnitude : magnitude) }
        guard let magnitude = Double(text) else { return .faulty }
        return .float(isNegative ? -magnitude : magnitude)
    }

    /// Returns the fault of a number token; nil if it is valid.
    static func fault(in text: String) -> (message: String, help: String?)? {
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            guard text.utf8.dropFirst(2).allSatisfy(\.isHexadecimalDigit), text.utf8.count > 2 else {
                return ("\(text.quoted) is not a hexadecimal number", "digits `0` to `9` and `a` to `f` follow `0x`")
            }
        } else if text.utf8.allSatisfy(\.isDigit) {
            guard text == "0" || !text.hasPrefix("0") else {
                return ("\(text.quoted) starts with a zero", "numbers are decimal: leave leading zeros out")
            }
        } else {
            let isShort = text.utf8.count <= 64
            guard isShort, !text.utf8.contains(where: { $0 >= 0x80 }), let value = Double(text) else {
                return ("\(text.quoted) is not a number", "numbers are decimal, such as `20001`, or `0x` hexadecimal")
            }
            return value.isFinite ? nil : ("\(text.quoted) is too large", "a float goes to 1.8e308")
        }
        guard integer(text) == nil else { return nil }
        return ("\(text.quoted) is too large", "numbers go to \(UInt64.max), which is 0xFFFFFFFFFFFFFFFF")
    }

    /// Returns the ASCII code of a character in single quotes.
    private static func character(_ text: String) -> Int128? {
        let bytes = Array(text.utf8)
        return bytes.count == 3 && bytes[0] == UInt8(ascii: "'") ? Int128(bytes[1]) : nil
    }

    private static func integer(_ text: String) -> Int128? {
        let isHexadecimal = text.hasPrefix("0x") || text.hasPrefix("0X")
        let magnitude = isHexadecimal ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
        return magnitude.map { Int128($0) }
    }
}

extension UInt8 {
    fileprivate var isHexadecimalDigit: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20)
    }
}
