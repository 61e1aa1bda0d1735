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
/// Everything but ``start(at:on:backlog:accept:)`` is for the thread of the loop that accepts; that is also the lock
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
    private let accept: @Sendable (ByteStream) -> Void
    private var descriptor: Descriptor?
    private var isPaused = false
    private var hasMore = false
    private var turn = 0

    private init(
        _ descriptor: consuming Descriptor, on group: EventLoopGroup, address: SocketAddress,
        accept: @escaping @Sendable (ByteStream) -> Void
    ) {
        self.descriptor = consume descriptor
        self.group = group
        self.address = address
        self.accept = accept
        loop = group.nextLoop()
    }

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - address: Where; port 0 lets the system choose one.
    ///   - group: Among whose loops connections are shared out.
    ///   - backlog: How many connections may wait to be taken (the system may allow fewer; Linux: `net.core.somaxconn`).
    ///   - accept: Is called on the loop of each connection, and starts it; one that is not started is closed.
    /// - Throws: ``TransportError/system(_:)``, such as when the address is in use.
    package static func start(
        at address: SocketAddress, on group: EventLoopGroup, backlog: Int32 = 4096,
        accept: @escaping @Sendable (ByteStream) -> Void
    ) throws(TransportError) -> Listener {
        let descriptor = try SystemCall.makeSocket(for: address)
        SystemCall.reuseAddress(descriptor.number)
        try SystemCall.bind(descriptor.number, to: address)
        try SystemCall.listen(descriptor.number, backlog: backlog)
        let bound = try SystemCall.localAddress(descriptor.number)
        let listener = Listener(descriptor, on: group, address: bound, accept: accept)
        listener.loop.execute { listener.watch() }
        return listener
    }

    private func watch() {
        guard let number = descriptor?.number else { return }
        do throws(TransportError) {
            try loop.watch(self, number)
        } catch {
            // One socket more than the system can watch: there is room when some have been closed.
            loop.schedule(at: loop.now + Self.backOff) { self.watch() }
        }
    }

    /// Stops taking connections, for as long as there are too many; they wait in the system's queue.
    package func pause() {
        loop.preconditionIsCurrent()
        isPaused = true
    }

    /// Takes connections again.
    package func resume() {
        loop.preconditionIsCurrent()
        guard isPaused else { return }
        isPaused = false
        if hasMore { takeConnections() }
    }

    /// Stops listening: connections that wait are reset by the system.
    package func close() {
        loop.preconditionIsCurrent()
        guard descriptor != nil else { return }
        descriptor = nil
        loop.forget(self)
    }

    override func becameReady(_ readiness: Poller.Readiness) {
        hasMore = true
        if !isPaused { takeConnections() }
    }

    private func takeConnections() {
        for _ in 0..<Self.connectionsPerTurn {
            guard !isPaused, let number = descriptor?.number else { return }
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
        loop.schedule(at: loop.now + pause) { if !self.isPaused { self.takeConnections() } }
    }

    private func start(_ descriptor: consuming Descriptor) {
        // A peer that has gone already has no address, and will not be missed.
        guard let peer = try? SystemCall.peerAddress(descriptor.number) else { return }
        // In a turn of its own: were it the group's, whoever else takes loops at the same time would upset it.
        let stream = ByteStream(descriptor, on: group.loops[turn % group.loops.count], peerAddress: peer)
        turn &+= 1
        let accept = accept
        stream.loop.execute { accept(stream) }
    }
}
