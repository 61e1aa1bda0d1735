// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// How a protocol's messages, structures and unions become bytes, step by step, for every language that code is generated for.
///
/// A ``ProtocolDescription`` says what a schema means. A plan says what has to be done: which parts stand side by side
/// and are read at once, at which offset each part lies, which bytes may be missing, what must not follow a field that
/// is not set, which numbers are allowed, and what the last field leaves. All of that is computed here, once. A back
/// end prints the steps in its language; it knows names, literals and statements, and counts no bytes itself.
///
/// A new language begins with a walk over ``messages``, ``structures`` and ``unions``, prints the ``BodyPlan/steps`` of
/// each body for reading and for writing, and asks the plan about types.
package struct CodingPlan: Sendable {
    /// What is planned.
    package let description: ProtocolDescription
    /// The bodies of the messages, in their order.
    package let messages: [BodyPlan]
    /// The bodies of the structures, in their order.
    package let structures: [BodyPlan]
    /// The unions, in their order.
    package let unions: [UnionPlan]
    /// The structures that the zero value of a `@since` field contains.
    package let structuresNeedingZero: Set<Int>
    /// The structures that are items of a list whose number of items is known before the first item.
    package let structuresInCountedLists: Set<Int>
    let sizes: WireSizes
    /// The structures with values that a host language can hold and no packet can.
    let checkedStructures: Set<Int>

    /// Plans a checked protocol.
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
    /// The form of the prefix.
    package let format: CountFormat
    /// The byte order of the prefix.
    package let byteOrder: ByteOrder
    /// The schema's `@max`, if it is less than what the prefix can hold: only then reading has to check it.
    package let limit: Int?
    /// The most that can be written: the limit, or what the prefix can hold.
    package let maximum: Int

    /// Plans a prefix.
    ///
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

    /// Whether the order of its bytes matters.
    package var hasByteOrder: Bool { minimumByteCount > 1 }
}
