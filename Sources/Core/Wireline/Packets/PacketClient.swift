// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineTransport

/// The client's side of a connection with a protocol.
///
///     let client = try await PacketClient.connect(to: "127.0.0.1", port: 9001, protocol: SceneProtocol.self)
///     let reply = try await client.request(Cs_20001(sceneID: 7, line: 2, message: "hi"))
///     while let received = try await client.nextMessage() { … }
///
/// The connection closes when the program keeps neither the client, nor a copy, nor its sequence of messages, unless it
/// is closed earlier. Messages that were sent are still transmitted.
public struct PacketClient<Definition: PacketProtocol>: PacketEndpoint {
    public typealias Incoming = Definition.FromServer

    @usableFromInline let owner: ConnectionOwner
    private let requestTimeout: Duration

    init(owner: ConnectionOwner, requestTimeout: Duration) {
        self.owner = owner
        self.requestTimeout = requestTimeout
    }

    /// The connection that carries the packets.
    @inlinable public var connection: PacketConnection { owner.connection }

    /// Connects to a server.
    ///
    /// - Parameters:
    ///   - host: A name, or the text of an IP address. If a name has several addresses, the first one that answers is
    ///     used (RFC 8305). Give a name: in networks that have only IPv6, as many phones use, an IPv4 address cannot be
    ///     reached.
    ///   - port: The port.
    ///   - protocol: The protocol, such as `SceneProtocol.self`.
    ///   - group: One of its loops carries the connection; nil: `EventLoopGroup.shared`.
    ///   - configuration: Timeouts and limits, and how the connection is made.
    /// - Throws: ``ConnectionError/cancelled``; ``ConnectionError/tls(_:)``; ``ConnectionError/webSocket(_:)``, such as
    ///   `refused` with the server's answer; ``ConnectionError/proxy(_:)``; ``ConnectionError/transport(_:)`` with the
    ///   most telling error: `refused` or `reset` if an address answered so, else `timedOut`, else the system's error,
    ///   else `lookupFailed` or `unknownHost`. ``DialingOptions/timelineHandler`` receives all of them.
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

    /// The server's messages, except replies to requests, which go to the tasks that wait for them.
    ///
    /// One task at a time iterates; a second one throws ``ConnectionError/alreadyReceiving``.
    public var messages: PacketConnection.Messages<Incoming> { PacketConnection.Messages(connection, owner: owner) }

    /// The server's messages of one type, for a part of the program that wants only these.
    ///
    ///     let chats = client.messages(of: ChatPush.self)
    ///     while let chat = try await chats.next() { show(chat) }
    ///
    /// Several tasks can read at once, each from a stream of its own, also of the same type. These messages do not go
    /// to ``PacketEndpoint/nextMessage()`` then. See ``MessageStream`` for what a slow reader misses.
    public func messages<Message: ServerMessage>(
        of type: Message.Type
    ) -> MessageStream<Message> where Message.Definition == Definition {
        MessageStream(from: connection, limit: connection.unreadLimit, keeping: owner)
    }

    /// Sends a message, together with everything else that is sent in the same turn of the loop.
    ///
    /// While more than ``ConnectionLimits/pendingByteCount`` waits to be sent, the call waits.
    ///
    /// - Throws: ``ConnectionError``, as ``PacketConnection/send(_:header:)``.
    @inlinable @inline(__always)
    public nonisolated(nonsending) func send<Message: ClientMessage>(
        _ message: Message, header: PacketHeader? = nil
    ) async throws(ConnectionError) where Message.Definition == Definition {
        try await connection.send(message, header: header)
    }

    /// Sends a request and returns its reply: see ``PacketConnection/request(_:header:timeout:)``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - header: Header fields to set; the connection chooses the sequence.
    ///   - timeout: How long to wait; nil: ``ClientConfiguration/requestTimeout``.
    /// - Throws: ``ConnectionError``.
    public nonisolated(nonsending) func request<Request: ClientMessage & RequestMessage>(
        _ request: Request, header: PacketHeader = [:], timeout: Duration? = nil
    ) async throws(ConnectionError) -> Request.Reply where Request.Definition == Definition {
        try await connection.request(request, header: header, timeout: timeout ?? requestTimeout)
    }
}

/// Finishes a connection when the program no longer keeps it.
@usableFromInline
final class ConnectionOwner: Sendable {
    @usableFromInline let connection: PacketConnection

    init(_ connection: PacketConnection) {
        self.connection = connection
    }

    deinit {
        let connection = connection
        connection.loop.execute {
            connection.ending.endInput(.failed(.clientReleased))
            connection.finish()
        }
    }
}
