// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineTransport

/// The bytes of a packet that is sealed once for many connections.
///
/// No loop waits for another one: ``whenDone(_:)`` calls a closure when the bytes are there.
final class OnceSealed: Sendable {
    typealias Outcome = Result<[UInt8], CodecError>

    private struct State {
        /// Whether a loop seals the packet over many turns.
        var hasBegun = false
        var outcome: Outcome?
        var actions: [@Sendable () -> Void] = []
    }

    private let state = Lock(State())

    /// The sealed packet, or its error; nil if it is not sealed yet.
    var outcome: Outcome? { state.withLock { $0.outcome } }

    /// Begins to seal the packet over many turns.
    ///
    /// - Returns: Whether the caller must do it and call ``end(_:)``; false if that has begun already.
    func begin() -> Bool {
        state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun && state.outcome == nil
        }
    }

    /// Sets the outcome, unless another caller has. All callers come to the same result.
    func end(_ outcome: Outcome) {
        let actions = state.withLock { state in
            if state.outcome == nil { state.outcome = outcome }
            defer { state.actions = [] }
            return state.actions
        }
        for action in actions { action() }
    }

    /// Calls a closure when the packet is sealed, on the thread that seals it; at once if it is already sealed.
    func whenDone(_ action: @escaping @Sendable () -> Void) {
        let isDone = state.withLock { state in
            if state.outcome == nil { state.actions.append(action) }
            return state.outcome != nil
        }
        if isDone { action() }
    }
}
