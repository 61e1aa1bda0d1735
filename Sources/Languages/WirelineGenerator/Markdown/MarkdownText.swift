// SPDX-License-Identifier: Apache-2.0

/// Converts text of any origin into Markdown that shows it unchanged.
enum MarkdownText {
    /// Returns escaped text for a line or part of one, also in tables.
    static func escaped(_ text: String) -> String {
        var result = ""
        // Whether the text so far is all digits: with a `.` or `)` it would start a numbered list.
        var isNumber = true
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default:
                if needsEscape(scalar, after: previous, isNumber: isNumber && previous != nil) { result += "\\" }
                result.unicodeScalars.append(scalar)
            }
            isNumber = isNumber && ("0"..."9").contains(scalar)
            previous = scalar
        }
        return result
    }

    private static func needsEscape(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar?, isNumber: Bool) -> Bool {
        switch scalar {
        case "\\", "`", "*", "_", "[", "]", "|", "~", "$": true
        // At the start of a line these would begin a heading or a list.
        case "#", "+", "-", "=": previous == nil
        case ")": isNumber
        // `www.` and `https:` would begin a link.
        case ".": isNumber || previous == "w" || previous == "W"
        case ":": previous == "s" || previous == "S" || previous == "p" || previous == "P"
        default: false
        }
    }

    static func code(_ text: String, isInTable: Bool) -> String {
        let mark = String(repeating: "`", count: longestRun(of: "`", in: text) + 1)
        // Compares scalars: a combining character after a mark would make it another character.
        let (first, last) = (text.unicodeScalars.first, text.unicodeScalars.last)
        // Markdown removes one space at both ends if both are there.
        let needsSpace = first == "`" || last == "`" || first == " " && last == " "
        let space = needsSpace ? " " : ""
        var content = ""
        for scalar in text.unicodeScalars {
            if isInTable, scalar == "|" { content += "\\" }
            content.unicodeScalars.append(scalar)
        }
        return mark + space + content + space + mark
    }

    /// Returns a fenced block with the unchanged text.
    static func block(_ text: String, language: String) -> [String] {
        let fence = String(repeating: "`", count: max(3, longestRun(of: "`", in: text) + 1))
        return [fence + language, text, fence]
    }

    private static func longestRun(of scalar: Unicode.Scalar, in text: String) -> Int {
        var (longest, count) = (0, 0)
        for other in text.unicodeScalars {
            count = other == scalar ? count + 1 : 0
            longest = max(longest, count)
        }
        return longest
    }
}
