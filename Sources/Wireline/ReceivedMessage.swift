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
    ///
    /// - Parameter count: Is told of a message that whoever counts is to count.
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

/// A message that is counted for what it is.
enum UncommonMessage {
    /// The schema does not know its ID.
    case unknownID
    /// It is not what the schema says.
    case refused
}
