// SPDX-License-Identifier: Apache-2.0

/// What is to happen at some time, the earliest first.
///
/// A binary heap of places in a table: setting and cancelling a timer take a number of steps that grows with the
/// logarithm of the number of timers, and no allocation once the table has grown.
package struct TimerQueue {
    /// Names a timer that was set; a name that is over never stands for another timer.
    package struct Token: Equatable, Sendable {
        fileprivate let slot: Int32
        fileprivate let generation: UInt32
    }

    private struct Slot {
        var deadline = MonotonicTime.distantFuture
        /// Tells timers with one deadline apart: the one that was set first comes first.
        var order: UInt64 = 0
        var action: (() -> Void)?
        var generation: UInt32 = 0
        /// Where in the heap the timer stands; −1 for a slot that is free.
        var heapIndex: Int32 = -1
    }

    package init() {}

    private var slots: [Slot] = []
    private var free: [Int32] = []
    private var heap: [Int32] = []
    private var lastOrder: UInt64 = 0

    /// How many timers are set.
    package var count: Int { heap.count }

    /// When the next one is due.
    package var nextDeadline: MonotonicTime? { heap.first.map { slots[Int($0)].deadline } }

    /// Sets a timer.
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

    /// Takes a timer back; one that has fired or was taken back already is left alone.
    package mutating func cancel(_ token: Token) {
        guard slots[Int(token.slot)].generation == token.generation else { return }
        remove(at: Int(slots[Int(token.slot)].heapIndex))
    }

    /// Takes the next timer that is due, if one is.
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
