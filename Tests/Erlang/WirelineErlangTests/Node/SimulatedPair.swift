// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineErlang

/// Two nodes, and a network between them that delays, cuts and loses, in simulated time.
///
/// Everything happens in the order of its time; what a seed decides happens again with the same seed.
struct SimulatedPair {
    /// One end of a connection.
    struct End: Hashable {
        let node: Int
        /// Which of the node's lives has it.
        let creation: UInt32
        let id: NodeConnectionID
    }

    private enum Happening {
        /// An attempt to connect arrives at the other node.
        case knock(Int)
        /// The attempt's answer is back.
        case opened(Int)
        case refused(End)
        case bytes([UInt8], to: End, Int)
        case ended(End, isBroken: Bool)
    }

    /// A connection; its ends are nil once they are closed.
    private struct Line {
        var caller: End?
        var accepter: End?
        /// Whether nothing passes any more.
        var isCut = false
        /// When the last bytes to each end arrive: they do not overtake each other.
        var arrivals: [Int: Duration] = [:]
    }

    private static let names: [ErlangNodeName] = ["a@h", "b@h"]
    static let cookie = ErlangCookie("secret")!

    var nodes: [SimulatedProgram]
    private(set) var now = Duration.zero
    private var random: SeededGenerator
    private var lines: [Int: Line] = [:]
    private var happenings: [(time: Duration, number: Int, what: Happening)] = []
    private var count = 0
    private var creation: UInt32 = 10

    init(_ random: SeededGenerator) {
        self.random = random
        nodes = [0, 1].map { SimulatedProgram($0, Self.names[$0], creation: UInt32($0) + 1) }
    }

    mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }

    mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    private mutating func delay() -> Duration {
        .microseconds(Int64.random(in: 1...(chance(0.1) ? 2_000_000 : 2_000), using: &random))
    }

    /// Connections of which both ends are open.
    var openCount: Int { lines.values.count { $0.caller != nil && $0.accepter != nil } }

    /// The greatest number of connections that are open or begin.
    var lineCount: Int { lines.count }

    // MARK: Steps

    /// Does something with a node, and what follows from it.
    mutating func change<Value>(
        _ node: Int, _ body: (inout SimulatedProgram, Duration) throws -> Value
    ) rethrows -> Value {
        defer { carryOut(node) }
        return try body(&nodes[node], now)
    }

    private mutating func carryOut(_ node: Int) {
        while true {
            let actions = nodes[node].core.takeActions()
            guard !actions.isEmpty else { return }
            for action in actions {
                switch action {
                case .dial(let id, _): dial(end(node, id))
                case .write(let id):
                    send(nodes[node].core.takeOutput(of: id), from: end(node, id))
                    nodes[node].core.noteUnsent(0, on: id)
                case .close(let id, let output):
                    send(output, from: end(node, id))
                    close(end(node, id))
                default: nodes[node].note(action, at: now)
                }
            }
        }
    }

    /// Lets time pass until nothing is left to happen before it.
    mutating func run(until end: Duration) {
        while let time = nextTime, time <= end {
            now = max(now, time)
            for node in nodes.indices where nodes[node].core.deadline.map({ $0 <= now }) == true {
                change(node) { $0.core.poll(at: $1) }
            }
            while let first = happenings.indices.min(by: { order($0) < order($1) }), happenings[first].time <= now {
                happen(happenings.remove(at: first).what)
            }
        }
        now = end
    }

    private func end(_ node: Int, _ id: NodeConnectionID) -> End {
        End(node: node, creation: nodes[node].creation, id: id)
    }

    private func order(_ index: Int) -> (Duration, Int) { (happenings[index].time, happenings[index].number) }

    private var nextTime: Duration? {
        (happenings.map(\.time) + nodes.compactMap(\.core.deadline)).min()
    }

    private mutating func schedule(_ what: Happening, at time: Duration) {
        count += 1
        happenings.append((time, count, what))
    }

    // MARK: The network

    private mutating func dial(_ caller: End) {
        count += 1
        let number = count
        lines[number] = Line(caller: caller)
        if chance(0.05) { return schedule(.refused(caller), at: now + delay()) }
        schedule(.knock(number), at: now + delay())
    }

    private mutating func happen(_ what: Happening) {
        switch what {
        case .knock(let number): knock(number)
        case .opened(let number):
            guard let caller = lines[number]?.caller else { return }
            let challenge = UInt32.random(in: .min ... .max, using: &random)
            change(caller.node) { $0.core.dialed(caller.id, challenge: challenge, at: $1) }
        case .refused(let end):
            // A later life of the node has other connections of the same numbers.
            guard isOpen(end) else { return }
            forget(end)
            change(end.node) { $0.core.dialFailed(end.id, at: $1) }
        case .bytes(let bytes, let end, let number):
            guard isOpen(end), lines[number]?.isCut == false else { return }
            change(end.node) { $0.core.receive(bytes.span.bytes, on: end.id, at: $1) }
        case .ended(let end, let isBroken):
            guard isOpen(end) else { return }
            forget(end)
            change(end.node) { $0.core.ended(end.id, isBroken: isBroken, at: $1) }
        }
    }

    private mutating func knock(_ number: Int) {
        guard let caller = lines[number]?.caller else { return }
        let node = 1 - caller.node
        let challenge = UInt32.random(in: .min ... .max, using: &random)
        guard let id = change(node, { $0.core.accepted(challenge: challenge, at: $1) }) else {
            return schedule(.refused(caller), at: now + delay())
        }
        let accepter = end(node, id)
        lines[number]?.accepter = accepter
        schedule(.opened(number), at: arrival(number, at: caller.node))
    }

    private mutating func arrival(_ number: Int, at node: Int) -> Duration {
        let time = max(now + delay(), lines[number]?.arrivals[node] ?? .zero)
        lines[number]?.arrivals[node] = time
        return time
    }

    private func number(of end: End) -> Int? { lines.first { $0.value.caller == end || $0.value.accepter == end }?.key }

    private func isOpen(_ end: End) -> Bool { number(of: end) != nil }

    private func otherEnd(_ number: Int, _ end: End) -> End? {
        lines[number]?.caller == end ? lines[number]?.accepter : lines[number]?.caller
    }

    private mutating func send(_ bytes: [UInt8], from end: End) {
        guard !bytes.isEmpty, let number = number(of: end), let other = otherEnd(number, end) else { return }
        // Cut anywhere, as TCP does.
        var rest = bytes[...]
        let time = arrival(number, at: other.node)
        while !rest.isEmpty {
            let piece = rest.prefix(chance(0.3) ? 1 + self.number(below: 40) : rest.count)
            rest = rest.dropFirst(piece.count)
            schedule(.bytes(Array(piece), to: other, number), at: time)
        }
    }

    private mutating func forget(_ end: End) {
        guard let number = number(of: end) else { return }
        if lines[number]?.caller == end { lines[number]?.caller = nil } else { lines[number]?.accepter = nil }
        if lines[number]?.caller == nil, lines[number]?.accepter == nil { lines[number] = nil }
    }

    private mutating func close(_ end: End) {
        guard let number = number(of: end) else { return }
        let other = otherEnd(number, end)
        let isHeard = lines[number]?.isCut == false
        forget(end)
        guard let other, isHeard else { return }
        schedule(.ended(other, isBroken: false), at: arrival(number, at: other.node))
    }

    // MARK: Faults

    /// Breaks a connection. Its ends learn of it at different times, or only from silence.
    mutating func cut() {
        guard let number = lines.keys.sorted().randomElement(using: &random), let line = lines[number],
            line.accepter != nil
        else { return }
        lines[number]?.isCut = true
        guard chance(0.7) else { return }
        for end in [line.caller, line.accepter] {
            if let end { schedule(.ended(end, isBroken: true), at: now + delay()) }
        }
    }

    /// A node ends without a word, and starts again.
    mutating func restart(_ node: Int) {
        for (number, line) in lines.sorted(by: { $0.key < $1.key }) {
            for end in [line.caller, line.accepter] {
                guard let end, end.node == node else { continue }
                let other = otherEnd(number, end)
                forget(end)
                if let other, chance(0.8) { schedule(.ended(other, isBroken: false), at: now + delay()) }
                if other == nil { lines[number] = nil }
            }
        }
        creation += 1
        nodes[node].restart(creation: creation)
    }
}
