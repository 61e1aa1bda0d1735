// SPDX-License-Identifier: Apache-2.0

/// A message as a Swift value, with its place in a protocol.
///
/// Types that conform are generated from `.wire` files; one written by hand works the same.
public protocol PacketMessage: Equatable, Sendable {
    /// The protocol that the message belongs to.
    associatedtype Definition: PacketProtocol

    /// The name in the schema, such as `Cs_20001`.
    static var messageName: String { get }

    /// The number in the packet's ID fields; 0 in a protocol without them.
    static var messageID: UInt64 { get }

    /// Reads the fields from a payload, up to the last one that is known.
    ///
    /// - Throws: ``CodecError``, with the path and the offset of what was wrong.
    init(from reader: inout ByteReader) throws(CodecError)

    /// Checks all values and counts the bytes that ``writePayload(to:)`` writes.
    ///
    /// - Throws: ``CodecError`` for a value that does not fit, with its path.
    func payloadByteCount() throws(CodecError) -> Int

    /// Writes the fields, after ``payloadByteCount()`` has passed them.
    func writePayload(to writer: inout ByteWriter)
}

/// A message that a client may send.
public protocol ClientMessage: PacketMessage {}

/// A message that a server may send.
public protocol ServerMessage: PacketMessage {}

/// A message that is answered by another.
public protocol RequestMessage: PacketMessage {
    /// The message that answers it: `Sc_n` for `Cs_n`, or what `@reply` says.
    associatedtype Reply: PacketMessage where Reply.Definition == Definition
}

/// A set of messages and what stands around them on the wire.
public protocol PacketProtocol: Sendable {
    /// The name of the protocol's folder.
    static var protocolName: String { get }

    /// The header and trailer of every packet.
    static var layout: PacketLayout { get }

    /// What follows from the layout; spelt out in numbers by generated code, so that the compiler can use them.
    static var plan: PacketPlan { get }

    /// The most bytes that a whole packet may have: the schema's `max_packet` (default 1 MiB).
    static var maximumPacketByteCount: Int { get }

    /// How deeply structures may nest when reading: the schema's `max_depth` (default 32).
    static var maximumDepth: Int { get }

    /// The message with this ID that `sender` may send; nil when the schema has none.
    static func messageType(id: UInt64, from sender: Sender) -> (any PacketMessage.Type)?
}

extension PacketProtocol {
    /// The layout's plan.
    public static var plan: PacketPlan { layout.plan }

    /// 1 MiB, as for a schema that does not say.
    @inlinable public static var maximumPacketByteCount: Int { 1 << 20 }

    /// 32, as for a schema that does not say.
    @inlinable public static var maximumDepth: Int { 32 }

    /// Reads the message that a packet carries.
    ///
    /// - Returns: The message, or nil when its ID is unknown from this sender.
    /// - Throws: ``CodecError`` when the payload is not what the schema says.
    public static func message(
        in packet: borrowing Packet, from sender: Sender
    ) throws(CodecError) -> (any PacketMessage)? {
        guard let type = messageType(id: packet.id, from: sender) else { return nil }
        return try type.init(payloadOf: packet)
    }
}
