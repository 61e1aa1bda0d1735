// SPDX-License-Identifier: Apache-2.0

/// Work that other threads give a loop, in the order of their requests.
final class LoopInbox: Sendable {
    enum Work {
        case job(LoopJob)
        case closure(@Sendable () -> Void)
        case whenIdle(@Sendable () -> Void)
    }

    private struct State {
        var work: [Work] = []
        var isSignalled = false
        var isClosed = false
    }

    private let state = Lock(State())
    private let wakeUp: Poller.WakeUp

    init(_ wakeUp: consuming Poller.WakeUp) {
        self.wakeUp = wakeUp
    }

    /// Ends the loop's wait. After ``close()`` it does nothing.
    func post(_ work: Work) {
        let mustSignal = state.withLock { state in
            guard !state.isClosed else { return false }
            state.work.append(work)
            defer { state.isSignalled = true }
            return !state.isSignalled
        }
        if mustSignal { wakeUp.signal() }
    }

    /// On the loop's thread.
    func takeAll() -> [Work] {
        wakeUp.clear()
        return state.withLock { state in
            state.isSignalled = false
            defer { state.work = [] }
            return state.work
        }
    }

    /// Drops all work, now and later.
    func close() {
        // The work may retain the loop itself, so it is released outside the lock.
        _ = state.withLock { state in
            defer { state.work = [] }
            state.isClosed = true
            return state.work
        }
    }
}
