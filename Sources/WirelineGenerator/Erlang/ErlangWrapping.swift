// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineSchema

/// Makes the function that puts header and trailer around a payload: `wrap/3`.
struct ErlangWrapping {
    let types: ErlangTypes
    private var layout: PacketLayout { types.description.layout }
    private var plan: PacketPlan { layout.plan }
    private var isFixed: Bool { varint == nil }
    /// The index of the field of variable width.
    private var varint: Int? { layout.header.firstIndex { $0.format.byteCount == nil } }

    init(_ types: ErlangTypes) { self.types = types }

    static func function(_ types: ErlangTypes) -> String { ErlangWrapping(types).function() }

    private func function() -> String {
        let limit = types.description.options.maximumPacketByteCount
        let keys = settableKeys.joined(separator: ", ")
        let around = isFixed ? String(plan.minimumPacketByteCount) : "\(plan.minimumPacketByteCount - 1) + W"
        var lines = [
            "Count = iolist_size(Payload)", "T = Count + \(around)",
            "T =< \(limit) orelse fail_without_offset({packet_too_long, T, T, \(limit)}, [])",
        ]
        for index in layout.fields.indices { lines.append("F\(index + 1) = \(value(of: index))") }
        lines.append(
            "Id =< 16#\(String(layout.maximumMessageID, radix: 16, uppercase: true)) orelse "
                + "fail_without_offset({invalid_message_id, Id}, [])")
        let output = "[\(output().joined(separator: ", "))]"
        guard let varint else {
            lines.insert("map_size(Header) =:= 0 orelse only_settable(Header, [\(keys)])", at: 0)
            return "wrap(Id, Payload, Header) ->\n    " + (lines + [output]).joined(separator: ",\n    ") + ".\n"
        }
        lines.append(
            "case leb128_size(F\(varint + 1)) of W -> \(output); "
                + "Other -> wrap(Id, Payload, Header, max(W + 1, Other)) end")
        return """
            wrap(Id, Payload, Header) ->
                map_size(Header) =:= 0 orelse only_settable(Header, [\(keys)]),
                wrap(Id, Payload, Header, 1).

            %% The first width of the variable-length field that holds the number which it causes is the shortest.
            wrap(Id, Payload, Header, W) ->
                \(lines.joined(separator: ",\n    ")).

            """
    }

    /// The keys of what a caller can set.
    var settableKeys: [String] {
        zip(layout.fields, types.naming.packetFields).compactMap { field, name in
            switch field.role {
            case .value, .sequence: ErlangText.atom(name)
            default: nil
            }
        }
    }

    private func value(of index: Int) -> String {
        let field = layout.fields[index]
        switch field.role {
        case .value(let value): return settable(index, field, value)
        case .sequence: return settable(index, field, 0)
        case .constant(let value): return ErlangTypes.number(value)
        case .checksum: return "erlang:crc32(Payload)"
        case .messageID: return identifierPart(index)
        case .length(let base, let constant):
            let counted =
                switch base {
                case .packet: "T"
                case .payload: "Count"
                case .rest: rest(behind: index)
                }
            let text = constant == 0 ? counted : "\(counted) + (\(constant))"
            let range = field.format.range
            let bounds = "\(ErlangTypes.number(range.lowerBound)), \(ErlangTypes.number(range.upperBound))"
            return "length_field(\(text), \(bounds), T, \(ErlangText.binary(field.name)))"
        }
    }

    private func settable(_ index: Int, _ field: PacketField, _ value: Int128) -> String {
        let (key, name) = (ErlangText.atom(types.naming.packetFields[index]), ErlangText.binary(field.name))
        guard field.format != .boolean else {
            return "boolean(maps:get(\(key), Header, \(value != 0)), \(name), [packet])"
        }
        let range = field.format.range
        let bounds = "\(ErlangTypes.number(range.lowerBound)), \(ErlangTypes.number(range.upperBound))"
        return "integer(maps:get(\(key), Header, \(value)), \(bounds), \(name), [packet])"
    }

    /// How many bytes follow a field.
    private func rest(behind index: Int) -> String {
        if index >= layout.header.count {
            return String(layout.fields[(index + 1)...].reduce(0) { $0 + ($1.format.byteCount ?? 0) })
        }
        let before = layout.fields[...index].reduce(0) { $0 + ($1.format.byteCount ?? 0) }
        guard let varint, varint <= index else { return "T - \(before)" }
        return "T - \(before) - W"
    }

    /// The bits of the ID that belong into one of its fields.
    private func identifierPart(_ index: Int) -> String {
        let behind = layout.fields[(index + 1)...].filter { $0.role == .messageID }
            .reduce(0) { $0 + $1.format.idBitWidth }
        guard layout.fields.count(where: { $0.role == .messageID }) > 1 else { return "Id" }
        let mask = (Int128(1) << Int128(layout.fields[index].format.idBitWidth)) - 1
        return "(Id bsr \(behind)) band 16#\(String(mask, radix: 16, uppercase: true))"
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
            if let scalar = ErlangUnwrapping.scalar(field.format) {
                segments.append("F\(index + 1)\(scalar.writing)")
            } else {
                endRun()
                parts.append("leb128(F\(index + 1))")
            }
        }
        endRun()
        if layout.trailer.isEmpty { parts.append("Payload") }
        return parts
    }
}
