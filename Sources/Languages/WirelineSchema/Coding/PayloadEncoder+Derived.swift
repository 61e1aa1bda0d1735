// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The numbers of a body's fields that count others. They precede the counted fields, but are written last.
struct OpenNumbers {
    private var numbers: [Number] = []

    private struct Number {
        let field: JSONField
        /// The offset of the number, or of the bytes that it shares with others.
        let offset: Int
        /// The number that the field must have; nil if no field that it counts is present.
        var value: Int?
    }

    var isEmpty: Bool { numbers.isEmpty }

    mutating func open(_ field: JSONField, at offset: Int) {
        numbers.append(Number(field: field, offset: offset, value: nil))
    }

    /// Sets a number for a field with `size` items or bytes.
    ///
    /// - Returns: Why that is not possible; nil if it is.
    mutating func set(_ count: FieldCount, to size: Int) -> CodecError.Reason? {
        if size > count.range.upperBound { return .tooLong(count: size, limit: count.range.upperBound) }
        if size < count.range.lowerBound {
            return .lengthTooSmall(length: Int128(size), minimum: Int128(count.range.lowerBound))
        }
        guard let index = numbers.firstIndex(where: { $0.field.name == count.field }) else { return nil }
        if let value = numbers[index].value, value + count.addend != size {
            return .wrongItemCount(count: size, expected: value + count.addend)
        }
        numbers[index].value = size - count.addend
        return nil
    }

    /// Writes the numbers, the last one first, because a varint moves the bytes after it.
    func write(to bytes: inout [UInt8]) {
        for number in numbers.reversed() {
            let value = Int128(number.value ?? 0)
            if let packing = number.field.packing {
                Self.add(value, packing, at: number.offset, to: &bytes)
                continue
            }
            var written: [UInt8] = []
            var replaced = 0
            switch number.field.type {
            case .varint(let format): written.append(varint: format.bits(of: value))
            case .integer(let format, let order):
                written.append(value, format, order)
                replaced = written.count
            default: break
            }
            bytes.replaceSubrange(number.offset..<number.offset + replaced, with: written)
        }
    }

    /// Sets the bits of a field, which are 0, in the bytes that it shares.
    private static func add(_ value: Int128, _ packing: FieldPacking, at offset: Int, to bytes: inout [UInt8]) {
        var bits = PackedBits()
        bits.add(value, bitWidth: packing.bitWidth, shift: packing.shift)
        var written: [UInt8] = []
        let format = IntegerFormat(bitWidth: 8 * packing.runByteCount, isSigned: false)
        written.append(Int128(bits.integer), format, packing.byteOrder)
        for (index, byte) in written.enumerated() { bytes[offset + index] |= byte }
    }
}

extension TypeDescription {
    /// The same type as it is written: an earlier field has the number of its items or bytes.
    var withoutFieldCount: TypeDescription {
        switch self {
        case .string(.field): .string(.rest)
        case .bytes(.field): .bytes(.rest)
        case .list(let element, .field): .list(element, .rest)
        case .sized(let content, .field): content
        default: self
        }
    }
}

extension PayloadEncoder {
    /// Writes a field whose items or bytes an earlier field counts, and sets that field's number.
    @inline(never)
    mutating func encodeCounted(
        _ value: JSONValue, _ field: JSONField, _ count: FieldCount, _ numbers: inout OpenNumbers
    ) throws(TranslationError) {
        // Items are counted before they are written, as with a prefix.
        if case .list = field.type, case .array(let items) = value {
            if let fault = field.limits.fault(ofCount: items.count) ?? numbers.set(count, to: items.count) {
                throw TranslationError(fault)
            }
            return try encode(value, as: field.type.withoutFieldCount, field.limits)
        }
        let start = bytes.count
        try encode(value, as: field.type.withoutFieldCount, field.limits, hasTag: field.tagSource == nil)
        if let fault = numbers.set(count, to: bytes.count - start) { throw TranslationError(fault) }
    }
}
