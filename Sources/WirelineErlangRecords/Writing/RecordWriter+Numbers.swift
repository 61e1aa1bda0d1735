// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineErlang
import WirelineLanguage
import WirelineSchema

extension RecordWriter {
    /// Reads the term of a number, and checks it.
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

    /// Writes a number that has been checked.
    mutating func append(_ number: Int128, _ form: ValueForm) {
        switch form {
        case .integer(let format, let order): bytes.append(number, format, order)
        case .varint(let format): bytes.append(varint: format.bits(of: number))
        case .enumeration(let names, let order), .flags(let names, let order):
            bytes.append(number, names.format, order)
        default: bytes.append(number != 0 ? 1 : 0)
        }
    }

    /// Writes an integer of a usual width that fits it.
    ///
    /// - Returns: Whether it was written. If not, nothing has been read.
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
        // A single byte, which most numbers of records are, has a shorter way.
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

    /// Returns the number of an enum's case, given by its atom or as a number.
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
        guard !names.isClosed else { throw ErlangRecordError(.tuple("unknown_case", start.value)) }
        let range = limits.range ?? names.format.range
        guard range.contains(value) else { throw start.outOfRange(range) }
        return value
    }

    /// Returns the number of flags, given by their atoms and at most one number for bits without a name.
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

    func float32(from reader: inout ErlangTermReader, _ limits: FieldLimits) throws(ErlangRecordError) -> Float {
        let value: Float
        switch reader.readSpecialFloat(exponent: 0x7F80_0000, bitWidth: 32) {
        case .infinity?: value = .infinity
        case .negativeInfinity?: value = -.infinity
        case .nan(let bits)?: value = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
        case nil:
            let number = try reader.readReal()
            // From here on the nearest Float would be infinite.
            guard number.magnitude < 3.402_823_567_797_336_6e38 else { throw ErlangRecordError("number_too_large") }
            value = Float(number)
        }
        if limits.fault(of: Double(value)) != nil { throw outOfRange(ErlangTerm(float32: value), limits) }
        return value
    }

    func float64(from reader: inout ErlangTermReader, _ limits: FieldLimits) throws(ErlangRecordError) -> Double {
        let value: Double
        switch reader.readSpecialFloat(exponent: 0x7FF0_0000_0000_0000, bitWidth: 64) {
        case .infinity?: value = .infinity
        case .negativeInfinity?: value = -.infinity
        case .nan(let bits)?: value = Double(bitPattern: bits)
        case nil: value = try reader.readReal()
        }
        if limits.fault(of: value) != nil { throw outOfRange(ErlangTerm(float: value), limits) }
        return value
    }

    private func outOfRange(_ value: ErlangTerm, _ limits: FieldLimits) -> ErlangRecordError {
        let range = limits.floatRange ?? 0...0
        return ErlangRecordError(
            .tuple(
                "float_out_of_range", value, ErlangTerm(float: range.lowerBound), ErlangTerm(float: range.upperBound)))
    }
}

extension ErlangTerm {
    /// Makes a float, or what stands for one that Erlang does not have; a NaN keeps its bits.
    fileprivate init(float32 value: Float) {
        self = value.isNaN ? .tuple("nan", ErlangTerm(value.bitPattern)) : ErlangTerm(float: Double(value))
    }
}
