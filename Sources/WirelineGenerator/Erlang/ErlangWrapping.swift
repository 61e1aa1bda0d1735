// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the function that adds header and trailer to a payload: `wrap/3`.
struct ErlangWrapping {
    let types: ErlangTypes
    private var layout: PacketLayout { types.description.layout }
    private var plan: PacketPlan { layout.plan }
    /// The indices of the fields of variable width.
    private var varints: [Int] { layout.header.indices.filter { layout.header[$0].format.byteCount == nil } }
    /// The variables with the byte counts of those fields.
    private var widths: [String] { varints.map { Self.width(ofVarintAt: $0, in: layout) } }
    private var conditions: ErlangConditionalWrapping { ErlangConditionalWrapping(types) }

    init(_ types: ErlangTypes) { self.types = types }

    static func function(_ types: ErlangTypes) -> String {
        let maker = ErlangWrapping(types)
        return maker.fitting + maker.function()
    }

    /// The name of the function that adds header and trailer when all values are chosen.
    private var name: String { (layout.fitting == nil ? "wrap" : "wrap_fitted") + types.suffix }

    /// The functions that choose the value of a field which fits itself to the packet; empty if there is none.
    private var fitting: String {
        guard let index = layout.fields.firstIndex(where: { $0.fittingValues != nil }),
            let values = layout.fields[index].fittingValues
        else { return "" }
        let key = ErlangText.atom(types.naming.packetFields[index])
        let choices = values.map { types.packetFieldLiteral(index, $0) }.joined(separator: ", ")
        return """
            wrap\(types.suffix)(Id, Payload, #{\(key) := _} = Header) -> \(name)(Id, Payload, Header);
            wrap\(types.suffix)(Id, Payload, Header) -> fit\(types.suffix)([\(choices)], Id, Payload, Header).

            %% The first value with which all lengths can hold the packet, or the error of the last one.
            fit\(types.suffix)([Value], Id, Payload, Header) -> \(name)(Id, Payload, Header#{\(key) => Value});
            fit\(types.suffix)([Value | Values], Id, Payload, Header) ->
                try
                    \(name)(Id, Payload, Header#{\(key) => Value})
                catch
                    throw:{error, #{reason := Reason}}
                            when element(1, Reason) =:= packet_too_long; element(1, Reason) =:= length_too_small;
                                 element(1, Reason) =:= invalid_message_id ->
                        fit\(types.suffix)(Values, Id, Payload, Header)
                end.


            """
    }

    private func function() -> String {
        let limit = types.description.options.maximumPacketByteCount
        let keys = (settableKeys + foreignKeys.map { ErlangText.atom($0.key) }).joined(separator: ", ")
        let around = ([String(constantByteCount)] + variableWidths).joined(separator: " + ")
        let most = conditions.limit(limit, around)
        let measuring =
            conditions.finding(checkedValue) + ["Count = iolist_size(Payload)", "T = Count + \(around)"] + most.lines
            + [
                "T =< \(most.value) orelse fail_without_offset({packet_too_long, T, T, \(most.value)}, [])"
            ]
        let checksums = ErlangChecksums(layout)
        var lines = layout.fields.indices
            .filter { !checksums.isComputedLast($0) && !conditions.isFoundFirst($0) }
            .map { "F\($0 + 1) = \(conditions.value(of: $0, checkedValue(of: $0)))" }
        lines += checksums.computing
        if !layout.hasConditions {
            lines.append(
                "Id =< 16#\(String(layout.maximumMessageID, radix: 16, uppercase: true)) orelse "
                    + "fail_without_offset({invalid_message_id, Id}, [])")
        }
        lines.append("[\(output().joined(separator: ", "))]")
        // What fits itself to the packet has been chosen: then the map is never empty.
        let checkingKeys =
            ([
                (layout.fitting == nil ? "map_size(Header) =:= 0 orelse " : "") + "only_settable(Header, [\(keys)])"
            ] + refusingForeign).joined(separator: ",\n    ")
        switch varints.count {
        case 0:
            let all = [checkingKeys] + measuring + lines
            return "\(name)(Id, Payload, Header) ->\n    " + all.joined(separator: ",\n    ") + ".\n"
                + conditions.functions
        case 1:
            return """
                \(name)(Id, Payload, Header) ->
                    \(checkingKeys),
                    \(name)(Id, Payload, Header, 1).

                %% The first width of the variable-length field that holds the number which it causes is the shortest. Only then
                %% are the fields checked: other lengths count this one, too.
                \(name)(Id, Payload, Header, W) ->
                    \(measuring.joined(separator: ",\n    ")),
                    case \(size(of: varints[0])) of
                        Wider when Wider > W ->
                            \(name)(Id, Payload, Header, Wider);
                        _ ->
                            \(lines.joined(separator: ",\n            "))
                    end.

                """ + conditions.functions
        default: return function(checkingKeys, measuring, lines)
        }
    }

    /// Returns the function for a header with several fields of variable width.
    private func function(_ checkingKeys: String, _ measuring: [String], _ lines: [String]) -> String {
        let widths = widths.joined(separator: ", ")
        let sizes = varints.map(size).joined(separator: ", ")
        return """
            \(name)(Id, Payload, Header) ->
                \(checkingKeys),
                \(name)(Id, Payload, Header, {\(varints.map { _ in "1" }.joined(separator: ", "))}).

            %% The first widths of the variable-length fields that hold the numbers which they cause are the shortest. Only then
            %% are the fields checked: lengths count these fields, too.
            \(name)(Id, Payload, Header, {\(widths)} = Widths) ->
                \(measuring.joined(separator: ",\n    ")),
                case {\(sizes)} of
                    Widths ->
                        \(lines.joined(separator: ",\n            "));
                    Wider ->
                        \(name)(Id, Payload, Header, Wider)
                end.

            """ + conditions.functions
    }

    /// The bytes around the payload that are the same in all packets.
    private var constantByteCount: Int {
        plan.minimumPacketByteCount - varints.count { layout.header[$0].condition == nil }
    }

    /// The variables with the other bytes around the payload.
    private var variableWidths: [String] { layout.fields.indices.compactMap(variableWidth) }

    /// The variable with the byte count of a field; nil if it is the same in all packets.
    private func variableWidth(_ index: Int) -> String? {
        if layout.fields[index].condition != nil { return "C\(index + 1)" }
        return layout.fields[index].format.byteCount == nil ? Self.width(ofVarintAt: index, in: layout) : nil
    }

    /// The variable with the byte count of a header's field of variable width, if it is there.
    static func width(ofVarintAt index: Int, in layout: PacketLayout) -> String {
        let varints = layout.header.indices.filter { layout.header[$0].format.byteCount == nil }
        return varints.count == 1 ? "W" : "W\(varints.count { $0 <= index })"
    }

    /// The keys that a caller can set.
    var settableKeys: [String] {
        zip(layout.fields, types.naming.packetFields).compactMap { field, name in
            field.isSettable ? ErlangText.atom(name) : nil
        }
    }

    /// The fields that a caller could set in packets of the other sender.
    private var foreignKeys: [(field: PacketField, key: String)] {
        types.foreignFields.filter { $0.field.isSettable }
    }

    /// The lines that refuse them.
    private var refusingForeign: [String] {
        foreignKeys.map { field, key in
            "_ = absent(\(ErlangText.atom(key)), Header, \(ErlangText.binary(field.name)), 0)"
        }
    }

    /// Returns the value of a field, unchecked.
    private func value(of index: Int) -> String {
        let field = layout.fields[index]
        switch field.role {
        case .value(let value): return settable(index, value)
        case .fitting(let values): return settable(index, .integer(values.last ?? 0))
        case .sequence: return settable(index, 0)
        // A protocol with layers is refused before.
        case .contentLength: return "0"
        case .padding: return "<<0:\(8 * (field.format.byteCount ?? 0))>>"
        case .constant(.text(let text)): return types.packetFieldBytes(index, text)
        case .constant(let value): return ErlangTypes.number(value.number)
        case .checksum(let checksum): return ErlangChecksums.call(checksum.kind, "Payload")
        case .messageID: return identifierPart(index)
        case .length(let base, let constant):
            let counted =
                switch base {
                case .packet: "T"
                case .payload: "Count"
                case .rest: rest(behind: index)
                }
            return constant == 0 ? counted : "\(counted) + (\(constant))"
        }
    }

    private func settable(_ index: Int, _ value: PacketHeader.FieldValue) -> String {
        let usual = types.packetFieldLiteral(index, value)
        return "maps:get(\(ErlangText.atom(types.naming.packetFields[index])), Header, \(usual))"
    }

    /// Returns the value of a field, or an error that names the field.
    private func checkedValue(of index: Int) -> String {
        let field = layout.fields[index]
        let value = value(of: index)
        let name = ErlangText.binary(field.name)
        let range = field.range
        let bounds = "\(ErlangTypes.number(range.lowerBound)), \(ErlangTypes.number(range.upperBound))"
        switch field.role {
        case .length: return "length_field(\(value), \(bounds), T, \(name))"
        case .constant, .checksum, .messageID, .padding, .contentLength: return value
        case .value, .fitting, .sequence: return types.packetFieldNumber(index, value)
        }
    }

    /// Returns the number of bytes after a field.
    private func rest(behind index: Int) -> String {
        func constant(_ indices: some Sequence<Int>) -> String {
            String(indices.reduce(0) { $0 + (variableWidth($1) == nil ? layout.byteCounts[$1] ?? 0 : 0) })
        }
        if index >= layout.header.count {
            let after = index + 1..<layout.fields.count
            return ([constant(after)] + after.compactMap(variableWidth)).joined(separator: " + ")
        }
        return (["T", constant(0...index)] + (0...index).compactMap(variableWidth)).joined(separator: " - ")
    }

    /// Returns the bits of the ID that belong to one of its fields.
    private func identifierPart(_ index: Int) -> String {
        let others = (index + 1..<layout.fields.count).filter { layout.fields[$0].role == .messageID }
        guard layout.fields.count(where: { $0.role == .messageID }) > 1 else { return "Id" }
        let constant = others.reduce(0) { sum, other in
            layout.fields[other].condition == nil ? sum + layout.fields[other].format.idBitWidth : sum
        }
        let conditional = others.filter { layout.fields[$0].condition != nil }
            .map { "count_if(P\($0 + 1), \(layout.fields[$0].format.idBitWidth))" }
        let parts = (constant == 0 && !conditional.isEmpty ? [] : [String(constant)]) + conditional
        let behind = parts.count == 1 ? parts[0] : "(\(parts.joined(separator: " + ")))"
        let mask = (Int128(1) << Int128(layout.fields[index].format.idBitWidth)) - 1
        return "(Id bsr \(behind)) band 16#\(String(mask, radix: 16, uppercase: true))"
    }

    /// Returns the number that is written for the value of a field of variable width.
    static func bits(of field: PacketField, _ value: String) -> String {
        guard case .varint(let format) = field.format else { return value }
        guard field.role == .messageID, format.encoding == .zigzag else { return format.erlangBits(value) }
        // A part of an ID is a number without a sign.
        return format.erlangBits("signed(\(value), \(format.bitWidth))")
    }

    /// Returns the number of bytes of that field, whose value has not been checked.
    private func size(of index: Int) -> String {
        let field = layout.fields[index]
        var value = value(of: index)
        guard case .varint(let format) = field.format else { return "1" }
        if case .length = field.role, format.isSigned { value = "max(0, \(value))" }
        if field.role == .messageID, format.encoding == .zigzag { value = "signed(\(value), \(format.bitWidth))" }
        return ErlangPresence.value("\(format.erlangSize)(\(value))", of: index, in: layout, otherwise: "1")
    }

    private func output() -> [String] {
        var parts: [String] = []
        var segments: [String] = []
        func endRun() {
            if !segments.isEmpty { parts.append("<<\(segments.joined(separator: ", "))>>") }
            segments = []
        }
        for (index, field) in layout.fields.enumerated() {
            if index == layout.header.count {
                endRun()
                parts.append("Payload")
            }
            if field.condition != nil {
                endRun()
                parts.append(ErlangConditionalWrapping.bytes(of: index, in: layout))
            } else if !field.format.isNumber {
                endRun()
                parts.append("F\(index + 1)")
            } else if field.format.byteCount != nil {
                segments += ErlangPacketFields(layout: layout).writing(index)
            } else {
                endRun()
                parts.append("leb128(\(Self.bits(of: field, "F\(index + 1)")))")
            }
        }
        endRun()
        if layout.trailer.isEmpty { parts.append("Payload") }
        return parts
    }
}
