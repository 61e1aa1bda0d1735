// SPDX-License-Identifier: Apache-2.0

import Wireline

/// Records whether the user has asked the program to stop.
final class Interruption: Sendable {
    private struct State {
        var isRequested = false
        var cancel: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    var isRequested: Bool { state.withLock(\.isRequested) }

    func request() {
        let cancel = state.withLock { state in
            state.isRequested = true
            return state.cancel.take()
        }
        cancel?()
    }

    /// Runs work that is cancelled when the user asks to stop. Only one piece of work may run at a time.
    func cancelling<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        // This function awaits the task below.
        let task = Task { await work() }
        let isRequested = state.withLock { state in
            state.cancel = { task.cancel() }
            return state.isRequested
        }
        if isRequested { task.cancel() }
        defer { state.withLock { $0.cancel = nil } }
        return await task.value
    }
}
