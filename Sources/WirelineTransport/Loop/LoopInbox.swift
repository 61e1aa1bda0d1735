// SPDX-License-Identifier: Apache-2.0

/// What other threads want a loop to do, in the order in which they asked.
final class LoopInbox: Sendable {
    enum Work {
        case job(LoopJob)
        case closure(@Sendable () -> Void)
        case whenIdle(@Sendable () -> Void)
    }

    private struct State {
        var work: [Work] = []
        /// Whether the loop has been signalled about it.
        var isSignalled = false
        /// Whether the loop has stopped, and takes no more.
        var isClosed = false
    }

    private let state = Lock(State())
    private let wakeUp: Poller.WakeUp

    init(_ wakeUp: consuming Poller.WakeUp) {
        self.wakeUp = wakeUp
    }

    /// Adds work, and ends the loop's wait. After ``close()`` it does nothing.
    func post(_ work: Work) {
        let mustSignal = state.withLock { state in
            guard !state.isClosed else { return false }
            state.work.append(work)
            defer { state.isSignalled = true }
            return !state.isSignalled
        }
        if mustSignal { wakeUp.signal() }
    }

    /// Takes all work; on the loop's thread.
    func takeAll() -> [Work] {
        wakeUp.clear()
        return state.withLock { state in
            state.isSignalled = false
            defer { state.work = [] }
            return state.work
        }
    }

    /// Drops all work, and takes no more.
    func close() {
        // What waits may keep the loop itself. It is released outside the lock.
        _ = state.withLock { state in
            defer { state.work = [] }
            state.isClosed = true
            return state.work
        }
    }
}
