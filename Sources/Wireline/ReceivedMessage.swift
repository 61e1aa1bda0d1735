// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// A message that has arrived, with the packet that it came in.
///
///     for try await message in client.messages {
///         switch message {
///         case .message(let scene as Sc_20001, _): enter(scene)
///         case .message(let other, _): print("nobody deals with", type(of: other).messageName)
///         case .unknown(let packet): print("unknown ID", packet.id)
///         }
///     }
public enum ReceivedMessage<Definition: PacketProtocol>: Sendable {
    /// A message that the schema knows from this sender.
    case message(any PacketMessage, ReceivedPacket)
    /// A packet with an ID that the schema does not know from this sender.
    case unknown(ReceivedPacket)

    /// The packet, whatever it is.
    public var packet: ReceivedPacket {
        switch self {
        case .message(_, let packet), .unknown(let packet): packet
        }
    }

    /// The fields of the packet's header and trailer, in wire order.
    public var header: PacketHeader {
        get throws(CodecError) { try Definition.layout.header(of: packet.lent) }
    }

    /// Reads the message of a packet.
    init(_ packet: ReceivedPacket, from sender: Sender) throws(ConnectionError) {
        do throws(CodecError) {
            if let message = try Definition.message(in: packet.lent, from: sender) {
                self = .message(message, packet)
            } else {
                self = .unknown(packet)
            }
        } catch {
            throw .codec(error)
        }
    }
}
