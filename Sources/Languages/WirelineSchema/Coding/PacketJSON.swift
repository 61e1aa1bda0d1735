// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

struct PacketJSON {
    var message: String?
    var id: UInt64?
    var header: JSONValue?
    var fields: JSONValue
    /// The bytes after the last known field; for an unknown message the whole payload.
    var trailing: [UInt8] = []
    var packets: [JSONValue] = []

    init(fields: JSONValue) {
        self.fields = fields
    }

    init(_ json: JSONValue) throws(TranslationError) {
        try Self.requireKeys(json, LineKey.known)
        switch json[LineKey.message] {
        case .string(let name)?: message = name
        case nil: break
        case let other?:
            throw TranslationError(.wrongKind(expected: .string, found: other.kind), path: LineKey.message)
        }
        guard let fields = json[LineKey.fields] else { throw TranslationError(.missing, path: LineKey.fields) }
        self.fields = fields
        id = try Self.id(json)
        header = json[LineKey.header]
        trailing = try Self.bytes(json, LineKey.trailing) ?? []
    }

    /// Splits the line of a message that the protocol does not know.
    init(unknown json: JSONValue) throws(TranslationError) {
        try Self.requireKeys(json, [LineKey.message, LineKey.id, LineKey.header, LineKey.payload])
        fields = .null
        id = try Self.id(json)
        header = json[LineKey.header]
        guard let payload = try Self.bytes(json, LineKey.payload) else {
            throw TranslationError(.missing, path: LineKey.payload)
        }
        trailing = payload
    }

    init(bundle json: JSONValue) throws(TranslationError) {
        try Self.requireKeys(json, [LineKey.message, LineKey.id, LineKey.header, LineKey.packets])
        fields = .null
        id = try Self.id(json)
        header = json[LineKey.header]
        switch json[LineKey.packets] {
        case .array(let lines)?: packets = lines
        case let other?: throw TranslationError(.wrongKind(expected: .array, found: other.kind), path: LineKey.packets)
        case nil: throw TranslationError(.missing, path: LineKey.packets)
        }
    }

    private static func requireKeys(_ json: JSONValue, _ known: [String]) throws(TranslationError) {
        guard case .object(let members) = json else {
            throw TranslationError(.wrongKind(expected: .object, found: json.kind))
        }
        for member in members where !known.contains(where: { $0.hasSameBytes(as: member.name) }) {
            throw TranslationError(.unknownKey(member.name, known: known))
        }
    }

    private static func id(_ json: JSONValue) throws(TranslationError) -> UInt64? {
        guard let value = json[LineKey.id] else { return nil }
        do throws(TranslationError) {
            return UInt64(truncatingIfNeeded: try value.integer(in: IntegerFormat.uint64.range))
        } catch {
            throw error.prefixed(by: LineKey.id)
        }
    }

    private static func bytes(_ json: JSONValue, _ key: String) throws(TranslationError) -> [UInt8]? {
        guard let value = json[key] else { return nil }
        guard case .string(let text) = value else {
            throw TranslationError(.wrongKind(expected: .hexadecimal, found: value.kind), path: key)
        }
        // Only digits are accepted here, without the separators that people paste on a command line.
        let hasOnlyDigits = text.utf8.allSatisfy { hexadecimalDigit($0) != nil }
        guard hasOnlyDigits, let bytes = try? Hexadecimal.bytes(of: text) else {
            throw TranslationError(.invalidHex, path: key)
        }
        return bytes
    }
}
