// SPDX-License-Identifier: Apache-2.0

/// A first-in, first-out queue that reuses its memory.
@usableFromInline
package struct Queue<Element> {
    @usableFromInline var elements: [Element?] = []
    @usableFromInline var start = 0

    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { start == elements.count }

    @inlinable package var count: Int { elements.count - start }

    @inlinable package var first: Element? { isEmpty ? nil : elements[start] }

    package var capacity: Int { elements.capacity }

    @inlinable package mutating func append(_ element: Element) { elements.append(element) }

    @inlinable package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[start].take()
        start += 1
        if start == elements.count {
            // The queue usually had only this element, and then this is faster.
            if start == 1 { elements.removeLast() } else { elements.removeAll(keepingCapacity: true) }
            start = 0
        } else if start >= 64, start >= elements.count / 2 {
            // A queue that is never empty would otherwise grow without limit. On average, each element is moved at most
            // once.
            elements.removeFirst(start)
            start = 0
        }
        return element
    }
}
