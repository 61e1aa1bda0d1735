// SPDX-License-Identifier: Apache-2.0

/// Elements that leave in the order in which they came.
struct Line<Element> {
    private var elements: [Element] = []
    private var start = 0

    var count: Int { elements.count - start }

    var first: Element? { start < elements.count ? elements[start] : nil }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        defer {
            start += 1
            // On average, each element is moved at most once.
            if start >= 64, start >= elements.count / 2 || start == elements.count {
                elements.removeFirst(start)
                start = 0
            }
        }
        return elements[start]
    }
}

/// The deadlines of what all waits equally long, so that the first to begin is the first to end.
///
/// A deadline is not taken back: whoever gets one looks whether the client still waits for it.
struct DeadlineQueue<Item> {
    private var line = Line<(time: Duration, item: Item)>()

    /// The earliest deadline; nil if there is none.
    var first: Duration? { line.first?.time }

    /// Adds a deadline, which is not earlier than those before it.
    mutating func append(_ time: Duration, _ item: Item) { line.append((time, item)) }

    /// Takes the earliest deadline if its time has come.
    mutating func popFirst(at now: Duration) -> (time: Duration, item: Item)? {
        guard let first, first <= now else { return nil }
        return line.popFirst()
    }
}
