// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineTransport

/// The client's end of a connection that speaks a protocol.
///
///     let client = try await PacketClient.connect(to: "127.0.0.1", port: 9001, protocol: SceneProtocol.self)
///     let reply = try await client.request(Cs_20001(sceneID: 7, line: 2, message: "hi"))
///     for try await message in client.messages { … }
///
/// The connection is open for as long as the client, one of its copies or one of its sequences is held, unless it is
/// closed earlier; what was sent still leaves then.
public struct PacketClient<Definition: PacketProtocol>: PacketEndpoint {
    @usableFromInline let owner: ConnectionOwner
    private let requestTimeout: Duration

    init(owner: ConnectionOwner, requestTimeout: Duration) {
        self.owner = owner
        self.requestTimeout = requestTimeout
    }

    /// The packets below the messages.
    @inlinable public var connection: PacketConnection { owner.connection }

    /// Connects to a server.
    ///
    /// - Parameters:
    ///   - host: A name, or the text of an IP address. Where a name has several addresses, of both families perhaps, the
    ///     first that answers is taken (RFC 8305). An IPv4 address leads nowhere in networks of IPv6 alone, as those of
    ///     mobile phones often are: give a name.
    ///   - port: The port.
    ///   - protocol: What is spoken, such as `SceneProtocol.self`.
    ///   - group: The loops of which one carries the connection; nil: `EventLoopGroup.shared`.
    ///   - configuration: Deadlines and limits, and how the connection is made.
    /// - Throws: ``ConnectionError/cancelled``; ``ConnectionError/tls(_:)``; ``ConnectionError/webSocket(_:)``, such as
    ///   `refused` with what a server has answered instead; ``ConnectionError/proxy(_:)``;
    ///   ``ConnectionError/transport(_:)`` with what says most of what went wrong: `refused` or `reset` where an address has answered so, else `timedOut`, else what the
    ///   system says, else `lookupFailed` or `unknownHost`. ``ClientConfiguration/timelineHandler`` is told everything.
    public static func connect(
        to host: String, port: UInt16, protocol: Definition.Type, on group: EventLoopGroup? = nil,
        configuration: ClientConfiguration = ClientConfiguration()
    ) async throws(ConnectionError) -> PacketClient {
        let connection = try await PacketConnection.connect(
            to: host, port: port, layout: Definition.layout, packetLimit: Definition.maximumPacketByteCount,
            on: group?.nextLoop(), configuration: configuration)
        return PacketClient(owner: ConnectionOwner(connection), requestTimeout: configuration.requestTimeout)
    }

    /// What has happened to the connection so far, and when.
    public var timeline: ConnectionTimeline { connection.timeline ?? ConnectionTimeline() }

    /// What the server sends, but for replies to requests: those go to who waits for them.
    ///
    /// One task at a time iterates.
    public var messages: ReceivedMessages<Definition> { ReceivedMessages(packets, from: .server) }

    /// The same as packets, for those who decode them on their own.
    public var packets: ReceivedPackets { ReceivedPackets(connection, owner: owner) }

    /// Sends a message; it leaves with whatever else is sent in the same turn of the loop. While too much waits to be
    /// sent (``ConnectionLimits/pendingByteCount``), so does the sender.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/send(_:)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send<Message: ClientMessage>(
        _ message: Message
    ) async throws(ConnectionError) where Message.Definition == Definition {
        try await connection.send(message)
    }

    /// Sends a message with header fields set: `["Version": 2]`.
    ///
    /// - Throws: As ``send(_:)``, also when `header` names a field that is computed or does not exist.
    public nonisolated(nonsending) func send<Message: ClientMessage>(
        _ message: Message, header: PacketHeader
    ) async throws(ConnectionError) where Message.Definition == Definition {
        try await connection.send(message, header: header)
    }

    /// Sends a request, and waits for its reply: see ``PacketConnection/request(_:header:timeout:)``.
    ///
    /// - Parameters:
    ///   - request: What is sent.
    ///   - header: Header fields to set; the sequence is the connection's to choose.
    ///   - timeout: How long to wait; nil: ``ClientConfiguration/requestTimeout``.
    /// - Throws: ``ConnectionError``.
    public nonisolated(nonsending) func request<Request: ClientMessage & RequestMessage>(
        _ request: Request, header: PacketHeader = [:], timeout: Duration? = nil
    ) async throws(ConnectionError) -> Request.Reply where Request.Definition == Definition {
        try await connection.request(request, header: header, timeout: timeout ?? requestTimeout)
    }
}

/// Ends a connection when nobody holds it any more.
@usableFromInline
final class ConnectionOwner: Sendable {
    @usableFromInline let connection: PacketConnection

    init(_ connection: PacketConnection) {
        self.connection = connection
    }

    deinit {
        let connection = connection
        connection.loop.execute { connection.finish() }
    }
}
