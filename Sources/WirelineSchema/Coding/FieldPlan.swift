// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The fields of a message or a structure, found by name.
///
/// Plans are objects, not values: reading and writing recurse into structures, and copies of whole descriptions would
/// make each step of that take kilobytes of the stack.
final class FieldListPlan: Sendable {
    let fields: [FieldPlan]
    /// How the byte count of a sized structure stands in front of its fields.
    let sizePrefix: CountFormat?
    let sizePrefixOrder: ByteOrder
    private let indices: [String: Int]

    init(
        _ fields: [FieldDescription], sizePrefix: CountFormat? = nil, sizePrefixOrder: ByteOrder = .bigEndian,
        _ defaults: inout DefaultValues
    ) {
        self.fields = fields.map { FieldPlan($0, absent: defaults.value(of: $0)) }
        self.sizePrefix = sizePrefix
        self.sizePrefixOrder = sizePrefixOrder
        indices = Dictionary(fields.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The index of the field with exactly this name.
    ///
    /// - Parameter expected: Where it is when members stand in the order of the fields.
    func index(of name: String, expected: Int) -> Int? {
        if fields.indices.contains(expected), fields[expected].name.hasSameBytes(as: name) { return expected }
        guard let index = indices[name], fields[index].name.hasSameBytes(as: name) else { return nil }
        return index
    }

    var names: [String] { fields.map(\.name) }
}

/// One field of a message or a structure.
final class FieldPlan: Sendable {
    let name: String
    let type: TypeDescription
    let isOptional: Bool
    /// Whether the bytes may end before it.
    let mayBeAbsent: Bool
    /// What a `@since` field is when the bytes end before it; nil for any other.
    let absent: JSONValue?
    let limits: FieldLimits
    let isSensitive: Bool

    init(_ field: FieldDescription, absent: JSONValue?) {
        name = field.name
        type = field.type
        isOptional = field.presence == .optional
        mayBeAbsent = field.presence != .required
        self.absent = absent
        isSensitive = field.isSensitive
        limits = FieldLimits(range: field.range, floatRange: field.floatRange, maximumCount: field.maximumCount)
    }
}

/// What `@range` and `@max` ask of a field, when reading and when writing.
final class FieldLimits: Sendable {
    let range: ClosedRange<Int128>?
    private let floatRange: ClosedRange<Double>?
    private let maximumCount: Int?

    init(range: ClosedRange<Int128>?, floatRange: ClosedRange<Double>?, maximumCount: Int?) {
        self.range = range
        self.floatRange = floatRange
        self.maximumCount = maximumCount
    }

    /// What is asked of the items of a list: nothing, because the attributes speak of the list.
    static let none = FieldLimits(range: nil, floatRange: nil, maximumCount: nil)

    /// Why an integer is refused by `@range`.
    func fault(of value: Int128) -> CodecError.Reason? {
        guard let range, !range.contains(value) else { return nil }
        return .outOfRange(value: value, minimum: range.lowerBound, maximum: range.upperBound)
    }

    /// Why a float is refused by `@range`; what is not a number is outside of every range.
    func fault(of value: Double) -> CodecError.Reason? {
        guard let range = floatRange, !range.contains(value) else { return nil }
        return .floatOutOfRange(value: value, minimum: range.lowerBound, maximum: range.upperBound)
    }

    /// Why a number of bytes or items is refused by `@max`.
    func fault(ofCount count: Int) -> CodecError.Reason? {
        guard let maximumCount, count > maximumCount else { return nil }
        return .tooLong(count: count, limit: maximumCount)
    }
}
