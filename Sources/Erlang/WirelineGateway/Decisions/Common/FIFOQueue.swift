// SPDX-License-Identifier: Apache-2.0

/// A queue: the first element to come is the first to leave.
struct FIFOQueue<Element> {
    private var elements: [Element] = []
    private var start = 0

    var count: Int { elements.count - start }

    var first: Element? { start < elements.count ? elements[start] : nil }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        defer {
            start += 1
            // On average, this moves each element at most once.
            if start >= 64, start >= elements.count / 2 || start == elements.count {
                elements.removeFirst(start)
                start = 0
            }
        }
        return elements[start]
    }
}
