// SPDX-License-Identifier: Apache-2.0

/// A first-in, first-out queue whose elements can be removed from anywhere.
///
/// Each element has a number, which finds it in O(log *n*). So cancelling *n* tasks together costs O(*n* log *n*), not
/// *n*².
@usableFromInline
package struct NumberedQueue<Element> {
    // INVARIANT: numbers ascend. If there are elements, the entry at `start` is one; if there are none, `entries` is
    // empty.
    private var entries: [(number: UInt64, element: Element?)] = []
    private var lastNumber: UInt64 = 0
    private var start: UInt32 = 0
    @usableFromInline private(set) var liveCount: UInt32 = 0

    package init() {}

    @inlinable package var isEmpty: Bool { liveCount == 0 }

    package var count: Int { Int(liveCount) }

    package var first: Element? { isEmpty ? nil : entries[Int(start)].element }

    package var elements: [Element] { entries[Int(start)...].compactMap(\.element) }

    /// - Returns: The element's number.
    @discardableResult
    package mutating func append(_ element: Element) -> UInt64 {
        lastNumber += 1
        entries.append((lastNumber, element))
        liveCount += 1
        return lastNumber
    }

    package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = entries[Int(start)].element.take()
        left()
        return element
    }

    /// Nil if the element is gone.
    package mutating func remove(_ number: UInt64) -> Element? {
        var (low, high) = (Int(start), entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].number < number { low = middle + 1 } else { high = middle }
        }
        guard low < entries.count, entries[low].number == number, let element = entries[low].element.take()
        else { return nil }
        left()
        return element
    }

    /// Updates `start` after a removal, and closes the gaps when they outnumber the elements.
    private mutating func left() {
        liveCount -= 1
        guard liveCount > 0 else {
            entries.removeAll(keepingCapacity: entries.count < 64)
            start = 0
            return
        }
        while entries[Int(start)].element == nil { start += 1 }
        // On average, each entry is moved at most once.
        guard entries.count >= 64, entries.count >= 2 * count else { return }
        entries.removeAll { $0.element == nil }
        start = 0
    }
}
