// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

extension TestNetwork {
    /// Moves the clock: timeouts, heartbeats, rate limits and the back-off of sessions pass.
    ///
    /// Timers fire in the order of their deadlines. Everything that one of them begins is done before the next one. The
    /// call returns when the network is idle.
    public func advance(by duration: Duration) async {
        await settle()
        await loop.advance(by: duration)
        await settle()
    }

    /// Waits until the network is idle: what a test has done outside its clients has had its effects.
    ///
    ///     try room.send(Sc_200(text: "hi"))
    ///     await network.settle()
    public func settle() async {
        while true {
            let count = loop.manualClock?.outsideWorkCount
            await loop.waitUntilIdle()
            // Tasks that have left the loop have a chance to continue.
            for _ in 0..<3 { await Task.yield() }
            if loop.manualClock?.outsideWorkCount == count { return }
        }
    }

    /// Runs a part of the test, and fails instead of hanging if it waits for something that does not come.
    ///
    /// Use it for calls that wait by themselves, such as those of a session:
    ///
    ///     let reply = try await network.run(within: .seconds(10)) { try await session.request(Cs_100(roomID: 7, name: "Mo")) }
    ///
    /// - Parameters:
    ///   - limit: How far the clock may move for it: from one timer to the next, until it has finished (default: not at
    ///     all).
    ///   - body: What to run, on the network's loop.
    ///   - fileID: The file of the test, for the failure.
    ///   - line: The line of the test, for the failure.
    /// - Throws: What `body` throws; ``TestFailure`` if it did not finish.
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
        // It is awaited here, through `outcome`.
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

    /// Waits until a condition is fulfilled, or until nothing can fulfil it any more.
    ///
    /// - Parameter limit: How far the clock may move.
    /// - Returns: Whether it is fulfilled.
    func wait(within limit: Duration, until isFulfilled: () -> Bool) async -> Bool {
        await settle()
        let end = loop.clockTime + limit
        while !isFulfilled(), loop.clockTime < end {
            await step(to: end)
            await settle()
        }
        // Only a failure, or code that has left the loop, comes here without the condition.
        let clock = ContinuousClock()
        let deadline = clock.now + patience
        while !isFulfilled(), clock.now < deadline, !Task.isCancelled {
            try? await clock.sleep(for: .milliseconds(1))
            await settle()
        }
        return isFulfilled()
    }

    /// Moves the clock to the next timer, or to the end if there is none before it.
    private func step(to end: MonotonicTime) async {
        await withCheckedContinuation { continuation in
            loop.whenIdle { [loop] in
                _ = loop.advanceToNextTimer(before: end)
                continuation.resume()
            }
        }
    }

    /// What a failure says about the time.
    func idleNote() async -> String {
        let (next, now) = await loop.run { [loop] in (loop.nextDeadline, loop.clockTime) }
        guard let next else { return ", and no timer is set" }
        return ", and the next timer is due in \(now.duration(to: next).rounded)"
    }
}

extension Duration {
    /// Without the nanoseconds that a turn of the loop may take.
    fileprivate var rounded: Duration { .milliseconds((self / .milliseconds(1)).rounded(.up)) }
}

extension Lock where Value: Sendable {
    /// A lock that several closures share.
    final class Shared: Sendable {
        private let lock: Lock<Value>

        init(_ value: Value) { lock = Lock(value) }

        func withLock<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock(body) }
    }
}
