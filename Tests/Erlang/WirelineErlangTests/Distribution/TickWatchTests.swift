// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineErlang

struct TickWatchTests {
    @Test func `a quarter after the last packet a tick is sent`() {
        var watch = TickWatch(time: .seconds(60), at: .seconds(100))
        #expect(watch.deadline == .seconds(115))
        #expect(watch.poll(at: .seconds(114)) == nil)
        #expect(watch.poll(at: .seconds(115)) == .tick)
        #expect(watch.deadline == .seconds(130))
        watch.sent(at: .seconds(129))
        #expect(watch.poll(at: .seconds(130)) == nil)
        #expect(watch.deadline == .seconds(144))
    }

    @Test func `a node that is silent for the whole time is dead`() {
        var watch = TickWatch(time: .seconds(60), at: .zero)
        watch.received(at: .seconds(10))
        watch.sent(at: .seconds(69))
        #expect(watch.deadline == .seconds(70))
        #expect(watch.poll(at: .seconds(69)) == nil)
        #expect(watch.poll(at: .seconds(70)) == .dead)
    }

    @Test func `two nodes that only tick keep each other alive, and one that freezes is noticed in time`() {
        var random = SeededGenerator.forThisRun()
        for _ in 0..<1_000 {
            var (left, right) = (TickWatch(time: .seconds(4), at: .zero), TickWatch(time: .seconds(4), at: .zero))
            var now = Duration.zero
            let freeze = Duration.milliseconds(Int.random(in: 0...60_000, using: &random))
            while now < freeze {
                now = min(left.deadline, right.deadline)
                if let action = left.poll(at: now) {
                    #expect(action == .tick, random.seedComment)
                    right.received(at: now)
                }
                if let action = right.poll(at: now) {
                    #expect(action == .tick, random.seedComment)
                    left.received(at: now)
                }
            }
            // The right one says nothing any more.
            let last = now
            var action: TickWatch.Action?
            while action != .dead {
                now = left.deadline
                action = left.poll(at: now)
            }
            #expect(now - last <= .seconds(4) && now - last >= .seconds(3), random.seedComment)
        }
    }
}
