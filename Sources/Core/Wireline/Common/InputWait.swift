// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// The wait of the one task that receives from a connection.
///
/// The task is resumed without input, and then takes it. Waits are numbered, so that a late cancellation does not end
/// the next wait. Only the connection's loop uses this.
struct InputWait {
    @safe
    private enum State {
        case idle
        /// A task is about to wait, or was resumed and has not continued yet.
        case claimed
        case waiting(UnsafeContinuation<Void, Never>)
    }

    private var state = State.idle
    /// The number of the last wait.
    private(set) var number: UInt32 = 0
    private var cancelledNumber: UInt32 = 0

    /// Whether a task receives. No other task may receive meanwhile.
    var isClaimed: Bool { if case .idle = state { false } else { true } }

    var isWaiting: Bool { if case .waiting = state { true } else { false } }

    mutating func claim() { state = .claimed }

    /// Call it when the claiming task has continued.
    mutating func endClaim() { state = .idle }

    /// Begins the next wait of the task that has claimed the input.
    mutating func nextNumber() -> UInt32 {
        number &+= 1
        return number
    }

    /// Suspends the task until ``resume()``.
    ///
    /// - Returns: False if the wait was cancelled before it began. Then the task continues.
    mutating func begin(_ continuation: UnsafeContinuation<Void, Never>, _ number: UInt32) -> Bool {
        guard cancelledNumber != number else {
            // SAFETY: a continuation is resumed here and not stored, or stored for ``resume()``; the claim keeps out a
            // second task.
            unsafe continuation.resume()
            return false
        }
        state = unsafe .waiting(continuation)
        return true
    }

    mutating func resume() {
        guard case .waiting(let continuation) = state else { return }
        state = .claimed
        // SAFETY: the state has just given up the continuation, so no other code resumes it again.
        unsafe continuation.resume()
    }

    /// Cancels a wait, even before it has begun.
    ///
    /// - Returns: Whether a task was waiting, and continues now.
    mutating func cancel(_ number: UInt32) -> Bool {
        guard number == self.number else { return false }
        cancelledNumber = number
        guard isWaiting else { return false }
        resume()
        return true
    }
}

/// A connection from which one task at a time receives.
protocol ReceivingConnection: AnyObject, Sendable {
    var stream: ByteStream { get }
    var inputWait: InputWait { get set }

    /// Called when a task has begun to wait for input.
    func inputWaitBegan()

    /// Called when the waiting task was cancelled. The connection stops reading, unless something else needs input.
    func inputWaitCancelled()
}

extension ReceivingConnection {
    /// Suspends the task until there is input, an end, or the task is cancelled. Call it on the loop.
    @inline(never)
    nonisolated(nonsending) func waitForInput() async {
        let number = inputWait.nextNumber()
        await withTaskCancellationHandler {
            // SAFETY: `begin` resumes the continuation or stores it, and every end of the connection resumes a
            // stored one.
            await unsafe withUnsafeContinuation { continuation in
                if unsafe inputWait.begin(continuation, number) { inputWaitBegan() }
            }
        } onCancel: {
            stream.loop.execute {
                // A lost connection ends each wait itself, and earlier input can still be received.
                guard !self.stream.hasFailedOutput, self.inputWait.cancel(number) else { return }
                self.inputWaitCancelled()
            }
        }
    }

    /// Suspends the task until there is input or an end. Call it on the loop, in a task that is not cancelled while its
    /// connection lives.
    @inline(__always)
    nonisolated(nonsending) func waitForInputUncancelled() async {
        let number = inputWait.nextNumber()
        // SAFETY: `begin` resumes the continuation or stores it, and every end of the connection resumes a
        // stored one.
        await unsafe withUnsafeContinuation { continuation in
            if unsafe inputWait.begin(continuation, number) { inputWaitBegan() }
        }
    }
}
