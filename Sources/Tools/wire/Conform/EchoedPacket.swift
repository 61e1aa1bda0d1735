// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLayers
import WirelineSchema

enum EchoedPacket {
    case bytes([UInt8])
    /// The content inside layers. Its encoding is not compared, because a server seals packets in its own way.
    case opened(id: UInt64, header: PacketHeader, payload: [UInt8])

    /// Makes the value for an opened packet, if the layout has layers.
    ///
    /// It keeps only header values that a program sets and that do not depend on the sealing.
    init(_ packet: borrowing Packet, in layout: PacketLayout) throws(CodecError) {
        let vectors = layout.content.layers.compactMap(\.kind.vectorField)
        var header = PacketHeader()
        for (name, value) in try layout.header(of: packet).fields where !vectors.contains(name) {
            guard let field = layout.fields.first(where: { $0.name == name }), layout.isSettable(field),
                field.role.contentConstant == nil
            else { continue }
            header[value: name] = value
        }
        self = .opened(id: packet.id, header: header, payload: [UInt8](copying: packet.payload))
    }

    /// Returns how the packets differ; nil if they do not.
    func difference(from found: EchoedPacket) -> String? {
        switch (self, found) {
        case (.bytes(let expected), .bytes(let found)):
            return BytesDifference(expected: expected, found: found)?.text
        case (.opened(let id, let header, let payload), .opened(let otherID, let otherHeader, let otherPayload)):
            guard id == otherID else { return "the ID is \(otherID) where \(id) was expected" }
            // The packets of the server may have other header fields.
            for (name, value) in header.fields {
                guard let other = otherHeader[value: name], other != value else { continue }
                return "\(name) is \(other) where \(value) was expected"
            }
            return BytesDifference(expected: payload, found: otherPayload).map { "inside of its layers, " + $0.text }
        case (.bytes, .opened), (.opened, .bytes): return "it has other layers"
        }
    }

    /// The packet as hexadecimal text, for a message.
    var text: String {
        switch self {
        case .bytes(let bytes): Hexadecimal.text(of: bytes).shortened
        case .opened(let id, _, let payload): "packet \(id) with \(Hexadecimal.text(of: payload).shortened)"
        }
    }
}

extension OpenedPackets {
    /// Returns the packets that a server sends back for an opened one: those inside that are messages or parts of
    /// messages.
    func echoes(in layout: PacketLayout) throws(CodecError) -> [EchoedPacket] {
        var echoes: [EchoedPacket] = []
        for (index, entry) in entries.enumerated() where entry.kind != .packets {
            let echo = try withPacket(at: index) { packet throws(CodecError) in
                try EchoedPacket(packet, in: layout)
            }
            echoes.append(echo)
        }
        return echoes
    }

    /// Whether the packet sets a state, as a packet of either side.
    func setsState(in layout: PacketLayout) -> Bool {
        entries.contains { entry in
            entry.kind == .message && Sender.allCases.contains { layout.setsState(entry.bounds.id, from: $0) }
        }
    }
}
