// SPDX-License-Identifier: Apache-2.0

/// Makes any text safe for a comment of a generated file.
package enum CommentText {
    /// Returns the lines of a text, without empty ones at both ends.
    ///
    /// A line ends at every character that some language or editor reads as a line end. Characters that are invisible
    /// or reorder text are removed.
    package static func lines(of text: String) -> [String] {
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

    package static func isNewline(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Whether it is a control character, or a format character that hides or reorders text.
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
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
