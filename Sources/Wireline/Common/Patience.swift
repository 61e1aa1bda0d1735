// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Waits for what loops do, but not for ever: a handler may block one of them.
///
/// - Parameters:
///   - time: The longest time to wait, on the system's clock.
///   - work: It goes on after that time.
func wait(atMost time: Duration, for work: @escaping @Sendable () async -> Void) async {
    let waiter = Waiter()
    await withCheckedContinuation { continuation in
        waiter.continuation.withLock { $0 = continuation }
        Task {
            await work()
            waiter.resume()
        }
        Task {
            try? await Task.sleep(for: time)
            waiter.resume()
        }
    }
}

/// A task that is resumed once, by whoever comes first.
private final class Waiter: Sendable {
    let continuation = Lock<CheckedContinuation<Void, Never>?>(nil)

    func resume() { continuation.withLock { $0.take() }?.resume() }
}
