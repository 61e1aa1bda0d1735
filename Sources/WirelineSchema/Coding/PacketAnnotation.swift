// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// The meaning of each byte of a packet, for people who read bytes.
///
///      0  00000013           length   19
///      4  4e21               id       20001
///      6  07                 SceneId  7
///      7  00000002           Line     2
///     11  0006 e4bda0e5a5bd  message  "你好"
///
/// The parts are in the order of the bytes and do not overlap. If there is no ``fault`` and nothing was omitted, they
/// cover the packet without a gap.
public struct PacketAnnotation: Equatable, Sendable {
    /// The name of the packet's message; nil if its ID is unknown.
    public var message: String?
    /// The parts of the packet.
    public var parts: [Part]
    /// Why the payload could not be read to its end; the parts before the fault, and the trailer, are still there.
    public var fault: CodecError?
    /// The number of parts beyond the requested maximum.
    public var omittedPartCount: Int

    /// A run of bytes with one meaning.
    public struct Part: Equatable, Sendable {
        /// The position in bytes from the packet's first; never empty.
        public var range: Range<Int>
        /// The number of bytes at its start that count the bytes after them, such as the prefix of a string.
        public var prefixByteCount: Int
        /// The name, without the message's name: `items[1].count`.
        ///
        /// It is `trailing` for bytes after the last known field of a message, and `payload` for an unknown message.
        public var path: String
        /// The purpose of the part.
        public var kind: Kind
        /// The value of a field in JSON; for other parts, the number of items or bytes.
        public var value: JSONValue
        /// Whether the schema asks to hide the value, and so the bytes, in logs.
        public var isSensitive: Bool

        /// The value as text: JSON, or `2 items`.
        public var text: String {
            let noun: String
            switch kind {
            case .header, .field: return value.description
            case .count: noun = "item"
            case .size, .unknown: noun = "byte"
            }
            return "\(value) \(noun)\(value == 1 ? "" : "s")"
        }
    }

    /// The purpose of a part of a packet.
    @nonexhaustive
    public enum Kind: Equatable, Sendable {
        /// A field of the header or the trailer.
        case header
        /// A field, or an item of a list.
        case field
        /// The count before a list.
        case count
        /// The size before a sized structure.
        case size
        /// Bytes that the schema does not know.
        case unknown
    }
}

extension PacketTranslator {
    /// Annotates a packet, as a message from `sender` or, if there is none, from its peer.
    ///
    /// A packet that cannot be decoded is annotated as far as possible; ``decode(_:preferring:)`` throws the
    /// ``PacketAnnotation/fault``.
    ///
    /// - Parameters:
    ///   - packet: The packet.
    ///   - sender: The side that probably sent it.
    ///   - maximumPartCount: The most parts to make (default 10,000, more than anyone reads).
    /// - Throws: `CodecError` if not even the header can be read.
    public func annotate(
        _ packet: borrowing Packet, preferring sender: Sender, maximumPartCount: Int = 10_000
    ) throws(CodecError) -> PacketAnnotation {
        let recorder = AnnotationRecorder(maximumPartCount: maximumPartCount)
        let message = index.message(id: packet.id, from: sender) ?? index.message(id: packet.id, from: sender.peer)
        let header = try headerParts(of: packet)
        for part in header where part.range.upperBound <= packet.payloadRange.lowerBound { recorder.append(part) }
        let fault = recordPayload(of: packet, message, recorder)
        for part in header where part.range.lowerBound >= packet.payloadRange.upperBound { recorder.append(part) }
        return PacketAnnotation(
            message: message.map { index.description.messages[$0].name }, parts: recorder.parts, fault: fault,
            omittedPartCount: recorder.omittedPartCount)
    }

    /// Annotates bytes that must be exactly one packet.
    ///
    /// - Parameters:
    ///   - packet: The packet's bytes.
    ///   - sender: The side that probably sent it.
    ///   - maximumPartCount: The most parts to make (default 10,000).
    /// - Throws: `CodecError` as ``annotate(_:preferring:maximumPartCount:)-(Packet,_,_)``, and what `Packet` refuses.
    public func annotate(
        _ packet: RawSpan, preferring sender: Sender, maximumPartCount: Int = 10_000
    ) throws(CodecError) -> PacketAnnotation {
        let limit = index.description.options.maximumPacketByteCount
        let packet = try Packet(packet, layout: index.description.layout, limit: limit)
        return try annotate(packet, preferring: sender, maximumPartCount: maximumPartCount)
    }

    /// Returns the parts of header and trailer.
    private func headerParts(of packet: borrowing Packet) throws(CodecError) -> [PacketAnnotation.Part] {
        let layout = index.description.layout
        let values = try layout.header(of: packet).fields
        let ranges = try layout.fieldRanges(of: packet)
        return layout.fields.indices.map { index in
            PacketAnnotation.Part(
                range: ranges[index], prefixByteCount: 0, path: layout.fields[index].name, kind: .header,
                value: layout.fields[index].json(of: values[index].value), isSensitive: false)
        }
    }

    /// - Returns: Why the payload could not be read to its end.
    private func recordPayload(
        of packet: borrowing Packet, _ message: Int?, _ recorder: AnnotationRecorder
    ) -> CodecError? {
        guard let message else {
            recorder.addUnknown(packet.payloadRange, named: LineKey.payload)
            return nil
        }
        var reader = packet.makeReader(maximumDepth: index.description.options.maximumDepth)
        do throws(CodecError) {
            let decoder = PayloadDecoder(index: index, recorder: recorder)
            _ = try decodeFields(of: message, with: decoder, from: &reader)
            return nil
        } catch {
            return error
        }
    }
}
