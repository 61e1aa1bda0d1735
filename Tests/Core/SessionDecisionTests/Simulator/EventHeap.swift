// SPDX-License-Identifier: Apache-2.0

/// The events of a simulation, ordered by time. Events at the same time keep the order in which they were planned.
struct EventHeap<Event> {
    private struct Node {
        let time: Int
        let order: Int
        let event: Event

        func precedes(_ other: Node) -> Bool {
            time < other.time || (time == other.time && order < other.order)
        }
    }

    private var nodes: [Node] = []
    private var orderCount = 0

    mutating func insert(_ event: Event, at time: Int) {
        let node = Node(time: time, order: orderCount, event: event)
        orderCount += 1
        var index = nodes.count
        nodes.append(node)
        while index > 0 {
            let parent = (index - 1) / 2
            guard node.precedes(nodes[parent]) else { break }
            nodes[index] = nodes[parent]
            index = parent
        }
        nodes[index] = node
    }

    mutating func popFirst() -> (time: Int, event: Event)? {
        guard let first = nodes.first else { return nil }
        let last = nodes.removeLast()
        guard !nodes.isEmpty else { return (first.time, first.event) }
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < nodes.count else { break }
            if child + 1 < nodes.count, nodes[child + 1].precedes(nodes[child]) { child += 1 }
            guard nodes[child].precedes(last) else { break }
            nodes[index] = nodes[child]
            index = child
        }
        nodes[index] = last
        return (first.time, first.event)
    }
}
