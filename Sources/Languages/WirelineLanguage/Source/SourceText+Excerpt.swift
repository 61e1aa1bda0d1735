// SPDX-License-Identifier: Apache-2.0

extension SourceText {
    private static let tabWidth = 4
    /// The longest line that is kept whole, in bytes.
    private static let wholeByteLimit = 240
    /// The bytes of a longer line that are kept before the marked text, and from its start on.
    ///
    /// A thousand diagnostics of one huge line must stay small.
    private static let leadingByteLimit = 80
    private static let trailingByteLimit = 120

    /// Returns the line that contains `start`, with marks below the cells of `start..<end`.
    func excerpt(from start: Int, to end: Int) -> SourceExcerpt {
        let line = lineRange(lineIndex(at: start))
        let marked = min(max(start, line.lowerBound), line.upperBound)
        let markedEnd = min(max(end, marked), line.upperBound)
        let shown = line.count <= Self.wholeByteLimit ? line : window(around: marked, in: line)
        var text = shown.lowerBound > line.lowerBound ? "…" : ""
        var column = text.count
        append(shown.lowerBound..<marked, to: &text, &column)
        let caretColumn = column
        append(marked..<min(markedEnd, shown.upperBound), to: &text, &column)
        let caretWidth = max(1, column - caretColumn)
        append(min(markedEnd, shown.upperBound)..<shown.upperBound, to: &text, &column)
        if shown.upperBound < line.upperBound { text += "…" }
        return SourceExcerpt(text: Self.withoutCommand(text), caretColumn: caretColumn, caretWidth: caretWidth)
    }

    /// Replaces the first colon of a line that GitHub's runner would read as a command, such as `::error::`.
    ///
    /// The runner reads the output of every step, and the schema may come from a stranger's pull request.
    private static func withoutCommand(_ text: String) -> String {
        let start = text.firstIndex { $0 != " " } ?? text.endIndex
        guard text[start...].hasPrefix("::") else { return text }
        return text[..<start] + "∶" + text[start...].dropFirst()
    }

    /// Returns the number of terminal cells from the start of the line to `offset`.
    func displayColumn(at offset: Int) -> Int {
        var text = ""
        var column = 0
        append(lineRange(lineIndex(at: offset)).clamped(to: 0..<offset), to: &text, &column)
        return column
    }

    private func append(_ range: Range<Int>, to text: inout String, _ column: inout Int) {
        guard !range.isEmpty else { return }
        for character in self.text(range) {
            if character == "\t" {
                let width = Self.tabWidth - column % Self.tabWidth
                text += String(repeating: " ", count: width)
                column += width
            } else {
                let shown = Character(String(String.UnicodeScalarView(character.unicodeScalars.map(\.printable))))
                text.append(shown)
                column += shown.displayWidth
            }
        }
    }

    private func window(around offset: Int, in line: Range<Int>) -> Range<Int> {
        let start = max(line.lowerBound, offset - Self.leadingByteLimit)
        let end = min(line.upperBound, offset + Self.trailingByteLimit)
        return scalarStart(atOrBefore: start, in: line)..<scalarStart(atOrBefore: end, in: line)
    }

    /// Moves back to a byte that starts a scalar, by at most 3 bytes.
    private func scalarStart(atOrBefore offset: Int, in line: Range<Int>) -> Int {
        var start = offset
        while start > line.lowerBound, start < line.upperBound, offset - start < 3, bytes[start] & 0xC0 == 0x80 {
            start -= 1
        }
        return start
    }
}
