// SPDX-License-Identifier: Apache-2.0

/// A few threads for blocking calls, such as the system's resolver or a slow disk; loops cannot wait for them.
package final class BlockingCalls: Sendable {
    package typealias CallNumber = UInt64

    private struct State {
        var waiting = NumberedQueue<@Sendable () -> Void>()
        var threadCount = 0
    }

    /// For all loops: at most sixteen calls at a time; a name takes two.
    package static let shared = BlockingCalls(threadLimit: 16)

    private let threadLimit: Int
    private let state = Lock(State())

    init(threadLimit: Int) {
        self.threadLimit = threadLimit
    }

    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Runs a closure on one of the threads, in its turn. A thread ends when no call is left.
    ///
    /// - Returns: The number for ``withdraw(_:)``.
    /// - Throws: ``TransportError/system(_:)`` if there is no thread to run it.
    @discardableResult
    package func run(_ call: @escaping @Sendable () -> Void) throws(TransportError) -> CallNumber {
        let (number, startsThread) = state.withLock { state in
            let number = state.waiting.append(call)
            guard state.threadCount < threadLimit else { return (number, false) }
            state.threadCount += 1
            return (number, true)
        }
        guard startsThread else { return number }
        do throws(TransportError) {
            try SystemThread.start { self.runCalls() }
        } catch {
            // Other threads will run it, if there are any.
            let isHopeless = state.withLock { state in
                state.threadCount -= 1
                guard state.threadCount == 0 else { return false }
                state.waiting = NumberedQueue()
                return true
            }
            if isHopeless { throw error }
        }
        return number
    }

    /// Withdraws a waiting call; a call that has begun continues.
    package func withdraw(_ number: CallNumber) {
        state.withLock { _ = $0.waiting.remove(number) }
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
