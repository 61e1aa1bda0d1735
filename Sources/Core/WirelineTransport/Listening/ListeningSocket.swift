// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A socket that listens at one address, for a ``Listener``. Use it only on the listener's loop.
final class ListeningSocket: PollTarget {
    /// The address, with the port that the system chose if it was asked to.
    let address: SocketAddress
    private var descriptor: Descriptor?
    /// The queue of connections in memory; nil for a socket of the system.
    private let memory: MemoryBacklog?
    /// Whether another process, such as a service manager, has the socket, too: it continues to listen.
    let isShared: Bool
    /// The file of a Unix domain socket that was made here.
    private var file: SocketFile?
    private var isWatched = false
    private(set) var mayHaveMore = false
    var onReady: (() -> Void)?

    private init(
        _ descriptor: consuming Descriptor?, _ memory: MemoryBacklog?, _ file: SocketFile?, at address: SocketAddress,
        isShared: Bool = false
    ) {
        self.descriptor = consume descriptor
        self.memory = memory
        self.file = file
        self.isShared = isShared
        self.address = address
    }

    deinit { file?.remove() }

    // MARK: Binding

    struct Options {
        var backlog: Int32
        var sharesPorts = false
        var isIPv6Only = false
        /// The permissions of a Unix domain socket's file; nil: those that the process's umask allows.
        var mode: UInt16?
    }

    static func bind(
        to address: SocketAddress, _ options: Options, in network: MemoryNetwork?
    ) throws(TransportError) -> ListeningSocket {
        if let network {
            let memory = try network.listen(at: address, limit: options.backlog)
            return ListeningSocket(nil, memory, nil, at: memory.address)
        }
        let descriptor = try SystemCall.makeSocket(for: address)
        let number = descriptor.number
        guard let path = address.unixPath else {
            SystemCall.reuseAddress(number)
            if options.sharesPorts { try SystemCall.sharePort(number) }
            if options.isIPv6Only, address.addressFamily == .ipv6 { SystemCall.setIPv6Only(number) }
            try SystemCall.bind(number, to: address)
            try SystemCall.listen(number, backlog: options.backlog)
            return ListeningSocket(descriptor, nil, nil, at: try SystemCall.localAddress(number))
        }
        guard !path.hasPrefix("@") else {
            try SystemCall.bind(number, to: address)
            try SystemCall.listen(number, backlog: options.backlog)
            return ListeningSocket(descriptor, nil, nil, at: address)
        }
        try bindReplacingStale(number, to: address)
        // From here on the file is removed if something fails.
        let socket = ListeningSocket(descriptor, nil, SocketFile(at: path), at: address)
        // No client can connect before the socket listens.
        if let mode = options.mode { try socket.file?.setMode(mode) }
        try SystemCall.listen(number, backlog: options.backlog)
        return socket
    }

    private static func bindReplacingStale(_ number: Int32, to address: SocketAddress) throws(TransportError) {
        do throws(TransportError) {
            try SystemCall.bind(number, to: address)
        } catch {
            guard case .system(let failure) = error, failure.code == EADDRINUSE,
                try SocketFile.removeStale(at: address)
            else { throw error }
            try SystemCall.bind(number, to: address)
        }
    }

    /// The socket must listen already.
    static func inherit(_ number: Int32) throws(TransportError) -> ListeningSocket {
        guard SystemCall.socketOption(number, SOL_SOCKET, SO_ACCEPTCONN) == 1 else {
            throw .notListening(descriptor: number)
        }
        let descriptor = Descriptor(owning: number)
        SystemCall.makeNonBlocking(number)
        return ListeningSocket(descriptor, nil, nil, at: try SystemCall.localAddress(number), isShared: true)
    }

    // MARK: Listening

    /// Makes the loop report waiting connections to this socket.
    func watch(on loop: EventLoop, onNetworkEnd: @escaping () -> Void) throws(TransportError) {
        if let memory {
            memory.onNetworkEnd = onNetworkEnd
            return memory.watch(by: self)
        }
        guard !isWatched, let number = descriptor?.number else { return }
        try loop.watch(self, number)
        isWatched = true
    }

    override func becameReady(_ readiness: Poller.Readiness) {
        mayHaveMore = true
        onReady?()
    }

    /// It asks the system.
    var hasWaiting: Bool {
        if let memory { return memory.hasWaiting }
        guard let number = descriptor?.number else { return false }
        return SystemCall.isReadable(number)
    }

    enum Acceptance {
        case accepted
        case nothing
        case failed(SystemCallError)
    }

    /// Accepts the connection that has waited longest.
    ///
    /// - Parameter take: Takes the connection and the address of its peer.
    func accept(_ take: (consuming StreamHandle, SocketAddress) -> Void) -> Acceptance {
        if let memory {
            guard let socket = memory.accept() else { return foundNothing() }
            take(.memory(MemoryDescriptor(owning: socket)), socket.peerAddress)
            return .accepted
        }
        guard let number = descriptor?.number else { return foundNothing() }
        switch SystemCall.accept(number) {
        case .bytes(let connection):
            let descriptor = Descriptor(owning: Int32(connection))
            // A peer that has already left has no address.
            if let peer = try? SystemCall.peerAddress(descriptor.number) {
                take(peer.unixPath == nil ? .system(descriptor) : .unix(descriptor), peer)
            }
            return .accepted
        case .wouldBlock: return foundNothing()
        case .failed(let error): return .failed(error)
        }
    }

    private func foundNothing() -> Acceptance {
        mayHaveMore = false
        return .nothing
    }

    /// Another process must have listened at the port before.
    func takeOver() {
        guard address.unixPath == nil, let number = descriptor?.number else { return }
        SystemCall.preferSecondSocket(number)
    }

    /// Stops listening. The system resets connections that were not accepted; those of an inherited socket wait for the
    /// next process that accepts them.
    func close(on loop: EventLoop) {
        file?.remove()
        file = nil
        memory?.close()
        if let number = descriptor?.number {
            if isWatched { loop.unwatch(self, number) }
            if !isShared { SystemCall.stopListening(number) }
        }
        isWatched = false
        descriptor = nil
        onReady = nil
    }
}
