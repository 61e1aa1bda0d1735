// SPDX-License-Identifier: Apache-2.0

/// Turns text of any origin into Markdown that shows it as it is.
enum MarkdownText {
    /// A line of text, or a part of one; in tables too.
    static func escaped(_ text: String) -> String {
        var result = ""
        // The text so far has digits alone, which would number a list.
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
        // At the start of a line they would begin a heading or a list.
        case "#", "+", "-", "=": previous == nil
        case ")": isNumber
        // `www.` would begin a link, and so would `https:`.
        case ".": isNumber || previous == "w" || previous == "W"
        case ":": previous == "s" || previous == "S" || previous == "p" || previous == "P"
        default: false
        }
    }

    /// A name or a value in the type of code.
    static func code(_ text: String, isInTable: Bool) -> String {
        let mark = String(repeating: "`", count: longestRun(of: "`", in: text) + 1)
        // Marks are scalars: with a combining one behind it each would be another character.
        let (first, last) = (text.unicodeScalars.first, text.unicodeScalars.last)
        // A space at each end is not shown where both are there.
        let needsSpace = first == "`" || last == "`" || first == " " && last == " "
        let space = needsSpace ? " " : ""
        var content = ""
        for scalar in text.unicodeScalars {
            if isInTable, scalar == "|" { content += "\\" }
            content.unicodeScalars.append(scalar)
        }
        return mark + space + content + space + mark
    }

    /// Lines of text as they are.
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
