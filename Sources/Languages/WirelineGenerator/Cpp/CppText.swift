// SPDX-License-Identifier: Apache-2.0

import WirelineSwiftGenerator

/// Converts text of any origin into text that is safe inside C++ source.
enum CppText {
    /// Returns a string literal in ASCII with the UTF-8 bytes of a text.
    static func string(_ text: String) -> String { string(Array(text.utf8)) }

    /// Returns a string literal of bytes. Octal escapes end after three digits.
    static func string(_ bytes: [UInt8]) -> String {
        // Two question marks begin a trigraph of older compilers.
        LiteralText.quoted(bytes) { "\\" + LiteralText.digits($0, 3, radix: 8) }.replacing("?", with: "\\?")
    }

    static func float(_ number: Double, byteCount: Int) -> String {
        let type = byteCount == 4 ? "float" : "double"
        if number.isNaN { return "std::numeric_limits<\(type)>::quiet_NaN()" }
        if number.isInfinite { return "\(number < 0 ? "-" : "")std::numeric_limits<\(type)>::infinity()" }
        return byteCount == 4 ? "\(Float(number))F" : "\(number)"
    }

    /// Returns a documentation comment, with a line for a deprecation; empty for an empty text.
    static func comment(_ text: String, _ deprecation: String? = nil, indent: String = "") -> [String] {
        let reason = deprecation.map {
            "Deprecated: " + CommentText.lines(of: $0).joined(separator: " ")
        }
        return (CommentText.lines(of: text) + [reason].compactMap(\.self)).map {
            indent + ($0.isEmpty ? "///" : "/// " + inert($0))
        }
    }

    /// Returns a line that does not continue in the next one, as a line with a backslash at its end would.
    static func inert(_ line: String) -> String {
        let end = line.reversed().drop(while: \.isWhitespace)
        return end.first == "\\" || end.starts(with: "/??") ? line + " ." : line
    }

    static func indented(_ lines: [String]) -> [String] { lines.map { $0.isEmpty ? "" : "    " + $0 } }

    static func block(_ head: String, _ lines: [String], end: String = "}") -> [String] {
        lines.isEmpty ? [head + " {" + end] : [head + " {"] + indented(lines) + [end]
    }
}
