// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// A field that is always present, that no other field depends on, and whose value contains no others.
///
/// Most messages have only such fields. Unlike a ``RecordField``, it can be copied without counting references.
struct PlainField: Sendable {
    enum Form: Sendable {
        case integer(IntegerFormat, ByteOrder)
        case string(ValueForm.Extent)
        case bytes(ValueForm.Extent)
    }

    let form: Form
    let limits: FieldLimits

    /// Nil if the field is not plain.
    init?(_ field: RecordField) {
        guard field.hasValue, field.packing == nil, field.count == nil, field.tagSource == nil, !field.keepsNumber,
            !field.followsOptional, case .required = field.presence
        else { return nil }
        switch field.form {
        case .integer(let format, let order): form = .integer(format, order)
        case .string(let extent): form = .string(extent)
        case .bytes(let extent): form = .bytes(extent)
        default: return nil
        }
        limits = field.limits
    }
}
