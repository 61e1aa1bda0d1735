// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSession
package import WirelineTransport

/// A connection as a server sees it that takes and ends it; all of it on the connection's loop, but for what says
/// otherwise.
package protocol ServedConnection: AnyObject, Hashable, Sendable {
    /// What a client can be told that is to go.
    associatedtype Farewell: Sendable

    /// What carries the connection; it has been started.
    var stream: ByteStream { get }
    /// What the server is told that has ended the connection; nil for a clean end.
    var failure: (any Error)? { get }
    /// What has ended the connection; nil where the peer has.
    var endingError: ConnectionError? { get }
    var currentCounters: ConnectionCounters { get }
    /// Is called once, when the stream has been closed, with what has ended it; nil for a clean end.
    var onClosed: (((any Error)?) -> Void)? { get set }

    /// Asks for nothing more, once the client has been told that it is to go.
    func drain(telling farewell: Farewell?)

    /// Sends a client away that has come while the server ends.
    func dismiss(telling farewell: Farewell?)

    /// Whoever dealt with the connection has come to an end: so does the connection.
    ///
    /// - Parameter failure: What the handler has thrown.
    func handlerEnded(_ failure: (any Error)?)

    /// Closes the connection at once; may be called on any thread.
    func close()
}

/// Takes connections, has them handled, and ends them: what all servers do, whatever their connections carry.
package final class ConnectionListener<Connection: ServedConnection>: Sendable {
    /// What makes connections, and deals with them; both on the connection's loop.
    package struct Service: Sendable {
        /// Makes a connection of a stream, and starts it.
        package let make: @Sendable (ByteStream) throws -> Connection
        /// Begins to deal with a connection: in a task that ends with ``handlerEnded(_:_:)``, or, where it returns nil,
        /// by itself.
        package let begin: @Sendable (ConnectionListener, Connection) -> Task<Void, Never>?

        package init(
            make: @escaping @Sendable (ByteStream) throws -> Connection,
            begin: @escaping @Sendable (ConnectionListener, Connection) -> Task<Void, Never>?
        ) {
            self.make = make
            self.begin = begin
        }
    }

    /// How many connections a server takes, and who is told of their ends.
    package struct Configuration: Sendable {
        package var connectionLimit: Int
        package var connectionLimitPerAddress: Int?
        package var backlog: Int32
        package var connectionEnded: (@Sendable (SocketAddress, (any Error)?) -> Void)?

        package init(
            connectionLimit: Int, connectionLimitPerAddress: Int?, backlog: Int32,
            connectionEnded: (@Sendable (SocketAddress, (any Error)?) -> Void)?
        ) {
            self.connectionLimit = connectionLimit
            self.connectionLimitPerAddress = connectionLimitPerAddress
            self.backlog = backlog
            self.connectionEnded = connectionEnded
        }
    }

    private struct State {
        /// The connections that have not ended, and their tasks.
        var connections: [Connection: Task<Void, Never>?] = [:]
        /// How many there are from each address.
        var limiter: ConnectionLimiter
        /// What those that have ended have done.
        var totals = ServerCounters()
        /// What takes leave of those there are, one after another.
        var drain: Drain<Connection>?
        /// When it goes on.
        var drainTimer: EventLoop.Timer?
        /// What each of them is told then.
        var farewell: Connection.Farewell?
        var isShuttingDown = false
        /// Whether the last connection has gone, or the time is over.
        var isShutDown = false
        /// Who waits for the last connection to end.
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter: UInt64 = 0

        /// Those who have waited long enough.
        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            guard isShutDown else { return [] }
            defer { waiters = [:] }
            return Array(waiters.values)
        }
    }

    private let configuration: Configuration
    private let service: Service
    private let listener: Listener
    private let heldBytes: HeldBytes?
    private let state: Lock<State>

    private init(_ listener: Listener, _ configuration: Configuration, _ heldBytes: HeldBytes?, _ service: Service) {
        self.listener = listener
        self.configuration = configuration
        self.heldBytes = heldBytes
        self.service = service
        state = Lock(State(limiter: ConnectionLimiter(limit: configuration.connectionLimitPerAddress)))
    }

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - host: A name, or the text of an IP address; of several addresses, the first is taken.
    ///   - port: The port; 0 lets the system choose one.
    ///   - group: Among whose loops connections are shared out.
    ///   - configuration: How many connections there may be.
    ///   - heldBytes: What the connections hold together, if that is counted.
    ///   - service: What makes connections, and deals with them.
    static func start(
        at host: String, port: UInt16, on group: EventLoopGroup?, _ configuration: Configuration,
        heldBytes: HeldBytes? = nil, _ service: Service
    ) async throws(ConnectionError) -> ConnectionListener {
        do throws(TransportError) {
            let group = try EventLoopGroup.sharedUnless(group)
            let listener = try await Listener.bind(
                toHost: host, port: port, on: group, backlog: configuration.backlog,
                connectionLimit: configuration.connectionLimit)
            let server = ConnectionListener(listener, configuration, heldBytes, service)
            listener.start(server.accept)
            return server
        } catch {
            throw error == .cancelled ? .cancelled : .transport(error)
        }
    }

    /// Where the server listens; the port that the system has chosen, where it was asked to.
    package var address: SocketAddress { listener.address }

    /// The connections that have not ended.
    package var connections: [Connection] { state.withLock { Array($0.connections.keys) } }

    // MARK: A connection's life, on its loop

    @Sendable
    private func accept(_ stream: ByteStream) {
        guard admit(stream.peerAddress) else {
            let limit = configuration.connectionLimitPerAddress ?? 0
            return tellEnd(of: stream.peerAddress, ConnectionError.tooManyConnections(limit: limit))
        }
        let connection: Connection
        do {
            connection = try service.make(stream)
        } catch {
            return ended(stream.peerAddress, error)
        }
        guard stream.isOpen else { return ended(stream.peerAddress, connection.failure) }
        if let lateness = register(connection) {
            connection.onClosed = { _ in self.ended(connection, nil) }
            return connection.dismiss(telling: lateness.farewell)
        }
        guard let task = service.begin(self, connection) else { return }
        let isTooLate = state.withLock { state in
            state.connections[connection] = task
            return state.isShutDown
        }
        // Those that there were have been closed already.
        if isTooLate {
            task.cancel()
            connection.close()
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
        let farewell: Connection.Farewell?
    }

    /// - Returns: Nil for a connection that stays.
    private func register(_ connection: Connection) -> Lateness? {
        state.withLock { state in
            state.connections.updateValue(nil, forKey: connection)
            state.drain?.came(connection)
            return state.isShuttingDown ? Lateness(farewell: state.isShutDown ? nil : state.farewell) : nil
        }
    }

    /// Says that a connection without a task ends when its stream is closed.
    package func endsByItself(_ connection: Connection) {
        connection.onClosed = { self.ended(connection, $0) }
    }

    /// Ends a connection whose task ends, in that task.
    ///
    /// - Parameter failure: What the handler has thrown.
    package func handlerEnded(_ connection: Connection, _ failure: (any Error)?) {
        connection.stream.loop.execute {
            guard connection.stream.isOpen else { return self.ended(connection, failure ?? connection.failure) }
            connection.onClosed = { self.ended(connection, failure ?? $0) }
            connection.handlerEnded(failure)
        }
    }

    private func ended(_ connection: Connection, _ failure: (any Error)?) {
        let waiters = state.withLock { state in
            state.connections[connection] = nil
            state.totals.add(
                connection.currentCounters, endedBy: connection.failure as? ConnectionError ?? connection.endingError)
            var actions: [Drain<Connection>.Action] = []
            state.drain?.ended(connection, into: &actions)
            if actions.contains(.finished) { state.isShutDown = true }
            return state.takeWaiters()
        }
        ended(connection.stream.peerAddress, failure)
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
        counters.heldByteCount = heldBytes?.byteCount ?? 0
        for group in Dictionary(grouping: connections, by: { ObjectIdentifier($0.stream.loop) }).values {
            counters.traffic += await group[0].stream.loop.run {
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
    ///   - farewell: What tells them; nil: nobody is told anything.
    package func shutDown(
        within timeout: Duration, over spread: Duration = .zero, telling farewell: Connection.Farewell? = nil
    ) async {
        state.withLock { state in
            if state.farewell == nil { state.farewell = farewell }
            state.isShuttingDown = true
        }
        await listener.loop.run { self.beginDrain(DrainPolicy(spread: spread, timeout: timeout)) }
        await withTaskCancellationHandler {
            await waitUntilShutDown()
        } onCancel: {
            self.closeConnections()
        }
        await listener.loop.run {
            if let timer = self.state.withLock({ $0.drainTimer.take() }) { self.listener.loop.cancel(timer) }
        }
    }

    /// Begins to tell connections to go, unless that has begun: then it may have to end earlier. On the listener's loop.
    private func beginDrain(_ policy: DrainPolicy) {
        let now = listener.loop.now.sinceOrigin
        let actions = state.withLock { state in
            var actions: [Drain<Connection>.Action] = []
            guard state.drain == nil else {
                state.drain?.mustEnd(by: now + policy.timeout)
                return actions
            }
            var random = SystemRandomness()
            state.drain = Drain(
                of: Array(state.connections.keys), policy, at: now, using: &random, into: &actions)
            return actions
        }
        carryOut(actions)
    }

    /// Does what the drain has decided, and looks again when it is time for that.
    private func carryOut(_ actions: [Drain<Connection>.Action]) {
        let (farewell, deadline, oldTimer) = state.withLock { ($0.farewell, $0.drain?.deadline, $0.drainTimer.take()) }
        if let oldTimer { listener.loop.cancel(oldTimer) }
        var isOver = false
        for action in actions {
            switch action {
            case .tell(let connection): connection.stream.loop.execute { connection.drain(telling: farewell) }
            case .stopAccepting: listener.close()
            case .close, .finished: isOver = true
            }
        }
        if isOver { closeConnections() }
        guard let deadline else { return }
        let timer = listener.loop.schedule(at: MonotonicTime(sinceOrigin: deadline)) {
            let now = self.listener.loop.now.sinceOrigin
            self.carryOut(
                self.state.withLock { state in
                    var actions: [Drain<Connection>.Action] = []
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

    /// Closes those that there are still, late ones as well. A task that does not end although it was cancelled is not waited for.
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
