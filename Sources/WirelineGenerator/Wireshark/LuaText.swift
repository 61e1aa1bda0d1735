// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSwiftGenerator

/// Converts values and text of any origin into text that is safe inside Lua source.
enum LuaText {
    /// Returns a string literal on one line, whatever the text contains.
    static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case " "..."~": literal.unicodeScalars.append(scalar)
            case _ where isPlain(scalar): literal.unicodeScalars.append(scalar)
            default:
                // Three digits each, so that a following digit is not read as part of the escape.
                for byte in String(scalar).utf8 { literal += "\\" + String(1000 + Int(byte)).dropFirst() }
            }
        }
        return literal + "\""
    }

    /// Returns a literal of bytes.
    static func literal(_ bytes: [UInt8]) -> String {
        "\"" + bytes.map { "\\" + String(1000 + Int($0)).dropFirst() }.joined() + "\""
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
