// SPDX-License-Identifier: Apache-2.0

import Wireline

/// Whether somebody has asked for the end.
final class Interruption: Sendable {
    private struct State {
        var hasCome = false
        /// Cancels what is being done.
        var cancel: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    var hasCome: Bool { state.withLock(\.hasCome) }

    func come() {
        let cancel = state.withLock { state in
            state.hasCome = true
            return state.cancel.take()
        }
        cancel?()
    }

    /// Does something that is cancelled when somebody asks for the end; one thing at a time.
    func cancelling<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        // Awaited here, below.
        let task = Task { await work() }
        let hasCome = state.withLock { state in
            state.cancel = { task.cancel() }
            return state.hasCome
        }
        if hasCome { task.cancel() }
        defer { state.withLock { $0.cancel = nil } }
        return await task.value
    }
}
