// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
import WirelineLanguage

/// The fields of a message or a structure, found by name.
///
/// Plans are objects, not values: reading and writing recurse into structures, and a copy of a whole description would
/// take kilobytes of stack at each step.
final class JSONFieldList: Sendable {
    let fields: [JSONField]
    /// The format of a sized structure's byte count, which precedes its fields.
    let sizePrefix: CountFormat?
    let sizePrefixOrder: ByteOrder
    private let indices: [String: Int]

    init(
        _ fields: [FieldDescription], sizePrefix: CountFormat? = nil, sizePrefixOrder: ByteOrder = .bigEndian,
        _ defaults: DefaultValues
    ) {
        let body = BodyPlan.references(in: fields)
        self.fields = zip(fields, body).map { field, reference in
            JSONField(field, reference, constant: defaults.constant(of: field), absent: defaults.value(of: field))
        }
        self.sizePrefix = sizePrefix
        self.sizePrefixOrder = sizePrefixOrder
        indices = Dictionary(
            fields.enumerated().filter(\.element.hasValue).map { ($1.name, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Returns the index of the field with exactly this name that has a value.
    ///
    /// - Parameter expected: Its index if members are in the order of the fields.
    func index(of name: String, expected: Int) -> Int? {
        if fields.indices.contains(expected), fields[expected].hasValue, fields[expected].name.hasSameBytes(as: name) {
            return expected
        }
        guard let index = indices[name], fields[index].name.hasSameBytes(as: name) else { return nil }
        return index
    }

    /// The names of the fields that have a value.
    var names: [String] { fields.filter(\.hasValue).map(\.name) }
}

final class JSONField: Sendable {
    let name: String
    let type: TypeDescription
    /// The place among the fields that share bytes with it; nil if there are none.
    let packing: FieldPacking?
    /// The bytes of a constant; nil for other fields.
    let constant: PlannedConstant?
    let isOptional: Bool
    /// Its condition; nil if it is always present.
    let condition: WireCondition?
    let mayBeUnset: Bool
    /// Whether its prefix can say that it is absent.
    let isNullable: Bool
    /// Whether the bytes may end before it.
    let mayBeAbsent: Bool
    /// The value of a `@since` field if the bytes end before it; nil for other fields.
    let absent: JSONValue?
    let limits: FieldLimits
    let isSensitive: Bool
    /// The field that holds the tag of this union; nil if the tag precedes the value.
    let tagSource: Int?
    /// The union whose tag this field is; nil for other fields.
    let user: Int?

    /// Whether it has a key in JSON.
    let hasValue: Bool
    /// Whether it counts later fields, so that they determine its number.
    let isCounter: Bool
    /// The earlier field that counts its items or bytes; nil if none does.
    let fieldCount: FieldCount?

    init(
        _ field: FieldDescription, _ reference: BodyPlan.Reference = .init(), constant: PlannedConstant?,
        absent: JSONValue?
    ) {
        tagSource = reference.tagSource
        user = reference.user
        self.constant = constant
        name = field.name
        type = field.type
        packing = field.packing
        hasValue = field.hasValue
        isCounter = field.role == .derived && reference.user == nil
        fieldCount = field.type.fieldCount
        isOptional = field.presence == .optional
        condition = field.presence.condition
        mayBeUnset = field.presence.mayBeUnset
        isNullable = field.presence == .nullable
        mayBeAbsent = field.presence.isAppended
        self.absent = absent
        isSensitive = field.isSensitive
        limits = FieldLimits(range: field.range, floatRange: field.floatRange, maximumCount: field.maximumCount)
    }
}

/// The limits that `@range` and `@max` set for a field, in both directions.
package final class FieldLimits: Sendable {
    package let range: ClosedRange<Int128>?
    package let floatRange: ClosedRange<Double>?
    package let maximumCount: Int?

    package init(range: ClosedRange<Int128>?, floatRange: ClosedRange<Double>?, maximumCount: Int?) {
        self.range = range
        self.floatRange = floatRange
        self.maximumCount = maximumCount
    }

    /// The limits of the items of a list: none, because the attributes apply to the list.
    package static let none = FieldLimits(range: nil, floatRange: nil, maximumCount: nil)

    /// Returns why `@range` refuses an integer; nil if it does not.
    package func fault(of value: Int128) -> CodecError.Reason? {
        guard let range, !range.contains(value) else { return nil }
        return .outOfRange(value: value, minimum: range.lowerBound, maximum: range.upperBound)
    }

    /// Returns why `@range` refuses a float; NaN is outside every range.
    package func fault(of value: Double) -> CodecError.Reason? {
        guard let range = floatRange, !range.contains(value) else { return nil }
        return .floatOutOfRange(value: value, minimum: range.lowerBound, maximum: range.upperBound)
    }

    /// Returns why `@max` refuses a number of bytes or items; nil if it does not.
    package func fault(ofCount count: Int) -> CodecError.Reason? {
        guard let maximumCount, count > maximumCount else { return nil }
        return .tooLong(count: count, limit: maximumCount)
    }
}
