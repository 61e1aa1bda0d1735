// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// Plans, step by step, how a protocol's messages, structures and unions become bytes, for all generated languages.
///
/// A ``ProtocolDescription`` says what a schema means. A plan says what code has to do. It computes once the adjacent
/// parts that one call reads, the offset of each part, the bytes that may be missing, the fields that must not follow
/// an unset one, the allowed numbers, and the treatment of trailing bytes. A back end prints the steps in its language.
/// It knows names, literals and statements, and counts no bytes itself.
///
/// A new language begins with a walk over ``messages``, ``structures`` and ``unions``. It prints the ``BodyPlan/steps``
/// of each body for reading and for writing, and asks the plan about types.
package struct CodingPlan: Sendable {
    package let description: ProtocolDescription
    /// The bodies of the messages, in their order.
    package let messages: [BodyPlan]
    /// The bodies of the structures, in their order.
    package let structures: [BodyPlan]
    package let unions: [UnionPlan]
    /// The structures in the zero value of a `@since` field.
    package let structuresNeedingZero: Set<Int>
    /// The structures in lists whose number of items is known before the first item.
    package let structuresInCountedLists: Set<Int>
    let sizes: WireSizes
    /// The structures with values that a host language can hold and no packet can.
    let checkedStructures: Set<Int>

    package init(_ description: ProtocolDescription) {
        self.description = description
        let sizes = WireSizes(description)
        let nesting = description.bodiesCountingDepth()
        self.sizes = sizes
        messages = description.messages.map {
            BodyPlan($0.fields, end: BodyPlan.End(of: $0, in: description), sizes)
        }
        structures = description.structures.enumerated().map { index, structure in
            let prefix = structure.sizePrefix.map { PlannedCount($0, structure.byteOrder, limit: nil) }
            var body = BodyPlan(structure.fields, end: prefix == nil ? .open : .skipped, sizes)
            body.sizePrefix = prefix
            body.countsDepth = nesting.contains(index)
            return body
        }
        let tagPlaces = description.tagPlaces()
        unions = description.unions.enumerated().map { index, union in
            UnionPlan(
                union, countsDepth: nesting.contains(description.structures.count + index), tagPlaces: tagPlaces[index],
                sizes)
        }
        structuresNeedingZero = description.structuresNeedingZero()
        structuresInCountedLists = description.structuresInCountedLists()
        checkedStructures = Self.checkedStructures(description)
    }
}

/// The prefix of a text, a list, or a sized structure or union.
package struct PlannedCount: Equatable, Sendable {
    package let format: CountFormat
    package let byteOrder: ByteOrder
    /// The schema's `@max`, if it is less than the prefix's maximum: only then must readers check it.
    package let limit: Int?
    /// The most that can be written: the limit, or the prefix's maximum.
    package let maximum: Int

    /// - Parameter limit: The schema's `@max`; nil if there is none.
    package init(_ format: CountFormat, _ byteOrder: ByteOrder, limit: Int?) {
        self.format = format
        self.byteOrder = byteOrder
        self.limit = limit.flatMap { $0 < format.maximum ? $0 : nil }
        maximum = min(limit ?? .max, format.maximum)
    }
}

extension FieldDescription {
    /// The prefix of the field's value; nil if it has none.
    package var count: PlannedCount? { type.count(limit: maximumCount) }
}

extension TypeDescription {
    /// Returns the prefix of a value; nil if it has none.
    ///
    /// - Parameter limit: The `@max` of the field; nil for the items of a list.
    package func count(limit: Int?) -> PlannedCount? {
        guard case .counted(let format, let byteOrder) = extent else { return nil }
        // A size counts bytes, and `@max` items.
        if case .sized = self { return PlannedCount(format, byteOrder, limit: nil) }
        return PlannedCount(format, byteOrder, limit: limit)
    }
}

extension CountFormat {
    /// The size of a prefix in bytes; nil if it varies.
    package var fixedByteCount: Int? {
        switch self {
        case .uint8, .uint16, .uint32, .int16, .int32: minimumByteCount
        case .varint, .zigzag: nil
        }
    }

    package var hasByteOrder: Bool { minimumByteCount > 1 }
}
