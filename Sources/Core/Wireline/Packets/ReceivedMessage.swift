// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineTransport

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
    // The packet's place without its bounds, which the layout gives. A value of more words would be copied and
    // destroyed through its type's witnesses, which takes longer than decoding a short message.
    @usableFromInline let block: SharedBlock
    @usableFromInline let start: Int
    /// The packet's byte count. The last 16 bits are the variant of its layout, if the layout depends on the context.
    @usableFromInline let extent: UInt64

    @inlinable @inline(__always)
    var byteCount: Int { Int(truncatingIfNeeded: extent >> 16) }

    /// - Parameter packet: A packet in the layout of `Message.Definition`.
    @inlinable @inline(__always)
    init(_ message: Message, in packet: ReceivedPacket) {
        self.message = message
        block = packet.block
        start = packet.start
        extent = UInt64(truncatingIfNeeded: packet.byteCount) << 16 | UInt64(packet.bounds.variant)
    }

    /// The packet that carried it.
    public var packet: ReceivedPacket {
        // SAFETY: the packet's bytes lie inside the block, which this value holds.
        let bytes = unsafe RawSpan(_unsafeStart: block.base + start, byteCount: byteCount)
        let layout = Message.Definition.layout.layout(ofVariant: UInt16(truncatingIfNeeded: extent))
        guard let packet = try? Packet(bytes, layout: layout, limit: .max) else {
            preconditionFailure("a packet that was received is not one")
        }
        return ReceivedPacket(block: block, start: start, bounds: packet.bounds)
    }

    @inlinable @inline(__always)
    var bytes: RawSpan {
        @_lifetime(borrow self)
        get {
            // SAFETY: the packet's bytes lie inside the block, which this value holds.
            let span = unsafe RawSpan(_unsafeStart: block.base + start, byteCount: byteCount)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
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
            ReceivedPacket(bytes: try message.encoded(header, in: Message.layout), layout: Message.layout))
    }

    /// Decodes the message of a packet.
    ///
    /// - Throws: `CodecError` if the payload does not match the schema, or if the packet has another layout than the
    ///   messages.
    public init(_ packet: ReceivedPacket) throws(CodecError) {
        let layout = Message.Definition.layout.layout(ofVariant: packet.bounds.variant)
        guard Message.layouts.contains(layout) else { throw CodecError(.invalidLayout(.needsContext)) }
        _ = try Packet(packet.bytes, layout: layout, limit: .max)
        self.init(try Message(in: packet.lent), in: packet)
    }

    /// The fields of the packet's header and trailer, in wire order.
    public var header: PacketHeader {
        get throws(CodecError) { try Message.Definition.layout.header(of: packet.lent) }
    }
}

extension IncomingMessage {
    private static var sender: WirelineCodec.Sender {
        ObjectIdentifier(self) == ObjectIdentifier(Definition.FromServer.self) ? .server : .client
    }

    /// The layout of these messages' packets while all states are 0.
    fileprivate static var layout: PacketLayout { Definition.layout.layout(from: sender) }

    /// The layouts of these messages' packets in all states.
    fileprivate static var layouts: [PacketLayout] { Definition.layout.plainLayouts(from: sender) }
}
