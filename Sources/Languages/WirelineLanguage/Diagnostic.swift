// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// One problem in a schema: its place, what is wrong and, if known, what to do.
///
/// ``rendered()`` gives the form that people and editors read; the parts allow other forms.
public struct Diagnostic: Equatable, Sendable {
    /// Whether the schema can still be used.
    public var severity: Severity
    /// The start of the marked text.
    public var location: SourceLocation
    /// The place of the first byte after the marked text; ``location`` itself at the end of a file.
    public var endLocation: SourceLocation
    /// The number of marked UTF-8 bytes, from ``location`` on; 0 at the end of a file.
    public var byteCount: Int
    /// The problem: lower case, no full stop, code in backticks.
    public var message: String
    /// Advice, in the same style.
    public var hint: String?
    /// The line of the source, ready to be printed.
    public var excerpt: SourceExcerpt

    /// The severity of a problem.
    public enum Severity: String, Equatable, Hashable, Sendable {
        /// The schema is invalid.
        case error
        /// The schema is valid, but probably does not mean what its author thinks.
        case warning
    }

    /// Returns the problem as `file:line:column: error: message`, the source line, a caret line, and `help: …`.
    ///
    ///     scene.wire:3:5: error: unknown type `Unit8`
    ///         Unit8 SceneId = 1;   // 进入场景ID
    ///         ^^^^^
    ///     help: did you mean `uint8`?
    ///
    /// The column is in UTF-8 bytes, as compilers count. The carets are in terminal cells, so that they mark the right
    /// text after Chinese too. There is no newline at the end.
    public func rendered() -> String {
        // A file's name may contain line feeds, which could imitate other problems.
        let file = location.file.escaped()
        var lines = ["\(file):\(location.line):\(location.column): \(severity.rawValue): \(message.escaped())"]
        lines.append(excerpt.text)
        lines.append(
            String(repeating: " ", count: excerpt.caretColumn) + String(repeating: "^", count: excerpt.caretWidth))
        if let hint { lines.append("help: \(hint)") }
        return lines.joined(separator: "\n")
    }
}

/// A line of source text, made safe for a terminal, and the cells of it that a diagnostic marks.
///
/// Tabs are expanded to four columns. Control characters, which could move the cursor or reverse the text, are
/// replaced. A very long line is cut to the surroundings of the marked text.
public struct SourceExcerpt: Equatable, Sendable {
    /// The line without its newline.
    public var text: String
    /// The number of cells before the marked ones.
    public var caretColumn: Int
    /// The number of marked cells: at least 1.
    public var caretWidth: Int
}
