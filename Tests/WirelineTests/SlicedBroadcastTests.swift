// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import TestingSupport
import WirelineTransport

@testable import Wireline

/// What visits many connections of a loop.
@Suite(.ahead)
struct SlicedBroadcastTests {
    @Test func `a broadcast sends to some receivers in each turn of the loop`() async throws {
        let pair = try await ConnectionPair.make()
        let loop = pair.server.stream.loop
        let visits = Mutex<[MonotonicTime: Int]>([:])
        let left = await Broadcast.send(
            to: Array(repeating: pair.server, count: 200), over: \.self
        ) { _ in
            visits.withLock { $0[loop.turnTime, default: 0] += 1 }
            return true
        }
        #expect(left.isEmpty)
        let counts = visits.withLock { $0.values.sorted() }
        #expect(counts.reduce(0, +) == 200)
        #expect(counts.allSatisfy { $0 <= 64 }, "\(counts)")
        pair.close()
    }
}
