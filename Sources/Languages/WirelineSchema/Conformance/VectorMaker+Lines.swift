// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The lines from which packets are made.
extension VectorMaker {
    func line(_ message: Int, _ style: ExampleValues.Style, _ hint: ExampleHint?) -> JSONValue {
        line(message, ExampleValues(translator.index, style, hint: hint, operands: operands(for: hint)))
    }

    /// Returns the same line without the property of a hint, but with the same header and the same arms of unions.
    func usualLine(_ message: Int, _ style: ExampleValues.Style, without hint: ExampleHint?) -> JSONValue {
        var (usual, target): (ExampleHint?, TypeDescription?) = (nil, nil)
        switch hint {
        case .wrongPresence(_, let operands)?: usual = .operands(operands)
        case .value(let key, _)?, .count(let key, _)?, .itemCount(let key, _)?:
            switch key.owner {
            case .message: break
            case .structure(let index): target = .structure(index)
            case .union(let index):
                let arms = description.unions[index].arms
                usual = .arm(index, arms.indices.filter { arms[$0].field != nil }[key.index])
            }
        default: break
        }
        let operands = operands(for: hint)
        return line(
            message, ExampleValues(translator.index, style, hint: usual, operands: operands, target: target))
    }

    private func line(_ message: Int, _ values: ExampleValues) -> JSONValue {
        var values = values
        let fields = values.fields(ofMessage: message)
        var members = [JSONValue.Member(LineKey.message, .string(description.messages[message].name))]
        if let header = translator.index.json(of: values.header) { members.append(.init(LineKey.header, header)) }
        let named = named(fields, description.messages[message].fields)
        return .object(members + [JSONValue.Member(LineKey.fields, named)])
    }

    /// Returns the header fields with which the field of a hint is present.
    ///
    /// With their defaults it might never be present.
    private func operands(for hint: ExampleHint?) -> OperandValues {
        switch hint {
        case .value(let key, _)?, .count(let key, _)?, .itemCount(let key, _)?:
            let field = description.fields(of: key.owner)[key.index]
            let choices = description.operandValues(of: field, in: key.owner) { $0.bothWays() }
            return OperandValues(header: choices.first?.header ?? PacketHeader())
        default: return OperandValues()
        }
    }

    /// Returns the same object with names of enums and flags instead of numbers, as in lines.
    private func named(_ value: JSONValue, _ fields: [FieldDescription]) -> JSONValue {
        guard case .object(let members) = value else { return value }
        return .object(
            members.map { member in
                let field = fields.first { $0.name.hasSameBytes(as: member.name) }
                return JSONValue.Member(member.name, field.map { named(member.value, $0.type) } ?? member.value)
            })
    }

    private func named(_ value: JSONValue, _ type: TypeDescription) -> JSONValue {
        switch (type, value) {
        case (.enumeration(let index, _), _):
            return value.exactInteger.map { translator.index.enumerations[index].json(enumeration: $0) } ?? value
        case (.flags(let index, _), .array(let items)):
            guard items.count == 1, let bits = items[0].exactInteger else { return value }
            return translator.index.flagSets[index].json(flags: bits)
        case (.structure(let index), _): return named(value, description.structures[index].fields)
        case (.sized(let content, _), _): return named(value, content)
        case (.union(let index), .object(let members)):
            return .object(
                members.map { JSONValue.Member($0.name, named($0.value, ofArm: $0.name, description.unions[index])) })
        case (.list(let element, _), .array(let items)), (.fixedList(let element, _), .array(let items)):
            return .array(items.map { named($0, element) })
        default: return value
        }
    }

    private func named(_ value: JSONValue, ofArm name: String, _ union: UnionDescription) -> JSONValue {
        guard let arm = union.arms.first(where: { $0.name.hasSameBytes(as: name) }), let field = arm.field else {
            return value
        }
        guard arm.tag == nil, case .object(let members) = value else { return named(value, field.type) }
        return .object(
            members.map { member in
                JSONValue.Member(
                    member.name, named(member.value, member.name == KeptValueKey.tag ? union.tag : field.type))
            })
    }
}

extension JSONValue {
    package var withoutHeader: JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(
            members.filter { $0.name != LineKey.header }.map { member in
                guard member.name == LineKey.packets, case .array(let packets) = member.value else { return member }
                return JSONValue.Member(LineKey.packets, .array(packets.map(\.withoutHeader)))
            })
    }

    /// Returns the line without the header fields that the encoder can choose. It keeps those that decide which fields
    /// its message has.
    package func withDecidingHeader(_ translator: PacketTranslator) -> JSONValue {
        guard case .object(let members) = self, case .string(let name)? = self[LineKey.message],
            let names = translator.message(named: name)?.fields.headerOperands, !names.isEmpty,
            case .object(let header)? = self[LineKey.header]
        else { return withoutHeader }
        let rest = JSONValue.object(header.filter { names.contains($0.name) })
        return .object(members.map { $0.name == LineKey.header ? JSONValue.Member(LineKey.header, rest) : $0 })
    }

    func without(field name: String) -> JSONValue {
        guard case .object(let members) = self, case .object(let fields)? = self[LineKey.fields] else { return self }
        let rest = JSONValue.object(fields.filter { !$0.name.hasSameBytes(as: name) })
        return .object(members.map { $0.name == LineKey.fields ? JSONValue.Member(LineKey.fields, rest) : $0 })
    }

    /// The integer that ``exactInteger(_:)`` has written; nil for other values.
    fileprivate var exactInteger: Int128? {
        switch self {
        case .number(let number): number.integer
        case .string(let text): JSONNumber(integerText: text)?.integer
        default: nil
        }
    }
}
