// SPDX-License-Identifier: Apache-2.0

import WirelineSwiftGenerator

/// Converts text of any origin into text that is safe inside Rust source.
enum RustText {
    /// Returns a string literal in ASCII.
    static func string(_ text: String) -> String {
        LiteralText.quoted(text) { "\\u{\(String($0, radix: 16))}" }
    }

    static func bytes(_ bytes: [UInt8]) -> String { "b\"\(LiteralText.escapes(bytes))\"" }

    /// Returns a float of 64 or 32 bits.
    static func float(_ value: Double, byteCount: Int = 8) -> String {
        let type = byteCount == 4 ? "f32" : "f64"
        if value.isNaN { return "\(type)::NAN" }
        if value.isInfinite { return "\(type)::\(value < 0 ? "NEG_" : "")INFINITY" }
        return byteCount == 4 ? "\(Float(value))" : "\(value)"
    }

    /// Returns a documentation comment, with an attribute for a deprecation; empty for an empty text.
    static func comment(_ text: String, _ deprecation: String? = nil) -> [String] {
        let lines = CommentText.lines(of: text).map { $0.isEmpty ? "///" : "/// " + escaped($0) }
        guard let deprecation else { return lines }
        return lines + ["#[deprecated(note = \(string(CommentText.lines(of: deprecation).joined(separator: " "))))]"]
    }

    /// Returns a line without links or tags for rustdoc.
    private static func escaped(_ line: String) -> String {
        line.replacing("\\", with: "\\\\").replacing("[", with: "\\[").replacing("<", with: "\\<")
    }

    static func indented(_ lines: [String]) -> [String] { lines.map { $0.isEmpty ? "" : "    " + $0 } }

    /// Returns an implementation of `Default`; members without a value use their own `Default`.
    static func defaults(_ name: String, _ members: [(name: String, value: String?)]) -> [String] {
        let values = members.map { "\($0.name): \($0.value ?? "Default::default()")," }
        return block("impl Default for \(name)", block("fn default() -> Self", block(name, values)))
    }

    /// Returns a declaration with a block; without lines the block is empty.
    static func block(_ head: String, _ lines: [String]) -> [String] {
        lines.isEmpty ? [head + " {}"] : [head + " {"] + indented(lines) + ["}"]
    }
}
