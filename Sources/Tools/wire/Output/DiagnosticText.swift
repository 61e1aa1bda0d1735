// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// Prints the problems of a schema or a script. The schema module makes the text, and this type adds colours.
struct DiagnosticText {
    let style: TextStyle
    private static let limit = 100

    func report(_ result: CheckResult, _ console: Console) {
        report(result.diagnostics, omittedCount: result.omittedDiagnosticCount, console)
    }

    /// - Parameter omittedCount: The number of problems beyond the limit of the checker.
    func report(_ diagnostics: [Diagnostic], omittedCount: Int, _ console: Console) {
        for diagnostic in diagnostics.prefix(Self.limit) { console.report(styled: text(of: diagnostic)) }
        let hiddenCount = max(0, diagnostics.count - Self.limit) + omittedCount
        if hiddenCount > 0 {
            console.report("note: \(hiddenCount) more \(hiddenCount == 1 ? "problem is" : "problems are") not shown")
        }
    }

    /// Returns ``Diagnostic/rendered()`` with colours: the position and message, the source, the carets, and the hint.
    private func text(of diagnostic: Diagnostic) -> String {
        let text = TextStyle.harmless(lines: diagnostic.rendered())
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let severity = diagnostic.severity.rawValue + ":"
        if let range = lines[0].firstRange(of: " " + severity + " ") {
            let place = style.strong(String(lines[0][..<range.lowerBound]))
            let word = diagnostic.severity == .error ? style.error(severity) : style.warning(severity)
            lines[0] = place + " " + word + " " + style.strong(String(lines[0][range.upperBound...]))
        }
        if lines.count > 2 { lines[2] = style.mark(lines[2]) }
        if diagnostic.hint != nil, let last = lines.last, last.hasPrefix("help:") {
            lines[lines.count - 1] = style.help("help:") + last.dropFirst(5)
        }
        return lines.joined(separator: "\n")
    }
}

extension CheckResult {
    func count(of severity: Diagnostic.Severity) -> Int {
        diagnostics.count { $0.severity == severity }
    }
}
