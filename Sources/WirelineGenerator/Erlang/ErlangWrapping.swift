// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the function that adds header and trailer to a payload: `wrap/3`.
struct ErlangWrapping {
    let types: ErlangTypes
    private var layout: PacketLayout { types.description.layout }
    private var plan: PacketPlan { layout.plan }
    private var isFixed: Bool { varint == nil }
    /// The index of the field of variable width, if there is one.
    private var varint: Int? { layout.header.firstIndex { $0.format.byteCount == nil } }

    init(_ types: ErlangTypes) { self.types = types }

    static func function(_ types: ErlangTypes) -> String { ErlangWrapping(types).function() }

    private func function() -> String {
        let limit = types.description.options.maximumPacketByteCount
        let keys = settableKeys.joined(separator: ", ")
        let around = isFixed ? String(plan.minimumPacketByteCount) : "\(plan.minimumPacketByteCount - 1) + W"
        let measuring = [
            "Count = iolist_size(Payload)", "T = Count + \(around)",
            "T =< \(limit) orelse fail_without_offset({packet_too_long, T, T, \(limit)}, [])",
        ]
        let checksums = ErlangChecksums(layout)
        var lines = layout.fields.indices.filter { !checksums.isComputedLast($0) }
            .map { "F\($0 + 1) = \(checkedValue(of: $0))" }
        lines += checksums.computing
        lines.append(
            "Id =< 16#\(String(layout.maximumMessageID, radix: 16, uppercase: true)) orelse "
                + "fail_without_offset({invalid_message_id, Id}, [])")
        lines.append("[\(output().joined(separator: ", "))]")
        let checkingKeys = "map_size(Header) =:= 0 orelse only_settable(Header, [\(keys)])"
        guard let varint else {
            let all = [checkingKeys] + measuring + lines
            return "wrap(Id, Payload, Header) ->\n    " + all.joined(separator: ",\n    ") + ".\n"
        }
        return """
            wrap(Id, Payload, Header) ->
                \(checkingKeys),
                wrap(Id, Payload, Header, 1).

            %% The first width of the variable-length field that holds the number which it causes is the shortest. Only then
            %% are the fields checked: other lengths count this one, too.
            wrap(Id, Payload, Header, W) ->
                \(measuring.joined(separator: ",\n    ")),
                case \(size(of: varint)) of
                    Wider when Wider > W ->
                        wrap(Id, Payload, Header, Wider);
                    _ ->
                        \(lines.joined(separator: ",\n            "))
                end.

            """
    }

    /// The keys that a caller can set.
    var settableKeys: [String] {
        zip(layout.fields, types.naming.packetFields).compactMap { field, name in
            switch field.role {
            case .value, .sequence: ErlangText.atom(name)
            default: nil
            }
        }
    }

    /// Returns the value of a field, unchecked.
    private func value(of index: Int) -> String {
        let field = layout.fields[index]
        switch field.role {
        case .value(let value): return settable(index, field, value)
        case .sequence: return settable(index, field, 0)
        case .constant(let value): return ErlangTypes.number(value)
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

    private func settable(_ index: Int, _ field: PacketField, _ value: Int128) -> String {
        let usual = field.format == .boolean ? String(value != 0) : String(value)
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
        case .constant, .checksum, .messageID: return value
        case .value, .sequence:
            return field.format == .boolean
                ? "boolean(\(value), \(name), [packet])" : "integer(\(value), \(bounds), \(name), [packet])"
        }
    }

    /// Returns the number of bytes after a field.
    private func rest(behind index: Int) -> String {
        if index >= layout.header.count {
            return String(layout.fields[(index + 1)...].reduce(0) { $0 + ($1.format.byteCount ?? 0) })
        }
        let before = layout.fields[...index].reduce(0) { $0 + ($1.format.byteCount ?? 0) }
        guard let varint, varint <= index else { return "T - \(before)" }
        return "T - \(before) - W"
    }

    /// Returns the bits of the ID that belong to one of its fields.
    private func identifierPart(_ index: Int) -> String {
        let behind = layout.fields[(index + 1)...].filter { $0.role == .messageID }
            .reduce(0) { $0 + $1.format.idBitWidth }
        guard layout.fields.count(where: { $0.role == .messageID }) > 1 else { return "Id" }
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
        guard field.role == .messageID, format.encoding == .zigzag else { return "\(format.erlangSize)(\(value))" }
        return "\(format.erlangSize)(signed(\(value), \(format.bitWidth)))"
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
                parts.append("leb128(\(Self.bits(of: field, "F\(index + 1)")))")
            }
        }
        endRun()
        if layout.trailer.isEmpty { parts.append("Payload") }
        return parts
    }
}
