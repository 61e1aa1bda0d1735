// SPDX-License-Identifier: Apache-2.0

import WirelineSwiftGenerator

/// Converts text of any origin into text that is safe inside Python source.
enum PythonText {
    /// Returns a string literal in ASCII.
    static func string(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x22: result += "\\\""
            case 0x5C: result += "\\\\"
            case 0x20...0x7E: result.unicodeScalars.append(scalar)
            default: result += scalar.value < 0x1_0000 ? "\\u" + hex(scalar.value, 4) : "\\U" + hex(scalar.value, 8)
            }
        }
        return result + "\""
    }

    /// Returns a literal of bytes.
    static func bytes(_ bytes: [UInt8]) -> String {
        "b\"\(digits(bytes))\""
    }

    /// Returns bytes as escapes in a literal.
    static func digits(_ bytes: [UInt8]) -> String { bytes.map { "\\x" + hex(UInt32($0), 2) }.joined() }

    private static func hex(_ value: UInt32, _ count: Int) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: count - digits.count) + digits
    }

    /// Returns lines of comments; nothing for an empty text.
    static func comment(_ text: String, indent: String = "") -> [String] {
        CommentText.lines(of: text).map { indent + ($0.isEmpty ? "#" : "# " + $0) }
    }

    /// Returns a documentation string of some lines, in which nothing ends it; nothing without lines.
    static func documentation(_ lines: [String], indent: String = "    ") -> [String] {
        let escaped = lines.map { $0.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") }
        switch escaped.count {
        case 0: return []
        case 1: return ["\(indent)\"\"\"\(escaped[0])\"\"\""]
        default:
            return ["\(indent)\"\"\"\(escaped[0])"] + escaped.dropFirst().map { $0.isEmpty ? "" : indent + $0 }
                + ["\(indent)\"\"\""]
        }
    }

    /// Returns a float with its shortest digits.
    static func float(_ value: Double) -> String {
        if value.isNaN { return "float(\"nan\")" }
        if value.isInfinite { return value < 0 ? "float(\"-inf\")" : "float(\"inf\")" }
        return "\(value)"
    }

    /// Returns statements further to the right.
    static func indented(_ lines: [String], by count: Int = 4) -> [String] {
        let indent = String(repeating: " ", count: count)
        return lines.map { $0.isEmpty ? "" : indent + $0 }
    }

    /// Returns a function, or another statement with a block.
    static func block(_ head: String, _ lines: [String]) -> [String] {
        [head] + indented(lines.isEmpty ? ["pass"] : lines)
    }

    /// Returns a call in one line, or, if that is long, with a line for each argument.
    static func call(_ head: String, _ arguments: [String], _ tail: String) -> [String] {
        let line = head + arguments.joined(separator: ", ") + tail
        guard line.utf8.count > 110 else { return [line] }
        return [head] + arguments.map { "    \($0)," } + [tail]
    }

    /// Returns a tuple.
    static func tuple(_ items: [String]) -> String {
        items.count == 1 ? "(\(items[0]),)" : "(\(items.joined(separator: ", ")))"
    }
}
