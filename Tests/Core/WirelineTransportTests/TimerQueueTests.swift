// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineTransport

struct TimerQueueTests {
    @Test func `timers fire by deadline, and in the order of setting if deadlines are equal`() {
        var queue = TimerQueue()
        var fired: [String] = []
        for (name, deadline) in [("c", 30), ("a", 10), ("d", 30), ("b", 20)] as [(String, Int64)] {
            _ = queue.set(MonotonicTime(nanoseconds: deadline)) { fired.append(name) }
        }
        #expect(queue.nextDeadline == MonotonicTime(nanoseconds: 10))
        while let action = queue.popDue(at: MonotonicTime(nanoseconds: 30)) { action() }
        #expect(fired == ["a", "b", "c", "d"])
        #expect(queue.nextDeadline == nil)
    }

    @Test func `no timer fires before its deadline`() {
        var queue = TimerQueue()
        _ = queue.set(MonotonicTime(nanoseconds: 10)) {}
        let early = queue.popDue(at: MonotonicTime(nanoseconds: 9))
        let onTime = queue.popDue(at: MonotonicTime(nanoseconds: 10))
        #expect(early == nil)
        #expect(onTime != nil)
    }

    @Test func `the token of a finished timer cancels no other timer`() {
        var queue = TimerQueue()
        let first = queue.set(MonotonicTime(nanoseconds: 1)) {}
        queue.cancel(first)
        _ = queue.set(MonotonicTime(nanoseconds: 2)) {}
        queue.cancel(first)
        #expect(queue.count == 1)
    }

    @Test(arguments: 1...20)
    func `random operations give the same result as a sorted list`(round: Int) {
        var random = SeededGenerator.forThisRun()
        var queue = TimerQueue()
        var model: [(deadline: Int64, order: Int, token: TimerQueue.Token)] = []
        var fired: [Int] = []
        for step in 0..<2_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let deadline = Int64.random(in: 0..<500, using: &random)
                let token = queue.set(MonotonicTime(nanoseconds: deadline)) { fired.append(step) }
                model.append((deadline, step, token))
            case 5..<7:
                guard let index = model.indices.randomElement(using: &random) else { continue }
                queue.cancel(model.remove(at: index).token)
            default:
                let now = Int64.random(in: 0..<500, using: &random)
                guard let action = queue.popDue(at: MonotonicTime(nanoseconds: now)) else {
                    #expect(!model.contains { $0.deadline <= now })
                    continue
                }
                action()
                let expected = model.min { ($0.deadline, $0.order) < ($1.deadline, $1.order) }
                #expect(fired.last == expected?.order)
                model.removeAll { $0.order == expected?.order }
            }
            #expect(queue.count == model.count)
        }
    }
}
