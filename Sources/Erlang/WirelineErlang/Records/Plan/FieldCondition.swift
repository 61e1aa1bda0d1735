// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The condition for a field's presence, with its operands looked up.
indirect enum FieldCondition: Sendable {
    case isSet(Operand)
    case compares(Operand, WireCondition.Comparison, Int128)
    case not(FieldCondition)
    case and(FieldCondition, FieldCondition)
    case or(FieldCondition, FieldCondition)

    enum Operand: Sendable {
        /// The number of the field at this index; 0 if it is absent.
        case field(Int)
        /// A field of the packet's header.
        case header(String)
        /// An operand that messages do not have; it is 0.
        case nothing
    }

    /// - Parameter index: Returns the index of a field in the body.
    init(_ condition: WireCondition, _ index: (String) -> Int?) {
        func operand(_ operand: WireCondition.Operand) -> Operand {
            switch operand {
            case .field(let name): index(name).map { .field($0) } ?? .nothing
            case .header(let name): .header(name)
            case .sender, .nested, .state: .nothing
            }
        }
        self =
            switch condition {
            case .isSet(let name): .isSet(operand(name))
            case .compares(let name, let comparison, let number): .compares(operand(name), comparison, number)
            case .not(let condition): .not(FieldCondition(condition, index))
            case .and(let left, let right): .and(FieldCondition(left, index), FieldCondition(right, index))
            case .or(let left, let right): .or(FieldCondition(left, index), FieldCondition(right, index))
            }
    }

    /// - Parameters:
    ///   - numbers: The numbers of the body's fields so far.
    ///   - header: The header of the packet, with its defaults.
    func holds(_ numbers: [Int128], _ header: PacketHeader) -> Bool {
        func number(_ operand: Operand) -> Int128 {
            switch operand {
            case .field(let index): numbers[index]
            case .header(let name): header[name] ?? 0
            case .nothing: 0
            }
        }
        return switch self {
        case .isSet(let operand): number(operand) != 0
        case .compares(let operand, let comparison, let other): comparison.holds(number(operand), other)
        case .not(let condition): !condition.holds(numbers, header)
        case .and(let left, let right): left.holds(numbers, header) && right.holds(numbers, header)
        case .or(let left, let right): left.holds(numbers, header) || right.holds(numbers, header)
        }
    }
}
