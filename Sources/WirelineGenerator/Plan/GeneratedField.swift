// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// A field of a message, a structure or an arm: what it is called, and how it is read and written.
struct GeneratedField: Sendable {
    /// What it must know about the other fields of its body.
    let planned: PlannedField
    /// The name in the language; empty if programs have no value for it.
    let ownName: String
    let value: ValuePlan
    /// The value if the bytes end before it, or if a program does not set it; nil without `@since`.
    let absent: LiteralPlan?
    /// The value in the zero of its structure, and in a new message.
    let zero: LiteralPlan
    /// The bytes that it always has; nil if programs or other fields decide.
    let constant: PlannedConstant?

    /// The field of the schema.
    var description: FieldDescription { planned.description }
    /// The name in the schema, which errors have.
    var name: String { planned.description.name }
    var index: Int { planned.index }
    /// Whether a program may leave it out, and its type has nothing.
    var mayBeUnset: Bool { planned.mayBeUnset }
    /// Whether it has a value that is always there, and nothing before it decides how it is read.
    var isPlain: Bool {
        planned.hasValue && !planned.mayBeUnset && description.packing == nil
    }
    /// Whether a value of its type can be made of nothing; a union has none.
    var hasZero: Bool { if case .union = value.content { false } else { true } }
    /// Whether it has a value in the zero of its structure.
    var isInZero: Bool { planned.hasValue && description.presence.isInZero }

    /// Returns the value that it has in a new body; nil if it is absent, has no zero, or is no member.
    ///
    /// A field with a condition is there in the zero of a structure if the condition holds; in a message a program sets it.
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

    /// Plans an arm of a union, which has one field or none.
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

    /// Returns the run that a field begins; nil if it begins none.
    func run(beginningAt index: Int) -> PlannedRun? { plan.runs.first { $0.bits.first?.field == index } }

    /// Returns the run that a field ends; nil if it ends none.
    func run(endingAt index: Int) -> PlannedRun? { plan.runs.first { $0.bits.last?.field == index } }

    /// Returns the index of the union whose tag a field has; nil if it has none.
    func union(taggedBy field: GeneratedField) -> (field: GeneratedField, index: Int)? {
        guard let user = field.planned.reference.user, case .union(let index) = fields[user].planned.type.content
        else { return nil }
        return (fields[user], index)
    }
}
