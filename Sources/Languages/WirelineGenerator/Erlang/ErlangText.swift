// SPDX-License-Identifier: Apache-2.0

import WirelineSwiftGenerator

/// Converts text of any origin into text that is safe inside Erlang source.
enum ErlangText {
    /// Returns an atom, in quotes if it needs them.
    static func atom(_ name: String) -> String {
        let isPlain =
            name.utf8.first.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) } == true
            && name.utf8.allSatisfy(isNameByte) && !reservedWords.contains(name)
        return isPlain ? name : "'\(name)'"
    }

    static func binary(_ text: String) -> String {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return "<<" + text.utf8.map { String($0) }.joined(separator: ",") + ">>"
        }
        return "<<\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\">>"
    }

    /// Returns a binary of bytes, as a string if all are ASCII.
    static func binary(_ bytes: [UInt8]) -> String {
        bytes.allSatisfy { $0 < 0x80 }
            ? binary(String(decoding: bytes, as: UTF8.self)) : "<<\(bytes.map { String($0) }.joined(separator: ","))>>"
    }

    /// Returns a float with its shortest digits, and the decimal point that Erlang requires.
    static func float(_ value: Double) -> String {
        let text = value.description
        guard let exponent = text.firstIndex(of: "e") else { return text }
        let digits = text[..<exponent]
        return digits + (digits.contains(".") ? "" : ".0") + text[exponent...]
    }

    /// Returns the lines of a text as comments.
    ///
    /// Every line begins with the mark, whatever the text contains.
    static func comment(_ text: String, mark: String = "%% ") -> [String] {
        CommentText.lines(of: text).map { $0.isEmpty ? String(mark.dropLast()) : mark + $0 }
    }

    /// Returns a text for EDoc, with tags, macros and XHTML escaped.
    static func edoc(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<", ">", "&", "`", "'", "{", "}", "[", "]", "@", "\"", "=", "#", "*", "_", "~":
                result += "&#\(scalar.value);"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Erlang's reserved words, including those of later releases.
    private static let reservedWords: Set<String> = [
        "after", "and", "andalso", "band", "begin", "bnot", "bor", "bsl", "bsr", "bxor", "case", "catch", "cond", "div",
        "else", "end", "fun", "if", "let", "maybe", "not", "of", "or", "orelse", "receive", "rem", "try", "when", "xor",
    ]
}
