// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// A message that has arrived, with its packet.
///
///     for try await message in client.messages {
///         switch message {
///         case .message(let scene as Sc_20001, _): enter(scene)
///         case .message(let other, _): print("no handler for", type(of: other).messageName)
///         case .unknown(let packet): print("unknown ID", packet.id)
///         }
///     }
public enum ReceivedMessage<Definition: PacketProtocol>: Sendable {
    /// A message of this sender that the schema knows.
    case message(any PacketMessage, ReceivedPacket)
    /// A packet whose ID the schema does not know for this sender.
    case unknown(ReceivedPacket)

    /// The packet, in both cases.
    public var packet: ReceivedPacket {
        switch self {
        case .message(_, let packet), .unknown(let packet): packet
        }
    }

    /// The fields of the packet's header and trailer, in wire order.
    public var header: PacketHeader {
        get throws(CodecError) { try Definition.layout.header(of: packet.lent) }
    }

    /// Decodes the message of a packet.
    ///
    /// - Parameter count: Called for a message that the connection must count.
    init(
        _ packet: ReceivedPacket, from sender: Sender, count: (UncommonMessage) -> Void
    ) throws(ConnectionError) {
        do throws(CodecError) {
            if let message = try Definition.message(in: packet.lent, from: sender) {
                self = .message(message, packet)
            } else {
                self = .unknown(packet)
                count(.unknownID)
            }
        } catch {
            count(.refused)
            throw .codec(error)
        }
    }
}

/// A message that is counted.
enum UncommonMessage {
    /// The schema does not know its ID.
    case unknownID
    /// It does not match the schema.
    case refused
}
