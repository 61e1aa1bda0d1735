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
/// A signal ends the process with the exit status that shells use, 130 or 143. No cleanup is needed, because lines are
/// written whole. A command that needs cleanup takes over the first signal (`ShutdownSignal`).
///
/// The first thread only waits. The system delivers signals to it, so that no signal interrupts a system call of
/// another thread.
enum Signals {
    /// Sets the exit status for the signals. Also ignores SIGPIPE, so that a write to a closed pipe returns an error.
    static func prepare() {
        _ = signal(SIGPIPE, SIG_IGN)
        // A shell without job control starts background processes with Ctrl-C ignored.
        for number in [SIGINT, SIGTERM] {
            // A signal handler may call `_exit` (signal-safety(7)).
            _ = signal(number) { _exit(128 + $0) }
        }
        // The parent can have started the process with blocked signals.
        var signals = sigset_t()
        // SAFETY: the set is this function's own, and initialised first.
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGINT)
        unsafe sigaddset(&signals, SIGTERM)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Takes over the first signal. It ends the returned sequence, which has no elements, and not the process.
    ///
    /// The second signal ends the process at once.
    static func takeOver() -> AsyncStream<Never> {
        let (stream, feed) = AsyncStream<Never>.makeStream()
        takeOver { feed.finish() }
        return stream
    }

    /// Like ``takeOver()``, but the second signal ends the process with ``ExitStatus/failure``.
    static func takeOverFailingAtSecond() -> AsyncStream<Never> {
        // After the first signal, `ShutdownSignal` restores these actions.
        for number in [SIGINT, SIGTERM] { _ = signal(number) { _ in _exit(ExitStatus.failure.rawValue) } }
        return takeOver()
    }

    /// Makes the first signal call `action`. The second signal ends the process at once.
    static func takeOver(_ action: @escaping @Sendable () -> Void) {
        // Without a descriptor or a thread to watch for it, the first signal ends the process.
        _ = try? ShutdownSignal.watch { _ in action() }
    }

    static func wait() -> Never {
        while true { pause() }
    }
}
