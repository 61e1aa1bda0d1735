// SPDX-License-Identifier: Apache-2.0

import Wireline
import WirelineCodec
import WirelineSchema

extension TrafficLog {
    /// Makes a log that decodes messages with the schema, without generated code.
    ///
    /// If a message cannot be decoded, the log has the position and the reason. It contains received values only if the
    /// message has no hidden fields.
    init(_ translator: PacketTranslator, _ record: @escaping @Sendable (Entry) -> Void) {
        let description = translator.description
        self.init(record) { packet, sender throws(CodecError) in
            guard let name = translator.messageName(of: packet, preferring: sender) else { return nil }
            // The fields are read later, on the thread that makes the text, so the bytes are copied.
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
    /// The largest number of parts of a message on a line, and of characters in each part.
    static let (mostShownParts, mostCharacters) = (64, 256)

    /// Returns the fields on one line, or the reason why they could not be decoded.
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
    /// The value as text. Hidden values are replaced, and long ones are cut off.
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

    /// Whether a message may have a `@sensitive` field. A sensitive field in any structure or union counts, even in one
    /// that the message does not contain.
    func hidesValues(ofMessage name: String) -> Bool {
        hidesValuesInBodies || message(named: name)?.fields.contains(where: \.isSensitive) ?? true
    }

    private var hidesValuesInBodies: Bool {
        bodies.contains { $0.contains(where: \.isSensitive) }
    }
}

extension CodecError {
    /// Returns the error as text, without received values and bytes if they may be hidden.
    func shownText(hidingValues: Bool) -> String { hidingValues ? shownText : description }
}

extension Option {
    static let verbose = Option(
        "--verbose", "show the messages on standard error; sensitive values are hidden")
}
