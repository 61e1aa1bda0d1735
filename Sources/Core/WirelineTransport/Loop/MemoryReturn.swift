// SPDX-License-Identifier: Apache-2.0

import CWirelineSystem
import Synchronization

/// Decides when a loop returns freed memory to the system.
///
/// Glibc keeps most of the memory that zlib and OpenSSL free: a server that had many clients once would keep gigabytes
/// for ever. A thread returns it each time that some connections, or half of them, have ended. It must not be much at
/// once, because threads that allocate wait meanwhile.
struct MemoryReturn {
    /// How many sockets must have ended. With TLS and compression each has kept up to 400 KiB, so that returning memory
    /// takes about 15 ms.
    private static let leastFall = 256
    /// How many must have ended, and at least half of all, to return memory after ``delay``: a few clients can have
    /// kept much, too.
    private static let leastHalf = 16
    /// The delay before the memory of the last sockets is returned: they are freed after their end.
    static let delay = Duration.seconds(1)
    private static let isRunning = Atomic(false)

    /// The most sockets since memory was last returned.
    private var most = 0
    /// Whether ``giveBack()`` will be called.
    private var isAwaited = false

    mutating func began(count: Int) { most = max(most, count) }

    /// Returns memory if enough sockets have ended.
    ///
    /// - Returns: Whether to call ``giveBack()`` after ``delay``.
    mutating func ended(count: Int) -> Bool {
        let fall = most - count
        let isHalf = fall >= Self.leastHalf && fall >= count
        guard fall >= Self.leastFall ? Self.start() : isHalf && !isAwaited else { return false }
        most = count
        defer { isAwaited = true }
        return !isAwaited
    }

    /// Returns the memory that was freed meanwhile.
    mutating func giveBack() {
        isAwaited = false
        _ = Self.start()
    }

    /// - Returns: False if another thread returns memory already, or there is no thread.
    private static func start() -> Bool {
        guard !isRunning.exchange(true, ordering: .acquiring) else { return false }
        do throws(TransportError) {
            try SystemThread.start {
                wireline_return_memory()
                isRunning.store(false, ordering: .releasing)
            }
            return true
        } catch {
            isRunning.store(false, ordering: .releasing)
            return false
        }
    }
}
