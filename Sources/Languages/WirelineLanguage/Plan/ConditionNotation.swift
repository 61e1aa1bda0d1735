// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec

package struct ConditionNotation {
    /// The mark before a condition that must not hold.
    let not: String
    /// Whether `not` binds more tightly than a comparison, which then needs parentheses.
    let bindsNotTightly: Bool
    /// The mark between two conditions that must both hold, with its spaces.
    let and: String
    /// The mark between two alternative conditions, with its spaces.
    let or: String
    /// Returns the test that an operand is not 0.
    let isSet: (WireCondition.Operand) -> String
    let compares: (WireCondition.Operand, WireCondition.Comparison, Int128) -> String

    package init(
        not: String, bindsNotTightly: Bool, and: String, or: String,
        isSet: @escaping (WireCondition.Operand) -> String,
        compares: @escaping (WireCondition.Operand, WireCondition.Comparison, Int128) -> String
    ) {
        self.not = not
        self.bindsNotTightly = bindsNotTightly
        self.and = and
        self.or = or
        self.isSet = isSet
        self.compares = compares
    }
}

extension WireCondition {
    /// Returns the condition in a language, with parentheses around conditions inside others.
    package func text(in notation: ConditionNotation) -> String {
        switch self {
        case .isSet(let operand): notation.isSet(operand)
        case .compares(let operand, let comparison, let number): notation.compares(operand, comparison, number)
        case .not(let condition):
            notation.not
                + (notation.bindsNotTightly || condition.isCompound
                    ? "(\(condition.text(in: notation)))" : condition.text(in: notation))
        case .and(let left, let right):
            left.text(beside: self, in: notation) + notation.and
                + right.text(beside: self, in: notation)
        case .or(let left, let right):
            left.text(beside: self, in: notation) + notation.or
                + right.text(beside: self, in: notation)
        }
    }

    /// Returns the condition as a part of another one; a chain of the same operation needs no parentheses.
    private func text(beside outer: WireCondition, in notation: ConditionNotation) -> String {
        switch (self, outer) {
        case (.and, .and), (.or, .or): text(in: notation)
        default: isCompound ? "(\(text(in: notation)))" : text(in: notation)
        }
    }

    private var isCompound: Bool {
        switch self {
        case .and, .or: true
        case .isSet, .compares, .not: false
        }
    }
}

extension WireCondition.Operand {
    /// The operand in the schema's notation: `kind`, `header.qos`.
    package var text: String {
        switch self {
        case .field(let name): name
        case .header(let name): "header." + name
        case .sender: PacketWord.sender.rawValue
        case .nested: PacketWord.nested.rawValue
        case .state(let name): name
        }
    }
}

extension ProtocolDescription {
    /// Returns a condition in the schema's notation, with the names of cases: `kind == zlib`.
    ///
    /// - Parameter fields: The fields that may be its operands.
    package func text(of condition: WireCondition, among fields: [FieldDescription]) -> String {
        text(of: condition) { operand in
            switch operand {
            case .field(let name): fields.first { $0.name == name }?.type
            case .header(let name): packetField(named: name).flatMap(packetFieldType)
            case .sender, .nested, .state: nil
            }
        }
    }

    /// Returns a condition of a packet field in the schema's notation.
    package func text(ofPacketCondition condition: WireCondition) -> String {
        text(of: condition) { operand in
            switch operand {
            case .field(let name): packetField(named: name).flatMap(packetFieldType)
            case .state(let name): state(named: name).map { states[$0].type }
            case .header, .sender, .nested: nil
            }
        }
    }

    /// Returns the value that a message sets, in the schema's notation: `play`, `true`, `7`.
    package func text(of change: StateValue) -> String {
        let type = states[change.state].type
        switch type {
        case .boolean, .bit: return change.value != 0 ? "true" : "false"
        default: return name(of: change.value, .state(states[change.state].name)) { _ in type } ?? "\(change.value)"
        }
    }

    private func text(
        of condition: WireCondition, _ type: @escaping (WireCondition.Operand) -> TypeDescription?
    ) -> String {
        condition.text(
            in: ConditionNotation(
                not: "not ", bindsNotTightly: false, and: " and ", or: " or ", isSet: \.text,
                compares: { operand, comparison, number in
                    let value = name(of: number, operand, type) ?? "\(number)"
                    return "\(operand.text) \(comparison.rawValue) \(value)"
                }))
    }

    /// Returns the name of an operand's number; nil if it has none.
    private func name(
        of number: Int128, _ operand: WireCondition.Operand, _ type: (WireCondition.Operand) -> TypeDescription?
    ) -> String? {
        if operand == .sender { return Sender.allCases.first { $0.conditionNumber == number }?.rawValue }
        switch type(operand) {
        case .enumeration(let index, _): return enumerations[index].cases.first { $0.value == number }?.name
        case .flags(let index, _): return flagSets[index].cases.first { $0.value == number }?.name
        default: return nil
        }
    }
}
