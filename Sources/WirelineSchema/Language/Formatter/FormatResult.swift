// SPDX-License-Identifier: Apache-2.0

/// What formatting a file gave.
public enum FormatResult: Equatable, Sendable {
    /// The file's bytes in the canonical layout, in UTF-8; lines end in LF. They can be those that it had.
    case formatted([UInt8])
    /// The file cannot be parsed; what is wrong with it, as a check says it.
    case broken(CheckResult)
}

extension SourceFile {
    /// The file in the canonical layout: the same declarations with the same documentation, laid out in one way.
    ///
    ///     // ========== 切换场景 ==========
    ///     @name(EnterScene)
    ///     message Cs_20001 {
    ///         uint8  SceneId = 1;  // 进入场景ID
    ///         uint32 Line    = 2;  // 分线
    ///     }
    ///
    /// - Members are indented by 4 spaces. Their names, numbers and comments stand in columns, from one empty line, comment
    ///   line or longer member to the next; in the `packet` so do their types.
    /// - Of the author's line breaks, these are kept: single empty lines, those behind attributes, and a declaration's
    ///   body on one line where it has at most 100 columns and no comment.
    /// - A declaration with a body on several lines has an empty line before and behind it.
    /// - All comments are kept, each with what it documents; one that documents nothing has an empty line below.
    ///
    /// Formatting the result changes nothing. Only this file is looked at: types that other files declare, or that nobody
    /// does, are left for ``ProtocolDescription/check(name:files:)``.
    public func formatted() -> FormatResult {
        let source = SourceText(self)
        let reporter = Reporter(sources: [source])
        let lexed = Lexer.lex(source, file: 0, reporter: reporter)
        var parser = Parser(source: source, file: 0, lexed: lexed, reporter: reporter)
        _ = parser.parseFile()
        guard !reporter.hasErrors else {
            return .broken(
                CheckResult(
                    description: nil, diagnostics: reporter.sortedDiagnostics(),
                    omittedDiagnosticCount: reporter.omittedCount))
        }
        var formatter = Formatter(source: source, lexed: lexed)
        return .formatted(Array(formatter.format().utf8))
    }
}
