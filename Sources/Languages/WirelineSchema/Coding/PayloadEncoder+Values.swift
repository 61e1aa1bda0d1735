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
        case .float(let format, let byteOrder):
            let number = try value.float(format)
            try require(limits.fault(of: number))
            bytes.append(Int128(format.bits(of: number)), format.bitFormat, byteOrder)
        case .enumeration(let enumeration, let byteOrder):
            let plan = index.enumerations[enumeration]
            bytes.append(try plan.number(ofCase: value), plan.format, byteOrder)
        case .flags(let flags, let byteOrder):
            let plan = index.flagSets[flags]
            bytes.append(try plan.number(ofFlags: value), plan.format, byteOrder)
        default:
            bytes.append(try boolean(value) ? 1 : 0)
        }
    }

    mutating func encodePacked(
        _ value: JSONValue, _ field: JSONField, _ packing: FieldPacking, in run: inout PackedBits
    ) throws(TranslationError) {
        let number: Int128 =
            switch field.type {
            case .integer(let format, _): try value.integer(in: format.range, limit: field.limits.range)
            case .enumeration(let enumeration, _): try index.enumerations[enumeration].number(ofCase: value)
            case .flags(let flags, _): try index.flagSets[flags].number(ofFlags: value)
            default: try boolean(value) ? 1 : 0
            }
        add(number, packing, to: &run)
    }

    /// Adds the number of a field to its group; the last field writes the bytes of all.
    mutating func add(_ number: Int128, _ packing: FieldPacking, to run: inout PackedBits) {
        if packing.beginsRun { run = PackedBits() }
        run.add(number, bitWidth: packing.bitWidth, shift: packing.shift)
        guard packing.endsRun else { return }
        let format = IntegerFormat(bitWidth: 8 * packing.runByteCount, isSigned: false)
        bytes.append(Int128(run.integer), format, packing.byteOrder)
    }

    private func boolean(_ value: JSONValue) throws(TranslationError) -> Bool {
        guard case .boolean(let isTrue) = value else { throw wrongKind(.boolean, value) }
        return isTrue
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
        if case .exact(let byteCount) = extent, content.count != byteCount {
            throw TranslationError(.wrongByteCount(count: content.count, expected: byteCount))
        }
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
        guard let byteCount = format.fixedByteCount else {
            return bytes.append(varint: format.isSigned ? Int64(count).zigzag : UInt64(count))
        }
        bytes.append(Int128(count), IntegerFormat(bitWidth: 8 * byteCount, isSigned: format.isSigned), byteOrder)
    }

    mutating func appendAbsence(_ type: TypeDescription) {
        guard case .counted(let format, let byteOrder)? = type.extent else { return }
        appendCount(-1, format, byteOrder)
    }

    // MARK: Faults

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
