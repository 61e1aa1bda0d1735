// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Turns values and text of any origin into what is safe inside Lua source.
enum LuaText {
    /// A string literal in one line: whatever the text holds, it ends where it should.
    static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case " "..."~": literal.unicodeScalars.append(scalar)
            case _ where isPlain(scalar): literal.unicodeScalars.append(scalar)
            default:
                // Three digits each, so that a digit behind them is not taken for one of theirs.
                for byte in String(scalar).utf8 { literal += "\\" + String(1000 + Int(byte)).dropFirst() }
            }
        }
        return literal + "\""
    }

    /// A text of several lines as a literal of one; nil where there is none.
    static func literal(documentation text: String) -> String? {
        let lines = SwiftText.lines(of: text)
        return lines.isEmpty ? nil : literal(lines.filter { !$0.isEmpty }.joined(separator: " "))
    }

    /// An integer as two numbers: `{ high, low }`.
    static func integer(_ value: Int128) -> String { "{ \(value >> 32), \(value & 0xFFFF_FFFF) }" }

    /// A finite float: the shortest digits that are this number.
    static func float(_ value: Double) -> String { value.description }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x80 else { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: return false
        default: return true
        }
    }
}
