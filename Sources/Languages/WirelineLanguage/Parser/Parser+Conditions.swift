// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Reads conditions. Comparisons bind most tightly, then `not`, then `and`, then `or`.
extension Parser {
    /// The attribute whose argument is a condition.
    static let conditionAttribute = "if"
    /// The limit of nested `not` and parentheses; each takes a level of the parser's stack.
    private static let conditionDepthLimit = 16
    /// The limit of tests in a condition: enough for any protocol, and few enough for every walk over it.
    private static let conditionTestLimit = 32

    /// Reads a condition; nil if an error was reported.
    mutating func parseCondition() -> ConditionSyntax? {
        let start = span(of: current)
        var testCount = 0
        guard let condition = parseDisjunction(depth: 0, &testCount) else { return nil }
        if current.kind == .bar {
            reportExpected("`)` after the condition", help: "write `or`")
            return nil
        }
        guard testCount <= Self.conditionTestLimit else {
            reporter.error(
                "this condition has \(testCount) tests, and a condition has at most \(Self.conditionTestLimit)",
                at: start.through(condition.span), help: "test an enum or flags that say the same")
            return nil
        }
        return condition
    }

    /// Reads conditions joined by `or`.
    private mutating func parseDisjunction(depth: Int, _ testCount: inout Int) -> ConditionSyntax? {
        guard var condition = parseConjunction(depth: depth, &testCount) else { return nil }
        while takeWord("or") != nil {
            guard let next = parseConjunction(depth: depth, &testCount) else { return nil }
            // A longer condition is refused. Its tree is not built, because releasing it would need too deep a stack.
            if testCount <= Self.conditionTestLimit { condition = .or(condition, next) }
        }
        return condition
    }

    /// Reads tests joined by `and`.
    private mutating func parseConjunction(depth: Int, _ testCount: inout Int) -> ConditionSyntax? {
        guard var condition = parseTest(depth: depth, &testCount) else { return nil }
        while takeWord("and") != nil {
            guard let next = parseTest(depth: depth, &testCount) else { return nil }
            if testCount <= Self.conditionTestLimit { condition = .and(condition, next) }
        }
        return condition
    }

    private mutating func parseTest(depth: Int, _ testCount: inout Int) -> ConditionSyntax? {
        guard depth < Self.conditionDepthLimit else {
            reporter.error(
                "conditions stand more than \(Self.conditionDepthLimit) deep in one another", at: span(of: current),
                help: "write it with fewer parentheses and `not`")
            return nil
        }
        if startsNegation {
            let word = span(of: advance())
            return parseTest(depth: depth + 1, &testCount).map { .not($0, word) }
        }
        if take(.leftParenthesis) != nil {
            guard let condition = parseDisjunction(depth: depth + 1, &testCount),
                expect(.rightParenthesis, "after the condition") != nil
            else { return nil }
            return condition
        }
        testCount += 1
        return parseComparison()
    }

    /// Whether the word `not` is a negation here, and not the name of a field.
    private var startsNegation: Bool {
        guard current.kind == .name, text(of: current) == "not" else { return false }
        let next = token(ahead: 1)
        guard next.kind == .name else { return next.kind == .leftParenthesis }
        return text(of: next) != "and" && text(of: next) != "or"
    }

    private mutating func parseComparison() -> ConditionSyntax? {
        guard current.kind == .name else {
            let isNegation = current.kind == .unexpected && text(of: current) == "!"
            reportExpected("a field, as in `@if(version > 1)`", help: isNegation ? "write `not`" : nil)
            return nil
        }
        guard var name = expectName("a field") else { return nil }
        var header: NameSyntax?
        if take(.dot) != nil {
            guard let field = expectName("the name of the packet's field") else { return nil }
            (header, name) = (name, field)
        }
        let operand = OperandSyntax(header: header, name: name)
        if current.kind == .equals {
            reportExpected("`==`", help: "write `==`")
            return nil
        }
        guard current.kind == .comparison, let comparison = WireCondition.Comparison(rawValue: text(of: current)) else {
            return .test(operand, nil)
        }
        let mark = span(of: advance())
        guard let value = parseValue() else { return nil }
        return .test(operand, ComparisonSyntax(comparison: comparison, mark: mark, value: value))
    }

    private mutating func parseValue() -> ArgumentSyntax? {
        let what = "a number or a name to compare with"
        guard current.kind != .name else { return expectName(what).map { $0.isFaulty ? .faulty($0.span) : .name($0) } }
        if current.kind == .comparison, text(of: current) == "&" {
            reportExpected(what, help: "write `and`")
            return nil
        }
        return expectNumber(what).map { .number($0) }
    }

    private mutating func takeWord(_ word: String) -> Token? {
        current.kind == .name && text(of: current) == word ? advance() : nil
    }
}
