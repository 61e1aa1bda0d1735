// SPDX-License-Identifier: Apache-2.0

extension ByteStream {
    /// Connects to an address.
    ///
    /// - Parameters:
    ///   - address: The peer's address.
    ///   - origin: The local end.
    ///   - loop: The loop that the stream will belong to.
    ///   - timeout: How long the attempt may take.
    /// - Returns: A stream that is not started yet.
    /// - Throws: ``TransportError/refused``, also if the socket would be its own peer; ``TransportError/timedOut``;
    ///   ``TransportError/cancelled`` if the task is; an error for an invalid `origin`; ``TransportError/system(_:)``
    ///   for everything else, such as an unreachable network.
    package static func connect(
        to address: SocketAddress, from origin: ConnectionOrigin = ConnectionOrigin(), on loop: EventLoop,
        timeout: Duration
    ) async throws(TransportError) -> ByteStream {
        try await Attempt.run(on: loop, timeout: timeout) { attempt throws(TransportError) in
            let connecting = ConnectAttempt(to: address, from: origin, on: loop) { attempt.finish($0) }
            attempt.cleanUp = { connecting.cancel() }
            connecting.start()
        }
    }
}

/// A socket that is being connected; use it only on the loop's own thread.
package final class ConnectAttempt: PollTarget {
    private let address: SocketAddress
    private let origin: ConnectionOrigin
    private let loop: EventLoop
    private var completion: ((Result<ByteStream, TransportError>) -> Void)?
    private var descriptor: Descriptor?
    private var isWatched = false
    /// The timer of the next try, while the server's queue is full.
    private var retry: EventLoop.Timer?

    /// The pause before another try, if the queue of a Unix domain socket is full.
    private static let pause = Duration.milliseconds(10)

    /// - Parameters:
    ///   - address: The peer's address.
    ///   - origin: The local end.
    ///   - loop: The loop that the stream will belong to.
    ///   - completion: Called once, with a stream that is not started yet or with an error, perhaps before ``start()``
    ///     returns. Not called if the attempt is cancelled.
    package init(
        to address: SocketAddress, from origin: ConnectionOrigin, on loop: EventLoop,
        completion: @escaping (Result<ByteStream, TransportError>) -> Void
    ) {
        self.address = address
        self.origin = origin
        self.loop = loop
        self.completion = completion
    }

    private var number: Int32 { descriptor?.number ?? -1 }

    package func start() {
        if let network = loop.memoryNetwork { return connect(over: network) }
        do throws(TransportError) {
            descriptor = try SystemCall.makeSocket(for: address)
            // A Unix domain socket has neither an interface nor, as a client, an address.
            if address.unixPath == nil { try SystemCall.bind(number, to: origin, for: address) }
            if try SystemCall.connect(number, to: address) { return succeed() }
            try loop.watch(self, number)
            isWatched = true
        } catch {
            if case .system(let failure) = error, failure.isFullQueue { return tryAgain() }
            finish(.failure(error))
        }
    }

    private func tryAgain() {
        close()
        retry = loop.schedule(at: loop.now + Self.pause) {
            self.retry = nil
            self.start()
        }
    }

    /// Cancels the attempt; the completion is not called.
    package func cancel() {
        completion = nil
        close()
    }

    override func becameReady(_ readiness: Poller.Readiness) {
        guard isWatched, readiness.contains(.writable) else { return }
        do throws(TransportError) {
            try SystemCall.finishConnecting(number)
            succeed()
        } catch {
            finish(.failure(error))
        }
    }

    private func succeed() {
        // If no program listens, a socket whose local port happens to be the peer's port connects to itself.
        if let local = try? SystemCall.localAddress(number), local == address {
            SystemCall.setResetOnClose(number)
            return finish(.failure(.refused))
        }
        unwatch()
        guard let descriptor = descriptor.take() else { return }
        let end: StreamHandle = address.unixPath == nil ? .system(descriptor) : .unix(descriptor)
        finish(.success(ByteStream(end, on: loop, peerAddress: address)))
    }

    private func connect(over network: MemoryNetwork) {
        network.connect(to: address, from: origin.address) { [weak self] result in
            guard let self, self.completion != nil else { return }
            self.finish(
                result.map { socket in
                    ByteStream(.memory(MemoryDescriptor(owning: socket)), on: self.loop, peerAddress: self.address)
                })
        }
    }

    private func finish(_ outcome: Result<ByteStream, TransportError>) {
        close()
        completion.take()?(outcome)
    }

    private func close() {
        loop.cancel(&retry)
        unwatch()
        descriptor = nil
    }

    private func unwatch() {
        if isWatched { loop.unwatch(self, number) }
        isWatched = false
    }
}
