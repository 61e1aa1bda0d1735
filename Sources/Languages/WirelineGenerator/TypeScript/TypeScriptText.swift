// SPDX-License-Identifier: Apache-2.0

import WirelineSwiftGenerator

/// Converts text of any origin into text that is safe inside TypeScript source.
enum TypeScriptText {
    /// Returns a string literal in ASCII.
    ///
    /// - Parameter isForPages: Whether to escape angle brackets, so that a page reads no tags in a script (default:
    ///   false).
    static func string(_ text: String, isForPages: Bool = false) -> String {
        let literal = LiteralText.quoted(text.utf16) { "\\u" + LiteralText.digits($0, 4) }
        return isForPages ? literal.replacing("<", with: "\\u003c").replacing(">", with: "\\u003e") : literal
    }

    /// Returns a documentation comment; empty for an empty text.
    ///
    /// The text cannot end the comment, nor contain a tag of a documentation tool.
    static func comment(_ text: String, _ deprecation: String? = nil, indent: String = "") -> [String] {
        let reason = deprecation.map { "@deprecated " + escaped(CommentText.lines(of: $0).joined(separator: " ")) }
        let all = CommentText.lines(of: text).map(escaped) + (reason.map { [$0] } ?? [])
        switch all.count {
        case 0: return []
        case 1: return ["\(indent)/** \(all[0]) */"]
        default: return ["\(indent)/**"] + all.map { indent + ($0.isEmpty ? " *" : " * " + $0) } + ["\(indent) */"]
        }
    }

    /// Returns a text that cannot end a comment.
    static func escaped(_ line: String) -> String {
        var result = ""
        for scalar in line.unicodeScalars {
            if scalar == "/", result.last == "*" { result += " " }
            result.unicodeScalars.append(scalar)
        }
        return result.replacing("@", with: "(at)")
    }

    /// Returns a float with its shortest digits.
    static func float(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
        return "\(value)"
    }

    static func list(_ numbers: [String]) -> String { "[\(numbers.joined(separator: ", "))]" }
}
