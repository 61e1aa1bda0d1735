// SPDX-License-Identifier: Apache-2.0

import CWirelineSystem
import Synchronization

/// When a loop gives freed memory back to the system.
///
/// Glibc keeps most of what zlib and OpenSSL free: a server that had many clients once would keep gigabytes for ever. A
/// thread gives it back each time that some connections, or half of them, have ended. It must not be much at once, because
/// threads that allocate wait meanwhile.
struct MemoryReturn {
    /// How many sockets must have ended. With TLS and compression each has kept up to 400 KiB, so that giving back takes
    /// about 15 ms.
    private static let leastFall = 256
    /// How many must have ended, and at least half of all, so that memory is given back after ``delay``: a few clients can
    /// have kept much, too.
    private static let leastHalf = 16
    /// How long after that the memory of the last ones is given back: they are freed after their end.
    static let delay = Duration.seconds(1)
    private static let isRunning = Atomic(false)

    /// The most sockets since memory was given back.
    private var most = 0
    /// Whether it is to be given back once more.
    private var isAwaited = false

    mutating func began(count: Int) { most = max(most, count) }

    /// Notes that a socket has ended, and gives back memory if it is time.
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

    /// Gives back what was freed since.
    mutating func giveBack() {
        isAwaited = false
        _ = Self.start()
    }

    /// - Returns: False if a thread gives back memory already, or there is none.
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
