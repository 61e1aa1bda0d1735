// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Takes connections at an address, and shares them out among event loops in turn.
///
/// One loop accepts for all: so they are shared out evenly, and the limit on their number is kept in one place. When the
/// system has no descriptors left, it waits before it tries again; connections wait in the system's queue meanwhile.
///
/// Everything but ``bind(to:on:backlog:connectionLimit:)``, ``start(_:)`` and ``connectionEnded()`` is for the thread of the loop that accepts; that is also the lock
/// behind `@unchecked Sendable`.
package final class Listener: PollTarget, @unchecked Sendable {
    /// How long it waits when the system has no descriptors left: long enough for some to be closed, too short to be
    /// noticed by people.
    private static let backOff = Duration.milliseconds(100)
    /// How many connections are taken in one turn of the loop, so that those which are there are not kept waiting.
    private static let connectionsPerTurn = 64

    package let loop: EventLoop
    /// Where it listens; the port that the system has chosen, where it was asked to.
    package let address: SocketAddress
    private let group: EventLoopGroup
    private let connectionLimit: Int
    /// Is told of each connection, on the connection's loop; nil until it has been said.
    private var accept: (@Sendable (ByteStream) -> Void)?
    private var descriptor: Descriptor?
    private var connectionCount = 0
    private var isWatched = false
    /// What tries again later; as long as it is set, nothing else does.
    private var retry: EventLoop.Timer?
    private var hasMore = false
    private var turn = 0

    private init(
        _ descriptor: consuming Descriptor, on group: EventLoopGroup, address: SocketAddress, connectionLimit: Int
    ) {
        self.descriptor = consume descriptor
        self.group = group
        self.address = address
        self.connectionLimit = connectionLimit
        loop = group.nextLoop()
    }

    /// Takes an address; connections wait from then on, until ``start(_:)`` takes them.
    ///
    /// - Parameters:
    ///   - address: Where; port 0 lets the system choose one.
    ///   - group: Among whose loops connections are shared out.
    ///   - backlog: How many connections may wait to be taken (the system may allow fewer; Linux: `net.core.somaxconn`).
    ///   - connectionLimit: How many connections there may be at a time; further ones wait to be taken.
    /// - Throws: ``TransportError/system(_:)``, such as when the address is in use.
    package static func bind(
        to address: SocketAddress, on group: EventLoopGroup, backlog: Int32 = 4096, connectionLimit: Int = .max
    ) throws(TransportError) -> Listener {
        let descriptor = try SystemCall.makeSocket(for: address)
        SystemCall.reuseAddress(descriptor.number)
        try SystemCall.bind(descriptor.number, to: address)
        try SystemCall.listen(descriptor.number, backlog: backlog)
        let bound = try SystemCall.localAddress(descriptor.number)
        return Listener(descriptor, on: group, address: bound, connectionLimit: connectionLimit)
    }

    /// Takes the first address of a host: a name, or the text of an IP address.
    ///
    /// - Throws: As ``bind(to:on:backlog:connectionLimit:)``; ``TransportError/unknownHost(_:reason:)``.
    package static func bind(
        toHost host: String, port: UInt16, on group: EventLoopGroup, backlog: Int32, connectionLimit: Int
    ) async throws(TransportError) -> Listener {
        let address: SocketAddress
        if let literal = try? SocketAddress(ipAddress: host, port: port) {
            address = literal
        } else {
            let loop = group.nextLoop()
            let addresses = try await SystemResolver.addresses(of: host, nil, on: loop, timeout: .seconds(30))
            guard let first = addresses.first else { throw .unknownHost(host, reason: "the name has no address") }
            address = first.withPort(port)
        }
        return try bind(to: address, on: group, backlog: backlog, connectionLimit: connectionLimit)
    }

    /// Begins to take connections; may be called on any thread, once.
    ///
    /// - Parameter accept: Is called on the loop of each connection, and starts it; one that is not started is closed.
    ///   For each of them, ``connectionEnded()`` is called one day.
    package func start(_ accept: @escaping @Sendable (ByteStream) -> Void) {
        loop.execute {
            self.accept = accept
            self.watch()
        }
    }

    private func watch() {
        guard let number = descriptor?.number else { return }
        do throws(TransportError) {
            try loop.watch(self, number)
            isWatched = true
        } catch {
            // One socket more than the system can watch: there is room when some have been closed.
            loop.schedule(at: loop.now + Self.backOff) { self.watch() }
        }
    }

    /// Says that a connection has ended, so that there is room for another; may be called on any thread.
    package func connectionEnded() {
        loop.execute {
            self.connectionCount -= 1
            if self.hasMore, self.retry == nil { self.takeConnections() }
        }
    }

    /// Stops listening: connections that wait are reset by the system.
    package func close() {
        loop.preconditionIsCurrent()
        guard let number = descriptor?.number else { return }
        if isWatched { loop.unwatch(self, number) }
        SystemCall.stopListening(number)
        descriptor = nil
        accept = nil
    }

    override func becameReady(_ readiness: Poller.Readiness) {
        hasMore = true
        if retry == nil { takeConnections() }
    }

    private func takeConnections() {
        for _ in 0..<Self.connectionsPerTurn {
            guard connectionCount < connectionLimit, let number = descriptor?.number else { return }
            switch SystemCall.accept(number) {
            case .bytes(let connection): start(Descriptor(owning: Int32(connection)))
            case .wouldBlock:
                hasMore = false
                return
            case .failed: return tryAgain(after: Self.backOff)
            }
        }
        tryAgain(after: .zero)
    }

    private func tryAgain(after pause: Duration) {
        retry = loop.schedule(at: loop.now + pause) {
            self.retry = nil
            self.takeConnections()
        }
    }

    private func start(_ descriptor: consuming Descriptor) {
        // A peer that has gone already has no address, and will not be missed.
        guard let peer = try? SystemCall.peerAddress(descriptor.number) else { return }
        // In a turn of its own: were it the group's, whoever else takes loops at the same time would upset it.
        let stream = ByteStream(descriptor, on: group.loops[turn % group.loops.count], peerAddress: peer)
        turn &+= 1
        connectionCount += 1
        let accept = accept
        stream.loop.execute { accept?(stream) }
    }
}
