// SPDX-License-Identifier: Apache-2.0

/// Swift source text that grows line by line, indented as it nests.
struct SwiftSource {
    private(set) var text = ""
    private var depth: Int

    init(depth: Int = 0) { self.depth = depth }

    /// Appends a line.
    mutating func line(_ line: String) {
        for _ in 0..<depth { text += "    " }
        text += line
        text += "\n"
    }

    /// Appends an empty line.
    mutating func blank() { text += "\n" }

    /// Appends lines between braces.
    mutating func block(_ head: String, _ body: (inout SwiftSource) -> Void) {
        open(head + " {")
        body(&self)
        close("}")
    }

    /// Appends a line, and indents those behind it.
    mutating func open(_ head: String) {
        line(head)
        depth += 1
    }

    /// Comes back from what was opened; appends a line if there is one.
    mutating func close(_ tail: String? = nil) {
        depth -= 1
        if let tail { line(tail) }
    }

    /// Appends a documentation comment; nothing for no text.
    ///
    /// Whatever the text holds, only lines that begin with `///` come out of it.
    mutating func documentation(_ text: String) {
        for line in SwiftText.lines(of: text) { self.line(line.isEmpty ? "///" : "/// " + line) }
    }
}

extension SwiftSource {
    /// Source without lines, so many steps further in.
    func nested(by steps: Int) -> SwiftSource { SwiftSource(depth: depth + steps) }

    /// The same lines, so many steps further in or, if negative, out.
    func indented(by steps: Int) -> SwiftSource {
        var result = SwiftSource(depth: depth + steps)
        let space = String(repeating: " ", count: max(0, steps) * 4)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            result.text += line.isEmpty ? "\n" : space + line.dropFirst(max(0, -steps) * 4) + "\n"
        }
        return result
    }

    /// Appends lines that were made apart.
    mutating func append(_ other: SwiftSource) { text += other.text }
}
