// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The conditions of fields in messages and structures.
extension ErlangTypes {
    /// Returns a condition as an expression.
    ///
    /// - Parameter operands: The numbers of earlier fields.
    func condition(_ condition: WireCondition, _ plan: BodyPlan, _ operands: [Int: Expression]) -> Expression {
        builder.condition(condition) { operand in
            let own = headerVariable(operand) ?? plan.field(operand).flatMap { operands[$0.index] }
            return own.map { .number($0, .int64) } ?? .literal(0)
        }
    }

    /// Binds the numbers of the packet fields that a message's conditions refer to.
    ///
    /// - Parameter usual: Returns the number of a field that the map `H` lacks.
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

    /// Returns the variable with the number of a packet field; nil for other operands.
    private func headerVariable(_ operand: WireCondition.Operand) -> Expression? {
        guard case .header(let name) = operand else { return nil }
        return description.packetField(named: name).map { "h\($0)" }
    }

    /// Returns the number of a valid value; 0 for a field that is not set.
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
