// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
package import WirelineSession
package import WirelineTransport

/// A server of packets, whatever their messages are: takes connections, has them handled, and ends them.
package final class PacketListener: Sendable {
    /// What deals with a connection.
    package enum Handler: Sendable {
        /// Starts a task for a connection, on its loop, which calls ``taskBegins(_:)`` first and ``taskEnds(_:_:)`` last.
        ///
        /// Whoever knows the handler's type starts it: with one more closure between task and handler, a task that
        /// waits takes another kilobyte.
        case task(@Sendable (PacketListener, PacketConnection) -> Task<Void, Never>)
        /// Makes what takes the packets of a connection, on its loop. The connection ends when its peer's stream does.
        case batches(@Sendable (PacketConnection) -> (_ batch: inout PacketBatch) throws -> Void)
    }

    private struct State {
        /// The connections that have not ended, and their tasks.
        var connections: [PacketConnection: Task<Void, Never>?] = [:]
        /// How many there are from each address.
        var limiter: ConnectionLimiter
        /// What those that have ended have done.
        var totals = ServerCounters()
        /// What takes leave of those there are, one after another.
        var drain: Drain<PacketConnection>?
        /// When it goes on.
        var drainTimer: EventLoop.Timer?
        /// What each of them is told then.
        var farewell: [UInt8]?
        var isShuttingDown = false
        var isShutDown = false
        /// Who waits for the last connection to end.
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter: UInt64 = 0

        /// Those who have waited long enough.
        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            guard isShutDown || isShuttingDown && connections.isEmpty else { return [] }
            defer { waiters = [:] }
            return Array(waiters.values)
        }
    }

    private let layout: PacketLayout
    private let packetLimit: Int
    private let configuration: ServerConfiguration
    private let handler: Handler
    private let listener: Listener
    private let supervision: Supervision
    private let state: Lock<State>

    private init(
        _ listener: Listener, layout: PacketLayout, packetLimit: Int, configuration: ServerConfiguration,
        handler: Handler
    ) {
        self.listener = listener
        self.layout = layout
        self.packetLimit = packetLimit
        self.configuration = configuration
        self.handler = handler
        supervision = Supervision(
            minimumRate: configuration.minimumRate, heldByteLimit: configuration.heldByteLimit,
            log: configuration.log, side: .server)
        state = Lock(State(limiter: ConnectionLimiter(limit: configuration.connectionLimitPerAddress)))
    }

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - host: A name, or the text of an IP address; of several addresses, the first is taken.
    ///   - port: The port; 0 lets the system choose one.
    ///   - group: Among whose loops connections are shared out.
    ///   - layout: How packets are laid out.
    ///   - packetLimit: The most bytes of a packet where the configuration does not say.
    ///   - configuration: Deadlines and limits.
    ///   - handler: What deals with each connection.
    package static func start(
        at host: String, port: UInt16, on group: EventLoopGroup? = nil, layout: PacketLayout, packetLimit: Int,
        configuration: ServerConfiguration = ServerConfiguration(), handler: Handler
    ) async throws(ConnectionError) -> PacketListener {
        do throws(TransportError) {
            let group = try EventLoopGroup.sharedUnless(group)
            let listener = try await Listener.bind(
                toHost: host, port: port, on: group, backlog: configuration.backlog,
                connectionLimit: configuration.connectionLimit)
            let server = PacketListener(
                listener, layout: layout, packetLimit: packetLimit, configuration: configuration, handler: handler)
            listener.start(server.accept)
            return server
        } catch {
            throw error == .cancelled ? .cancelled : .transport(error)
        }
    }

    /// Where the server listens; the port that the system has chosen, where it was asked to.
    package var address: SocketAddress { listener.address }

    /// The connections that have not ended.
    package var connections: [PacketConnection] { state.withLock { Array($0.connections.keys) } }

    // MARK: A connection's life, on its loop

    @Sendable
    private func accept(_ stream: ByteStream) {
        guard admit(stream.peerAddress) else {
            let limit = configuration.connectionLimitPerAddress ?? 0
            return tellEnd(of: stream.peerAddress, ConnectionError.tooManyConnections(limit: limit))
        }
        let connection: PacketConnection
        do {
            connection = PacketConnection(
                stream, layout: layout, packetLimit: packetLimit, limits: configuration.limits,
                tls: try configuration.tls?.accept(), supervision: supervision)
            try connection.start()
        } catch {
            return ended(stream.peerAddress, error)
        }
        guard connection.stream.isOpen else { return ended(connection.peerAddress, connection.failure) }
        if let lateness = register(connection) { return dismiss(connection, lateness) }
        connection.closeWhenSilent(
            handshake: configuration.handshakeTimeout, firstPacket: configuration.firstPacketTimeout,
            later: configuration.idleTimeout)
        switch handler {
        case .task(let start):
            let task = start(self, connection)
            state.withLock { $0.connections[connection] = task }
        case .batches(let makeHandler):
            connection.onClosed = { self.ended(connection, $0) }
            connection.receive(inBatches: makeHandler(connection))
        }
    }

    /// - Returns: Whether the address has as many connections as it may.
    private func admit(_ peer: SocketAddress) -> Bool {
        let network = configuration.connectionLimitPerAddress.map { _ in PeerNetwork(peer) }
        return state.withLock { state in
            let isAdmitted = network.map { state.limiter.admit(from: $0) } ?? true
            if isAdmitted {
                state.totals.acceptedConnectionCount += 1
            } else {
                state.totals.refusedConnectionCount += 1
            }
            return isAdmitted
        }
    }

    /// A connection that comes when the server takes no more; what it is told, if anything.
    private struct Lateness {
        let farewell: [UInt8]?
    }

    /// - Returns: Nil for a connection that stays.
    private func register(_ connection: PacketConnection) -> Lateness? {
        state.withLock { state in
            state.connections.updateValue(nil, forKey: connection)
            return state.isShuttingDown ? Lateness(farewell: state.isShutDown ? nil : state.farewell) : nil
        }
    }

    /// How long it may take to tell a connection that has come too late to go.
    private static let dismissalTime = Duration.seconds(10)

    private func dismiss(_ connection: PacketConnection, _ lateness: Lateness) {
        connection.onClosed = { _ in self.ended(connection, nil) }
        guard let farewell = lateness.farewell else { return connection.close() }
        connection.sendLast(farewell, .transport(.closed), within: Self.dismissalTime)
    }

    /// Says that the task of a connection has begun, in that task.
    package func taskBegins(_ connection: PacketConnection) {
        unsafe withUnsafeCurrentTask { unsafe connection.ownersTask = $0 }
    }

    /// Ends a connection whose task ends, in that task.
    package func taskEnds(_ connection: PacketConnection, _ failure: (any Error)?) {
        unsafe connection.ownersTask = nil
        connection.loop.execute {
            guard connection.stream.isOpen else { return self.ended(connection, failure ?? connection.failure) }
            connection.onClosed = { self.ended(connection, failure ?? $0) }
            // Whoever was kicked takes leave already.
            if failure == nil || connection.isFinishing { connection.finish() } else { connection.close() }
        }
    }

    private func ended(_ connection: PacketConnection, _ failure: (any Error)?) {
        let waiters = state.withLock { state in
            state.connections[connection] = nil
            state.totals.add(
                connection.currentCounters, endedBy: connection.failure as? ConnectionError ?? connection.endingError)
            var actions: [Drain<PacketConnection>.Action] = []
            state.drain?.ended(connection, into: &actions)
            return state.takeWaiters()
        }
        ended(connection.peerAddress, failure)
        for waiter in waiters { waiter.resume() }
    }

    private func ended(_ peer: SocketAddress, _ failure: (any Error)?) {
        release(peer)
        tellEnd(of: peer, failure)
    }

    /// Counts a connection no more among those of its address.
    private func release(_ peer: SocketAddress) {
        guard configuration.connectionLimitPerAddress != nil else { return }
        state.withLock { $0.limiter.ended(from: PeerNetwork(peer)) }
    }

    private func tellEnd(of peer: SocketAddress, _ failure: (any Error)?) {
        listener.connectionEnded()
        configuration.connectionEnded?(peer, failure)
    }

    // MARK: What is seen of it

    /// What the server has had to do so far.
    package func counters() async -> ServerCounters {
        // Whoever ends meanwhile is counted with those that there are.
        var (counters, connections) = state.withLock { ($0.totals, Array($0.connections.keys)) }
        counters.connectionCount = connections.count
        counters.heldByteCount = supervision.heldBytes?.byteCount ?? 0
        for group in Dictionary(grouping: connections, by: { ObjectIdentifier($0.loop) }).values {
            counters.traffic += await group[0].loop.run {
                group.reduce(into: ConnectionCounters()) { $0 += $1.currentCounters }
            }
        }
        return counters
    }

    // MARK: Its end

    /// Takes no more connections, tells those there are to go and asks for nothing more of them, and waits until they have
    /// ended; closes them and cancels their tasks when the time is over, or when the task that waits is cancelled.
    ///
    /// - Parameters:
    ///   - timeout: How long all that may take.
    ///   - spread: Over which time connections are told.
    ///   - farewell: A packet that tells them; nil: nobody is told anything.
    package func shutDown(
        within timeout: Duration, over spread: Duration = .zero, telling farewell: [UInt8]? = nil
    ) async {
        state.withLock { state in
            if state.farewell == nil { state.farewell = farewell }
            state.isShuttingDown = true
        }
        await listener.loop.run {
            self.listener.close()
            self.beginDrain(DrainPolicy(spread: spread, timeout: timeout))
        }
        let timer = await listener.loop.run {
            self.listener.loop.schedule(at: .now + timeout) { self.closeConnections() }
        }
        await withTaskCancellationHandler {
            await waitUntilShutDown()
        } onCancel: {
            self.closeConnections()
        }
        await listener.loop.run {
            self.listener.loop.cancel(timer)
            if let timer = self.state.withLock({ $0.drainTimer.take() }) { self.listener.loop.cancel(timer) }
        }
    }

    /// Begins to tell connections to go, unless that has begun; on the listener's loop.
    private func beginDrain(_ policy: DrainPolicy) {
        let now = Duration.nanoseconds(listener.loop.now.nanoseconds)
        let actions = state.withLock { state in
            var actions: [Drain<PacketConnection>.Action] = []
            guard state.drain == nil else { return actions }
            var random = SystemRandomness()
            state.drain = Drain(
                of: Array(state.connections.keys), policy, at: now, using: &random, into: &actions)
            return actions
        }
        carryOut(actions)
    }

    /// Does what the drain has decided, and looks again when it is time for that.
    private func carryOut(_ actions: [Drain<PacketConnection>.Action]) {
        let (farewell, deadline) = state.withLock { ($0.farewell, $0.drain?.deadline) }
        for action in actions {
            switch action {
            case .tell(let connection): connection.loop.execute { connection.drain(telling: farewell) }
            // No more are taken already; and whoever shuts down waits for the end, and closes what is left at its time.
            case .stopAccepting, .close, .finished: break
            }
        }
        guard let deadline else { return }
        let timer = listener.loop.schedule(at: MonotonicTime(nanoseconds: 0) + deadline) {
            let now = Duration.nanoseconds(self.listener.loop.now.nanoseconds)
            self.carryOut(
                self.state.withLock { state in
                    var actions: [Drain<PacketConnection>.Action] = []
                    state.drain?.timerFired(at: now, into: &actions)
                    return actions
                })
        }
        state.withLock { $0.drainTimer = timer }
    }

    /// Waits until the server has been shut down and the last connection has ended, or the task is cancelled.
    package func waitUntilShutDown() async {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                    // The task may have been cancelled before there was anything to take away.
                    guard !Task.isCancelled else { return [continuation] }
                    state.waiters[number] = continuation
                    return state.takeWaiters()
                }
                for waiter in waiters { waiter.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
    }

    /// Closes what has not ended in time. A task that does not end although it was cancelled is not waited for.
    private func closeConnections() {
        let (connections, waiters) = state.withLock { state in
            state.isShutDown = true
            return (state.connections, state.takeWaiters())
        }
        for (connection, task) in connections {
            task?.cancel()
            connection.close()
        }
        for waiter in waiters { waiter.resume() }
    }
}

extension PeerNetwork {
    /// The network of an address.
    package init(_ address: SocketAddress) {
        let bytes = address.bytes
        if bytes.count == 4 {
            self.init(ipv4: bytes.reduce(0) { $0 << 8 | UInt32($1) })
        } else {
            let halves = [bytes[..<8], bytes[8...]].map { $0.reduce(0) { $0 << 8 | UInt64($1) } }
            self.init(ipv6: halves[0], halves[1])
        }
    }
}
