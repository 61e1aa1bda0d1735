// SPDX-License-Identifier: Apache-2.0

import WirelineLanguage

struct SwiftField {
    /// The field and its relations to the others.
    let plan: PlannedField
    /// The name of the property, without backticks; empty if the field has no value.
    let name: String
    /// The property that stores the value.
    ///
    /// It differs from `name` if the field is deprecated, so that generated code can use it without a warning.
    let storage: String
    /// Whether the value is in a local variable instead of a property, as in a union's arm.
    var isLocal = false
    /// The type of the value if it is present.
    let valueType: String
    /// The default argument of the memberwise initializer.
    let defaultValue: String?

    var description: FieldDescription { plan.description }
    /// The index among the fields, which errors use.
    var index: Int { plan.index }
    var type: TypeDescription { plan.type }
    var isOptional: Bool { plan.isOptional }
    var hasValue: Bool { plan.hasValue }
    var mayBeUnset: Bool { plan.mayBeUnset }
    var propertyType: String { valueType + (mayBeUnset ? "?" : "") }
    /// The expression for the value inside a method; no local name shadows it.
    ///
    /// A derived field has it only while it is read.
    var access: String {
        plan.isDerived ? "derived\(index)" : (isLocal ? "" : "self.") + SwiftIdentifier.quoted(storage)
    }
    /// The left side of the assignment of a value just read.
    var target: String { plan.isDerived ? "let \(access): \(valueType)" : access }

    /// Returns the fields of a message or a structure.
    ///
    /// - Parameter reserved: The names of other members.
    static func all(_ list: [PlannedField], _ types: SwiftTypes, reserved: Set<String>) -> [SwiftField] {
        let wanted = list.filter(\.hasValue).map {
            SwiftWords.lowerCamel($0.description.alias ?? $0.description.name, fallback: "value")
        }
        var names = SwiftIdentifier.members(wanted, reserved: reserved)[...]
        var taken = reserved.union(names)
        return list.map { plan in
            let description = plan.description
            let name = plan.hasValue ? names.removeFirst() : ""
            let storage =
                description.deprecation == nil
                ? name : SwiftIdentifier.unique(name + "Storage", among: &taken)
            var defaultValue: String?
            switch description.presence {
            case .required: break
            case .optional, .when, .nullable: defaultValue = "nil"
            case .since(_, let value): defaultValue = types.value(value, of: description.type)
            }
            return SwiftField(
                plan: plan, name: name, storage: storage,
                valueType: types.text(description.type), defaultValue: defaultValue)
        }
    }
}

extension SwiftTypes {
    /// Returns the fields for errors: their names, and the bytes that an error at the end of a number or a count skips.
    func fieldTable(_ body: BodyPlan) -> String {
        body.fields.map { "\($0.description.name) \(plan.leadingByteCount(of: $0.description))" }.joined(separator: " ")
    }
}
