// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineTransport

/// A packet that has arrived, as a slice of what was read with it: nothing has been copied.
///
/// It may be kept and sent to other tasks. While it is, so is the block that it is a part of: at least 128 KiB. Whoever
/// keeps packets for long copies ``bytes``.
public struct ReceivedPacket: Sendable {
    @usableFromInline let block: SharedBlock
    @usableFromInline let start: Int
    @usableFromInline let bounds: PacketBounds

    @inlinable
    init(block: SharedBlock, start: Int, bounds: PacketBounds) {
        self.block = block
        self.start = start
        self.bounds = bounds
    }

    /// The message's ID; 0 where the layout has none.
    @inlinable public var id: UInt64 { bounds.id }

    /// How many bytes the packet has, header and trailer included.
    @inlinable public var byteCount: Int { bounds.packetByteCount }

    /// All bytes of the packet.
    @inlinable public var bytes: RawSpan {
        @_lifetime(borrow self)
        get {
            // SAFETY: the packet's bytes lie inside the block, which it holds.
            let span = unsafe RawSpan(_unsafeStart: block.base + start, byteCount: bounds.packetByteCount)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// The message's fields.
    @inlinable public var payload: RawSpan {
        @_lifetime(borrow self)
        get {
            // SAFETY: the payload lies inside the packet.
            let byteCount = bounds.payloadEnd - bounds.payloadStart
            let span = unsafe RawSpan(_unsafeStart: block.base + start + bounds.payloadStart, byteCount: byteCount)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// The packet as the codec takes it: `PacketLayout.header(of:)`, `PacketProtocol.message(in:from:)`.
    @inlinable public var lent: Packet {
        @_lifetime(borrow self)
        get { Packet(bytes, bounds, at: 0) }
    }

    /// Reads the packet's message; its ID must be that of the message.
    ///
    /// - Throws: `CodecError` when the ID is another one's, or when the payload is not what the schema says.
    @inlinable
    public func decode<Message: PacketMessage>(_ type: Message.Type) throws(CodecError) -> Message {
        guard id == Message.messageID else {
            throw CodecError(.wrongMessage(id: id, expected: Message.messageID))
        }
        return try Message(payloadOf: lent)
    }

    /// The number in the sequence field; nil where the layout has none.
    func sequence(in layout: PacketLayout) -> UInt64? {
        // It can be read: it was when the packet was split off.
        try? layout.sequence(of: lent)
    }

    /// The same packet in memory of its own, for when it is kept among many and the block would outweigh it.
    func copied(for loop: EventLoop) -> ReceivedPacket {
        let copy = Block(capacity: max(1, byteCount))
        unsafe copy.base.copyMemory(from: block.base + start, byteCount: byteCount)
        return ReceivedPacket(block: SharedBlock(copy, of: loop), start: 0, bounds: bounds)
    }
}
