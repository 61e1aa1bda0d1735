// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import Wireline
import WirelineTransport

/// How long handlers take, for each type of message.
@Suite(.ahead)
struct MessageTimeTests {
    @Test func `each loop counts alone, and the times are merged by ID`() async throws {
        let loops = try EventLoopGroup(threadCount: 2).loops
        let times = MessageTimes(loops: loops)
        for loop in loops {
            await loop.run {
                times.record(id: 7, name: "Move", nanoseconds: 1_000_000)
                times.record(id: 3, name: "Chat", nanoseconds: 1_000_000_000)
            }
        }
        // Outside the loops nothing is counted.
        times.record(id: 9, name: "Lost", nanoseconds: 1_000_000_000)
        let merged = await times.merged()
        #expect(merged.map(\.id) == [3, 7] && merged.map(\.name) == ["Chat", "Move"])
        #expect(merged.map(\.times.count) == [2, 2])
        #expect(merged[0].times.sum == .seconds(2))
    }

    @Test func `further IDs than the limit are counted together`() async throws {
        let loop = try ConnectionPair.group.get().loops[0]
        let times = MessageTimes(loops: [loop], limit: 2)
        await loop.run {
            for id in 1...5 as ClosedRange<UInt64> {
                times.record(id: id, name: "M\(id)", nanoseconds: 1_000_000)
            }
            times.record(id: 2, name: "M2", nanoseconds: 1_000_000)
        }
        let merged = await times.merged()
        #expect(merged.map(\.name) == ["M1", "M2", "other"])
        #expect(merged.map(\.times.count) == [1, 2, 3])
    }
}
