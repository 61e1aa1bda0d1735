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
        let attempt = ConnectAttempt(to: address, on: loop, timeout: timeout)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.execute { attempt.start { continuation.resume(returning: $0) } }
            }
        } onCancel: {
            loop.execute { attempt.finish(.failure(.cancelled)) }
        }
        return try result.get()
    }
}

/// An attempt to connect, which ends once: with a connection, an error, its deadline or its cancellation.
///
/// Everything but `init` is for the loop's own thread; that is also the lock behind `@unchecked Sendable`.
private final class ConnectAttempt: PollTarget, @unchecked Sendable {
    typealias Outcome = Result<ByteStream, TransportError>

    private let address: SocketAddress
    private let loop: EventLoop
    private let timeout: Duration
    private var descriptor: Descriptor?
    private var isWatched = false
    private var timer: EventLoop.Timer?
    private var outcome: Outcome?
    private var completion: ((Outcome) -> Void)?

    init(to address: SocketAddress, on loop: EventLoop, timeout: Duration) {
        self.address = address
        self.loop = loop
        self.timeout = timeout
    }

    func start(_ completion: @escaping (Outcome) -> Void) {
        self.completion = completion
        // A task may be cancelled before it has begun.
        guard outcome == nil else { return complete() }
        do throws(TransportError) {
            descriptor = try SystemCall.makeSocket(for: address)
            if try SystemCall.connect(number, to: address) { return succeed() }
            try loop.watch(self, number)
            isWatched = true
            timer = loop.schedule(at: .now + timeout) { self.finish(.failure(.timedOut)) }
        } catch {
            finish(.failure(error))
        }
    }

    private var number: Int32 { descriptor?.number ?? -1 }

    override func becameReady(_ readiness: Poller.Readiness) {
        guard outcome == nil, readiness.contains(.writable) else { return }
        do throws(TransportError) {
            try SystemCall.finishConnecting(number)
            succeed()
        } catch {
            finish(.failure(error))
        }
    }

    private func succeed() {
        if isWatched { loop.unwatch(self, number) }
        isWatched = false
        guard let descriptor = descriptor.take() else { return }
        finish(.success(ByteStream(descriptor, on: loop, peerAddress: address)))
    }

    /// Ends the attempt, unless it has ended.
    func finish(_ outcome: Outcome) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        if let timer { loop.cancel(timer) }
        descriptor = nil
        if isWatched { loop.forget(self) }
        isWatched = false
        complete()
    }

    private func complete() {
        guard let outcome, let completion else { return }
        self.completion = nil
        completion(outcome)
    }
}
