// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema

extension TrafficLog {
    /// A log of a schema's messages, which are read without generated code.
    init(_ translator: PacketTranslator, _ record: @escaping @Sendable (Entry) -> Void) {
        self.init(record) { packet, sender throws(CodecError) in
            let annotation = try translator.annotate(packet, preferring: sender, maximumPartCount: Self.mostParts)
            guard let name = annotation.message else { return nil }
            if let fault = annotation.fault { throw fault }
            var fields = annotation.parts.filter { $0.kind == .field || $0.kind == .unknown }.map(Self.text)
            if annotation.omittedPartCount > 0 { fields.append("…") }
            let text = fields.joined(separator: ", ")
            return Description(name: name) { text }
        }
    }

    /// How many fields, prefixes and items of a message are looked at, and how many characters of each are shown.
    private static let (mostParts, mostCharacters) = (64, 256)

    private static func text(of part: PacketAnnotation.Part) -> String {
        guard !part.isSensitive else { return "\(part.path): \(HiddenValue.text)" }
        let value = part.text
        return "\(part.path): \(value.prefix(mostCharacters))\(value.count > mostCharacters ? "…" : "")"
    }
}

extension Option {
    static let verbose = Option(
        "--verbose", "say on standard error what passes, but for sensitive values")
}
