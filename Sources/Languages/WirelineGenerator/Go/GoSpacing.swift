// SPDX-License-Identifier: Apache-2.0

/// Prints expressions with `gofmt`'s spaces: `w.p-start` in an argument, but `w.p - start` by itself.
///
/// The rules are those of `binaryExpr` in Go's package `go/printer`.
extension Syntax {
    /// The text of a complete expression.
    var goText: String { goText(depth: 1) }

    private func goText(depth: Int) -> String {
        switch self {
        case .binary(let mark, _, let left, let right):
            let own = Self.goLevel(mark)
            let space = own < cutoff(depth) ? " " : ""
            let first = left.goText(depth: depth + (left.goLevel == own ? 0 : 1))
            return first + space + mark + space + right.goText(depth: depth + 1)
        case .chain(let mark, _, let parts):
            let space = Self.goLevel(mark) < cutoff(depth) ? " " : ""
            let texts = parts.enumerated().map { index, part in
                part.goText(depth: depth + (index == 0 && part.goLevel == Self.goLevel(mark) ? 0 : 1))
            }
            return texts.joined(separator: space + mark + space)
        case .prefix(let mark, let inner): return mark + inner.goText(depth: depth)
        case .parentheses(let inner): return "(\(inner.goText(depth: max(1, depth - 1))))"
        case .selector(let inner, let name): return inner.goText(depth: depth) + "." + name
        case .index(let list, let index): return "\(list.goText(depth: 1))[\(index.goText(depth: depth + 1))]"
        case .call(let function, let arguments):
            let inner = depth + (arguments.count > 1 ? 1 : 0)
            let list = arguments.map { $0.goText(depth: inner) }.joined(separator: ", ")
            return "\(function.goText(depth: inner))(\(list))"
        case .composite(let type, let items):
            let list = items.map { ($0.name.map { $0 + ": " } ?? "") + $0.value.goText(depth: 1) }
            return "\(type){\(list.joined(separator: ", "))}"
        case .atom, .conditional: return text
        }
    }

    private static func goLevel(_ mark: String) -> Int {
        switch mark {
        case "||": 1
        case "&&": 2
        case "==", "!=", "<", "<=", ">", ">=": 3
        case "+", "-", "|", "^": 4
        default: 5
        }
    }

    private var goLevel: Int {
        switch self {
        case .binary(let mark, _, _, _), .chain(let mark, _, _): Self.goLevel(mark)
        default: 0
        }
    }

    private var operands: [Syntax] {
        switch self {
        case .binary(_, _, let left, let right): [left, right]
        case .chain(_, _, let parts): parts
        default: []
        }
    }

    /// The level from which on operators have no spaces.
    private func cutoff(_ depth: Int) -> Int {
        let found = operators
        if found.problem > 0 { return found.problem + 1 }
        if found.hasSum && found.hasProduct { return depth == 1 ? 5 : 4 }
        return depth == 1 ? 6 : 4
    }

    /// The kinds of operators outside parentheses, and whether two marks would run together.
    private var operators: (hasSum: Bool, hasProduct: Bool, problem: Int) {
        let (own, operands) = (goLevel, operands)
        var (hasSum, hasProduct, problem) = (own == 4, own == 5, 0)
        for (index, operand) in operands.enumerated() where operand.goLevel >= own + (index == 0 ? 0 : 1) {
            let found = operand.operators
            (hasSum, hasProduct) = (hasSum || found.hasSum, hasProduct || found.hasProduct)
            problem = max(problem, found.problem)
        }
        if case .binary(let mark, _, _, .prefix(let inner, _)) = self {
            switch mark + inner {
            case "/*", "&&", "&^": problem = 5
            case "++", "--": problem = max(problem, 4)
            default: break
            }
        }
        return (hasSum, hasProduct, problem)
    }
}
