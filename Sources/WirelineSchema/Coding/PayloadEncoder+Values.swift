// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

// MARK: - Scalars

extension PayloadEncoder {
    /// Writes what is neither a structure nor a list nor text.
    mutating func encodeScalar(
        _ value: JSONValue, as type: TypeDescription, _ limits: FieldLimits
    ) throws(TranslationError) {
        switch type {
        case .integer(let format, let byteOrder):
            let number = try value.integer(in: format.range, limit: limits.range)
            append(number, format, byteOrder)
        case .varint(let maximumByteCount):
            let range = PacketField.Format.varint(maximumByteCount: maximumByteCount).range
            let number = try value.integer(in: range, limit: limits.range)
            appendVarint(UInt64(truncatingIfNeeded: number))
        case .float32(let byteOrder):
            let number = try value.float32()
            try require(limits.fault(of: Double(number)))
            append(Int128(number.bitPattern), .uint32, byteOrder)
        case .float64(let byteOrder):
            let number = try value.float64()
            try require(limits.fault(of: number))
            append(Int128(number.bitPattern), .uint64, byteOrder)
        case .enumeration(let enumeration, let byteOrder):
            let plan = index.enumerations[enumeration]
            append(try number(ofCase: value, of: plan), plan.format, byteOrder)
        case .flags(let flags, let byteOrder):
            let plan = index.flagSets[flags]
            append(try number(ofFlags: value, of: plan), plan.format, byteOrder)
        default:
            guard case .boolean(let isTrue) = value else { throw wrongKind(.boolean, value) }
            bytes.append(isTrue ? 1 : 0)
        }
    }

    /// The number of an enum's case, given by its name or as a number.
    private func number(ofCase value: JSONValue, of plan: EnumerationPlan) throws(TranslationError) -> Int128 {
        if case .string(let name) = value {
            if let number = plan.value(named: name) { return number }
            guard JSONNumber(integerText: name) != nil else {
                throw TranslationError(.unknownName(name, known: plan.names))
            }
        }
        let number = try value.integer(in: plan.format.range, orElse: .enumeration)
        try require(plan.fault(of: number))
        return number
    }

    /// The number that flags make, given by their names and at most one number for bits without a name.
    private func number(ofFlags value: JSONValue, of plan: EnumerationPlan) throws(TranslationError) -> Int128 {
        guard case .array(let items) = value else { throw wrongKind(.flags, value) }
        var total: Int128 = 0
        var names: Set<String> = []
        var hasNumber = false
        for item in items {
            if case .string(let name) = item, let mask = plan.value(named: name) {
                guard names.insert(name).inserted else { throw TranslationError(.repeatedFlag(name)) }
                total |= mask
            } else if case .string(let name) = item, JSONNumber(integerText: name) == nil {
                throw TranslationError(.unknownName(name, known: plan.names))
            } else {
                let bits = try item.integer(in: plan.format.range, orElse: .flag)
                guard !hasNumber else { throw TranslationError(.repeatedFlag(String(bits))) }
                hasNumber = true
                total |= bits
            }
        }
        return total
    }
}

// MARK: - Bytes

extension PayloadEncoder {
    /// Writes bytes and what says where they end.
    mutating func append(
        _ content: [UInt8], _ extent: TypeDescription.Extent, _ limits: FieldLimits
    ) throws(TranslationError) {
        try appendCount(content.count, extent, limits)
        if extent == .terminated && content.contains(0) { throw TranslationError(.embeddedTerminator) }
        bytes += content
        if extent == .terminated { bytes.append(0) }
    }

    /// Checks a count of bytes or items against its prefix and `@max`, and writes it where it is written.
    mutating func appendCount(
        _ count: Int, _ extent: TypeDescription.Extent, _ limits: FieldLimits
    ) throws(TranslationError) {
        try require(limits.fault(ofCount: count))
        guard case .counted(let format, let byteOrder) = extent else { return }
        guard count <= format.maximum else { throw TranslationError(.tooLong(count: count, limit: format.maximum)) }
        appendCount(count, format, byteOrder)
    }

    /// Writes a count that is known to fit.
    mutating func appendCount(_ count: Int, _ format: CountFormat, _ byteOrder: ByteOrder) {
        switch format {
        case .uint8: append(Int128(count), .uint8, byteOrder)
        case .uint16: append(Int128(count), .uint16, byteOrder)
        case .uint32: append(Int128(count), .uint32, byteOrder)
        case .varint: appendVarint(UInt64(count))
        }
    }

    private mutating func append(_ number: Int128, _ format: IntegerFormat, _ byteOrder: ByteOrder) {
        for position in 0..<format.byteCount {
            let place = byteOrder == .bigEndian ? format.byteCount - 1 - position : position
            bytes.append(UInt8(truncatingIfNeeded: number >> Int128(8 * place)))
        }
    }

    private mutating func appendVarint(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    // MARK: Faults

    /// The bytes that a string of Base64 stands for.
    func base64(_ value: JSONValue) throws(TranslationError) -> [UInt8] {
        guard case .string(let text) = value else { throw wrongKind(.base64, value) }
        do throws(Base64Error) {
            return try Base64.decode(text)
        } catch {
            throw TranslationError(.base64(error))
        }
    }

    func wrongKind(_ expected: TranslationError.Expectation, _ value: JSONValue) -> TranslationError {
        TranslationError(.wrongKind(expected: expected, found: value.kind))
    }

    private func require(_ fault: CodecError.Reason?) throws(TranslationError) {
        if let fault { throw TranslationError(fault) }
    }
}
