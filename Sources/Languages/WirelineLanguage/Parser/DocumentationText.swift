// SPDX-License-Identifier: Apache-2.0

enum DocumentationText {
    /// Returns the comments' lines without comment marks, rulers and surrounding space.
    static func text(of comments: ArraySlice<Comment>, in source: SourceText) -> String {
        let lines = comments.flatMap { comment in
            let text = source.text(comment.range)
            return comment.isBlock ? blockLines(text) : [lineText(text)]
        }
        let stripped = withoutCommonIndentation(lines.map(strippingRulers))
        let kept = stripped.drop { $0.isEmpty }
        let end = kept.lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? kept.startIndex
        return kept[..<end].joined(separator: "\n")
    }

    private static func lineText(_ comment: String) -> Substring {
        let text = comment.drop { $0 == "/" }
        return text.first == "!" ? text.dropFirst() : text
    }

    /// Returns the lines of a block comment, without the ` * ` at the start of many.
    private static func blockLines(_ comment: String) -> [Substring] {
        let lines = comment.dropFirst(2).dropLast(2).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        return lines.enumerated().map { index, line in
            guard index > 0 else { return line.hasPrefix("* ") || line == "*" ? line.dropFirst() : line }
            let text = line.drop(while: \.isWhitespace)
            // A ruler of stars is removed later, with the other rulers.
            return text.first == "*" && !text.hasPrefix("**") ? text.dropFirst() : line
        }
    }

    // MARK: Rulers

    private static let rulerCharacters: Set<Character> = [
        "=", "-", "*", "#", "~", "+", "_", "/", "─", "━", "═", "—", "＝", "－", "＊",
    ]

    /// Removes `=====` from both ends: three of a kind are a ruler, and so are two if both ends have them.
    private static func strippingRulers(_ line: Substring) -> Substring {
        let indentation = line.prefix(while: \.isWhitespace)
        let text = trimmed(line)
        guard !text.isEmpty else { return "" }
        let leading = rulerCount(text)
        let trailing = rulerCount(text.reversed())
        guard leading >= 3 || trailing >= 3 || leading == 2 && trailing == 2 else { return indentation + text }
        if leading == text.count { return "" }
        var rest = text
        if leading >= 2 { rest = rest.dropFirst(leading) }
        if trailing >= 2 { rest = rest.dropLast(trailing) }
        return indentation + trimmed(rest)
    }

    private static func rulerCount(_ characters: some Sequence<Character>) -> Int {
        var first: Character?
        var count = 0
        for character in characters {
            guard rulerCharacters.contains(character), character == first ?? character else { break }
            first = character
            count += 1
        }
        return count
    }

    // MARK: Space

    private static func withoutCommonIndentation(_ lines: [Substring]) -> [Substring] {
        let widths = lines.filter { !$0.isEmpty }.map { $0.prefix(while: \.isWhitespace).count }
        let common = widths.min() ?? 0
        return lines.map { $0.dropFirst(common) }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
