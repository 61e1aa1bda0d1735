// SPDX-License-Identifier: Apache-2.0

public import WirelineTransport
public import WirelineWebSocket

/// A server for WebSockets.
///
///     let server = try await WebSocketServer.start(at: "127.0.0.1", port: 9002) { client in
///         while let message = try await client.receive() { try await client.send(message) }
///     }
///     await server.waitUntilShutDown()
///
/// The handler of each connection runs as a task on the connection's loop, and so does everything it awaits that has no
/// executor of its own. A handler that blocks, or computes for long, delays every connection on its loop.
///
/// When a handler ends, its WebSocket is closed with code 1000, or 1011 if the handler throws. Messages that were sent
/// are transmitted first.
///
/// A server runs until it is shut down, even if the program does not keep it.
public struct WebSocketServer: Sendable {
    private let listener: ConnectionListener<WebSocketConnection>
    private let open: OpenWebSockets

    /// Begins to listen at one port.
    ///
    /// See ``start(at:on:configuration:deciding:handler:)``.
    ///
    /// - Parameters:
    ///   - host: A name, or the text of an IP address: `127.0.0.1` for this machine only, `0.0.0.0` or `::` for all its
    ///     addresses.
    ///   - port: The port; 0 lets the system choose one, which ``address`` returns.
    ///   - group: The loops that share the connections; nil: `EventLoopGroup.sharedByServers`, one loop for each core.
    ///   - configuration: Timeouts, limits, which pages may connect, compression.
    ///   - decide: Decides on a request (default: accepts all, without a subprotocol).
    ///   - handler: Handles a WebSocket.
    public static func start(
        at host: String, port: UInt16, on group: EventLoopGroup? = nil,
        configuration: WebSocketServerConfiguration = WebSocketServerConfiguration(),
        deciding decide:
            @escaping @concurrent @Sendable (WebSocketUpgradeRequest) async throws -> WebSocketAnswer = { _ in .accept()
            },
        handler: @escaping @concurrent @Sendable (WebSocketServerConnection) async throws -> Void
    ) async throws(ConnectionError) -> WebSocketServer {
        try await start(
            at: [.host(host, port: port)], on: group, configuration: configuration, deciding: decide, handler: handler)
    }

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - addresses: Where it listens, such as `[.host("0.0.0.0", port: 9001), .unix("/run/game.sock")]`; at least one
    ///     address.
    ///   - group: The loops that share the connections; nil: `EventLoopGroup.sharedByServers`, one loop for each core.
    ///   - configuration: Timeouts, limits, which pages may connect, compression.
    ///   - decide: Decides on a request by its path, headers and subprotocols (default: accepts all, without a
    ///     subprotocol). It runs where the handler does, and may take its time. If it throws, the answer is 500. The
    ///     handler does not run for a refused request.
    ///   - handler: Handles a WebSocket.
    /// - Throws: ``ConnectionError/transport(_:)`` if the server cannot listen at an address,
    ///   ``ConnectionError/cancelled``; ``ConnectionError/webSocket(_:)`` if compression is required but not available.
    public static func start(
        at addresses: [ListeningAddress], on group: EventLoopGroup? = nil,
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
        let group = try await ConnectionError.wrapping { () throws(TransportError) in
            try EventLoopGroup.sharedByServersUnless(group)
        }
        let open = OpenWebSockets()
        let ownNames = addresses.compactMap(\.host)
        let listening = configuration.listening
        let sharedLimits = listening.sharedLimits(log: configuration.log, handshake: handshake)
        let service = ConnectionListener<WebSocketConnection>.Service { stream, address in
            if let tls = try listening.tls?.accept() { stream.insert(TLSTransform(tls)) }
            var handshake = handshake
            handshake.listensOnLoopback = address.isLoopback
            handshake.ownNames = ownNames
            let connection = WebSocketConnection(
                stream, WebSocketHandshake(handshake), limits: configuration.limits, sharedLimits: sharedLimits)
            try connection.start()
            return connection
        } begin: { listener, connection in
            connection.setDeadlines(
                PeerDeadlines.Limits(handshake: listening.handshakeTimeout, silence: listening.idleTimeout))
            return Task(executorPreference: connection.loop) {
                var failure: (any Error)?
                do {
                    if let request = try await connection.request(decidedBy: decide, at: listener) {
                        let client = WebSocketServerConnection(connection, request)
                        open.add(client)
                        defer { open.remove(client) }
                        try await handler(client)
                    }
                } catch {
                    failure = error
                }
                listener.handlerEnded(connection, failure)
            }
        }
        return WebSocketServer(
            listener: try await ConnectionListener.start(
                at: addresses, on: group, listening, sharedLimits, service),
            open: open)
    }

    /// The server's first address; if the port was 0, with the port that the system chose.
    public var address: SocketAddress { listener.address }

    /// All addresses of the server, in the given order.
    public var addresses: [SocketAddress] { listener.addresses }

    /// The number of connections that have not ended.
    public var connectionCount: Int { listener.connections.count }

    /// The WebSockets whose handlers have not ended.
    public var connections: [WebSocketServerConnection] { open.connections }

    /// Sends one message to many WebSockets. In each turn, a loop sends to some of its connections.
    ///
    /// It does not wait for slow readers. A connection gets nothing if more than `limits.frames.outputLimit`
    /// waits to be sent on it, or if it is sending a message in parts.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - connections: The receivers; nil: all WebSockets whose handlers have not ended.
    /// - Returns: The connections that got nothing, because they are slow or have ended.
    @discardableResult
    public func broadcast(
        _ message: WebSocketMessage, to connections: [WebSocketServerConnection]? = nil
    ) async -> [WebSocketServerConnection] {
        let outgoing = WebSocketConnection.Outgoing(message)
        return await Broadcast.send(to: connections ?? self.connections, over: \.connection) {
            connection throws(ConnectionError) in try connection.offer(outgoing)
        }
    }

    /// The server's counters up to now; messages count as packets.
    public func counters() async -> ServerCounters { await listener.counters() }

    /// The server's metrics up to now: its counters, and how busy its event loops are.
    ///
    /// It waits for a handler that blocks a loop.
    public func metrics() async -> ServerMetrics { await listener.metrics() }

    /// Whether the server has begun to shut down: it takes no new clients.
    public var isDraining: Bool { listener.isShuttingDown }

    /// Stops accepting, closes all connections, and waits until they have ended.
    ///
    /// A handler gets the messages that have been read, and then nil. A request that is not yet
    /// decided is answered with 503.
    ///
    /// - Parameters:
    ///   - timeout: The time limit (default 10 s). After it, or when the waiting task is cancelled, the remaining
    ///     connections are ended at once and their tasks cancelled.
    ///   - spread: The part of it over which clients get the close, one after another in a random order, so that they
    ///     do not reconnect all at once (default: all get it at the beginning).
    ///   - code: The close code: 1001, the server goes away (default), or 1012, it restarts.
    ///   - reason: The reason as text: at most 123 bytes of UTF-8.
    public func shutDown(
        within timeout: Duration = .seconds(10), over spread: Duration = .zero,
        code: WebSocketCloseCode = .goingAway, reason: String = ""
    ) async {
        precondition(code.mayBeSent && reason.utf8.count <= 123, "no close frame can say this")
        await listener.shutDown(within: timeout, over: spread, telling: WebSocketClose(code: code, reason: reason))
    }

    /// Waits until another task has shut the server down. If this task is cancelled, it returns and the server
    /// continues.
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

/// The server's side of one WebSocket.
///
/// It can be kept and sent to other tasks, for example for broadcasts. After the WebSocket has ended, sending throws.
public struct WebSocketServerConnection: WebSocketEndpoint, Hashable {
    /// The connection that carries the messages.
    public let connection: WebSocketConnection
    /// The client's request.
    public let request: WebSocketUpgradeRequest

    init(_ connection: WebSocketConnection, _ request: WebSocketUpgradeRequest) {
        self.connection = connection
        self.request = request
    }

    /// The client's messages, until both sides have closed, for code that needs an `AsyncSequence`.
    public var messages: WebSocketConnection.Messages {
        WebSocketConnection.Messages(connection: connection, owner: nil)
    }

    public static func == (left: Self, right: Self) -> Bool { left.connection == right.connection }

    public func hash(into hasher: inout Hasher) { hasher.combine(connection) }
}

extension WebSocketConnection {
    /// Waits for the client's request, and answers it.
    ///
    /// - Returns: The request, if the WebSocket is open now.
    fileprivate nonisolated(nonsending) func request(
        decidedBy decide: @concurrent @Sendable (WebSocketUpgradeRequest) async throws -> WebSocketAnswer,
        at listener: ConnectionListener<WebSocketConnection>
    ) async throws -> WebSocketUpgradeRequest? {
        let request: WebSocketUpgradeRequest
        switch try await nextRequest() {
        case .webSocket(let asked): request = asked
        case .page(let page):
            await listener.answer(self) { await answer(with: page.made(on: loop)) }
            return nil
        case nil: return nil
        }
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
