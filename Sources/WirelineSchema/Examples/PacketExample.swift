// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// A packet of a message with made-up values, for people to read; always the same values.
package struct PacketExample: Sendable {
    /// The fields as ``PacketTranslator/decode(_:from:)-(Packet,_)`` returns them, and as `encode` takes them.
    package let fields: JSONValue
    /// The same fields with `(hidden)` instead of every value of a `@sensitive` field.
    package let shownFields: JSONValue
    /// The whole packet, with default values in its header.
    package let packet: [UInt8]
    /// The meaning of the bytes.
    package let annotation: PacketAnnotation

    /// Whether anything in it is sensitive.
    package var isPartlyHidden: Bool { annotation.parts.contains(where: \.isSensitive) }
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
        var values = ExampleValues(description, style, maximumCount: 2 * maximumByteCount)
        let fields = values.fields(ofMessage: message)
        let name = description.messages[message].name
        let line = JSONValue.object([JSONValue.Member(LineKey.fields, fields)])
        guard let bytes = try? encode(message: name, json: line), bytes.count <= maximumByteCount else { return nil }
        let sender = Sender.allCases.first(where: description.messages[message].senders.contains) ?? .client
        let span = bytes.span
        // SAFETY: an array of bytes has neither padding nor uninitialised bytes.
        let packet = unsafe span.bytes
        guard let decoded = try? decode(packet, from: sender)[LineKey.fields],
            let annotation = try? annotate(packet, preferring: sender)
        else { return nil }
        return PacketExample(
            fields: decoded, shownFields: index.hidingSensitive(decoded, index.messages[message]), packet: bytes,
            annotation: annotation)
    }
}

extension DescriptionIndex {
    /// Returns an object of fields with the values of sensitive ones hidden.
    fileprivate func hidingSensitive(_ value: JSONValue, _ plan: FieldListPlan) -> JSONValue {
        guard case .object(let members) = value else { return value }
        return .object(
            members.enumerated().map { position, member in
                guard let index = plan.index(of: member.name, expected: position) else { return member }
                let field = plan.fields[index]
                let shown = field.isSensitive ? .string(HiddenValue.text) : hidingSensitive(member.value, field.type)
                return JSONValue.Member(member.name, shown)
            })
    }

    private func hidingSensitive(_ value: JSONValue, _ type: TypeDescription) -> JSONValue {
        switch (type, value) {
        case (.structure(let index), _): hidingSensitive(value, structures[index])
        case (.list(let element, _), .array(let items)), (.fixedList(let element, _), .array(let items)):
            .array(items.map { hidingSensitive($0, element) })
        default: value
        }
    }
}
