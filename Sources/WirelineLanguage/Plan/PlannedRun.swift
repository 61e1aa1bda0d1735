// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

/// Fields that share bytes: one unsigned integer, of which each field has some bits.
package struct PlannedRun: Equatable, Sendable {
    /// The bytes of the integer, 1 to 8.
    package let byteCount: Int
    /// The byte order of the integer.
    package let byteOrder: ByteOrder
    /// The fields, the one with the most significant bits first.
    package let bits: [PlannedBits]

    /// Makes the run that a field begins; nil if it begins none.
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

    /// The integer of the run in which only constants have their values; other fields are 0.
    package var constantInteger: UInt64 {
        var run = PackedBits()
        for field in bits { run.add(field.constant ?? 0, bitWidth: field.bitWidth, shift: field.shift) }
        return run.integer
    }
}

/// The bits that a field has in a run.
package struct PlannedBits: Equatable, Sendable {
    /// The field that they belong to.
    package let field: Int
    /// The number of bits, 1 to 64.
    package let bitWidth: Int
    /// The number of less significant bits, which belong to the fields after it.
    package let shift: Int
    /// The value that the bits always have; nil for a field that programs set.
    package let constant: Int128?
}
