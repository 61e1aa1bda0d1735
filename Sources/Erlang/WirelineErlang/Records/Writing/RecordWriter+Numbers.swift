// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSchema

extension RecordWriter {
    func number(
        _ form: ValueForm, _ limits: FieldLimits, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) -> Int128 {
        switch form {
        case .integer(let format, _): try integer(in: limits.range ?? format.range, from: &reader)
        case .varint(let format): try integer(in: limits.range ?? format.range, from: &reader)
        case .enumeration(let names, _): try caseNumber(names, limits, from: &reader)
        case .flags(let names, _): try flagNumber(names, from: &reader)
        default: try boolean(from: &reader)
        }
    }

    /// The number must have passed the checks of `number(_:_:from:)`.
    mutating func append(_ number: Int128, _ form: ValueForm) {
        switch form {
        case .integer(let format, let order): bytes.append(number, format, order)
        case .varint(let format): bytes.append(varint: format.bits(of: number))
        case .enumeration(let names, let order), .flags(let names, let order):
            bytes.append(number, names.format, order)
        default: bytes.append(number != 0 ? 1 : 0)
        }
    }

    /// Writes an integer of a common width.
    ///
    /// - Returns: False if the width is another one, or if the number does not fit. Then nothing has been read.
    @inline(__always)
    mutating func writeUsual(
        _ format: IntegerFormat, _ order: ByteOrder, from reader: inout ErlangTermReader
    ) -> Bool {
        let start = reader
        guard let value = reader.readInteger() else { return false }
        let isWritten =
            switch (format.bitWidth, format.isSigned) {
            case (8, false): append(UInt8(exactly: value), order)
            case (16, false): append(UInt16(exactly: value), order)
            case (32, false): append(UInt32(exactly: value), order)
            case (8, true): append(Int8(exactly: value), order)
            case (16, true): append(Int16(exactly: value), order)
            case (32, true): append(Int32(exactly: value), order)
            case (64, true): append(value, order)
            default: false
            }
        if !isWritten { reader = start }
        return isWritten
    }

    @inline(__always)
    private mutating func append<Value: FixedWidthInteger & BitwiseCopyable>(
        _ value: Value?, _ order: ByteOrder
    ) -> Bool {
        guard let value else { return false }
        // Most numbers of records are single bytes, so these have a faster path.
        if MemoryLayout<Value>.size == 1 {
            bytes.append(UInt8(truncatingIfNeeded: value))
        } else {
            bytes.append(byteCount: MemoryLayout<Value>.size) { $0.writeInteger(value, order) }
        }
        return true
    }

    func integer(
        in range: ClosedRange<Int128>, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) -> Int128 {
        let start = reader
        guard let value = reader.readWideInteger() else { throw .wrongType("integer") }
        guard range.contains(value) else { throw start.outOfRange(range) }
        return value
    }

    private func boolean(from reader: inout ErlangTermReader) throws(ErlangRecordError) -> Int128 {
        guard let atom = reader.readAtom() else { throw .wrongType("boolean") }
        if atom.matches("true") { return 1 }
        guard atom.matches("false") else { throw .wrongType("boolean") }
        return 0
    }

    /// The case is given by its atom or its number.
    private func caseNumber(
        _ names: NameTable, _ limits: FieldLimits, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) -> Int128 {
        let start = reader
        if let atom = reader.readAtom() {
            guard let index = names.atoms.index(of: atom) else {
                throw ErlangRecordError(.tuple("unknown_name", .atom(ErlangAtom(atom.name))))
            }
            return names.values[index]
        }
        guard let value = reader.readWideInteger() else { throw .wrongType("enumeration") }
        let range = limits.range ?? names.format.range
        guard range.contains(value) else { throw start.outOfRange(range) }
        guard !names.isClosed else { throw ErlangRecordError(.tuple("unknown_case", start.value)) }
        return value
    }

    /// The flags are given by their atoms, and by at most one number for bits without a name.
    private func flagNumber(
        _ names: NameTable, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) -> Int128 {
        guard let list = reader.enterList() else { throw .wrongType("flags") }
        guard list.isPlain else {
            let elements = reader.readElements()
            var inner = ErlangTermReader(elements.rawSpan)
            return try flagNumber(names, count: list.count, from: &inner)
        }
        let number = try flagNumber(names, count: list.count, from: &reader)
        if list.count > 0 { reader.skip() }
        return number
    }

    private func flagNumber(
        _ names: NameTable, count: Int, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) -> Int128 {
        var total: Int128 = 0
        for position in 0..<count {
            let start = reader
            if let atom = reader.readAtom() {
                guard let index = names.atoms.index(of: atom) else {
                    throw ErlangRecordError(.tuple("unknown_name", .atom(ErlangAtom(atom.name))))
                }
                let isRepeated = reader.hasElement(among: count - position - 1) {
                    names.atoms.readIndex(from: &$0) == index
                }
                guard !isRepeated else { throw ErlangRecordError(.tuple("repeated_flag", start.value)) }
                total |= names.values[index]
            } else if let bits = reader.readWideInteger() {
                let range = 0...names.format.range.upperBound
                guard range.contains(bits) else { throw start.outOfRange(range) }
                let isRepeated = reader.hasElement(among: count - position - 1) { $0.readWideInteger() != nil }
                guard !isRepeated else { throw ErlangRecordError(.tuple("repeated_flag", start.value)) }
                total |= bits
            } else {
                throw .wrongType("flags")
            }
        }
        return total
    }

    // MARK: Floats

    func bits(
        of format: FloatFormat, from reader: inout ErlangTermReader, _ limits: FieldLimits
    ) throws(ErlangRecordError) -> UInt64 {
        let bits: UInt64
        switch reader.readSpecialFloat(format) {
        case .infinity?: bits = format.bits(of: .infinity)
        case .negativeInfinity?: bits = format.bits(of: -.infinity)
        case .nan(let given)?: bits = given
        case nil:
            bits = format.bits(of: try reader.readReal())
            guard format.value(ofBits: bits).isFinite else { throw ErlangRecordError("number_too_large") }
        }
        if limits.fault(of: format.value(ofBits: bits)) != nil { throw outOfRange(format, bits, limits) }
        return bits
    }

    private func outOfRange(_ format: FloatFormat, _ bits: UInt64, _ limits: FieldLimits) -> ErlangRecordError {
        // The value is a float, or its replacement if Erlang has no such float. A NaN keeps its bits.
        let number = format.value(ofBits: bits)
        let value: ErlangTerm = number.isNaN ? .tuple("nan", ErlangTerm(bits)) : ErlangTerm(float: number)
        let range = limits.floatRange ?? 0...0
        return ErlangRecordError(
            .tuple(
                "float_out_of_range", value, ErlangTerm(float: range.lowerBound), ErlangTerm(float: range.upperBound)))
    }
}
