// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTLS
package import WirelineTransport

/// The server's view of a connection that it accepts and ends.
///
/// Only the connection's loop uses it, unless stated otherwise.
package protocol ServedConnection: AnyObject, Hashable, Sendable {
    /// The message for a client when the server ends its connection.
    associatedtype Farewell: Sendable

    /// Newer connections have larger numbers.
    var id: UInt64 { get }
    /// The stream that carries the connection; it has been started.
    var stream: ByteStream { get }
    /// The error to report for the end of the connection; nil for a clean end.
    var failure: (any Error)? { get }
    /// The error that ended the connection; nil if the peer ended it.
    var endingError: ConnectionError? { get }
    var currentCounters: ConnectionCounters { get }
    /// Called once, after the stream has been closed, with the error that ended it; nil for a clean end.
    var onClosed: (((any Error)?) -> Void)? { get set }
    /// The task that handles the connection, if there is one; only the connection's loop uses it.
    ///
    /// It is cancelled if the connection is lost while the task neither receives nor waits to send.
    var handlerTask: Task<Void, Never>? { get set }

    /// Drops input that nobody takes any more, and gives its memory back.
    func dropInput()

    /// Sends the client a farewell, and stops receiving.
    func drain(telling farewell: Farewell?)

    /// Ends the connection of a client that connects while the server shuts down.
    func dismiss(telling farewell: Farewell?)

    /// Ends the connection because its handler has ended.
    ///
    /// - Parameter failure: The error that the handler threw.
    func handlerEnded(_ failure: (any Error)?)

    /// Closes the connection at once. Any thread may call it.
    func close()
}

/// Accepts, handles and ends connections, for servers of all kinds.
package final class ConnectionListener<Connection: ServedConnection>: Sendable {
    /// Makes and handles connections; both closures run on the connection's loop.
    package struct Service: Sendable {
        /// Makes a connection from a stream, and starts it. The address is the server's own, to which the client
        /// connected.
        package let make: @Sendable (ByteStream, SocketAddress) throws -> Connection
        /// Begins to handle a connection.
        ///
        /// It returns a task that ends with ``handlerEnded(_:_:)``, or nil if the connection needs no task.
        package let begin: @Sendable (ConnectionListener, Connection) -> Task<Void, Never>?

        package init(
            make: @escaping @Sendable (ByteStream, SocketAddress) throws -> Connection,
            begin: @escaping @Sendable (ConnectionListener, Connection) -> Task<Void, Never>?
        ) {
            self.make = make
            self.begin = begin
        }
    }

    private struct State {
        var connections: Set<Connection> = []
        /// The connections whose requests are being answered, if the oldest connections are ended beyond a limit.
        var answered: Set<Connection> = []
        /// The sums for connections that have ended.
        var totals = ServerCounters()
        var drain: Drain<Connection>?
        var drainTimer: EventLoop.Timer?
        var farewell: Connection.Farewell?
        var isShuttingDown = false
        /// Whether the last connection has ended, or the timeout has passed.
        var isShutDown = false
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter: UInt64 = 0
        var slowTurnWatches: [(loop: EventLoop, watch: EventLoop.SlowTurnWatch)] = []

        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            guard isShutDown else { return [] }
            defer { waiters = [:] }
            return Array(waiters.values)
        }
    }

    private let options: ListeningOptions
    private let service: Service
    private let listener: Listener
    private let sharedLimits: SharedLimits
    private let group: EventLoopGroup
    private let admission: ConnectionAdmission
    private let state = Lock(State())

    private init(
        _ listener: Listener, on group: EventLoopGroup, _ options: ListeningOptions, _ sharedLimits: SharedLimits,
        _ service: Service, _ gate: ConnectionGate?
    ) {
        self.listener = listener
        self.group = group
        self.options = options
        self.sharedLimits = sharedLimits
        self.service = service
        admission = ConnectionAdmission(options, gate: gate)
    }

    /// - Parameters:
    ///   - group: The loops that share the connections.
    ///   - sharedLimits: The limits that the connections share.
    ///   - gate: The limits that it shares with other servers; nil: it has limits of its own.
    static func start(
        at addresses: [ListeningAddress], on group: EventLoopGroup, _ options: ListeningOptions,
        _ sharedLimits: SharedLimits, _ service: Service, gate: ConnectionGate? = nil
    ) async throws(ConnectionError) -> ConnectionListener {
        guard !addresses.isEmpty else { throw .transport(.noAddress) }
        // A client's configuration would fail each connection.
        do throws(TLSError) { _ = try options.tls?.accept() } catch { throw .tls(error) }
        do throws(TransportError) {
            let policy = ListeningPolicy(
                backlog: options.backlog, connectionLimit: options.connectionLimit, sharesPorts: options.sharesPorts)
            let listener = try await Listener.bind(to: addresses, on: group, policy)
            let server = ConnectionListener(listener, on: group, options, sharedLimits, service, gate)
            await server.watchSlowTurns()
            let reports = Listener.Reports(acceptFailed: server.acceptFailed, limitReached: server.limitReached)
            listener.start(reports, accept: server.accept)
            return server
        } catch {
            throw error == .cancelled ? .cancelled : .transport(error)
        }
    }

    /// The server's addresses, in the given order; if a port was 0, with the port that the system chose.
    package var addresses: [SocketAddress] { listener.addresses }

    package var address: SocketAddress { listener.address }

    package var connections: [Connection] { state.withLock { Array($0.connections) } }

    // MARK: A connection's life, on its loop

    @Sendable
    private func accept(_ stream: ByteStream, at address: SocketAddress) {
        admission.decide(on: stream, at: address) { outcome in
            switch outcome {
            case .admitted(let address):
                self.state.withLock { $0.totals.acceptedConnectionCount += 1 }
                self.begin(stream, at: address)
            case .refused(let reason, let error):
                self.state.withLock { $0.totals.refusedConnectionCounts[reason, default: 0] += 1 }
                self.tellEnd(of: stream.peerAddress, error)
            case .left: self.tellEnd(of: stream.peerAddress, nil)
            }
        }
    }

    /// - Parameter address: The server's address to which the client connected.
    private func begin(_ stream: ByteStream, at address: SocketAddress) {
        if let keepAliveTime = options.keepAliveTime { stream.keepAlive(after: keepAliveTime) }
        let connection: Connection
        do {
            connection = try service.make(stream, address)
        } catch {
            return failed(stream.peerAddress, error)
        }
        guard stream.isOpen else { return failed(stream.peerAddress, connection.failure) }
        if let lateness = register(connection) {
            connection.onClosed = { _ in self.ended(connection, nil) }
            return connection.dismiss(telling: lateness.farewell)
        }
        if let limit = options.evictionLimit { makeRoom(for: connection, limit) }
        guard let task = service.begin(self, connection) else { return }
        connection.handlerTask = task
        // The shutdown has closed only the connections that existed at that time.
        if state.withLock({ $0.isShutDown }) { abandon([connection]) }
    }

    /// Ends the oldest connections beyond a limit, so that idle clients cannot keep others out. Those whose request is
    /// being answered go last.
    private func makeRoom(for newest: Connection, _ limit: Int) {
        let ended = state.withLock { state -> [Connection] in
            guard state.connections.count > limit else { return [] }
            let others = state.connections.filter { $0 !== newest }.sorted { left, right in
                let (isLeftLast, isRightLast) = (state.answered.contains(left), state.answered.contains(right))
                return isLeftLast == isRightLast ? left.id < right.id : isRightLast
            }
            return Array(others.prefix(state.connections.count - limit))
        }
        for connection in ended { connection.close() }
    }

    /// Answers a connection's request. Meanwhile other connections are ended before it.
    package nonisolated(nonsending) func answer(_ connection: Connection, _ answer: () async -> Void) async {
        guard options.evictionLimit != nil else { return await answer() }
        state.withLock { _ = $0.answered.insert(connection) }
        await answer()
        state.withLock { _ = $0.answered.remove(connection) }
    }

    @Sendable
    private func acceptFailed(_ error: TransportError, isFirst: Bool) {
        state.withLock { $0.totals.failedAcceptCount += 1 }
        if isFirst { options.acceptFailed?(error) }
    }

    @Sendable
    private func limitReached() {
        state.withLock { $0.totals.connectionLimitCount += 1 }
    }

    /// The message for a connection that arrives after the server stopped accepting; nil: none.
    private struct Lateness {
        let farewell: Connection.Farewell?
    }

    /// - Returns: Nil for a connection that stays.
    private func register(_ connection: Connection) -> Lateness? {
        state.withLock { state in
            state.connections.insert(connection)
            state.drain?.came(connection)
            return state.isShuttingDown ? Lateness(farewell: state.isShutDown ? nil : state.farewell) : nil
        }
    }

    /// Ends a connection without a task when its stream is closed.
    package func endsByItself(_ connection: Connection) {
        connection.onClosed = { self.ended(connection, $0) }
    }

    /// Ends a connection when its task ends. Call it in that task.
    ///
    /// - Parameter failure: The error that the handler threw.
    package func handlerEnded(_ connection: Connection, _ failure: (any Error)?) {
        connection.stream.loop.execute {
            connection.handlerTask = nil
            guard connection.stream.isOpen else {
                connection.dropInput()
                return self.ended(connection, failure ?? connection.failure)
            }
            connection.onClosed = { self.ended(connection, failure ?? $0) }
            connection.handlerEnded(failure)
        }
    }

    private func ended(_ connection: Connection, _ failure: (any Error)?) {
        let waiters = state.withLock { state in
            state.connections.remove(connection)
            state.totals.add(
                connection.currentCounters, endedBy: connection.failure as? ConnectionError ?? connection.endingError,
                handler: failure)
            var actions: [Drain<Connection>.Action] = []
            state.drain?.ended(connection, into: &actions)
            if actions.contains(.finished) { state.isShutDown = true }
            return state.takeWaiters()
        }
        ended(connection.stream.peerAddress, failure)
        for waiter in waiters { waiter.resume() }
    }

    private func failed(_ peer: SocketAddress, _ failure: (any Error)?) {
        let error = failure as? ConnectionError ?? (failure as? TransportError).map { .transport($0) }
        state.withLock { $0.totals.add(ConnectionCounters(), endedBy: error, handler: failure) }
        ended(peer, failure)
    }

    private func ended(_ peer: SocketAddress, _ failure: (any Error)?) {
        admission.ended(from: peer)
        tellEnd(of: peer, failure)
    }

    private func tellEnd(of peer: SocketAddress, _ failure: (any Error)?) {
        listener.connectionEnded()
        options.connectionEnded?(peer, failure)
    }

    // MARK: Counters

    package func counters() async -> ServerCounters {
        // A connection that ends in between counts as open.
        var (counters, connections) = state.withLock { ($0.totals, Array($0.connections)) }
        counters.connectionCount = connections.count
        counters.heldByteCount = sharedLimits.byteBudget?.byteCount ?? 0
        counters.compressionByteCount = sharedLimits.compressionBudget?.byteCount ?? 0
        counters.uncompressedConnectionCount = sharedLimits.compressionBudget?.refusedCount ?? 0
        for group in Dictionary(grouping: connections, by: { ObjectIdentifier($0.stream.loop) }).values {
            let loop = group[0].stream.loop
            let traffic = await loop.visit(each: group) { connection in
                // An estimate, in nanoseconds.
                loop.spend(1_000)
                return connection.currentCounters
            }
            for connection in traffic { counters.traffic += connection }
        }
        return counters
    }

    package func metrics() async -> ServerMetrics {
        var metrics = ServerMetrics()
        metrics.counters = await counters()
        metrics.loops = await group.counters()
        metrics.messageTimes =
            await sharedLimits.messageTimes?.merged().map {
                ServerMetrics.MessageTime(id: $0.id, name: $0.name, times: $0.times)
            } ?? []
        metrics.isDraining = isShuttingDown
        return metrics
    }

    private func watchSlowTurns() async {
        guard let report = options.slowTurn else { return }
        for loop in group.loops {
            let watch = await loop.watchSlowTurns(over: options.slowTurnTime, report)
            state.withLock { $0.slowTurnWatches.append((loop, watch)) }
        }
    }

    private func endSlowTurnWatches() {
        let watches = state.withLock { state in
            defer { state.slowTurnWatches = [] }
            return state.slowTurnWatches
        }
        for (loop, watch) in watches { loop.endWatch(watch) }
    }

    // MARK: Shutdown

    package var isShuttingDown: Bool { state.withLock(\.isShuttingDown) }

    /// Stops accepting, drains all connections, and waits until they have ended.
    ///
    /// After the timeout, or when the waiting task is cancelled, it closes the connections and cancels their tasks.
    ///
    /// - Parameters:
    ///   - timeout: The time limit for all of it.
    ///   - spread: The time over which the connections get the farewell.
    package func shutDown(
        within timeout: Duration, over spread: Duration = .zero, telling farewell: Connection.Farewell? = nil
    ) async {
        state.withLock { state in
            if state.farewell == nil { state.farewell = farewell }
            state.isShuttingDown = true
        }
        // A handler may block the loop that has the drain's timer.
        let overdue = listener.loop.manualClock == nil ? Task { await closeLater(after: timeout) } : nil
        defer { overdue?.cancel() }
        await withTaskCancellationHandler {
            await settle(within: min(timeout, Self.patience)) { await self.takeWaiting() }
            admission.close()
            listener.loop.execute { self.beginDrain(DrainPolicy(spread: spread, timeout: timeout)) }
            await waitUntilShutDown()
        } onCancel: {
            self.closeConnections()
        }
        listener.loop.execute {
            if let timer = self.state.withLock({ $0.drainTimer.take() }) { self.listener.loop.cancel(timer) }
        }
        endSlowTurnWatches()
    }

    /// Waits for work of the loops, and then perhaps for the headers of proxies, but not for long: a handler may block
    /// a loop.
    private func settle(
        within time: Duration, withHeaders: Bool = true, _ work: @escaping @Sendable () async -> Void
    ) async {
        // A test moves this clock whenever the loop has nothing to do. So the work must not leave the loop. All bytes
        // of its network have arrived, so no header is on its way.
        guard listener.loop.manualClock == nil else { return await work() }
        await wait(atMost: time) {
            await work()
            if withHeaders { await self.admission.waitForHeaders() }
        }
    }

    /// The longest wait for a loop that a handler blocks, or for a late header of a proxy.
    private static var patience: Duration { .seconds(1) }

    /// Closes the connections, if the drain has not done so.
    private func closeLater(after timeout: Duration) async {
        // A duration of centuries would trap.
        let time = min(timeout, .seconds(86_400 * 365)) + .milliseconds(100)
        guard (try? await Task.sleep(for: time)) != nil else { return }
        closeConnections()
    }

    /// Accepts waiting connections. Their loops need one turn to register them.
    private func takeWaiting() async {
        for loop in await listener.loop.run({ self.listener.takeWaiting() }) { await loop.run {} }
    }

    /// Takes all new connections of ports that it shares with an older process.
    package func takeOver() async {
        await settle(within: Self.patience, withHeaders: false) {
            await self.listener.loop.run { self.listener.takeOver() }
        }
    }

    /// Stops accepting, and keeps the connections. It first accepts those that wait. They have begun when this returns,
    /// unless a handler blocks their loop or the header of their proxy is late.
    package func stopAccepting() async {
        await settle(within: Self.patience) {
            await self.takeWaiting()
            await self.listener.loop.run { self.listener.close() }
        }
    }

    /// Begins the drain. A second call can only make the deadline earlier. Runs on the listener's loop.
    private func beginDrain(_ policy: DrainPolicy) {
        let now = listener.loop.now.sinceOrigin
        // The timeout may have passed while the loop was blocked.
        guard !state.withLock({ $0.isShutDown }) else { return listener.close() }
        let actions = state.withLock { state in
            var actions: [Drain<Connection>.Action] = []
            guard state.drain == nil else {
                state.drain?.mustEnd(by: now + policy.timeout)
                return actions
            }
            var random = SystemRandomness()
            state.drain = Drain(
                of: Array(state.connections), policy, at: now, using: &random, into: &actions)
            return actions
        }
        carryOut(actions)
    }

    private func carryOut(_ actions: [Drain<Connection>.Action]) {
        let (farewell, deadline, oldTimer) = state.withLock { ($0.farewell, $0.drain?.deadline, $0.drainTimer.take()) }
        if let oldTimer { listener.loop.cancel(oldTimer) }
        var isOver = false
        var told: [Connection] = []
        for action in actions {
            switch action {
            case .tell(let connection): told.append(connection)
            case .stopAccepting: listener.close()
            case .close, .finished: isOver = true
            }
        }
        executeInTurn(for: told) { $0.drain(telling: farewell) }
        if isOver { closeConnections() }
        guard let deadline else { return }
        let timer = listener.loop.schedule(at: MonotonicTime(sinceOrigin: deadline)) {
            // All connections that had ended by then have been counted.
            let now = self.listener.loop.turnTime.sinceOrigin
            self.carryOut(
                self.state.withLock { state in
                    var actions: [Drain<Connection>.Action] = []
                    state.drain?.timerFired(at: now, into: &actions)
                    return actions
                })
        }
        state.withLock { $0.drainTimer = timer }
    }

    /// Waits until the server has shut down and the last connection has ended, or the task is cancelled.
    package func waitUntilShutDown() async {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                    // The task may have been cancelled before it was registered.
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

    /// Closes all remaining connections, late ones included.
    ///
    /// It does not wait for a task that ignores its cancellation.
    private func closeConnections() {
        let (connections, waiters) = state.withLock { state in
            state.isShutDown = true
            return (state.connections, state.takeWaiters())
        }
        abandon(Array(connections))
        for waiter in waiters { waiter.resume() }
    }

    private func abandon(_ connections: [Connection]) {
        executeInTurn(for: connections) { connection in
            connection.handlerTask?.cancel()
            connection.close()
        }
    }

    /// Calls a closure for each connection on its loop, for some of them in each turn.
    private func executeInTurn(for connections: [Connection], _ body: @escaping @Sendable (Connection) -> Void) {
        for group in Dictionary(grouping: connections, by: { ObjectIdentifier($0.stream.loop) }).values {
            group[0].stream.loop.executeInTurn(for: group, body)
        }
    }
}
