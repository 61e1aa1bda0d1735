// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema

extension TrafficLog {
    /// Decodes a schema's messages without generated code.
    ///
    /// If a message cannot be decoded, the log gives the position and the reason. It gives received values only if the
    /// message
    /// hides none.
    init(_ translator: PacketTranslator, _ record: @escaping @Sendable (Entry) -> Void) {
        let description = translator.description
        self.init(record) { packet, sender throws(CodecError) in
            guard let name = translator.messageName(of: packet, preferring: sender) else { return nil }
            // The thread that makes the text also reads the fields.
            let (bytes, bounds) = ([UInt8](copying: packet.bytes), packet.bounds)
            return Description(name: name) {
                do throws(CodecError) {
                    let annotation = try translator.annotate(
                        Packet(bytes.rawSpan, bounds), preferring: sender,
                        maximumPartCount: PacketAnnotation.mostShownParts)
                    return annotation.shownFields(hidingValues: description.hidesValues(ofMessage: name))
                } catch {
                    return error.shownText
                }
            }
        }
    }
}

extension PacketAnnotation {
    /// The most parts of a message in a line, and the most characters of each.
    static let (mostShownParts, mostCharacters) = (64, 256)

    /// The fields in one line, or the reason why they could not be read.
    ///
    /// - Parameter hidingValues: Whether the reason must not contain received values.
    func shownFields(hidingValues: Bool) -> String {
        if let fault { return fault.shownText(hidingValues: hidingValues) }
        let fields = parts.prefix(Self.mostShownParts).filter { $0.kind == .field || $0.kind == .unknown }
        let isCut = omittedPartCount > 0 || parts.count > Self.mostShownParts
        return (fields.map { "\($0.path): \($0.shownText)" } + (isCut ? ["…"] : [])).joined(separator: ", ")
    }
}

extension PacketAnnotation.Part {
    /// A hidden value is replaced, and a long one is cut off.
    var shownText: String {
        guard !isSensitive else { return HiddenValue.text }
        let most = PacketAnnotation.mostCharacters
        return text.count > most ? text.prefix(most) + "…" : text
    }
}

extension ProtocolDescription {
    var hidesValues: Bool {
        allFields.contains(where: \.isSensitive)
    }

    /// Whether a message may have a `@sensitive` field. All structures and unions count, even those that it does not
    /// contain.
    func hidesValues(ofMessage name: String) -> Bool {
        hidesValuesInBodies || message(named: name)?.fields.contains(where: \.isSensitive) ?? true
    }

    private var hidesValuesInBodies: Bool {
        bodies.contains { $0.contains(where: \.isSensitive) }
    }
}

extension CodecError {
    /// If values may be hidden, this leaves out received values and bytes.
    func shownText(hidingValues: Bool) -> String { hidingValues ? shownText : description }
}

extension Option {
    static let verbose = Option(
        "--verbose", "show the messages on standard error; sensitive values are hidden")
}
