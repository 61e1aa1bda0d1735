// SPDX-License-Identifier: Apache-2.0

/// Removes types, documentation comments and indentation from the runtime, for scripts in pages.
///
/// The eraser finds types in five places: function heads, declarations of variables, members of classes, `]!`, and
/// declarations of types. A declaration of a type ends before an empty line. Types elsewhere must be in regions of the
/// feature `types`.
enum TypeScriptEraser {
    private static let declarations = ["interface ", "type ", "declare "]

    /// Returns a text without types. Empty lines that result are dropped.
    static func erased(_ text: String) -> String {
        var lines: [String] = []
        var (isInDeclaration, isInClass, isInComment) = (false, false, false)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let code = line.drop { $0 == " " }
            isInDeclaration = !line.isEmpty && (isInDeclaration || isDeclaration(line))
            isInClass = line.hasPrefix("export class ") || isInClass && line != "}"
            let isComment = isInComment || code.hasPrefix("/**")
            isInComment = isComment && !line.hasSuffix("*/")
            if isInDeclaration || isComment { continue }
            let left = erased(line: line, isInClass: isInClass).drop { $0 == " " }
            // Keeps one of several empty lines.
            if !left.isEmpty || line.isEmpty && lines.last?.isEmpty == false { lines.append(String(left)) }
        }
        return lines.joined(separator: "\n")
    }

    private static func isDeclaration(_ line: Substring) -> Bool {
        let code = line.hasPrefix("export ") ? line.dropFirst(7) : line
        return declarations.contains { code.hasPrefix($0) }
    }

    private static func erased(line: Substring, isInClass: Bool) -> String {
        var scanner = Scanner(String(line))
        if scanner.goesOver("export function ") || scanner.goesOver("function ") {
            scanner.functionHead()
        } else if scanner.goesOver("export class ") {
            scanner.name()
            scanner.typeParameters()
        } else if isInClass, line.hasPrefix("  "), line.dropFirst(2).first?.isLetter == true {
            _ = scanner.goesOver("  ")
            scanner.member()
        } else {
            scanner.goOver { $0 == " " }
            if scanner.goesOver("const ") || scanner.goesOver("let ") { scanner.variable() }
        }
        return scanner.finished.replacing("]!", with: "]")
    }

    private struct Scanner {
        private let line: [Unicode.Scalar]
        private var position = 0
        private var result = String.UnicodeScalarView()

        init(_ line: String) { self.line = Array(line.unicodeScalars) }

        /// The copy, followed by the unread part of the line.
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

        mutating func name() {
            goOver { $0 == "." || $0 == "_" || $0.properties.isAlphabetic || ("0"..."9").contains($0) }
        }

        /// Returns the position of the first of some texts outside brackets.
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

        mutating func variable() {
            name()
            if isAt(":") { position = end([" =", ";"]) }
        }

        mutating func member() {
            let modifiers = ["private readonly ", "private ", "readonly "].first(where: isAt) ?? ""
            var inner = self
            inner.position += modifiers.unicodeScalars.count
            inner.name()
            let isMethod = inner.isAt("(")
            // A field without a value has only a type after its name.
            position =
                isMethod || inner.end([" = "]) < line.count ? position + modifiers.unicodeScalars.count : line.count
            if isMethod { functionHead() } else { variable() }
        }

        mutating func typeParameters() {
            guard isAt("<") else { return }
            var inner = self
            inner.position += 1
            position = inner.end([">"]) + 1
        }

        mutating func functionHead() {
            name()
            typeParameters()
            repeat {
                go(to: min(position + 1, line.count))
                goOver { $0 == " " }
                name()
                if isAt(":") || isAt("?") { position = end([",", ")", " = "]) }
                go(to: end([",", ")"]))
            } while isAt(",")
            _ = goesOver(")")
            if isAt(":") { position = end([" {"]) }
        }
    }
}
