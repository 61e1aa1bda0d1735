// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WirelineTransport

/// How much loop time one connection gets at once.
struct LoopShareTests {
    private static let millisecond: Int64 = 1_000_000

    private func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * Self.millisecond)
    }

    @Test(
        arguments: [(0, 1_000_000), (50, 1_000_000), (100, 500_000), (500, 100_000), (10_000, 100_000)]
            as [(Int, Int64)])
    func `the more connections are busy, the less time each one gets at once`(count: Int, time: Int64) {
        var share = LoopShare()
        share.divide(among: count)
        #expect(share.time == time)
        share.divide(among: 1)
        #expect(share.time == Self.millisecond)
    }

    @Test func `a connection that has used its time gets new time in its next turn`() {
        var share = LoopShare()
        share.spend(500_000)
        #expect(!share.isSpent)
        share.spend(600_000)
        #expect(share.isSpent)
        share.begin()
        #expect(!share.isSpent)
    }

    @Test func `slow work is read in smaller pieces, and fast work in larger ones`() {
        var load = WorkLoad()
        let first = load.readLimit
        load.read(first)
        load.took(10 * Self.millisecond, share: LoopShare(), until: time(10))
        #expect(load.readLimit == first / 10)
        for _ in 0..<20 {
            load.read(load.readLimit)
            load.took(Self.millisecond / 10, share: LoopShare(), until: time(11))
        }
        #expect(load.readLimit == 128 << 10)
        // A packet that a handler computes on for a second.
        for _ in 0..<3 {
            load.read(100)
            load.took(1_000 * Self.millisecond, share: LoopShare(), until: time(12))
        }
        #expect(load.readLimit == 512)
    }

    @Test func `reads that do not fill their buffer change nothing`() {
        var load = WorkLoad()
        let first = load.readLimit
        for _ in 0..<10 {
            load.read(100)
            load.took(1_000, share: LoopShare(), until: time(1))
        }
        #expect(load.readLimit == first)
    }

    @Test func `a connection that keeps its loop busy is heavy until it pauses`() {
        var load = WorkLoad()
        #expect(!load.isHeavy(at: time(0), share: LoopShare()))
        load.took(Self.millisecond, share: LoopShare(), until: time(1))
        #expect(load.isHeavy(at: time(1), share: LoopShare()))
        #expect(load.isHeavy(at: time(40), share: LoopShare()))
        #expect(!load.isHeavy(at: time(60), share: LoopShare()))
        // It uses only 1/64 of a loop.
        for step in 1...1_000 as ClosedRange<Int64> {
            load.took(Self.millisecond / 100, share: LoopShare(), until: time(60 + step))
            #expect(!load.isHeavy(at: time(60 + step), share: LoopShare()))
        }
    }

    @Test func `in a crowd, whoever comes in each round waits for whoever comes seldom`() {
        var share = LoopShare()
        share.divide(among: 10_000)
        var (busy, rare) = (WorkLoad(), WorkLoad())
        // Each of them takes 20 µs, so a round takes 200 ms.
        for round in 1...20 as ClosedRange<Int64> {
            busy.took(20_000, share: share, until: time(200 * round))
            #expect(busy.isHeavy(at: time(200 * round + 199), share: share) == (round > 2))
        }
        rare.took(20_000, share: share, until: time(0))
        #expect(!rare.isHeavy(at: time(4_000), share: share))
        // It is one of few when the others have left.
        share.divide(among: 1)
        #expect(!busy.isHeavy(at: time(4_100), share: share))
    }

    @Test func `a connection is brief again soon after one long turn, and not after several`() {
        var load = WorkLoad()
        for _ in 0..<20 { load.took(20_000, share: LoopShare(), until: time(1)) }
        #expect(load.isBrief)
        // Another program has had the processor for a second.
        load.took(1_000 * Self.millisecond, share: LoopShare(), until: time(2))
        #expect(load.isBrief)
        for _ in 0..<3 { load.took(Self.millisecond, share: LoopShare(), until: time(3)) }
        #expect(!load.isBrief)
        for _ in 0..<10 { load.took(20_000, share: LoopShare(), until: time(4)) }
        #expect(load.isBrief)
    }
}
