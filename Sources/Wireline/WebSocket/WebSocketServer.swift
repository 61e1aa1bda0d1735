// SPDX-License-Identifier: Apache-2.0

public import WirelineTransport
public import WirelineWebSocket

/// A server of WebSockets.
///
///     let server = try await WebSocketServer.start(at: "127.0.0.1", port: 9002) { client in
///         for try await message in client.messages { try await client.send(message) }
///     }
///     await server.waitUntilShutDown()
///
/// The handler of each connection runs as a task on the connection's loop, and so does everything it awaits that has no
/// executor of its own. What blocks or computes for long there keeps waiting whoever else is on that loop.
///
/// A WebSocket is closed when its handler ends, with code 1000, or 1011 where the handler throws; what was sent leaves first.
///
/// A server runs until it is shut down, whoever holds it.
public struct WebSocketServer: Sendable {
    private let listener: ConnectionListener<WebSocketConnection>
    private let open: OpenWebSockets

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - host: A name, or the text of an IP address: `127.0.0.1` for this machine alone, `0.0.0.0` or `::` for all its
    ///     addresses.
    ///   - port: The port; 0 lets the system choose one, which ``address`` tells.
    ///   - group: The loops among which connections are shared out; nil: `EventLoopGroup.shared`, one loop.
    ///   - configuration: Deadlines, limits, which pages may connect, compression.
    ///   - decide: What becomes of a request: by its path, its headers, its subprotocols (default: all are accepted, without a
    ///     subprotocol). It runs where the handler does, and may take its time. What it throws is answered 500; the handler of
    ///     a request that is refused does not run.
    ///   - handler: Deals with a WebSocket.
    /// - Throws: ``ConnectionError/transport(_:)`` when the address cannot be had, ``ConnectionError/cancelled``;
    ///   ``ConnectionError/webSocket(_:)`` for a compression that is insisted on and cannot be had.
    public static func start(
        at host: String, port: UInt16, on group: EventLoopGroup? = nil,
        configuration: WebSocketServerConfiguration = WebSocketServerConfiguration(),
        deciding decide:
            @escaping @concurrent @Sendable (WebSocketUpgradeRequest) async throws -> WebSocketAnswer = { _ in .accept()
            },
        handler: @escaping @concurrent @Sendable (WebSocketServerConnection) async throws -> Void
    ) async throws(ConnectionError) -> WebSocketServer {
        let handshake: WebSocketServerHandshake
        do throws(WebSocketError) {
            handshake = try WebSocketServerHandshake(configuration.handshake)
        } catch {
            throw .webSocket(error)
        }
        let open = OpenWebSockets()
        let supervision = Supervision(
            minimumRate: configuration.minimumRate, heldByteLimit: configuration.heldByteLimit,
            log: configuration.log, side: .server)
        let service = ConnectionListener<WebSocketConnection>.Service { stream in
            if let tls = try configuration.tls?.accept() { stream.insert(TLSTransform(tls)) }
            let connection = WebSocketConnection(
                stream, .listening(handshake), limits: configuration.limits, supervision: supervision)
            try connection.start()
            return connection
        } begin: { listener, connection in
            connection.setDeadlines(
                PeerDeadlines.Limits(
                    handshake: configuration.handshakeTimeout, silence: configuration.idleTimeout))
            return Task(executorPreference: connection.loop) {
                var failure: (any Error)?
                do {
                    if let request = try await connection.request(decidedBy: decide) {
                        let client = WebSocketServerConnection(connection, request)
                        open.add(client)
                        defer { open.remove(client) }
                        try await handler(client)
                    }
                } catch {
                    failure = error
                }
                connection.loop.execute { connection.dropMessages() }
                listener.handlerEnded(connection, failure)
            }
        }
        return WebSocketServer(
            listener: try await ConnectionListener.start(
                at: host, port: port, on: group,
                .init(
                    connectionLimit: configuration.connectionLimit,
                    connectionLimitPerAddress: configuration.connectionLimitPerAddress,
                    backlog: configuration.backlog, connectionEnded: configuration.connectionEnded),
                heldBytes: supervision.heldBytes, service),
            open: open)
    }

    /// Where the server listens; the port that the system has chosen, where it was asked to.
    public var address: SocketAddress { listener.address }

    /// How many connections have not ended.
    public var connectionCount: Int { listener.connections.count }

    /// The WebSockets whose handlers have not ended.
    public var connections: [WebSocketServerConnection] { open.connections }

    /// Sends one message to many WebSockets: each loop is gone to once.
    ///
    /// Nobody waits for a slow client: one that has more waiting than `WebSocketConfiguration.outputLimit`, or is being sent a
    /// message in parts, gets nothing.
    ///
    /// - Parameters:
    ///   - message: What is sent.
    ///   - connections: To whom; nil: to all whose handlers have not ended.
    /// - Returns: Those who got nothing, because they are slow or have ended.
    @discardableResult
    public func broadcast(
        _ message: WebSocketMessage, to connections: [WebSocketServerConnection]? = nil
    ) async -> [WebSocketServerConnection] {
        await Broadcast.send(to: connections ?? self.connections, over: \.connection) {
            // What is thrown says that it has ended.
            (try? $0.sendAtOnce(WebSocketConnection.Outgoing(message))) == true
        }
    }

    /// What the server has had to do with its connections so far; its packets are the messages.
    public func counters() async -> ServerCounters { await listener.counters() }

    /// Takes no more connections, closes those there are, and waits until they have ended.
    ///
    /// A handler gets the messages that have been read, and then the end of the sequence. A request about which nobody has
    /// decided is answered 503.
    ///
    /// - Parameters:
    ///   - timeout: How long that may take (default 10 s). What has not ended by then is ended at once, and its task
    ///     cancelled; so is what there is when the task that waits here is cancelled.
    ///   - spread: Over which part of it clients are told, one after another in a random order, so that they do not come
    ///     back all at once (default: all are told at the beginning).
    ///   - code: What they are told: 1001, the server goes away (default), or 1012, it starts again.
    ///   - reason: The same for people: at most 123 bytes of UTF-8.
    public func shutDown(
        within timeout: Duration = .seconds(10), over spread: Duration = .zero,
        code: WebSocketCloseCode = .goingAway, reason: String = ""
    ) async {
        precondition(code.mayBeSent && reason.utf8.count <= 123, "no close frame can say this")
        await listener.shutDown(within: timeout, over: spread, telling: WebSocketClose(code: code, reason: reason))
    }

    /// Waits until the server has been shut down, by another task, or until the task is cancelled: then the server goes on.
    public func waitUntilShutDown() async { await listener.waitUntilShutDown() }
}

/// The WebSockets of a server whose handlers have not ended.
private final class OpenWebSockets: Sendable {
    private let members = Lock<Set<WebSocketServerConnection>>([])

    var connections: [WebSocketServerConnection] { members.withLock { Array($0) } }

    func add(_ connection: WebSocketServerConnection) {
        members.withLock { _ = $0.insert(connection) }
    }

    func remove(_ connection: WebSocketServerConnection) {
        members.withLock { _ = $0.remove(connection) }
    }
}

/// The server's end of one WebSocket.
///
/// It may be kept and sent to other tasks, for broadcasts for example. Once the WebSocket has ended, sending throws.
public struct WebSocketServerConnection: WebSocketEndpoint, Hashable {
    /// What carries the messages.
    public let connection: WebSocketConnection
    /// What the client has asked for.
    public let request: WebSocketUpgradeRequest

    init(_ connection: WebSocketConnection, _ request: WebSocketUpgradeRequest) {
        self.connection = connection
        self.request = request
    }

    /// The messages that the client sends, until both sides have closed.
    public var messages: WebSocketMessages { WebSocketMessages(connection: connection, owner: nil) }

    public static func == (left: Self, right: Self) -> Bool { left.connection == right.connection }

    public func hash(into hasher: inout Hasher) { hasher.combine(connection) }
}

extension WebSocketConnection {
    /// Waits for the client's request, and answers it.
    ///
    /// - Returns: The request, where there is a WebSocket now.
    fileprivate nonisolated(nonsending) func request(
        decidedBy decide: @concurrent @Sendable (WebSocketUpgradeRequest) async throws -> WebSocketAnswer
    ) async throws -> WebSocketUpgradeRequest? {
        guard let request = try await nextRequest() else { return nil }
        let decision: WebSocketAnswer
        do {
            decision = try await decide(request)
        } catch {
            _ = try await answer(.refuse(status: 500))
            throw error
        }
        return try await answer(decision) ? request : nil
    }
}
