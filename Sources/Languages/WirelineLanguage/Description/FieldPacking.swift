// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// The place of a field in its run: fields that share bytes, because one of them begins or ends inside a byte.
///
/// A run extends from one byte boundary to the next at which a field ends. It is one unsigned integer of 1 to 8 bytes,
/// and its first field has the most significant bits.
public struct FieldPacking: Equatable, Sendable {
    /// The bytes of the whole run, 1 to 8.
    public var runByteCount: Int
    /// The byte order of the run's integer; big-endian if it has one byte.
    public var byteOrder: ByteOrder
    /// The bits of the field, 1 to 64.
    public var bitWidth: Int
    /// The number of bits of the run after the field: its value is shifted to the left by so many bits.
    public var shift: Int

    /// Makes the place of a field.
    public init(runByteCount: Int, byteOrder: ByteOrder, bitWidth: Int, shift: Int) {
        self.runByteCount = runByteCount
        self.byteOrder = byteOrder
        self.bitWidth = bitWidth
        self.shift = shift
    }

    package init(_ place: PackedPlace) {
        self.init(
            runByteCount: place.runByteCount, byteOrder: place.byteOrder, bitWidth: place.bitWidth, shift: place.shift)
    }

    /// Whether it is the first field of its run.
    public var beginsRun: Bool { shift + bitWidth == 8 * runByteCount }
    /// Whether it is the last field of its run.
    public var endsRun: Bool { shift == 0 }

    /// The number of bits of the run before the field.
    public var firstBit: Int { 8 * runByteCount - shift - bitWidth }

    /// The bits of the run's integer that belong to the field.
    public var mask: UInt64 { (UInt64.max >> UInt64(64 - bitWidth)) << UInt64(shift) }
}

extension ProtocolDescription {
    /// Returns the form in which a value of a type can share bytes; nil for a type that begins and ends at bytes.
    package func packedForm(of type: TypeDescription) -> PackedForm? {
        switch type {
        case .integer(let format, let order): PackedForm(format, order)
        case .bit(let order): PackedForm(IntegerFormat(bitWidth: 1, isSigned: false), order)
        case .enumeration(let index, let order): PackedForm(enumerations[index].format, order)
        case .flags(let index, let order): PackedForm(flagSets[index].format, order)
        default: nil
        }
    }

    /// Returns the runs of a body's fields.
    ///
    /// A field that may be absent never shares bytes.
    package func runs(of fields: [FieldDescription]) -> PackedRuns {
        PackedRuns(fields.map { $0.presence == .required ? packedForm(of: $0.type) : nil })
    }

    package func packed(_ fields: [FieldDescription]) -> [FieldDescription] {
        zip(fields, runs(of: fields).places).map { field, place in
            var field = field
            field.packing = place.map { FieldPacking($0) }
            return field
        }
    }

    package var hasPackedFields: Bool {
        messages.contains { $0.fields.contains { $0.packing != nil } }
            || structures.contains { $0.fields.contains { $0.packing != nil } }
    }
}
