// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A condition: `kind == 3 or not (flags & 0x10)`.
indirect enum ConditionSyntax {
    case test(OperandSyntax, ComparisonSyntax?)
    /// The span of the word `not`.
    case not(ConditionSyntax, SourceSpan)
    case and(ConditionSyntax, ConditionSyntax)
    case or(ConditionSyntax, ConditionSyntax)

    var span: SourceSpan {
        switch self {
        case .test(let operand, let comparison): comparison.map { operand.span.through($0.value.span) } ?? operand.span
        case .not(let condition, let word): word.through(condition.span)
        case .and(let left, let right), .or(let left, let right): left.span.through(right.span)
        }
    }

    var tests: [(operand: OperandSyntax, comparison: ComparisonSyntax?)] {
        switch self {
        case .test(let operand, let comparison): [(operand, comparison)]
        case .not(let condition, _): condition.tests
        case .and(let left, let right), .or(let left, let right): left.tests + right.tests
        }
    }
}

/// The operand of a condition: `kind` or `header.qos`.
struct OperandSyntax {
    /// The word `header` before the dot.
    var header: NameSyntax?
    var name: NameSyntax

    var span: SourceSpan { header.map { $0.span.through(name.span) } ?? name.span }

    /// The operand as written, without spaces.
    var text: String { header.map { $0.text + "." + name.text } ?? name.text }
}

/// A comparison with a value: `== 3`.
struct ComparisonSyntax {
    var comparison: WireCondition.Comparison
    var mark: SourceSpan
    /// A number or a name.
    var value: ArgumentSyntax
}
