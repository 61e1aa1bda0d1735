// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How conditions appear in generated Erlang.
extension ErlangTypes {
    /// Returns the expression that a condition holds.
    ///
    /// - Parameter operand: Returns the expression for an operand's number.
    func condition(_ condition: WireCondition, operand: @escaping (WireCondition.Operand) -> String) -> String {
        condition.text(
            in: ConditionNotation(
                not: "not ", bindsNotTightly: true, and: " andalso ", or: " orelse ",
                isSet: { "\(operand($0)) =/= 0" },
                compares: { name, comparison, number in
                    let value = Self.number(number)
                    return comparison == .sharesBit
                        ? "\(operand(name)) band \(number < 0 ? "(\(value))" : value) =/= 0"
                        : "\(operand(name)) \(comparison.erlangMark) \(value)"
                }))
    }

    /// Returns the statements that bind the numbers of the packet's fields which the conditions of a message look at.
    ///
    /// - Parameter usual: Returns the number of a field that the map `H` does not have.
    func headerNumbers(_ plan: BodyPlan, usual: (PacketField) -> Int128) -> [String] {
        plan.headerOperands.compactMap { name in
            guard let index = description.packetField(named: name), let variable = headerVariable(.header(name))
            else { return nil }
            let key = ErlangText.atom(naming.packetFields[index])
            let value = packetFieldLiteral(index, usual(description.layout.fields[index]))
            return "\(variable) = \(packetFieldNumber(index, "maps:get(\(key), H, \(value))"))"
        }
    }

    /// Returns the variable with the number of one of the packet's fields; nil for another operand.
    func headerVariable(_ operand: WireCondition.Operand) -> String? {
        guard case .header(let name) = operand else { return nil }
        return description.packetField(named: name).map { "H\($0 + 1)" }
    }

    /// Returns the expression for the number of a field's value, which is valid; 0 for one that is not set.
    func operandNumber(_ field: PlannedField, _ value: String, _ place: ErlangPlace) -> String {
        let number =
            switch field.type {
            case .boolean, .bit: "boolean(\(value), \(place.name), \(place.path))"
            case .enumeration(let index, _): "\(numberFunction(index))(\(value))"
            case .flags(let index, _):
                "bits(\(value), \(masksFunction(index))(), "
                    + "\(Self.number(plan.number(field.type)?.allowed.upperBound ?? 0)), \(place.name), \(place.path))"
            default: value
            }
        return field.mayBeUnset ? "case \(value) of undefined -> 0; _ -> \(number) end" : number
    }
}

extension WireCondition.Comparison {
    fileprivate var erlangMark: String {
        switch self {
        case .equal: "=:="
        case .unequal: "=/="
        case .lessOrEqual: "=<"
        case .less, .greater, .greaterOrEqual: rawValue
        case .sharesBit: "band"
        }
    }
}
