// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The conditions of fields in messages and structures.
extension ErlangTypes {
    /// Returns the expression that a condition holds.
    ///
    /// - Parameter operands: The numbers of earlier fields.
    func condition(_ condition: WireCondition, _ plan: BodyPlan, _ operands: [Int: Expression]) -> Expression {
        builder.condition(condition) { operand in
            let own = headerVariable(operand) ?? plan.field(operand).flatMap { operands[$0.index] }
            return own.map { .number($0, .int64) } ?? .literal(0)
        }
    }

    /// Returns what binds the numbers of the packet's fields at which the conditions of a message look.
    ///
    /// - Parameter usual: Returns the number of a field that the map `H` does not have.
    func headerNumbers(_ plan: BodyPlan, usual: (PacketField) -> Int128) -> [ErlangCode] {
        plan.headerOperands.compactMap { name in
            guard let position = description.packetField(named: name), let own = headerVariable(.header(name)) else {
                return nil
            }
            let field = description.layout.fields[position]
            let literal = headerLiteral(position, .integer(usual(field)))
            let value = ErlangCode.call("maps:get", [.atom(naming.packetFields[position]), "h", literal])
            return .match(own.code, headerNumber(field, position, value))
        }
    }

    /// Returns the variable with the number of one of the packet's fields; nil for another operand.
    private func headerVariable(_ operand: WireCondition.Operand) -> Expression? {
        guard case .header(let name) = operand else { return nil }
        return description.packetField(named: name).map { "h\($0)" }
    }

    /// Returns the number of a field's value, which is valid; 0 for one that is not set.
    func operandNumber(_ field: GeneratedField, _ own: Expression, _ place: ErlangPlace) -> ErlangCode {
        let number: ErlangCode =
            switch field.planned.type {
            case .boolean, .bit, .flags: self.number(field.value, own.code, place)
            default: uncheckedNumber(field.value, own.code)
            }
        guard field.mayBeUnset else { return number }
        return .choose(own.code, [.init(Expression.nothing.code, body: [0]), .init(.ignored, body: [number])])
    }
}
