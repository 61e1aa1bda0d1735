// SPDX-License-Identifier: Apache-2.0

extension PacketLayout {
    /// A context for each plain layout of a packet outside others; nil if packets do not depend on the context.
    ///
    /// The first ones are those of a new connection.
    package var exampleContexts: [PacketContext]? {
        contexts.map { contexts in
            contexts.combinations.compactMap { contexts.example(of: $0) }
                .sorted { $0.states.names.count < $1.states.names.count }
        }
    }
}

extension LayoutContexts {
    /// Returns a context of a combination, with a number for each state; nil for nested packets, or if there is none.
    func example(of combination: Combination) -> PacketContext? {
        var context = PacketContext(from: combination.sender)
        for state in states {
            let operand = WireCondition.Operand.state(state.name)
            let own = tests.enumerated().filter { $0.element.operand == operand }
            guard let numbers = ContextTest.numbers(telling: own.map { $0.element }, apart: state.format.range) else {
                return nil
            }
            // The number nearest to 0 is the easiest to read.
            let fitting = numbers.filter { number in
                own.allSatisfy { $0.element.holds(for: number) == (combination.outcomes & 1 << $0.offset != 0) }
            }
            guard let number = fitting.min(by: { $0.magnitude < $1.magnitude }) else { return nil }
            context.states[state.name] = number
        }
        return tests.outcomes(in: context) == combination.outcomes ? context : nil
    }
}
