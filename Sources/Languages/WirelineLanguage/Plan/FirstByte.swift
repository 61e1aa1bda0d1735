// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The source of the first byte of a value on the wire.
///
/// A list with `@until(n)` ends at this byte in place of an item, so no item may begin with it.
package struct FirstByte: Equatable, Sendable {
    /// The fields that lead to the source, outermost first; empty if it is the value itself.
    package private(set) var path: [Step] = []
    package private(set) var source: Source

    /// A field of a structure, both by their index.
    package struct Step: Equatable, Sendable {
        package let structure: Int
        package let field: Int
    }

    /// The part of a value with its first byte.
    package enum Source: Equatable, Sendable {
        /// A constant of the schema: the same in every value.
        case constant(UInt8)
        /// A value of this type. It begins with its own number, count, tag or text.
        case value(TypeDescription)
        /// Several values, or the size of the bytes that follow.
        case computed
    }

    /// Finds the source of the first byte of a type's values; each must have at least one byte.
    package init(of type: TypeDescription, in description: ProtocolDescription, _ sizes: WireSizes) {
        self.init(of: type, in: description, sizes, insideOf: [])
    }

    /// - Parameter outer: The structures that contain the type; one that contains itself is an error of the schema.
    private init(
        of type: TypeDescription, in description: ProtocolDescription, _ sizes: WireSizes, insideOf outer: Set<Int>
    ) {
        source = .computed
        switch type {
        case .structure(let index):
            guard description.structures[index].sizePrefix == nil, !outer.contains(index) else { return }
            findSource(inStructure: index, description, sizes, insideOf: outer.union([index]))
        case .union(let index):
            let union = description.unions[index]
            // A union with one arm has one tag.
            let tag = union.arms.count == 1 ? union.arms.first?.tag : nil
            let byte = tag.flatMap { union.tag.firstByte(of: $0, in: description) }
            source = byte.map { .constant($0) } ?? .value(type)
        case .fixedList(let element, _):
            let item = FirstByte(of: element, in: description, sizes, insideOf: outer)
            if case .constant = item.source { self = item }
        case .sized, .list(_, .until): break
        default: source = .value(type)
        }
    }

    private mutating func findSource(
        inStructure index: Int, _ description: ProtocolDescription, _ sizes: WireSizes, insideOf outer: Set<Int>
    ) {
        let fields = description.structures[index].fields
        // A structure without fields takes no bytes.
        guard let position = fields.firstIndex(where: { sizes.size(of: $0.type).fixedByteCount != 0 }),
            fields[position].packing == nil, fields[position].presence == .required
        else { return }
        let field = fields[position]
        switch field.role {
        case .value:
            let inner = FirstByte(of: field.type, in: description, sizes, insideOf: outer)
            path = [Step(structure: index, field: position)] + inner.path
            source = inner.source
        case .padding: source = .constant(0)
        case .constant:
            if let byte = description.constant(of: field)?.firstByte { source = .constant(byte) }
        case .derived: break
        }
    }
}

extension PlannedConstant {
    /// The first byte of a constant that shares no bytes with other fields.
    fileprivate var firstByte: UInt8? {
        switch self {
        case .number(let number, let format, let byteOrder): format.firstByte(of: number, byteOrder)
        case .text(let text, _, let padding): text.utf8.first ?? padding
        }
    }
}

extension IntegerFormat {
    fileprivate func firstByte(of number: Int128, _ byteOrder: ByteOrder) -> UInt8 {
        let shift = byteOrder == .bigEndian ? 8 * (byteCount - 1) : 0
        return UInt8(truncatingIfNeeded: number >> Int128(shift))
    }
}

extension TypeDescription {
    /// Returns the first byte of a union's tag; nil for types that cannot be tags.
    fileprivate func firstByte(of tag: Int128, in description: ProtocolDescription) -> UInt8? {
        switch self {
        case .integer(let format, let order): format.firstByte(of: tag, order)
        case .enumeration(let index, let order): description.enumerations[index].format.firstByte(of: tag, order)
        case .varint: UInt8(truncatingIfNeeded: tag & 0x7F) | (tag > 0x7F ? 0x80 : 0)
        default: nil
        }
    }
}
