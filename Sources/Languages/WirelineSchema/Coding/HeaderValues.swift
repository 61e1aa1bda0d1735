// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
import WirelineLanguage

extension PacketTranslator {
    /// Returns the JSON of a number in a layout field, such as a name of its enum.
    package func json(of value: Int128, inPacketField field: Int) -> JSONValue {
        index.json(of: value, inPacketField: field)
    }

    /// Returns the JSON of a value in a layout field, such as a name of its enum.
    package func json(of value: PacketHeader.FieldValue, inPacketField field: Int) -> JSONValue {
        index.json(of: value, inPacketField: field)
    }

    /// Returns the value of JSON in a layout field, such as a name of its enum.
    package func value(
        of json: JSONValue, inPacketField field: Int
    ) throws(TranslationError) -> PacketHeader.FieldValue {
        try index.value(of: json, inPacketField: field)
    }
}

/// The values of header and trailer fields in JSON.
extension DescriptionIndex {
    /// Returns an object of header fields; nil if there are none.
    func json(of header: PacketHeader) -> JSONValue? {
        guard !header.fields.isEmpty else { return nil }
        return .object(
            header.fields.compactMap { name, value in
                description.packetField(named: name).map { JSONValue.Member(name, json(of: value, inPacketField: $0)) }
            })
    }

    func json(of value: PacketHeader.FieldValue, inPacketField field: Int) -> JSONValue {
        switch value {
        case .integer(let number): json(of: number, inPacketField: field)
        case .text(let text): .string(text)
        case .bytes(let bytes): .string(Base64.encode(bytes))
        }
    }

    func value(of json: JSONValue, inPacketField index: Int) throws(TranslationError) -> PacketHeader.FieldValue {
        let format = description.layout.fields[index].format
        if format.isNumber { return .integer(try number(of: json, inPacketField: index)) }
        guard case .string(let text) = json else {
            let isBytes = if case .bytes = format { true } else { false }
            throw TranslationError(.wrongKind(expected: isBytes ? .base64 : .string, found: json.kind))
        }
        guard case .bytes = format else { return .text(text) }
        do throws(Base64Error) {
            return .bytes(try Base64.decode(text))
        } catch {
            throw TranslationError(.base64(error))
        }
    }

    /// Returns the JSON of a number in a layout field: `true` or `false`, names of an enum or of flags, or the number.
    func json(of value: Int128, inPacketField field: Int) -> JSONValue {
        switch description.packetFieldType(field) {
        case .enumeration(let index, _)?: enumerations[index].json(enumeration: value)
        case .flags(let index, _)?: flagSets[index].json(flags: value)
        default: description.layout.fields[field].format.isBoolean ? .boolean(value != 0) : .exactInteger(value)
        }
    }

    private func number(of json: JSONValue, inPacketField index: Int) throws(TranslationError) -> Int128 {
        switch description.packetFieldType(index) {
        case .enumeration(let index, _)?: return try enumerations[index].number(ofCase: json)
        case .flags(let index, _)?: return try flagSets[index].number(ofFlags: json)
        default: break
        }
        let format = description.layout.fields[index].format
        guard format.isBoolean else { return try json.integer(in: format.range) }
        guard case .boolean(let isTrue) = json else {
            throw TranslationError(.wrongKind(expected: .boolean, found: json.kind))
        }
        return isTrue ? 1 : 0
    }

    private func isSettable(_ field: PacketField) -> Bool { description.layout.isSettable(field) }

    /// Sets the values in an object of header fields.
    ///
    /// - Returns: The computed fields in it, for ``requireSame(_:as:)``; without `mayStateComputed` they are errors.
    func set(
        _ values: inout PacketHeader, from json: JSONValue?, mayStateComputed: Bool
    ) throws(TranslationError) -> [(name: String, value: PacketHeader.FieldValue)] {
        guard let json else { return [] }
        guard case .object(let members) = json else {
            throw TranslationError(.wrongKind(expected: .object, found: json.kind), path: LineKey.header)
        }
        let fields = description.layout.fields
        var computed: [(name: String, value: PacketHeader.FieldValue)] = []
        for member in members {
            let path = FieldPath.joining(LineKey.header, FieldPath.step(member.name))
            guard
                let index = fields.firstIndex(where: {
                    $0.name.hasSameBytes(as: member.name) && $0.role != .padding
                })
            else {
                let known = fields.filter { isSettable($0) || mayStateComputed && $0.role != .padding }.map(\.name)
                throw TranslationError(.unknownKey(member.name, known: known), path: LineKey.header)
            }
            let field = fields[index]
            guard isSettable(field) || mayStateComputed else {
                throw TranslationError(.value(.invalidHeaderField(member.name)), path: path)
            }
            do throws(TranslationError) {
                let value = try value(of: member.value, inPacketField: index)
                if isSettable(field) {
                    values[value: field.name] = value
                } else {
                    computed.append((field.name, value))
                }
            } catch {
                throw error.prefixed(by: path)
            }
        }
        return computed
    }
}

extension PacketLayout {
    /// Returns the fields that a header has, in wire order, with their values.
    func fields(in header: PacketHeader) -> [(index: Int, value: PacketHeader.FieldValue)] {
        fields.enumerated().compactMap { index, field in header[value: field.name].map { (index, $0) } }
    }

    /// The largest ID of each possible set of ID fields, the widest first.
    var largestMessageIDs: [UInt64] {
        guard hasConditions else { return hasMessageID ? [maximumMessageID] : [] }
        return messageIDSets.filter { $0.bitWidth > 0 }.map { UInt64.max >> UInt64(64 - $0.bitWidth) }
    }

    /// Refuses computed header fields that differ from the packet's, or that it does not have.
    func requireSame(
        _ computed: [(name: String, value: PacketHeader.FieldValue)], as header: PacketHeader
    ) throws(TranslationError) {
        for (name, value) in computed {
            let path = FieldPath.joining(LineKey.header, name)
            guard let actual = header[value: name] else {
                throw TranslationError(.value(.wrongPresence(isSet: true)), path: path)
            }
            guard actual != value else { continue }
            throw TranslationError(.differs(found: value.shown, actual: actual.shown), path: path)
        }
    }
}

extension PacketHeader.FieldValue {
    /// The value as an error shows it.
    fileprivate var shown: String {
        switch self {
        case .integer(let number): String(number)
        case .text(let text): JSONValue.string(text).description
        case .bytes(let bytes): Hexadecimal.text(of: bytes)
        }
    }
}

extension PacketField.Format {
    /// The smallest and the largest values of a field, with a name for each.
    var edges: [(value: PacketHeader.FieldValue, label: String)] {
        switch self {
        case .integer, .boolean, .bit, .varint:
            [range.lowerBound, range.upperBound].map { (.integer($0), "\($0)") }
        case .text(let byteCount, let padding):
            [
                (.text(""), "empty"),
                (.text(String(repeating: padding == UInt8(ascii: "x") ? "y" : "x", count: byteCount)), "full"),
            ]
        case .digits(let format):
            [0, format.notation.radix - 1].map { digit in
                (.text(format.text { _ in digit }), String(digit, radix: format.notation.radix))
            }
        case .bytes(let byteCount):
            [0, 0xFF].map { (.bytes(Array(repeating: $0, count: byteCount)), "\($0)") }
        }
    }
    /// Values that a field without a number cannot hold, with a name for each.
    var faults: [(value: PacketHeader.FieldValue, label: String)] {
        switch self {
        case .integer, .boolean, .bit, .varint: []
        case .text(let byteCount, _): [(.text(String(repeating: "x", count: byteCount + 1)), "too-long")]
        case .digits(let format):
            [
                (.text(String(format.zero.dropLast())), "too-short"),
                (.text(String(repeating: format.notation.noDigit, count: format.digitCount)), "no-digits"),
            ]
        case .bytes(let byteCount): [(.bytes(Array(repeating: 0, count: byteCount + 1)), "too-long")]
        }
    }
}
