// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Lets one task at a time continue, in the order in which the tasks ask.
final class AsyncLock: Sendable {
    private struct State {
        var isTaken = false
        var waiting = Queue<CheckedContinuation<Void, Never>>()
    }

    private let state = Lock(State())

    /// Waits until all tasks that have asked earlier have called ``end()``.
    func begin() async {
        await withCheckedContinuation { continuation in
            let isFirst = state.withLock { state in
                defer { state.isTaken = true }
                if state.isTaken { state.waiting.append(continuation) }
                return !state.isTaken
            }
            if isFirst { continuation.resume() }
        }
    }

    /// Ends the turn of a task. It must have called ``begin()``.
    func end() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            state.isTaken = next != nil
            return next
        }
        next?.resume()
    }
}
