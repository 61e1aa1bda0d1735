// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineTransport

/// A server that speaks a protocol.
///
///     let server = try await PacketServer.start(at: "127.0.0.1", port: 9001, protocol: ChatProtocol.self) { client in
///         for try await message in client.messages {
///             guard case .message(let chat as ChatMessage, _) = message else { continue }
///             try await client.send(ChatReply(text: chat.text))
///         }
///     }
///     await server.waitUntilShutDown()
///
/// The handler of each connection runs as a task on the connection's loop, and so does everything it awaits that has no
/// executor of its own: sending and receiving take no lock and change no thread. What blocks or computes for long there
/// keeps waiting whoever else is on that loop, and nothing is lost by it; such work belongs into a function marked
/// `@concurrent`, or a task of its own.
///
/// A connection ends when its handler does, whether it returns or throws: what was sent leaves first. Behind a handler that
/// has thrown, the client has at most 10 s to take it.
///
/// A server runs until it is shut down, whoever holds it.
public struct PacketServer<Definition: PacketProtocol>: Sendable {
    private let listener: PacketListener

    /// Begins to listen, with a task for each connection.
    ///
    /// - Parameters:
    ///   - host: A name, or the text of an IP address: `127.0.0.1` for this machine alone, `0.0.0.0` or `::` for all its
    ///     addresses.
    ///   - port: The port; 0 lets the system choose one, which ``address`` tells.
    ///   - protocol: What is spoken, such as `SceneProtocol.self`.
    ///   - group: The loops among which connections are shared out; nil: `EventLoopGroup.shared`, one loop.
    ///   - configuration: Deadlines and limits.
    ///   - handler: Deals with a connection.
    /// - Throws: ``ConnectionError/transport(_:)`` when the address cannot be had, ``ConnectionError/cancelled``.
    public static func start(
        at host: String, port: UInt16, protocol: Definition.Type, on group: EventLoopGroup? = nil,
        configuration: ServerConfiguration = ServerConfiguration(),
        handler: @escaping @concurrent @Sendable (ServerConnection<Definition>) async throws -> Void
    ) async throws(ConnectionError) -> PacketServer {
        let start: @Sendable (PacketListener, PacketConnection) -> Task<Void, Never> = { listener, connection in
            Task(executorPreference: connection.loop) {
                listener.taskBegins(connection)
                var failure: (any Error)?
                do { try await handler(ServerConnection(connection)) } catch { failure = error }
                listener.taskEnds(connection, failure)
            }
        }
        return try await self.start(at: host, port, group, configuration, .task(start))
    }

    /// Begins to listen, with a closure in place of a task for each connection: for those who need no `await` to deal
    /// with a packet, such as a gateway. It costs a little less, most of all memory.
    ///
    /// - Parameters:
    ///   - host: A name, or the text of an IP address.
    ///   - port: The port; 0 lets the system choose one, which ``address`` tells.
    ///   - protocol: What is spoken, such as `SceneProtocol.self`.
    ///   - group: The loops among which connections are shared out; nil: `EventLoopGroup.shared`, one loop.
    ///   - configuration: Deadlines and limits.
    ///   - makeBatchHandler: Is called once a connection, on its loop, and makes what takes its packets: all of one read
    ///     at a time, on the connection's loop. It answers with ``ServerConnection/write(_:)``; while more than
    ///     ``ConnectionLimits/pendingByteCount`` waits to be sent, it gets nothing, and the peer has to wait. What it
    ///     throws ends the connection behind what was answered.
    public static func startBatched(
        at host: String, port: UInt16, protocol: Definition.Type, on group: EventLoopGroup? = nil,
        configuration: ServerConfiguration = ServerConfiguration(),
        makeBatchHandler:
            @escaping @Sendable (ServerConnection<Definition>) -> (
                (_ batch: inout PacketBatch) throws -> Void
            )
    ) async throws(ConnectionError) -> PacketServer {
        try await start(at: host, port, group, configuration, .batches { makeBatchHandler(ServerConnection($0)) })
    }

    private static func start(
        at host: String, _ port: UInt16, _ group: EventLoopGroup?, _ configuration: ServerConfiguration,
        _ handler: PacketHandler
    ) async throws(ConnectionError) -> PacketServer {
        PacketServer(
            listener: try await PacketListener.start(
                at: host, port: port, on: group, layout: Definition.layout,
                packetLimit: Definition.maximumPacketByteCount, configuration: configuration, handler: handler))
    }

    /// Where the server listens; the port that the system has chosen, where it was asked to.
    public var address: SocketAddress { listener.address }

    /// The connections that have not ended.
    public var connections: [ServerConnection<Definition>] { listener.connections.map { ServerConnection($0) } }

    /// Sends one message to many connections: it is encoded once, and each loop is gone to once.
    ///
    /// Nobody waits for a slow client: one that has more waiting than ``ConnectionLimits/pendingByteCount`` gets nothing.
    ///
    /// - Parameters:
    ///   - message: What is sent.
    ///   - connections: To whom; nil: to all.
    /// - Returns: Those who got nothing, because they are slow or have ended.
    /// - Throws: ``ConnectionError/codec(_:)`` for a value that does not fit.
    @discardableResult
    public func broadcast<Message: ServerMessage>(
        _ message: Message, to connections: [ServerConnection<Definition>]? = nil
    ) async throws(ConnectionError) -> [ServerConnection<Definition>] where Message.Definition == Definition {
        let bytes: [UInt8]
        do throws(CodecError) {
            bytes = try message.encoded()
        } catch {
            throw .codec(error)
        }
        return await Broadcast.send(to: connections ?? self.connections, over: \.connection) { $0.sendAtOnce(bytes) }
    }

    /// What the server has had to do with its connections so far.
    public func counters() async -> ServerCounters { await listener.counters() }

    /// Takes no more connections, asks for nothing more of those there are, and waits until they have ended.
    ///
    /// A handler gets the messages that have been read, and then the end of the sequence; what it sends still leaves.
    ///
    /// - Parameter timeout: How long that may take (default 10 s). What has not ended by then is closed, and its task
    ///   cancelled; so is what there is when the task that waits here is cancelled.
    public func shutDown(within timeout: Duration = .seconds(10)) async {
        await listener.shutDown(within: timeout)
    }

    /// Shuts down as ``shutDown(within:)``, and sends each client a message before nothing more is asked of it: that it is
    /// to connect elsewhere, or later. A connection that is taken last gets nothing but that message.
    ///
    /// - Parameters:
    ///   - timeout: How long all that may take (default 10 s).
    ///   - spread: Over which part of it clients are told, one after another in a random order, so that they do not come
    ///     back all at once (default: all are told at the beginning). Until its turn comes, a connection goes on.
    ///   - farewell: The message.
    /// - Throws: ``ConnectionError/codec(_:)`` for a value that does not fit; the server goes on then.
    public func shutDown<Message: ServerMessage>(
        within timeout: Duration = .seconds(10), over spread: Duration = .zero, telling farewell: Message
    ) async throws(ConnectionError) where Message.Definition == Definition {
        let bytes: [UInt8]
        do throws(CodecError) {
            bytes = try farewell.encoded()
        } catch {
            throw .codec(error)
        }
        await listener.shutDown(within: timeout, over: spread, telling: bytes)
    }

    /// Waits until the server has been shut down, by another task, or until the task is cancelled: then the server goes on.
    public func waitUntilShutDown() async {
        await listener.waitUntilShutDown()
    }
}
