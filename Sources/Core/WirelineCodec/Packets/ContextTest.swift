// SPDX-License-Identifier: Apache-2.0

/// A test of a state, or of whether a packet is nested, in the conditions of a layout.
///
/// Tests that always have opposite outcomes are one: `phase == play` and `phase != play`, `level < 3` and `level >= 3`.
package struct ContextTest: Equatable, Sendable {
    /// Never a field or the sender.
    package let operand: WireCondition.Operand
    /// Equal, less, or a shared bit.
    package let comparison: WireCondition.Comparison
    package let number: Int128

    /// The most different tests of a layout: their 64 outcomes each have a layout for each sender.
    package static let maximumCount = 6

    private init(_ operand: WireCondition.Operand, _ comparison: WireCondition.Comparison, _ number: Int128) {
        self.operand = operand
        self.comparison = comparison
        self.number = number
    }

    /// Returns the test that a condition makes, and whether the condition is its opposite; nil if it tests a field or
    /// the sender.
    static func reading(_ test: WireCondition.Test) -> (test: ContextTest, isNegated: Bool)? {
        guard test.operand.isContext, test.operand != .sender else { return nil }
        func make(_ comparison: WireCondition.Comparison, _ number: Int128, isNegated: Bool) -> (ContextTest, Bool) {
            (ContextTest(test.operand, comparison, number), isNegated)
        }
        switch test.comparison {
        case .equal: return make(.equal, test.number, isNegated: false)
        case .unequal: return make(.equal, test.number, isNegated: true)
        case .less: return make(.less, test.number, isNegated: false)
        case .greaterOrEqual: return make(.less, test.number, isNegated: true)
        // A state's number is far from the largest one.
        case .lessOrEqual: return make(.less, test.number + 1, isNegated: false)
        case .greater: return make(.less, test.number + 1, isNegated: true)
        case .sharesBit: return make(.sharesBit, test.number, isNegated: false)
        }
    }

    /// Returns the different tests of conditions, in the order in which they are written.
    static func all(in conditions: [WireCondition]) -> [ContextTest] {
        var result: [ContextTest] = []
        for (operand, comparison, number) in conditions.flatMap({ $0.tests }) {
            let written = WireCondition.Test(operand, comparison ?? .unequal, number)
            if let test = reading(written)?.test, !result.contains(test) { result.append(test) }
        }
        return result
    }

    package func holds(for value: Int128) -> Bool { comparison.holds(value, number) }

    package func holds(in context: PacketContext) -> Bool { holds(for: context.number(of: operand) ?? 0) }
}

/// A combination of outcomes of the tests of a layout: bit `n` is set if test `n` holds.
package typealias ContextOutcomes = Int

extension [ContextTest] {
    func outcomes(in context: PacketContext) -> ContextOutcomes {
        var outcomes = 0
        for (index, test) in enumerated() where test.holds(in: context) { outcomes |= 1 << index }
        return outcomes
    }

    /// Returns the combinations that a context can have; `phase == play` and `phase == login` never hold together.
    ///
    /// - Parameter states: The states that the tests look at.
    func possibleOutcomes(_ states: [PacketState]) -> [ContextOutcomes] {
        var combinations = [0]
        var operands: [WireCondition.Operand] = []
        for test in self where !operands.contains(test.operand) { operands.append(test.operand) }
        for operand in operands {
            let choices = outcomes(of: operand, states)
            combinations = combinations.flatMap { combination in choices.map { combination | $0 } }
        }
        return combinations.sorted()
    }

    private func outcomes(of operand: WireCondition.Operand, _ states: [PacketState]) -> Set<ContextOutcomes> {
        let tests = enumerated().filter { $0.element.operand == operand }
        let range: ClosedRange<Int128> =
            if case .state(let name) = operand, let state = states.first(where: { $0.name == name }) {
                state.format.range
            } else {
                0...1
            }
        guard let numbers = ContextTest.numbers(telling: tests.map { $0.element }, apart: range) else {
            return tests.reduce([0]) { result, test in result.union(result.map { $0 | 1 << test.offset }) }
        }
        return Set(
            numbers.map { number in
                tests.reduce(0) { $1.element.holds(for: number) ? $0 | 1 << $1.offset : $0 }
            })
    }
}

extension ContextTest {
    /// Returns a number for each outcome that tests of one operand can have; nil if any outcome may be possible.
    static func numbers(telling tests: [ContextTest], apart range: ClosedRange<Int128>) -> [Int128]? {
        // All numbers of a byte are few enough to be tried.
        guard range.upperBound - range.lowerBound > 0xFF else { return Array(range) }
        let masks = tests.filter { $0.comparison == .sharesBit }.map { $0.number }
        var numbers = [0, range.lowerBound, range.upperBound]
        if masks.isEmpty {
            // The outcome of a comparison changes only at its number.
            numbers += tests.flatMap { [$0.number - 1, $0.number, $0.number + 1] }
        } else {
            guard masks.count == tests.count else { return nil }
            // All bits but those of some masks: such a number shares a bit with each other mask that can be shared.
            for choice in 0..<(1 << masks.count) {
                let cleared = masks.enumerated().reduce(0) { choice & 1 << $1.offset == 0 ? $0 : $0 | $1.element }
                numbers += [range.lowerBound & ~cleared, -1 & ~cleared, range.upperBound & ~cleared]
            }
        }
        return numbers.filter(range.contains)
    }
}
