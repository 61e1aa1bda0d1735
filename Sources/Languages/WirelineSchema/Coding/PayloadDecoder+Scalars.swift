// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension PayloadDecoder {
    /// Reads a value that is not a structure, a list or text.
    func decodeScalar(
        _ type: TypeDescription, _ limits: FieldLimits, from reader: inout ByteReader
    ) throws(CodecError) -> JSONValue {
        let start = reader.offset
        switch type {
        case .integer(let format, let byteOrder):
            let value = try reader.readNumber(format, byteOrder)
            try require(limits.fault(of: value), at: start)
            return .exactInteger(value)
        case .varint(let format):
            let value = try reader.readNumber(format)
            try require(limits.fault(of: value), at: start)
            return .exactInteger(value)
        case .float(let format, let byteOrder):
            let value = format.value(ofBits: try reader.readUnsigned(byteCount: format.byteCount, byteOrder))
            try require(limits.fault(of: value), at: start)
            return .float(value, format)
        case .enumeration(let enumeration, let byteOrder):
            let plan = index.enumerations[enumeration]
            let value = try reader.readNumber(plan.format, byteOrder)
            try require(plan.fault(of: value), at: start)
            return plan.json(enumeration: value)
        case .flags(let flags, let byteOrder):
            let value = try reader.readNumber(index.flagSets[flags].format, byteOrder)
            return index.flagSets[flags].json(flags: value)
        default:
            return .boolean(try reader.readBoolean())
        }
    }

    func require(_ fault: CodecError.Reason?, at offset: Int) throws(CodecError) {
        if let fault { throw CodecError(fault, offset: offset) }
    }
}
