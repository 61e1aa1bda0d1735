// SPDX-License-Identifier: Apache-2.0

/// Spaces statements as `gofmt` does: `w.p-start` in an argument, but `w.p - start` by itself.
///
/// The rules are those of `binaryExpr` in Go's package `go/printer`.
enum GoFormat {
    /// Returns a statement, or the first line of one with a block.
    static func statement(_ line: String) -> String {
        let indent = line.prefix { $0 == "\t" }
        let text = line.dropFirst(indent.count)
        if text == "for {" { return line }
        for head in ["} else if ", "if ", "for "] where text.hasPrefix(head) && text.hasSuffix(" {") {
            let condition = text.dropFirst(head.count).dropLast(2)
            return condition.contains(";") ? line : indent + head + expression(condition) + " {"
        }
        if text.hasPrefix("return ") { return indent + "return " + expressions(text.dropFirst(7)) }
        let isLeft = ["case ", "default:", "}", "switch ", "var "].contains { text.hasPrefix($0) }
        guard !isLeft, !text.hasSuffix("++"), !text.isEmpty, text != "return", text != "break" else { return line }
        let target = assignment(in: text)
        return indent + target + expression(text.dropFirst(target.count))
    }

    /// Returns the beginning of a statement that sets a variable or a member: `m.X = `; nothing for another statement.
    static func assignment(in text: Substring) -> Substring {
        let target = text.prefix { $0.isLetter || $0.isNumber || "_.*[]".contains($0) }
        return [" := ", " = "].lazy.filter { text.dropFirst(target.count).hasPrefix($0) }.map {
            text.prefix(target.count + $0.count)
        }.first ?? ""
    }

    /// Whether an expression is the call of a function, and no conversion.
    static func isCall(_ text: String) -> Bool {
        var parser = Parser(text[...])
        guard case .call(let function, _) = parser.expression(1) else { return false }
        switch function {
        case .selector: return true
        case .atom(let name): return name.hasPrefix("read") || name.hasPrefix("write")
        default: return false
        }
    }

    private static func expression(_ text: Substring) -> String {
        var parser = Parser(text)
        return parser.expression(1).text(1, depth: 1)
    }

    /// Returns the results of a function, which commas separate.
    private static func expressions(_ text: Substring) -> String {
        var parser = Parser(text)
        var all = [parser.expression(1).text(1, depth: 1)]
        while parser.takesComma() { all.append(parser.expression(1).text(1, depth: 1)) }
        return all.joined(separator: ", ")
    }

    // MARK: Expressions

    fileprivate indirect enum Node {
        case atom(String)
        case unary(String, Node)
        case binary(String, Node, Node)
        case parentheses(Node)
        case selector(Node, String)
        case index(Node, Node)
        case call(Node, [Node])
        case composite(Node, [Node])
        case pair(Node, Node)
    }

    fileprivate static func precedence(_ mark: String) -> Int {
        switch mark {
        case "||": 1
        case "&&": 2
        case "==", "!=", "<", "<=", ">", ">=": 3
        case "+", "-", "|", "^": 4
        case "*", "/", "%", "<<", ">>", "&", "&^": 5
        default: 0
        }
    }

    /// Takes an expression apart, of those that the printers make.
    private struct Parser {
        private var tokens: [String] = []
        private var position = 0

        init(_ text: Substring) {
            let bytes = Array(text.utf8)
            var end = 0
            while end < bytes.count {
                let start = end
                end += 1
                switch bytes[start] {
                case UInt8(ascii: " "): continue
                case UInt8(ascii: "\""):
                    while bytes[end] != UInt8(ascii: "\"") { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
                    end += 1
                case UInt8(ascii: "0")...UInt8(ascii: "9"):
                    while end < bytes.count,
                        Self.isWord(bytes[end]) || bytes[end] == UInt8(ascii: ".") || Self.isExponent(bytes, end)
                    {
                        end += 1
                    }
                case let byte where Self.isWord(byte):
                    while end < bytes.count, Self.isWord(bytes[end]) { end += 1 }
                default:
                    let two = String(decoding: bytes[start..<min(start + 2, bytes.count)], as: UTF8.self)
                    if ["||", "&&", "&^", "<<", ">>", "==", "!=", "<=", ">="].contains(two) { end += 1 }
                }
                tokens.append(String(decoding: bytes[start..<end], as: UTF8.self))
            }
        }

        private static func isWord(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "_") || Character(Unicode.Scalar(byte)).isLetter
                || Character(Unicode.Scalar(byte)).isNumber
        }

        /// Whether the sign of an exponent is there: `1e-05`.
        private static func isExponent(_ bytes: [UInt8], _ index: Int) -> Bool {
            bytes[index - 1] == UInt8(ascii: "e") && [UInt8(ascii: "-"), UInt8(ascii: "+")].contains(bytes[index])
        }

        private var token: String { position < tokens.count ? tokens[position] : "" }

        private mutating func take() -> String {
            defer { position += 1 }
            return token
        }

        /// Goes over a comma, if one follows.
        mutating func takesComma() -> Bool {
            guard token == "," else { return false }
            position += 1
            return true
        }

        mutating func expression(_ least: Int) -> Node {
            var left = unary()
            while true {
                let own = precedence(token)
                guard own >= least, own > 0 else { return left }
                let mark = take()
                left = .binary(mark, left, expression(own + 1))
            }
        }

        private mutating func unary() -> Node {
            guard ["!", "-", "*", "&", "^"].contains(token) else { return operand() }
            let mark = take()
            return .unary(mark, unary())
        }

        private mutating func operand() -> Node {
            var node: Node
            if token == "(" {
                position += 1
                node = .parentheses(expression(1))
                position += 1
            } else if token == "[" {
                // The type of a list: `[]byte`, `[4]Point`.
                var name = ""
                while token == "[" || token == "]" || Int(token) != nil || token == "*" { name += take() }
                node = .atom(name + take())
            } else {
                node = .atom(take())
            }
            while true {
                switch token {
                case ".":
                    position += 1
                    node = .selector(node, take())
                case "(": node = .call(node, items(until: ")"))
                case "{": node = .composite(node, items(until: "}"))
                case "[":
                    position += 1
                    node = .index(node, expression(1))
                    position += 1
                default: return node
                }
            }
        }

        private mutating func items(until end: String) -> [Node] {
            position += 1
            var items: [Node] = []
            while token != end, !token.isEmpty {
                var item = expression(1)
                if token == ":" {
                    position += 1
                    item = .pair(item, expression(1))
                }
                items.append(item)
                _ = takesComma()
            }
            position += 1
            return items
        }
    }
}

extension GoFormat.Node {
    /// Returns the text of an operand of an operator with this precedence.
    fileprivate func text(_ least: Int, depth: Int) -> String {
        switch self {
        case .atom(let text): return text
        case .unary(let mark, let node): return mark + node.text(6, depth: depth)
        case .binary(let mark, let left, let right):
            let own = GoFormat.precedence(mark)
            let space = own < cutoff(depth) ? " " : ""
            let first = left.text(own, depth: depth + (left.precedence == own ? 0 : 1))
            return first + space + mark + space + right.text(own + 1, depth: depth + 1)
        case .parentheses(let node):
            // Double parentheses become single ones.
            if case .parentheses = node { return node.text(1, depth: depth) }
            return "(\(node.text(1, depth: max(1, depth - 1))))"
        case .selector(let node, let name): return node.text(7, depth: depth) + "." + name
        case .index(let node, let index): return "\(node.text(7, depth: 1))[\(index.text(1, depth: depth + 1))]"
        case .call(let function, let arguments):
            let inner = depth + (arguments.count > 1 ? 1 : 0)
            let list = arguments.map { $0.text(1, depth: inner) }.joined(separator: ", ")
            return "\(function.text(7, depth: inner))(\(list))"
        case .composite(let type, let items):
            return "\(type.text(7, depth: depth)){\(items.map { $0.text(1, depth: 1) }.joined(separator: ", "))}"
        case .pair(let key, let value): return "\(key.text(1, depth: 1)): \(value.text(1, depth: 1))"
        }
    }

    private var precedence: Int { if case .binary(let mark, _, _) = self { GoFormat.precedence(mark) } else { 0 } }

    /// The precedence from which on operators have no spaces.
    private func cutoff(_ depth: Int) -> Int {
        let found = operators
        if found.problem > 0 { return found.problem + 1 }
        if found.hasSum && found.hasProduct { return depth == 1 ? 5 : 4 }
        return depth == 1 ? 6 : 4
    }

    /// Which kinds of operators an expression has outside of parentheses, and whether two marks would run together.
    private var operators: (hasSum: Bool, hasProduct: Bool, problem: Int) {
        guard case .binary(let mark, let left, let right) = self else { return (false, false, 0) }
        var (hasSum, hasProduct, problem) = (precedence == 4, precedence == 5, 0)
        if left.precedence >= precedence {
            let inner = left.operators
            (hasSum, hasProduct) = (hasSum || inner.hasSum, hasProduct || inner.hasProduct)
            problem = max(problem, inner.problem)
        }
        if right.precedence > precedence {
            let inner = right.operators
            (hasSum, hasProduct) = (hasSum || inner.hasSum, hasProduct || inner.hasProduct)
            problem = max(problem, inner.problem)
        }
        if case .unary(let inner, _) = right {
            switch mark + inner {
            case "/*", "&&", "&^": problem = 5
            case "++", "--": problem = max(problem, 4)
            default: break
            }
        }
        return (hasSum, hasProduct, problem)
    }
}
