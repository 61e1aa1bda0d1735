// SPDX-License-Identifier: Apache-2.0

/// Accepts connections at one or several addresses, and distributes them among event loops in turn.
///
/// One loop accepts for all, so the distribution is even and the connection limit is kept in one place. If the system
/// has no descriptors left, the listener reports it and retries after a pause; connections wait in the system's queue
/// meanwhile.
///
/// Call everything but `bind`, `start` and ``connectionEnded()`` on the thread of the accepting loop. So `@unchecked
/// Sendable` needs no lock.
package final class Listener: @unchecked Sendable {
    /// The pause when the system has no descriptors left: long enough for some to be closed, too short for people to
    /// notice.
    private static let backOff = Duration.milliseconds(100)
    /// New connections get an eighth of the loop's time, so that neither they nor the existing ones wait long.
    private static let shareOfTime = 8
    /// The shortest and the longest time for accepting connections in one turn of the loop.
    private static let timePerTurn: ClosedRange<Duration> = .milliseconds(1) ... .milliseconds(10)

    /// The most connections accepted in one turn: a clock that a test moves does not move meanwhile.
    private static let mostPerTurn = 1_000

    package struct Reports: Sendable {
        /// Called on the listener's loop each time the system fails to accept; `isFirst` is true if the previous
        /// attempt did not fail.
        package var acceptFailed: (@Sendable (TransportError, _ isFirst: Bool) -> Void)?
        /// Called on the listener's loop when connections begin to wait because the limit is reached.
        package var limitReached: (@Sendable () -> Void)?

        package init(
            acceptFailed: (@Sendable (TransportError, _ isFirst: Bool) -> Void)? = nil,
            limitReached: (@Sendable () -> Void)? = nil
        ) {
            self.acceptFailed = acceptFailed
            self.limitReached = limitReached
        }
    }

    package let loop: EventLoop
    /// The addresses that it listens at, with the ports that the system chose if it was asked to; at least one.
    package let addresses: [SocketAddress]
    private let group: EventLoopGroup
    private let policy: ListeningPolicy
    private let sockets: [ListeningSocket]
    /// Called for each connection, on the connection's loop, with the address that it was accepted at; nil before
    /// `start`.
    private var accept: (@Sendable (ByteStream, SocketAddress) -> Void)?
    private var reports = Reports()
    private var isFailing = false
    private var isFull = false
    private var connectionCount = 0
    /// The timer of the next retry; while it is set, nothing else accepts.
    private var retry: EventLoop.Timer?
    /// The end of the last round of accepting, which lets others have their turn.
    private var lastPause: MonotonicTime
    private var turn = 0
    private var socketTurn = 0

    private init(_ sockets: [ListeningSocket], on group: EventLoopGroup, _ policy: ListeningPolicy) {
        precondition(!sockets.isEmpty, "a listener has an address")
        self.sockets = sockets
        self.group = group
        self.policy = policy
        addresses = sockets.map(\.address)
        loop = group.nextLoop()
        lastPause = loop.clockTime
    }

    package var address: SocketAddress { addresses[0] }

    // MARK: Binding

    /// Binds to an address; connections queue until they are accepted after `start`.
    ///
    /// - Parameters:
    ///   - address: The address; with port 0 the system chooses one.
    ///   - group: The loops among which connections are distributed.
    ///   - backlog: The largest number of connections in the queue.
    ///   - connectionLimit: The largest number of accepted connections at a time; others wait in the queue.
    /// - Throws: ``TransportError/system(_:)``, for example if the address is in use.
    package static func bind(
        to address: SocketAddress, on group: EventLoopGroup, backlog: Int32 = 4_096, connectionLimit: Int = .max
    ) throws(TransportError) -> Listener {
        let socket = try ListeningSocket.bind(
            to: address, ListeningSocket.Options(backlog: backlog), in: group.loops[0].memoryNetwork)
        return Listener([socket], on: group, ListeningPolicy(backlog: backlog, connectionLimit: connectionLimit))
    }

    /// Binds to several addresses; connections queue until they are accepted after `start`.
    ///
    /// - Parameters:
    ///   - addresses: The addresses, at least one.
    ///   - group: The loops among which connections are distributed.
    /// - Throws: ``TransportError/system(_:)``, for example if an address is in use;
    ///   ``TransportError/unknownHost(_:reason:)``; ``TransportError/invalidPath(_:)``;
    ///   ``TransportError/notASocket(_:)``; ``TransportError/notListening(descriptor:)``. Then it listens nowhere.
    package static func bind(
        to addresses: [ListeningAddress], on group: EventLoopGroup, _ policy: ListeningPolicy
    ) async throws(TransportError) -> Listener {
        var bindings: [Binding] = []
        for address in addresses { bindings.append(try await Binding(address, on: group)) }
        let sockets = try Binding.sockets(bindings, policy, in: group.loops[0].memoryNetwork)
        return Listener(sockets, on: group, policy)
    }

    private struct Binding {
        /// The address; nil: an inherited socket.
        var address: SocketAddress?
        var descriptor: Int32 = -1
        var mode: UInt16?

        init(_ listening: ListeningAddress, on group: EventLoopGroup) async throws(TransportError) {
            switch listening.endpoint {
            case .host(let host, let port): address = try await Self.address(of: host, port, on: group)
            case .unix(let path, let mode):
                address = try SocketAddress(unixPath: path)
                self.mode = mode
            case .descriptor(let number): descriptor = number
            }
        }

        /// The host is a name, or the text of an IP address.
        private static func address(
            of host: String, _ port: UInt16, on group: EventLoopGroup
        ) async throws(TransportError) -> SocketAddress {
            if let literal = try? SocketAddress(ipAddress: host, port: port) { return literal }
            if let network = group.loops[0].memoryNetwork {
                guard let first = network.addresses(of: host)?.first else {
                    throw .unknownHost(host, reason: "the network in memory has no such name")
                }
                return first.withPort(port)
            }
            let found = try await SystemResolver.addresses(
                of: host, nil, on: group.nextLoop(), timeout: .seconds(30))
            guard let first = found.first else { throw .unknownHost(host, reason: "the name has no address") }
            return first.withPort(port)
        }

        static func sockets(
            _ bindings: [Binding], _ policy: ListeningPolicy, in network: MemoryNetwork?
        ) throws(TransportError) -> [ListeningSocket] {
            let ipv4Ports = Set(bindings.compactMap { $0.address?.addressFamily == .ipv4 ? $0.address?.port : nil })
            var sockets: [ListeningSocket] = []
            for binding in bindings {
                guard let address = binding.address else {
                    sockets.append(try ListeningSocket.inherit(binding.descriptor))
                    continue
                }
                let options = ListeningSocket.Options(
                    backlog: policy.backlog, sharesPorts: policy.sharesPorts,
                    isIPv6Only: ipv4Ports.contains(address.port), mode: binding.mode)
                sockets.append(try ListeningSocket.bind(to: address, options, in: network))
            }
            return sockets
        }
    }

    // MARK: Accepting

    /// Starts to accept connections; call it once, on any thread.
    ///
    /// - Parameters:
    ///   - acceptFailed: See ``Reports``.
    ///   - accept: Called on the loop of each connection to start it; a connection that is not started is closed. Call
    ///     ``connectionEnded()`` once for each of them.
    package func start(
        acceptFailed: (@Sendable (TransportError, _ isFirst: Bool) -> Void)? = nil,
        _ accept: @escaping @Sendable (ByteStream) -> Void
    ) {
        start(Reports(acceptFailed: acceptFailed)) { stream, _ in accept(stream) }
    }

    /// Starts to accept connections; call it once, on any thread.
    ///
    /// - Parameters:
    ///   - reports: The events that the server wants to learn.
    ///   - accept: As above; it also gets the address that the connection was accepted at.
    package func start(_ reports: Reports, accept: @escaping @Sendable (ByteStream, SocketAddress) -> Void) {
        loop.execute {
            self.reports = reports
            self.accept = accept
            for socket in self.sockets { self.watch(socket) }
        }
    }

    private func watch(_ socket: ListeningSocket) {
        guard accept != nil else { return }
        do throws(TransportError) {
            // The listener lives until it is closed.
            socket.onReady = { if self.retry == nil { self.takeConnections() } }
            try socket.watch(on: loop) { self.close() }
        } catch {
            // The system can watch no more sockets; it can again when some have been closed.
            noteFailure(error)
            loop.schedule(at: loop.now + Self.backOff) { self.watch(socket) }
        }
    }

    /// Notes that a connection has ended, so that another can be accepted; may be called on any thread.
    package func connectionEnded() {
        loop.execute {
            self.connectionCount -= 1
            // Not at once: a refused connection ends while it is accepted, and so would all that follow.
            if self.connectionCount == self.policy.connectionLimit - 1, self.retry == nil {
                self.tryAgain(after: .zero)
            }
        }
    }

    /// Accepts all connections in the system's queues, because the system would reset them. Those of inherited sockets
    /// wait for the next process.
    ///
    /// - Returns: The loops of the connections. They already have the accepted ones.
    @discardableResult
    package func takeWaiting() -> [EventLoop] {
        loop.preconditionIsCurrent()
        for socket in sockets where !socket.isShared {
            // At most as many as were queued: new ones may arrive all the time.
            for _ in 0...max(0, policy.backlog) {
                guard accept != nil, case .accepted = acceptOne(of: socket) else { break }
            }
        }
        return group.loops
    }

    /// Takes all new connections of ports that this process shares with another one (``ListeningPolicy/sharesPorts``)
    /// that has listened before. Then the other process can end without losing the connections in its queue.
    ///
    /// Only Linux can do this. Elsewhere both get connections until one of them ends.
    package func takeOver() {
        loop.preconditionIsCurrent()
        guard policy.sharesPorts else { return }
        for socket in sockets { socket.takeOver() }
    }

    /// Stops listening. Queued connections are accepted; the system resets only those that arrive at this moment.
    package func close() {
        loop.preconditionIsCurrent()
        takeWaiting()
        loop.cancel(&retry)
        for socket in sockets { socket.close(on: loop) }
        accept = nil
        reports = Reports()
    }

    private func takeConnections() {
        let start = loop.now
        let (least, most) = (Self.timePerTurn.lowerBound, Self.timePerTurn.upperBound)
        let end = start + max(least, min(most, lastPause.duration(to: start) / Self.shareOfTime))
        var left = Self.mostPerTurn
        repeat {
            guard accept != nil, let socket = nextSocket() else { return }
            guard connectionCount < policy.connectionLimit else { return noteLimit() }
            switch acceptOne(of: socket) {
            case .accepted:
                isFailing = false
                left -= 1
                loop.note(.connectionAccepted)
            case .nothing: isFull = false
            // Counted, too: a system that refuses the call may leave the connection in its queue.
            case .failed(let error) where error.isOfOneConnection: left -= 1
            case .failed(let error):
                noteFailure(.system(error))
                return tryAgain(after: Self.backOff)
            }
            loop.forgetTime()
        } while loop.now < end && left > 0
        lastPause = loop.now
        tryAgain(after: .zero)
    }

    /// The next socket in turn where connections may wait.
    private func nextSocket() -> ListeningSocket? {
        for _ in sockets {
            let socket = sockets[socketTurn]
            socketTurn = (socketTurn + 1) % sockets.count
            if socket.mayHaveMore { return socket }
        }
        return nil
    }

    /// Reports the limit once: again only after no connection was waiting.
    private func noteLimit() {
        guard !isFull, sockets.contains(where: \.hasWaiting) else { return }
        isFull = true
        reports.limitReached?()
    }

    private func noteFailure(_ error: TransportError) {
        reports.acceptFailed?(error, !isFailing)
        isFailing = true
    }

    private func tryAgain(after pause: Duration) {
        retry = loop.schedule(at: loop.now + pause) {
            self.retry = nil
            self.takeConnections()
        }
    }

    /// Accepts the connection that has waited longest at a socket.
    private func acceptOne(of socket: ListeningSocket) -> ListeningSocket.Acceptance {
        socket.accept { end, peer in start(end, from: peer, at: socket.address) }
    }

    private func start(_ end: consuming StreamHandle, from peer: SocketAddress, at address: SocketAddress) {
        // The listener has its own turn: other users of the group's turn would make the distribution uneven.
        let stream = ByteStream(end, on: group.loops[turn % group.loops.count], peerAddress: peer)
        turn &+= 1
        connectionCount += 1
        let accept = accept
        stream.loop.execute { accept?(stream, address) }
    }
}
