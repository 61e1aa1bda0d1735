// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineTransport

struct LockTests {
    private final class Counter: Sendable {
        let count = Lock(0)
    }

    private struct Refusal: Error {}

    @Test func `no increment is lost when many threads count`() async {
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10_000 { counter.count.withLock { $0 += 1 } }
                }
            }
        }
        #expect(counter.count.withLock { $0 } == 80_000)
    }

    @Test func `an error releases the lock`() {
        let counter = Counter()
        #expect(throws: Refusal.self) {
            try counter.count.withLock { _ throws(Refusal) in throw Refusal() }
        }
        counter.count.withLock { $0 = 5 }
        #expect(counter.count.withLock { $0 } == 5)
    }
}
