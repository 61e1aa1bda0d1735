// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The pieces in which bytes arrive.
package enum MemoryDelivery: Equatable, Sendable {
    /// Everything that has arrived is read at once.
    case whole
    /// In pieces of this many bytes.
    case bytes(Int)
    /// In two pieces: the first bytes of each direction, and the rest.
    case cut(at: Int)
    /// In pieces of 1 to 128 bytes; the seed determines them.
    case random(seed: UInt64)
}

/// A network in memory, for the sockets of one loop.
///
/// Methods marked so may be called on any thread; everything else belongs to the loop. So `@unchecked Sendable` needs
/// no lock but that of `registry`.
package final class MemoryNetwork: LoopNetwork, @unchecked Sendable {
    private struct Registry {
        var backlogs: [SocketAddress: MemoryBacklog] = [:]
        var names: [String: [SocketAddress]] = [:]
        var lastPort: UInt16 = 49_151

        mutating func nextPort() -> UInt16 {
            lastPort = lastPort == .max ? 49_152 : lastPort + 1
            return lastPort
        }

        /// The listener at an address, or at the port of all addresses.
        func backlog(for address: SocketAddress) -> MemoryBacklog? {
            if let backlog = backlogs[address] { return backlog }
            let wildcard = SocketAddress(
                bytes: [UInt8](repeating: 0, count: address.bytes.count), port: address.port)
            return wildcard.flatMap { backlogs[$0] }
        }
    }

    private struct Entry {
        weak var socket: MemorySocket?
    }

    private let registry = Lock(Registry())
    /// The loop; it retains the network.
    private(set) weak var place: EventLoop?
    private var pipeCount: UInt64 = 0
    private var sockets: [ObjectIdentifier: Entry] = [:]
    private var order: [ObjectIdentifier] = []

    /// For connections that are made from now on.
    package var delivery = MemoryDelivery.whole
    /// How long bytes are on their way.
    package var latency = Duration.zero
    /// The most bytes on their way, and the most unread bytes, in each direction.
    package var bufferByteCount = 64 << 10
    /// Whether all directions are stopped.
    package private(set) var isCut = false

    /// Starts a thread with a loop whose sockets are in memory, and whose clock is moved by hand.
    package static func start() throws(TransportError) -> EventLoop {
        let network = MemoryNetwork()
        let loop = try EventLoop(eventLimit: 64, manualClock: ManualClock(), network: network)
        network.place = loop
        return loop
    }

    private override init() {}

    package var loop: EventLoop {
        guard let place else { preconditionFailure("the network has ended") }
        return place
    }

    // MARK: Any thread

    package func setAddresses(_ addresses: [SocketAddress], of host: String) {
        registry.withLock { $0.names[host] = addresses }
    }

    /// Nil: the name is unknown.
    package func addresses(of host: String) -> [SocketAddress]? { registry.withLock { $0.names[host] } }

    func listen(at address: SocketAddress, limit: Int32) throws(TransportError) -> MemoryBacklog {
        try registry.withLock { registry throws(TransportError) in
            let address = address.port == 0 ? address.withPort(registry.nextPort()) : address
            guard registry.backlogs[address] == nil else { throw .system(SystemCallError("bind", EADDRINUSE)) }
            let backlog = MemoryBacklog(at: address, on: self, limit: Int(limit))
            registry.backlogs[address] = backlog
            return backlog
        }
    }

    func stopListening(at address: SocketAddress) {
        registry.withLock { $0.backlogs[address] = nil }
    }

    // MARK: Connections

    /// - Parameter completion: Called once, in a later turn; never while the network is cut.
    func connect(
        to address: SocketAddress, from local: SocketAddress?,
        _ completion: @escaping (Result<MemorySocket, TransportError>) -> Void
    ) {
        guard !isCut else { return }
        let attempt = { completion(self.accept(at: address, from: local)) }
        if latency > .zero {
            loop.schedule(at: loop.now + latency * 2) { if !self.isCut { attempt() } }
        } else {
            loop.continueLater(attempt)
        }
    }

    private func accept(at address: SocketAddress, from local: SocketAddress?) -> Result<MemorySocket, TransportError> {
        let found = registry.withLock { registry in
            var client = address.unixPath == nil ? local ?? address.withPort(0) : .unnamed
            if client.port == 0 { client = client.withPort(registry.nextPort()) }
            return (client: client, backlog: registry.backlog(for: address))
        }
        guard let backlog = found.backlog, backlog.hasRoom else { return .failure(.refused) }
        let pair = MemorySocket.makePair(on: self, client: found.client, server: address)
        backlog.add(pair.server)
        return .success(pair.client)
    }

    /// Each direction has its own cuts.
    func makeCuts() -> MemoryCuts {
        pipeCount += 1
        return MemoryCuts(delivery, number: pipeCount)
    }

    func add(_ socket: MemorySocket) {
        sockets[ObjectIdentifier(socket)] = Entry(socket: socket)
        order.append(ObjectIdentifier(socket))
    }

    func remove(_ socket: MemorySocket) {
        sockets[ObjectIdentifier(socket)] = nil
        order.removeAll { $0 == ObjectIdentifier(socket) }
    }

    /// In the order in which they were made.
    private var openSockets: [MemorySocket] { order.compactMap { sockets[$0]?.socket } }

    /// The arrival time of bytes sent now.
    var arrivalTime: MonotonicTime { loop.now + latency }

    // MARK: Faults

    /// Stops or resumes all directions. Connections do not notice it by themselves.
    package func cut(_ isCut: Bool) {
        self.isCut = isCut
        for socket in openSockets { socket.noteCut() }
    }

    package func resetConnections() {
        for socket in openSockets { socket.becomeReset() }
    }

    /// Ends the network and its loop. May be called on any thread.
    package func end() {
        let loop = loop
        loop.execute {
            self.isCut = false
            let backlogs = self.registry.withLock { registry in
                defer { registry = Registry() }
                return registry.backlogs.values.map(\.self)
            }
            for backlog in backlogs { backlog.networkEnded() }
            self.resetConnections()
            loop.whenIdle { loop.stop() }
        }
    }
}

extension EventLoop {
    /// Nil: the system's network.
    package var memoryNetwork: MemoryNetwork? { network as? MemoryNetwork }
}
