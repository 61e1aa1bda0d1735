// SPDX-License-Identifier: Apache-2.0

struct LayoutParts {
    var framing: PacketFraming?
    var states: [PacketState] = []
    var stateChanges: [PacketStateChange] = []
    var header: [PacketField]
    var content = PacketContent()
    var trailer: [PacketField]

    private var conditions: [WireCondition] { (header + trailer).compactMap { $0.condition } + content.conditions }

    /// The parts of packets as they stand in a stream: the fields before the first layer, and the trailer.
    var outer: LayoutParts {
        var parts = self
        parts.header = Array(header.prefix(content.layers.first?.fieldCount ?? header.count))
        parts.content = PacketContent()
        return parts
    }

    /// The different tests of states and of `nested`.
    var tests: [ContextTest] { ContextTest.all(in: conditions) }

    var dependsOnContext: Bool { conditions.contains { $0.looksAtContext } }

    var contexts: LayoutContexts { LayoutContexts(states, stateChanges, tests) }
}

/// The contexts in which packets of a layout differ.
package struct LayoutContexts: Equatable, Sendable {
    package let states: [PacketState]
    package let changes: [PacketStateChange]
    /// The different tests of states and of `nested`, in the order in which they are written.
    package let tests: [ContextTest]
    /// The combination of each variant of the layout, in their order.
    package let combinations: [Combination]
    /// The position of the variant for each number of a combination; 0 for combinations that no context has.
    private let positions: [Int]

    /// A sender, and which tests hold.
    package struct Combination: Equatable, Sendable {
        package let sender: Sender
        package let outcomes: ContextOutcomes

        /// A unique number: bit 0 is the sender, bit `n + 1` the outcome of test `n`.
        package var number: Int { Int(sender.conditionNumber) | outcomes << 1 }

        /// Returns whether a test holds; nil for one of a field.
        package func outcome(of test: WireCondition.Test, _ tests: [ContextTest]) -> Bool? {
            if test.operand == .sender { return test.comparison.holds(sender.conditionNumber, test.number) }
            guard let (known, isNegated) = ContextTest.reading(test), let index = tests.firstIndex(of: known) else {
                return nil
            }
            return (outcomes & 1 << index != 0) != isNegated
        }
    }

    init(_ states: [PacketState], _ changes: [PacketStateChange], _ tests: [ContextTest]) {
        self.states = states
        self.changes = changes
        self.tests = tests
        // A layout with too many tests is refused, so its contexts are not needed.
        let possible = tests.count > ContextTest.maximumCount ? [0] : tests.possibleOutcomes(states)
        combinations = possible.flatMap { outcomes in
            Sender.allCases.map { Combination(sender: $0, outcomes: outcomes) }
        }
        var positions = Array(repeating: 0, count: 2 << min(tests.count, ContextTest.maximumCount))
        for (position, combination) in combinations.enumerated() { positions[combination.number] = position }
        self.positions = positions
    }

    package func position(of context: PacketContext) -> Int {
        positions[Combination(sender: context.sender, outcomes: tests.outcomes(in: context)).number]
    }

    /// Returns which tests of a state hold if the state has this number.
    package func outcomes(ofState name: String, _ number: Int128) -> ContextOutcomes {
        tests.enumerated().reduce(0) { result, item in
            item.element.operand == .state(name) && item.element.holds(for: number) ? result | 1 << item.offset : result
        }
    }

    /// Returns which tests of `nested` hold for packets inside another packet, or outside of all.
    package func outcomes(isNested: Bool) -> ContextOutcomes {
        tests.enumerated().reduce(0) { result, item in
            item.element.operand == .nested && item.element.holds(for: isNested ? 1 : 0)
                ? result | 1 << item.offset : result
        }
    }

    func change(by messageID: UInt64, from sender: Sender) -> PacketStateChange? {
        changes.first { $0.messageID == messageID && $0.sender == sender }
    }
}

extension LayoutContexts {
    /// Makes the contexts that conditions tell apart; nil if the conditions have too many different tests.
    package init?(states: [PacketState], conditions: [WireCondition]) {
        let tests = ContextTest.all(in: conditions)
        guard tests.count <= ContextTest.maximumCount else { return nil }
        self.init(states, [], tests)
    }
}

extension PacketLayout {
    package func withStateChanges(_ changes: [PacketStateChange]) -> PacketLayout {
        guard !changes.isEmpty else { return self }
        let parts = LayoutParts(
            framing: framing, states: states, stateChanges: changes, header: header, content: content,
            trailer: trailer)
        precondition(Self.firstFault(parts) == nil, "a message that sets a state which the layout does not have")
        return PacketLayout(unchecked: parts)
    }
}
