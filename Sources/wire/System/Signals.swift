// SPDX-License-Identifier: Apache-2.0

import WirelineTransport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Ctrl-C and SIGTERM, for every command.
///
/// Both are blocked in all threads, and the first thread waits for them: no code runs inside of a handler, where hardly
/// anything is allowed (signal-safety(7)). So nothing else runs on that thread, the main actor neither: on Linux its loop
/// would unblock all signals while it waits.
///
/// They end the process with the status that shells use for it, 130 and 143, because lines are written whole and there is
/// nothing to tidy. A command that has something to tidy takes the first one over.
enum Signals {
    /// Who is told of the next one, in place of the process's end.
    private static let listener = Lock<(@Sendable () -> Void)?>(nil)

    /// Blocks them, which must be done before there is a second thread: threads block what the one blocks that has made
    /// them. Writing to a closed pipe becomes an error.
    static func prepare() {
        _ = signal(SIGPIPE, SIG_IGN)
        var signals = ends
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        // A shell without job control has a background process ignore Ctrl-C.
        _ = signal(SIGINT, SIG_DFL)
        _ = signal(SIGTERM, SIG_DFL)
    }

    /// From now on the first of them does not end the process, but the sequence that is returned, which has no elements.
    /// The second one ends the process at once.
    static func takeOver() -> AsyncStream<Never> {
        let (stream, feed) = AsyncStream<Never>.makeStream()
        takeOver { feed.finish() }
        return stream
    }

    /// From now on the first of them does not end the process, but calls this; the second one ends the process at once.
    static func takeOver(_ action: @escaping @Sendable () -> Void) {
        listener.withLock { $0 = action }
    }

    /// Deals with them until the process ends.
    static func wait() -> Never {
        var signals = ends
        while true {
            var number: Int32 = 0
            guard unsafe sigwait(&signals, &number) == 0 else { continue }
            guard let listener = listener.withLock({ $0.take() }) else { _exit(128 + number) }
            listener()
        }
    }

    private static var ends: sigset_t {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGINT)
        unsafe sigaddset(&signals, SIGTERM)
        return signals
    }
}
