// SPDX-License-Identifier: Apache-2.0

/// A queue of timers, earliest first.
///
/// It is a binary heap of indices into a table. Setting and cancelling a timer take O(log *n*) steps, and no allocation
/// once the table has grown.
package struct TimerQueue {
    /// Identifies a timer; a token is never used again for another timer.
    package struct Token: Equatable, Sendable {
        fileprivate let slot: Int32
        fileprivate let generation: UInt32
    }

    private struct Slot {
        var deadline = MonotonicTime.distantFuture
        /// Orders timers with the same deadline: the one set first fires first.
        var order: UInt64 = 0
        var action: (() -> Void)?
        var generation: UInt32 = 0
        /// The timer's index in the heap; −1 for a free slot.
        var heapIndex: Int32 = -1
    }

    package init() {}

    private var slots: [Slot] = []
    private var free: [Int32] = []
    private var heap: [Int32] = []
    private var lastOrder: UInt64 = 0

    package var count: Int { heap.count }

    package var nextDeadline: MonotonicTime? { heap.first.map { slots[Int($0)].deadline } }

    package mutating func set(_ deadline: MonotonicTime, _ action: @escaping () -> Void) -> Token {
        let slot: Int32
        if let last = free.popLast() {
            slot = last
        } else {
            slot = Int32(slots.count)
            slots.append(Slot())
        }
        lastOrder += 1
        slots[Int(slot)].deadline = deadline
        slots[Int(slot)].order = lastOrder
        slots[Int(slot)].action = action
        slots[Int(slot)].heapIndex = Int32(heap.count)
        heap.append(slot)
        moveUp(heap.count - 1)
        return Token(slot: slot, generation: slots[Int(slot)].generation)
    }

    /// Cancels a timer; has no effect if it has fired or was cancelled.
    package mutating func cancel(_ token: Token) {
        guard slots[Int(token.slot)].generation == token.generation else { return }
        remove(at: Int(slots[Int(token.slot)].heapIndex))
    }

    /// Removes and returns the action of the next due timer, if there is one.
    package mutating func popDue(at now: MonotonicTime) -> (() -> Void)? {
        guard let first = heap.first, slots[Int(first)].deadline <= now else { return nil }
        let action = slots[Int(first)].action
        remove(at: 0)
        return action
    }

    private mutating func remove(at index: Int) {
        let slot = heap[index]
        let last = heap.removeLast()
        if index < heap.count {
            place(last, at: index)
            moveDown(index)
            moveUp(index)
        }
        slots[Int(slot)].action = nil
        slots[Int(slot)].heapIndex = -1
        slots[Int(slot)].generation &+= 1
        free.append(slot)
    }

    // MARK: The heap

    private mutating func place(_ slot: Int32, at index: Int) {
        heap[index] = slot
        slots[Int(slot)].heapIndex = Int32(index)
    }

    private func isBefore(_ left: Int32, _ right: Int32) -> Bool {
        let (left, right) = (slots[Int(left)], slots[Int(right)])
        return (left.deadline, left.order) < (right.deadline, right.order)
    }

    private mutating func moveUp(_ start: Int) {
        let slot = heap[start]
        var index = start
        while index > 0, isBefore(slot, heap[(index - 1) / 2]) {
            place(heap[(index - 1) / 2], at: index)
            index = (index - 1) / 2
        }
        place(slot, at: index)
    }

    private mutating func moveDown(_ start: Int) {
        let slot = heap[start]
        var index = start
        while 2 * index + 1 < heap.count {
            var child = 2 * index + 1
            if child + 1 < heap.count, isBefore(heap[child + 1], heap[child]) { child += 1 }
            guard isBefore(heap[child], slot) else { break }
            place(heap[child], at: index)
            index = child
        }
        place(slot, at: index)
    }
}
