// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Waits until work is done, or until a time has passed. The work continues after that.
///
/// It is for work that may never end, such as the wait for a loop that a handler blocks.
///
/// - Parameter time: The longest time to wait, on the system's clock.
package func wait(atMost time: Duration, for work: @escaping @Sendable () async -> Void) async {
    let waiter = Waiter()
    await withCheckedContinuation { continuation in
        waiter.continuation.withLock { $0 = continuation }
        let timer = Task {
            try? await Task.sleep(for: time)
            waiter.resume()
        }
        Task {
            await work()
            waiter.resume()
            timer.cancel()
        }
    }
}

/// A waiting task. The first call of ``resume()`` ends its wait.
private final class Waiter: Sendable {
    let continuation = Lock<CheckedContinuation<Void, Never>?>(nil)

    func resume() { continuation.withLock { $0.take() }?.resume() }
}
