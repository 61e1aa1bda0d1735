// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineTransport

/// A network in memory, with one event loop and a clock that only the test moves.
///
///     let network = try TestNetwork()
///     let server = try await network.serve(lobbyHandlers(rooms)) { _ in Visitor() }
///     let ann = try await network.connect(to: server, as: "Ann")
///     try await ann.send(Cs_100(roomID: 7, name: "Ann"))
///     try await ann.expect(Sc_100(result: 1, players: []))
///     try await network.advance(by: .seconds(60))
///     try await ann.expectEnd()
///
/// Everything above the sockets is production code: servers, clients, sessions, handlers, rooms, limits, TLS and
/// WebSockets. Whatever is started on ``loops`` uses the sockets and the clock of this network.
///
/// Each call returns when the network is idle: all bytes have arrived, and every handler waits or has returned. So a
/// test never sleeps and never hangs. A message that has not arrived when the network is idle will not arrive unless
/// the clock moves. Code that leaves the loop is the exception: see ``patience``.
///
/// Each test makes its own network, and keeps it as long as it uses any part of it. The network ends when the test and
/// all ``TestServer`` and ``TestClient`` values have released it.
public final class TestNetwork: Sendable {
    /// The event loop, for objects that the test starts itself, for example with
    /// `PacketSession.start(to:protocol:on:)`.
    public let loops: EventLoopGroup
    /// How long a call waits, in real time, for code that has left the loop before the call fails (default 1 s).
    ///
    /// Handlers run on the loop, and so do the functions and actors that they await. `Task { }`, the main actor and
    /// blocking calls leave it. Only a test that fails waits this long.
    public let patience: Duration
    let loop: EventLoop
    let memory: MemoryNetwork
    private let conditions = Lock(Conditions())

    private struct Conditions {
        var delivery = Delivery.whole
        var latency = Duration.zero
        var bufferByteCount = 64 << 10
        var clientCount = 0
    }

    /// Makes a network.
    ///
    /// - Parameter patience: See ``patience``.
    /// - Throws: `TransportError.system` if the system has no thread left.
    public init(patience: Duration = .seconds(1)) throws(TransportError) {
        loop = try MemoryNetwork.start()
        guard let memory = loop.memoryNetwork else { throw .closed }
        self.memory = memory
        self.patience = patience
        loops = EventLoopGroup(loops: [loop])
    }

    deinit { memory.end() }

    /// The time on the network's clock since the network was made.
    public var time: Duration { ManualClock.start.duration(to: loop.clockTime) }

    // MARK: Servers and clients

    /// Starts a server with handlers.
    ///
    /// - Parameters:
    ///   - handlers: The handlers for each type of message.
    ///   - address: The address (default `127.0.0.1:0`). A port of 0 is replaced by a free one.
    ///   - configuration: Limits and timeouts.
    ///   - makeState: Makes the state of a new connection.
    /// - Throws: The errors of `PacketServer.start`, such as `HandlerError.unhandled`.
    public func serve<Definition: PacketProtocol, State>(
        _ handlers: MessageHandlers<Definition, State>, at address: SocketAddress = .loopback(port: 0),
        configuration: ServerConfiguration = ServerConfiguration(),
        state makeState: @escaping @Sendable (ServerConnection<Definition>) -> State
    ) async throws -> TestServer<Definition> {
        try await serve(configuration) { configuration in
            try await PacketServer.start(
                at: address.ipAddress, port: address.port, on: self.loops, configuration: configuration,
                handlers: handlers, state: makeState)
        }
    }

    /// Starts a server with handlers that need no state.
    public func serve<Definition: PacketProtocol>(
        _ handlers: MessageHandlers<Definition, Void>, at address: SocketAddress = .loopback(port: 0),
        configuration: ServerConfiguration = ServerConfiguration()
    ) async throws -> TestServer<Definition> {
        try await serve(handlers, at: address, configuration: configuration) { _ in }
    }

    /// Starts a server with a task for each connection.
    public func serve<Definition: PacketProtocol>(
        _ definition: Definition.Type, at address: SocketAddress = .loopback(port: 0),
        configuration: ServerConfiguration = ServerConfiguration(),
        handler: @escaping @concurrent @Sendable (ServerConnection<Definition>) async throws -> Void
    ) async throws -> TestServer<Definition> {
        try await serve(configuration) { configuration in
            try await PacketServer.start(
                at: address.ipAddress, port: address.port, protocol: definition, on: self.loops,
                configuration: configuration, handler: handler)
        }
    }

    private func serve<Definition: PacketProtocol>(
        _ configuration: ServerConfiguration,
        start: (ServerConfiguration) async throws -> PacketServer<Definition>
    ) async throws -> TestServer<Definition> {
        let ends = Lock<[(any Error)?]>.Shared([])
        var configuration = configuration
        let tellEnd = configuration.listening.connectionEnded
        configuration.listening.connectionEnded = { peer, error in
            ends.withLock { $0.append(error) }
            tellEnd?(peer, error)
        }
        let server = try await start(configuration)
        await settle()
        return TestServer(server, on: self, ends: ends)
    }

    /// Connects a client to a server.
    ///
    /// With latency, TLS or a WebSocket, connecting moves the clock.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - name: The client's name in errors (default `client 1`, `client 2` and so on).
    ///   - configuration: Timeouts, limits, TLS and so on.
    ///   - fileID: The file of the test, for the failure.
    ///   - line: The line of the test, for the failure.
    /// - Throws: `ConnectionError`, as `PacketClient.connect` does.
    public func connect<Definition: PacketProtocol>(
        to server: TestServer<Definition>, as name: String? = nil,
        configuration: ClientConfiguration = ClientConfiguration(),
        fileID: String = #fileID, line: Int = #line
    ) async throws -> TestClient<Definition> {
        let number = conditions.withLock { conditions in
            conditions.clientCount += 1
            return conditions.clientCount
        }
        let name = name ?? "client \(number)"
        let place = CodePlace(fileID, line)
        let client = try await run(
            "\(name) connects", within: configuration.dialing.connectTimeout, place
        ) {
            try await PacketClient.connect(
                to: server.address.ipAddress, port: server.address.port, protocol: Definition.self, on: self.loops,
                configuration: configuration)
        }
        let testClient = TestClient(client, named: name, on: self)
        await settle()
        return testClient
    }

    // MARK: Conditions

    /// How bytes are split into pieces on connections that are made from now on (default: whole).
    ///
    /// A reader gets one piece at a time, as if each had arrived in its own TCP segment. This finds code that takes a
    /// part of a packet for a whole one.
    public enum Delivery: Equatable, Sendable {
        /// One read returns everything that has arrived.
        case whole
        /// Pieces of this number of bytes.
        case bytes(Int)
        /// Two pieces in each direction: this number of bytes, and the rest.
        case cut(at: Int)
        /// Pieces of 1 to 128 bytes. The same seed makes the same pieces.
        case random(seed: UInt64)

        fileprivate var inMemory: MemoryDelivery {
            switch self {
            case .whole: .whole
            case .bytes(let count): .bytes(count)
            case .cut(let offset): .cut(at: offset)
            case .random(let seed): .random(seed: seed)
            }
        }
    }

    /// How bytes are split into pieces on connections that are made from now on (default: whole).
    public var delivery: Delivery {
        get { conditions.withLock(\.delivery) }
        set {
            conditions.withLock { $0.delivery = newValue }
            loop.execute { self.memory.delivery = newValue.inMemory }
        }
    }

    /// The time that bytes need in one direction, on the network's clock (default 0).
    public var latency: Duration {
        get { conditions.withLock(\.latency) }
        set {
            conditions.withLock { $0.latency = newValue }
            loop.execute { self.memory.latency = max(.zero, newValue) }
        }
    }

    /// The size of each buffer of a connection, in bytes (default 65,536, at least 1).
    ///
    /// Each direction has two buffers: for bytes that have not arrived yet, and for bytes that the peer has not read
    /// yet.
    public var bufferByteCount: Int {
        get { conditions.withLock(\.bufferByteCount) }
        set {
            conditions.withLock { $0.bufferByteCount = newValue }
            loop.execute { self.memory.bufferByteCount = max(1, newValue) }
        }
    }

    /// Assigns a server's address to a host name, for sessions and clients that the test starts itself.
    public func setHost(_ name: String, to address: SocketAddress) { memory.setAddresses([address], of: name) }

    // MARK: Faults

    /// Stops all traffic. No connection is told, and clients cannot connect.
    public func cut() async { await change { $0.cut(true) } }

    /// Restores the traffic after ``cut()``. Everything that was sent in between arrives, as with TCP.
    public func mend() async { await change { $0.cut(false) } }

    /// Resets all connections. Both ends of each get an error.
    public func resetConnections() async { await change { $0.resetConnections() } }

    private func change(_ body: @escaping @Sendable (MemoryNetwork) -> Void) async {
        let memory = memory
        await loop.run { body(memory) }
        await settle()
    }
}
