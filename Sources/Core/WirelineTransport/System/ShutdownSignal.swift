// SPDX-License-Identifier: Apache-2.0

import CWirelineSystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A signal that asks the process to end: from a service manager (SIGTERM), or from Ctrl-C (SIGINT).
///
///     let signal = try await ShutdownSignal.wait()
///     await server.shutDown(within: .seconds(30))
///
/// While a task waits, the first signal resumes it instead of ending the process. The second signal ends the process at
/// once: as soon as the first one arrives, both signals have the effect again that they had before the wait. A signal
/// that the process ignores, as SIGINT after `nohup`, stays ignored.
@nonexhaustive
public enum ShutdownSignal: Equatable, Sendable {
    /// SIGTERM.
    case terminate
    /// SIGINT.
    case interrupt

    /// Waits for the next signal. Any number of tasks may wait; the same signal resumes all of them.
    ///
    /// - Returns: The signal.
    /// - Throws: ``TransportError/cancelled`` if the task is cancelled first; ``TransportError/system(_:)`` if the
    ///   system has no descriptor or no thread left.
    public static func wait() async throws(TransportError) -> ShutdownSignal {
        let slot = Lock<Slot>(.empty)
        let watch = try watch { signal in
            let waiter = slot.withLock { slot in
                defer { slot = .seen(signal) }
                return slot.waiter
            }
            waiter?.resume(returning: signal)
        }
        let signal = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let result: ShutdownSignal?? = slot.withLock { slot in
                    switch slot {
                    case .seen(let signal): return .some(signal)
                    case .cancelled: return .some(nil)
                    case .empty, .waiting:
                        slot = .waiting(waiter)
                        return nil
                    }
                }
                if let result { waiter.resume(returning: result) }
            }
        } onCancel: {
            let waiter = slot.withLock { slot in
                defer { if slot.isOpen { slot = .cancelled } }
                return slot.waiter
            }
            waiter?.resume(returning: nil)
        }
        endWatch(watch)
        guard let signal else { throw .cancelled }
        return signal
    }

    private enum Slot {
        case empty
        case waiting(CheckedContinuation<ShutdownSignal?, Never>)
        case seen(ShutdownSignal)
        case cancelled

        var waiter: CheckedContinuation<ShutdownSignal?, Never>? {
            if case .waiting(let waiter) = self { waiter } else { nil }
        }

        var isOpen: Bool {
            switch self {
            case .empty, .waiting: true
            case .seen, .cancelled: false
            }
        }
    }

    // MARK: Watching

    private struct State {
        /// The actions of the next signal, each called once.
        var watches: [UInt64: @Sendable (ShutdownSignal) -> Void] = [:]
        var lastWatch: UInt64 = 0
    }

    private static let state = Lock(State())

    private static let pipe = Result { () throws(TransportError) in
        try SignalPipe(preparingThread: { wireline_unblock_end_signals() }, receive: receive)
    }

    /// Calls a closure at the next signal, on a thread that may block; the signal's own effect is off until then.
    ///
    /// - Returns: The watch's number, for ``endWatch(_:)``.
    package static func watch(_ action: @escaping @Sendable (ShutdownSignal) -> Void) throws(TransportError) -> UInt64 {
        let pipe = try pipe.get()
        return state.withLock { state in
            state.lastWatch += 1
            // The handlers are set while the lock is held, so that they fit the watches.
            if state.watches.isEmpty { wireline_catch_end_signals(pipe.writer) }
            state.watches[state.lastWatch] = action
            return state.lastWatch
        }
    }

    /// Ends a watch. After the last one, the signals have the effect again that they had before.
    package static func endWatch(_ number: UInt64) {
        state.withLock { state in
            guard state.watches.removeValue(forKey: number) != nil, state.watches.isEmpty else { return }
            wireline_release_end_signals()
        }
    }

    private static func receive(_ number: UInt8) {
        let watches = state.withLock { state in
            defer { state.watches = [:] }
            // A watch may have been added after the signal, before the thread read it.
            wireline_release_end_signals()
            return state.watches.sorted { $0.key < $1.key }
        }
        let signal: ShutdownSignal = number == UInt8(SIGINT) ? .interrupt : .terminate
        for (_, watch) in watches { watch(signal) }
    }
}
