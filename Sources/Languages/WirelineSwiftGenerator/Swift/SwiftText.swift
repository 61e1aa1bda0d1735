// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Converts text of any origin into text that is safe inside Swift source.
enum SwiftText {
    static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case _ where CommentText.isNewline(scalar) || CommentText.isUnsafe(scalar):
                literal += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }

    static func literal(_ value: PacketHeader.FieldValue) -> String {
        switch value {
        case .integer(let number): String(number)
        case .text(let text): literal(text)
        case .bytes(let bytes): ".bytes([\(bytes.map { String($0) }.joined(separator: ", "))])"
        }
    }

    /// Returns an `Int` as an expression that compiles on every platform.
    ///
    /// If the value does not fit into an `Int` of 32 bits, it is `Int.max` or `Int.min` there.
    static func int(_ value: Int) -> String {
        Int32(exactly: value) == nil ? "Swift::Int(clamping: \(value) as Swift::Int64)" : "\(value)"
    }

    /// Returns the maximum of a count, as an expression that compiles on every platform.
    static func limit(_ count: PlannedCount) -> String {
        let isInt32 = Int32(exactly: count.maximum) != nil
        return isInt32 ? "\(count.maximum)" : "WirelineCodec::CountFormat.\(count.format.name).maximum"
    }

    /// Returns a number with digits in groups of three, if it has more than four digits.
    static func number(_ value: some BinaryInteger) -> String { GroupedDigits.text(of: value, separator: "_") }
}
