// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

// MARK: - Scalars

extension PayloadEncoder {
    /// Writes a value that is not a structure, a list or text.
    mutating func encodeScalar(
        _ value: JSONValue, as type: TypeDescription, _ limits: FieldLimits
    ) throws(TranslationError) {
        switch type {
        case .integer(let format, let byteOrder):
            let number = try value.integer(in: format.range, limit: limits.range)
            bytes.append(number, format, byteOrder)
        case .varint(let format):
            let number = try value.integer(in: format.range, limit: limits.range)
            bytes.append(varint: format.bits(of: number))
        case .float32(let byteOrder):
            let number = try value.float32()
            try require(limits.fault(of: Double(number)))
            bytes.append(Int128(number.bitPattern), .uint32, byteOrder)
        case .float64(let byteOrder):
            let number = try value.float64()
            try require(limits.fault(of: number))
            bytes.append(Int128(number.bitPattern), .uint64, byteOrder)
        case .enumeration(let enumeration, let byteOrder):
            let plan = index.enumerations[enumeration]
            bytes.append(try number(ofCase: value, of: plan), plan.format, byteOrder)
        case .flags(let flags, let byteOrder):
            let plan = index.flagSets[flags]
            bytes.append(try number(ofFlags: value, of: plan), plan.format, byteOrder)
        default:
            guard case .boolean(let isTrue) = value else { throw wrongKind(.boolean, value) }
            bytes.append(isTrue ? 1 : 0)
        }
    }

    /// Returns the number of an enum's case, given by its name or as a number.
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

    /// Returns the number of flags, given by their names and at most one number for bits without a name.
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
    /// Writes bytes, with the prefix or terminator that marks their end.
    mutating func append(
        _ content: [UInt8], _ extent: TypeDescription.Extent, _ limits: FieldLimits
    ) throws(TranslationError) {
        try appendCount(content.count, extent, limits)
        if extent == .terminated && content.contains(0) { throw TranslationError(.embeddedTerminator) }
        bytes += content
        if extent == .terminated { bytes.append(0) }
    }

    /// Checks a count of bytes or items against its prefix and `@max`, and writes it if there is a prefix.
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
        case .uint8: bytes.append(Int128(count), .uint8, byteOrder)
        case .uint16: bytes.append(Int128(count), .uint16, byteOrder)
        case .uint32: bytes.append(Int128(count), .uint32, byteOrder)
        case .varint: bytes.append(varint: UInt64(count))
        }
    }

    // MARK: Faults

    /// Returns the bytes of a Base64 string.
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
