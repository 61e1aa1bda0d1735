// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

enum ConditionOperand: Sendable {
    /// A number known at generation; it is 0 unless `isSet` holds.
    case literal(Int128, isSet: Expression? = nil)
    /// A number of a format; it is `usual` unless `isSet` holds.
    case number(Expression, IntegerFormat, isSet: Expression? = nil, usual: Int128 = 0)
    case boolean(Expression, isSet: Expression? = nil, usual: Int128 = 0)
}

extension StatementBuilder {
    func condition(
        _ condition: WireCondition, operand: (WireCondition.Operand) -> ConditionOperand
    ) -> Expression {
        switch condition {
        case .isSet(let tested): test(operand(tested), .unequal, 0)
        case .compares(let tested, let comparison, let number): test(operand(tested), comparison, number)
        case .not(let inner): .not(self.condition(inner, operand: operand))
        case .and(let left, let right):
            self.condition(left, operand: operand).and(self.condition(right, operand: operand))
        case .or(let left, let right):
            self.condition(left, operand: operand).or(self.condition(right, operand: operand))
        }
    }

    /// Returns a condition on fields of a packet's header as an expression.
    ///
    /// - Parameter operand: Returns the operand for a field, by its index in the layout.
    func condition(
        _ condition: WireCondition, in layout: PacketLayout, operand: (Int) -> ConditionOperand
    ) -> Expression {
        self.condition(condition) { tested in
            guard case .field(let name) = tested else { return .literal(0) }
            return layout.header.firstIndex { $0.name == name }.map(operand) ?? .literal(0)
        }
    }

    private func test(
        _ operand: ConditionOperand, _ comparison: WireCondition.Comparison, _ number: Int128
    ) -> Expression {
        switch operand {
        case .literal(let value, let isSet):
            return joined(
                isSet, isSoWithout: comparison.holds(0, number), .boolean(comparison.holds(value, number)))
        case .number(let value, let format, let isSet, let usual):
            return joined(
                isSet, isSoWithout: comparison.holds(usual, number), compared(value, comparison, number, format))
        case .boolean(let value, let isSet, let usual):
            let (without, with) = (comparison.holds(0, number), comparison.holds(1, number))
            let test = without == with ? .boolean(with) : with ? value : .not(value)
            return joined(isSet, isSoWithout: comparison.holds(usual, number), test)
        }
    }

    private func joined(_ isSet: Expression?, isSoWithout: Bool, _ test: Expression) -> Expression {
        guard let isSet else { return test }
        return isSoWithout ? Expression.not(isSet).or(test) : isSet.and(test)
    }

    private func compared(
        _ value: Expression, _ comparison: WireCondition.Comparison, _ number: Int128, _ format: IntegerFormat
    ) -> Expression {
        guard let mark = Expression.Operator(comparison) else {
            // Mono's compiler reads an optional value before it tests for presence.
            if number == 0 { return false }
            let bits = dialect.unsigned(format.bitWidth)
            let mask = Expression.number(number & bits.range.upperBound, bits)
            let shared = Expression.binary(.bitAnd, value.converted(from: format, to: bits), mask)
            return shared.compared(.unequal, 0, bits)
        }
        // A literal beyond the type would not compile.
        let held = dialect.range(of: format)
        if !held.contains(number) {
            return .boolean(comparison.holds(held.lowerBound > number ? number + 1 : number - 1, number))
        }
        return value.compared(mark, number, format)
    }

    /// Returns the operand for one of the packet's fields, in the header `h`.
    ///
    /// An absent field counts as the value that will be written; in a header that was read, as 0.
    func headerOperand(_ name: String, isWritten: Bool) -> ConditionOperand {
        guard let position = plan.description.packetField(named: name) else { return .literal(0) }
        let field = plan.description.layout.fields[position]
        var usual: Int128 = 0
        switch field.role {
        case .constant(let value): if isWritten { return .literal(value.number) }
        case .value(let value): if isWritten { usual = value.number }
        default: break
        }
        let own = Expression.member("h", plan.names.headerFields[position])
        let isAlways =
            isWritten
            ? isGiven(headerField: position)
            : !dialect.hasSparseHeaders && plan.hasAlways(headerField: position)
        let type = headerType(position)
        let value = isAlways ? own : .present(own, type)
        let isSet = isAlways ? nil : own.isSet
        // A program may set a boolean in a table to any number; that is refused later.
        if field.format.isBoolean, !dialect.hasSparseHeaders { return .boolean(value, isSet: isSet, usual: usual) }
        let number = plan.headerNumber(position)?.number(of: value) ?? value
        return .number(number, format(of: field.format), isSet: isSet, usual: usual)
    }
}

extension Expression.Operator {
    /// Makes the operator of a comparison; nil for the test of shared bits.
    fileprivate init?(_ comparison: WireCondition.Comparison) {
        guard comparison != .sharesBit, let mark = Self(rawValue: comparison.rawValue) else { return nil }
        self = mark
    }
}
