// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineLayers

struct Candidate {
    var values: ExampleValues.Style
    var hint: ExampleHint?
    var extra = 0
    /// The declared type that the value should have somewhere inside.
    var target: TypeDescription?
    /// Numbers for operands of conditions.
    var operands = OperandValues()
}

struct TrialPacket {
    /// Its meaning: the fields of a message, or the `payload` of an opaque packet.
    var sent: JSONValue
    /// The packet, with the marks of a frame.
    var bytes: [UInt8]
    /// Its content: the message, packets of the message, or an unread part of the message.
    var kind: OpenedContent.Kind
}

/// Encodes packets of one version that are tried on the other.
struct ExampleWriter {
    let description: ProtocolDescription
    let translator: PacketTranslator
    /// The source of random values.
    let pool: EdgePool

    /// The most times that a compressed packet is made larger, or smaller again.
    private static let growthLimit = 16

    /// Returns a packet of a message; nil if it cannot be encoded.
    ///
    /// - Parameter context: Its sender and states; nil if they do not matter.
    func packet(ofMessage message: Int, _ candidate: Candidate, in context: ExchangeContext?) -> TrialPacket? {
        switch candidate.hint {
        case .packetByteCount(let count)?: packet(ofMessage: message, candidate, in: context, byteCount: count)
        case .contentByteCount(let count, _)?:
            packet(ofMessage: message, candidate, in: context, contentByteCount: count)
        default: packet(ofMessage: message, candidate, in: context, extra: candidate.extra)
        }
    }

    /// Returns a packet of about this many bytes, or more.
    private func packet(
        ofMessage message: Int, _ candidate: Candidate, in context: ExchangeContext?, byteCount: Int
    ) -> TrialPacket? {
        var plain = candidate
        (plain.hint, plain.target) = (nil, nil)
        guard let small = packet(ofMessage: message, plain, in: context, extra: 0) else { return nil }
        var extra = candidate.extra + max(0, byteCount - contentByteCount(of: small))
        guard description.layout.content.isCompressed else {
            return packet(ofMessage: message, candidate, in: context, extra: extra, filling: byteCount)
        }
        // Compressed packets grow by less than the added bytes.
        var (tooLittle, tooMuch) = (0, Int?.none)
        var result: TrialPacket?
        for _ in 0..<Self.growthLimit {
            let next = packet(ofMessage: message, candidate, in: context, extra: extra, filling: byteCount)
            let missing = next.map { byteCount - contentByteCount(of: $0) } ?? 0
            result = next ?? result
            if next != nil, missing <= 0 { break }
            // Without a packet, this is more than the writer may send.
            if next == nil { tooMuch = extra } else { tooLittle = extra }
            extra = tooMuch.map { (tooLittle + $0) / 2 } ?? extra + 2 * missing
        }
        return result
    }

    /// Returns a packet with this many bytes inside its layers, or more.
    private func packet(
        ofMessage message: Int, _ candidate: Candidate, in context: ExchangeContext?, contentByteCount count: Int
    ) -> TrialPacket? {
        var values = self.values(candidate, extra: 0)
        let fields = values.fields(ofMessage: message)
        let name = description.messages[message].name
        let payload = try? translator.encodePayload(message: name, fields: fields, header: values.header)
        let missing = max(0, count - (payload?.count ?? 0))
        // Each packet inside another one is shorter than the limit of packets.
        let inside = min(missing, description.options.maximumPacketByteCount / 2)
        for extra in [missing, inside, 0] {
            let found = packet(ofMessage: message, candidate, in: context, extra: extra, filling: count)
            if let found { return found }
        }
        return nil
    }

    private func contentByteCount(of packet: TrialPacket) -> Int {
        (try? description.layout.unframed(packet.bytes))?.count ?? packet.bytes.count
    }

    private func values(_ candidate: Candidate, extra: Int) -> ExampleValues {
        ExampleValues(
            translator.index, candidate.values, hint: candidate.hint, operands: candidate.operands,
            target: candidate.target, extraCount: extra, pool: pool)
    }

    /// Returns a packet of the kind that its header selects.
    ///
    /// - Parameter count: The fewest bytes inside, if it has packets inside.
    private func packet(
        ofMessage message: Int, _ candidate: Candidate, in context: ExchangeContext?, extra: Int, filling count: Int = 0
    ) -> TrialPacket? {
        var values = self.values(candidate, extra: extra)
        let fields = values.fields(ofMessage: message)
        let writing = Writing(message, fields, values.header, context)
        if case .nestedDepth(let depth, _)? = candidate.hint {
            return bundle(writing, depth: depth).map { TrialPacket(sent: fields, bytes: $0, kind: .packets) }
        }
        if let bytes = encode(writing) { return TrialPacket(sent: fields, bytes: bytes, kind: .message) }
        guard translator.hasContent else { return nil }
        if let bytes = bundle(writing, filling: count) {
            return TrialPacket(sent: fields, bytes: bytes, kind: .packets)
        }
        return opaque(writing)
    }

    // MARK: Kinds of packets

    /// The message to write, and its context.
    private struct Writing {
        let message: Int
        let fields: JSONValue
        let header: PacketHeader
        let sender: Sender?
        let states: PacketStates

        init(_ message: Int, _ fields: JSONValue, _ header: PacketHeader, _ context: ExchangeContext?) {
            self.message = message
            self.fields = fields
            self.header = header
            sender = context?.sender
            states = context?.written ?? PacketStates()
        }
    }

    private func encode(_ writing: Writing) -> [UInt8]? {
        let line = JSONValue.object([JSONValue.Member(LineKey.fields, writing.fields)])
        return try? translator.encode(
            message: description.messages[writing.message].name, json: line,
            header: translator.index.json(of: writing.header), from: writing.sender, states: writing.states)
    }

    /// Returns a packet with packets of the message inside; nil if its header selects another kind.
    ///
    /// - Parameters:
    ///   - count: The fewest bytes inside.
    ///   - depth: The number of packets around the message's own (default: 1).
    private func bundle(_ writing: Writing, filling count: Int = 0, depth: Int = 1) -> [UInt8]? {
        guard description.layout.content.packets != nil else { return nil }
        let line = JSONValue.object([
            JSONValue.Member(LineKey.message, .string(description.messages[writing.message].name)),
            JSONValue.Member(LineKey.fields, writing.fields),
        ])
        let one = try? translator.encode(line: line, from: writing.sender, states: writing.states)
        let wanted = (count + (one?.count ?? count)) / max(1, one?.count ?? count)
        var packets = Array(repeating: line, count: min(max(1, wanted), PacketOpener.innerPacketLimit))
        var outer = JSONValue.null
        for _ in 0..<depth {
            outer = bundle(of: packets, writing)
            packets = [outer]
        }
        return try? translator.encode(line: outer, from: writing.sender, states: writing.states)
    }

    private func bundle(of packets: [JSONValue], _ writing: Writing) -> JSONValue {
        let id = description.messages[writing.message].id
        var members = [
            JSONValue.Member(LineKey.message, .null), JSONValue.Member(LineKey.id, .exactInteger(Int128(id))),
            JSONValue.Member(LineKey.packets, .array(packets)),
        ]
        if let header = translator.index.json(of: writing.header) {
            members.append(JSONValue.Member(LineKey.header, header))
        }
        return .object(members)
    }

    /// Returns an opaque packet with a part of the message; nil if its header selects another kind.
    private func opaque(_ writing: Writing) -> TrialPacket? {
        guard description.layout.content.opaque != nil else { return nil }
        let message = description.messages[writing.message]
        let payload = try? translator.encodePayload(
            message: message.name, fields: writing.fields, header: writing.header)
        guard let part = payload?.dropLast() else { return nil }
        var header = writing.header
        if let fixed = translator.index.fixedHeaders[writing.message] {
            try? description.layout.fix(fixed, in: &header)
        }
        var sealer = translator.makeSealer(from: writing.sender ?? message.senders.first ?? .client)
        sealer.beginPacket()
        var keystreams = LayerSet()
        let bytes = try? sealer.packet(
            id: message.id, header: header, payload: Array(part).rawSpan, .opaque, states: writing.states, &keystreams)
        guard let bytes else { return nil }
        let sent = JSONValue.object([
            JSONValue.Member(LineKey.payload, .string(Hexadecimal.text(of: Array(part))))
        ])
        return TrialPacket(sent: sent, bytes: bytes, kind: .opaque)
    }
}
