// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the parts of `wrap/3` that find out which fields a packet has, for a layout with conditions.
///
/// Numbers that conditions test are checked first, as `R5` or, if the field is always there, as `F5`. From them and the
/// ID the function `presence_1` finds for each field with a condition whether it is there: `P5`.
struct ErlangConditionalWrapping {
    private let types: ErlangTypes
    private var layout: PacketLayout { types.description.layout }

    init(_ types: ErlangTypes) { self.types = types }

    private var conditional: [Int] { layout.fields.indices.filter { layout.fields[$0].condition != nil } }

    /// The fields that conditions test, and whose numbers the caller gives.
    private var given: [Int] {
        layout.operands.filter { index in
            switch layout.fields[index].role {
            case .value, .fitting, .sequence: true
            case .length, .contentLength, .messageID, .constant, .checksum, .padding: false
            }
        }
    }

    private func variable(_ index: Int) -> String {
        (layout.fields[index].condition == nil ? "F" : "R") + String(index + 1)
    }

    private var arguments: String { (["Id"] + given.map(variable)).joined(separator: ", ") }

    private var result: String { "{\(conditional.map { "P\($0 + 1)" }.joined(separator: ", "))}" }

    /// The name of the function that tries one of the sets of ID fields.
    private func function(_ number: Int) -> String { "presence\(types.suffix)_\(number)" }

    /// Whether the value of a field is checked before it is known which fields are there.
    func isFoundFirst(_ index: Int) -> Bool { given.contains(index) && layout.fields[index].condition == nil }

    /// Returns the lines that find out which fields are there, and their sizes.
    ///
    /// - Parameter value: Returns the checked value of a field.
    func finding(_ value: (Int) -> String) -> [String] {
        guard layout.hasConditions else { return [] }
        return given.map { "\(variable($0)) = \(value($0))" } + ["\(result) = \(function(1))(\(arguments))"]
            + conditional.map { index in
                let width = layout.byteCounts[index].map(String.init)
                return "C\(index + 1) = count_if(P\(index + 1), "
                    + "\(width ?? ErlangWrapping.width(ofVarintAt: index, in: layout)))"
            }
    }

    /// Returns the most bytes that a packet may have, and the line that finds it: without a length its payload is empty,
    /// unless something else shows where it ends.
    func limit(_ limit: Int, _ around: String) -> (lines: [String], value: String) {
        guard !layout.isBounded else { return ([], String(limit)) }
        let lengths = layout.header.indices.filter { layout.header[$0].role.isLength }
        guard lengths.allSatisfy({ layout.fields[$0].condition != nil }) else { return ([], String(limit)) }
        let isThere = lengths.isEmpty ? "false" : lengths.map { "P\($0 + 1)" }.joined(separator: " orelse ")
        return (["Most = most(\(isThere), \(limit), \(around))"], "Most")
    }

    /// Returns the value of a field that may be absent.
    func value(of index: Int, _ value: String) -> String {
        let field = layout.fields[index]
        guard field.condition != nil else { return value }
        let value = given.contains(index) ? variable(index) : value
        let nothing = field.format.isNumber ? "0" : "<<>>"
        switch field.role {
        case .value, .fitting, .sequence:
            let key = ErlangText.atom(types.naming.packetFields[index])
            let absent = "absent(\(key), Header, \(ErlangText.binary(field.name)), \(nothing))"
            return ErlangPresence.value(value, of: index, in: layout, otherwise: absent)
        case .length: return ErlangPresence.value(value, of: index, in: layout, otherwise: nothing)
        case .contentLength, .messageID, .constant, .checksum, .padding: return value
        }
    }

    /// Returns the bytes of a field with a condition.
    ///
    /// - Parameter bytes: The bytes of a field that is there; nil for those of its value.
    static func bytes(of index: Int, in layout: PacketLayout, _ bytes: String? = nil) -> String {
        let field = layout.fields[index]
        let value = "F\(index + 1)"
        let written =
            !field.format.isNumber
            ? value
            : field.format.byteCount == nil
                ? "leb128(\(ErlangWrapping.bits(of: field, value)))"
                : "<<\(ErlangPacketFields(layout: layout).writing(index).joined(separator: ", "))>>"
        return "bytes_of(P\(index + 1), \(bytes ?? written))"
    }

    /// The functions that find the fields that are there; empty for a layout without conditions.
    var functions: String {
        guard layout.hasConditions else { return "" }
        let sets = layout.messageIDSets
        var texts = [
            "", "%% Which fields with a condition are in a packet, whose ID must fit into the ID fields among them.",
        ]
        for (position, set) in sets.enumerated() {
            let most = set.bitWidth == 0 ? 0 : UInt64.max >> UInt64(64 - set.bitWidth)
            let fits = "16#" + String(most, radix: 16, uppercase: true)
            let name = function(position + 1)
            let isLast = position == sets.count - 1
            let next =
                isLast
                ? "fail_without_offset({invalid_message_id, Id}, [])" : "\(function(position + 2))(\(arguments))"
            let parameters = isLast ? (["Id"] + given.map { _ in "_" }).joined(separator: ", ") : arguments
            texts.append("\(name)(\(arguments)) when Id =< \(fits) ->")
            texts.append("    " + body(of: set, next).joined(separator: ",\n    ") + ";")
            texts.append("\(name)(\(parameters)) ->")
            texts.append("    \(next).")
            texts.append("")
        }
        return texts.joined(separator: "\n")
    }

    /// Returns the lines that find the fields that are there if the ID is in a set of ID fields.
    private func body(of set: MessageIDSet, _ next: String) -> [String] {
        let operands = Set(layout.operands)
        var lines: [String] = []
        for (index, field) in layout.fields.enumerated() {
            if let condition = field.condition {
                let text = ErlangPresence.text(of: condition, types) { number(of: $0, in: set) }
                lines.append("P\(index + 1) = \(text)")
            }
            guard operands.contains(index), field.condition != nil else { continue }
            let value = given.contains(index) ? variable(index) : constantNumber(of: index, in: set)
            lines.append("V\(index + 1) = \(ErlangPresence.value(value, of: index, in: layout, otherwise: "0"))")
        }
        let choices = conditional.filter { layout.fields[$0].role == .messageID }
        guard !choices.isEmpty else { return lines + [result] }
        let wanted = choices.map { String(set.fields.contains($0)) }.joined(separator: ", ")
        let found = choices.map { "P\($0 + 1)" }.joined(separator: ", ")
        return lines + [
            """
            case {\(found)} of
                    {\(wanted)} -> \(result);
                    _ -> \(next)
                end
            """
        ]
    }

    /// Returns the number that a condition sees in one of the header's fields.
    private func number(of index: Int, in set: MessageIDSet) -> String {
        guard layout.fields[index].condition == nil else { return "V\(index + 1)" }
        return given.contains(index) ? variable(index) : constantNumber(of: index, in: set)
    }

    /// Returns the number of a constant, or of an ID field.
    private func constantNumber(of index: Int, in set: MessageIDSet) -> String {
        let field = layout.fields[index]
        if case .constant(let value) = field.role { return ErlangTypes.number(value.number) }
        guard let position = set.fields.firstIndex(of: index) else { return "0" }
        let width = field.format.idBitWidth
        let behind = set.fields[(position + 1)...].reduce(0) { $0 + layout.fields[$1].format.idBitWidth }
        let mask = "16#" + String((Int128(1) << Int128(width)) - 1, radix: 16, uppercase: true)
        let bits = "(\(behind == 0 ? "Id" : "(Id bsr \(behind))") band \(mask))"
        return field.format.range.lowerBound < 0 ? "signed(\(bits), \(width))" : bits
    }
}
