// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSchema

final class RecordField: Sendable {
    /// The name in the schema, for errors.
    let name: String
    let form: ValueForm
    let role: Role
    let presence: Presence
    let limits: FieldLimits
    /// The position in its bit group; nil: it has none.
    let packing: FieldPacking?
    /// The earlier field that holds its length; nil: none does.
    let count: Count?
    /// The index of the field that holds this union's tag; nil: the tag stands before the value.
    let tagSource: Int?
    /// Whether later fields depend on its number.
    let keepsNumber: Bool
    /// Whether it must be unset if an optional field before it is unset.
    let followsOptional: Bool

    enum Role: Sendable {
        /// A value in the record.
        case value
        /// The tag of the union at this index of the body.
        case tag(Int)
        /// A count of another field's items or bytes.
        case counter
        /// A constant; nil for padding.
        case filler(PlannedConstant?, byteCount: Int)
    }

    enum Presence: Sendable {
        case required
        /// If the bytes end before it, the record contains this term.
        case appended(absent: [UInt8], isOptional: Bool)
        case conditional(FieldCondition)
        /// Its prefix says whether it is present.
        case nullable
    }

    struct Count: Sendable {
        /// The index of the field that holds the number.
        let source: Int
        let addend: Int
        let range: ClosedRange<Int>
    }

    init(
        _ planned: PlannedField, _ form: ValueForm, role: Role, presence: Presence, count: Count?, keepsNumber: Bool
    ) {
        let field = planned.description
        name = field.name
        self.form = form
        self.role = role
        self.presence = presence
        self.count = count
        self.keepsNumber = keepsNumber
        packing = field.packing
        tagSource = planned.reference.tagSource
        followsOptional = planned.followsOptional
        limits = FieldLimits(
            range: field.range, floatRange: field.floatRange, maximumCount: field.maximumCount)
    }

    var hasValue: Bool { if case .value = role { true } else { false } }

    /// Whether the record may contain `undefined` for it.
    var mayBeUnset: Bool {
        switch presence {
        case .required: false
        case .appended(_, let isOptional): isOptional
        case .conditional, .nullable: true
        }
    }

    /// Whether later fields must be unset if it is unset.
    var isOptional: Bool { if case .appended(_, isOptional: true) = presence { true } else { false } }
}
