// SPDX-License-Identifier: Apache-2.0

/// One problem in a schema: where it is, what is wrong and, where that can be said, what to do.
///
/// ``rendered()`` gives the form that people and editors read; the parts are there for other forms.
public struct Diagnostic: Equatable, Sendable {
    /// Whether the schema can still be used.
    public var severity: Severity
    /// Where the marked text starts.
    public var location: SourceLocation
    /// Where the first byte behind the marked text stands; ``location`` itself at the end of a file.
    public var endLocation: SourceLocation
    /// How many UTF-8 bytes are marked, from ``location`` on; 0 at the end of a file.
    public var byteCount: Int
    /// What is wrong: lower case, no full stop, code in backticks.
    public var message: String
    /// What to do about it, in the same style.
    public var hint: String?
    /// The line of the source, ready to be printed.
    public var excerpt: SourceExcerpt

    /// How bad a problem is.
    public enum Severity: String, Equatable, Hashable, Sendable {
        /// The schema means nothing as it stands.
        case error
        /// The schema means something, but probably not what its author thinks.
        case warning
    }

    /// The problem as `file:line:column: error: message`, the source line, a caret line, and `help: …`.
    ///
    ///     scene.wire:3:5: error: unknown type `Unit8`
    ///         Unit8 SceneId = 1;   // 进入场景ID
    ///         ^^^^^
    ///     help: did you mean `uint8`?
    ///
    /// The column is in UTF-8 bytes, as compilers count; the carets are in terminal cells, so that they stand under
    /// the text behind Chinese too. There is no newline at the end.
    public func rendered() -> String {
        var lines = ["\(location.file):\(location.line):\(location.column): \(severity.rawValue): \(message)"]
        lines.append(excerpt.text)
        lines.append(
            String(repeating: " ", count: excerpt.caretColumn) + String(repeating: "^", count: excerpt.caretWidth))
        if let hint { lines.append("help: \(hint)") }
        return lines.joined(separator: "\n")
    }
}

/// A line of source text, made fit for a terminal, and the cells of it that a diagnostic marks.
///
/// Tabs are expanded to four columns; control characters, which could move the cursor or reverse the text, are
/// replaced. Of a very long line only the surroundings of the marked text are kept.
public struct SourceExcerpt: Equatable, Sendable {
    /// The line without its newline.
    public var text: String
    /// How many cells stand in front of the marked ones.
    public var caretColumn: Int
    /// How many cells are marked: at least 1.
    public var caretWidth: Int
}
