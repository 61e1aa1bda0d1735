// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension PacketTranslator {
    /// Encodes one whole packet of a message.
    ///
    /// `json` is the object of the message's fields, or a line as ``decode(_:from:)-(Packet,_)`` makes it. It is a line
    /// if it has `fields`, and any of the line's keys (`message`, `id`, `header`, `fields`, `trailing`) is not the name
    /// of a field. Only `fields` is required in a line. Its `message` and `id` must be this message's. Its `header`
    /// sets the fields that can be set; IDs, lengths, constants and checksums in it must be those of the packet.
    ///
    /// - Parameters:
    ///   - name: The message's name in the schema, or its `@name`.
    ///   - json: The fields or the line.
    ///   - header: An object of header fields to set, which override a line's own. IDs, lengths, constants and
    ///     checksums are computed and must not be in it.
    /// - Throws: ``TranslationError``, with the path of the field.
    public func encode(
        message name: String, json: JSONValue, header: JSONValue? = nil
    ) throws(TranslationError) -> [UInt8] {
        guard let message = index.message(named: name) else { throw TranslationError(.unknownMessage(name)) }
        return try inMessage(message) { () throws(TranslationError) in
            let line = try isLine(json, of: message) ? PacketJSON(json) : PacketJSON(fields: json)
            return try encode(line, as: message, header: header)
        }
    }

    /// Encodes one whole packet from JSON text in UTF-8; otherwise like ``encode(message:json:header:)``.
    ///
    /// - Throws: ``TranslationError``; for text that is not JSON it names the field and the byte of the text.
    public func encode(
        message name: String, parsing text: [UInt8], header: [UInt8]? = nil
    ) throws(TranslationError) -> [UInt8] {
        guard let message = index.message(named: name) else { throw TranslationError(.unknownMessage(name)) }
        let path = index.description.messages[message].name
        let json = try parse(text, path: path)
        let header = if let header { try parse(header, path: path + "." + LineKey.header) } else { JSONValue?.none }
        return try encode(message: name, json: json, header: header)
    }

    private func parse(_ text: [UInt8], path: String) throws(TranslationError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(parsing: text, maximumDepth: maximumJSONDepth)
        } catch {
            throw TranslationError(.json(error), path: path)
        }
    }

    /// Encodes one whole packet from a line as ``decode(_:from:)-(Packet,_)`` makes it, which names its message.
    ///
    /// Packets with an unknown ID are encoded too: from `"message":null`, `id` and `payload`.
    ///
    /// - Throws: ``TranslationError``, with the path of the field.
    public func encode(line json: JSONValue, header: JSONValue? = nil) throws(TranslationError) -> [UInt8] {
        switch json[LineKey.message] {
        case .string(let name)?:
            guard let message = index.message(named: name) else { throw TranslationError(.unknownMessage(name)) }
            return try inMessage(message) { () throws(TranslationError) in
                try encode(PacketJSON(json), as: message, header: header)
            }
        case .null?:
            return try encodeUnknown(json, header: header)
        case let other?:
            throw TranslationError(.wrongKind(expected: .string, found: other.kind), path: LineKey.message)
        case nil:
            throw TranslationError(.missing, path: LineKey.message)
        }
    }

    /// Encodes the payload of a message, without header and trailer.
    ///
    /// - Parameters:
    ///   - name: The message's name in the schema, or its `@name`.
    ///   - fields: The object of the message's fields.
    ///   - trailing: Bytes to write after the last known field.
    /// - Throws: ``TranslationError``, with the path of the field.
    public func encodePayload(
        message name: String, fields: JSONValue, trailing: [UInt8] = []
    ) throws(TranslationError) -> [UInt8] {
        guard let message = index.message(named: name) else { throw TranslationError(.unknownMessage(name)) }
        return try inMessage(message) { () throws(TranslationError) in
            try payload(of: message, fields: fields, trailing: trailing)
        }
    }

    private func encode(_ line: PacketJSON, as message: Int, header: JSONValue?) throws(TranslationError) -> [UInt8] {
        let description = index.description.messages[message]
        if let name = line.message, !name.hasSameBytes(as: description.name), name != description.alias {
            let found = FieldPath.quoted(name)
            throw TranslationError(.differs(found: found, actual: description.name), path: LineKey.message)
        }
        let payload = try payload(of: message, fields: line.fields, trailing: line.trailing)
        return try encode(id: description.id, payload, line, header: header)
    }

    private func encodeUnknown(_ json: JSONValue, header: JSONValue?) throws(TranslationError) -> [UInt8] {
        let line = try PacketJSON(unknown: json)
        guard let id = line.id else { throw TranslationError(.missing, path: LineKey.id) }
        return try encode(id: id, line.trailing, line, header: header)
    }

    /// Adds header and trailer to a payload.
    private func encode(
        id: UInt64, _ payload: [UInt8], _ line: PacketJSON, header: JSONValue?
    ) throws(TranslationError) -> [UInt8] {
        if let stated = line.id, stated != id {
            throw TranslationError(.differs(found: String(stated), actual: String(id)), path: LineKey.id)
        }
        let layout = index.description.layout
        var values = PacketHeader()
        let computed = try layout.set(&values, from: line.header, mayStateComputed: true)
        _ = try layout.set(&values, from: header, mayStateComputed: false)
        let (packet, written) = try wrap(payload, id: id, header: values)
        // A reader of any form of varints has seen lengths and checksums of other bytes with the same meaning.
        if index.varintForms == .shortest { try layout.requireSame(computed, as: written) }
        return packet
    }

    /// - Returns: The packet, and the values of its header fields.
    private func wrap(
        _ payload: [UInt8], id: UInt64, header: PacketHeader
    ) throws(TranslationError) -> ([UInt8], PacketHeader) {
        let layout = index.description.layout
        let limit = index.description.options.maximumPacketByteCount
        do throws(CodecError) {
            // SAFETY: here and below, an array of bytes has neither padding nor uninitialised bytes.
            let packet = try unsafe layout.encode(id: id, header: header, payload: payload.span.bytes, limit: limit)
            return (packet, try unsafe layout.header(of: Packet(packet.span.bytes, layout: layout, limit: limit)))
        } catch {
            throw TranslationError(.value(error.reason), path: error.path)
        }
    }

    private func payload(
        of message: Int, fields: JSONValue, trailing: [UInt8]
    ) throws(TranslationError) -> [UInt8] {
        var encoder = PayloadEncoder(index)
        let list = index.messages[message]
        let unset = try encoder.encodeFields(list, of: fields)
        guard !trailing.isEmpty else { return encoder.bytes }
        if let unset { throw TranslationError(.gapBeforeOptional, path: unset) }
        let isPossible =
            index.description.options.keepsTrailingBytes && list.fields.last?.type.takesRest(in: index) != true
        guard isPossible else { throw TranslationError(.trailingBytes(count: trailing.count), path: LineKey.trailing) }
        return encoder.bytes + trailing
    }

    /// Whether JSON is a line around a message's fields, and not the fields themselves.
    private func isLine(_ json: JSONValue, of message: Int) -> Bool {
        guard json[LineKey.fields] != nil else { return false }
        let list = index.messages[message]
        return LineKey.known.contains { json[$0] != nil && list.index(of: $0, expected: 0) == nil }
    }

    private func inMessage(
        _ message: Int, _ body: () throws(TranslationError) -> [UInt8]
    ) throws(TranslationError) -> [UInt8] {
        do throws(TranslationError) {
            return try body()
        } catch {
            throw error.prefixed(by: index.description.messages[message].name)
        }
    }
}
