// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSwiftGenerator

/// Makes the tables that describe a protocol's bytes; ``WiresharkRuntime`` reads packets by them.
struct WiresharkTables {
    private let description: ProtocolDescription
    private let naming: WiresharkNaming

    init(_ description: ProtocolDescription, _ naming: WiresharkNaming) {
        self.description = description
        self.naming = naming
    }

    func text() -> String {
        let name = CommentText.lines(of: description.name).joined(separator: " ")
        let parts: [String?] = [
            "name = \(LuaText.literal(name))",
            "filter = \(LuaText.literal(naming.filter))",
            "most_depth = \(description.options.maximumDepth)",
            "keeps_trailing = \(description.options.keepsTrailingBytes)",
            description.options.varintForms == .any ? "any_varints = true" : nil,
            layout,
            list("enumerations", description.enumerations.map(enumeration)),
            list("flags", zip(description.flagSets, naming.flagSets).map(flags)),
            list("structures", zip(description.structures, naming.structures).map(structure)),
            list("messages", zip(description.messages, naming.messages).map(message)),
        ]
        return "local protocol = {\n" + parts.compactMap(\.self).map { "    \($0),\n" }.joined() + "}\n"
    }

    // MARK: Lists

    /// Returns `{ a, b }` on one line.
    private func table(_ parts: [String?]) -> String { "{ " + parts.compactMap { $0 }.joined(separator: ", ") + " }" }

    /// Returns a named list, one item a line.
    private func list(_ name: String, _ items: [String], indentation: String = "    ") -> String {
        guard !items.isEmpty else { return "\(name) = {}" }
        let lines = items.map { "\(indentation)    \($0),\n" }.joined()
        return "\(name) = {\n\(lines)\(indentation)}"
    }

    private func about(_ documentation: String, _ deprecation: String?, isSensitive: Bool = false) -> String? {
        var parts = CommentText.lines(of: documentation).filter { !$0.isEmpty }
        if let deprecation { parts.append("Deprecated: " + CommentText.lines(of: deprecation).joined(separator: " ")) }
        if isSensitive { parts.append("Sensitive.") }
        return LuaText.literal(documentation: parts.joined(separator: "\n")).map { "about = \($0)" }
    }

    // MARK: Layout

    private var layout: String {
        let layout = description.layout
        let plan = layout.plan
        let names = naming.packetFields
        let header = zip(layout.header, names).map(packetField)
        let trailer = zip(layout.trailer, names.dropFirst(header.count)).map(packetField)
        let limit = description.options.maximumPacketByteCount
        let isFixed = layout.header.allSatisfy { $0.format.byteCount != nil }
        let lines = [
            "header_size = \(plan.headerByteCount)", "trailer_size = \(plan.trailerByteCount)",
            "is_fixed = \(isFixed)", "limit = \(limit)",
            list("header", header, indentation: "        "), list("trailer", trailer, indentation: "        "),
        ]
        return "layout = {\n" + lines.map { "        \($0),\n" }.joined() + "    }"
    }

    private func packetField(_ field: PacketField, _ filter: String) -> String {
        let documentation = description.packetFields.first { $0.name == field.name }?.documentation ?? ""
        return table(
            [
                "name = \(LuaText.literal(field.name))", "filter = \(LuaText.literal(filter))",
                "kind = \(headerKind(field.format))",
            ] + (checksum(of: field) ?? role(field.role))
                + [about(documentation, nil)])
    }

    /// Returns how a checksum is computed; nil for a field with another purpose, or if only CRC-32 of the payload occurs.
    private func checksum(of field: PacketField) -> [String]? {
        let layout = description.layout
        guard WiresharkRuntime.hasAnyChecksum(layout), let checksum = field.checksum,
            let planned = layout.checksums.first(where: { layout.fields[layout.fieldIndex(of: $0)].name == field.name })
        else { return nil }
        return [
            "role = \"checksum\"", "sum = \"\(checksum.kind.rawValue)\"",
            "called = \"\(checksum.kind.displayName)\"", "owner = \(LuaText.literal(checksum.range.owner))",
            "first = \(planned.parts.lowerBound + 1), last = \(planned.parts.upperBound)",
            "zeros = \(table(planned.zeros.map { "\($0 + 1)" }))",
        ]
    }

    private func headerKind(_ format: PacketField.Format) -> String {
        switch format {
        case .integer(let format, let order): kind(.integer(format, order))
        case .boolean: kind(.boolean)
        case .varint(let format): kind(.varint(format))
        }
    }

    private func role(_ role: PacketField.Role) -> [String?] {
        switch role {
        case .value, .sequence: []
        case .messageID: ["role = \"id\""]
        case .constant(let value): ["role = \"constant\"", "value = \(LuaText.integer(value))"]
        case .checksum: ["role = \"checksum\""]
        case .length(let base, let constant):
            ["role = \"length\"", "of = \"\(name(of: base))\"", "plus = \(constant)"]
        }
    }

    private func name(of base: PacketField.LengthBase) -> String {
        switch base {
        case .packet: "packet"
        case .payload: "payload"
        case .rest: "rest"
        }
    }

    // MARK: Declarations

    private func enumeration(_ enumeration: EnumerationDescription) -> String {
        let cases = enumeration.cases.map { item in
            table(["\(item.value >> 32)", "\(item.value & 0xFFFF_FFFF)", LuaText.literal(item.name)])
        }
        return table(
            numbers(enumeration.format) + [enumeration.isClosed ? "closed = true" : nil, "cases = \(table(cases))"])
    }

    private func flags(_ flags: FlagsDescription, _ filters: [String]) -> String {
        let cases = zip(flags.cases, filters).map { item, filter in
            table([
                "\(item.value >> 32)", "\(item.value & 0xFFFF_FFFF)", LuaText.literal(item.name),
                LuaText.literal(filter), about(item.documentation, item.deprecation),
            ])
        }
        return table(numbers(flags.format) + ["cases = \(table(cases))"])
    }

    private func structure(_ structure: StructureDescription, _ naming: WiresharkNaming.Record) -> String {
        let size = structure.sizePrefix.map { "size = \(table([count($0, structure.byteOrder)]))" }
        return record(["filter = \(LuaText.literal(naming.name))", size], structure.fields, naming)
    }

    private func message(_ message: MessageDescription, _ naming: WiresharkNaming.Record) -> String {
        let parts: [String?] = [
            "id = \"\(message.id)\"", "name = \(LuaText.literal(message.name))",
            "filter = \(LuaText.literal(naming.name))", message.alias.map { "alias = \(LuaText.literal($0))" },
            message.senders.contains(.client) ? "client = true" : nil,
            message.senders.contains(.server) ? "server = true" : nil,
            about(message.documentation, message.deprecation),
        ]
        return record(parts, message.fields, naming)
    }

    private func record(_ parts: [String?], _ fields: [FieldDescription], _ naming: WiresharkNaming.Record) -> String {
        let lines = zip(fields, naming.fields).map { "            \(field($0, $1)),\n" }.joined()
        let list = lines.isEmpty ? "fields = {}" : "fields = {\n\(lines)        }"
        return table(parts + [list])
    }

    private func field(_ field: FieldDescription, _ filter: String) -> String {
        var parts: [String?] = [
            "name = \(LuaText.literal(field.name))", "filter = \(LuaText.literal(filter))",
            "kind = \(kind(field.type))",
        ]
        if field.presence != .required { parts.append("absent = true") }
        if case .since(_, let value) = field.presence { parts.append(standard(value, field.type)) }
        if let range = field.range {
            parts.append("least = \(LuaText.integer(range.lowerBound)), most = \(LuaText.integer(range.upperBound))")
        }
        if let range = field.floatRange {
            parts.append("lowest = \(LuaText.float(range.lowerBound)), highest = \(LuaText.float(range.upperBound))")
        }
        if let limit = field.maximumCount { parts.append("limit = \(limit)") }
        parts.append(about(field.documentation, field.deprecation, isSensitive: field.isSensitive))
        return table(parts)
    }

    /// Returns the default of a `@since` field; nil for types whose default is not shown, such as lists.
    private func standard(_ value: DefaultValue, _ type: TypeDescription) -> String? {
        switch (type, value) {
        case (.boolean, .integer(let value)): "default = \(value != 0)"
        case (.boolean, _): "default = false"
        case (.integer, .integer(let value)), (.varint, .integer(let value)), (.enumeration, .integer(let value)),
            (.flags, .integer(let value)):
            "default = \(LuaText.integer(value))"
        case (.integer, _), (.varint, _), (.enumeration, _), (.flags, _): "default = { 0, 0 }"
        case (.float32, .float(let value)), (.float64, .float(let value)): "default = \(LuaText.float(value))"
        case (.float32, .integer(let value)), (.float64, .integer(let value)): "default = \(value)"
        case (.float32, _), (.float64, _): "default = 0.0"
        case (.string, .string(let text)): "default = \(LuaText.literal(text))"
        case (.string, _): "default = \"\""
        case (.digits, .string(let text)): "default = \(LuaText.literal(text))"
        case (.digits(let byteCount), _): "default = string.rep(\"0\", \(2 * byteCount))"
        default: nil
        }
    }

    // MARK: Types

    private func kind(_ type: TypeDescription) -> String {
        switch type {
        case .integer(let format, let order): table(["\"integer\""] + numbers(format) + [self.order(order)])
        case .float32(let order): table(["\"float\"", "width = 4", self.order(order)])
        case .float64(let order): table(["\"float\"", "width = 8", self.order(order)])
        case .boolean: table(["\"boolean\""])
        case .varint(let format): table(["\"varint\"", "most = \(format.maximumByteCount)", format.luaForm])
        case .string(.fixed(let byteCount, let padding)):
            table(["\"char\"", "bytes = \(byteCount)", "fill = \(padding)"])
        case .digits(let byteCount): table(["\"digits\"", "bytes = \(byteCount)"])
        case .string(let extent): table(["\"string\"", self.extent(extent)])
        case .bytes(let extent): table(["\"bytes\"", self.extent(extent)])
        case .properties(let isStrict): table(["\"properties\"", isStrict ? "strict = true" : nil])
        case .enumeration(let index, let order):
            table(["\"enumeration\"", "index = \(index + 1)", self.order(order)])
        case .flags(let index, let order): table(["\"flags\"", "index = \(index + 1)", self.order(order)])
        case .structure(let index): table(["\"structure\"", "index = \(index + 1)"])
        case .fixedList(let element, let count):
            table(["\"array\"", "items = \(count)", "of = \(kind(element))"])
        case .list(let element, let extent): table(["\"list\"", self.extent(extent), "of = \(kind(element))"])
        }
    }

    private func numbers(_ format: IntegerFormat) -> [String?] {
        ["width = \(format.byteCount)", format.isSigned ? "signed = true" : nil]
    }

    private func order(_ order: ByteOrder) -> String? { order == .littleEndian ? "little = true" : nil }

    private func extent(_ extent: TypeDescription.Extent) -> String {
        switch extent {
        case .counted(let format, let order): count(format, order)
        case .terminated: "ends = \"nul\""
        case .rest: "ends = \"rest\""
        case .fixed(let byteCount, _): "bytes = \(byteCount)"
        }
    }

    private func count(_ format: CountFormat, _ order: ByteOrder) -> String {
        guard format != .varint else { return "count = \"varint\"" }
        return ["count = \(format.minimumByteCount)", self.order(order)].compactMap { $0 }.joined(separator: ", ")
    }
}
