// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
import WirelineLanguage
package import WirelineLayers

/// The parts of a packet that JSON describes, checked except for everything that depends on the whole packet.
package struct PacketDraft: Sendable {
    /// The name of the message, with which the paths of errors begin; nil for other packets.
    fileprivate let message: String?
    fileprivate let id: UInt64
    fileprivate let header: PacketHeader
    /// Computed header fields that JSON states; the packet's must equal them.
    fileprivate let computed: [(name: String, value: PacketHeader.FieldValue)]
    fileprivate let content: Content
    package let sender: Sender?
    /// The states of the connection before the packet.
    fileprivate var states = PacketStates()

    /// Adds the message's name to an error's path.
    fileprivate func located(_ error: TranslationError) -> TranslationError {
        message.map { error.prefixed(by: $0) } ?? error
    }

    fileprivate enum Content {
        case message([UInt8])
        /// Bytes that are written without checks.
        case bytes([UInt8])
        case packets([PacketDraft])
    }
}

extension PacketTranslator {
    /// Returns the draft of a message's packet; see ``encode(message:json:header:from:)``.
    package func draft(
        ofMessage name: String, _ json: JSONValue, header: JSONValue? = nil, from sender: Sender? = nil,
        states: PacketStates = PacketStates()
    ) throws(TranslationError) -> PacketDraft {
        guard let message = index.message(named: name) else { throw TranslationError(.unknownMessage(name)) }
        return try inMessage(message) { () throws(TranslationError) in
            let line = try isLine(json, of: message) ? PacketJSON(json) : PacketJSON(fields: json)
            var draft = try draft(of: line, as: message, header: header, from: sender)
            draft.states = states
            return draft
        }
    }

    /// Returns the draft of a message's packet from JSON text in UTF-8; see
    /// ``encode(message:parsing:header:from:states:)``.
    package func draft(
        ofMessage name: String, parsing text: [UInt8], header: [UInt8]? = nil, from sender: Sender? = nil,
        states: PacketStates = PacketStates()
    ) throws(TranslationError) -> PacketDraft {
        guard let message = index.message(named: name) else { throw TranslationError(.unknownMessage(name)) }
        let path = description.messages[message].name
        let json = try parse(text, path: path)
        let header = if let header { try parse(header, path: path + "." + LineKey.header) } else { JSONValue?.none }
        return try draft(ofMessage: name, json, header: header, from: sender, states: states)
    }

    /// Returns the draft of a packet from a line; see ``encode(line:header:from:)``.
    package func draft(
        of json: JSONValue, header: JSONValue? = nil, from sender: Sender? = nil,
        states: PacketStates = PacketStates()
    ) throws(TranslationError) -> PacketDraft {
        var innerCount = 0
        var draft = try draft(of: json, header: header, from: sender, depth: 0, &innerCount)
        draft.states = states
        return draft
    }

    /// - Parameters:
    ///   - depth: The number of packets around it.
    ///   - innerCount: The number of packets inside others so far.
    private func draft(
        of json: JSONValue, header: JSONValue?, from sender: Sender?, depth: Int, _ innerCount: inout Int
    ) throws(TranslationError) -> PacketDraft {
        switch json[LineKey.message] {
        case .string(let name)?:
            guard let message = index.message(named: name) else { throw TranslationError(.unknownMessage(name)) }
            return try inMessage(message) { () throws(TranslationError) in
                try draft(of: PacketJSON(json), as: message, header: header, from: sender)
            }
        case .null?:
            if hasContent, json[LineKey.packets] != nil {
                return try bundle(json, header: header, from: sender, depth: depth, &innerCount)
            }
            let line = try PacketJSON(unknown: json)
            let id = try id(line)
            let header = try self.header(line, header)
            return PacketDraft(
                message: nil, id: id, header: header.values, computed: header.computed, content: .bytes(line.trailing),
                sender: sender)
        case let other?:
            throw TranslationError(.wrongKind(expected: .string, found: other.kind), path: LineKey.message)
        case nil:
            throw TranslationError(.missing, path: LineKey.message)
        }
    }

    /// Returns the ID of a packet without a message; packets without ID fields have the ID 0.
    private func id(_ line: PacketJSON) throws(TranslationError) -> UInt64 {
        if let id = line.id { return id }
        guard description.layout.hasMessageID else { return 0 }
        throw TranslationError(.missing, path: LineKey.id)
    }

    private func bundle(
        _ json: JSONValue, header: JSONValue?, from sender: Sender?, depth: Int, _ innerCount: inout Int
    ) throws(TranslationError) -> PacketDraft {
        let line = try PacketJSON(bundle: json)
        let id = try id(line)
        let depthLimit = description.layout.content.maximumNestedDepth
        guard depth < depthLimit else { throw TranslationError(.tooDeep(limit: depthLimit)) }
        let stated = try self.header(line, header)
        var packets: [PacketDraft] = []
        for (position, item) in line.packets.enumerated() {
            innerCount += 1
            guard innerCount <= PacketOpener.innerPacketLimit else {
                throw TranslationError(
                    .tooLong(count: innerCount, limit: PacketOpener.innerPacketLimit), path: LineKey.packets)
            }
            do throws(TranslationError) {
                packets.append(try draft(of: item, header: nil, from: sender, depth: depth + 1, &innerCount))
            } catch {
                throw error.prefixed(by: "\(LineKey.packets)[\(position)]")
            }
        }
        return PacketDraft(
            message: nil, id: id, header: stated.values, computed: stated.computed, content: .packets(packets),
            sender: sender ?? packets.lazy.compactMap(\.sender).first)
    }

    private func draft(
        of line: PacketJSON, as message: Int, header: JSONValue?, from sender: Sender?
    ) throws(TranslationError) -> PacketDraft {
        let description = index.description.messages[message]
        if let name = line.message, !name.hasSameBytes(as: description.name), name != description.alias {
            let found = FieldPath.quoted(name)
            throw TranslationError(.differs(found: found, actual: description.name), path: LineKey.message)
        }
        let header = try self.header(line, header)
        let payload = try payload(of: message, fields: line.fields, trailing: line.trailing, header.values)
        if let stated = line.id, stated != description.id {
            throw TranslationError(
                .differs(found: String(stated), actual: String(description.id)), path: LineKey.id)
        }
        var values = header.values
        let onlySender = description.senders.count == 1 ? description.senders.first : nil
        let sender = sender ?? onlySender
        do throws(CodecError) {
            // All fields of the packet are known here, in any context.
            let layout = self.description.layout
            if let fixed = index.fixedHeaders[message] { try layout.fix(fixed, in: &values) }
        } catch {
            throw TranslationError(.value(error.reason), path: error.path)
        }
        return PacketDraft(
            message: description.name, id: description.id, header: values, computed: header.computed,
            content: .message(payload), sender: sender)
    }

    /// Returns the header fields of a line, with those that override them.
    private func header(
        _ line: PacketJSON, _ other: JSONValue?
    ) throws(TranslationError) -> (values: PacketHeader, computed: [(name: String, value: PacketHeader.FieldValue)]) {
        var values = PacketHeader()
        let computed = try index.set(&values, from: line.header, mayStateComputed: true)
        _ = try index.set(&values, from: other, mayStateComputed: false)
        return (values, computed)
    }
}

extension PacketTranslator {
    /// Returns the packet of a draft; one with layers is sealed as the first of its connection.
    func encode(_ draft: PacketDraft) throws(TranslationError) -> [UInt8] {
        guard !hasContent else {
            guard let sender = draft.sender ?? (description.layout.dependsOnSender ? nil : .client) else {
                throw TranslationError(.value(.invalidLayout(.needsContext)))
            }
            var sealer = makeSealer(from: sender)
            return try encode(draft, with: &sealer)
        }
        do throws(TranslationError) {
            let layout = layout(from: draft.sender, draft.states)
            let (packet, written) = try wrap(draft, in: layout)
            // If readers accept any form of varints, a line may state lengths and checksums of other bytes with the
            // same meaning.
            if index.varintForms == .shortest { try layout.requireSame(draft.computed, as: written) }
            return packet
        } catch {
            throw draft.located(error)
        }
    }

    /// Returns the packet of a draft, sealed as the next one of its connection.
    ///
    /// It does not compare the draft's lengths and checksums with the packet's: compressed bytes with the same meaning
    /// can have others.
    package func encode(_ draft: PacketDraft, with sealer: inout PacketSealer) throws(TranslationError) -> [UInt8] {
        sealer.beginPacket()
        var keystreams = LayerSet()
        return try seal(draft, with: &sealer, isNested: false, draft.states, &keystreams)
    }

    /// - Parameter outer: Collects the persistent keystreams of the packet and of those inside it.
    private func seal(
        _ draft: PacketDraft, with sealer: inout PacketSealer, isNested: Bool, _ states: PacketStates,
        _ outer: inout LayerSet
    ) throws(TranslationError) -> [UInt8] {
        var keystreams = LayerSet()
        let (payload, kind) = try payload(of: draft, with: &sealer, states, &keystreams)
        defer { outer.formUnion(keystreams) }
        do throws(CodecError) {
            let bytes = payload.rawSpan
            return try sealer.packet(
                id: draft.id, header: draft.header, payload: bytes, kind, isNested: isNested, states: states,
                &keystreams)
        } catch {
            throw draft.located(TranslationError(.value(error.reason), path: error.path))
        }
    }

    /// Returns the content of a draft's packet; packets inside are sealed.
    private func payload(
        of draft: PacketDraft, with sealer: inout PacketSealer, _ states: PacketStates, _ keystreams: inout LayerSet
    ) throws(TranslationError) -> ([UInt8], OpenedContent.Kind?) {
        switch draft.content {
        case .message(let bytes): return (bytes, .message)
        case .bytes(let bytes): return (bytes, nil)
        case .packets(let drafts):
            var bytes: [UInt8] = []
            for (position, inner) in drafts.enumerated() {
                do throws(TranslationError) {
                    bytes += try seal(inner, with: &sealer, isNested: true, states, &keystreams)
                } catch {
                    throw error.prefixed(by: "\(LineKey.packets)[\(position)]")
                }
            }
            return (bytes, .packets)
        }
    }

    /// Returns the layout of a sender's packets. If the layout depends on the sender and that is unknown, it is
    /// unchanged.
    private func layout(from sender: Sender?, _ states: PacketStates) -> PacketLayout {
        let layout = description.layout
        guard sender != nil || !layout.dependsOnSender else { return layout }
        return layout.layout(in: PacketContext(from: sender ?? .client, states: states))
    }

    /// - Returns: The packet, and the values of its header fields.
    private func wrap(
        _ draft: PacketDraft, in layout: PacketLayout
    ) throws(TranslationError) -> ([UInt8], PacketHeader) {
        let limit = description.options.maximumPacketByteCount
        let payload: [UInt8] =
            switch draft.content {
            case .message(let bytes), .bytes(let bytes): bytes
            // Only a protocol with such a content has such a draft.
            case .packets: []
            }
        do throws(CodecError) {
            let packet = try layout.encode(id: draft.id, header: draft.header, payload: payload.rawSpan, limit: limit)
            let content = try layout.unframed(packet)
            let written = try Packet(content.rawSpan, layout: layout, limit: limit)
            return (packet, try layout.header(of: written))
        } catch {
            throw TranslationError(.value(error.reason), path: error.path)
        }
    }
}
