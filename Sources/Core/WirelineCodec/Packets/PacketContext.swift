// SPDX-License-Identifier: Apache-2.0

/// What decides about the fields of a packet besides the numbers in its header.
///
/// It is cheap to copy.
public struct PacketContext: Hashable, Sendable {
    /// Who sends the packet.
    public var sender: Sender
    /// Whether the packet stands inside another one.
    public var isNested: Bool
    /// The states of the connection where the packet begins.
    public var states: PacketStates

    /// Makes the context of a packet.
    ///
    /// - Parameters:
    ///   - sender: Who sends it.
    ///   - isNested: Whether it stands inside another packet (default: false).
    ///   - states: The states of the connection (default: those of a new connection).
    public init(from sender: Sender, isNested: Bool = false, states: PacketStates = PacketStates()) {
        self.sender = sender
        self.isNested = isNested
        self.states = states
    }

    /// Nil for an operand that is a field.
    package func number(of operand: WireCondition.Operand) -> Int128? {
        switch operand {
        case .field, .header: nil
        case .sender: sender.conditionNumber
        case .nested: isNested ? 1 : 0
        case .state(let name): states[name]
        }
    }
}

extension Sender {
    package var conditionNumber: Int128 { self == .client ? 0 : 1 }
}

extension WireCondition.Operand {
    package var isContext: Bool {
        switch self {
        case .field, .header: false
        case .sender, .nested, .state: true
        }
    }
}

extension WireCondition {
    package var looksAtContext: Bool { operands.contains { $0.isContext } }

    /// The part of a condition that is left when some of its operands are known.
    package enum Remainder: Equatable, Sendable {
        case always
        case never
        case when(WireCondition)
    }

    /// - Parameter known: Returns whether a test of one operand holds; nil if that is not known yet.
    package func remainder(_ known: (Test) -> Bool?) -> Remainder {
        switch self {
        case .isSet(let operand):
            return known(Test(operand, .unequal, 0)).map { $0 ? .always : .never } ?? .when(self)
        case .compares(let operand, let comparison, let number):
            return known(Test(operand, comparison, number)).map { $0 ? .always : .never } ?? .when(self)
        case .not(let condition):
            switch condition.remainder(known) {
            case .always: return .never
            case .never: return .always
            case .when(let rest): return .when(.not(rest))
            }
        case .and(let left, let right):
            switch (left.remainder(known), right.remainder(known)) {
            case (.never, _), (_, .never): return .never
            case (.always, let rest), (let rest, .always): return rest
            case (.when(let left), .when(let right)): return .when(.and(left, right))
            }
        case .or(let left, let right):
            switch (left.remainder(known), right.remainder(known)) {
            case (.always, _), (_, .always): return .always
            case (.never, let rest), (let rest, .never): return rest
            case (.when(let left), .when(let right)): return .when(.or(left, right))
            }
        }
    }

    /// A test of one operand; `isSet` is a comparison with 0.
    package struct Test: Equatable, Sendable {
        package let operand: Operand
        package let comparison: Comparison
        package let number: Int128

        package init(_ operand: Operand, _ comparison: Comparison, _ number: Int128) {
            self.operand = operand
            self.comparison = comparison
            self.number = number
        }
    }
}
