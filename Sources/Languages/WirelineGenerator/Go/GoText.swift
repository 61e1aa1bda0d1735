// SPDX-License-Identifier: Apache-2.0

import WirelineSwiftGenerator

/// Converts text of any origin into text that is safe inside Go source.
enum GoText {
    /// Returns a string literal in ASCII.
    static func string(_ text: String) -> String {
        LiteralText.quoted(text) {
            $0 < 0x1_0000 ? "\\u" + LiteralText.digits($0, 4) : "\\U" + LiteralText.digits($0, 8)
        }
    }

    static func string(_ bytes: [UInt8]) -> String { "\"\(LiteralText.escapes(bytes))\"" }

    /// Returns lines of comments; empty for an empty text.
    ///
    /// The space after the mark keeps lines from being directives such as `//go:build` or `//line`. A deprecation
    /// becomes a paragraph that Go's tools recognize.
    static func comment(_ text: String, _ deprecation: String? = nil) -> [String] {
        var lines = CommentText.lines(of: text).map(inert)
        if let deprecation {
            let reason = "Deprecated: " + CommentText.lines(of: deprecation).joined(separator: " ")
            lines += (lines.isEmpty ? [] : [""]) + [reason]
        }
        return lines.map { $0.isEmpty ? "//" : "// " + $0 }
    }

    /// Returns a line that no tool reads as a directive: `+build` is one even after a space.
    private static func inert(_ line: String) -> String {
        let text = line.drop { $0 == " " }
        return text.hasPrefix("+build") || text.hasPrefix("Deprecated:") ? "- " + line : line
    }

    /// Returns a float. Functions such as `math.NaN` return 64 bits.
    static func float(_ value: Double, byteCount: Int = 8) -> String {
        let function =
            value.isNaN
            ? "math.NaN()"
            : value.isInfinite
                ? "math.Inf(\(value < 0 ? -1 : 1))"
                : value == 0 && value.sign == .minus ? "math.Copysign(0, -1)" : nil
        return function.map { byteCount == 4 ? "float32(\($0))" : $0 } ?? "\(value)"
    }

    static func indented(_ lines: [String]) -> [String] { lines.map { $0.isEmpty ? "" : "\t" + $0 } }

    /// Returns a function, or another statement with a block.
    static func block(_ head: String, _ lines: [String], _ end: String = "}") -> [String] {
        [head + " {"] + indented(lines) + [end]
    }

    /// Returns lines in columns, as `gofmt` aligns them: rows without a comment between them are one table.
    ///
    /// - Parameter rows: The comment before each row, and its cells.
    static func table(_ rows: [(comment: [String], cells: [String])]) -> [String] {
        var lines: [String] = []
        var open: [[String]] = []
        func close() {
            let count = open.map(\.count).max() ?? 0
            let widths = (0..<count).map { column in
                open.map { $0.count > column + 1 ? $0[column].unicodeScalars.count : 0 }.max() ?? 0
            }
            for cells in open {
                let padded = cells.dropLast().enumerated().map { column, cell in
                    cell + String(repeating: " ", count: widths[column] - cell.unicodeScalars.count + 1)
                }
                lines.append(padded.joined() + (cells.last ?? ""))
            }
            open = []
        }
        for row in rows {
            if !row.comment.isEmpty { close() }
            lines += row.comment
            open.append(row.cells)
        }
        close()
        return lines
    }
}
