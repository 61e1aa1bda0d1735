// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
import WirelineLanguage
package import WirelineLayers
import WirelineSchema

/// A packet before it is written: its message is checked and encoded, and its header has its values.
package struct RecordDraft: Sendable {
    /// The index of the message; nil for another packet.
    fileprivate let message: Int?
    package let id: UInt64
    /// The header fields that differ from their defaults, and those that the message fixes.
    package let header: PacketHeader
    package let content: Content

    /// False for `{unknown, Id, Payload}`, and for a packet with others inside.
    package var isMessage: Bool { message != nil }

    package enum Content: Sendable {
        /// The fields of a message, or bytes that need not match the schema.
        case bytes([UInt8])
        case packets([RecordDraft])
    }
}

// MARK: - Terms to packets

extension ErlangRecords {
    /// Returns the packet of `Message` or `{Header, Message}`.
    ///
    /// A packet with layers is sealed as the first of its connection.
    ///
    /// - Parameters:
    ///   - term: The bytes of exactly one term, without the version byte.
    ///   - sender: The end that sends it; the message must be one of this end's.
    ///   - states: The states of the connection, in a protocol whose packets depend on them (default: all are 0).
    package func packet(
        ofTerm term: RawSpan, from sender: Sender, states: PacketStates = PacketStates()
    ) throws(ErlangRecordError) -> [UInt8] {
        try packet(of: draft(of: term, from: sender), from: sender, states: states)
    }

    /// Checks `Message` or `{Header, Message}`, except for rules about the whole packet.
    package func draft(of term: RawSpan, from sender: Sender) throws(ErlangRecordError) -> RecordDraft {
        var reader = ErlangTermReader(term)
        do throws(ErlangError) {
            try reader.check(limits: limits)
        } catch {
            throw ErlangRecordError("not_a_message")
        }
        var innerCount = 0
        return try draft(from: &reader, of: sender, depth: 0, &innerCount)
    }

    /// Returns the packet of a draft. A packet with layers is sealed as the first of its connection.
    package func packet(
        of draft: RecordDraft, from sender: Sender, states: PacketStates = PacketStates()
    ) throws(ErlangRecordError) -> [UInt8] {
        let limit = description.options.maximumPacketByteCount
        guard !description.layout.hasContent else {
            var sealer = PacketSealer(description.layout, from: sender, packetLimit: limit, settings: layers)
            return try packet(of: draft, with: &sealer, states: states)
        }
        guard case .bytes(let payload) = draft.content else { throw ErlangRecordError("not_a_message") }
        let layout = description.layout.layout(in: PacketContext(from: sender, states: states))
        do throws(CodecError) {
            return try layout.encode(id: draft.id, header: draft.header, payload: payload.rawSpan, limit: limit)
        } catch {
            throw ErlangRecordError(error)
        }
    }

    /// Returns the packet of a draft, sealed as the next packet of its connection.
    package func packet(
        of draft: RecordDraft, with sealer: inout PacketSealer, states: PacketStates = PacketStates()
    ) throws(ErlangRecordError) -> [UInt8] {
        sealer.beginPacket()
        var keystreams = LayerSet()
        return try seal(draft, with: &sealer, isNested: false, states, &keystreams)
    }

    /// - Parameter outer: Gets the lasting keystreams of the packet and of the packets inside.
    private func seal(
        _ draft: RecordDraft, with sealer: inout PacketSealer, isNested: Bool, _ states: PacketStates,
        _ outer: inout LayerSet
    ) throws(ErlangRecordError) -> [UInt8] {
        var keystreams = LayerSet()
        defer { outer.formUnion(keystreams) }
        var payload: [UInt8] = []
        var kind: OpenedContent.Kind? = draft.message == nil ? nil : .message
        switch draft.content {
        case .bytes(let bytes): payload = bytes
        case .packets(let drafts):
            kind = .packets
            for (position, inner) in drafts.enumerated() {
                do throws(ErlangRecordError) {
                    payload += try seal(inner, with: &sealer, isNested: true, states, &keystreams)
                } catch {
                    throw error.prefixed(by: "packets[\(position)]")
                }
            }
        }
        do throws(CodecError) {
            return try sealer.packet(
                id: draft.id, header: draft.header, payload: payload.rawSpan, kind, isNested: isNested, states: states,
                &keystreams)
        } catch {
            throw ErlangRecordError(error)
        }
    }

    // MARK: Drafts

    /// - Parameters:
    ///   - depth: The number of packets around it.
    ///   - innerCount: The packets inside of others so far.
    private func draft(
        from reader: inout ErlangTermReader, of sender: Sender, depth: Int, _ innerCount: inout Int
    ) throws(ErlangRecordError) -> RecordDraft {
        var given = GivenHeader()
        var pair = reader
        if pair.readTuple() == 2, let header = GivenHeader(from: &pair, plan) {
            given = header
            reader = pair
        }
        let start = reader
        let arity = reader.readTuple()
        guard let atom = reader.readAtom() else { throw ErlangRecordError("not_a_message") }
        if arity == 3, atom.matches("unknown") { return try unknown(given, from: &reader) }
        if arity == 3, atom.matches("packets"), description.layout.content.packets != nil {
            return try bundle(given, from: &reader, of: sender, depth: depth, &innerCount)
        }
        guard let message = plan.messageAtoms.index(of: atom), plan.messages[message].arity == arity,
            plan.isSent(message, by: sender)
        else {
            reader = start
            throw ErlangRecordError("not_a_message")
        }
        return try draft(of: message, given, from: &reader)
    }

    private func draft(
        of message: Int, _ given: GivenHeader, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) -> RecordDraft {
        let body = plan.messages[message]
        var writer = RecordWriter(plan)
        if plan.looksAtHeader[message] {
            try given.require(description.messages[message].fields.headerOperands)
            writer.header = description.layout.completed(given.values)
        }
        // Few values are longer in a packet than in a term.
        writer.bytes.reserveCapacity(reader.remaining)
        try writer.writeMessage(body, from: &reader)
        var header = given.values
        if let fixed = plan.fixedHeaders[message] {
            do throws(ErlangRecordError) {
                try given.require(fixed.fields.map(\.name))
                do throws(CodecError) {
                    try description.layout.fix(fixed, in: &header)
                } catch {
                    throw ErlangRecordError(error)
                }
            } catch {
                throw error.prefixed(byMessage: body.name)
            }
        }
        try given.requireAll()
        return RecordDraft(
            message: message, id: description.messages[message].id, header: header, content: .bytes(writer.bytes))
    }

    /// Reads the rest of `{unknown, Id, Payload}`.
    private func unknown(
        _ given: GivenHeader, from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) -> RecordDraft {
        let (id, value) = try id(from: &reader)
        guard let payload = reader.readBinary() else { throw ErlangRecordError("not_a_message") }
        try given.requireAll()
        guard let id else { throw ErlangRecordError(.tuple("invalid_message_id", value)) }
        return RecordDraft(message: nil, id: id, header: given.values, content: .bytes([UInt8](copying: payload)))
    }

    /// Returns the ID of a packet and its term. The ID is nil if it is larger than any ID.
    private func id(
        from reader: inout ErlangTermReader
    ) throws(ErlangRecordError) -> (id: UInt64?, value: ErlangTerm) {
        let value = reader.value
        guard let number = reader.readWideInteger(), number >= 0 else { throw ErlangRecordError("not_a_message") }
        return (UInt64(exactly: number), value)
    }

    /// Reads the rest of `{packets, Id, [{Header, Message}]}`.
    private func bundle(
        _ given: GivenHeader, from reader: inout ErlangTermReader, of sender: Sender, depth: Int,
        _ innerCount: inout Int
    ) throws(ErlangRecordError) -> RecordDraft {
        let (id, value) = try id(from: &reader)
        guard let list = reader.enterList(), list.isPlain || !list.isString else {
            throw ErlangRecordError("not_a_message")
        }
        let depthLimit = description.layout.content.maximumNestedDepth
        guard depth < depthLimit else { throw .tooDeep(depthLimit) }
        var drafts: [RecordDraft] = []
        let elements = list.isPlain ? [] : reader.readElements()
        var items = list.isPlain ? reader : ErlangTermReader(elements.rawSpan)
        for position in 0..<list.count {
            innerCount += 1
            guard innerCount <= PacketOpener.innerPacketLimit else {
                throw ErlangRecordError.tooLong(innerCount, limit: PacketOpener.innerPacketLimit).prefixed(
                    by: "packets")
            }
            var item = items
            items.skip()
            do throws(ErlangRecordError) {
                drafts.append(try draft(from: &item, of: sender, depth: depth + 1, &innerCount))
            } catch {
                throw error.prefixed(by: "packets[\(position)]")
            }
        }
        try given.requireAll()
        guard let id else { throw ErlangRecordError(.tuple("invalid_message_id", value)) }
        return RecordDraft(message: nil, id: id, header: given.values, content: .packets(drafts))
    }
}
