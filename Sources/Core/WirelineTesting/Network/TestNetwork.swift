// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec
public import WirelineTransport

/// A network in memory, with one event loop and a clock that the test moves.
///
///     let network = try TestNetwork()
///     let server = try await network.serve(lobbyHandlers(rooms)) { _ in Visitor() }
///     let ann = try await network.connect(to: server, as: "Ann")
///     try await ann.send(Cs_100(roomID: 7, name: "Ann"))
///     try await ann.expect(Sc_100(result: 1, players: []))
///     try await network.advance(by: .seconds(60))
///     try await ann.expectEnd()
///
/// Everything above the sockets is the code that runs in production: servers, clients, sessions, handlers, rooms, limits,
/// TLS and WebSockets. What is started on ``loops`` has its sockets here, and its time.
///
/// Each call returns when the network is idle: everything that was sent has arrived, and every handler that it called
/// waits or has returned. So a test never sleeps, and never hangs: what does not come before the network is idle does
/// not come. ``patience`` is for code that leaves the loop.
///
/// A test makes a network of its own, and keeps it as long as it uses anything of it. The network ends when neither the
/// test nor a ``TestServer`` or ``TestClient`` keeps it.
public final class TestNetwork: Sendable {
    /// The event loop, for what a test starts itself: `PacketSession.start(to:protocol:on:)` and others.
    public let loops: EventLoopGroup
    /// How long, in real time, a call waits for code that has left the loop before it fails (default 1 s).
    ///
    /// Handlers run on the loop, and so do the functions and actors that they await. `Task { }`, the main actor and
    /// blocking calls leave it. Only a test that fails takes this time.
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

    /// The time since the network was made, on its own clock.
    public var time: Duration { ManualClock.start.duration(to: loop.clockTime) }

    // MARK: Servers and clients

    /// Starts a server with handlers.
    ///
    /// - Parameters:
    ///   - handlers: What the server does with each type of message.
    ///   - address: The address; a port of 0 is replaced (default `127.0.0.1:0`).
    ///   - configuration: Limits and timeouts.
    ///   - makeState: Makes the program's own value for a new connection.
    /// - Throws: As `PacketServer.start`, such as `HandlerError.unhandled`.
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

    /// Starts a server with handlers that keep no state for a connection.
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
    /// With latency, TLS or a WebSocket, the clock moves by the time that this takes.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - name: The client's name in the errors of expectations (default `client 1`, and so on).
    ///   - configuration: Timeouts, limits, TLS and so on.
    ///   - fileID: The file of the test, for the failure.
    ///   - line: The line of the test, for the failure.
    /// - Throws: `ConnectionError`, as `PacketClient.connect`.
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

    /// In which pieces bytes arrive, on connections that are made from now on (default: whole).
    ///
    /// A reader gets one piece at a time, as if each had come in a packet of its own. So tests find code that takes a
    /// part of a packet for the whole.
    public enum Delivery: Equatable, Sendable {
        /// Everything that has arrived is read at once.
        case whole
        /// In pieces of so many bytes.
        case bytes(Int)
        /// In two pieces: the first so many bytes of each direction, and the rest.
        case cut(at: Int)
        /// In pieces of 1 to 128 bytes; the same number makes the same pieces.
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

    /// In which pieces bytes arrive, on connections that are made from now on.
    public var delivery: Delivery {
        get { conditions.withLock(\.delivery) }
        set {
            conditions.withLock { $0.delivery = newValue }
            loop.execute { self.memory.delivery = newValue.inMemory }
        }
    }

    /// How long bytes are on their way in one direction, on the test's clock (default: no time).
    public var latency: Duration {
        get { conditions.withLock(\.latency) }
        set {
            conditions.withLock { $0.latency = newValue }
            loop.execute { self.memory.latency = max(.zero, newValue) }
        }
    }

    /// The size of the buffers of a connection, in bytes (default 65,536).
    ///
    /// Each direction has two: for bytes that have not arrived, and for those that were not read.
    public var bufferByteCount: Int {
        get { conditions.withLock(\.bufferByteCount) }
        set {
            conditions.withLock { $0.bufferByteCount = newValue }
            loop.execute { self.memory.bufferByteCount = max(1, newValue) }
        }
    }

    /// Gives a host's name the address of a server, for sessions and clients that the test starts itself.
    public func setHost(_ name: String, to address: SocketAddress) { memory.setAddresses([address], of: name) }

    // MARK: Faults

    /// Cuts the network: nothing passes, and no connection notices it by itself. Clients cannot connect.
    public func cut() async { await change { $0.cut(true) } }

    /// Mends the network: what was sent meanwhile arrives, as TCP would send it again.
    public func mend() async { await change { $0.cut(false) } }

    /// Resets all connections: both ends of each fail.
    public func resetConnections() async { await change { $0.resetConnections() } }

    private func change(_ body: @escaping @Sendable (MemoryNetwork) -> Void) async {
        let memory = memory
        await loop.run { body(memory) }
        await settle()
    }
}
