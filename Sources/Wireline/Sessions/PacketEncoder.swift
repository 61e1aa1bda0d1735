// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// What a session sends: it is encoded for the connection that sends it.
enum PacketEncoder: Sendable {
    /// A whole packet, which is the same on all connections.
    case packet([UInt8])
    /// A message, with header fields to set. It is made anew for each connection.
    case message(@Sendable () -> any PacketMessage, PacketHeader)
    /// Messages in one packet with an ID. It is sealed anew for each connection.
    case packets([any PacketMessage], id: UInt64, PacketHeader)

    /// - Parameter header: Header fields to set.
    init(_ message: any PacketMessage, header: PacketHeader = [:]) { self = .message({ message }, header) }

    /// Returns the packet as the connection sends it next.
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

    /// Refuses what a client can send in no states.
    func requireEncodable() throws(CodecError) {
        guard case .message(let make, let header) = self else { return }
        try make().requireEncodable(header: header, from: .client)
    }
}

extension PacketMessage {
    /// Refuses a message that an end can send in no states.
    ///
    /// - Returns: The packet in the first states in which it can be sent; nil if its layers are sealed later.
    /// - Throws: `CodecError` of the states of a new connection, if there are no such states.
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
