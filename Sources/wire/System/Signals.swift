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
/// Both are blocked in all threads, and the first thread waits for them. So no code runs inside a signal handler, where
/// almost nothing is allowed (signal-safety(7)). Nothing else runs on that thread, not even the main actor: on Linux
/// its loop would unblock all signals while it waits.
///
/// The signals end the process with the exit status that shells use, 130 and 143. Lines are written whole, so no
/// cleanup is needed. A command that needs cleanup takes over the first signal.
enum Signals {
    /// Called on the next signal instead of ending the process.
    private static let listener = Lock<(@Sendable () -> Void)?>(nil)

    /// Blocks the signals, and turns writing to a closed pipe into an error.
    ///
    /// Call it before there is a second thread: a thread inherits the blocked signals of its creator.
    static func prepare() {
        _ = signal(SIGPIPE, SIG_IGN)
        var signals = ends
        // SAFETY: the call copies the set, which was initialised.
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        // A shell without job control makes background processes ignore Ctrl-C.
        _ = signal(SIGINT, SIG_DFL)
        _ = signal(SIGTERM, SIG_DFL)
    }

    /// Lets the first signal end the returned sequence, which has no elements, instead of the process.
    ///
    /// The second signal ends the process at once.
    static func takeOver() -> AsyncStream<Never> {
        let (stream, feed) = AsyncStream<Never>.makeStream()
        takeOver { feed.finish() }
        return stream
    }

    /// Lets the first signal call `action` instead of ending the process; the second one ends it at once.
    static func takeOver(_ action: @escaping @Sendable () -> Void) {
        listener.withLock { $0 = action }
    }

    /// Handles the signals until the process ends.
    static func wait() -> Never {
        var signals = ends
        while true {
            var number: Int32 = 0
            // SAFETY: the set was initialised, and the call writes only the number.
            guard unsafe sigwait(&signals, &number) == 0 else { continue }
            guard let listener = listener.withLock({ $0.take() }) else { _exit(128 + number) }
            listener()
        }
    }

    private static var ends: sigset_t {
        var signals = sigset_t()
        // SAFETY: the set is this function's own, and initialised first.
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGINT)
        unsafe sigaddset(&signals, SIGTERM)
        return signals
    }
}
