// SPDX-License-Identifier: Apache-2.0

/// A document as HTML that is also well-formed XML.
struct HTMLPage {
    private let document: Document
    private let tool: HTMLTool

    init(_ document: Document, _ tool: HTMLTool) {
        self.document = document
        self.tool = tool
    }

    func text() -> String {
        var lines = head()
        lines += introduction()
        for section in document.sections { lines += text(of: section) }
        lines += ["</main>", "<script>\n\(HTMLScript.text)</script>"] + tool.scripts.map(\.element)
        lines += ["</body>", "</html>", ""]
        return lines.joined(separator: "\n")
    }

    // MARK: The page

    private func head() -> [String] {
        let title = HTMLText.escaped(document.title)
        let scripts = (["'\(HTMLScript.digest)'"] + tool.scripts.map(\.source)).joined(separator: " ")
        let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src \(scripts); img-src data:"
        let links = document.sections.map { section in
            "<a href=\"#\(section.anchor)\">\(HTMLText.escaped(section.title))</a>"
        }
        return [
            "<!DOCTYPE html>",
            "<html lang=\"en\">",
            "<head>",
            "<meta charset=\"utf-8\"/>",
            "<meta http-equiv=\"Content-Security-Policy\" content=\"\(HTMLText.escaped(policy))\"/>",
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>",
            "<meta name=\"color-scheme\" content=\"light dark\"/>",
            "<meta name=\"generator\" content=\"Wireline\"/>",
            "<title>\(title)</title>",
            "<link rel=\"icon\" href=\"data:,\"/>",
            "<style>\n\(RuntimeFile.pageStyle.text("style"))\n</style>",
            "</head>",
            "<body>",
            "<a class=\"skip\" href=\"#content\">Skip to the content</a>",
            "<header><h1>\(title)</h1></header>",
            "<div class=\"bar\">",
            "<form id=\"search\" role=\"search\" hidden=\"\">",
            "<label for=\"query\">Search</label>",
            "<input id=\"query\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\""
                + " placeholder=\"name, ID, field or comment\" aria-describedby=\"found\"/>",
            "<output id=\"found\" for=\"query\" role=\"status\"></output>",
            "</form>",
            "<nav aria-label=\"Sections\">\(links.joined(separator: "\n"))</nav>",
            "</div>",
            "<main id=\"content\">",
        ]
    }

    private func introduction() -> [String] {
        ["<section id=\"introduction\">"] + document.introduction.map(text) + tool.text + ["</section>"]
    }

    private func text(of section: Document.Section) -> [String] {
        ["<section id=\"\(section.anchor)\">", "<h2>\(HTMLText.escaped(section.title))</h2>"]
            + section.blocks.map(text) + section.entries.map(text) + ["</section>"]
    }

    private func text(of entry: Document.Entry) -> String {
        let title = HTMLText.escaped(entry.title)
        let number = entry.number.map { " data-number=\"\($0)\"" } ?? ""
        let name = entry.isCode ? "<code>\(title)</code>" : title
        let lines =
            [
                "<article id=\"\(entry.anchor)\" data-entry=\"\"\(number)>",
                "<h3><a class=\"word\" href=\"#\(entry.anchor)\">\(name)</a></h3>",
            ] + entry.blocks.map(text) + ["</article>"]
        return lines.joined(separator: "\n")
    }

    // MARK: Blocks

    private func text(of block: Document.Block) -> String {
        switch block {
        case .line(let inlines): "<p class=\"line\">\(text(of: inlines))</p>"
        case .comment(let paragraphs):
            paragraphs.map { lines in
                "<p class=\"word\">" + lines.map(text).joined(separator: "<br/>") + "</p>"
            }.joined(separator: "\n")
        case .table(let table): text(of: table)
        case .drawing(let label, let parts): text(of: parts, label)
        case .label(let text): "<h4>\(HTMLText.escaped(text))</h4>"
        case .legend(let hasBits):
            "<p class=\"line\">In drawings, grey parts belong to header and trailer, hatched ones vary in length, and dashed"
                + " ones may be absent.\(hasBits ? " " + DocumentText.bitLegend : "")</p>"
        case .listing(let kind, let text): self.text(of: text, kind)
        }
    }

    private func text(of listing: String, _ kind: Document.Listing) -> String {
        // Columns do not wrap. Readers without a mouse must be able to scroll them.
        let attribute = kind == .columns ? " tabindex=\"0\"" : ""
        return "<pre class=\"\(kind.rawValue)\"\(attribute)>\(HTMLText.escaped(listing))</pre>"
    }

    private func text(of inlines: [Document.Inline]) -> String {
        inlines.map { inline in
            switch inline {
            case .text(let text): HTMLText.escaped(text)
            case .code(let text): "<code>\(HTMLText.escaped(text))</code>"
            case .link(let text, let anchor): "<a href=\"#\(anchor)\"><code>\(HTMLText.escaped(text))</code></a>"
            }
        }.joined()
    }

    private func text(of parts: [Document.Part], _ label: String) -> String {
        "<ol class=\"bytes\" aria-label=\"\(HTMLText.escaped(label))\">\(items(for: parts))</ol>"
    }

    /// Returns the items of a drawing; a layer is a box around a list of its own.
    private func items(for parts: [Document.Part]) -> String {
        let items = parts.map { part in
            if let inside = part.inside {
                let absent = part.mayBeAbsent ? " absent" : ""
                return "<li class=\"layer\(absent)\"><b>\(HTMLText.escaped(part.name))</b>"
                    + "<ol class=\"bytes\">\(self.items(for: inside))</ol></li>"
            }
            var classes = [part.byteCount.map { "b\(min($0, 8))" } ?? "varies"]
            if part.kind == .envelope { classes.append("envelope") }
            if part.mayBeAbsent { classes.append("absent") }
            return
                "<li class=\"\(classes.joined(separator: " "))\"><i>\(part.offsetText)</i> <b>\(HTMLText.escaped(part.name))</b>"
                + " <span>\(HTMLText.escaped(part.width))</span></li>"
        }
        return items.joined()
    }

    private func text(of table: Document.Table) -> String {
        var lines = ["<table class=\"\(table.shape.rawValue)\">"]
        if let caption = table.caption { lines.append("<caption>\(HTMLText.escaped(caption))</caption>") }
        let columns = table.columns.map { "<th scope=\"col\">\(HTMLText.escaped($0))</th>" }
        lines.append("<thead><tr>\(columns.joined())</tr></thead>")
        lines.append("<tbody>")
        lines += table.rows.map(text)
        lines.append("</tbody></table>")
        return lines.joined(separator: "\n")
    }

    private func text(of row: Document.Row) -> String {
        var tag = "<tr"
        if let anchor = row.anchor { tag += " id=\"\(anchor)\"" }
        if let entry = row.entry { tag += " data-for=\"\(entry)\"" }
        if row.isEntry { tag += " data-entry=\"\"" }
        if let number = row.number { tag += " data-number=\"\(number)\"" }
        let cells = row.cells.map { lines in
            "<td>" + lines.map(text).joined(separator: "<br/>") + "</td>"
        }
        return tag + ">" + cells.joined() + "</tr>"
    }

    private func text(of line: Document.CellLine) -> String {
        let text = text(of: line.inlines)
        return switch line.role {
        case .plain: text
        case .name, .comment: "<span class=\"word\">\(text)</span>"
        case .note: "<small>\(text)</small>"
        }
    }
}
