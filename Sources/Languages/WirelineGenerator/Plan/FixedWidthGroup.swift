// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Adjacent fields of fixed width for one call that reads or writes them: `string.unpack` in Lua, `struct.unpack_from`
/// in Python.
///
/// All are numbers, floats or booleans that are always present, with one byte order. A group ends after the first field
/// that can be refused, so every field before a cut is valid. If the bytes end inside a group, the error names the
/// first field that is cut off, as a reader of single fields would.
struct FixedWidthGroup: Sendable {
    /// The fields; one alone is a group, too.
    fileprivate(set) var fields: [GeneratedField] = []
    fileprivate(set) var formats: [PackedFormat] = []
    /// The next field, if it has a prefix of fixed width and no earlier field can be refused. The prefix is read with
    /// the others.
    fileprivate(set) var prefixed: Prefixed?

    struct Prefixed: Sendable {
        let field: GeneratedField
        let prefix: PlannedCount
        let format: IntegerFormat
    }

    /// The fields with something to read, including the prefixed one.
    var readFields: [GeneratedField] { fields + (prefixed.map { [$0.field] } ?? []) }
}

extension BodyFields {
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
    /// Whether it is always present, and neither a constant nor `@since`.
    fileprivate var isGrouped: Bool { isPlain && absent == nil && constant == nil }

    /// The field with its prefix, if it is always present and the prefix has a fixed width.
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
    /// Whether a present value can be invalid. False only for some numbers and floats.
    var canBeRefused: Bool {
        switch self {
        case .number(let number): number.range != nil || number.isClosed
        case .float(_, _, let range): range != nil
        default: true
        }
    }
}
