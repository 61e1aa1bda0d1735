// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineTransport

@testable import wire

/// Connections of which much waits are shown one at a time.
struct AsyncLockTests {
    private struct Count {
        var isInside = 0
        var mostInside = 0
        var all = 0
    }

    private final class Visits: Sendable {
        let count = Lock(Count())
    }

    @Test func `one task at a time has the turn, and all get it`() async {
        let (lock, visits) = (AsyncLock(), Visits())
        await withTaskGroup { group in
            for _ in 0..<100 {
                group.addTask {
                    await lock.begin()
                    visits.count.withLock { count in
                        count.isInside += 1
                        count.mostInside = max(count.mostInside, count.isInside)
                        count.all += 1
                    }
                    await Task.yield()
                    visits.count.withLock { $0.isInside -= 1 }
                    lock.end()
                }
            }
        }
        let count = visits.count.withLock { $0 }
        #expect(count.mostInside == 1)
        #expect(count.all == 100)
        // Nobody has it now.
        await lock.begin()
        lock.end()
    }
}
