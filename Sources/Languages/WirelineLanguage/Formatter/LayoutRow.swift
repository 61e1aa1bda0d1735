// SPDX-License-Identifier: Apache-2.0

/// A line of a formatted file, or a few lines that belong together.
struct LayoutRow {
    var kind: Kind
    /// The indentation in spaces.
    var indentation = 0
    /// Adjacent rows of one section have their cells in columns; nil for a row without columns.
    var section: Section?
    /// The texts of the columns; without a section, one text, which may have several lines.
    var cells: [String] = []
    /// The comments after the code on its line.
    var trailing: [String] = []
    /// The comments below those, in the column of the last of them.
    var continuation: [String] = []

    enum Kind {
        case blank, comment, code
        /// A line that ends in `{`: no empty line follows it.
        case opening
    }

    /// The kind of row; only rows of the same kind share columns.
    enum Section {
        case field, packetField, state, content, enumerationCase, arm, option, constant, other
    }

    /// The longest first cell that makes its column wider; a row with a longer one is not aligned.
    static let firstCellLimit = 32
    /// The widest row that moves the comments of other rows.
    static let commentColumnLimit = 80
    static let commentGap = 2

    /// Returns the row without its comments, with its cells in columns of these widths.
    func code(_ widths: [Int]) -> String {
        guard kind != .blank else { return "" }
        var text = String(repeating: " ", count: indentation)
        let standsOut = cells[0].displayWidth > Self.firstCellLimit
        for (index, cell) in cells.enumerated() {
            text += cell
            guard index + 1 < cells.count else { break }
            let padding = standsOut ? 0 : widths[index] - cell.displayWidth
            // An empty column takes no space.
            if standsOut || widths[index] > 0 { text += String(repeating: " ", count: padding + 1) }
        }
        return text
    }
}

extension ArraySlice<LayoutRow> {
    /// Returns the rows as lines, with sections in columns.
    func text() -> String {
        var text = ""
        var rest = self
        while let first = rest.first {
            let section = first.section == nil ? rest.prefix(1) : rest.prefix { $0.isAligned(with: first) }
            text += section.sectionText()
            rest = rest.dropFirst(section.count)
        }
        return text
    }

    private func sectionText() -> String {
        let widths = columnWidths()
        let codes = map { $0.code(widths) }
        let commentColumn =
            zip(self, codes).filter { row, _ in !row.trailing.isEmpty }.map { _, code in code.lastLine.displayWidth }
            .filter { $0 <= LayoutRow.commentColumnLimit }.max() ?? 0
        return zip(self, codes).map { $0.text(code: $1, commentColumn: commentColumn) }.joined()
    }

    /// Returns the column widths: the widest cell of each that has another cell after it.
    private func columnWidths() -> [Int] {
        var widths: [Int] = []
        for row in self where row.cells.count > 1 && row.cells[0].displayWidth <= LayoutRow.firstCellLimit {
            for (index, cell) in row.cells.dropLast().enumerated() {
                if index == widths.count { widths.append(0) }
                widths[index] = Swift.max(widths[index], cell.displayWidth)
            }
        }
        return widths
    }
}

extension LayoutRow {
    fileprivate func isAligned(with first: LayoutRow) -> Bool {
        kind == first.kind && section == first.section && indentation == first.indentation
    }

    fileprivate func text(code: String, commentColumn: Int) -> String {
        guard let last = trailing.last else { return code + "\n" }
        let gap = max(0, commentColumn - code.lastLine.displayWidth) + Self.commentGap
        var text = code + String(repeating: " ", count: gap)
        text += trailing.dropLast().map { $0 + " " }.joined()
        let column = String(repeating: " ", count: text.lastLine.displayWidth)
        text += last
        for comment in continuation { text += "\n" + column + comment }
        return text + "\n"
    }
}

extension String {
    /// The number of terminal cells of a line, counted as for diagnostics and for continued comments.
    var displayWidth: Int {
        let source = SourceText(SourceFile(path: "", bytes: Array(utf8)))
        return source.displayColumn(at: source.bytes.count)
    }

    /// The text after the last newline.
    var lastLine: String {
        utf8.lastIndex(of: .lineFeed).map { String(self[utf8.index(after: $0)...]) } ?? self
    }
}
