// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// A packet of a message with made-up values, or those of `@example`, for people to read; always the same values.
///
/// Values of `@sensitive` fields are there too, so that the example can be used: they are no secrets.
package struct PacketExample: Sendable {
    /// The fields as ``PacketTranslator/decode(_:from:)-(Packet,_)`` returns them, and as `encode` takes them.
    package let fields: JSONValue
    /// The whole packet, with default values in its header, and with the marks of a frame.
    package let packet: [UInt8]
    /// The packet without marks and escapes, as the annotation counts it.
    package let content: [UInt8]
    /// The meaning of the bytes.
    package let annotation: PacketAnnotation
}

extension PacketTranslator {
    /// Returns an example of a message, by its index in the description.
    ///
    /// - Returns: nil if its packet would have more than `maximumByteCount` bytes.
    package func example(ofMessage message: Int, maximumByteCount: Int) -> PacketExample? {
        example(ofMessage: message, .legible, maximumByteCount) ?? example(ofMessage: message, .zero, maximumByteCount)
    }

    private func example(
        ofMessage message: Int, _ style: ExampleValues.Style, _ maximumByteCount: Int
    ) -> PacketExample? {
        var values = ExampleValues(index, style, maximumCount: 2 * maximumByteCount)
        let fields = values.fields(ofMessage: message)
        let name = description.messages[message].name
        let line = JSONValue.object([JSONValue.Member(LineKey.fields, fields)])
        guard let sender = description.senders(ofExamplesOf: message).first,
            let bytes = try? encode(message: name, json: line, from: sender), bytes.count <= maximumByteCount,
            let decoded = try? decode(bytes.rawSpan, from: sender)[LineKey.fields],
            let annotation = try? annotate(bytes.rawSpan, preferring: sender),
            let content = try? description.layout.unframed(bytes)
        else { return nil }
        return PacketExample(fields: decoded, packet: bytes, content: content, annotation: annotation)
    }
}

extension ProtocolDescription {
    /// The senders whose packets of a message are worth an example: both if their packets can differ, otherwise one, and
    /// preferably the client.
    func senders(ofExamplesOf message: Int) -> [Sender] {
        let senders = Sender.allCases.filter(messages[message].senders.contains)
        return layout.dependsOnSender ? senders : Array(senders.prefix(1))
    }
}
