// SPDX-License-Identifier: Apache-2.0

/// An operation that ends once: with a value, an error, its timeout or its cancellation.
///
/// Call everything but ``run(on:timeout:_:)`` on the loop's own thread. So `@unchecked Sendable` needs no lock.
package final class Attempt<Value: Sendable>: @unchecked Sendable {
    package typealias Outcome = Result<Value, TransportError>

    package let loop: EventLoop
    private var outcome: Outcome?
    private var completion: ((Outcome) -> Void)?
    private var timer: EventLoop.Timer?
    /// Releases the resources of the attempt, however it ends.
    package var cleanUp: (() -> Void)?

    private init(on loop: EventLoop) {
        self.loop = loop
    }

    /// Runs an attempt, and waits for its end.
    ///
    /// - Parameters:
    ///   - loop: The loop on which it runs.
    ///   - timeout: How long it may take; nil: no limit.
    ///   - begin: Starts it, and arranges that ``finish(_:)`` is called eventually.
    package static func run(
        on loop: EventLoop, timeout: Duration?,
        _ begin: @escaping @Sendable (Attempt<Value>) throws(TransportError) -> Void
    ) async throws(TransportError) -> Value {
        let attempt = Attempt(on: loop)
        let outcome = await loop.visit {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    attempt.start(timeout, begin) { continuation.resume(returning: $0) }
                }
            } onCancel: {
                loop.execute { attempt.finish(.failure(.cancelled)) }
            }
        }
        return try outcome.get()
    }

    private func start(
        _ timeout: Duration?, _ begin: (Attempt<Value>) throws(TransportError) -> Void,
        _ completion: @escaping (Outcome) -> Void
    ) {
        self.completion = completion
        // A task may be cancelled before it has begun.
        guard outcome == nil else { return complete() }
        do throws(TransportError) {
            if let timeout { timer = loop.schedule(at: loop.now + timeout) { self.finish(.failure(.timedOut)) } }
            try begin(self)
        } catch {
            finish(.failure(error))
        }
    }

    package func finish(_ outcome: Outcome) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        loop.cancel(&timer)
        cleanUp?()
        cleanUp = nil
        complete()
    }

    private func complete() {
        guard let outcome, let completion else { return }
        self.completion = nil
        completion(outcome)
    }
}
