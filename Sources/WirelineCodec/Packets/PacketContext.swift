// SPDX-License-Identifier: Apache-2.0

/// What decides about the fields of a packet besides the numbers in its header.
package struct PacketContext: Equatable, Sendable {
    /// Who sends the packet.
    package var sender: Sender

    package init(from sender: Sender) { self.sender = sender }

    /// Returns the number of an operand; nil for one that is a field.
    func number(of operand: WireCondition.Operand) -> Int128? {
        switch operand {
        case .field, .header: nil
        case .sender: sender.conditionNumber
        // No packet stands inside another one yet.
        case .nested: 0
        }
    }
}

extension Sender {
    /// The number that conditions see.
    package var conditionNumber: Int128 { self == .client ? 0 : 1 }
}

extension WireCondition.Operand {
    /// Whether it is known before the packet is read.
    package var isContext: Bool {
        switch self {
        case .field, .header: false
        case .sender, .nested: true
        }
    }
}

extension WireCondition {
    /// Whether the condition looks at anything but fields.
    package var looksAtContext: Bool { operands.contains { $0.isContext } }

    /// What is left of a condition when some of its operands are known.
    package enum Remainder: Equatable, Sendable {
        case always
        case never
        case when(WireCondition)
    }

    /// Returns what is left of the condition.
    ///
    /// - Parameter known: Returns the number of an operand; nil if it is not known yet.
    package func remainder(_ known: (Operand) -> Int128?) -> Remainder {
        switch self {
        case .isSet(let operand): return known(operand).map { $0 != 0 ? .always : .never } ?? .when(self)
        case .compares(let operand, let comparison, let number):
            return known(operand).map { comparison.holds($0, number) ? .always : .never } ?? .when(self)
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
}
