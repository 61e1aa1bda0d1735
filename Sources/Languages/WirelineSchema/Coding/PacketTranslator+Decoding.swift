// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

extension PacketTranslator {
    /// Returns a packet as a line of JSON.
    ///
    ///     {"message":"Cs_20001","id":20001,"header":{…},"fields":{…}}
    ///
    /// Kept bytes after the last known field follow as `"trailing":"<hex>"`. If `sender` has no message with the ID,
    /// `message` is `null` and `"payload":"<hex>"` replaces the fields.
    ///
    /// - Throws: `CodecError` with the field's path; its offset counts from the packet's first byte.
    public func decode(_ packet: borrowing Packet, from sender: Sender) throws(CodecError) -> JSONValue {
        try decode(packet, in: PacketContext(from: sender))
    }

    /// Returns a packet as a line of JSON if its sender is unknown: a message of `sender`, or else of its peer.
    ///
    /// - Throws: `CodecError` as ``decode(_:from:)-(Packet,_)``.
    public func decode(_ packet: borrowing Packet, preferring sender: Sender) throws(CodecError) -> JSONValue {
        guard !isSealed(packet) else {
            return try decodeSealed(packet, in: PacketContext(from: sender), MessageChoice.preferring(sender))
        }
        return try decode(packet, as: index.message(id: packet.id, preferring: sender))
    }

    /// Returns a packet of the named message as a line of JSON.
    ///
    /// - Returns: The line; nil if no message has that name.
    /// - Throws: `CodecError` as ``decode(_:from:)-(Packet,_)``, and `CodecError/Reason/wrongMessage(id:expected:)` for
    ///   a packet with another ID.
    public func decode(_ packet: borrowing Packet, asMessage name: String) throws(CodecError) -> JSONValue? {
        guard let message = index.message(named: name) else { return nil }
        let expected = index.description.messages[message].id
        guard !isSealed(packet) else {
            let sender = index.description.messages[message].senders.first ?? .client
            return try decodeSealed(packet, in: PacketContext(from: sender), MessageChoice.only(message))
        }
        guard packet.id == expected else { throw CodecError(.wrongMessage(id: packet.id, expected: expected)) }
        return try decode(packet, as: message)
    }

    /// Returns bytes that must be exactly one packet, with the marks of a frame, as a line of JSON.
    ///
    /// - Throws: `CodecError` as ``decode(_:from:)-(Packet,_)``, and what `Packet` refuses.
    public func decode(_ packet: RawSpan, from sender: Sender) throws(CodecError) -> JSONValue {
        try decode(packet, in: PacketContext(from: sender))
    }

    /// Returns bytes that must be exactly one packet, sent in a context, as a line of JSON.
    ///
    /// - Throws: `CodecError` as ``decode(_:from:)-(RawSpan,_)``.
    public func decode(_ packet: RawSpan, in context: PacketContext) throws(CodecError) -> JSONValue {
        let layout = index.description.layout.layout(in: context)
        let limit = index.description.options.maximumPacketByteCount
        guard layout.isFramed else { return try decode(Packet(packet, layout: layout, limit: limit), in: context) }
        let content = try layout.unframed(packet, limit: limit)
        return try decode(Packet(content.rawSpan, layout: layout, limit: limit), in: context)
    }

    private func decode(_ packet: borrowing Packet, in context: PacketContext) throws(CodecError) -> JSONValue {
        guard !isSealed(packet) else {
            return try decodeSealed(packet, in: context, MessageChoice.from(context.sender))
        }
        return try decode(packet, as: index.message(id: packet.id, from: context.sender))
    }

    /// Returns a payload of the named message in JSON: `{"fields":{…}}`, with `trailing` if bytes were kept.
    ///
    /// - Parameters:
    ///   - payload: The bytes between header and trailer.
    ///   - name: The message's name in the schema, or its `@name`.
    ///   - header: The header fields that differ from their defaults, for conditions.
    /// - Returns: The object; nil if no message has that name.
    /// - Throws: `CodecError` with the field's path; its offset counts from the payload's first byte.
    public func decodePayload(
        _ payload: RawSpan, asMessage name: String, header: PacketHeader = PacketHeader()
    ) throws(CodecError) -> JSONValue? {
        guard let message = index.message(named: name) else { return nil }
        var reader = ByteReader(payload, maximumDepth: index.description.options.maximumDepth)
        let decoder = PayloadDecoder(index: index, header: index.description.layout.completed(header))
        return .object(try decodeFields(of: message, with: decoder, from: &reader))
    }

    func decode(_ packet: borrowing Packet, as message: Int?) throws(CodecError) -> JSONValue {
        let message = packet.isOpaque ? nil : message
        let name = message.map { JSONValue.string(index.description.messages[$0].name) } ?? .null
        var line = [
            JSONValue.Member(LineKey.message, name),
            JSONValue.Member(LineKey.id, .exactInteger(Int128(packet.id))),
            JSONValue.Member(LineKey.header, try header(of: packet)),
        ]
        if let message {
            if let fixed = index.fixedHeaders[message] { try index.description.layout.verify(fixed, in: packet) }
            var reader = packet.makeReader(maximumDepth: index.description.options.maximumDepth)
            let decoder = PayloadDecoder(index: index, header: try index.header(of: packet, as: message))
            line += try decodeFields(of: message, with: decoder, from: &reader)
        } else {
            let payload = Hexadecimal.text(of: packet.payload)
            line.append(JSONValue.Member(LineKey.payload, .string(payload)))
        }
        return .object(line)
    }

    func header(of packet: borrowing Packet) throws(CodecError) -> JSONValue {
        index.json(of: try index.description.layout.header(of: packet)) ?? .object([])
    }

    /// Reads the fields of a message, up to the end of the bytes.
    func decodeFields(
        of message: Int, with decoder: PayloadDecoder, from reader: inout ByteReader
    ) throws(CodecError) -> [JSONValue.Member] {
        do throws(CodecError) {
            let fields = try decoder.decodeFields(index.messages[message], from: &reader)
            let result = [JSONValue.Member(LineKey.fields, .object(fields))]
            if reader.isAtEnd { return result }
            guard index.keepsTrailingBytes[message] else {
                throw CodecError(.trailingBytes(count: reader.remaining), offset: reader.offset)
            }
            decoder.recorder?.addUnknown(reader.offset..<reader.offset + reader.remaining, named: LineKey.trailing)
            let trailing = Hexadecimal.text(of: reader.readRest())
            return result + [JSONValue.Member(LineKey.trailing, .string(trailing))]
        } catch {
            throw error.prefixed(by: index.description.messages[message].name)
        }
    }
}

enum LineKey {
    static let message = "message"
    static let id = "id"
    static let header = "header"
    static let fields = "fields"
    static let trailing = "trailing"
    static let payload = "payload"
    /// The packets inside a packet, as lines.
    static let packets = "packets"

    static let known = [message, id, header, fields, trailing]
}
