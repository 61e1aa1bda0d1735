// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// A value to try.
struct Candidate {
    var values: ExampleValues.Style
    var hint: ExampleHint?
    var extra = 0
    /// Its index among the candidates that are tried for every change; nil for one with a hint.
    var commonPlace: Int?
}

/// Encodes packets of one version that are tried on the other.
struct ExampleWriter {
    let description: ProtocolDescription
    let translator: PacketTranslator

    /// Returns a packet of a message, and its fields; nil if it cannot be encoded.
    func packet(ofMessage message: Int, _ candidate: Candidate) -> (fields: JSONValue, bytes: [UInt8])? {
        let name = description.messages[message].name
        var extra = candidate.extra
        if case .packetByteCount(let count)? = candidate.hint {
            var plain = ExampleValues(description, candidate.values)
            let fields = plain.fields(ofMessage: message)
            guard let packet = try? translator.encode(message: name, json: fields) else { return nil }
            extra += max(0, count - packet.count)
        }
        var values = ExampleValues(description, candidate.values, hint: candidate.hint, extraCount: extra)
        let fields = values.fields(ofMessage: message)
        var header: JSONValue?
        if case .header(let name, let value)? = candidate.hint {
            let field = description.layout.fields.first { $0.name == name }
            header = field.map { .object([JSONValue.Member(name, $0.json(of: value))]) }
        }
        let line = JSONValue.object([JSONValue.Member(LineKey.fields, fields)])
        guard let bytes = try? translator.encode(message: name, json: line, header: header) else { return nil }
        return (fields, bytes)
    }
}
