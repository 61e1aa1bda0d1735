// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// The server's side of one connection.
///
/// It can be kept and sent to other tasks, for example for broadcasts. After the connection has ended, sending throws.
public struct ServerConnection<Definition: PacketProtocol>: PacketEndpoint, Hashable {
    public typealias Incoming = Definition.FromClient

    /// The connection that carries the packets.
    public let connection: PacketConnection

    init(_ connection: PacketConnection) {
        self.connection = connection
    }

    /// The client's messages, except replies to requests, which go to the tasks that wait for them.
    ///
    /// One task at a time iterates; a second one throws ``ConnectionError/alreadyReceiving``.
    public var messages: PacketConnection.Messages<Incoming> { PacketConnection.Messages(connection, owner: nil) }

    /// The client's messages of one type, for a part of the program that wants only these.
    ///
    /// Several tasks can read at once, each from a stream of its own, also of the same type. These messages go neither
    /// to ``PacketEndpoint/nextMessage()`` nor to handlers then. See ``MessageStream`` for what a slow reader misses.
    public func messages<Message: ClientMessage>(
        of type: Message.Type
    ) -> MessageStream<Message> where Message.Definition == Definition {
        MessageStream(from: connection, limit: connection.unreadLimit, keeping: nil)
    }

    /// Sends a message, together with everything else that is sent in the same turn of the loop.
    ///
    /// While more than ``ConnectionLimits/pendingByteCount`` waits to be sent, the call waits.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/send(_:header:)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send<Message: ServerMessage>(
        _ message: Message, header: PacketHeader? = nil
    ) async throws(ConnectionError) where Message.Definition == Definition {
        try await connection.send(message, header: header)
    }

    /// Answers a message: like ``send(_:header:)``, with the request's sequence number if the header has one.
    ///
    /// - Throws: As ``send(_:header:)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func reply<Message: ServerMessage>(
        to request: ReceivedMessage<Incoming>, with message: Message, header: PacketHeader? = nil
    ) async throws(ConnectionError) where Message.Definition == Definition {
        if header == nil, try connection.replyAtOnce(to: request.bytes, with: message) { return }
        try await replyOnSlowPath(to: request.packet, with: message, header)
    }

    /// Answers a packet: like ``send(_:header:)``, with the request's sequence number if the header has one.
    ///
    /// - Throws: As ``send(_:header:)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func reply<Message: ServerMessage>(
        to request: ReceivedPacket, with message: Message, header: PacketHeader? = nil
    ) async throws(ConnectionError) where Message.Definition == Definition {
        if header == nil, try connection.replyAtOnce(to: request.bytes, with: message) { return }
        try await replyOnSlowPath(to: request, with: message, header)
    }

    @usableFromInline
    nonisolated(nonsending) func replyOnSlowPath(
        to request: ReceivedPacket, with message: some PacketMessage, _ header: PacketHeader?
    ) async throws(ConnectionError) {
        try await connection.send(message, header: Self.header(header, ofReplyTo: request.lent))
    }

    @usableFromInline
    static func header(
        _ header: PacketHeader?, ofReplyTo request: Packet
    ) throws(ConnectionError) -> PacketHeader {
        var header = header ?? [:]
        let layout = Definition.layout
        // With layers, the field may be inside of one.
        let fields = layout.hasContent ? layout : layout.layout(from: .server)
        guard let field = fields.sequenceField else { return header }
        do throws(CodecError) {
            header[field.name] = try Definition.layout.header(of: request)[field.name]
        } catch {
            throw .codec(error)
        }
        return header
    }

    /// Sends a message without waiting; for code on the connection's loop, such as a batch handler.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/write(_:header:)``.
    @inlinable
    public func write<Message: ServerMessage>(
        _ message: Message, header: PacketHeader? = nil
    ) throws(ConnectionError) where Message.Definition == Definition {
        try connection.write(message, header: header)
    }

    /// Answers a packet without waiting; for code on the connection's loop, such as a batch handler.
    ///
    /// It is like `reply(to:with:)`.
    ///
    /// - Throws: As ``write(_:header:)``.
    @inlinable @inline(__always)
    public func writeReply<Message: ServerMessage>(
        to request: Packet, with message: Message, header: PacketHeader? = nil
    ) throws(ConnectionError) where Message.Definition == Definition {
        if header == nil, try connection.writeReplyAtOnce(to: request.bytes, with: message) { return }
        try writeReplyOnSlowPath(to: request, with: message, header)
    }

    /// Answers a packet whose header must be computed first.
    ///
    /// The function is rarely called, but specialised, for the same reason as `PacketConnection.encodeOnSlowPath(_:)`.
    @inlinable @inline(never)
    func writeReplyOnSlowPath(
        to request: Packet, with message: some PacketMessage, _ header: PacketHeader?
    ) throws(ConnectionError) {
        try connection.write(message, header: Self.header(header, ofReplyTo: request))
    }

    /// Sends the bytes of a packet without waiting; for code on the connection's loop.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/write(packet:)``.
    @inlinable @inline(__always)
    public func write(packet bytes: RawSpan) throws(ConnectionError) {
        try connection.write(packet: bytes)
    }

    /// Sends a payload in a packet of its own without waiting; for code on the connection's loop.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/write(id:payload:)``.
    @inlinable @inline(__always)
    public func write(id: UInt64, payload: RawSpan) throws(ConnectionError) {
        try connection.write(id: id, payload: payload, Definition.plan)
    }

    /// Sends a last message, such as the reason, and then closes the connection.
    ///
    /// Messages that were sent before go first. The handler gets ``ConnectionError/kicked`` when it receives or sends,
    /// and so do tasks that wait to send. If the connection has ended already, nothing happens.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - header: Header fields to set.
    ///   - timeout: How long the client may take to read it and end its side (default 10 s); then the connection is
    ///     closed.
    /// - Throws: ``ConnectionError/codec(_:)`` if a value does not fit; then the connection continues.
    public func kick<Message: ServerMessage>(
        with message: Message, header: PacketHeader = [:], within timeout: Duration = .seconds(10)
    ) throws(ConnectionError) where Message.Definition == Definition {
        let connection = connection
        guard connection.layout.isEncodedOnLoop else {
            let bytes = try connection.encode(message, header: header)
            return connection.loop.execute {
                connection.sendLast(SharedPacket(bytes: bytes), .kicked, within: timeout)
            }
        }
        // Only the loop knows the states. A message that fits in no state is refused here.
        try connection.requireEncodable(message, header: header)
        connection.loop.execute {
            let packet =
                connection.layout.hasContent
                ? (try? UnsealedPacket(message, header)).map { SharedPacket(sealedByEach: $0) }
                : (try? connection.encode(message, header: header)).map { SharedPacket(bytes: $0) }
            connection.sendLast(
                packet ?? SharedPacket(bytes: []), from: connection.states, .kicked, within: timeout)
        }
    }

    /// Sends a request to the client and returns its reply: see ``PacketConnection/request(_:header:timeout:)``.
    public nonisolated(nonsending) func request<Request: ServerMessage & RequestMessage>(
        _ request: Request, header: PacketHeader = [:], timeout: Duration = .seconds(10)
    ) async throws(ConnectionError) -> Request.Reply where Request.Definition == Definition {
        try await connection.request(request, header: header, timeout: timeout)
    }
}
