// SPDX-License-Identifier: Apache-2.0

/// Turns text of any origin into text that is safe inside Swift source.
enum SwiftText {
    /// A text's lines, as they can stand behind `///`, without empty ones at the ends.
    ///
    /// Everything that Swift or an editor may take for the end of a line ends one; what is invisible, or reorders what
    /// is seen, is left out.
    static func lines(of text: String) -> [String] {
        var lines = [""]
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            if isNewline(scalar) {
                if previous != "\r" || scalar != "\n" { lines.append("") }
            } else if scalar == "\t" {
                lines[lines.count - 1] += "    "
            } else if !isUnsafe(scalar) {
                lines[lines.count - 1].unicodeScalars.append(scalar)
            }
            previous = scalar
        }
        let trimmed = lines.map { String($0.reversed().drop { $0 == " " }.reversed()) }
        guard let first = trimmed.firstIndex(where: { !$0.isEmpty }),
            let last = trimmed.lastIndex(where: { !$0.isEmpty })
        else { return [] }
        return Array(trimmed[first...last])
    }

    /// A string literal.
    static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case _ where isNewline(scalar) || isUnsafe(scalar):
                literal += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }

    /// Digits in groups of three where there are many.
    static func number(_ value: some BinaryInteger) -> String {
        let digits = String(value.magnitude)
        guard digits.count > 4 else { return value < 0 ? "-" + digits : digits }
        var grouped = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { grouped += "_" }
            grouped.append(digit)
        }
        return value < 0 ? "-" + grouped : grouped
    }

    private static func isNewline(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Control characters, and format characters that hide or reorder text.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB: true
        case 0xE0000...0xE007F: true
        default:
            switch scalar.properties.generalCategory {
            case .control, .unassigned, .privateUse, .surrogate: true
            default: false
            }
        }
    }
}
