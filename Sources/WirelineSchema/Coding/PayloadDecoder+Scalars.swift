// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension PayloadDecoder {
    /// Reads what is neither a structure nor a list nor text.
    func decodeScalar(
        _ type: TypeDescription, of field: FieldDescription, from reader: inout ByteReader
    ) throws(CodecError) -> JSONValue {
        let start = reader.offset
        switch type {
        case .integer(let format, let byteOrder):
            let value = try reader.readNumber(format, byteOrder)
            try require(field.fault(of: value), at: start)
            return .exactInteger(value)
        case .varint(let maximumByteCount):
            let value = Int128(try reader.readVarint(maximumByteCount: maximumByteCount))
            try require(field.fault(of: value), at: start)
            return .exactInteger(value)
        case .float32(let byteOrder):
            let value = try reader.readFloat32(byteOrder)
            try require(field.fault(of: Double(value)), at: start)
            return .float(value)
        case .float64(let byteOrder):
            let value = try reader.readFloat64(byteOrder)
            try require(field.fault(of: value), at: start)
            return .float(value)
        case .enumeration(let enumeration, let byteOrder):
            let value = try reader.readNumber(index.description.enumerations[enumeration].format, byteOrder)
            try require(index.fault(ofCase: value, of: enumeration), at: start)
            return index.enumerations[enumeration].json(enumeration: value)
        case .flags(let flags, let byteOrder):
            let value = try reader.readNumber(index.description.flagSets[flags].format, byteOrder)
            return index.flagSets[flags].json(flags: value)
        default:
            return .boolean(try reader.readBoolean())
        }
    }

    /// Refuses what has a fault.
    func require(_ fault: CodecError.Reason?, at offset: Int) throws(CodecError) {
        if let fault { throw CodecError(fault, offset: offset) }
    }
}
