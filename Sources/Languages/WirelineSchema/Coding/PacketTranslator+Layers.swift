// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
import WirelineLanguage
package import WirelineLayers

/// Packets with layers, or with whole packets inside.
extension PacketTranslator {
    /// The possible messages of a packet.
    package enum MessageChoice {
        case from(Sender)
        case preferring(Sender)
        /// The message at this position in the description.
        case only(Int)
    }

    /// Whether packets have layers, or a content other than a message's fields.
    package var hasContent: Bool { description.layout.hasContent }

    /// Makes an opener for the packets of one end, in their order; only for a protocol with ``hasContent``.
    package func makeOpener(from sender: Sender) -> PacketOpener {
        PacketOpener(
            description.layout, from: sender, packetLimit: description.options.maximumPacketByteCount,
            settings: layers)
    }

    /// Makes a sealer for the packets of one end, in their order; only for a protocol with ``hasContent``.
    package func makeSealer(from sender: Sender) -> PacketSealer {
        PacketSealer(
            description.layout, from: sender, packetLimit: description.options.maximumPacketByteCount,
            settings: layers)
    }

    /// Makes a stream that finds and opens the packets of one end; only for a protocol with ``hasContent``.
    ///
    /// - Parameter states: The states of the connection at the first packet.
    package func makeStream(from sender: Sender, states: PacketStates) -> OpenedStream {
        OpenedStream(
            description.layout, in: PacketContext(from: sender, states: states),
            packetLimit: description.options.maximumPacketByteCount, settings: layers)
    }

    /// Returns an opened packet as a line of JSON, with the packets inside it.
    ///
    ///     {"message":null,"id":5,"header":{…},"packets":[{…},…]}
    ///
    /// - Throws: `CodecError`: the failure of the packets, or of a message, with the path of its packet.
    package func line(of packets: OpenedPackets, _ choice: MessageChoice) throws(CodecError) -> JSONValue {
        var lines = OpenedLines(packets.entries.count)
        for index in packets.entries.indices {
            do throws(CodecError) {
                let kind = packets.entries[index].kind
                let line = try packets.withPacket(at: index) { (packet: borrowing Packet) throws(CodecError) in
                    try self.line(of: packet, kind, choice)
                }
                lines.add(line, kind, parent: packets.entries[index].parent)
            } catch {
                let path = packets.path(of: index)
                throw path.isEmpty ? error : error.prefixed(by: path)
            }
        }
        if let failure = packets.failure { throw failure }
        return lines.finish()
    }

    func isSealed(_ packet: borrowing Packet) -> Bool { hasContent && description.layout.isSealed(packet) }

    func decodeSealed(
        _ packet: borrowing Packet, in context: PacketContext, _ choice: MessageChoice
    ) throws(CodecError) -> JSONValue {
        var opener = makeOpener(from: context.sender)
        return try line(of: opener.open(packet, states: context.states), choice)
    }

    /// Returns the line of one packet, without those inside it.
    private func line(
        of packet: borrowing Packet, _ kind: OpenedContent.Kind, _ choice: MessageChoice
    ) throws(CodecError) -> JSONValue {
        guard kind != .packets else {
            return .object([
                JSONValue.Member(LineKey.message, .null),
                JSONValue.Member(LineKey.id, .exactInteger(Int128(packet.id))),
                JSONValue.Member(LineKey.header, try header(of: packet)),
            ])
        }
        switch choice {
        case .from(let sender): return try decode(packet, as: index.message(id: packet.id, from: sender))
        case .preferring(let sender): return try decode(packet, as: index.message(id: packet.id, preferring: sender))
        case .only(let message):
            let expected = description.messages[message].id
            guard packet.id == expected else { throw CodecError(.wrongMessage(id: packet.id, expected: expected)) }
            return try decode(packet, as: message)
        }
    }
}

/// The lines of a packet and of the packets inside it. They are nested from the last one on.
private struct OpenedLines {
    private var lines: [JSONValue] = []
    private var kinds: [OpenedContent.Kind] = []
    private var parents: [Int?] = []

    init(_ count: Int) {
        lines.reserveCapacity(count)
        kinds.reserveCapacity(count)
        parents.reserveCapacity(count)
    }

    mutating func add(_ line: JSONValue, _ kind: OpenedContent.Kind, parent: Int?) {
        lines.append(line)
        kinds.append(kind)
        parents.append(parent)
    }

    consuming func finish() -> JSONValue {
        var inner: [Int: [JSONValue]] = [:]
        for index in lines.indices.reversed() {
            var line = lines[index]
            if kinds[index] == .packets, case .object(var members) = line {
                // They were collected from the last one on.
                let packets = inner.removeValue(forKey: index).map { Array($0.reversed()) } ?? []
                members.append(JSONValue.Member(LineKey.packets, .array(packets)))
                line = .object(members)
            }
            guard let parent = parents[index] else { return line }
            inner[parent, default: []].append(line)
        }
        return .null
    }
}
