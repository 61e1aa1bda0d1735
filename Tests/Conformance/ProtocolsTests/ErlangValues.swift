// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

/// Converts lines of JSON to the terms that the generated Erlang uses for them.
struct ErlangValues {
    let description: ProtocolDescription
    let naming: ErlangNaming

    init(_ description: ProtocolDescription) {
        self.description = description
        naming = ErlangNaming(description)
    }

    /// The header of a line, or only the part that a caller can set.
    func header(of line: JSONValue, onlySettable: Bool) -> ErlangTerm {
        let members = zip(description.layout.fields.enumerated(), naming.packetFields).compactMap {
            item, name -> (ErlangTerm, ErlangTerm)? in
            let field = item.element
            guard let value = line["header"]?[field.name], field.isSettable || !onlySettable else { return nil }
            if let type = description.packetFieldType(item.offset), let term = try? term(value, type) {
                return (.atom(name), term)
            }
            switch (field.format, value) {
            case (.text, .string(let text)), (.digits, .string(let text)): return (.atom(name), .text(text))
            case (.bytes, .string(let text)): return (.atom(name), .binary((try? Base64.decode(text)) ?? []))
            default: break
            }
            if case .boolean(let isTrue) = value { return (.atom(name), .atom("\(isTrue)")) }
            return (.atom(name), .integer(value.wideInteger))
        }
        return .map(members)
    }

    /// The record of a line, or a tuple if the message is unknown.
    func message(of line: JSONValue) throws -> ErlangTerm {
        guard case .string(let name)? = line["message"],
            let index = description.messages.firstIndex(where: { $0.name == name })
        else {
            guard case .string(let text)? = line["payload"] else { throw NoTerm() }
            return .tuple([
                .atom("unknown"), .integer((line["id"] ?? 0).wideInteger), .binary(try Hexadecimal.bytes(of: text)),
            ])
        }
        let message = description.messages[index]
        var record = try self.record(message.fields, naming.messages[index].name, line["fields"] ?? .null)
        if naming.messages[index].trailing != nil {
            var kept: [UInt8] = []
            if case .string(let text)? = line["trailing"] { kept = try Hexadecimal.bytes(of: text) }
            record.append(.binary(kept))
        }
        return .tuple(record)
    }

    private func record(_ fields: [FieldDescription], _ name: String, _ json: JSONValue) throws -> [ErlangTerm] {
        try [.atom(name)]
            + fields.filter(\.hasValue).map { field in
                guard let value = json[field.name] else { return .atom("undefined") }
                return try term(value, field.type)
            }
    }

    private func term(_ value: JSONValue, _ type: TypeDescription) throws -> ErlangTerm {
        switch (type, value) {
        case (.integer, _), (.varint, _): return .integer(value.wideInteger)
        case (.float, _): return try float(value, type)
        case (.boolean, .boolean(let isTrue)), (.bit, .boolean(let isTrue)): return .atom("\(isTrue)")
        case (.string, .string(let text)), (.utf16, .string(let text)), (.digits, .string(let text)): return .text(text)
        case (.bytes, .string(let text)): return .binary(try Base64.decode(text))
        case (.properties, .object(let members)):
            return .list(
                try members.map { member in
                    guard case .string(let text) = member.value else { throw NoTerm() }
                    return .tuple([.text(member.name), .text(text)])
                })
        case (.enumeration(let index, _), _):
            return name(value, description.enumerations[index].cases, naming.enumerations[index].cases)
        case (.flags(let index, _), .array(let items)):
            return .list(items.map { name($0, description.flagSets[index].cases, naming.flagSets[index].cases) })
        case (.sized(let content, _), _): return try term(value, content)
        case (.structure(let index), _):
            return .tuple(try record(description.structures[index].fields, naming.structures[index].name, value))
        case (.union(let index), .object(let members)):
            return try union(members, description.unions[index], naming.unions[index].cases)
        case (.fixedList(let element, _), .array(let items)), (.list(let element, _), .array(let items)):
            return .list(try items.map { try term($0, element) })
        default: throw NoTerm()
        }
    }

    private func union(
        _ members: [JSONValue.Member], _ union: UnionDescription, _ atoms: [String]
    ) throws -> ErlangTerm {
        guard let member = members.first, let index = union.arms.firstIndex(where: { $0.name == member.name }) else {
            throw NoTerm()
        }
        let (arm, atom) = (union.arms[index], ErlangTerm.atom(atoms[index]))
        guard let field = arm.field else { return atom }
        guard arm.tag == nil else { return .tuple([atom, try term(member.value, field.type)]) }
        guard let tag = member.value["tag"], let bytes = member.value["bytes"] else { throw NoTerm() }
        return .tuple([atom, try term(tag, union.tag), try term(bytes, field.type)])
    }

    private func name(
        _ value: JSONValue, _ cases: [EnumerationDescription.Case], _ names: [String]
    ) -> ErlangTerm {
        if case .string(let text) = value, let index = cases.firstIndex(where: { $0.name == text }) {
            return .atom(names[index])
        }
        return .integer(value.wideInteger)
    }

    /// JSON has one NaN, which stands for Swift's `nan`.
    private func float(_ value: JSONValue, _ type: TypeDescription) throws -> ErlangTerm {
        switch (value, type) {
        case (.number(let number), .float(.binary16, _)): .float(FloatFormat.binary16.nearest(to: number.double))
        case (.number(let number), .float(.binary32, _)): .float(Double(number.float))
        case (.number(let number), _): .float(number.double)
        case ("Infinity", _): .atom("infinity")
        case ("-Infinity", _): .atom("neg_infinity")
        case ("NaN", .float(.binary16, _)): .tuple([.atom("nan"), .integer(0x7E00)])
        case ("NaN", .float(.binary32, _)): .tuple([.atom("nan"), .integer(0x7FC0_0000)])
        case ("NaN", _): .tuple([.atom("nan"), .integer(0x7FF8_0000_0000_0000)])
        default: throw NoTerm()
        }
    }

    private struct NoTerm: Error {}
}

extension JSONValue {
    /// An integer, which may be in a string.
    fileprivate var wideInteger: Int128 {
        switch self {
        case .number(let number): number.integer ?? 0
        case .string(let text): Int128(text) ?? 0
        default: 0
        }
    }
}
