// SPDX-License-Identifier: Apache-2.0

/// When a field is on the wire: what `@if(…)` says in a schema.
///
///     @if(kind == 3 or version >= 2 and not flags & 0x10)
///
/// Operands are numbers. A `bool` is 0 or 1, an enum its number, flags their bits. An absent field counts as 0.
public indirect enum WireCondition: Equatable, Sendable {
    /// The operand is not 0: `hasName`. A `bool` is tested only like this.
    case isSet(Operand)
    /// The comparison of the operand with the number holds: `kind == 3`.
    case compares(Operand, Comparison, Int128)
    /// The other condition does not hold.
    case not(WireCondition)
    /// Both hold.
    case and(WireCondition, WireCondition)
    /// At least one of them holds.
    case or(WireCondition, WireCondition)

    /// The number that a condition tests.
    @frozen
    public enum Operand: Hashable, Sendable {
        /// An earlier field of the same message, struct or packet.
        case field(String)
        /// A field of the packet that carries the message: `header.qos`.
        case header(String)
        /// Who sends the packet, in conditions of the packet's fields: 0 for a client, 1 for a server.
        case sender
        /// Whether the packet stands inside another one, in conditions of the packet's fields: 0 or 1.
        case nested
        /// A state of the connection, in conditions of the packet's fields: `state bit started;`.
        case state(String)
    }

    /// How an operand is compared with a number; the raw value is its mark in the schema language.
    @frozen
    public enum Comparison: String, CaseIterable, Sendable {
        case equal = "=="
        case unequal = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        /// They have a bit in common.
        case sharesBit = "&"
    }
}

extension WireCondition {
    /// Returns whether the condition holds.
    ///
    /// - Parameter value: Returns the number of an operand; 0 for an absent one.
    public func holds(_ value: (Operand) -> Int128) -> Bool {
        switch self {
        case .isSet(let operand): value(operand) != 0
        case .compares(let operand, let comparison, let number): comparison.holds(value(operand), number)
        case .not(let condition): !condition.holds(value)
        case .and(let left, let right): left.holds(value) && right.holds(value)
        case .or(let left, let right): left.holds(value) || right.holds(value)
        }
    }

    /// The operands, each once, in the order in which they are written.
    public var operands: [Operand] {
        var list: [Operand] = []
        for test in tests where !list.contains(test.operand) { list.append(test.operand) }
        return list
    }

    /// The tests of single operands, in the order in which they are written; nil stands for ``isSet(_:)``.
    package var tests: [(operand: Operand, comparison: Comparison?, number: Int128)] {
        switch self {
        case .isSet(let operand): [(operand, nil, 0)]
        case .compares(let operand, let comparison, let number): [(operand, comparison, number)]
        case .not(let condition): condition.tests
        case .and(let left, let right), .or(let left, let right): left.tests + right.tests
        }
    }

    package func mapOperands(_ transform: (Operand) -> Operand) -> WireCondition {
        switch self {
        case .isSet(let operand): .isSet(transform(operand))
        case .compares(let operand, let comparison, let number): .compares(transform(operand), comparison, number)
        case .not(let condition): .not(condition.mapOperands(transform))
        case .and(let left, let right): .and(left.mapOperands(transform), right.mapOperands(transform))
        case .or(let left, let right): .or(left.mapOperands(transform), right.mapOperands(transform))
        }
    }
}

extension WireCondition.Comparison {
    /// Returns whether the comparison of two numbers holds.
    public func holds(_ left: Int128, _ right: Int128) -> Bool {
        switch self {
        case .equal: left == right
        case .unequal: left != right
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        case .sharesBit: left & right != 0
        }
    }
}
