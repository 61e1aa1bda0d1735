// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Handles Ctrl-C and SIGTERM for every command.
///
/// A signal ends the process with the exit status that shells use, 130 or 143. Lines are written whole, so no
/// cleanup is needed. A command that needs cleanup takes over the first signal (`ShutdownSignal`).
///
/// The first thread only waits: the system gives signals to it, so no signal interrupts a system call of another
/// thread.
enum Signals {
    /// Gives the signals their exit status, and makes a write to a closed pipe fail with an error.
    static func prepare() {
        _ = signal(SIGPIPE, SIG_IGN)
        // A shell without job control makes background processes ignore Ctrl-C.
        for number in [SIGINT, SIGTERM] {
            // A signal handler may call `_exit` (signal-safety(7)).
            _ = signal(number) { _exit(128 + $0) }
        }
        // The parent may have started the process with blocked signals.
        var signals = sigset_t()
        // SAFETY: the set is this function's own, and initialised first.
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGINT)
        unsafe sigaddset(&signals, SIGTERM)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Makes the first signal end the returned sequence, which has no elements, instead of the process.
    ///
    /// The second signal ends the process at once.
    static func takeOver() -> AsyncStream<Never> {
        let (stream, feed) = AsyncStream<Never>.makeStream()
        takeOver { feed.finish() }
        return stream
    }

    /// As ``takeOver()``, but the second signal ends the process with ``ExitStatus/failure``.
    static func takeOverFailingAtSecond() -> AsyncStream<Never> {
        // `ShutdownSignal` restores these actions after the first signal.
        for number in [SIGINT, SIGTERM] { _ = signal(number) { _ in _exit(ExitStatus.failure.rawValue) } }
        return takeOver()
    }

    /// Makes the first signal call `action` instead of ending the process. The second one ends the process at once.
    static func takeOver(_ action: @escaping @Sendable () -> Void) {
        // Without a descriptor or a thread for the watch, the first signal ends the process.
        _ = try? ShutdownSignal.watch { _ in action() }
    }

    static func wait() -> Never {
        while true { pause() }
    }
}
