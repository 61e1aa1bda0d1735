// SPDX-License-Identifier: Apache-2.0

import WirelineSwiftGenerator

/// Converts text of any origin into text that is safe inside Java source.
enum JavaText {
    /// Returns a string literal in ASCII.
    ///
    /// Java reads `\u` before it looks for the end of a string, so only characters beyond ASCII are written that way.
    static func string(_ text: String) -> String {
        LiteralText.quoted(text.utf16) {
            $0 < 0x80 ? "\\" + LiteralText.digits($0, 3, radix: 8) : "\\u" + LiteralText.digits($0, 4)
        }
    }

    /// Returns a documentation comment, with a tag and an annotation for what is deprecated; nothing for an empty text.
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

    /// Returns a text in which nothing ends a comment, or is an escape, which Java reads in comments, too.
    static func escaped(_ line: String) -> String {
        TypeScriptText.escaped(line).replacing("\\", with: "\\ ")
    }
}
