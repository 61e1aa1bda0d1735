// SPDX-License-Identifier: Apache-2.0

/// The result of checking a folder's files.
public struct CheckResult: Equatable, Sendable {
    /// The protocol; nil if there is any error.
    public var description: ProtocolDescription?
    /// All problems found, by file and position; at most 1,000 are kept.
    public var diagnostics: [Diagnostic]
    /// The number of problems found beyond those kept.
    public var omittedDiagnosticCount: Int

    /// Whether there is no error; there may be warnings.
    public var isValid: Bool { description != nil }

    /// Returns all problems as text, and a note if there are more than `limit`; empty if there are none.
    ///
    /// - Parameter limit: The most problems shown (default 100).
    public func renderedDiagnostics(limit: Int = 100) -> String {
        var parts = diagnostics.prefix(max(0, limit)).map { $0.rendered() }
        let hiddenCount = diagnostics.count - parts.count + omittedDiagnosticCount
        if hiddenCount > 0 {
            parts.append("note: \(hiddenCount) more \(hiddenCount == 1 ? "problem is" : "problems are") not shown")
        }
        return parts.joined(separator: "\n")
    }
}

extension ProtocolDescription {
    /// Parses and checks the files of one folder.
    ///
    /// Files are read in the order of their paths' bytes, whatever order they are given in. One run finds all problems
    /// of all files. Any input gives a result, in time that grows nearly linearly with its size.
    ///
    /// - Parameters:
    ///   - name: The protocol's name, usually the folder's.
    ///   - files: The folder's `.wire` files.
    /// - Returns: The protocol, if there is no error, and all diagnostics.
    public static func check(name: String, files: [SourceFile]) -> CheckResult {
        let checked = CheckedFiles(name: name, files: files)
        return CheckResult(
            description: checked.description,
            diagnostics: checked.reporter.sortedDiagnostics(),
            omittedDiagnosticCount: checked.reporter.omittedCount)
    }
}

/// The files of a folder with all results of a check.
struct CheckedFiles {
    /// The files in the order of their paths' bytes; spans refer to this order.
    let sources: [SourceText]
    let lexed: [LexedFile]
    let trees: [FileSyntax]
    let reporter: Reporter
    /// The protocol; nil if there is any error.
    let description: ProtocolDescription?

    init(name: String, files: [SourceFile]) {
        sources = files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }.map(SourceText.init)
        reporter = Reporter(sources: sources)
        var lexed: [LexedFile] = []
        var trees: [FileSyntax] = []
        for (index, source) in sources.enumerated() {
            lexed.append(Lexer.lex(source, file: index, reporter: reporter))
            var parser = Parser(source: source, file: index, lexed: lexed[index], reporter: reporter)
            trees.append(parser.parseFile())
        }
        (self.lexed, self.trees) = (lexed, trees)
        var checker = Checker(name: name, reporter: reporter)
        let description = checker.check(trees)
        self.description = reporter.hasErrors ? nil : description
    }
}
