// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineLanguage
import WirelineLayers

/// The meaning of each byte of a packet, for people who read bytes.
///
///      0  00000013           length   19
///      4  4e21               id       20001
///      6  07                 SceneId  7
///      7  00000002           Line     2
///     11  0006 e4bda0e5a5bd  message  "你好"
///
/// The parts are in the order of the bytes. They do not overlap, except fields that share bytes: these have the same
/// range, and ``Part/bits`` tells their bits. If there is no ``fault`` and nothing was omitted, the parts cover the
/// packet without a gap.
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
        /// The bits that the part has, if it shares its bytes with others; nil if all are its own.
        public var bits: FieldPacking?
        /// The name, without the message's name: `items[1].count`.
        ///
        /// It is `trailing` for bytes after the last known field of a message, and `payload` for an unknown message.
        public var path: String
        /// The purpose of the part.
        public var kind: Kind
        /// The value of a field or tag in JSON; for other parts, the number of items or bytes.
        public var value: JSONValue
        /// Whether the schema asks to hide the value, and so the bytes, in logs.
        public var isSensitive: Bool
        /// Whether it begins with a prefix that has a sign, whose -1 says that the value is absent.
        var isNullable = false

        /// The value as text: JSON, or `2 items`.
        public var text: String {
            let noun: String
            switch kind {
            case .header, .field, .tag: return value.description
            case .count: noun = "item"
            case .terminator: return "end of \(value) item\(value == 1 ? "" : "s")"
            case .size, .padding, .unknown: noun = "byte"
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
        /// The byte that ends a list.
        case terminator
        /// The tag of a union.
        case tag
        /// The size before a sized structure, or the value of a sized union.
        case size
        /// Bytes of `padding`.
        case padding
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
        guard !isSealed(packet) else {
            return try annotateSealed(packet, preferring: sender, maximumPartCount: maximumPartCount)
        }
        let recorder = AnnotationRecorder(maximumPartCount: maximumPartCount)
        let message = packet.isOpaque ? nil : index.message(id: packet.id, preferring: sender)
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
    ///   - packet: The packet's bytes, with the marks of a frame; offsets of the parts count without them, and without
    ///     escapes.
    ///   - sender: The side that probably sent it.
    ///   - states: The states of the connection (default: all are 0).
    ///   - maximumPartCount: The most parts to make (default 10,000).
    /// - Throws: `CodecError` as ``annotate(_:preferring:maximumPartCount:)-(Packet,_,_)``, and what `Packet` refuses.
    public func annotate(
        _ packet: RawSpan, preferring sender: Sender, states: PacketStates = PacketStates(),
        maximumPartCount: Int = 10_000
    ) throws(CodecError) -> PacketAnnotation {
        let limit = index.description.options.maximumPacketByteCount
        let layout = index.description.layout.layout(in: PacketContext(from: sender, states: states))
        guard layout.isFramed else {
            let packet = try Packet(packet, layout: layout, limit: limit)
            return try annotate(packet, preferring: sender, maximumPartCount: maximumPartCount)
        }
        let content = try layout.unframed(packet, limit: limit)
        let inside = try Packet(content.rawSpan, layout: layout, limit: limit)
        return try annotate(inside, preferring: sender, maximumPartCount: maximumPartCount)
    }

    /// Annotates a packet of a protocol with layers. If the packet has layers, their output is one part.
    private func annotateSealed(
        _ packet: borrowing Packet, preferring sender: Sender, maximumPartCount: Int
    ) throws(CodecError) -> PacketAnnotation {
        let opener = makeOpener(from: sender)
        if let content = try? opener.openPlain(packet) {
            return try annotate(
                Packet(packet.bytes, content), preferring: sender, maximumPartCount: maximumPartCount)
        }
        let recorder = AnnotationRecorder(maximumPartCount: maximumPartCount)
        let header = try headerParts(of: packet)
        for part in header where part.range.upperBound <= packet.payloadRange.lowerBound { recorder.append(part) }
        recorder.addUnknown(packet.payloadRange, named: "content")
        for part in header where part.range.lowerBound >= packet.payloadRange.upperBound { recorder.append(part) }
        return PacketAnnotation(
            message: nil, parts: recorder.parts, fault: nil, omittedPartCount: recorder.omittedPartCount)
    }

    /// Returns the message as which ``annotate(_:preferring:maximumPartCount:)-(Packet,_,_)`` reads a packet; nil if it
    /// is unknown. Its fields are not read.
    package func messageName(of packet: borrowing Packet, preferring sender: Sender) -> String? {
        guard !isSealed(packet) else {
            guard let content = try? makeOpener(from: sender).openPlain(packet) else { return nil }
            return messageName(of: Packet(packet.bytes, content), preferring: sender)
        }
        let message = packet.isOpaque ? nil : index.message(id: packet.id, preferring: sender)
        return message.map { index.description.messages[$0].name }
    }

    private func headerParts(of packet: borrowing Packet) throws(CodecError) -> [PacketAnnotation.Part] {
        let layout = index.description.layout.layout(of: packet)
        let header = try layout.header(of: packet)
        let ranges = try layout.fieldRanges(of: packet)
        return layout.fields.enumerated().compactMap { position, field in
            let value: JSONValue
            if field.role == .padding {
                value = .exactInteger(Int128(ranges[position].count))
            } else if let number = header[value: field.name] {
                value = index.json(
                    of: number, inPacketField: index.description.packetField(named: field.name) ?? position)
            } else {
                return nil
            }
            return PacketAnnotation.Part(
                range: ranges[position], prefixByteCount: 0,
                bits: layout.packedPlace(ofField: position).map { FieldPacking($0) }, path: field.name,
                kind: field.role == .padding ? .padding : .header, value: value, isSensitive: false)
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
            if let fixed = index.fixedHeaders[message] { try index.description.layout.verify(fixed, in: packet) }
            let decoder = PayloadDecoder(
                index: index, header: try index.header(of: packet, as: message), recorder: recorder)
            _ = try decodeFields(of: message, with: decoder, from: &reader)
            return nil
        } catch {
            return error
        }
    }
}
