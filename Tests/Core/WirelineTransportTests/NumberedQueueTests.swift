// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineTransport

struct NumberedQueueTests {
    @Test func `elements leave in order, or from any position`() {
        var queue = NumberedQueue<Int>()
        let numbers = (0..<10).map { queue.append($0) }
        #expect(queue.remove(numbers[4]) == 4)
        #expect(queue.remove(numbers[4]) == nil)
        #expect(queue.remove(numbers[0]) == 0)
        #expect(queue.first == 1)
        #expect(queue.popFirst() == 1)
        #expect(queue.remove(numbers[9]) == 9)
        #expect(queue.elements == [2, 3, 5, 6, 7, 8])
        #expect(queue.count == 6)
        for expected in [2, 3, 5, 6, 7, 8] { #expect(queue.popFirst() == expected) }
        #expect(queue.isEmpty && queue.first == nil && queue.popFirst() == nil)
        #expect(queue.remove(numbers[3]) == nil)
    }

    @Test func `the queue behaves like an array under random operations`() {
        var random = SeededGenerator.forThisRun()
        var queue = NumberedQueue<UInt64>()
        // The elements are the numbers that they get.
        var model: [UInt64] = []
        var lastNumber: UInt64 = 0
        for _ in 0..<20_000 {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                lastNumber += 1
                #expect(queue.append(lastNumber) == lastNumber, random.seedComment)
                model.append(lastNumber)
            case 2: #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()), random.seedComment)
            default:
                let number = UInt64.random(in: 0...lastNumber, using: &random)
                let place = model.firstIndex(of: number)
                #expect(queue.remove(number) == place.map { model.remove(at: $0) }, random.seedComment)
            }
            #expect(queue.count == model.count && queue.first == model.first, random.seedComment)
        }
        #expect(queue.elements == model, random.seedComment)
    }
}
