// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSchema

/// The bits of a bit group, and its offset.
struct ReadRun {
    var bits = PackedBits()
    var offset = 0
}

extension RecordReader {
    /// Reads any form whose values are numbers.
    func readNumber(
        _ form: ValueForm, _ limits: FieldLimits, from reader: inout ByteReader
    ) throws(CodecError) -> Int128 {
        let start = reader.offset
        let value: Int128
        switch form {
        case .integer(let format, let order):
            value = try reader.readNumber(format, order)
            try require(limits.fault(of: value), at: start)
        case .varint(let format):
            value = try reader.readNumber(format)
            try require(limits.fault(of: value), at: start)
        case .enumeration(let names, let order):
            value = try reader.readNumber(names.format, order)
            try require(names.fault(of: value), at: start)
        case .flags(let names, let order): value = try reader.readNumber(names.format, order)
        default: value = try reader.readBoolean() ? 1 : 0
        }
        return value
    }

    /// Writes a number as its term: the name of an enum, for example.
    func write(_ number: Int128, _ form: ValueForm, to writer: inout ErlangTermWriter) {
        switch form {
        case .enumeration(let names, _): names.write(enumeration: number, to: &writer)
        case .flags(let names, _): names.write(flags: number, to: &writer)
        case .boolean: writer.writeEncoded(number != 0 ? Atoms.isTrue : Atoms.isFalse)
        default: writer.writeInteger(number)
        }
    }

    /// For integers of a fixed width.
    @inline(__always)
    func readInteger(
        _ format: IntegerFormat, _ order: ByteOrder, _ limits: FieldLimits, from reader: inout ByteReader,
        to writer: inout ErlangTermWriter
    ) throws(CodecError) {
        guard limits.range == nil else {
            return writer.writeInteger(try readNumber(.integer(format, order), limits, from: &reader))
        }
        switch (format.bitWidth, format.isSigned) {
        case (8, false): writer.writeByte(try reader.readInteger(as: UInt8.self, order))
        case (16, false): writer.writeInteger(Int64(try reader.readInteger(as: UInt16.self, order)))
        case (32, false): writer.writeInteger(Int64(try reader.readInteger(as: UInt32.self, order)))
        case (64, false): writer.writeUnsigned(try reader.readInteger(as: UInt64.self, order))
        case (8, true): writer.writeInteger(Int64(try reader.readInteger(as: Int8.self, order)))
        case (16, true): writer.writeInteger(Int64(try reader.readInteger(as: Int16.self, order)))
        case (32, true): writer.writeInteger(Int64(try reader.readInteger(as: Int32.self, order)))
        case (64, true): writer.writeInteger(try reader.readInteger(as: Int64.self, order))
        default: writer.writeInteger(try reader.readNumber(format, order))
        }
    }

    /// Reads a field of a bit group. The first field reads the bytes of the group.
    ///
    /// Errors have the offset of the group's first byte.
    func readPacked(
        _ field: RecordField, _ packing: FieldPacking, in run: inout ReadRun, from reader: inout ByteReader
    ) throws(CodecError) -> Int128 {
        if packing.beginsRun {
            run.offset = reader.offset
            run.bits = PackedBits(try reader.readUnsigned(byteCount: packing.runByteCount, packing.byteOrder))
        }
        func number(isSigned: Bool) -> Int128 {
            isSigned
                ? Int128(run.bits.signed(bitWidth: packing.bitWidth, shift: packing.shift, as: Int64.self))
                : Int128(run.bits.unsigned(bitWidth: packing.bitWidth, shift: packing.shift, as: UInt64.self))
        }
        if case .filler(.number(let expected, let format, _)?, _) = field.role {
            let value = number(isSigned: format.isSigned)
            try require(value == expected ? nil : .wrongConstant(value: value, expected: expected), at: run.offset)
        }
        switch field.form {
        case .integer(let format, _):
            let value = number(isSigned: format.isSigned)
            try require(field.limits.fault(of: value), at: run.offset)
            return value
        case .enumeration(let names, _):
            let value = number(isSigned: names.format.isSigned)
            try require(names.fault(of: value), at: run.offset)
            return value
        case .flags(let names, _): return number(isSigned: names.format.isSigned)
        default: return number(isSigned: false)
        }
    }

    /// Skips padding, and checks a constant.
    func passFiller(
        _ constant: PlannedConstant?, byteCount: Int, from reader: inout ByteReader
    ) throws(CodecError) {
        switch constant {
        case .number(let expected, let format, let byteOrder):
            let start = reader.offset
            let value = try reader.readNumber(format, byteOrder)
            try require(value == expected ? nil : .wrongConstant(value: value, expected: expected), at: start)
        case .text(let text, let byteCount, let padding):
            try reader.readRun(byteCount: byteCount).requireText(text, at: 0, byteCount: byteCount, padding: padding)
        case nil: _ = try reader.readRun(byteCount: byteCount)
        }
    }

    // MARK: Floats

    /// Writes a float. If Erlang has no such float, this writes an atom, or `{nan, Bits}`.
    func write(_ format: FloatFormat, _ bits: UInt64, to writer: inout ErlangTermWriter) {
        let value = format.value(ofBits: bits)
        if value.isFinite {
            writer.writeFloat(value)
        } else if value.isNaN {
            writer.writeTuple(count: 2)
            writer.writeEncoded(Atoms.nan)
            writer.writeUnsigned(bits)
        } else {
            writer.writeEncoded(value > 0 ? Atoms.infinity : Atoms.negativeInfinity)
        }
    }
}
