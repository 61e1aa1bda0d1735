// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

extension TestNetwork {
    /// Moves the clock. Timeouts, heartbeats, rate limits and the back-off of sessions take effect.
    ///
    /// Timers fire in the order of their deadlines. All work that one timer starts is done before the next one fires.
    /// The call returns when the network is idle.
    public func advance(by duration: Duration) async {
        await settle()
        await loop.advance(by: duration)
        await settle()
    }

    /// Waits until the network is idle. Call it after work that the test starts without a ``TestClient``.
    ///
    ///     try room.send(Sc_200(text: "hi"))
    ///     await network.settle()
    public func settle() async {
        while true {
            let count = loop.manualClock?.outsideWorkCount
            await loop.waitUntilIdle()
            // Tasks that have left the loop get a chance to return to it.
            for _ in 0..<3 { await Task.yield() }
            if loop.manualClock?.outsideWorkCount == count { return }
        }
    }

    /// Runs a part of the test. The call fails, and does not hang, if that part waits for something that never arrives.
    ///
    /// Use it for calls that wait, such as those of a session:
    ///
    ///     let reply = try await network.run(within: .seconds(10)) { try await session.request(Cs_100(roomID: 7, name: "Mo")) }
    ///
    /// - Parameters:
    ///   - limit: How far the clock may move, from one timer to the next, until `body` returns (default: not at all).
    ///   - body: The code to run, on the network's loop.
    ///   - fileID: The file of the test, for the failure.
    ///   - line: The line of the test, for the failure.
    /// - Throws: The error of `body`; ``TestFailure`` if `body` does not return.
    public func run<Value: Sendable>(
        within limit: Duration = .zero, fileID: String = #fileID, line: Int = #line,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await run("the test waits for a call", within: limit, CodePlace(fileID, line), body)
    }

    func run<Value: Sendable>(
        _ what: String, within limit: Duration, _ place: CodePlace,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let outcome = Lock<Result<Value, any Error>?>.Shared(nil)
        // This function awaits the task through `outcome`.
        let task = Task(executorPreference: loop) {
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
        }
        if await wait(within: limit, until: { outcome.withLock { $0 != nil } }),
            let result = outcome.withLock({ $0 })
        {
            return try result.get()
        }
        task.cancel()
        await settle()
        throw TestFailure(place, "\(what), but it did not finish: the network is idle\(await idleNote())")
    }

    /// Waits until a condition is true, or until neither the clock nor code outside the loop can make it true.
    ///
    /// - Parameter limit: How far the clock may move.
    /// - Returns: Whether the condition is true.
    func wait(within limit: Duration, until isFulfilled: () -> Bool) async -> Bool {
        await settle()
        let end = loop.clockTime + limit
        while !isFulfilled(), loop.clockTime < end {
            await step(to: end)
            await settle()
        }
        // The condition is still false only if the test fails or code has left the loop. Such code needs real time.
        let clock = ContinuousClock()
        let deadline = clock.now + patience
        while !isFulfilled(), clock.now < deadline, !Task.isCancelled {
            try? await clock.sleep(for: .milliseconds(1))
            await settle()
        }
        return isFulfilled()
    }

    /// Moves the clock to the next timer, or to `end` if no timer is due before it.
    private func step(to end: MonotonicTime) async {
        await withCheckedContinuation { continuation in
            loop.whenIdle { [loop] in
                _ = loop.advanceToNextTimer(before: end)
                continuation.resume()
            }
        }
    }

    /// Returns the part of a failure's text that says when the next timer is due.
    func idleNote() async -> String {
        let (next, now) = await loop.run { [loop] in (loop.nextDeadline, loop.clockTime) }
        guard let next else { return ", and no timer is set" }
        return ", and the next timer is due in \(now.duration(to: next).rounded)"
    }
}

extension Duration {
    /// Rounded up to milliseconds: a turn of the loop can add nanoseconds.
    fileprivate var rounded: Duration { .milliseconds((self / .milliseconds(1)).rounded(.up)) }
}

extension Lock where Value: Sendable {
    /// A lock in a class, so that several closures can share it.
    final class Shared: Sendable {
        private let lock: Lock<Value>

        init(_ value: Value) { lock = Lock(value) }

        func withLock<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock(body) }
    }
}
