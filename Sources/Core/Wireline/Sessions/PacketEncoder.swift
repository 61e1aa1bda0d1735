// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// A session's outgoing packet, which is encoded for the connection that sends it.
enum PacketEncoder: Sendable {
    /// A whole packet, which is the same on all connections.
    case packet([UInt8])
    /// A message with header fields to set. It is made anew for each connection.
    case message(@Sendable () -> any PacketMessage, PacketHeader)
    /// Messages in one packet with an ID. It is sealed anew for each connection.
    case packets([any PacketMessage], id: UInt64, PacketHeader)

    init(_ message: any PacketMessage, header: PacketHeader = [:]) { self = .message({ message }, header) }

    /// Encodes the packet that the connection sends next.
    ///
    /// - Parameter sequence: The number for the sequence field, if packets have one; nil: none.
    func packet(sequence: UInt64?, on connection: PacketConnection) throws(CodecError) -> [UInt8] {
        switch self {
        case .packet(let bytes): bytes
        case .message(let make, let header): try connection.packet(of: make(), header, sequence: sequence)
        case .packets(let messages, let id, let header):
            try connection.seal(
                UnsealedPacket(
                    packets: messages, id: id, header: header.with(sequence: sequence, in: connection.layout)))
        }
    }

    /// Refuses a packet that a client could send in no state.
    func requireEncodable() throws(CodecError) {
        guard case .message(let make, let header) = self else { return }
        try make().requireEncodable(header: header, from: .client)
    }
}

extension PacketMessage {
    /// Refuses a message that `sender` could send in no state.
    ///
    /// - Returns: The packet in the first states that allow it; nil if its layers are sealed later.
    /// - Throws: `CodecError` of the states of a new connection, if no states allow it.
    @discardableResult
    func requireEncodable(header: PacketHeader, from sender: Sender) throws(CodecError) -> [UInt8]? {
        guard !Definition.layout.hasContent else {
            try UnsealedPacket(self, header).requireSealable(
                from: sender, in: Definition.layout, limit: Definition.maximumPacketByteCount)
            return nil
        }
        do throws(CodecError) {
            return try encoded(header: header, from: sender)
        } catch {
            for layout in Definition.layout.plainLayouts(from: sender) {
                if let packet = try? encoded(header, in: layout) { return packet }
            }
            throw error
        }
    }
}
