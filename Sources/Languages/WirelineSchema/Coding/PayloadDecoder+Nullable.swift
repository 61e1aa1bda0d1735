// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Fields whose prefix has a sign: -1 says that they are absent.
extension PayloadDecoder {
    /// Reads the prefix of a field and, if that is a count, the value; nil if the field is absent.
    ///
    /// It is never inlined: its caller recurses into structures, and its variables would enlarge the caller's stack
    /// frame.
    ///
    /// - Parameter tag: The tag of a union, if it is in an earlier field.
    @inline(never)
    func decodeNullable(
        _ field: JSONField, tagged tag: Int128?, from reader: inout ByteReader
    ) throws(CodecError) -> JSONValue? {
        guard case .counted(let format, let byteOrder)? = field.type.extent else { return nil }
        let start = reader.offset
        let count = try reader.readCount(format, byteOrder, index.varintForms)
        let prefix = start..<reader.offset
        guard count >= 0 else {
            recorder?.addAbsence(at: prefix)
            return nil
        }
        if !field.type.isSized { try require(field.limits.fault(ofCount: count), at: start) }
        let value: JSONValue
        switch field.type {
        case .list(let element, _):
            recorder?.add(count: count, at: prefix, isNullable: true)
            return .array(try decodeItems(element, count: count, from: &reader))
        case .sized(let content, _):
            recorder?.add(size: count, at: prefix, isNullable: true)
            return try decodeSized(content, .exact(byteCount: count), field.limits, tagged: tag, from: &reader)
        case .bytes: value = .string(Base64.encode(try reader.readBytes(byteCount: count)))
        case .utf16(_, let order): value = .string(try reader.readUTF16(unitCount: count, order))
        default: value = .string(try reader.readString(byteCount: count))
        }
        recorder?.add(value, of: field.type, at: start..<reader.offset)
        return value
    }
}
