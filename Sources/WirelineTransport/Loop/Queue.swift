// SPDX-License-Identifier: Apache-2.0

/// What is waiting, first in, first out, in memory that is used again.
@usableFromInline
package struct Queue<Element> {
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var start = 0

    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { start == elements.count }

    @inlinable package var count: Int { elements.count - start }

    /// The element that has waited longest.
    @inlinable package var first: Element? { isEmpty ? nil : elements[start] }

    /// How many elements there is memory for.
    package var capacity: Int { elements.capacity }

    @inlinable package mutating func append(_ element: Element) { elements.append(element) }

    @inlinable package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[start].take()
        start += 1
        if start == elements.count {
            // It was the only one, mostly, and then this takes less time.
            if start == 1 { elements.removeLast() } else { elements.removeAll(keepingCapacity: true) }
            start = 0
        } else if start >= 64, start >= elements.count / 2 {
            // A queue that is never empty would otherwise grow for ever. Each element is moved once at most, on average.
            elements.removeFirst(start)
            start = 0
        }
        return element
    }

    /// Takes the first element that fulfils a condition, wherever it stands.
    @inlinable package mutating func removeFirst(where condition: (Element) -> Bool) -> Element? {
        let index = elements[start...].firstIndex { $0.map(condition) == true }
        return index.flatMap { elements.remove(at: $0) }
    }
}
