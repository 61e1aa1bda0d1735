// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// The server's end of one connection.
///
/// It may be kept and sent to other tasks, for broadcasts for example. Once the connection has ended, sending throws.
public struct ServerConnection<Definition: PacketProtocol>: PacketEndpoint, Hashable {
    /// The packets below the messages.
    public let connection: PacketConnection

    init(_ connection: PacketConnection) {
        self.connection = connection
    }

    /// What the client sends, but for replies to requests: those go to who waits for them.
    ///
    /// One task at a time iterates.
    public var messages: ReceivedMessages<Definition> { ReceivedMessages(packets, from: .client) }

    /// The same as packets, for those who decode them on their own.
    public var packets: ReceivedPackets { ReceivedPackets(connection, owner: nil) }

    /// Sends a message; it leaves with whatever else is sent in the same turn of the loop. While too much waits to be
    /// sent (``ConnectionLimits/pendingByteCount``), so does the sender.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/send(_:)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send<Message: ServerMessage>(
        _ message: Message
    ) async throws(ConnectionError) where Message.Definition == Definition {
        try await connection.send(message)
    }

    /// Sends a message with header fields set: `["Version": 2]`.
    ///
    /// - Throws: As ``send(_:)``, also when `header` names a field that is computed or does not exist.
    public nonisolated(nonsending) func send<Message: ServerMessage>(
        _ message: Message, header: PacketHeader
    ) async throws(ConnectionError) where Message.Definition == Definition {
        try await connection.send(message, header: header)
    }

    /// Answers a packet: as ``send(_:header:)``, with the sequence number of the request where the header has one.
    ///
    /// - Throws: As ``send(_:)``.
    public nonisolated(nonsending) func reply<Message: ServerMessage>(
        to request: ReceivedPacket, with message: Message, header: PacketHeader = [:]
    ) async throws(ConnectionError) where Message.Definition == Definition {
        try await connection.send(message, header: Self.header(header, ofReplyTo: request.lent))
    }

    /// A header with the sequence number of the request, where it has one.
    private static func header(
        _ header: PacketHeader, ofReplyTo request: Packet
    ) throws(ConnectionError) -> PacketHeader {
        guard let field = Definition.layout.sequenceField else { return header }
        var header = header
        do throws(CodecError) {
            header[field.name] = try Definition.layout.header(of: request)[field.name]
        } catch {
            throw .codec(error)
        }
        return header
    }

    /// Sends a message without waiting; for code that runs on the connection's loop, such as a batch handler.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/write(_:)``.
    @inlinable
    public func write<Message: ServerMessage>(
        _ message: Message
    ) throws(ConnectionError) where Message.Definition == Definition {
        try connection.write(message)
    }

    /// Sends a message with header fields set, without waiting; for code that runs on the connection's loop.
    ///
    /// - Throws: As ``write(_:)``, also when `header` names a field that is computed or does not exist.
    public func write<Message: ServerMessage>(
        _ message: Message, header: PacketHeader
    ) throws(ConnectionError) where Message.Definition == Definition {
        try connection.write(message, header: header)
    }

    /// Answers a packet without waiting, as ``reply(to:with:header:)``; for code that runs on the connection's loop, such as
    /// a batch handler.
    ///
    /// - Throws: As ``write(_:header:)``.
    public func writeReply<Message: ServerMessage>(
        to request: Packet, with message: Message, header: PacketHeader = [:]
    ) throws(ConnectionError) where Message.Definition == Definition {
        try connection.write(message, header: Self.header(header, ofReplyTo: request))
    }

    /// Sends the bytes of a packet without waiting; for code that runs on the connection's loop.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/write(packet:)``.
    @inlinable @inline(__always)
    public func write(packet bytes: RawSpan) throws(ConnectionError) {
        try connection.write(packet: bytes)
    }

    /// Sends a payload in a packet of its own without waiting; for code that runs on the connection's loop.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/write(id:payload:)``.
    @inlinable @inline(__always)
    public func write(id: UInt64, payload: RawSpan) throws(ConnectionError) {
        try connection.write(id, payload, Definition.plan)
    }

    /// Sends a last message, asks for nothing more, and closes the connection once the message has left: the client learns
    /// why it has to go.
    ///
    /// The handler gets ``ConnectionError/kicked`` when it waits for more or sends, and so does whoever waits to send; what
    /// was sent before leaves in front of the message. Where the connection has ended already, nothing happens.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - header: Header fields to set.
    ///   - timeout: How long the client may take to read it and end its side (default 10 s); it is closed then.
    /// - Throws: ``ConnectionError/codec(_:)`` for a value that does not fit; the connection goes on then.
    public func kick<Message: ServerMessage>(
        with message: Message, header: PacketHeader = [:], within timeout: Duration = .seconds(10)
    ) throws(ConnectionError) where Message.Definition == Definition {
        let bytes = try connection.encode(message, header: header)
        let connection = connection
        connection.loop.execute { connection.sendLast(bytes, .kicked, within: timeout) }
    }

    /// Sends a request to the client, and waits for its reply: see ``PacketConnection/request(_:header:timeout:)``.
    public nonisolated(nonsending) func request<Request: ServerMessage & RequestMessage>(
        _ request: Request, header: PacketHeader = [:], timeout: Duration = .seconds(10)
    ) async throws(ConnectionError) -> Request.Reply where Request.Definition == Definition {
        try await connection.request(request, header: header, timeout: timeout)
    }
}
