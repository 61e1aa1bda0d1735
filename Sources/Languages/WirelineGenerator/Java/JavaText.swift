// SPDX-License-Identifier: Apache-2.0

import WirelineSwiftGenerator

/// Converts text of any origin into text that is safe inside Java source.
enum JavaText {
    /// Returns a string literal in ASCII.
    ///
    /// Java decodes `\u` before it looks for the end of a string, so only characters beyond ASCII use it.
    static func string(_ text: String) -> String {
        LiteralText.quoted(text.utf16) {
            $0 < 0x80 ? "\\" + LiteralText.digits($0, 3, radix: 8) : "\\u" + LiteralText.digits($0, 4)
        }
    }

    /// Returns a documentation comment, with a tag and an annotation for a deprecation; empty for an empty text.
    static func comment(_ text: String, _ deprecation: String? = nil, indent: String = "") -> [String] {
        var lines = CommentText.lines(of: text).map(escaped)
        if let deprecation {
            lines.append("@deprecated \(escaped(CommentText.lines(of: deprecation).joined(separator: " ")))")
        }
        let annotation = deprecation == nil ? [] : [indent + "@Deprecated"]
        switch lines.count {
        case 0: return []
        case 1: return ["\(indent)/** \(lines[0]) */"] + annotation
        default:
            return ["\(indent)/**"] + lines.map { indent + ($0.isEmpty ? " *" : " * " + $0) } + ["\(indent) */"]
                + annotation
        }
    }

    /// Returns a text that cannot end a comment. It contains no escapes either, because Java decodes them in comments,
    /// too.
    static func escaped(_ line: String) -> String {
        TypeScriptText.escaped(line).replacing("\\", with: "\\ ")
    }
}
