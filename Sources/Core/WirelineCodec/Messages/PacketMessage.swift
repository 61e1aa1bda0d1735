// SPDX-License-Identifier: Apache-2.0

/// A message as a Swift value that belongs to a protocol.
///
/// Conforming types are generated from `.wire` files; a handwritten one works the same.
public protocol PacketMessage: Equatable, Sendable {
    /// The protocol that the message belongs to.
    associatedtype Definition: PacketProtocol

    /// The message's name in the schema, such as `Cs_20001`.
    static var messageName: String { get }

    /// The message's number in the packet's ID fields; 0 in a protocol without them.
    static var messageID: UInt64 { get }

    /// The end that sends the message, in a protocol whose packets depend on that; nil if both ends may.
    ///
    /// In other protocols it is nil, too.
    static var packetSender: Sender? { get }

    /// The header fields that have the same value in every packet of the message (`@header`); nil if there are none.
    static var fixedHeader: FixedHeader? { get }

    /// Whether the packet's header decides which fields are there (`@if(header.qos > 0)`).
    static var looksAtHeader: Bool { get }

    /// Reads the fields from a payload, up to the last known one.
    ///
    /// - Throws: ``CodecError``, with the path and the offset of the fault.
    init(from reader: inout ByteReader) throws(CodecError)

    /// Reads the fields from the payload of a packet with this header.
    ///
    /// A message that does not look at the header needs no implementation.
    ///
    /// - Throws: ``CodecError``, as ``init(from:)``, which reads the payload of a packet with the header's defaults.
    init(from reader: inout ByteReader, header: PacketHeader) throws(CodecError)

    /// Checks all values and returns the number of bytes that ``writePayload(to:)`` writes.
    ///
    /// - Throws: ``CodecError`` for a value that does not fit, with its path.
    func payloadByteCount() throws(CodecError) -> Int

    /// Checks all values for a packet with this header.
    ///
    /// Returns the number of bytes that ``writePayload(to:)`` writes.
    ///
    /// A message that does not look at the header needs no implementation.
    ///
    /// - Throws: ``CodecError``, as ``payloadByteCount()``, which checks them for a packet with the header's defaults.
    func payloadByteCount(header: PacketHeader) throws(CodecError) -> Int

    /// Writes the fields, after ``payloadByteCount()`` or ``payloadByteCount(header:)`` has checked them.
    func writePayload(to writer: inout ByteWriter)
}

extension PacketMessage {
    /// Nil: packets are the same from both ends.
    @inlinable public static var packetSender: Sender? { nil }

    /// Nothing is fixed.
    @inlinable public static var fixedHeader: FixedHeader? { nil }

    /// The fields are the same for every header.
    @inlinable public static var looksAtHeader: Bool { false }

    @inlinable public init(from reader: inout ByteReader, header: PacketHeader) throws(CodecError) {
        try self.init(from: &reader)
    }

    @inlinable public func payloadByteCount(header: PacketHeader) throws(CodecError) -> Int {
        try payloadByteCount()
    }

    /// Refuses a packet whose header has another value for one of the fields that the message fixes.
    ///
    /// - Throws: ``CodecError/Reason/wrongConstant(value:expected:)``.
    @inlinable @inline(__always)
    public static func verifyHeader(of packet: borrowing Packet) throws(CodecError) {
        guard let fixed = fixedHeader else { return }
        try fixed.verify(packet)
    }
}

/// A message that a client may send.
public protocol ClientMessage: PacketMessage {}

/// A message that a server may send.
public protocol ServerMessage: PacketMessage {}

/// A message that another message answers.
public protocol RequestMessage: PacketMessage {
    /// The message that answers it: `Sc_n` for `Cs_n`, or the one that `@reply` names.
    ///
    /// If `@reply` names several messages, it is a ``ReplyChoice`` with a case for each.
    associatedtype Reply: Equatable, Sendable

    /// The IDs of the messages that may answer it, each once; never empty.
    ///
    /// A ``Reply`` that is a message or a ``ReplyChoice`` needs no implementation.
    static var replyIDs: [UInt64] { get }

    /// Decodes a reply.
    ///
    /// A ``Reply`` that is a message or a ``ReplyChoice`` needs no implementation.
    ///
    /// - Parameter packet: A packet with one of the ``replyIDs``.
    /// - Throws: ``CodecError`` if the payload does not match the schema.
    static func reply(in packet: borrowing Packet) throws(CodecError) -> Reply
}

extension RequestMessage where Reply: PacketMessage, Reply.Definition == Definition {
    @inlinable public static var replyIDs: [UInt64] { [Reply.messageID] }

    public static func reply(in packet: borrowing Packet) throws(CodecError) -> Reply {
        try Reply(payloadOf: packet)
    }
}

extension RequestMessage where Reply: ReplyChoice, Reply.Definition == Definition {
    @inlinable public static var replyIDs: [UInt64] { Reply.messageIDs }

    public static func reply(in packet: borrowing Packet) throws(CodecError) -> Reply { try Reply(in: packet) }
}

/// One of the messages that may answer a request: an enum with a case for each message that `@reply` names.
///
///     switch try await client.request(ReadCoils(address: 0, quantity: 8)) {
///     case .coils(let coils): …
///     case .readCoilsFailed(let failure): …
///     }
///
/// It is generated as the `Reply` of a ``RequestMessage``.
public protocol ReplyChoice: Equatable, Sendable {
    /// The protocol that the messages belong to.
    associatedtype Definition: PacketProtocol

    /// The IDs of the messages, in the order of the cases.
    static var messageIDs: [UInt64] { get }

    /// Decodes the message of a packet.
    ///
    /// - Parameter packet: A packet with one of the ``messageIDs``.
    /// - Throws: ``CodecError`` if the payload does not match the schema.
    init(in packet: borrowing Packet) throws(CodecError)

    // Embedded Swift has no boxes for values of any type.
    #if !hasFeature(Embedded)
        /// The message itself.
        var message: any PacketMessage { get }
    #endif
}

/// A message that has arrived: an enum with a case for each message that the sender has, and one for unknown IDs.
///
///     switch try LobbyProtocol.FromClient(in: packet) {
///     case .enter(let enter): …
///     case .leave: …
///     case .unknown(let id): print("unknown ID", id)
///     }
///
/// The compiler reports the messages that a `switch` forgets. No value is boxed. The enums are generated for each
/// protocol: ``PacketProtocol/FromClient`` and ``PacketProtocol/FromServer``.
public protocol IncomingMessage: Sendable {
    /// The protocol that the messages belong to.
    associatedtype Definition: PacketProtocol

    /// Decodes the message of a packet.
    ///
    /// - Throws: ``CodecError`` if the payload does not match the schema. An ID that the schema does not know is no
    ///   error.
    init(in packet: borrowing Packet) throws(CodecError)

    /// The packet's ID if the schema does not know it for this sender; nil for a known message.
    var unknownID: UInt64? { get }
}

/// A set of messages and the layout of their packets.
public protocol PacketProtocol: Sendable {
    /// A message from a client.
    associatedtype FromClient: IncomingMessage where FromClient.Definition == Self
    /// A message from a server.
    associatedtype FromServer: IncomingMessage where FromServer.Definition == Self

    /// The name of the protocol's folder.
    static var protocolName: String { get }

    /// The header and trailer of every packet; if they depend on the sender, ``PacketLayout/layout(from:)`` has them.
    static var layout: PacketLayout { get }

    /// The layout's plan; generated code spells it out in numbers, so that the compiler can use them.
    static var plan: PacketPlan { get }

    /// The most bytes that a whole packet may have: the schema's `max_packet` (default 1 MiB).
    static var maximumPacketByteCount: Int { get }

    /// How deeply structures may nest in a message that is read: the schema's `max_depth` (default 32).
    static var maximumDepth: Int { get }

    // Embedded Swift has no types as values.
    #if !hasFeature(Embedded)
        /// Returns all messages that `sender` may send, in the order of the schema.
        static func messageTypes(from sender: Sender) -> [any PacketMessage.Type]
    #endif
}

extension PacketProtocol {
    /// The layout's plan.
    public static var plan: PacketPlan { layout.storage.plan }

    /// 1 MiB, as for a schema without `max_packet`.
    @inlinable public static var maximumPacketByteCount: Int { 1 << 20 }

    /// 32, as for a schema without `max_depth`.
    @inlinable public static var maximumDepth: Int { 32 }
}
