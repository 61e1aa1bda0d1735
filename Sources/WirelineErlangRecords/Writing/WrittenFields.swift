// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineErlang
import WirelineLanguage
import WirelineSchema

/// What the fields of a body that are written leave for later ones.
struct WrittenFields {
    /// The numbers of fields at which conditions look; empty if none does.
    var numbers: [Int128]
    /// The bits of the fields that share bytes.
    var run = PackedBits()
    var counters = OpenCounters()

    init(_ body: RecordBody) {
        numbers = body.keepsNumbers ? [Int128](repeating: 0, count: body.fields.count) : []
    }
}

/// The numbers of the fields of a body that count others: they stand before what they count, and are written last.
struct OpenCounters {
    private var counters: [Counter] = []

    private struct Counter {
        /// The index of the field in its body.
        let field: Int
        /// The offset of the number, or of the bytes that it shares with others.
        let offset: Int
        /// What the field must be; nil if nothing that it counts is there.
        var value: Int?
    }

    /// Adds a field whose number stands at `offset`.
    ///
    /// If it shares bytes with fields before it, these are not written yet, and begin at the same offset.
    mutating func open(_ field: Int, at offset: Int) {
        counters.append(Counter(field: field, offset: offset, value: nil))
    }

    /// Sets a number to what a field with so many items or bytes needs.
    mutating func set(_ count: RecordField.Count, to size: Int) throws(ErlangRecordError) {
        guard let index = counters.firstIndex(where: { $0.field == count.source }) else { return }
        if let value = counters[index].value, value + count.addend != size {
            throw .tuple("wrong_item_count", Int128(size), Int128(value + count.addend))
        }
        counters[index].value = size - count.addend
    }

    /// Writes the numbers, the last one first, because a varint moves what follows it.
    func write(to bytes: inout [UInt8], _ body: RecordBody) {
        for counter in counters.reversed() {
            let value = Int128(counter.value ?? 0)
            let field = body.fields[counter.field]
            if let packing = field.packing {
                var bits = PackedBits()
                bits.add(value, bitWidth: packing.bitWidth, shift: packing.shift)
                var written: [UInt8] = []
                let format = IntegerFormat(bitWidth: 8 * packing.runByteCount, isSigned: false)
                written.append(Int128(bits.integer), format, packing.byteOrder)
                for (index, byte) in written.enumerated() { bytes[counter.offset + index] |= byte }
                continue
            }
            var written: [UInt8] = []
            var replaced = 0
            switch field.form {
            case .varint(let format): written.append(varint: format.bits(of: value))
            case .integer(let format, let order):
                written.append(value, format, order)
                replaced = written.count
            default: break
            }
            bytes.replaceSubrange(counter.offset..<counter.offset + replaced, with: written)
        }
    }
}
