// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// Fields that share bytes. Each has some bits of one unsigned integer.
package struct PlannedRun: Equatable, Sendable {
    /// The size of the integer in bytes, 1 to 8.
    package let byteCount: Int
    package let byteOrder: ByteOrder
    /// The fields, the one with the most significant bits first.
    package let bits: [PlannedBits]

    /// Makes the run whose first field this is; nil for other fields.
    init?(at first: Int, of fields: [FieldDescription]) {
        guard let packing = fields[first].packing, packing.beginsRun else { return nil }
        byteCount = packing.runByteCount
        byteOrder = packing.byteOrder
        var bits: [PlannedBits] = []
        for index in first..<fields.count {
            guard let packing = fields[index].packing else { break }
            let constant: Int128? = if case .constant(.integer(let number)) = fields[index].role { number } else { nil }
            bits.append(
                PlannedBits(field: index, bitWidth: packing.bitWidth, shift: packing.shift, constant: constant))
            if packing.endsRun { break }
        }
        self.bits = bits
    }

    /// The integer of the run with the values of its constants; other fields are 0.
    package var constantInteger: UInt64 {
        var run = PackedBits()
        for field in bits { run.add(field.constant ?? 0, bitWidth: field.bitWidth, shift: field.shift) }
        return run.integer
    }
}

package struct PlannedBits: Equatable, Sendable {
    package let field: Int
    /// The number of bits, 1 to 64.
    package let bitWidth: Int
    /// The number of less significant bits; they belong to later fields.
    package let shift: Int
    /// The constant value of the bits; nil for a field that programs set.
    package let constant: Int128?
}
