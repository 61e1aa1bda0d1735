// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSchema

/// A field of a body.
final class RecordField: Sendable {
    /// The name in the schema, which errors have.
    let name: String
    let form: ValueForm
    let role: Role
    let presence: Presence
    let limits: FieldLimits
    /// The place among the fields that share bytes with it; nil if there are none.
    let packing: FieldPacking?
    /// The field that has the number of items or bytes; nil if none does.
    let count: Count?
    /// The index of the field that holds the tag of this union; nil if the tag stands before the value.
    let tagSource: Int?
    /// Whether its number decides about later fields.
    let keepsNumber: Bool
    /// Whether nothing may be set that follows an optional field which is not set.
    let followsOptional: Bool

    enum Role: Sendable {
        /// A field of the record.
        case value
        /// The tag of the union at this index of the body.
        case tag(Int)
        /// The number of items or bytes of others.
        case counter
        /// The same in each body; nil for padding.
        case filler(PlannedConstant?, byteCount: Int)
    }

    enum Presence: Sendable {
        case required
        /// If the bytes end before it, the record has this term.
        case appended(absent: [UInt8], isOptional: Bool)
        case conditional(FieldCondition)
        /// Its prefix says whether it is there.
        case nullable
    }

    struct Count: Sendable {
        /// The index of the field that has the number.
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

    /// Whether it is a field of the record.
    var hasValue: Bool { if case .value = role { true } else { false } }

    /// Whether the record may have `undefined` in its place.
    var mayBeUnset: Bool {
        switch presence {
        case .required: false
        case .appended(_, let isOptional): isOptional
        case .conditional, .nullable: true
        }
    }

    /// Whether nothing may be set after it if it is not set.
    var isOptional: Bool { if case .appended(_, isOptional: true) = presence { true } else { false } }
}
