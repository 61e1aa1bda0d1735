// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema

extension TrafficLog {
    /// Makes a log of a schema's messages, which are decoded without generated code.
    ///
    /// If a message cannot be decoded, the log gives the position. It gives the reason only if the schema hides no
    /// values.
    ///
    /// - Parameter namesWrongSenders: Whether to report a message that only the other side may send by the schema.
    init(
        _ translator: PacketTranslator, namesWrongSenders: Bool = false,
        _ record: @escaping @Sendable (Entry) -> Void
    ) {
        let description = translator.description
        let hidesValues = description.hidesValues
        self.init(record) { packet, sender throws(CodecError) in
            let annotation = try translator.annotate(packet, preferring: sender, maximumPartCount: Self.mostParts)
            guard var name = annotation.message else { return nil }
            if namesWrongSenders, description.message(id: packet.id, from: sender) == nil {
                name += " (which only \(sender.peer)s send)"
            }
            if let fault = annotation.fault {
                let text = fault.shownText(hidingValues: hidesValues)
                return Description(name: name) { text }
            }
            var fields = annotation.parts.filter { $0.kind == .field || $0.kind == .unknown }.map(Self.text)
            if annotation.omittedPartCount > 0 { fields.append("…") }
            let text = fields.joined(separator: ", ")
            return Description(name: name) { text }
        }
    }

    /// The largest number of parts of a message that are shown, and the largest number of characters of each.
    private static let (mostParts, mostCharacters) = (64, 256)

    private static func text(of part: PacketAnnotation.Part) -> String {
        guard !part.isSensitive else { return "\(part.path): \(HiddenValue.text)" }
        let value = part.text
        return "\(part.path): \(value.prefix(mostCharacters))\(value.count > mostCharacters ? "…" : "")"
    }
}

extension ProtocolDescription {
    /// Whether any field is `@sensitive`.
    var hidesValues: Bool {
        messages.contains { $0.fields.contains(where: \.isSensitive) }
            || structures.contains { $0.fields.contains(where: \.isSensitive) }
    }
}

extension CodecError {
    /// Returns the error, without received values or bytes if they may be hidden.
    func shownText(hidingValues: Bool) -> String { hidingValues ? shownText : description }
}

extension Option {
    static let verbose = Option(
        "--verbose", "show the messages on standard error; sensitive values are hidden")
}
