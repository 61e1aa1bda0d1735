// SPDX-License-Identifier: Apache-2.0

package import WirelineCodec
import WirelineLanguage

extension DescriptionIndex {
    /// Returns whether a condition of a field holds.
    ///
    /// - Parameters:
    ///   - list: The fields that may be its operands.
    ///   - header: The header of the packet, with its defaults.
    ///   - value: Returns the valid value of an operand; nil if it is absent.
    func holds(
        _ condition: WireCondition, _ list: JSONFieldList, _ header: PacketHeader, value: (String) -> JSONValue?
    ) -> Bool {
        condition.holds { operand in
            switch operand {
            case .header(let name): return header[name] ?? 0
            // Conditions of a message's fields cannot use these.
            case .sender, .nested, .state: return 0
            case .field(let name):
                guard let position = list.index(of: name, expected: 0), let value = value(name) else { return 0 }
                return description.number(value, list.fields[position].type) ?? 0
            }
        }
    }
}

extension ProtocolDescription {
    /// Returns whether a field is present, given the members of an object for the earlier fields.
    ///
    /// - Parameters:
    ///   - fields: All fields of the object.
    ///   - header: The header fields of the packet that differ from their defaults.
    package func isThere(
        _ field: FieldDescription, among fields: [FieldDescription], _ members: [JSONValue.Member],
        header: PacketHeader = PacketHeader()
    ) -> Bool {
        guard let condition = field.presence.condition else { return true }
        return condition.holds { operand in
            switch operand {
            case .header(let name): return layout.completed(header)[name] ?? 0
            case .sender, .nested, .state: return 0
            case .field(let name):
                guard let field = fields.first(where: { $0.name == name }),
                    let member = members.first(where: { $0.name == name })
                else { return 0 }
                return number(member.value, field.type) ?? 0
            }
        }
    }

    /// Returns the number of a JSON value of a type; nil for values of other types.
    package func number(_ value: JSONValue, _ type: TypeDescription) -> Int128? {
        switch (type, value) {
        case (.boolean, .boolean(let isTrue)), (.bit, .boolean(let isTrue)): return isTrue ? 1 : 0
        case (.enumeration(let index, _), .string(let name)):
            return enumerations[index].cases.first { $0.name == name }?.value ?? Int128(name)
        case (.flags(let index, _), .array(let items)):
            let values = items.map { mask($0, flagSets[index]) }
            return values.reduce(0) { total, value in total.flatMap { total in value.map { total | $0 } } }
        case (.integer, .number(let number)), (.varint, .number(let number)), (.enumeration, .number(let number)),
            (.flags, .number(let number)):
            return number.integer
        case (.integer, .string(let text)), (.varint, .string(let text)): return Int128(text)
        default: return nil
        }
    }

    private func mask(_ value: JSONValue, _ flags: FlagsDescription) -> Int128? {
        switch value {
        case .number(let number): number.integer
        case .string(let name): flags.cases.first { $0.name == name }?.value ?? Int128(name)
        default: nil
        }
    }
}
