// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSwiftGenerator

/// Converts values and text of any origin into text that is safe inside Lua source.
enum LuaText {
    /// Returns a string literal on one line, whatever the text contains.
    static func literal(_ text: String) -> String {
        LiteralText.quoted(text) { value in
            let text = Unicode.Scalar(value).map { String($0) } ?? ""
            return text.unicodeScalars.allSatisfy(isPlain) ? text : escapes(Array(text.utf8))
        }
    }

    static func literal(_ bytes: [UInt8]) -> String { "\"\(escapes(bytes))\"" }

    /// Returns escapes of three digits each, so that a following digit is not read as a part of one.
    private static func escapes(_ bytes: [UInt8]) -> String {
        bytes.map { "\\" + LiteralText.digits($0, 3, radix: 10) }.joined()
    }

    /// Returns a text of several lines as a literal on one line; nil for an empty text.
    static func literal(documentation text: String) -> String? {
        let lines = CommentText.lines(of: text)
        return lines.isEmpty ? nil : literal(lines.filter { !$0.isEmpty }.joined(separator: " "))
    }

    /// Returns an integer as two numbers: `{ high, low }`.
    static func integer(_ value: Int128) -> String { "{ \(value >> 32), \(value & 0xFFFF_FFFF) }" }

    /// Returns a finite float with its shortest digits.
    static func float(_ value: Double) -> String { value.description }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x80 else { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: return false
        default: return true
        }
    }
}

extension LuaText {
    /// The words that cannot be names; `goto` is one since Lua 5.2.
    static let words: Set<String> = [
        "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local", "nil",
        "not", "or", "repeat", "return", "then", "true", "until", "while",
    ]

    /// Returns a member of a table, whatever its name: `.SceneId`, or `["end"]`.
    static func member(_ name: String) -> String { isName(name) ? "." + name : "[\(literal(name))]" }

    /// Returns a key in a table constructor: `SceneId`, or `["end"]`.
    static func key(_ name: String) -> String { isName(name) ? name : "[\(literal(name))]" }

    private static func isName(_ name: String) -> Bool {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return isPlain && name.first?.isNumber == false && !words.contains(name)
    }

    static func table(_ items: [String]) -> String { items.isEmpty ? "{}" : "{ \(items.joined(separator: ", ")) }" }

    /// Returns a number. Beyond 53 bits, the runtime chooses a form that the interpreter can hold.
    static func number(_ value: Int128) -> String {
        guard (value...value).isWide else { return String(value) }
        let bits = value < 0 ? value + (1 << 64) : value
        return "\(value < 0 ? "signed" : "unsigned")(\(bits >> 32), \(bits & 0xFFFF_FFFF))"
    }

    /// Returns a float with its shortest digits.
    static func anyFloat(_ value: Double) -> String {
        if value.isNaN { return "0 / 0" }
        if value.isInfinite { return value < 0 ? "-huge" : "huge" }
        // Lua 5.1 keeps one constant for both zeros of a function.
        if value == 0, value.sign == .minus { return "-1 / huge" }
        return float(value)
    }

    /// Returns comments of one line each; none for an empty text.
    static func comment(_ text: String) -> [String] {
        // A comment of several lines would begin with a bracket.
        CommentText.lines(of: text).map { $0.isEmpty ? "--" : "-- \($0)" }
    }

    static func indented(_ lines: [String], by count: Int = 2) -> [String] {
        let indent = String(repeating: " ", count: count)
        return lines.map { $0.isEmpty ? "" : indent + $0 }
    }
}
