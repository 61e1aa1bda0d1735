// SPDX-License-Identifier: Apache-2.0

import WirelineSwiftGenerator

/// Converts text of any origin into text that is safe inside Java source.
enum JavaText {
    /// Returns a string literal in ASCII.
    ///
    /// Java reads `\u` before it looks for the end of a string, so only characters beyond ASCII are written that way.
    static func string(_ text: String) -> String {
        var result = "\""
        for unit in text.utf16 {
            switch unit {
            case 0x22: result += "\\\""
            case 0x5C: result += "\\\\"
            case 0x20...0x7E: result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            case 0...0x7F: result += "\\" + padded(String(unit, radix: 8), 3)
            default: result += "\\u" + padded(String(unit, radix: 16), 4)
            }
        }
        return result + "\""
    }

    private static func padded(_ digits: String, _ count: Int) -> String {
        String(repeating: "0", count: count - digits.count) + digits
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
