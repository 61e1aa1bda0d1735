// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineTransport

/// A packet that has arrived: a slice of the block that it was read into, without a copy.
///
/// A packet between marks is copied if it has escapes, or has arrived in pieces.
///
/// It can be kept and sent to other tasks. It keeps its whole block, usually 128 KiB. To keep packets for long, copy
/// ``bytes``.
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

    /// Makes a packet from its bytes as they stand in a stream, with the marks of a frame; for tests.
    ///
    /// - Throws: `CodecError` if the bytes are not exactly one packet.
    public init(bytes: [UInt8], layout: PacketLayout) throws(CodecError) {
        let bytes = try layout.unframed(bytes)
        let packet = try Packet(bytes.rawSpan, layout: layout, limit: max(1, bytes.count))
        self.init(copying: bytes, packet.bounds)
    }

    /// Reads the packet again in another layout; returns it unchanged if its bytes are no packet there.
    func read(in layout: PacketLayout) -> ReceivedPacket {
        guard let packet = try? Packet(bytes, layout: layout, limit: .max) else { return self }
        return ReceivedPacket(block: block, start: start, bounds: packet.bounds)
    }

    init(copying bytes: [UInt8], _ bounds: PacketBounds) {
        self.init(block: SharedBlock(Block(copying: bytes), of: nil), start: 0, bounds: bounds)
    }

    /// The message's ID; 0 if the layout has none.
    @inlinable public var id: UInt64 { bounds.id }

    /// The number of bytes of the packet, header and trailer included, without the marks and escapes of a frame.
    @inlinable public var byteCount: Int { bounds.packetByteCount }

    /// All bytes of the packet, without the marks and escapes of a frame (`PacketLayout.framed(_:)`).
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
            lent.payload
        }
    }

    /// The packet for the codec: `PacketLayout.header(of:)`, `LobbyProtocol.FromClient(in:)`.
    @inlinable public var lent: Packet {
        @_lifetime(borrow self)
        get { Packet(bytes, bounds) }
    }

    /// Decodes the packet's message; its ID must be that of the message.
    ///
    /// - Throws: `CodecError` if the ID belongs to another message, or if the payload does not match the schema.
    @inlinable
    public func decode<Message: PacketMessage>(_ type: Message.Type) throws(CodecError) -> Message {
        guard id == Message.messageID else {
            throw CodecError(.wrongMessage(id: id, expected: Message.messageID))
        }
        return try Message(payloadOf: lent)
    }

    func sequence(in layout: PacketLayout) -> UInt64? {
        // It does not throw: the field was read when the packet was split off.
        try? layout.sequence(of: lent)
    }

    /// Whether the packet reports that a request failed (`@sequence(failure = -1)`).
    package func isFailure(in layout: PacketLayout) -> Bool {
        guard let failure = layout.failureSequence else { return false }
        return sequence(in: layout) == failure
    }

    /// Copies the packet to memory of its own, for packets that wait long: a block would need more memory.
    package func copied(for loop: EventLoop) -> ReceivedPacket {
        let copy = Block(capacity: max(1, byteCount))
        // SAFETY: the new block has at least `byteCount` bytes, and the packet lies inside the old one, which is held
        // here.
        unsafe copy.base.copyMemory(from: block.base + start, byteCount: byteCount)
        return ReceivedPacket(block: SharedBlock(copy, of: loop), start: 0, bounds: bounds)
    }
}

extension ReceivedPacket: InboxElement {}

extension Block {
    /// Makes a block of exactly these bytes, or of one byte if there are none.
    init(copying bytes: [UInt8]) {
        self.init(capacity: max(1, bytes.count))
        // SAFETY: the block has as many bytes as the array.
        unsafe bytes.withUnsafeBytes { bytes in
            if let source = bytes.baseAddress { unsafe base.copyMemory(from: source, byteCount: bytes.count) }
        }
    }
}
