// SPDX-License-Identifier: Apache-2.0

/// Where a connection begins, where that is not left to the system.
package struct ConnectionOrigin: Equatable, Sendable {
    /// The network interface that it goes over, by its name.
    package var interface: String?
    /// The address that the peer sees; port 0 lets the system choose one.
    package var address: SocketAddress?

    package init(interface: String? = nil, address: SocketAddress? = nil) {
        self.interface = interface
        self.address = address
    }
}

extension ByteStream {
    /// Connects to an address.
    ///
    /// - Parameters:
    ///   - address: Where to.
    ///   - origin: Where from.
    ///   - loop: The loop that the stream will belong to.
    ///   - timeout: How long the attempt may take.
    /// - Returns: A stream that is not started yet.
    /// - Throws: ``TransportError/refused``, ``TransportError/timedOut``, ``TransportError/cancelled`` when the task is,
    ///   what is wrong with `origin`, ``TransportError/system(_:)`` for everything else, such as a network that cannot be
    ///   reached.
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

/// A socket that is being connected; for the loop's own thread.
package final class ConnectAttempt: PollTarget {
    private let address: SocketAddress
    private let origin: ConnectionOrigin
    private let loop: EventLoop
    private var completion: ((Result<ByteStream, TransportError>) -> Void)?
    private var descriptor: Descriptor?
    private var isWatched = false

    /// - Parameters:
    ///   - address: Where to.
    ///   - origin: Where from.
    ///   - loop: The loop that the stream will belong to.
    ///   - completion: Is called once, with a stream that is not started yet or with what has gone wrong, unless the
    ///     attempt is cancelled; it may be before ``start()`` returns.
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

    /// Begins to connect.
    package func start() {
        do throws(TransportError) {
            descriptor = try SystemCall.makeSocket(for: address)
            try SystemCall.bind(number, to: origin, for: address)
            if try SystemCall.connect(number, to: address) { return succeed() }
            try loop.watch(self, number)
            isWatched = true
        } catch {
            finish(.failure(error))
        }
    }

    /// Gives up; nobody is told.
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
        unwatch()
        guard let descriptor = descriptor.take() else { return }
        finish(.success(ByteStream(descriptor, on: loop, peerAddress: address)))
    }

    private func finish(_ outcome: Result<ByteStream, TransportError>) {
        close()
        completion.take()?(outcome)
    }

    private func close() {
        unwatch()
        descriptor = nil
    }

    private func unwatch() {
        if isWatched { loop.unwatch(self, number) }
        isWatched = false
    }
}
