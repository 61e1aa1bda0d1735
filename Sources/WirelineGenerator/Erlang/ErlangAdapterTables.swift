// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The schema as tables, for the part of the adapter that is the same for all protocols.
struct ErlangAdapterTables {
    private let description: ProtocolDescription
    private let types: ErlangTypes

    init(_ types: ErlangTypes, _ description: ProtocolDescription) {
        self.types = types
        self.description = description
    }

    private var naming: ErlangNaming { types.naming }

    /// The functions that return the tables.
    func text() -> [String] {
        var lines = [
            "module() -> \(ErlangText.atom(naming.module)).", "", "%% {Name, Key, Type, CanBeSet}",
            "header() -> [",
        ]
        lines += joined(
            zip(description.layout.fields.enumerated(), naming.packetFields).compactMap { item, key in
                let field = item.element
                guard field.role != .padding else { return nil }
                let usual = field.format.erlangType
                let type = description.packetFieldType(item.offset).map(self.type) ?? usual
                let isSettable = description.layout.isSettable(field)
                return "{\(ErlangText.binary(field.name)), \(ErlangText.atom(key)), \(type), \(isSettable)}"
            })
        lines += ["].", "", "%% {Name, OtherName, Id, Record, Fields, KeepsTrailingBytes}", "messages() -> ["]
        lines += joined(
            zip(description.messages, naming.messages).map { message, record in
                let names = [message.name, message.alias ?? message.name].map(ErlangText.binary)
                return "{\(names[0]), \(names[1]), \(message.id), \(ErlangText.atom(record.name)), "
                    + "\(fields(message.fields)), \(record.trailing != nil)}"
            })
        lines += ["].", ""]
        for (index, structure) in description.structures.enumerated() {
            let record = ErlangText.atom(naming.structures[index].name)
            lines.append("structure(\(index)) -> {\(record), \(fields(structure.fields))};")
        }
        lines += ["structure(_) -> error(badarg).", ""]
        lines += unionTable()
        for (index, item) in description.enumerations.enumerated() {
            lines.append("names({enum, \(index)}) -> [\(cases(item.cases, naming.enumerations[index].cases))];")
        }
        for (index, item) in description.flagSets.enumerated() {
            lines.append("names({flags, \(index)}) -> [\(cases(item.cases, naming.flagSets[index].cases))];")
        }
        return lines + ["names(_) -> error(badarg).", ""]
    }

    private func unionTable() -> [String] {
        guard !description.unions.isEmpty else { return [] }
        var lines = ["%% {Tag, [{Name, Atom, Type}]}"]
        for (index, union) in description.unions.enumerated() {
            let arms = zip(union.arms, naming.unions[index].cases).map { arm, atom in
                let kind = arm.tag == nil ? "kept" : arm.field.map { type($0.type) } ?? "none"
                return "{\(ErlangText.binary(arm.name)), \(ErlangText.atom(atom)), \(kind)}"
            }
            lines.append("union(\(index)) -> {\(type(union.tag)), [\(arms.joined(separator: ", "))]};")
        }
        return lines + ["union(_) -> error(badarg).", ""]
    }

    private func joined(_ items: [String]) -> [String] {
        items.enumerated().map { "    " + $1 + ($0 == items.count - 1 ? "" : ",") }
    }

    private func cases(_ cases: [EnumerationDescription.Case], _ names: [String]) -> String {
        zip(cases, names).map { "{\(ErlangText.binary($0.name)), \(ErlangText.atom($1)), \($0.value)}" }
            .joined(separator: ", ")
    }

    private func fields(_ fields: [FieldDescription]) -> String {
        let items = fields.filter(\.hasValue).map {
            "{\(ErlangText.binary($0.name)), \(type($0.type)), \($0.presence.mayBeUnset)}"
        }
        return "[" + items.joined(separator: ", ") + "]"
    }

    private func type(_ type: TypeDescription) -> String {
        switch type {
        case .integer, .varint: "integer"
        case .float(let format, _): format.name
        case .boolean, .bit: "boolean"
        case .string, .utf16, .digits: "string"
        case .bytes: "bytes"
        case .properties: "properties"
        case .enumeration(let index, _): "{enum, \(index)}"
        case .flags(let index, _): "{flags, \(index)}"
        case .structure(let index): "{structure, \(index)}"
        case .union(let index): "{union, \(index)}"
        case .list(let element, _), .fixedList(let element, _): "{list, \(self.type(element))}"
        case .sized(let content, _): self.type(content)
        }
    }
}

extension PacketField.Format {
    /// The type of a header field's values, for the adapter.
    fileprivate var erlangType: String {
        switch self {
        case .integer, .varint: "integer"
        case .boolean, .bit: "boolean"
        case .text, .digits: "string"
        case .bytes: "bytes"
        }
    }
}
