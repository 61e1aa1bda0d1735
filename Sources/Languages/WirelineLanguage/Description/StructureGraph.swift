// SPDX-License-Identifier: Apache-2.0

/// The bodies that each body's fields lead to. A body is a structure, or a union with the fields of its arms.
///
/// A body's number is its index in ``ProtocolDescription/bodies``. Each walk has its own stack in memory: a chain of
/// structures may be longer than the program's stack is deep.
package struct StructureGraph: Sendable {
    /// The bodies, each after those that its fields lead to. In a cycle the order depends on where the walk starts.
    package let innermostFirst: [Int]
    /// Whether each body leads back to itself.
    package let isInCycle: [Bool]
    /// The body that each field of each body leads to.
    private let targets: [[Int?]]

    /// A body on a path, and the field that the path follows.
    package struct Step: Equatable, Sendable {
        package var body: Int
        package var field: Int
    }

    /// - Parameters:
    ///   - target: Returns the body that a field leads to.
    ///   - onCycle: Called for each field that closes a cycle: with the path up to this field, and the body on it to
    ///     which the field leads.
    /// - Complexity: O(*n*), where *n* is the number of bodies and fields.
    package init(
        _ bodies: [[FieldDescription]], target: (FieldDescription) -> Int?,
        onCycle: (_ path: [Step], _ target: Int) -> Void = { _, _ in }
    ) {
        targets = bodies.map { $0.map(target) }
        var walk = StructureWalk(targets)
        for start in targets.indices { walk.visit(start, onCycle: onCycle) }
        innermostFirst = walk.order
        isInCycle = walk.isInCycle
    }

    /// Makes the graph of bodies contained by value: without a list between them, but also in arms and optional fields.
    package init(byValueIn description: ProtocolDescription) {
        self.init(description.bodies) { description.bodyByValue(of: $0.type) }
    }

    /// Makes the graph of bodies contained in any way, also in lists.
    package init(anywhereIn description: ProtocolDescription) {
        self.init(description.bodies) { description.innermostBody(of: $0.type) }
    }

    /// Returns how deeply bodies nest in each body, itself included; `Int.max` if it leads to a cycle.
    package func depths() -> [Int] {
        var depths = Array(repeating: Int.max, count: targets.count)
        for structure in innermostFirst where !isInCycle[structure] {
            let inner = targets[structure].reduce(0) { max($0, $1.map { depths[$0] } ?? 0) }
            depths[structure] = inner.addedOrMaximum(1)
        }
        return depths
    }

    /// Returns these bodies and all that they lead to, each once, those with the fewest steps first.
    package func reached(from starts: [Int]) -> [Int] {
        var seen: Set<Int> = []
        var result = starts.filter { seen.insert($0).inserted }
        var position = 0
        while position < result.count {
            for target in targets[result[position]] {
                if let target, seen.insert(target).inserted { result.append(target) }
            }
            position += 1
        }
        return result
    }
}

/// Tarjan's search for strongly connected components ("Depth-First Search and Linear Graph Algorithms", 1972).
private struct StructureWalk {
    private(set) var order: [Int] = []
    private(set) var isInCycle: [Bool]
    private let targets: [[Int?]]
    private var states: [State]
    /// The number of each structure, in order of discovery.
    private var numbers: [Int]
    /// The earliest structure, by its number, that each structure leads back to.
    private var firsts: [Int]
    private var count = 0
    private var path: [StructureGraph.Step] = []
    /// The structures that may still turn out to be in a cycle.
    private var open: [Int] = []

    private enum State {
        case new, onPath
        /// The path has left the structure, which may lead back to one on the path.
        case left
        case done
    }

    init(_ targets: [[Int?]]) {
        self.targets = targets
        isInCycle = Array(repeating: false, count: targets.count)
        states = Array(repeating: .new, count: targets.count)
        numbers = Array(repeating: 0, count: targets.count)
        firsts = numbers
        order.reserveCapacity(targets.count)
    }

    /// Visits a structure and all that it leads to, unless it was visited.
    mutating func visit(_ start: Int, onCycle: (_ path: [StructureGraph.Step], _ target: Int) -> Void) {
        guard states[start] == .new else { return }
        enter(start)
        while let step = path.last {
            guard step.field + 1 < targets[step.body].count else {
                leave()
                continue
            }
            path[path.count - 1].field += 1
            guard let target = targets[step.body][step.field + 1] else { continue }
            switch states[target] {
            case .new: enter(target)
            case .onPath:
                onCycle(path, target)
                isInCycle[target] = true
                lead(step.body, to: numbers[target])
            case .left: lead(step.body, to: numbers[target])
            case .done: break
            }
        }
    }

    private mutating func enter(_ structure: Int) {
        states[structure] = .onPath
        numbers[structure] = count
        firsts[structure] = count
        count += 1
        open.append(structure)
        path.append(StructureGraph.Step(body: structure, field: -1))
    }

    private mutating func leave() {
        let structure = path.removeLast().body
        order.append(structure)
        states[structure] = .left
        if let outer = path.last?.body { lead(outer, to: firsts[structure]) }
        guard firsts[structure] == numbers[structure] else { return }
        let isCycle = open.last != structure
        while let member = open.popLast() {
            states[member] = .done
            if isCycle { isInCycle[member] = true }
            if member == structure { break }
        }
    }

    private mutating func lead(_ structure: Int, to number: Int) {
        firsts[structure] = min(firsts[structure], number)
    }
}
