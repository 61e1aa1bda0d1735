// SPDX-License-Identifier: Apache-2.0

/// Draws bytes as ASCII art, as RFCs do.
///
///     0        4    6         7      11
///     +--------+----+---------+------+- - - - -+
///     | length | id | SceneId | Line | message |
///     | 4      | 2  | 1       | 4    | 2 + n   |
///     +--------+----+---------+------+- - - - -+
///
/// Parts of variable width have a dashed border. Parts that may be absent are in parentheses. A layer is a box around
/// the drawing of its content:
///
///     +=( zlib, if Version = zlib )=+
///     | 0                           |
///     | +- - - - -+                 |
///     | | payload |                 |
///     | | n       |                 |
///     | +- - - - -+                 |
///     +=============================+
enum MarkdownDrawing {
    private static let maximumWidth = 92

    static func text(of parts: [Document.Part]) -> String {
        lines(of: parts, within: maximumWidth).joined(separator: "\n")
    }

    private static func lines(of parts: [Document.Part], within width: Int) -> [String] {
        var lines: [String] = []
        var run: [Document.Part] = []
        for part in parts {
            guard let inside = part.inside else {
                run.append(part)
                continue
            }
            lines += rows(of: run, within: width)
            run = []
            lines += frame(part, around: Self.lines(of: inside, within: width - 4))
        }
        return lines + rows(of: run, within: width)
    }

    private static func frame(_ layer: Document.Part, around lines: [String]) -> [String] {
        let title = layer.mayBeAbsent ? "( \(layer.name) )" : " \(layer.name) "
        let width = max(lines.map(\.count).max() ?? 0, title.count + 2)
        let top = "+=" + title + String(repeating: "=", count: width + 1 - title.count) + "+"
        let bottom = "+" + String(repeating: "=", count: width + 2) + "+"
        return [top] + lines.map { "| \($0.padded(to: width)) |" } + [bottom]
    }

    private static func rows(of parts: [Document.Part], within maximumWidth: Int) -> [String] {
        var rows: [[Box]] = []
        var width = 0
        for box in parts.map(Box.init) {
            if rows.isEmpty || width + box.width + 1 > maximumWidth {
                rows.append([])
                width = 1
            }
            rows[rows.count - 1].append(box)
            width += box.width + 1
        }
        let lines = rows.flatMap { boxes in
            let border = boxes.map { "+" + $0.border }.joined() + "+"
            return [
                boxes.map { $0.offset.padded(to: $0.width + 1) }.joined(), border,
                boxes.map { "| " + $0.name.padded(to: $0.width - 1) }.joined() + "|",
                boxes.map { "| " + $0.byteCount.padded(to: $0.width - 1) }.joined() + "|", border,
            ]
        }
        return lines.map { String($0.reversed().drop { $0 == " " }.reversed()) }
    }

    private struct Box {
        let offset: String
        let name: String
        let byteCount: String
        let isBroken: Bool

        init(_ part: Document.Part) {
            offset = part.offsetText
            name = part.mayBeAbsent ? "(\(part.name))" : part.name
            byteCount = part.width
            isBroken = part.byteCount == nil
        }

        var width: Int {
            let width = max(offset.count - 1, name.count + 2, byteCount.count + 2)
            // A dashed line begins and ends with a dash.
            return isBroken ? width | 1 : width
        }

        var border: String {
            String((0..<width).map { isBroken && !$0.isMultiple(of: 2) ? " " : "-" })
        }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
