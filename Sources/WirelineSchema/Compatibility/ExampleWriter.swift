// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// A value to try.
struct Candidate {
    var values: ExampleValues.Style
    var hint: ExampleHint?
    var extra = 0
    /// The declared type that the value should have somewhere inside.
    var target: TypeDescription?
    /// Numbers for what conditions look at.
    var operands = OperandValues()
}

/// Encodes packets of one version that are tried on the other.
struct ExampleWriter {
    let description: ProtocolDescription
    let translator: PacketTranslator
    /// What random values are taken from.
    let pool: EdgePool

    /// Returns a packet of a message, and its fields; nil if it cannot be encoded.
    ///
    /// - Parameter context: Who sends it, and in which states; nil if that makes no difference.
    func packet(
        ofMessage message: Int, _ candidate: Candidate, in context: ExchangeContext?
    ) -> (fields: JSONValue, bytes: [UInt8])? {
        let name = description.messages[message].name
        var extra = candidate.extra
        if case .packetByteCount(let count)? = candidate.hint {
            var plain = ExampleValues(translator.index, candidate.values, operands: candidate.operands)
            let fields = plain.fields(ofMessage: message)
            guard let packet = encode(fields, plain.header, name, context),
                let content = try? description.layout.unframed(packet)
            else { return nil }
            extra += max(0, count - content.count)
        }
        var values = ExampleValues(
            translator.index, candidate.values, hint: candidate.hint, operands: candidate.operands,
            target: candidate.target, extraCount: extra, pool: pool)
        let fields = values.fields(ofMessage: message)
        guard let bytes = encode(fields, values.header, name, context) else { return nil }
        return (fields, bytes)
    }

    private func encode(
        _ fields: JSONValue, _ header: PacketHeader, _ name: String, _ context: ExchangeContext?
    ) -> [UInt8]? {
        let line = JSONValue.object([JSONValue.Member(LineKey.fields, fields)])
        return try? translator.encode(
            message: name, json: line, header: translator.index.json(of: header), from: context?.sender,
            states: context?.written ?? PacketStates())
    }
}
