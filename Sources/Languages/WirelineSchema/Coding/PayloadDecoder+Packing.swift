// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The integer of fields that share bytes, and its range of bytes.
struct DecodedRun {
    var bits = PackedBits()
    var range = 0..<0
}

extension PayloadDecoder {
    /// Reads a field that shares bytes with others; the first of them reads the bytes of all.
    ///
    /// It also verifies constants. Errors in any of these fields are reported at their first byte.
    func decodePacked(
        _ field: JSONField, _ packing: FieldPacking, in run: inout DecodedRun, from reader: inout ByteReader
    ) throws(CodecError) -> JSONValue {
        if packing.beginsRun {
            let start = reader.offset
            run.bits = PackedBits(try reader.readUnsigned(byteCount: packing.runByteCount, packing.byteOrder))
            run.range = start..<reader.offset
        }
        let value = try value(of: field, packing, in: run)
        recorder?.add(value, of: packing, at: run.range)
        return value
    }

    private func value(
        of field: JSONField, _ packing: FieldPacking, in run: DecodedRun
    ) throws(CodecError) -> JSONValue {
        let start = run.range.lowerBound
        func number(_ format: IntegerFormat) -> Int128 {
            format.isSigned
                ? Int128(run.bits.signed(bitWidth: packing.bitWidth, shift: packing.shift, as: Int64.self))
                : Int128(run.bits.unsigned(bitWidth: packing.bitWidth, shift: packing.shift, as: UInt64.self))
        }
        if case .number(let expected, let format, _)? = field.constant {
            let value = number(format)
            try require(value == expected ? nil : .wrongConstant(value: value, expected: expected), at: start)
        }
        switch field.type {
        case .integer(let format, _):
            let value = number(format)
            try require(field.limits.fault(of: value), at: start)
            return .exactInteger(value)
        case .enumeration(let enumeration, _):
            let plan = index.enumerations[enumeration]
            let value = number(plan.format)
            try require(plan.fault(of: value), at: start)
            return plan.json(enumeration: value)
        case .flags(let flags, _):
            let plan = index.flagSets[flags]
            return plan.json(flags: number(plan.format))
        default: return .boolean(run.bits.bit(shift: packing.shift))
        }
    }
}
