// SPDX-License-Identifier: Apache-2.0

/// Swift source text that grows line by line, with indentation.
struct SwiftSource {
    private(set) var text = ""
    private var depth: Int

    init(depth: Int = 0) { self.depth = depth }

    mutating func line(_ line: String) {
        for _ in 0..<depth { text += "    " }
        text += line
        text += "\n"
    }

    mutating func blank() { text += "\n" }

    mutating func block(_ head: String, _ body: (inout SwiftSource) -> Void) {
        open(head + " {")
        body(&self)
        close("}")
    }

    /// Appends a line, and indents the following lines.
    mutating func open(_ head: String) {
        line(head)
        depth += 1
    }

    /// Ends an indentation, and appends a line if there is one.
    mutating func close(_ tail: String? = nil) {
        depth -= 1
        if let tail { line(tail) }
    }

    /// Appends code that Embedded Swift does not support: mirrors, and types as values.
    mutating func exceptInEmbedded(_ body: (inout SwiftSource) -> Void) {
        line("#if !hasFeature(Embedded)")
        body(&self)
        line("#endif")
    }

    /// Appends a documentation comment; nothing for empty text.
    ///
    /// Every line that it appends begins with `///`, whatever the text contains.
    mutating func documentation(_ text: String) {
        for line in CommentText.lines(of: text) { self.line(line.isEmpty ? "///" : "/// " + line) }
    }
}

extension SwiftSource {
    /// Returns whether an identifier occurs in the text.
    func contains(identifier: String) -> Bool {
        text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains { $0 == identifier }
    }

    /// Returns empty source with a deeper indentation.
    func nested(by steps: Int) -> SwiftSource { SwiftSource(depth: depth + steps) }

    /// Returns the same lines with a deeper indentation, or a smaller one if `steps` is negative.
    func indented(by steps: Int) -> SwiftSource {
        var result = SwiftSource(depth: depth + steps)
        let space = String(repeating: " ", count: max(0, steps) * 4)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            result.text += line.isEmpty ? "\n" : space + line.dropFirst(max(0, -steps) * 4) + "\n"
        }
        return result
    }

    /// Appends lines that were made separately.
    mutating func append(_ other: SwiftSource) { text += other.text }
}
