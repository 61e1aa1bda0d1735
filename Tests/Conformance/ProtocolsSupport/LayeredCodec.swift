// SPDX-License-Identifier: Apache-2.0

import TestingSupport
package import WirelineCodec
package import WirelineLayers
package import WirelineSchema

/// Opens packets of a protocol with layers, and seals what was opened.
package struct LayeredCodec {
    package let generated: any PacketProtocol.Type
    package let translator: PacketTranslator

    package init(_ generated: any PacketProtocol.Type, _ translator: PacketTranslator) {
        self.generated = generated
        self.translator = translator
    }

    /// Opens a packet as it stands in a stream.
    ///
    /// - Throws: `CodecError` if its header or its frame is wrong.
    package func open(_ bytes: [UInt8], in context: PacketContext) throws(CodecError) -> OpenedPackets {
        let layout = translator.description.layout
        let limit = translator.description.options.maximumPacketByteCount
        let content = try layout.unframed(bytes, limit: limit)
        let packet = try Packet(content.rawSpan, layout: layout.layout(in: context), limit: limit)
        var opener = translator.makeOpener(from: context.sender)
        return opener.open(packet, states: context.states)
    }

    /// How generated code and the description differ about a message; nil if they agree about all.
    package func disagreement(on packets: OpenedPackets, from sender: Sender) -> String? {
        for index in packets.entries.indices where packets.entries[index].kind == .message {
            let (described, generated) = packets.withPacket(at: index) { packet in
                (describedVerdict(on: packet, from: sender), generatedVerdict(on: packet, from: sender))
            }
            switch (described, generated) {
            case (.success(let text), .success(let other)) where text == other: continue
            // Generated code checks a run of fields as a whole, so it may find another fault first.
            case (.failure, .failure): continue
            default: return "by the description \(described), by generated code \(generated)"
            }
        }
        return nil
    }

    /// Whether all messages can be read.
    package func canRead(_ packets: OpenedPackets, from sender: Sender) -> Bool {
        packets.entries.indices.allSatisfy { index in
            guard packets.entries[index].kind == .message else { return true }
            let verdict = packets.withPacket(at: index) { describedVerdict(on: $0, from: sender) }
            if case .failure = verdict { return false }
            return true
        }
    }

    private func describedVerdict(on packet: borrowing Packet, from sender: Sender) -> Result<String, CodecError> {
        do throws(CodecError) {
            let line = try translator.decode(packet, from: sender)
            return .success("\(line["message"] ?? .null) \(line["fields"] ?? .null) \(line["trailing"] ?? "")")
        } catch {
            return .failure(error)
        }
    }

    private func generatedVerdict(on packet: borrowing Packet, from sender: Sender) -> Result<String, CodecError> {
        do throws(CodecError) {
            guard let message = try generated.message(in: packet, from: sender) else {
                return .success("\(JSONValue.null) \(JSONValue.null) \(JSONValue.string(""))")
            }
            let json = GeneratedJSON(description: translator.description)
            let name = JSONValue.string(type(of: message).messageName)
            return .success("\(name) \(json.fields(of: message)) \(json.trailing(of: message) ?? "")")
        } catch {
            return .failure(error)
        }
    }

    /// Returns a packet with this payload, and the defaults of all else, as it stands in a stream.
    package func seal(payload: [UInt8], id: UInt64, in context: PacketContext) throws(CodecError) -> [UInt8] {
        var sealer = translator.makeSealer(from: context.sender)
        var keystreams = LayerSet()
        sealer.beginPacket()
        return try sealer.packet(
            id: id, header: [:], payload: payload.rawSpan, nil, states: context.states, &keystreams)
    }

    /// Reads each packet as its message's type, and writes all of it again, sealed.
    ///
    /// - Returns: The bytes of the whole packet.
    package func sealAgain(_ packets: OpenedPackets, in context: PacketContext) throws(CodecError) -> [UInt8] {
        var sealer = translator.makeSealer(from: context.sender)
        sealer.beginPacket()
        var keystreams = LayerSet()
        return try seal(0, of: packets, in: context, with: &sealer, &keystreams)
    }

    /// Packets are sealed after those inside of them, and before those around them.
    ///
    /// - Parameter outer: Gets the lasting keystreams of the packet and of those inside of it.
    private func seal(
        _ index: Int, of packets: OpenedPackets, in context: PacketContext, with sealer: inout PacketSealer,
        _ outer: inout LayerSet
    ) throws(CodecError) -> [UInt8] {
        var keystreams = LayerSet()
        defer { outer.formUnion(keystreams) }
        let entry = packets.entries[index]
        var inside: [UInt8] = []
        for inner in packets.entries.indices where packets.entries[inner].parent == index {
            inside += try seal(inner, of: packets, in: context, with: &sealer, &keystreams)
        }
        return try packets.withPacket(at: index) { (packet: borrowing Packet) throws(CodecError) in
            let header = try generated.layout.settableHeaderWithContentLength(of: packet)
            var payload = entry.kind == .packets ? inside : [UInt8](copying: packet.payload)
            if entry.kind == .message, let message = try generated.message(in: packet, from: context.sender) {
                payload = try message.encodedPayload(header: header)
            }
            return try sealer.packet(
                id: packet.id, header: header, payload: payload.rawSpan, entry.kind, isNested: entry.parent != nil,
                states: context.states, &keystreams)
        }
    }
}

extension PacketLayout {
    /// The fields that a caller could have set; also the length of a content by which a layer is chosen.
    fileprivate func settableHeaderWithContentLength(of packet: borrowing Packet) throws(CodecError) -> PacketHeader {
        var header = try header(of: packet)
        for field in fields where !isSettable(field) { header[field.name] = nil }
        return header
    }
}
