// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSchema

/// State that the written fields of a body leave for later ones.
struct WrittenFields {
    /// The numbers for conditions; empty if there are none.
    var numbers: [Int128]
    /// The current bit group.
    var run = PackedBits()
    var counters = OpenCounters()

    init(_ body: RecordBody) {
        numbers = body.keepsNumbers ? [Int128](repeating: 0, count: body.fields.count) : []
    }
}

/// The counters of a body. They stand before the fields that they count, so they are written last.
struct OpenCounters {
    private var counters: [Counter] = []

    private struct Counter {
        let field: Int
        /// The offset of the number, or of its bit group.
        let offset: Int
        /// The number; nil if no counted field was written.
        var value: Int?
    }

    /// Adds a counter at this offset.
    ///
    /// If it is in a bit group, the group's earlier fields are not written yet, and have the same offset.
    mutating func open(_ field: Int, at offset: Int) {
        counters.append(Counter(field: field, offset: offset, value: nil))
    }

    /// Sets a counter for a field with `size` items or bytes.
    mutating func set(_ count: RecordField.Count, to size: Int) throws(ErlangRecordError) {
        guard let index = counters.firstIndex(where: { $0.field == count.source }) else { return }
        if let value = counters[index].value, value + count.addend != size {
            throw .tuple("wrong_item_count", Int128(size), Int128(value + count.addend))
        }
        counters[index].value = size - count.addend
    }

    /// Writes the counters, the last one first, because a varint moves the bytes after it.
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
