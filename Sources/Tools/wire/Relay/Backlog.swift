// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// Counts the bytes that wait for a slow reader. While there are too many, connections stop reading.
final class Backlog: Sendable {
    private struct State {
        var byteCount = 0
        /// Each closure is called once, when the count is below the limit again.
        var whenRoom: [@Sendable () -> Void] = []
    }

    private let limit: Int
    private let state = Lock(State())

    /// - Parameter limit: The number of bytes at which connections stop reading.
    init(limit: Int) { self.limit = limit }

    var byteCount: Int { state.withLock(\.byteCount) }

    func add(_ byteCount: Int) { state.withLock { $0.byteCount += byteCount } }

    func remove(_ byteCount: Int) {
        let calls = state.withLock { state in
            state.byteCount -= byteCount
            guard state.byteCount < limit else { return [@Sendable () -> Void]() }
            defer { state.whenRoom = [] }
            return state.whenRoom
        }
        for call in calls { call() }
    }

    /// Returns whether the limit is reached. If so, `whenRoom` is called once when the count is below it again, on any
    /// thread.
    func isFull(whenRoom: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.byteCount >= limit else { return false }
            state.whenRoom.append(whenRoom)
            return true
        }
    }
}
