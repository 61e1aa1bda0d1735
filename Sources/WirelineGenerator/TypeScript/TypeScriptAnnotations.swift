// SPDX-License-Identifier: Apache-2.0

/// Finds the types in the runtime's file, and marks them for ``TypeScriptForm``.
///
/// The file is TypeScript that its own tools read. It has no marks where types are found by rules: in the head of a function, after
/// the name of a variable, in the members of a class, in `]!`, and in declarations, which end before an empty line. In a line with
/// other types, all types stand between marks in comments:
///
///     return to/*‹*/ as Partial<Header>/*›*/;
enum TypeScriptAnnotations {
    private static let declarations = ["interface ", "type ", "declare "]
    private static let comments = [("/*‹*/", "‹"), ("/*›*/", "›"), ("/*«", "«"), ("»*/", "»")]

    /// Returns text of the runtime with marks.
    static func marked(_ text: String) -> String {
        var lines: [String] = []
        var isInDeclaration = false
        var isInClass = false
        for line in (text + "\n").split(separator: "\n", omittingEmptySubsequences: false) {
            if isInDeclaration, line.isEmpty {
                lines[lines.count - 1] += "›"
                isInDeclaration = false
            }
            let isStart = !isInDeclaration && isDeclaration(line)
            isInDeclaration = isInDeclaration || isStart
            isInClass = line.hasPrefix("export class ") || isInClass && line != "}"
            lines.append(
                isStart ? "‹" + line : isInDeclaration ? String(line) : marked(line: line, isInClass: isInClass))
        }
        return lines.dropLast().joined(separator: "\n")
    }

    private static func isDeclaration(_ line: Substring) -> Bool {
        let code = line.hasPrefix("export ") ? line.dropFirst(7) : line
        return declarations.contains { code.hasPrefix($0) }
    }

    private static func marked(line: Substring, isInClass: Bool) -> String {
        var text = String(line)
        if line.utf8.contains(where: { $0 >= 0x80 }) {
            text = comments.reduce(text) { $0.replacing($1.0, with: $1.1) }
            guard !text.contains("‹") else { return text }
        }
        var scanner = Scanner(text)
        if scanner.goesOver("export function ") || scanner.goesOver("function ") {
            scanner.functionHead()
        } else if scanner.goesOver("export class ") {
            scanner.classHead()
        } else if isInClass, text.hasPrefix("  "), text.dropFirst(2).first?.isLetter == true {
            _ = scanner.goesOver("  ")
            scanner.member()
        } else {
            scanner.goOver { $0 == " " }
            if scanner.goesOver("const ") || scanner.goesOver("let ") { scanner.variable() }
        }
        return scanner.finished.replacing("]!", with: "]‹!›")
    }

    /// Copies a line, and puts marks around its types.
    private struct Scanner {
        private let line: [Unicode.Scalar]
        private var position = 0
        private var result = String.UnicodeScalarView()

        init(_ line: String) { self.line = Array(line.unicodeScalars) }

        /// The copy, with the rest of the line.
        var finished: String { String(result) + String(String.UnicodeScalarView(line[position...])) }

        private func isAt(_ text: String) -> Bool { line[position...].starts(with: text.unicodeScalars) }

        private mutating func go(to end: Int) {
            result.append(contentsOf: line[position..<end])
            position = end
        }

        mutating func goesOver(_ text: String) -> Bool {
            guard isAt(text) else { return false }
            go(to: position + text.unicodeScalars.count)
            return true
        }

        mutating func goOver(_ condition: (Unicode.Scalar) -> Bool) {
            go(to: line[position...].firstIndex { !condition($0) } ?? line.count)
        }

        private mutating func name() {
            goOver { $0 == "." || $0 == "_" || $0.properties.isAlphabetic || ("0"..."9").contains($0) }
        }

        /// Returns where one of some texts stands, outside of brackets.
        private func end(_ stops: [String]) -> Int {
            var scanner = self
            var depth = 0
            while scanner.position < line.count {
                if scanner.isAt("=>") {
                    scanner.position += 2
                    continue
                }
                if depth == 0, stops.contains(where: scanner.isAt) { break }
                switch line[scanner.position] {
                case "(", "[", "{", "<": depth += 1
                case ")", "]", "}", ">": depth -= 1
                default: break
                }
                scanner.position += 1
            }
            return scanner.position
        }

        private mutating func mark(to end: Int) {
            result.append("‹")
            go(to: end)
            result.append("›")
        }

        mutating func variable() {
            name()
            if isAt(":") { mark(to: end([" =", ";"])) }
        }

        mutating func classHead() {
            name()
            typeParameters()
        }

        mutating func member() {
            let modifiers = ["private readonly ", "private ", "readonly "].first(where: isAt) ?? ""
            var inner = self
            inner.position += modifiers.unicodeScalars.count
            inner.name()
            let isMethod = inner.isAt("(")
            let value = inner.end([" = "])
            guard isMethod || value < line.count else { return mark(to: line.count) }
            if !modifiers.isEmpty { mark(to: position + modifiers.unicodeScalars.count) }
            if isMethod { functionHead() } else { variable() }
        }

        private mutating func typeParameters() {
            guard isAt("<") else { return }
            var inner = self
            inner.position += 1
            mark(to: inner.end([">"]) + 1)
        }

        mutating func functionHead() {
            name()
            typeParameters()
            repeat {
                go(to: min(position + 1, line.count))
                goOver { $0 == " " }
                name()
                if isAt(":") || isAt("?") { mark(to: end([",", ")", " = ", "«"])) }
                go(to: end([",", ")", "«"]))
                if isAt("«") { go(to: end(["»"]) + 1) }
            } while isAt(",")
            _ = goesOver(")")
            if isAt(":") { mark(to: end([" {"])) }
        }
    }
}
