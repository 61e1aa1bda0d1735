// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension SwiftTypes {
    /// Returns a field's condition as an expression for an `if`.
    ///
    /// - Parameter fields: All fields of the body.
    func condition(of field: SwiftField, among fields: [SwiftField]) -> String {
        guard let condition = field.plan.condition else { return "true" }
        return condition.text(
            in: ConditionNotation(
                not: "!", bindsNotTightly: true, and: " && ", or: " || ",
                isSet: { operand in
                    let value = number(operand, among: fields)
                    return switch Self.field(operand, among: fields)?.type {
                    case .boolean, .bit: value
                    default: "\(value) != 0"
                    }
                },
                compares: { operand, comparison, number in
                    let value = self.number(operand, among: fields)
                    let shown = comparison == .sharesBit ? "!= 0" : ""
                    return "\(value) \(comparison.rawValue) \(number)" + (shown.isEmpty ? "" : " " + shown)
                }))
    }

    private static func field(_ operand: WireCondition.Operand, among fields: [SwiftField]) -> SwiftField? {
        guard case .field(let name) = operand else { return nil }
        return fields.first { $0.description.name == name }
    }

    /// Returns the expression for an operand's number, or for a `bool` of the body.
    private func number(_ operand: WireCondition.Operand, among fields: [SwiftField]) -> String {
        switch operand {
        case .field: Self.field(operand, among: fields).map(number) ?? "0"
        case .header(let name): "(header[\(SwiftText.literal(name))] ?? 0)"
        // Conditions of a message's fields cannot use these.
        case .sender, .nested, .state: "0"
        }
    }

    /// Returns the expression for a field's number, or for a `bool`; an unset field counts as 0.
    private func number(_ field: SwiftField) -> String {
        switch (field.type, field.mayBeUnset) {
        case (.enumeration, false), (.flags, false): "\(field.access).rawValue"
        case (.enumeration, true), (.flags, true): "(\(field.access)?.rawValue ?? 0)"
        case (.boolean, true): "(\(field.access) ?? false)"
        case (_, true): "(\(field.access) ?? 0)"
        case (_, false): field.access
        }
    }
}
