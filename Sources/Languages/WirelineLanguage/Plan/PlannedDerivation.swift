// SPDX-License-Identifier: Apache-2.0

/// A field that counts later ones, so that they determine its number: the `n` of `@count(n)` or `@size(n - 4)`.
package struct PlannedDerivation: Sendable {
    package let field: Int
    /// The fields that it counts, in order; its number is 0 if none of them is present.
    package let counted: [Counted]

    package struct Counted: Sendable {
        package let field: Int
        /// The relation of the number to the counted items or bytes.
        package let count: FieldCount
        /// How to find their number in a value.
        package let measure: Measure
    }

    /// How to find a number of items or bytes in a value.
    package enum Measure: Equatable, Sendable {
        case items
        /// The items of a list in a number of bytes, each of this many.
        case itemBytes(byteCount: Int)
        /// The UTF-8 of a string.
        case text
        case bytes
        /// The 16-bit units of text, two bytes each.
        case units
        /// The written bytes: their number is not known before.
        case body
    }

    package var isShared: Bool { counted.count > 1 }
    /// Whether the number is known only after a field is written.
    package var isLate: Bool { counted.contains { $0.measure == .body } }

    static func all(in fields: [FieldDescription], _ sizes: WireSizes) -> [PlannedDerivation] {
        fields.indices.filter { fields[$0].role == .derived }.compactMap { index in
            let counted = fields.indices.compactMap { other -> Counted? in
                guard let count = fields[other].type.fieldCount, count.field == fields[index].name else { return nil }
                return Counted(field: other, count: count, measure: Measure(of: fields[other].type, sizes))
            }
            // The tag of a union counts nothing.
            return counted.isEmpty ? nil : PlannedDerivation(field: index, counted: counted)
        }
    }
}

extension PlannedDerivation.Measure {
    package init(of type: TypeDescription, _ sizes: WireSizes) {
        switch type {
        case .list: self = .items
        case .string: self = .text
        case .bytes: self = .bytes
        case .sized(.utf16, _): self = .units
        case .sized(.list(let element, _), _):
            self = sizes.size(of: element).fixedByteCount.map { .itemBytes(byteCount: $0) } ?? .body
        default: self = .body
        }
    }
}

extension TypeDescription {
    /// The earlier field that counts a value's items or bytes; nil if none does.
    package var fieldCount: FieldCount? { if case .field(let count)? = extent { count } else { nil } }
}
