// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Converts text of any origin into text that is safe inside Swift source.
enum SwiftText {
    /// Returns a string literal.
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

    /// Returns an `Int` as an expression that compiles on every platform.
    ///
    /// If the value does not fit into an `Int` of 32 bits, it is `Int.max` or `Int.min` there.
    static func int(_ value: Int) -> String {
        Int32(exactly: value) == nil ? "Swift::Int(clamping: \(value) as Swift::Int64)" : "\(value)"
    }

    /// Returns the limit of a count as an expression that compiles on every platform.
    ///
    /// - Parameters:
    ///   - maximum: The schema's limit, at most what an `Int` of 32 bits can hold; nil for none.
    ///   - format: The count's prefix.
    static func limit(_ maximum: Int?, _ format: CountFormat) -> String {
        let limit = min(maximum ?? .max, format.maximum)
        return Int32(exactly: limit) == nil ? "WirelineCodec::CountFormat.\(format.name).maximum" : "\(limit)"
    }

    /// Returns a number with digits in groups of three, if it has more than four digits.
    static func number(_ value: some BinaryInteger) -> String { GroupedDigits.text(of: value, separator: "_") }
}
