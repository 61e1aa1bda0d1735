// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

/// The wait of the one task that receives from a connection.
///
/// Input is not passed to the task: the task is resumed, and then takes what it wants. Waits are numbered, so that the
/// cancellation of one that is over does not end the next. Only the connection's loop uses this.
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

    /// Whether a task receives: another one may not receive meanwhile.
    var isClaimed: Bool { if case .idle = state { false } else { true } }

    /// Whether a task is suspended here.
    var isWaiting: Bool { if case .waiting = state { true } else { false } }

    /// Claims the input for the running task.
    mutating func claim() { state = .claimed }

    /// Ends the claim of the running task, which has continued.
    mutating func endClaim() { state = .idle }

    /// Begins the next wait of the task that has claimed the input.
    mutating func nextNumber() -> UInt32 {
        number &+= 1
        return number
    }

    /// Suspends the task until ``resume()``.
    ///
    /// - Returns: Whether it waits; false if the wait was cancelled before it began: the task continues then.
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

    /// Resumes the task, if it waits.
    mutating func resume() {
        guard case .waiting(let continuation) = state else { return }
        state = .claimed
        // SAFETY: the state has just given up the continuation, so no other code resumes it again.
        unsafe continuation.resume()
    }

    /// Cancels a wait, which may not have begun.
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

    /// Asks for input: a task has begun to wait for it.
    func inputWaitBegan()

    /// Stops asking for input, unless something else needs it: the task that waited was cancelled.
    func inputWaitCancelled()
}

extension ReceivingConnection {
    /// Suspends the task until there is input, an end, or the task is cancelled. Call it on the loop.
    @inline(never)
    nonisolated(nonsending) func waitForInput() async {
        let number = inputWait.nextNumber()
        await withTaskCancellationHandler {
            // SAFETY: `begin` resumes the continuation or stores it, and every end of the connection resumes what is
            // stored.
            await unsafe withUnsafeContinuation { continuation in
                if unsafe inputWait.begin(continuation, number) { inputWaitBegan() }
            }
        } onCancel: {
            stream.loop.execute {
                // A lost connection ends each wait by itself, and what arrived before can still be received.
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
        // SAFETY: `begin` resumes the continuation or stores it, and every end of the connection resumes what is
        // stored.
        await unsafe withUnsafeContinuation { continuation in
            if unsafe inputWait.begin(continuation, number) { inputWaitBegan() }
        }
    }
}
