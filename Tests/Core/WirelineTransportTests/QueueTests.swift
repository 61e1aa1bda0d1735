// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineTransport

struct QueueTests {
    @Test func `a queue returns the oldest element first`() {
        var random = SeededGenerator.forThisRun()
        var queue = Queue<Int>()
        var model: [Int] = []
        for step in 0..<20_000 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<4:
                queue.append(step)
                model.append(step)
            default:
                #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()), random.seedComment)
            }
            #expect(queue.count == model.count)
            #expect(queue.isEmpty == model.isEmpty)
        }
    }

    @Test func `a queue that is never empty does not grow without bound`() {
        var queue = Queue<Int>()
        for number in 0..<10 { queue.append(number) }
        for number in 10..<100_000 {
            queue.append(number)
            #expect(queue.popFirst() == number - 10)
        }
        #expect(queue.capacity < 1_000)
    }

    @Test func `a removed element is released`() {
        final class Thing {}
        var queue = Queue<Thing>()
        var thing: Thing? = Thing()
        weak let kept = thing
        queue.append(thing ?? Thing())
        queue.append(Thing())
        thing = nil
        _ = queue.popFirst()
        #expect(kept == nil)
    }
}
