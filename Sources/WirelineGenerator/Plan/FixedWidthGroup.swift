// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Fields of fixed width in a row, which one call reads and writes: `string.unpack` in Lua, `struct.unpack_from` in Python.
///
/// All are numbers, floats or booleans that are always there, of one byte order. A group ends after the first field that can be
/// refused, so no field before a cut is wrong. If the bytes end inside a group, the error names the first field that is cut off. A
/// reader that reads one field after the other gives the same error.
struct FixedWidthGroup: Sendable {
    /// The fields; one is a group, too.
    fileprivate(set) var fields: [GeneratedField] = []
    fileprivate(set) var formats: [PackedFormat] = []
    /// The next field, if nothing before it can be refused and it has a prefix of fixed width, which is read with the others.
    fileprivate(set) var prefixed: Prefixed?

    /// A field, and its prefix of a fixed width.
    struct Prefixed: Sendable {
        let field: GeneratedField
        let prefix: PlannedCount
        /// The width of the prefix.
        let format: IntegerFormat
    }

    /// The fields of which a reader reads something.
    var readFields: [GeneratedField] { fields + (prefixed.map { [$0.field] } ?? []) }
}

extension BodyFields {
    /// The longest groups of fields of fixed width, in order.
    var fixedWidthGroups: [FixedWidthGroup] {
        var groups: [FixedWidthGroup] = []
        var (open, byteOrder) = (FixedWidthGroup(), ByteOrder?.none)
        func close() {
            if !open.fields.isEmpty { groups.append(open) }
            (open, byteOrder) = (FixedWidthGroup(), nil)
        }
        for field in fields {
            guard field.isGrouped, let format = field.value.fixedFormat else {
                open.prefixed = field.prefixed
                close()
                continue
            }
            if let byteOrder, let own = format.byteOrder, byteOrder != own { close() }
            open.fields.append(field)
            open.formats.append(format)
            byteOrder = byteOrder ?? format.byteOrder
            if field.value.canBeRefused { close() }
        }
        close()
        return groups
    }
}

extension GeneratedField {
    /// Whether it is always there, and has no value of its own.
    fileprivate var isGrouped: Bool { isPlain && absent == nil && constant == nil }

    /// The field with its prefix, if it is always there and the prefix has a fixed width.
    fileprivate var prefixed: FixedWidthGroup.Prefixed? {
        guard isGrouped else { return nil }
        switch value {
        case .content(.prefix(let prefix), _), .list(_, .prefix(let prefix), _):
            return prefix.format.fixedByteCount.map {
                .init(field: self, prefix: prefix, format: IntegerFormat(bitWidth: 8 * $0, isSigned: false))
            }
        default: return nil
        }
    }
}

extension ValuePlan {
    /// Whether a number, a float or a boolean that is there can be wrong.
    var canBeRefused: Bool {
        switch self {
        case .number(let number): number.range != nil || number.isClosed
        case .float(_, _, let range): range != nil
        default: true
        }
    }
}
