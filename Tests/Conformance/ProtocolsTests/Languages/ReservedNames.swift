// SPDX-License-Identifier: Apache-2.0

import ProtocolsSupport
import WirelineCodec
import WirelineGenerator
import WirelineSchema

/// A protocol in which every kind of thing has each of some names, such as the reserved words of a language.
enum ReservedNames {
    /// Returns a protocol whose messages, structures, unions, enums, flags, constants, fields and header fields have them.
    static func description(_ names: [String]) throws -> ProtocolDescription {
        var description = try checked(count: names.count)
        for (index, name) in names.enumerated() {
            description.messages[index].name = name
            description.structures[index].name = name
            description.unions[index].name = name
            description.enumerations[index].name = name
            description.flagSets[index].name = name
            description.constants[index].name = name
            description.enumerations[0].cases[index].name = name
            description.structures[0].fields[index].name = name
            if index > 0 {
                description.structures[index].fields[0].name = name
                description.structures[index].fields[1].name = name + "_"
                description.enumerations[index].cases[0].name = name
            }
        }
        description.flagSets[0].cases = zip(description.flagSets[0].cases, names).map { item, name in
            var item = item
            item.name = name
            return item
        }
        // A header has room for fewer fields.
        let fields = description.layout.header.enumerated().map { index, field in
            var field = field
            if index > 1 { field.name = names[(index * 7) % names.count] }
            return field
        }
        let distinct = fields.enumerated().filter { index, field in
            !fields[..<index].contains { $0.name == field.name }
        }.map(\.element)
        description.layout = try PacketLayout(header: distinct)
        description.packetFields = []
        return description
    }

    private static func checked(count: Int) throws -> ProtocolDescription {
        let indices = 0..<count
        let cases = indices.map { "c\($0) = \($0);" }.joined(separator: " ")
        let flags = (0..<16).map { "b\($0) = \(1 << $0);" }.joined(separator: " ")
        let lines = indices.map { index in
            """
            struct S\(index) { \(index == 0 ? indices.map { "uint8 s\($0);" }.joined() : "uint8 x; uint8 y;") }
            \(index % 2 == 1 ? "@closed " : "")enum E\(index) : uint16 { \(index == 0 ? cases : "c = 0;") }
            flags F\(index) : uint16 { \(index == 0 ? flags : "b = 1;") }
            union U\(index) : uint8 { 0: uint8 one; 1: none; }
            const uint8 K\(index) = \(index % 256);
            @id(\(index)) @from(both) message M\(index) { S\(index) s; E\(index) e; F\(index) f; U\(index) u; @since(1) uint8 n; }
            """
        }
        let header = (0..<100).map { "uint8 h\($0);" }.joined()
        let text = "packet { @length(rest) uint16 L; @id uint16 I; \(header) }\n" + lines.joined(separator: "\n")
        let result = ProtocolDescription.check(
            name: "Reserved", files: [SourceFile(path: "a.wire", bytes: Array(text.utf8))])
        guard let description = result.description else { throw Refused(problems: result.renderedDiagnostics()) }
        return description
    }

    private struct Refused: Error {
        let problems: String
    }
}
