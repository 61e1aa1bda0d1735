// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension PayloadDecoder {
    /// Reads `properties` as an object of strings, in order.
    func decodeProperties(isStrict: Bool, from reader: inout ByteReader) throws(CodecError) -> JSONValue {
        let entries = try reader.readProperties(isStrict: isStrict).entries
        return .object(entries.map { JSONValue.Member($0.key, .string($0.value)) })
    }
}

extension PayloadEncoder {
    /// Writes an object of strings as `properties`: `key:value` lines, without a line feed after the last.
    ///
    /// It does not use ``Properties``, which sets keys one by one in quadratic time; it refuses the same values. An
    /// object has no equal keys, so strict and lenient properties are written the same way.
    mutating func appendProperties(_ value: JSONValue) throws(TranslationError) {
        guard case .object(let members) = value else { throw wrongKind(.object, value) }
        let start = bytes.count
        for member in members {
            guard case .string(let text) = member.value else {
                throw wrongKind(.string, member.value).prefixed(by: FieldPath.step(member.name))
            }
            let isGood =
                !member.name.isEmpty
                && !member.name.utf8.contains { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "\n") }
                && !text.utf8.contains(UInt8(ascii: "\n"))
            guard isGood else { throw TranslationError(.invalidProperty(member.name + ":" + text)) }
            if bytes.count > start { bytes.append(UInt8(ascii: "\n")) }
            bytes += member.name.utf8
            bytes.append(UInt8(ascii: ":"))
            bytes += text.utf8
        }
        let byteCount = bytes.count - start
        guard byteCount <= Properties.maximumByteCount else {
            throw TranslationError(.tooLong(count: byteCount, limit: Properties.maximumByteCount))
        }
    }
}
