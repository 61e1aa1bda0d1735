// SPDX-License-Identifier: Apache-2.0

/// A condition of a packet's field, whose operands are positions in the header.
package indirect enum PlacedCondition: Equatable, Sendable {
    case isSet(Int)
    case compares(Int, WireCondition.Comparison, Int128)
    case not(PlacedCondition)
    case and(PlacedCondition, PlacedCondition)
    case or(PlacedCondition, PlacedCondition)

    /// Returns the conditions of a layout's fields, with nil for those that are always there; empty if all are.
    static func all(header: [PacketField], trailer: [PacketField], states: [PacketState]) -> [PlacedCondition?] {
        let fields = header + trailer
        guard fields.contains(where: { $0.condition != nil }) else { return [] }
        return fields.map { field in field.condition.map { PlacedCondition($0, header, states) } }
    }

    /// An operand that a layout refuses becomes the header's first field. An operand that is no field gets a negative
    /// position: it serves to compare layouts, and is never evaluated, because only plain layouts read and write
    /// packets.
    private init(_ condition: WireCondition, _ header: [PacketField], _ states: [PacketState]) {
        func position(_ operand: WireCondition.Operand) -> Int {
            switch operand {
            case .field(let name): header.firstIndex { $0.name == name } ?? 0
            case .header: 0
            case .sender: -1
            case .nested: -2
            case .state(let name): -3 - (states.firstIndex { $0.name == name } ?? 0)
            }
        }
        switch condition {
        case .isSet(let operand): self = .isSet(position(operand))
        case .compares(let operand, let comparison, let number):
            self = .compares(position(operand), comparison, number)
        case .not(let condition): self = .not(PlacedCondition(condition, header, states))
        case .and(let left, let right):
            self = .and(PlacedCondition(left, header, states), PlacedCondition(right, header, states))
        case .or(let left, let right):
            self = .or(PlacedCondition(left, header, states), PlacedCondition(right, header, states))
        }
    }

    /// - Parameter values: The numbers of the header's fields; 0 for what is absent.
    func holds(_ values: [Int128]) -> Bool {
        switch self {
        case .isSet(let index): values[index] != 0
        case .compares(let index, let comparison, let number): comparison.holds(values[index], number)
        case .not(let condition): !condition.holds(values)
        case .and(let left, let right): left.holds(values) && right.holds(values)
        case .or(let left, let right): left.holds(values) || right.holds(values)
        }
    }
}

/// Decides which fields a packet has, while a reader or writer learns their values in wire order.
///
/// It allocates only for a layout with conditions.
struct FieldPresence {
    private let conditions: [PlacedCondition?]
    /// The numbers of the header's fields so far; empty if no field has a condition.
    private var values: [Int128]

    init(_ layout: PacketLayout) {
        conditions = layout.conditions
        values = conditions.isEmpty ? [] : Array(repeating: 0, count: layout.header.count)
    }

    /// Returns whether a packet has the field; the values before it must be known.
    func contains(_ index: Int) -> Bool {
        conditions.isEmpty || conditions[index]?.holds(values) ?? true
    }

    /// Ignores fields of the trailer: no condition tests them.
    mutating func note(_ value: Int128, of index: Int) {
        if index < values.count { values[index] = value }
    }
}
