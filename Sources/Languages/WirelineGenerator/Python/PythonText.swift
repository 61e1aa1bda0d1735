// SPDX-License-Identifier: Apache-2.0

import WirelineSwiftGenerator

/// Converts text of any origin into text that is safe inside Python source.
enum PythonText {
    /// Returns a string literal in ASCII.
    static func string(_ text: String) -> String { GoText.string(text) }

    static func bytes(_ bytes: [UInt8]) -> String { "b\"\(LiteralText.escapes(bytes))\"" }

    /// Returns a documentation string, escaped so that no line ends it; empty without lines.
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

    static func indented(_ lines: [String], by count: Int = 4) -> [String] {
        let indent = String(repeating: " ", count: count)
        return lines.map { $0.isEmpty ? "" : indent + $0 }
    }

    /// Returns a function, or another statement with a block.
    static func block(_ head: String, _ lines: [String]) -> [String] {
        [head] + indented(lines.isEmpty ? ["pass"] : lines)
    }

    /// Returns a call on one line, or with a line for each argument if it is long.
    static func call(_ head: String, _ arguments: [String], _ tail: String) -> [String] {
        let line = head + arguments.joined(separator: ", ") + tail
        guard line.utf8.count > 110 else { return [line] }
        return [head] + arguments.map { "    \($0)," } + [tail]
    }

    static func tuple(_ items: [String]) -> String {
        items.count == 1 ? "(\(items[0]),)" : "(\(items.joined(separator: ", ")))"
    }
}
