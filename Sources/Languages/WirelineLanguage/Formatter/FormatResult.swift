// SPDX-License-Identifier: Apache-2.0

/// The result of formatting a file.
public enum FormatResult: Equatable, Sendable {
    /// The file's bytes in the canonical layout, in UTF-8 with LF; they may equal the original.
    case formatted([UInt8])
    /// The file cannot be parsed; the problems are those that a check reports.
    case broken(CheckResult)
}

extension SourceFile {
    /// Returns the file in the canonical layout: the same declarations and documentation, laid out in one way.
    ///
    ///     // ========== 切换场景 ==========
    ///     @name(EnterScene)
    ///     message Cs_20001 {
    ///         uint8  SceneId = 1;  // 进入场景ID
    ///         uint32 Line    = 2;  // 分线
    ///     }
    ///
    /// - Members are indented by 4 spaces. Their names, numbers and comments are aligned in columns, from one empty
    ///   line, comment line or longer member to the next. In the `packet` their types are aligned too.
    /// - These line breaks of the author are kept: single empty lines, those after attributes, and a declaration's body
    ///   on one line if it has at most 100 columns and no comment.
    /// - A declaration with a body on several lines has an empty line before and after it.
    /// - All comments are kept, each with the declaration it documents; one that documents nothing has an empty line
    ///   below.
    ///
    /// Formatting the result changes nothing. Only this file is checked. Types that it does not declare are left for
    /// ``ProtocolDescription/check(name:files:)``.
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
