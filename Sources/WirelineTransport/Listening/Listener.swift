// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Accepts connections at an address, and distributes them among event loops in turn.
///
/// One loop accepts for all, so the distribution is even and the connection limit is kept in one place. If the system
/// has no descriptors left, the listener reports it and retries after a pause; connections wait in the system's queue
/// meanwhile.
///
/// Call everything but ``bind(to:on:backlog:connectionLimit:)``, ``start(acceptFailed:_:)`` and ``connectionEnded()`` on
/// the thread of the accepting loop. So `@unchecked Sendable` needs no lock.
package final class Listener: PollTarget, @unchecked Sendable {
    /// The pause when the system has no descriptors left.
    /// Long enough for some to be closed, too short for people to notice.
    private static let backOff = Duration.milliseconds(100)
    /// How many connections are accepted in one turn of the loop, so that existing ones are not delayed.
    private static let connectionsPerTurn = 64

    package let loop: EventLoop
    /// The address that it listens at, with the port that the system chose if it was asked to.
    package let address: SocketAddress
    private let group: EventLoopGroup
    private let connectionLimit: Int
    private let backlog: Int32
    /// Called for each connection, on the connection's loop; nil before ``start(acceptFailed:_:)``.
    private var accept: (@Sendable (ByteStream) -> Void)?
    /// Called each time the system fails to accept a connection.
    private var acceptFailed: (@Sendable (TransportError, _ isFirst: Bool) -> Void)?
    /// Whether the last attempt to accept a connection failed.
    private var isFailing = false
    private var descriptor: Descriptor?
    /// Where connections wait, if they are in memory.
    private let memory: MemoryBacklog?
    private var connectionCount = 0
    private var isWatched = false
    /// The timer of the next retry; while it is set, nothing else accepts.
    private var retry: EventLoop.Timer?
    private var hasMore = false
    private var turn = 0

    private init(
        _ descriptor: consuming Descriptor?, _ memory: MemoryBacklog? = nil, on group: EventLoopGroup,
        address: SocketAddress, connectionLimit: Int, backlog: Int32
    ) {
        self.descriptor = consume descriptor
        self.memory = memory
        self.group = group
        self.address = address
        self.connectionLimit = connectionLimit
        self.backlog = backlog
        loop = group.nextLoop()
    }

    /// Binds to an address; connections queue until ``start(acceptFailed:_:)`` accepts them.
    ///
    /// - Parameters:
    ///   - address: The address; with port 0 the system chooses one.
    ///   - group: The loops among which connections are distributed.
    ///   - backlog: The largest number of connections in the queue (the system may allow fewer; Linux:
    ///     `net.core.somaxconn`).
    ///   - connectionLimit: The largest number of accepted connections at a time; others wait in the queue.
    /// - Throws: ``TransportError/system(_:)``, for example if the address is in use.
    package static func bind(
        to address: SocketAddress, on group: EventLoopGroup, backlog: Int32 = 4096, connectionLimit: Int = .max
    ) throws(TransportError) -> Listener {
        if let network = group.loops[0].memoryNetwork {
            let memory = try network.listen(at: address, limit: backlog)
            return Listener(
                nil, memory, on: group, address: memory.address, connectionLimit: connectionLimit, backlog: backlog)
        }
        let descriptor = try SystemCall.makeSocket(for: address)
        SystemCall.reuseAddress(descriptor.number)
        try SystemCall.bind(descriptor.number, to: address)
        try SystemCall.listen(descriptor.number, backlog: backlog)
        let bound = try SystemCall.localAddress(descriptor.number)
        return Listener(
            descriptor, on: group, address: bound, connectionLimit: connectionLimit, backlog: backlog)
    }

    /// Binds to the first address of a host: a name, or the text of an IP address.
    ///
    /// - Throws: As ``bind(to:on:backlog:connectionLimit:)``; ``TransportError/unknownHost(_:reason:)``.
    package static func bind(
        toHost host: String, port: UInt16, on group: EventLoopGroup, backlog: Int32, connectionLimit: Int
    ) async throws(TransportError) -> Listener {
        let address: SocketAddress
        if let literal = try? SocketAddress(ipAddress: host, port: port) {
            address = literal
        } else if let network = group.loops[0].memoryNetwork {
            guard let first = network.addresses(of: host)?.first else {
                throw .unknownHost(host, reason: "the network in memory has no such name")
            }
            address = first.withPort(port)
        } else {
            let loop = group.nextLoop()
            let addresses = try await SystemResolver.addresses(of: host, nil, on: loop, timeout: .seconds(30))
            guard let first = addresses.first else { throw .unknownHost(host, reason: "the name has no address") }
            address = first.withPort(port)
        }
        return try bind(to: address, on: group, backlog: backlog, connectionLimit: connectionLimit)
    }

    /// Starts to accept connections; call it once, on any thread.
    ///
    /// - Parameters:
    ///   - acceptFailed: Called on this listener's loop each time the system fails to accept; `isFirst` is true if the
    ///     previous attempt did not fail.
    ///   - accept: Called on the loop of each connection to start it; a connection that is not started is closed. Call
    ///     ``connectionEnded()`` once for each of them.
    package func start(
        acceptFailed: (@Sendable (TransportError, _ isFirst: Bool) -> Void)? = nil,
        _ accept: @escaping @Sendable (ByteStream) -> Void
    ) {
        loop.execute {
            self.acceptFailed = acceptFailed
            self.accept = accept
            self.watch()
        }
    }

    private func watch() {
        if let memory {
            memory.onNetworkEnd = { self.close() }
            return memory.watch(by: self)
        }
        guard let number = descriptor?.number else { return }
        do throws(TransportError) {
            try loop.watch(self, number)
            isWatched = true
        } catch {
            // The system can watch no more sockets; it can again when some have been closed.
            noteFailure(error)
            loop.schedule(at: loop.now + Self.backOff) { self.watch() }
        }
    }

    /// Notes that a connection has ended, so that another can be accepted; may be called on any thread.
    package func connectionEnded() {
        loop.execute {
            self.connectionCount -= 1
            if self.hasMore, self.retry == nil { self.takeConnections() }
        }
    }

    /// Accepts all connections in the system's queue, which would otherwise reset them.
    ///
    /// - Returns: The loops that connections are given to. They already have the accepted ones.
    @discardableResult
    package func takeWaiting() -> [EventLoop] {
        loop.preconditionIsCurrent()
        // At most as many as were queued: new ones may arrive all the time.
        for _ in 0...max(0, backlog) {
            guard accept != nil, case .accepted = acceptOne() else { break }
        }
        return group.loops
    }

    /// Stops listening. Queued connections are accepted; the system resets only those that arrive at this moment.
    package func close() {
        loop.preconditionIsCurrent()
        takeWaiting()
        loop.cancel(&retry)
        memory?.close()
        if let number = descriptor?.number {
            if isWatched { loop.unwatch(self, number) }
            SystemCall.stopListening(number)
        }
        descriptor = nil
        accept = nil
        acceptFailed = nil
    }

    override func becameReady(_ readiness: Poller.Readiness) {
        hasMore = true
        if retry == nil { takeConnections() }
    }

    private func takeConnections() {
        for _ in 0..<Self.connectionsPerTurn {
            guard connectionCount < connectionLimit, accept != nil else { return }
            switch acceptOne() {
            case .accepted: isFailing = false
            case .nothing:
                hasMore = false
                return
            case .failed(let error) where error.isOfOneConnection: continue
            case .failed(let error):
                noteFailure(.system(error))
                return tryAgain(after: Self.backOff)
            }
        }
        tryAgain(after: .zero)
    }

    private func noteFailure(_ error: TransportError) {
        acceptFailed?(error, !isFailing)
        isFailing = true
    }

    private func tryAgain(after pause: Duration) {
        retry = loop.schedule(at: loop.now + pause) {
            self.retry = nil
            self.takeConnections()
        }
    }

    private enum Acceptance {
        case accepted
        case nothing
        case failed(SystemCallError)
    }

    /// Accepts the connection that has waited longest, and starts it.
    private func acceptOne() -> Acceptance {
        if let memory {
            guard let socket = memory.accept() else { return .nothing }
            start(.memory(MemoryDescriptor(owning: socket)), from: socket.peerAddress)
            return .accepted
        }
        guard let number = descriptor?.number else { return .nothing }
        switch SystemCall.accept(number) {
        case .bytes(let connection):
            let descriptor = Descriptor(owning: Int32(connection))
            // A peer that has already left has no address.
            if let peer = try? SystemCall.peerAddress(descriptor.number) { start(.system(descriptor), from: peer) }
            return .accepted
        case .wouldBlock: return .nothing
        case .failed(let error): return .failed(error)
        }
    }

    private func start(_ end: consuming StreamEnd, from peer: SocketAddress) {
        // The listener has its own turn: other users of the group's turn would make the distribution uneven.
        let stream = ByteStream(end, on: group.loops[turn % group.loops.count], peerAddress: peer)
        turn &+= 1
        connectionCount += 1
        let accept = accept
        stream.loop.execute { accept?(stream) }
    }
}
