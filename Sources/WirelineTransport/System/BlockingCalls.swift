// SPDX-License-Identifier: Apache-2.0

/// A few threads for calls that block, such as the system's resolver or a slow disk: no loop can wait for them.
package final class BlockingCalls: Sendable {
    private struct State {
        var waiting = Queue<@Sendable () -> Void>()
        var threadCount = 0
    }

    /// What all loops use: at most sixteen calls at a time, two for a name, so that many names do not mean many threads.
    package static let shared = BlockingCalls(threadLimit: 16)

    private let threadLimit: Int
    private let state = Lock(State())

    init(threadLimit: Int) {
        self.threadLimit = threadLimit
    }

    /// Runs a closure on one of the threads, when its turn has come. A thread ends when nothing is left to do.
    ///
    /// - Throws: ``TransportError/system(_:)`` when there is no thread to run it.
    package func run(_ call: @escaping @Sendable () -> Void) throws(TransportError) {
        let startsThread = state.withLock { state in
            state.waiting.append(call)
            guard state.threadCount < threadLimit else { return false }
            state.threadCount += 1
            return true
        }
        guard startsThread else { return }
        do throws(TransportError) {
            try SystemThread.start { self.runCalls() }
        } catch {
            // Other threads will come to it, if there are any.
            let isHopeless = state.withLock { state in
                state.threadCount -= 1
                guard state.threadCount == 0 else { return false }
                state.waiting = Queue()
                return true
            }
            if isHopeless { throw error }
        }
    }

    private func runCalls() {
        while let call = nextCall() { call() }
    }

    private func nextCall() -> (@Sendable () -> Void)? {
        state.withLock { state in
            if let call = state.waiting.popFirst() { return call }
            state.threadCount -= 1
            return nil
        }
    }
}
