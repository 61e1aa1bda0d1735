// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// Problems of a schema or a script for people: as the schema module renders them, with colours around the parts.
struct DiagnosticText {
    let style: TextStyle
    /// More than anybody reads at once.
    private static let limit = 100

    /// Prints all problems to standard error.
    func report(_ result: CheckResult, _ console: Console) {
        report(result.diagnostics, omittedCount: result.omittedDiagnosticCount, console)
    }

    /// Prints problems, of which `omittedCount` more were not kept.
    func report(_ diagnostics: [Diagnostic], omittedCount: Int, _ console: Console) {
        for diagnostic in diagnostics.prefix(Self.limit) { console.report(styled: text(of: diagnostic)) }
        let hiddenCount = max(0, diagnostics.count - Self.limit) + omittedCount
        if hiddenCount > 0 {
            console.report("note: \(hiddenCount) more \(hiddenCount == 1 ? "problem is" : "problems are") not shown")
        }
    }

    /// ``Diagnostic/rendered()``, whose lines are the place and the message, the source, the carets, and the hint.
    private func text(of diagnostic: Diagnostic) -> String {
        var lines = TextStyle.harmless(diagnostic.rendered()).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
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
    /// How many of the problems are of a kind.
    func count(of severity: Diagnostic.Severity) -> Int {
        diagnostics.count { $0.severity == severity }
    }
}
