// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Numbers for the operands of a condition that show both outcomes of its tests.
struct ConditionTrials {
    private let condition: WireCondition
    private let operands: [WireCondition.Operand]
    /// The numbers to try for each operand.
    private let candidates: [[Int128]]

    /// The most combinations to try: enough for every pair of tests, and fast.
    private static let combinationLimit = 4096

    /// - Parameter allowed: Returns the possible numbers of an operand; nil for an operand that is not chosen here.
    init(_ condition: WireCondition, allowed: (WireCondition.Operand) -> NumberSet?) {
        self.condition = condition
        let sets = condition.operands.map { ($0, allowed($0)) }
        operands = sets.filter { $0.1 != nil }.map(\.0)
        candidates = sets.compactMap { operand, numbers in
            numbers.map { Self.candidates(for: operand, in: condition, $0) }
        }
    }

    typealias Choice = [WireCondition.Operand: Int128]

    /// Returns choices for both outcomes of the condition and of each of its tests.
    func choices() -> [Choice] {
        var seen: Set<[Bool]> = []
        var shown: Set<Int> = []
        var result: [Choice] = []
        forEachChoice { choice in
            let results = outcomes(choice)
            guard seen.insert(results).inserted else { return }
            // Each test's index and outcome as one number: twice the index, plus 1 if the test holds.
            let fresh = Set(results.enumerated().map { 2 * $0 + ($1 ? 1 : 0) }).subtracting(shown)
            guard !fresh.isEmpty else { return }
            shown.formUnion(fresh)
            result.append(choice)
        }
        return result
    }

    /// Returns the first choices for which this condition holds, and for which it does not.
    func bothWays() -> [Choice] {
        var result: [Bool: Choice] = [:]
        forEachChoice { choice in
            let holds = condition.holds { choice[$0] ?? 0 }
            if result[holds] == nil { result[holds] = choice }
        }
        return [true, false].compactMap { result[$0] }
    }

    /// Returns choices for which two conditions differ, one for each way in which they do.
    ///
    /// - Parameters:
    ///   - one: A part of this condition; nil for one that always holds.
    ///   - other: Another part of it; nil for one that always holds.
    func differences(between one: WireCondition?, and other: WireCondition?) -> [Choice] {
        var result: [Bool: Choice] = [:]
        forEachChoice { choice in
            let holds = one?.holds { choice[$0] ?? 0 } ?? true
            if holds != other?.holds({ choice[$0] ?? 0 }) ?? true, result[holds] == nil { result[holds] = choice }
        }
        return [true, false].compactMap { result[$0] }
    }

    /// Returns whether the condition holds, then whether each test does.
    private func outcomes(_ choice: Choice) -> [Bool] {
        [condition.holds { choice[$0] ?? 0 }]
            + condition.tests.map { test in
                let value = choice[test.operand] ?? 0
                return test.comparison.map { $0.holds(value, test.number) } ?? (value != 0)
            }
    }

    private func forEachChoice(_ body: (Choice) -> Void) {
        guard !candidates.isEmpty, candidates.allSatisfy({ !$0.isEmpty }) else { return body([:]) }
        var places = Array(repeating: 0, count: candidates.count)
        for _ in 0..<Self.combinationLimit {
            body(
                Dictionary(
                    zip(operands, zip(candidates, places).map { $0[$1] }), uniquingKeysWith: { first, _ in first }))
            var digit = 0
            while digit < places.count {
                places[digit] += 1
                if places[digit] < candidates[digit].count { break }
                places[digit] = 0
                digit += 1
            }
            if digit == places.count { return }
        }
    }

    /// Returns the numbers around those that the condition compares an operand with.
    private static func candidates(
        for operand: WireCondition.Operand, in condition: WireCondition, _ allowed: NumberSet
    ) -> [Int128] {
        var numbers: [Int128] = [0, 1]
        for test in condition.tests where test.operand == operand {
            switch test.comparison {
            case nil: break
            case .sharesBit: numbers += [test.number, test.number & -test.number, allowed.most & ~test.number]
            default: numbers += [test.number, test.number - 1, test.number + 1]
            }
        }
        var seen: Set<Int128> = []
        let usable = numbers.filter { allowed.contains($0) && seen.insert($0).inserted }
        return usable.isEmpty ? [allowed.most] : usable
    }
}

extension ProtocolDescription {
    func operandValues(
        of field: FieldDescription, in owner: FieldListKey, _ choose: (ConditionTrials) -> [ConditionTrials.Choice]
    ) -> [OperandValues] {
        guard let condition = field.presence.condition else { return [] }
        return operandValues(for: condition, in: owner, choose)
    }

    func operandValues(
        for condition: WireCondition, in owner: FieldListKey, _ choose: (ConditionTrials) -> [ConditionTrials.Choice]
    ) -> [OperandValues] {
        let fields = fields(of: owner)
        let trials = ConditionTrials(condition) { operand in
            switch operand {
            case .field(let name):
                fields.first { $0.name == name }.flatMap { NumberSet($0.type, in: self, limit: $0.range) }
            case .header(let name): packetField(named: name).map { NumberSet(layout.fields[$0].range) }
            case .sender, .nested, .state: nil
            }
        }
        return choose(trials).map { choice in
            var values = OperandValues()
            for (operand, number) in choice {
                switch operand {
                case .field(let name):
                    guard let index = fields.firstIndex(where: { $0.name == name }) else { continue }
                    values.fields[FieldKey(owner: owner, index: index)] = json(of: number, fields[index].type)
                case .header(let name): values.header[name] = number
                case .sender, .nested, .state: break
                }
            }
            return values
        }
    }

    /// Returns a number in JSON as examples have it: enums and flags without names.
    private func json(of number: Int128, _ type: TypeDescription) -> JSONValue {
        switch type {
        case .boolean, .bit: .boolean(number != 0)
        case .flags: [.exactInteger(number)]
        default: .exactInteger(number)
        }
    }
}
