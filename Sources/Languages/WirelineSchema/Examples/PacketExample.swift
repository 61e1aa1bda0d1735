// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
import WirelineLanguage

/// A packet of a message with made-up values, or those of `@example`, for people to read; always the same values.
///
/// It includes values of `@sensitive` fields, so that the example can be used: they are no secrets.
package struct PacketExample: Sendable {
    /// The fields as ``PacketTranslator/decode(_:from:)-(Packet,_)`` returns them, and as `encode` takes them.
    package let fields: JSONValue
    /// The whole packet, with default values in its header, and with the marks of a frame.
    package let packet: [UInt8]
    /// The packet without marks and escapes; the annotation counts in it.
    package let content: [UInt8]
    /// The meaning of the bytes; nil if packets have layers, which hide it.
    package let annotation: PacketAnnotation?
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
        guard let context = description.contexts(ofExamplesOf: message).first,
            let bytes = try? encode(message: name, json: line, from: context.sender, states: context.states),
            bytes.count <= maximumByteCount,
            let decoded = try? decode(bytes.rawSpan, in: context)[LineKey.fields],
            let content = try? description.layout.unframed(bytes)
        else { return nil }
        let annotation =
            hasContent
            ? nil : try? annotate(bytes.rawSpan, preferring: context.sender, states: context.states)
        guard annotation != nil || hasContent else { return nil }
        return PacketExample(fields: decoded, packet: bytes, content: content, annotation: annotation)
    }
}

extension ProtocolDescription {
    /// One context for each distinct packet of the message that can have its ID; if packets do not differ, one,
    /// preferably the client's.
    package func contexts(ofExamplesOf message: Int) -> [PacketContext] {
        let (position, message) = (message, messages[message])
        let senders = Sender.allCases.filter(message.senders.contains)
        guard let contexts = layout.exampleContexts else { return senders.prefix(1).map { PacketContext(from: $0) } }
        let own = contexts.filter { senders.contains($0.sender) }
        let possible = own.filter { context in
            let shapes = HeaderShapes(of: self, message: position, in: context)
            return layout.layout(in: context).maximumMessageID >= message.id && !shapes.headers.isEmpty
        }
        return possible.isEmpty ? Array(own.prefix(1)) : possible
    }
}
