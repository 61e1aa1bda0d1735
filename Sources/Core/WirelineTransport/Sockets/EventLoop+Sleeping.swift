// SPDX-License-Identifier: Apache-2.0

extension EventLoop {
    /// Waits for a time on the loop's clock.
    ///
    /// Handlers use it in place of `Task.sleep`, so that a test of theirs can move the clock (`WirelineTesting`).
    ///
    ///     try await client.loop.sleep(for: .seconds(3))
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(for duration: Duration) async throws(CancellationError) {
        do throws(TransportError) {
            try await Attempt<Void>.run(on: self, timeout: duration) { _ in }
        } catch {
            if error == .cancelled { throw CancellationError() }
        }
    }
}
