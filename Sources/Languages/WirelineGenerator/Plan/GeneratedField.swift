// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// A field of a message, a structure or an arm: its name, and how to read and write it.
struct GeneratedField: Sendable {
    /// Its relations to the other fields of its body.
    let planned: PlannedField
    /// The name in the language; empty if programs do not see the field.
    let ownName: String
    let value: ValuePlan
    /// The value if the bytes end before it, or if a program does not set it; nil without `@since`.
    let absent: LiteralPlan?
    /// The value in the zero of its structure, and in a new message.
    let zero: LiteralPlan
    /// Its constant bytes; nil if programs or other fields decide them.
    let constant: PlannedConstant?

    var description: FieldDescription { planned.description }
    /// The name in the schema, as in errors.
    var name: String { planned.description.name }
    var index: Int { planned.index }
    /// Whether a program may leave it out, so that its type is optional.
    var mayBeUnset: Bool { planned.mayBeUnset }
    /// Whether its value is always present in bytes of its own.
    var isPlain: Bool {
        planned.hasValue && !planned.mayBeUnset && description.packing == nil
    }
    /// Whether its type has a zero value; a union has none.
    var hasZero: Bool { if case .union = value.content { false } else { true } }
    var isInZero: Bool { planned.hasValue && description.presence.isInZero }

    /// Returns its value in a new body; nil if it is absent, has no zero, or is not a member.
    ///
    /// In the zero of a structure, a conditional field is present if its condition holds. In a message, the program
    /// sets it.
    func initial(isMessage: Bool) -> LiteralPlan? {
        isInZero && !(isMessage && mayBeUnset) && (absent != nil || hasZero) ? zero : nil
    }
}

/// The fields of a message, a structure or an arm, in order, with their names.
struct BodyFields: Sendable {
    let plan: BodyPlan
    let fields: [GeneratedField]
    /// The name of the field for bytes after the last known one; nil if there is none.
    let trailing: String?

    init(_ plan: BodyPlan, _ names: CodeNames.Body, _ coding: CodingPlan) {
        self.init(plan, names.fields, trailing: names.trailing, coding)
    }

    /// Plans an arm of a union; it has one field or none.
    init(arm plan: BodyPlan, _ coding: CodingPlan) {
        self.init(plan, plan.fields.map { _ in "value" }, trailing: nil, coding)
    }

    private init(_ plan: BodyPlan, _ names: [String], trailing: String?, _ coding: CodingPlan) {
        self.plan = plan
        self.trailing = trailing
        let body = plan.fields.map(\.description)
        fields = zip(plan.fields, names).map { field, name in
            let absent = coding.absentValue(of: field.description)
            return GeneratedField(
                planned: field, ownName: name,
                value: coding.value(
                    field.type, field.description, in: body, tagSource: field.reference.tagSource),
                absent: absent, zero: absent ?? coding.zero(of: field.type),
                constant: coding.description.constant(of: field.description))
        }
    }

    /// Returns the group whose first field this is; nil for other fields.
    func run(beginningAt index: Int) -> PlannedRun? { plan.runs.first { $0.bits.first?.field == index } }

    /// Returns the group whose last field this is; nil for other fields.
    func run(endingAt index: Int) -> PlannedRun? { plan.runs.first { $0.bits.last?.field == index } }

    /// Returns the union whose tag a field holds, with its field; nil if it holds none.
    func union(taggedBy field: GeneratedField) -> (field: GeneratedField, index: Int)? {
        guard let user = field.planned.reference.user, case .union(let index) = fields[user].planned.type.content
        else { return nil }
        return (fields[user], index)
    }
}
