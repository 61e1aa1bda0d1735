// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// What a condition looks at.
enum ConditionOperand: Sendable {
    /// A number that is known when code is generated; with `isSet` it is 0 unless that holds.
    case literal(Int128, isSet: String? = nil)
    /// A number of a format; with `isSet` it is `usual` unless that holds.
    case number(String, IntegerFormat, isSet: String? = nil, usual: Int128 = 0)
    case boolean(String, isSet: String? = nil, usual: Int128 = 0)
}

extension StatementPrinter {
    /// Returns the expression that a condition holds.
    func condition(
        _ condition: WireCondition, operand: @escaping (WireCondition.Operand) -> ConditionOperand
    ) -> String {
        condition.text(
            in: ConditionNotation(
                not: "!", bindsNotTightly: true, and: " && ", or: " || ",
                isSet: { test(operand($0), .unequal, 0) }, compares: { test(operand($0), $1, $2) }))
    }

    private func test(
        _ operand: ConditionOperand, _ comparison: WireCondition.Comparison, _ number: Int128
    ) -> String {
        switch operand {
        case .literal(let value, let isSet):
            return joined(
                isSet, isSoWithout: comparison.holds(0, number), String(comparison.holds(value, number)))
        case .number(let text, let format, let isSet, let usual):
            return joined(
                isSet, isSoWithout: comparison.holds(usual, number), compared(text, comparison, number, format))
        case .boolean(let text, let isSet, let usual):
            let (without, with) = (comparison.holds(0, number), comparison.holds(1, number))
            let test = without == with ? String(with) : with ? text : "!(\(text))"
            return joined(isSet, isSoWithout: comparison.holds(usual, number), test)
        }
    }

    private func joined(_ isSet: String?, isSoWithout: Bool, _ test: String) -> String {
        guard let isSet else { return test }
        return isSoWithout ? "(!(\(isSet)) || \(test))" : "(\(isSet) && \(test))"
    }

    private func compared(
        _ text: String, _ comparison: WireCondition.Comparison, _ number: Int128, _ format: IntegerFormat
    ) -> String {
        guard comparison == .sharesBit else {
            // A literal beyond the type would not compile.
            let held = dialect.range(of: format)
            if !held.contains(number) {
                return String(comparison.holds(held.lowerBound > number ? number + 1 : number - 1, number))
            }
            return dialect.compare(text, comparison.rawValue, number, format)
        }
        // Mono's compiler reads the value before it looks whether there is one.
        if number == 0 { return "false" }
        let wide = dialect.convert(text, from: format, to: .uint64)
        let mask = number & ((1 << 64) - 1)
        return dialect.compare("(\(wide) & \(dialect.literal(mask, .uint64)))", "!=", 0, .uint64)
    }

    /// Returns what a condition sees in one of the packet's fields, in the header `h`.
    ///
    /// In a header that is written, what is absent counts as what will be written; in one that was read, as 0.
    func headerOperand(_ name: String, isWritten: Bool) -> ConditionOperand {
        guard let position = plan.description.packetField(named: name) else { return .literal(0) }
        let field = plan.description.layout.fields[position]
        var usual: Int128 = 0
        switch field.role {
        case .constant(let value): if isWritten { return .literal(value.number) }
        case .value(let value): if isWritten { usual = value.number }
        default: break
        }
        let own = dialect.headerMember("h", plan.names.headerFields[position])
        let isAlways = plan.hasAlways(headerField: position)
        let type = plan.headerType(position)
        let value = isAlways ? own : dialect.present(own, type)
        let isSet = isAlways ? nil : dialect.isSet(own)
        if field.format.isBoolean { return .boolean(value, isSet: isSet, usual: usual) }
        let number = plan.headerNumber(position).map { dialect.number(of: value, $0) } ?? value
        return .number(number, field.format.numberFormat, isSet: isSet, usual: usual)
    }
}
