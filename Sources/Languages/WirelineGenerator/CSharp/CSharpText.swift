// SPDX-License-Identifier: Apache-2.0

import WirelineSwiftGenerator

/// Converts text of any origin into text that is safe inside C# source.
enum CSharpText {
    /// Returns a documentation comment, with an attribute for a deprecation; empty for an empty text.
    static func comment(_ text: String, _ deprecation: String? = nil, indent: String = "") -> [String] {
        let lines = CommentText.lines(of: text).map(escaped)
        let attribute =
            deprecation.map {
                [
                    indent
                        + "[System.Obsolete(\(TypeScriptText.string(CommentText.lines(of: $0).joined(separator: " "))))]"
                ]
            } ?? []
        switch lines.count {
        case 0: return attribute
        case 1: return ["\(indent)/// <summary>\(lines[0])</summary>"] + attribute
        default:
            return ["\(indent)/// <summary>"] + lines.map { indent + ($0.isEmpty ? "///" : "/// " + $0) }
                + ["\(indent)/// </summary>"] + attribute
        }
    }

    /// Returns a text without markup for documentation comments.
    static func escaped(_ line: String) -> String {
        line.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
