// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
import WirelineLayers

/// A packet to send that is not encoded yet: it depends on the connection's states, or its layers are not sealed.
///
/// Each connection seals it with its own states, keys and keystreams. A packet with layers that need none of these is
/// sealed once for many connections.
package struct UnsealedPacket: Sendable {
    let id: UInt64
    private let header: PacketHeader
    private let content: Content
    /// The message's name, which stands before the path of an error.
    private let name: String

    private enum Content {
        /// A payload without a kind is written whatever the header says.
        case payload([UInt8], OpenedContent.Kind?)
        case packets([UnsealedPacket])
    }

    /// Makes the packet of a message.
    ///
    /// - Throws: `CodecError` if a value does not fit.
    init<Message: PacketMessage>(_ message: Message, _ header: PacketHeader = [:]) throws(CodecError) {
        let payload = try message.encodedPayload(header: header)
        var header = header
        do throws(CodecError) {
            if let fixed = Message.fixedHeader { try Message.Definition.layout.fix(fixed.values, in: &header) }
        } catch {
            throw error.prefixed(by: Message.messageName)
        }
        self.init(Message.messageID, header, .payload(payload, .message), Message.messageName)
    }

    /// Makes a packet with the packets of messages inside.
    ///
    /// - Throws: `CodecError` with the path `packets[2]` if a value does not fit.
    init(packets messages: [any PacketMessage], id: UInt64, header: PacketHeader) throws(CodecError) {
        var packets: [UnsealedPacket] = []
        for (position, message) in messages.enumerated() {
            do throws(CodecError) {
                packets.append(try UnsealedPacket(message))
            } catch {
                throw error.prefixed(by: "packets[\(position)]")
            }
        }
        self.init(id, header, .packets(packets))
    }

    /// Makes a packet of any payload, with the header's defaults.
    init(id: UInt64, payload: [UInt8]) { self.init(id, [:], .payload(payload, nil)) }

    /// Makes the packet of a message from its encoded fields, for tools.
    ///
    /// - Parameters:
    ///   - header: The header fields that differ from their defaults, and those that the message fixes.
    ///   - name: The message's name, for errors.
    package init(id: UInt64, header: PacketHeader, payload: [UInt8], named name: String) {
        self.init(id, header, .payload(payload, .message), name)
    }

    /// Makes a packet with others inside, for tools.
    package init(id: UInt64, header: PacketHeader, packets: [UnsealedPacket]) {
        self.init(id, header, .packets(packets))
    }

    /// Makes a packet of any payload, for tools: the payload is written whatever the header says.
    package init(id: UInt64, header: PacketHeader, payload: [UInt8]) {
        self.init(id, header, .payload(payload, nil))
    }

    /// Copies an opened packet: its ID and payload, and the header values that a program can set.
    init(forwarding packet: borrowing Packet, in layout: PacketLayout) throws(CodecError) {
        var header = PacketHeader()
        for (name, value) in try layout.header(of: packet).fields {
            guard let field = layout.fields.first(where: { $0.name == name }), layout.isSettable(field) else {
                continue
            }
            header[value: name] = value
        }
        let payload = [UInt8](copying: packet.payload)
        self.init(packet.id, header, .payload(payload, packet.isOpaque ? .opaque : .message))
    }

    private init(_ id: UInt64, _ header: PacketHeader, _ content: Content, _ name: String = "") {
        self.id = id
        self.header = header
        self.content = content
        self.name = name
    }

    /// The total byte count of the payloads, also of packets inside.
    var payloadByteCount: Int {
        switch content {
        case .payload(let bytes, _): bytes.count
        case .packets(let packets): packets.reduce(0) { $0 + $1.payloadByteCount }
        }
    }

    package var messageIDs: [UInt64] {
        switch content {
        case .payload(_, .opaque), .payload(_, .packets): []
        case .payload(_, .message), .payload(_, nil): [id]
        case .packets(let packets): packets.flatMap(\.messageIDs)
        }
    }

    // MARK: Sealing

    /// Seals one packet. `isNested` says whether it stands inside another one. The set holds the lasting keystreams of
    /// the packets inside, and gets those of this packet.
    private typealias Seal =
        (UInt64, PacketHeader, [UInt8], OpenedContent.Kind?, _ isNested: Bool, inout LayerSet) throws(CodecError)
        -> [UInt8]

    /// Returns the packet as it stands in a stream.
    ///
    /// - Parameter states: The connection's states.
    /// - Throws: `CodecError` as ``requireSealable(from:in:limit:)``, and the errors of its layers.
    func sealed(with sealer: inout PacketSealer, _ states: PacketStates) throws(CodecError) -> [UInt8] {
        sealer.beginPacket()
        var keystreams = LayerSet()
        return try sealed(&keystreams) { id, header, payload, kind, isNested, keystreams throws(CodecError) in
            try sealer.packet(
                id: id, header: header, payload: payload.rawSpan, kind, isNested: isNested, states: states, &keystreams)
        }
    }

    /// Returns the packet as it stands in a stream, in a layout without layers.
    ///
    /// - Throws: `CodecError` if a value does not fit; `wrongPresence` at `packets` for packets inside.
    func encoded(in layout: PacketLayout, limit: Int) throws(CodecError) -> [UInt8] {
        guard case .payload(let payload, _) = content else {
            throw CodecError(.wrongPresence(isSet: true), path: "packets")
        }
        do throws(CodecError) {
            return try layout.encode(id: id, header: header, payload: payload.rawSpan, limit: limit)
        } catch {
            throw name.isEmpty ? error : error.prefixed(by: name)
        }
    }

    /// Refuses a packet that `sender` can send in no state, before its keys and keystreams are used.
    ///
    /// - Throws: `CodecError` of the states of a new connection.
    func requireSealable(from sender: WirelineCodec.Sender, in layout: PacketLayout, limit: Int) throws(CodecError) {
        guard layout.hasContent else { return try requireEncodable(from: sender, in: layout, limit: limit) }
        var keystreams = LayerSet()
        _ = try sealed(&keystreams) { id, header, payload, kind, _, _ throws(CodecError) in
            try layout.requireSealable(
                id: id, header: header, payload: payload.rawSpan, kind, from: sender, limit: limit)
            return []
        }
    }

    private func requireEncodable(
        from sender: WirelineCodec.Sender, in layout: PacketLayout, limit: Int
    ) throws(CodecError) {
        do throws(CodecError) {
            _ = try encoded(in: layout.layout(in: PacketContext(from: sender)), limit: limit)
        } catch {
            guard layout.plainLayouts(from: sender).contains(where: { (try? encoded(in: $0, limit: limit)) != nil })
            else { throw error }
        }
    }

    /// Refuses a packet that `sender` cannot send in these states, before its keys and keystreams are used.
    ///
    /// - Parameter threshold: The compression threshold of the connection's layers.
    func requireSealable(
        from sender: WirelineCodec.Sender, _ states: PacketStates, in layout: PacketLayout, limit: Int, threshold: Int?
    ) throws(CodecError) {
        let kinds = layout.content.layers.map(\.kind)
        var keystreams = LayerSet()
        _ = try sealed(&keystreams) { id, header, payload, kind, isNested, keystreams throws(CodecError) in
            let context = PacketContext(from: sender, isNested: isNested, states: states)
            try layout.layering(in: context).requireSealable(
                id: id, header: header, payload: payload.rawSpan, kind, limit: limit, kinds, &keystreams,
                threshold: threshold)
            return []
        }
    }

    /// - Parameter outer: Gets the lasting keystreams of the packet and of the packets inside it.
    private func sealed(isNested: Bool = false, _ outer: inout LayerSet, _ seal: Seal) throws(CodecError) -> [UInt8] {
        var keystreams = LayerSet()
        defer { outer.formUnion(keystreams) }
        let payload: [UInt8]
        let kind: OpenedContent.Kind?
        switch content {
        case .payload(let bytes, let known): (payload, kind) = (bytes, known)
        case .packets(let packets): (payload, kind) = (try Self.sealed(packets, &keystreams, seal), .packets)
        }
        do throws(CodecError) {
            return try seal(id, header, payload, kind, isNested, &keystreams)
        } catch {
            throw name.isEmpty ? error : error.prefixed(by: name)
        }
    }

    private static func sealed(
        _ packets: [UnsealedPacket], _ keystreams: inout LayerSet, _ seal: Seal
    ) throws(CodecError) -> [UInt8] {
        guard packets.count <= PacketOpener.innerPacketLimit else {
            throw CodecError(.tooLong(count: packets.count, limit: PacketOpener.innerPacketLimit), path: "packets")
        }
        var bytes: [UInt8] = []
        for (position, packet) in packets.enumerated() {
            do throws(CodecError) {
                bytes += try packet.sealed(isNested: true, &keystreams, seal)
            } catch {
                throw error.prefixed(by: "packets[\(position)]")
            }
        }
        return bytes
    }
}
