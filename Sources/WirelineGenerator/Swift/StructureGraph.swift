// SPDX-License-Identifier: Apache-2.0

import WirelineSchema

/// Which structures hold which, and what follows from it. Every walk has a stack of its own, since a schema's chain of
/// structures may be longer than the program's stack is deep.
struct StructureGraph {
    /// Each structure stands behind those that it holds by value.
    let innermostFirst: [Int]
    /// What is reached from messages that could nest more deeply than `max_depth`.
    let depthCounting: Set<Int>
    /// What a `@since` field's zero is made of.
    let zeroNeeding: Set<Int>

    init(_ description: ProtocolDescription) {
        let structures = description.structures
        let all = structures.map { $0.fields.compactMap(\.type.structureWithin) }
        let byValue = structures.map { $0.fields.compactMap(\.type.structureByValue) }
        innermostFirst = Self.postorder(byValue).order
        let depths = Self.depths(all)
        var starts: [Int] = []
        for message in description.messages {
            let roots = message.fields.compactMap(\.type.structureWithin)
            if roots.contains(where: { depths[$0] > description.options.maximumDepth }) { starts += roots }
        }
        depthCounting = Self.reachable(from: starts, all)
        let fields = description.messages.flatMap(\.fields) + structures.flatMap(\.fields)
        let defaulted = fields.compactMap { field in
            if case .since(_, default: .zero) = field.presence { field.type.structureByValue } else { nil }
        }
        zeroNeeding = Self.reachable(from: defaulted, byValue)
    }

    /// The nodes with their children first, and one of each circle.
    private static func postorder(_ edges: [[Int]]) -> (order: [Int], cyclic: Set<Int>) {
        enum Mark { case new, open, done }
        var marks = Array(repeating: Mark.new, count: edges.count)
        var order: [Int] = []
        var cyclic: Set<Int> = []
        for start in edges.indices where marks[start] == .new {
            var path = [(node: start, next: 0)]
            marks[start] = .open
            while let (node, next) = path.last {
                guard next < edges[node].count else {
                    marks[node] = .done
                    order.append(node)
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next += 1
                let child = edges[node][next]
                switch marks[child] {
                case .new:
                    marks[child] = .open
                    path.append((child, 0))
                case .open: cyclic.insert(child)
                case .done: break
                }
            }
        }
        return (order, cyclic)
    }

    /// How deep each structure nests at most, itself counted; `Int.max` where there is no end.
    private static func depths(_ edges: [[Int]]) -> [Int] {
        let (order, cyclic) = postorder(edges)
        var reversed = Array(repeating: [Int](), count: edges.count)
        for (node, children) in edges.enumerated() {
            for child in children { reversed[child].append(node) }
        }
        let endless = reachable(from: Array(cyclic), reversed)
        var depths = Array(repeating: Int.max, count: edges.count)
        for node in order where !endless.contains(node) {
            depths[node] = (edges[node].map { depths[$0] }.max() ?? 0) + 1
        }
        return depths
    }

    private static func reachable(from starts: [Int], _ edges: [[Int]]) -> Set<Int> {
        var reached = Set(starts)
        var waiting = Array(reached)
        while let node = waiting.popLast() {
            for child in edges[node] where reached.insert(child).inserted { waiting.append(child) }
        }
        return reached
    }
}

extension TypeDescription {
    /// The structure that every value holds.
    fileprivate var structureByValue: Int? {
        switch self {
        case .structure(let index): index
        case .fixedList(let element, _): element.structureByValue
        default: nil
        }
    }

    /// The structure that a value may hold.
    fileprivate var structureWithin: Int? {
        if case .list(let element, _) = self { element.structureWithin } else { structureByValue }
    }
}
