// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
    import Foundation
    import Testing
    import TestingSupport
    import WirelineTransport

    /// SIGHUP reaches its watches. Each test runs in a process of its own.
    @Suite(.ahead)
    struct HangUpSignalTests {
        @Test func `each signal calls all watches in order, and the process continues`() async {
            await #expect(processExitsWith: .exitCode(7)) {
                let (stream, feed) = AsyncStream<Int>.makeStream()
                try HangUpSignal.watch { feed.yield(1) }
                try HangUpSignal.watch { feed.yield(2) }
                var iterator = stream.makeAsyncIterator()
                for _ in 0..<3 {
                    kill(getpid(), SIGHUP)
                    guard await iterator.next() == 1, await iterator.next() == 2 else { exit(1) }
                }
                exit(7)
            }
        }

        @Test func `a signal comes although the process was started with it ignored and blocked`() async {
            await #expect(processExitsWith: .exitCode(7)) {
                _ = signal(SIGHUP, SIG_IGN)
                var signals = sigset_t()
                sigemptyset(&signals)
                sigaddset(&signals, SIGHUP)
                pthread_sigmask(SIG_BLOCK, &signals, nil)
                let (stream, feed) = AsyncStream<Void>.makeStream()
                try HangUpSignal.watch { feed.yield() }
                kill(getpid(), SIGHUP)
                var iterator = stream.makeAsyncIterator()
                guard await iterator.next() != nil else { exit(1) }
                exit(7)
            }
        }
    }
#endif
