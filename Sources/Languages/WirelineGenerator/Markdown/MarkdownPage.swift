// SPDX-License-Identifier: Apache-2.0

struct MarkdownPage {
    private let document: Document
    /// Whether names link to the entries of the document.
    private let hasLinks: Bool

    init(_ document: Document, hasLinks: Bool = true) {
        self.document = document
        self.hasLinks = hasLinks
    }

    /// Returns blocks without a page around them.
    static func text(of blocks: [Document.Block]) -> String {
        let page = MarkdownPage(Document(title: "", introduction: blocks, sections: []), hasLinks: false)
        return blocks.map(page.text).filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    func text() -> String {
        var blocks = ["# " + MarkdownText.escaped(document.title)] + document.introduction.map(text)
        let links = document.sections.map { "[\(MarkdownText.escaped($0.title))](#\($0.anchor))" }
        if !links.isEmpty { blocks.append(links.joined(separator: " · ")) }
        for section in document.sections {
            blocks += ["<a id=\"\(section.anchor)\"></a>", "## " + MarkdownText.escaped(section.title)]
            blocks += section.blocks.map(text)
            for entry in section.entries {
                let title =
                    entry.isCode ? MarkdownText.code(entry.title, isInTable: false) : MarkdownText.escaped(entry.title)
                blocks += ["<a id=\"\(entry.anchor)\"></a>", "### " + title] + entry.blocks.map(text)
            }
        }
        return blocks.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    private func text(of block: Document.Block) -> String {
        switch block {
        case .line(let inlines): text(of: inlines, isInTable: false)
        case .comment(let paragraphs):
            paragraphs.map { lines in
                lines.map { text(of: $0, isInTable: false) }.joined(separator: "<br>\n")
            }.joined(separator: "\n\n")
        case .table(let table): text(of: table)
        case .drawing(_, let parts):
            MarkdownText.block(MarkdownDrawing.text(of: parts), language: "text").joined(separator: "\n")
        case .label(let text): MarkdownText.escaped(text) + ":"
        case .legend(let hasBits):
            "In drawings, parts with a broken line vary in length, and those in parentheses may be absent."
                + (hasBits ? " " + DocumentText.bitLegend : "")
        case .listing(let kind, let text):
            MarkdownText.block(text, language: kind == .json ? "json" : "text").joined(separator: "\n")
        }
    }

    private func text(of inlines: [Document.Inline], isInTable: Bool) -> String {
        joined(inlines).map { inline in
            switch inline {
            case .text(let text): MarkdownText.escaped(text)
            case .code(let text): MarkdownText.code(text, isInTable: isInTable)
            case .link(let text, let anchor): "[\(MarkdownText.code(text, isInTable: isInTable))](#\(anchor))"
            }
        }.joined()
    }

    /// Joins adjacent names: Markdown would read two code spans without space between them as one.
    private func joined(_ inlines: [Document.Inline]) -> [Document.Inline] {
        var result: [Document.Inline] = []
        for inline in inlines {
            var next = inline
            if case .link(let text, _) = inline, !hasLinks { next = .code(text) }
            if case .code(let text) = next, case .code(let last)? = result.last {
                result[result.count - 1] = .code(last + text)
            } else {
                result.append(next)
            }
        }
        return result
    }

    private func text(of table: Document.Table) -> String {
        let caption = table.caption.map { [MarkdownText.escaped($0), ""] } ?? []
        let head = "| " + table.columns.map(MarkdownText.escaped).joined(separator: " | ") + " |"
        let rule = "|" + String(repeating: " --- |", count: table.columns.count)
        let rows = table.rows.map { row in
            let cells = row.cells.map { lines in
                lines.map { text(of: $0.inlines, isInTable: true) }.joined(separator: "<br>")
            }
            return "| " + cells.joined(separator: " | ") + " |"
        }
        return (caption + [head, rule] + rows).joined(separator: "\n")
    }
}
