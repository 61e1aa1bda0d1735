// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineTransport

/// A server for a protocol.
///
///     let server = try await PacketServer.start(at: "127.0.0.1", port: 9001, protocol: ChatProtocol.self) { client in
///         while let received = try await client.nextMessage() {
///             switch received.message {
///             case .chat(let chat): try await client.reply(to: received, with: ChatReply(text: chat.text))
///             case .unknown(let id): print("unknown ID", id)
///             }
///         }
///     }
///     await server.waitUntilShutDown()
///
/// The handler of each connection runs as a task on the connection's loop, and so does everything it awaits that has no
/// executor of its own: sending and receiving need no lock and no thread switch. A handler that blocks, or computes for
/// long, delays every connection on its loop; no data is lost. Move such work to a function marked `@concurrent`, or to
/// a task of its own.
///
/// If a connection is lost, because its client resets it or has vanished, the handler's next receive or send throws. A
/// handler that neither receives nor waits to send at that time is cancelled, so that it does not wait forever. It can
/// still receive the packets that have arrived. A client that ends its stream may still want answers:
/// ``PacketEndpoint/waitUntilEnd()`` reports that end.
///
/// A connection ends when its handler returns or throws. Messages that were sent are transmitted first. After a handler
/// has thrown, the client has at most 10 s to read it.
///
/// A client whose first bytes are an HTTP request gets no answer, and its connection ends with
/// ``ConnectionError/httpRequest``: a page in a browser can send a request to any port, with bytes that form packets.
///
/// A server runs until it is shut down, even if the program does not keep it.
public struct PacketServer<Definition: PacketProtocol>: Sendable {
    private let listener: PacketListener

    init(listener: PacketListener) {
        self.listener = listener
    }

    /// Begins to listen at one port, with a task for each connection.
    ///
    /// See ``start(at:protocol:on:configuration:handler:)``.
    ///
    /// - Parameters:
    ///   - host: A name, or the text of an IP address: `127.0.0.1` for this machine only, `0.0.0.0` or `::` for all its
    ///     addresses.
    ///   - port: The port; 0 lets the system choose one, which ``address`` returns.
    ///   - protocol: The protocol, such as `SceneProtocol.self`.
    ///   - group: The loops that share the connections; nil: `EventLoopGroup.sharedByServers`, one loop for each core.
    ///   - configuration: Limits and timeouts.
    ///   - handler: Handles a connection.
    /// - Throws: ``ConnectionError/transport(_:)`` if the server cannot listen at the address,
    ///   ``ConnectionError/cancelled``.
    public static func start(
        at host: String, port: UInt16, protocol: Definition.Type, on group: EventLoopGroup? = nil,
        configuration: ServerConfiguration = ServerConfiguration(),
        handler: @escaping @concurrent @Sendable (ServerConnection<Definition>) async throws -> Void
    ) async throws(ConnectionError) -> PacketServer {
        try await start(
            at: [.host(host, port: port)], protocol: `protocol`, on: group, configuration: configuration,
            handler: handler)
    }

    /// Begins to listen, with a task for each connection.
    ///
    /// - Parameters:
    ///   - addresses: Where it listens, such as `[.host("0.0.0.0", port: 9001), .unix("/run/game.sock")]`; at least one
    ///     address.
    ///   - protocol: The protocol, such as `SceneProtocol.self`.
    ///   - group: The loops that share the connections; nil: `EventLoopGroup.sharedByServers`, one loop for each core.
    ///   - configuration: Limits and timeouts.
    ///   - handler: Handles a connection.
    /// - Throws: ``ConnectionError/transport(_:)`` if the server cannot listen at an address,
    ///   ``ConnectionError/cancelled``.
    public static func start(
        at addresses: [ListeningAddress], protocol: Definition.Type, on group: EventLoopGroup? = nil,
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
        return try await self.start(at: addresses, group, configuration, .task(start))
    }

    /// Begins to listen at one port, with a closure instead of a task for each connection.
    ///
    /// See ``startBatched(at:protocol:on:configuration:makeBatchHandler:)``.
    public static func startBatched(
        at host: String, port: UInt16, protocol: Definition.Type, on group: EventLoopGroup? = nil,
        configuration: ServerConfiguration = ServerConfiguration(),
        makeBatchHandler:
            @escaping @Sendable (ServerConnection<Definition>) -> (
                (_ batch: inout PacketBatch) throws -> Void
            )
    ) async throws(ConnectionError) -> PacketServer {
        try await startBatched(
            at: [.host(host, port: port)], protocol: `protocol`, on: group, configuration: configuration,
            makeBatchHandler: makeBatchHandler)
    }

    /// Begins to listen, with a closure instead of a task for each connection.
    ///
    /// Use it if packets are handled without `await`, as in a gateway. It costs a little less time, and much less
    /// memory.
    ///
    /// - Parameters:
    ///   - addresses: Where it listens, such as `[.host("0.0.0.0", port: 9001), .unix("/run/game.sock")]`; at least one
    ///     address.
    ///   - protocol: The protocol, such as `SceneProtocol.self`.
    ///   - group: The loops that share the connections; nil: `EventLoopGroup.sharedByServers`, one loop for each core.
    ///   - configuration: Limits and timeouts.
    ///   - makeBatchHandler: Called once for each connection, on its loop; returns the closure that receives its
    ///     packets, all packets of one read at a time, on the same loop. The closure answers with
    ///     ``ServerConnection/write(_:header:)``. While more than ``ConnectionLimits/pendingByteCount`` waits to be sent, it
    ///     is not called, and back-pressure slows the peer. If it throws, the connection ends after its answers so far.
    public static func startBatched(
        at addresses: [ListeningAddress], protocol: Definition.Type, on group: EventLoopGroup? = nil,
        configuration: ServerConfiguration = ServerConfiguration(),
        makeBatchHandler:
            @escaping @Sendable (ServerConnection<Definition>) -> (
                (_ batch: inout PacketBatch) throws -> Void
            )
    ) async throws(ConnectionError) -> PacketServer {
        try await start(at: addresses, group, configuration, .batches { makeBatchHandler(ServerConnection($0)) })
    }

    static func start(
        at addresses: [ListeningAddress], _ group: EventLoopGroup?, _ configuration: ServerConfiguration,
        _ handler: PacketHandler
    ) async throws(ConnectionError) -> PacketServer {
        PacketServer(
            listener: try await PacketListener.start(
                at: addresses, on: group, layout: Definition.layout,
                packetLimit: Definition.maximumPacketByteCount, configuration: configuration, handler: handler))
    }

    /// The server's first address; if the port was 0, with the port that the system chose.
    public var address: SocketAddress { listener.address }

    /// All addresses of the server, in the given order.
    public var addresses: [SocketAddress] { listener.addresses }

    /// The connections that have not ended.
    public var connections: [ServerConnection<Definition>] { listener.connections.map { ServerConnection($0) } }

    /// Sends one message to many connections, and encodes it once. In each turn, a loop sends to some of its
    /// connections.
    ///
    /// If packets depend on states, each connection gets the header that its states ask for.
    ///
    /// A connection that cannot make the packet, such as one without its key, gets nothing and continues. If a
    /// keystream may have moved for the packet, the peer could read nothing that comes after it, so the connection ends
    /// with that error. The call waits until it is known which connections cannot.
    ///
    /// It does not wait for slow readers: a connection with more output waiting than
    /// ``ConnectionLimits/pendingByteCount`` gets nothing.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - header: Header fields to set (default: none).
    ///   - connections: The receivers; nil: all connections.
    /// - Returns: The connections that got nothing, because they are slow, have ended, or cannot make the packet:
    ///   without their key, or in their states.
    /// - Throws: ``ConnectionError/codec(_:)`` if a value does not fit.
    @discardableResult
    public func broadcast<Message: ServerMessage>(
        _ message: Message, header: PacketHeader = [:], to connections: [ServerConnection<Definition>]? = nil
    ) async throws(ConnectionError) -> [ServerConnection<Definition>] where Message.Definition == Definition {
        try await broadcast(Self.shared { () throws(CodecError) in try SharedPacket(message, header) }, to: connections)
    }

    /// Sends messages in one packet to many connections, as ``broadcast(_:header:to:)`` sends one.
    ///
    /// - Parameters:
    ///   - messages: The messages, each in a packet of its own inside.
    ///   - id: The ID of the packet around them.
    ///   - header: The header fields of that packet; with them, the condition of `packets` must hold.
    ///   - connections: The receivers; nil: all connections.
    /// - Returns: The connections that got nothing, because they are slow, have ended, or cannot make the packet:
    ///   without their key, or in their states.
    /// - Throws: ``ConnectionError/codec(_:)`` if a value does not fit.
    @discardableResult
    public func broadcast(
        packets messages: [any ServerMessage], id: UInt64, header: PacketHeader = [:],
        to connections: [ServerConnection<Definition>]? = nil
    ) async throws(ConnectionError) -> [ServerConnection<Definition>] {
        let packet = try Self.shared { () throws(CodecError) in
            try SharedPacket(packets: messages, id: id, header: header, of: Definition.self)
        }
        return await broadcast(packet, to: connections)
    }

    private func broadcast(
        _ packet: SharedPacket, to connections: [ServerConnection<Definition>]?
    ) async -> [ServerConnection<Definition>] {
        let receivers = connections ?? self.connections
        guard let packet = await receivers.first?.connection.sealedForMany(packet) else { return receivers }
        let (late, feed) = AsyncStream<PacketConnection>.makeStream()
        var left = await Self.send(packet, to: receivers, LateFailures(feed))
        for await connection in late { left.append(ServerConnection(connection)) }
        return left
    }

    private static func send(
        _ packet: SharedPacket, to receivers: [ServerConnection<Definition>], _ late: LateFailures
    ) async -> [ServerConnection<Definition>] {
        await Broadcast.send(to: receivers, over: \.connection) { connection throws(ConnectionError) in
            do throws(CodecError) {
                return try connection.sendShared(packet) { [unowned connection] error in
                    late.add(connection)
                    connection.leaveOut(error)
                }
            } catch {
                connection.leaveOut(error)
                throw .codec(error)
            }
        }
    }

    /// The server's counters up to now.
    public func counters() async -> ServerCounters { await listener.counters() }

    /// The server's metrics up to now: its counters, how busy its event loops are, and how long its handlers take.
    ///
    /// It waits for a handler that blocks a loop.
    public func metrics() async -> ServerMetrics { await listener.metrics() }

    /// Whether the server has begun to shut down: it takes no new clients.
    public var isDraining: Bool { listener.isShuttingDown }

    /// Stops accepting, drains all connections, and waits until they have ended.
    ///
    /// A handler gets the messages that have already reached this machine, and then the end of the sequence. Messages
    /// that it sends are still transmitted.
    ///
    /// - Parameter timeout: The time limit (default 10 s). After it, or when the waiting task is cancelled, the
    ///   remaining connections are closed and their tasks cancelled.
    public func shutDown(within timeout: Duration = .seconds(10)) async {
        await listener.shutDown(within: timeout)
    }

    /// Shuts down as ``shutDown(within:)`` does, and first sends each client a message.
    ///
    /// The message can say that the client should connect elsewhere, or later. A connection that is accepted late gets
    /// only that message.
    ///
    /// - Parameters:
    ///   - timeout: The time limit for all of it (default 10 s).
    ///   - spread: The part of it over which clients get the message, one after another in a random order, so that they
    ///     do not reconnect all at once (default: all get it at the beginning). Until its turn, a connection continues.
    ///   - farewell: The message.
    ///   - header: Header fields to set in it (default: none).
    /// - Throws: ``ConnectionError/codec(_:)`` if a value does not fit; then the server continues.
    public func shutDown<Message: ServerMessage>(
        within timeout: Duration = .seconds(10), over spread: Duration = .zero, telling farewell: Message,
        header: PacketHeader = [:]
    ) async throws(ConnectionError) where Message.Definition == Definition {
        let packet = try Self.shared { () throws(CodecError) in try SharedPacket(farewell, header) }
        await listener.shutDown(within: timeout, over: spread, telling: packet)
    }

    private static func shared(
        _ make: () throws(CodecError) -> SharedPacket
    ) throws(ConnectionError) -> SharedPacket {
        do throws(CodecError) { return try make() } catch { throw .codec(error) }
    }

    /// Waits until another task has shut the server down. If this task is cancelled, it returns and the server
    /// continues.
    public func waitUntilShutDown() async {
        await listener.waitUntilShutDown()
    }
}

/// The connections that cannot make a packet for many connections, and fail only when they seal it.
///
/// Each packet that waits keeps this object. So the list ends when the last packet was sent or dropped.
private final class LateFailures: Sendable {
    private let feed: AsyncStream<PacketConnection>.Continuation

    init(_ feed: AsyncStream<PacketConnection>.Continuation) { self.feed = feed }

    func add(_ connection: PacketConnection) { feed.yield(connection) }

    deinit { feed.finish() }
}
