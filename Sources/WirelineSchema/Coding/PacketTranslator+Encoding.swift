// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension PacketTranslator {
    /// One whole packet of a message.
    ///
    /// `json` is the object of the message's fields, or a line as ``decode(_:from:)-(Packet,_)`` makes it. It is taken
    /// for a line when it has `fields` and any of the line's keys (`message`, `id`, `header`, `fields`, `trailing`) is
    /// not the name of a field. All of a line but `fields` may be left out. Its `message` and `id` must be this
    /// message's; of its `header`, what can be set is set, and IDs, lengths, constants and checksums must be what the
    /// packet has.
    ///
    /// - Parameters:
    ///   - name: The message's name in the schema, or its `@name`.
    ///   - json: The fields or the line.
    ///   - header: An object of header fields to set, which go before a line's own. IDs, lengths, constants and
    ///     checksums are computed and must not be in it.
    /// - Throws: ``TranslationError``, with the path of the field.
    public func encode(
        message name: String, json: JSONValue, header: JSONValue? = nil
    ) throws(TranslationError) -> [UInt8] {
        guard let message = index.message(named: name) else { throw TranslationError(.unknownMessage(name)) }
        return try inMessage(message) { () throws(TranslationError) in
            let line = try isLine(json, of: message) ? Line(json) : Line(fields: json)
            return try encode(line, as: message, header: header)
        }
    }

    /// One whole packet of a message, from JSON text in UTF-8; the rest is as ``encode(message:json:header:)``.
    ///
    /// - Throws: ``TranslationError``; of text that is not JSON it names the field and the byte of the text.
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

    /// One whole packet of a line as ``decode(_:from:)-(Packet,_)`` makes it, which says itself what message it is.
    ///
    /// Packets of an unknown ID are encoded too: from `"message":null`, `id` and `payload`.
    ///
    /// - Throws: ``TranslationError``, with the path of the field.
    public func encode(line json: JSONValue, header: JSONValue? = nil) throws(TranslationError) -> [UInt8] {
        switch json[LineKey.message] {
        case .string(let name)?:
            guard let message = index.message(named: name) else { throw TranslationError(.unknownMessage(name)) }
            return try inMessage(message) { () throws(TranslationError) in
                try encode(Line(json), as: message, header: header)
            }
        case .null?:
            return try encodeUnknown(json, header: header)
        case let other?:
            throw TranslationError(.wrongKind(expected: .string, found: other.kind), path: LineKey.message)
        case nil:
            throw TranslationError(.missing, path: LineKey.message)
        }
    }

    /// The payload of a message, without header and trailer.
    ///
    /// - Parameters:
    ///   - name: The message's name in the schema, or its `@name`.
    ///   - fields: The object of the message's fields.
    ///   - trailing: Bytes to put behind the last known field.
    /// - Throws: ``TranslationError``, with the path of the field.
    public func encodePayload(
        message name: String, fields: JSONValue, trailing: [UInt8] = []
    ) throws(TranslationError) -> [UInt8] {
        guard let message = index.message(named: name) else { throw TranslationError(.unknownMessage(name)) }
        return try inMessage(message) { () throws(TranslationError) in
            try payload(of: message, fields: fields, trailing: trailing)
        }
    }

    private func encode(_ line: Line, as message: Int, header: JSONValue?) throws(TranslationError) -> [UInt8] {
        let description = index.description.messages[message]
        if let name = line.message, !name.hasSameBytes(as: description.name), name != description.alias {
            let found = FieldPath.quoted(name)
            throw TranslationError(.differs(found: found, actual: description.name), path: LineKey.message)
        }
        let payload = try payload(of: message, fields: line.fields, trailing: line.trailing)
        return try encode(id: description.id, payload, line, header: header)
    }

    private func encodeUnknown(_ json: JSONValue, header: JSONValue?) throws(TranslationError) -> [UInt8] {
        let line = try Line(unknown: json)
        guard let id = line.id else { throw TranslationError(.missing, path: LineKey.id) }
        return try encode(id: id, line.trailing, line, header: header)
    }

    /// Puts header and trailer around a payload.
    private func encode(
        id: UInt64, _ payload: [UInt8], _ line: Line, header: JSONValue?
    ) throws(TranslationError) -> [UInt8] {
        if let stated = line.id, stated != id {
            throw TranslationError(.differs(found: String(stated), actual: String(id)), path: LineKey.id)
        }
        let layout = index.description.layout
        var values = PacketHeader()
        let computed = try layout.set(&values, from: line.header, mayStateComputed: true)
        _ = try layout.set(&values, from: header, mayStateComputed: false)
        let (packet, written) = try wrap(payload, id: id, header: values)
        try layout.requireSame(computed, as: written)
        return packet
    }

    /// - Returns: The packet, and what its header fields are.
    private func wrap(
        _ payload: [UInt8], id: UInt64, header: PacketHeader
    ) throws(TranslationError) -> ([UInt8], PacketHeader) {
        let layout = index.description.layout
        let limit = index.description.options.maximumPacketByteCount
        do throws(CodecError) {
            // SAFETY: an array of bytes has neither padding nor bytes that are not initialised.
            let packet = try unsafe layout.encode(id: id, header: header, payload: payload.span.bytes, limit: limit)
            // SAFETY: as above.
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

    /// Whether JSON is a line around a message's fields rather than the fields themselves.
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
