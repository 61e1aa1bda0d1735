// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

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
    ///   - sender: Who sends the packet. It matters only in a protocol whose packets depend on that, and for a message
    ///     that both ends may send (default: the only sender of the message).
    ///   - states: The states of the connection, in a protocol whose packets depend on them (default: all are 0).
    /// - Throws: ``TranslationError``, with the path of the field.
    public func encode(
        message name: String, json: JSONValue, header: JSONValue? = nil, from sender: Sender? = nil,
        states: PacketStates = PacketStates()
    ) throws(TranslationError) -> [UInt8] {
        try encode(draft(ofMessage: name, json, header: header, from: sender, states: states))
    }

    /// Encodes one whole packet from JSON text in UTF-8; otherwise like ``encode(message:json:header:from:states:)``.
    ///
    /// - Throws: ``TranslationError``; for text that is not JSON it names the field and the byte of the text.
    public func encode(
        message name: String, parsing text: [UInt8], header: [UInt8]? = nil, from sender: Sender? = nil,
        states: PacketStates = PacketStates()
    ) throws(TranslationError) -> [UInt8] {
        try encode(draft(ofMessage: name, parsing: text, header: header, from: sender, states: states))
    }

    func parse(_ text: [UInt8], path: String) throws(TranslationError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(parsing: text, maximumDepth: maximumJSONDepth)
        } catch {
            throw TranslationError(.json(error), path: path)
        }
    }

    /// Encodes one whole packet from a line as ``decode(_:from:)-(Packet,_)`` makes it, which names its message.
    ///
    /// Packets with an unknown ID are encoded too: from `"message":null`, `id` and `payload`. With `packets` in place of
    /// `payload`, they are lines of the packets inside.
    ///
    /// - Parameters:
    ///   - json: The line.
    ///   - header: An object of header fields to set, which override the line's own.
    ///   - sender: Who sends the packet. In a protocol whose packets depend on that, a packet with an unknown ID and a
    ///     message that both ends may send need it.
    ///   - states: The states of the connection, in a protocol whose packets depend on them (default: all are 0).
    /// - Throws: ``TranslationError``, with the path of the field.
    public func encode(
        line json: JSONValue, header: JSONValue? = nil, from sender: Sender? = nil,
        states: PacketStates = PacketStates()
    ) throws(TranslationError) -> [UInt8] {
        try encode(draft(of: json, header: header, from: sender, states: states))
    }

    /// Encodes the payload of a message, without header and trailer.
    ///
    /// - Parameters:
    ///   - name: The message's name in the schema, or its `@name`.
    ///   - fields: The object of the message's fields.
    ///   - trailing: Bytes to write after the last known field.
    ///   - header: The header fields of the packet that differ from their defaults, for conditions.
    /// - Throws: ``TranslationError``, with the path of the field.
    public func encodePayload(
        message name: String, fields: JSONValue, trailing: [UInt8] = [], header: PacketHeader = PacketHeader()
    ) throws(TranslationError) -> [UInt8] {
        guard let message = index.message(named: name) else { throw TranslationError(.unknownMessage(name)) }
        return try inMessage(message) { () throws(TranslationError) in
            try payload(of: message, fields: fields, trailing: trailing, header)
        }
    }

    /// Refuses fields of a message that cannot be encoded. Optionally ignores the presence of conditional fields.
    ///
    /// - Parameters:
    ///   - name: The message's name in the schema, or its `@name`.
    ///   - fields: The object of the message's fields.
    ///   - header: The header fields of the packet that differ from their defaults, for conditions.
    ///   - checksPresence: Whether a conditional field must be set exactly if its condition holds.
    /// - Throws: ``TranslationError``, with the path of the field.
    package func check(
        message name: String, fields: JSONValue, header: PacketHeader, checksPresence: Bool
    ) throws(TranslationError) {
        guard let message = index.message(named: name) else { throw TranslationError(.unknownMessage(name)) }
        _ = try inMessage(message) { () throws(TranslationError) in
            try payload(of: message, fields: fields, trailing: [], header, checksPresence: checksPresence)
        }
    }

    func payload(
        of message: Int, fields: JSONValue, trailing: [UInt8], _ header: PacketHeader, checksPresence: Bool = true
    ) throws(TranslationError) -> [UInt8] {
        let header = index.description.layout.completed(header)
        var encoder = PayloadEncoder(index, header: header, checksPresence: checksPresence)
        let list = index.messages[message]
        let unset = try encoder.encodeFields(list, of: fields)
        guard !trailing.isEmpty else { return encoder.bytes }
        if let unset { throw TranslationError(.gapBeforeOptional, path: unset) }
        guard index.keepsTrailingBytes[message] else {
            throw TranslationError(.trailingBytes(count: trailing.count), path: LineKey.trailing)
        }
        return encoder.bytes + trailing
    }

    /// Whether JSON is a line around a message's fields, and not the fields themselves.
    func isLine(_ json: JSONValue, of message: Int) -> Bool {
        guard json[LineKey.fields] != nil else { return false }
        let list = index.messages[message]
        return LineKey.known.contains { json[$0] != nil && list.index(of: $0, expected: 0) == nil }
    }

    func inMessage<Result>(
        _ message: Int, _ body: () throws(TranslationError) -> Result
    ) throws(TranslationError) -> Result {
        do throws(TranslationError) {
            return try body()
        } catch {
            throw error.prefixed(by: index.description.messages[message].name)
        }
    }
}
