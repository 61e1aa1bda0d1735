// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension PayloadDecoder {
    /// Reads a field that has no value in JSON: skips padding, and compares a constant with the one of the schema.
    ///
    /// It is never inlined: its callers recurse into structures, and its variables would enlarge their stack frames.
    @inline(never)
    func passFiller(_ field: JSONField, from reader: inout ByteReader) throws(CodecError) {
        let start = reader.offset
        switch field.constant {
        case .number(let expected, let format, let byteOrder):
            let value = try reader.readNumber(format, byteOrder)
            try require(value == expected ? nil : .wrongConstant(value: value, expected: expected), at: start)
            recorder?.add(json(expected, field.type), of: field.type, at: start..<reader.offset)
        case .text(let text, let byteCount, let padding):
            try reader.readRun(byteCount: byteCount)
                .requireText(text, at: 0, byteCount: byteCount, padding: padding)
            recorder?.add(.string(text), of: field.type, at: start..<reader.offset)
        case nil:
            let byteCount = index.minimumByteCount(of: field.type)
            _ = try reader.readRun(byteCount: byteCount)
            recorder?.add(padding: byteCount, at: start..<reader.offset)
        }
    }

    private func json(_ number: Int128, _ type: TypeDescription) -> JSONValue {
        switch type {
        case .boolean, .bit: .boolean(number != 0)
        case .enumeration(let enumeration, _): index.enumerations[enumeration].json(enumeration: number)
        default: .exactInteger(number)
        }
    }
}
