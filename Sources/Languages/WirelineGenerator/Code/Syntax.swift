// SPDX-License-Identifier: Apache-2.0

/// An expression in a language, except for its spaces.
///
/// Parentheses follow from the levels of operators in a ``CodeStyle``.
indirect enum Syntax {
    /// A literal, a name or a type.
    case atom(String)
    /// A mark or a conversion before its operand: `!`, `*`, `(int)`.
    case prefix(String, Syntax)
    case binary(String, level: Int, Syntax, Syntax)
    /// Operands joined by the same operator.
    case chain(String, level: Int, [Syntax])
    case parentheses(Syntax)
    case selector(Syntax, String)
    case index(Syntax, Syntax)
    case call(Syntax, [Syntax])
    /// A value made of others, with optional names before them: `Point{X: 1}`.
    case composite(String, [(name: String?, value: Syntax)])
    case conditional(Syntax, Syntax, Syntax)

    /// How tightly its parts are bound.
    private var level: Int {
        switch self {
        case .conditional: 0
        case .binary(_, let level, _, _), .chain(_, let level, _): level
        case .prefix: 90
        case .atom, .parentheses, .selector, .index, .call, .composite: 100
        }
    }

    /// Returns it as an operand, in parentheses if its level is below the minimum.
    private func operand(_ least: Int) -> Syntax { level < least ? .parentheses(self) : self }

    static func marked(_ mark: String, _ inner: Syntax) -> Syntax { .prefix(mark, inner.operand(90)) }

    static func member(_ inner: Syntax, _ name: String) -> Syntax { .selector(inner.operand(100), name) }

    /// Joins two operands, with parentheses where they are needed.
    static func joined(_ mark: String, level: Int, _ left: Syntax, _ right: Syntax) -> Syntax {
        .binary(mark, level: level, left.operand(level), right.operand(level + 1))
    }

    /// Joins operands whose grouping does not matter: `a + (b - c)` becomes `a + b - c`.
    static func chained(_ mark: String, level: Int, _ operands: [Syntax]) -> Syntax {
        var parts: [Syntax] = []
        for operand in operands {
            switch operand {
            case .chain(let inner, _, let more) where inner == mark: parts += more
            case .binary(let inner, let own, let first, let second) where own == level && !parts.isEmpty:
                parts = [.binary(inner, level: level, .chain(mark, level: level, parts + [first]), second)]
            default: parts.append(operand.operand(parts.isEmpty ? level : level + 1))
            }
        }
        return parts.count == 1 ? parts[0] : .chain(mark, level: level, parts)
    }

    static func chosen(_ condition: Syntax, _ first: Syntax, _ second: Syntax) -> Syntax {
        .conditional(condition.operand(1), first.operand(1), second.operand(0))
    }

    // MARK: Text

    /// The text with a space on both sides of each operator.
    var text: String {
        switch self {
        case .atom(let text): text
        case .prefix(let mark, let inner): mark + inner.text
        case .binary(let mark, _, let left, let right): "\(left.text) \(mark) \(right.text)"
        case .chain(let mark, _, let parts): parts.map(\.text).joined(separator: " \(mark) ")
        case .parentheses(let inner): "(\(inner.text))"
        case .selector(let inner, let name): "\(inner.text).\(name)"
        case .index(let list, let index): "\(list.text)[\(index.text)]"
        case .call(let function, let arguments):
            "\(function.text)(\(arguments.map(\.text).joined(separator: ", ")))"
        case .composite(let type, let items):
            "\(type){\(items.map { ($0.name.map { $0 + ": " } ?? "") + $0.value.text }.joined(separator: ", "))}"
        case .conditional(let condition, let first, let second):
            "\(condition.text) ? \(first.text) : \(second.text)"
        }
    }
}
