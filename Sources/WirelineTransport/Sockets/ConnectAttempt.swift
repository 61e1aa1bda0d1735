// SPDX-License-Identifier: Apache-2.0

extension ByteStream {
    /// Connects to an address.
    ///
    /// - Parameters:
    ///   - address: Where to.
    ///   - loop: The loop that the stream will belong to.
    ///   - timeout: How long the attempt may take.
    /// - Returns: A stream that is not started yet.
    /// - Throws: ``TransportError/refused``, ``TransportError/timedOut``, ``TransportError/cancelled`` when the task is,
    ///   ``TransportError/system(_:)`` for everything else, such as a network that cannot be reached.
    package static func connect(
        to address: SocketAddress, on loop: EventLoop, timeout: Duration
    ) async throws(TransportError) -> ByteStream {
        try await Attempt.run(on: loop, timeout: timeout) { attempt throws(TransportError) in
            try ConnectAttempt(to: address, attempt).start()
        }
    }

    /// Connects to a host: to its addresses in the system's order, each with its share of what is left of the time.
    ///
    /// - Parameters:
    ///   - host: A name, or the text of an IP address.
    ///   - port: The port.
    ///   - loop: The loop that the stream will belong to.
    ///   - timeout: How long looking the name up and connecting may take together.
    /// - Throws: As ``connect(to:on:timeout:)``, for the last address; ``TransportError/unknownHost(_:reason:)``.
    package static func connect(
        toHost host: String, port: UInt16, on loop: EventLoop, timeout: Duration
    ) async throws(TransportError) -> ByteStream {
        let deadline = MonotonicTime.now + timeout
        var addresses = try await NameLookup.addresses(of: host, port: port, on: loop, timeout: timeout)[...]
        var failure = TransportError.unknownHost(host, reason: "the name has no address")
        while let address = addresses.popFirst() {
            let share = deadline.timeLeft / (addresses.count + 1)
            do throws(TransportError) {
                return try await connect(to: address, on: loop, timeout: share)
            } catch {
                guard error != .cancelled else { throw error }
                failure = error
            }
        }
        throw failure
    }
}

/// A socket that is being connected; for the loop's own thread.
private final class ConnectAttempt: PollTarget {
    private let address: SocketAddress
    private let attempt: Attempt<ByteStream>
    private var descriptor: Descriptor?
    private var isWatched = false

    init(to address: SocketAddress, _ attempt: Attempt<ByteStream>) {
        self.address = address
        self.attempt = attempt
    }

    private var number: Int32 { descriptor?.number ?? -1 }

    func start() throws(TransportError) {
        attempt.cleanUp = cleanUp
        descriptor = try SystemCall.makeSocket(for: address)
        if try SystemCall.connect(number, to: address) { return succeed() }
        try attempt.loop.watch(self, number)
        isWatched = true
    }

    override func becameReady(_ readiness: Poller.Readiness) {
        guard isWatched, readiness.contains(.writable) else { return }
        do throws(TransportError) {
            try SystemCall.finishConnecting(number)
            succeed()
        } catch {
            attempt.finish(.failure(error))
        }
    }

    private func succeed() {
        if isWatched { attempt.loop.unwatch(self, number) }
        isWatched = false
        guard let descriptor = descriptor.take() else { return }
        attempt.finish(.success(ByteStream(descriptor, on: attempt.loop, peerAddress: address)))
    }

    private func cleanUp() {
        descriptor = nil
        if isWatched { attempt.loop.forget(self) }
        isWatched = false
    }
}
