// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// A message that has arrived, with its packet.
///
///     while let received = try await client.nextMessage() {
///         switch received.message {
///         case .enter(let enter): try await client.reply(to: received, with: EnterReply(room: enter.room))
///         case .leave: return
///         case .unknown(let id): print("unknown ID", id)
///         }
///     }
///
/// The compiler reports the messages that the `switch` forgets.
public struct ReceivedMessage<Message: IncomingMessage>: Sendable {
    /// The message: one case for each message of the schema, and one for unknown IDs.
    public let message: Message
    /// The packet that carried it.
    public let packet: ReceivedPacket

    @inlinable @inline(__always)
    init(_ message: Message, in packet: ReceivedPacket) {
        self.message = message
        self.packet = packet
    }

    /// Makes a message as it is received; for tests.
    ///
    ///     let received = try ReceivedMessage<LobbyProtocol.FromClient>(of: Cs_100(roomID: 7, name: "Mo"))
    ///
    /// - Parameters:
    ///   - message: A message of this direction; one of the other direction is received as an unknown ID.
    ///   - header: Header fields to set, such as the sequence (default: none).
    /// - Throws: `CodecError` if a value does not fit.
    public init<Sent: PacketMessage>(
        of message: Sent, header: PacketHeader = [:]
    ) throws(CodecError) where Sent.Definition == Message.Definition {
        try self.init(
            ReceivedPacket(bytes: try message.encoded(header: header), layout: Message.Definition.layout))
    }

    /// Decodes the message of a packet.
    ///
    /// - Throws: `CodecError` if the payload does not match the schema.
    public init(_ packet: ReceivedPacket) throws(CodecError) {
        self.init(try Message(in: packet.lent), in: packet)
    }

    /// The fields of the packet's header and trailer, in wire order.
    public var header: PacketHeader {
        get throws(CodecError) { try Message.Definition.layout.header(of: packet.lent) }
    }
}
