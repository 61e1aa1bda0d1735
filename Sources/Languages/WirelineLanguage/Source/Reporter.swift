// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Collects the problems of one check; a class, so that lexer, parser and checker add to the same list.
package final class Reporter {
    /// The most problems kept. Others are only counted, so that a file of garbage cannot fill the memory.
    private static let keptLimit = 1000

    let sources: [SourceText]
    package private(set) var hasErrors = false
    package private(set) var omittedCount = 0
    package var count: Int { found.count + omittedCount }
    private var found: [Problem] = []

    package init(sources: [SourceText]) {
        self.sources = sources
    }

    /// - Parameter related: The other places that the message names.
    package func error(_ message: String, at span: SourceSpan, help: String? = nil, related: [RelatedPlace] = []) {
        hasErrors = true
        add(.error, message, span, help, related)
    }

    package func warning(_ message: String, at span: SourceSpan, help: String? = nil) {
        add(.warning, message, span, help, [])
    }

    package func location(of span: SourceSpan) -> SourceLocation {
        sources[span.file].location(at: span.start)
    }

    /// Returns the place for messages that name a second one: `scene.wire:12`.
    func place(of span: SourceSpan) -> String {
        let location = location(of: span)
        return "\(location.file):\(location.line)"
    }

    /// Returns the problems by file, then by position, then in the order in which they were found.
    func sortedProblems() -> [Problem] {
        found.enumerated().sorted {
            ($0.element.span.file, $0.element.span.start, $0.offset)
                < ($1.element.span.file, $1.element.span.start, $1.offset)
        }.map(\.element)
    }

    /// Returns the problems in the same order, for readers.
    package func sortedDiagnostics() -> [Diagnostic] {
        sortedProblems().map(\.diagnostic)
    }

    private func add(
        _ severity: Diagnostic.Severity, _ message: String, _ span: SourceSpan, _ help: String?,
        _ related: [RelatedPlace]
    ) {
        guard found.count < Self.keptLimit else {
            omittedCount += 1
            return
        }
        let diagnostic = Diagnostic(
            severity: severity,
            location: location(of: span),
            endLocation: sources[span.file].location(at: max(span.start, span.end)),
            byteCount: max(0, span.end - span.start),
            message: message,
            hint: help,
            excerpt: sources[span.file].excerpt(from: span.start, to: span.end))
        found.append(Problem(span: span, diagnostic: diagnostic, related: related))
    }
}

/// A problem, with spans in the files' bytes.
package struct Problem: Equatable, Sendable {
    package var span: SourceSpan
    package var diagnostic: Diagnostic
    package var related: [RelatedPlace]
}

package struct RelatedPlace: Equatable, Sendable {
    package var span: SourceSpan
    /// Its description, in the style of ``Diagnostic/message``.
    package var message: String

    /// The place of the first of two declarations, if only one is allowed.
    static func first(_ span: SourceSpan) -> RelatedPlace { RelatedPlace(span: span, message: "the first is here") }
}

extension String {
    /// The text in backticks, shortened if it is long, for messages that quote the schema.
    package var quoted: String {
        let limit = 60
        guard utf8.count > limit else { return "`\(escaped())`" }
        return "`\(prefix(limit / 2).escaped())…` (\(utf8.count) bytes)"
    }
}
