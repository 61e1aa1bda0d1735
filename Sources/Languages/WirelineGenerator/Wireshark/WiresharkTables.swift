// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSwiftGenerator

/// Makes the tables that describe a protocol's bytes; ``WiresharkRuntime`` reads packets by them.
struct WiresharkTables {
    let description: ProtocolDescription
    let naming: WiresharkNaming
    /// Whether any packet has a checksum other than CRC-32 of the payload.
    private let hasAnyChecksum: Bool

    init(_ description: ProtocolDescription, _ naming: WiresharkNaming) {
        self.description = description
        self.naming = naming
        hasAnyChecksum = WiresharkRuntime.hasAnyChecksum(description.layout)
    }

    /// - Parameter variant: The protocol with the layout of these packets.
    init(_ description: ProtocolDescription, _ naming: WiresharkNaming, in variant: ProtocolDescription) {
        self.description = variant
        let names = self.description.layout.fields.map(\.name)
        let fields = zip(description.layout.fields, naming.packetFields)
        self.naming = naming.with(packetFields: fields.filter { names.contains($0.0.name) }.map(\.1))
        hasAnyChecksum = WiresharkRuntime.hasAnyChecksum(description.layout)
    }

    func text() -> String {
        let name = description.title
        let layout = description.layout
        let first: [String?] = [
            "name = \(LuaText.literal(name))",
            "filter = \(LuaText.literal(naming.filter))",
            "most_depth = \(description.options.maximumDepth)",
            "keeps_trailing = \(description.options.keepsTrailingBytes)",
            description.options.varintForms == .any ? "any_varints = true" : nil,
        ]
        let declarations: [String?] = [
            list("enumerations", description.enumerations.map(enumeration)),
            list("flags", zip(description.flagSets, naming.flagSets).map(flags)),
            list("structures", zip(description.structures, naming.structures).map(structure)),
            description.unions.isEmpty
                ? nil : list("unions", zip(description.unions, naming.unions).map(union)),
            list("messages", zip(description.messages, naming.messages).map(message)),
        ]
        let parts = first + (layout.hasContent ? layers(of: layout.content) : []) + layouts + declarations
        return "local protocol = {\n" + parts.compactMap(\.self).map { "    \($0),\n" }.joined() + "}\n"
    }

    // MARK: Lists

    func table(_ parts: [String?]) -> String { "{ " + parts.compactMap { $0 }.joined(separator: ", ") + " }" }

    func list(_ name: String, _ items: [String], indentation: String = "    ") -> String {
        guard !items.isEmpty else { return "\(name) = {}" }
        let lines = items.map { "\(indentation)    \($0),\n" }.joined()
        return "\(name) = {\n\(lines)\(indentation)}"
    }

    func about(_ documentation: String, _ deprecation: String?, isSensitive: Bool = false) -> String? {
        var parts = CommentText.lines(of: documentation).filter { !$0.isEmpty }
        if let deprecation { parts.append("Deprecated: " + CommentText.lines(of: deprecation).joined(separator: " ")) }
        if isSensitive { parts.append("Sensitive.") }
        return LuaText.literal(documentation: parts.joined(separator: "\n")).map { "about = \($0)" }
    }

    // MARK: Layout

    /// The fields around the payload: one layout, or several if it depends on the sender or on more.
    private var layouts: [String] {
        let layout = description.layout
        guard layout.dependsOnContext else { return ["layout = " + self.layout(indentation: "    ")] }
        if layout.hasStates || layout.hasContent, let contexts = layout.contexts { return shapes(of: contexts) }
        let layouts = Sender.allCases.map { sender in
            WiresharkTables(description, naming, in: description.sent(by: sender)).layout(indentation: "        ")
        }
        let lines = zip(Sender.allCases, layouts).map { "        \($0.rawValue) = \($1),\n" }
        return ["layouts = {\n\(lines.joined())    }"]
    }

    /// - Parameters:
    ///   - isBounded: Whether they end with the given bytes; then the packet limit does not apply.
    ///   - more: Additional entries of the table.
    func layout(isBounded: Bool = false, indentation: String, adding more: [String] = []) -> String {
        let layout = description.layout
        let plan = layout.plan
        let names = naming.packetFields
        let fields = layout.fields.indices.map { packetField($0, names[$0]) }
        let (header, trailer) = (Array(fields[..<layout.header.count]), Array(fields[layout.header.count...]))
        let limit = description.options.maximumPacketByteCount
        let isFixed = !layout.hasConditions && layout.header.allSatisfy { $0.format.byteCount != nil }
        let inner = indentation + "    "
        let frame = layout.framing.map { ["frame = \(WiresharkRuntime.table(of: $0))"] } ?? []
        let sizes = [
            "header_size = \(plan.headerByteCount)", "trailer_size = \(plan.trailerByteCount)",
            "is_fixed = \(isFixed)", isBounded ? "is_bounded = true" : "limit = \(limit)",
        ]
        let lists = [list("header", header, indentation: inner), list("trailer", trailer, indentation: inner)]
        let lines = sizes + frame + lists + more
        return "{\n" + lines.map { "\(inner)\($0),\n" }.joined() + "\(indentation)}"
    }

    private func packetField(_ index: Int, _ filter: String) -> String {
        let field = description.layout.fields[index]
        let documentation = description.packetFields.first { $0.name == field.name }?.documentation ?? ""
        return table(
            [
                "name = \(LuaText.literal(field.name))", "filter = \(LuaText.literal(filter))",
                "kind = \(headerKind(index))", pack(index), field.condition.map { "when = \(condition($0))" },
            ] + (checksum(of: field) ?? role(of: field))
                + [about(documentation, nil)])
    }

    /// Returns how a checksum is computed; nil for other fields, or if only CRC-32 of the payload occurs.
    private func checksum(of field: PacketField) -> [String]? {
        let layout = description.layout
        guard hasAnyChecksum, let checksum = field.checksum,
            let planned = layout.checksums.first(where: { layout.fields[layout.fieldIndex(of: $0)].name == field.name })
        else { return nil }
        return [
            "role = \"checksum\"", "sum = \"\(checksum.kind.rawValue)\"",
            "called = \"\(checksum.kind.displayName)\"", "owner = \(LuaText.literal(checksum.range.owner))",
            "first = \(planned.parts.lowerBound + 1), last = \(planned.parts.upperBound)",
            "zeros = \(table(planned.zeros.map { "\($0 + 1)" }))",
        ]
    }

    private func headerKind(_ index: Int) -> String {
        let format = description.layout.fields[index].format
        if case .integer(let integer, _) = format, let type = description.packetFieldType(index) {
            return kind(type, integer.isSigned ? ["signed = true"] : [])
        }
        return switch format {
        case .integer(let format, _) where description.layout.packedPlace(ofField: index) != nil:
            table(["\"integer\"", "width = \(format.shownByteCount)", format.isSigned ? "signed = true" : nil])
        case .bit: kind(.boolean)
        case .bytes(let byteCount): table(["\"bytes\"", "bytes = \(byteCount)"])
        case .integer, .boolean, .varint, .text, .digits: kind(format.type)
        }
    }

    private func pack(_ index: Int) -> String? {
        guard let place = description.layout.packedPlace(ofField: index) else { return nil }
        let parts: [String?] = [
            "width = \(place.runByteCount)", "bits = \(place.bitWidth)", "shift = \(place.shift)",
            place.isFirst ? "first = true" : nil, order(place.byteOrder),
            description.layout.fields[index].format.range.lowerBound < 0 ? "signed = true" : nil,
        ]
        return "pack = \(table(parts))"
    }

    private func role(of field: PacketField) -> [String?] {
        switch field.role {
        case .value, .fitting, .sequence, .padding, .contentLength: []
        case .messageID: ["role = \"id\""]
        case .constant(.integer(let value)): ["role = \"constant\"", "value = \(LuaText.integer(value))"]
        case .constant(.text(let text)):
            ["text = \(LuaText.literal(field.format.comparedBytes(ofText: text)))", "shown = \(text.utf8.count)"]
        case .constant: []
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

    private func union(_ union: UnionDescription, _ naming: WiresharkNaming.Record) -> String {
        let size = union.sizePrefix.map { "size = \(table([count($0, union.byteOrder)]))" }
        let withFields = union.arms.filter { $0.field != nil }
        let lines = zip(withFields, naming.fields).map { arm, filter in
            let tag = arm.tag.map { "tag = \(LuaText.integer($0))" }
            return arm.field.map { "            \(field($0, filter, tag: tag)),\n" } ?? ""
        }
        let empty = union.arms.filter { $0.field == nil }.map { arm in
            table(["tag = \(LuaText.integer(arm.tag ?? 0))", "name = \(LuaText.literal(arm.name))"])
        }
        return table([
            "filter = \(LuaText.literal(naming.name))", "tag = \(kind(union.tag))", size, "empty = \(table(empty))",
            lines.isEmpty ? "fields = {}" : "fields = {\n\(lines.joined())        }",
        ])
    }

    private func message(_ message: MessageDescription, _ naming: WiresharkNaming.Record) -> String {
        let parts: [String?] = [
            "id = \"\(message.id)\"", "name = \(LuaText.literal(message.name))",
            "filter = \(LuaText.literal(naming.name))", message.alias.map { "alias = \(LuaText.literal($0))" },
            message.senders.contains(.client) ? "client = true" : nil,
            message.senders.contains(.server) ? "server = true" : nil, change(by: message),
            keepsNone(message) ? "keeps_none = true" : nil,
            message.headerValues.isEmpty
                ? nil
                : "header = \(table(message.headerValues.map { table([place(of: $0), fixed($0)]) }))",
            about(message.documentation, message.deprecation),
        ]
        return record(parts, message.fields, naming)
    }

    /// Returns the name of a field that a message fixes. A name, because positions depend on the context.
    private func place(of item: HeaderValue) -> String {
        LuaText.literal(description.layout.fields[item.field].name)
    }

    private func fixed(_ item: HeaderValue) -> String {
        guard case .text(let text) = item.value else { return LuaText.integer(item.value.number) }
        return LuaText.literal(description.layout.fields[item.field].format.comparedBytes(ofText: text))
    }

    /// Whether a message that may extend to the end keeps no extra bytes when it does not.
    private func keepsNone(_ message: MessageDescription) -> Bool {
        description.options.keepsTrailingBytes && BodyPlan.End(of: message, in: description) == .refused
    }

    private func record(_ parts: [String?], _ fields: [FieldDescription], _ naming: WiresharkNaming.Record) -> String {
        let operands = Set(
            fields.compactMap(\.presence.condition).flatMap(\.operands)
                + fields.compactMap(\.tagField).map { .field($0) })
        let lines = zip(fields, naming.fields).map { field, filter in
            "            \(self.field(field, filter, isOperand: operands.contains(.field(field.name)) || field.role == .derived)),\n"
        }.joined()
        let list = lines.isEmpty ? "fields = {}" : "fields = {\n\(lines)        }"
        return table(parts + [list])
    }

    private func field(
        _ field: FieldDescription, _ filter: String, isOperand: Bool = false, tag: String? = nil
    ) -> String {
        var parts: [String?] = [
            tag, "name = \(LuaText.literal(field.name))", "filter = \(LuaText.literal(filter))",
            "kind = \(field.packing.map { kind(of: field, $0) } ?? kind(of: field))",
        ]
        if field.presence.isAppended { parts.append("absent = true") }
        if let condition = field.presence.condition { parts.append("when = \(self.condition(condition))") }
        if isOperand { parts.append("operand = true") }
        if let name = field.tagField { parts.append("tagged = \(LuaText.literal(name))") }
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

    /// Returns the default of a `@since` field; nil for types without a displayed default, such as lists.
    private func standard(_ value: DefaultValue, _ type: TypeDescription) -> String? {
        if case (.digits(let format), .zero) = (type, value) {
            return "default = string.rep(\"0\", \(format.digitCount))"
        }
        switch (type, value == .zero ? type.zero : value) {
        case (.boolean, .integer(let value)): return "default = \(value != 0)"
        case (.integer, .integer(let value)), (.varint, .integer(let value)), (.enumeration, .integer(let value)),
            (.flags, .integer(let value)):
            return "default = \(LuaText.integer(value))"
        case (.float(let format, _), .float(let value)): return "default = \(LuaText.float(format.nearest(to: value)))"
        case (.float, .integer(let value)): return "default = \(value)"
        case (.string, .string(let text)), (.utf16, .string(let text)), (.digits, .string(let text)):
            return "default = \(LuaText.literal(text))"
        default: return nil
        }
    }

    func condition(_ condition: WireCondition) -> String {
        switch condition {
        case .isSet(let operand): test("!=", operand, 0)
        case .compares(let operand, let comparison, let number): test(comparison.rawValue, operand, number)
        case .not(let inner): table(["\"not\"", self.condition(inner)])
        case .and(let left, let right): table(["\"and\"", self.condition(left), self.condition(right)])
        case .or(let left, let right): table(["\"or\"", self.condition(left), self.condition(right)])
        }
    }

    private func test(_ mark: String, _ operand: WireCondition.Operand, _ number: Int128) -> String {
        table(["\"\(mark)\"", LuaText.literal(operand.text), LuaText.integer(number)])
    }

    // MARK: Types

    private func kind(of field: FieldDescription) -> String {
        if field.role == .padding, case .fixedList(_, let byteCount) = field.type {
            return table(["\"padding\"", "bytes = \(byteCount)"])
        }
        switch description.constant(of: field) {
        case .number(let number, let format, let order):
            return table(
                ["\"constant\"", "as = \(kind(field.type))", "value = \(LuaText.integer(number))"]
                    + ["bytes = \(format.byteCount)", format.isSigned ? "signed = true" : nil, self.order(order)])
        case .text(let text, let byteCount, let padding):
            let compared = PlannedConstant.comparedBytes(of: text, byteCount: byteCount, padding: padding)
            return table(
                [
                    "\"constant\"", "as = \(kind(field.type))", "bytes = \(byteCount)",
                    "text = \(LuaText.literal(compared))",
                ])
        case nil:
            let kind = kind(field.type)
            return field.presence == .nullable ? table(["\"nullable\"", "as = \(kind)"]) : kind
        }
    }

    private func kind(_ type: TypeDescription, _ more: [String?] = []) -> String {
        switch type {
        case .integer(let format, let order): table(["\"integer\""] + numbers(format) + [self.order(order)])
        case .float(let format, let order):
            table(["\"float\"", "width = \(format.byteCount)", self.order(order)])
        case .boolean: table(["\"boolean\""])
        case .bit: table(["\"bit\""])
        case .varint(let format): table(["\"varint\"", "most = \(format.maximumByteCount)", format.luaForm])
        case .string(.fixed(let byteCount, let padding)):
            table(["\"char\"", "bytes = \(byteCount)", "fill = \(padding)"])
        case .utf16(.fixed(let byteCount, let padding), let order):
            table(["\"utf16\"", "bytes = \(byteCount)", "fill = \(padding)", units(order)])
        case .utf16(let extent, let order): table(["\"utf16\"", self.extent(extent), units(order)])
        case .digits(let format): table(["\"\(format.notation.word)\"", "bytes = \(format.byteCount)"])
        case .string(.exact), .bytes(.exact): exactText(type)
        case .string(.field(let count)): counted(by: count, sized: table(["\"string\"", extent(.rest)]))
        case .bytes(.field(let count)): counted(by: count, sized: table(["\"bytes\"", extent(.rest)]))
        case .list(let element, .field(let count)):
            counted(by: count, as: table(["\"array\"", "of = \(kind(element))"]))
        case .sized(let content, .field(let count)): counted(by: count, sized: kind(content))
        case .string(let extent): table(["\"string\"", self.extent(extent)])
        case .bytes(let extent): table(["\"bytes\"", self.extent(extent)])
        case .properties(let isStrict): table(["\"properties\"", isStrict ? "strict = true" : nil])
        case .enumeration(let index, let order):
            table(["\"enumeration\"", "index = \(index + 1)", self.order(order)] + more)
        case .flags(let index, let order): table(["\"flags\"", "index = \(index + 1)", self.order(order)] + more)
        case .structure(let index): table(["\"structure\"", "index = \(index + 1)"])
        case .union(let index): table(["\"union\"", "index = \(index + 1)"])
        case .fixedList(let element, let count):
            table(["\"array\"", "items = \(count)", "of = \(kind(element))"])
        case .list(let element, .until(let terminator)):
            table(["\"ended\"", "by = \(terminator)", "of = \(kind(element))"])
        case .list(let element, let extent): table(["\"list\"", self.extent(extent), "of = \(kind(element))"])
        case .sized(let content, let extent):
            table(["\"sized\"", "size = { \(self.extent(extent)) }", "content = \(kind(content))"])
        }
    }

    /// Returns the kind of a field that shares bytes: its type's kind and its bits.
    private func kind(of field: FieldDescription, _ packing: FieldPacking) -> String {
        var constant: String?
        if case .number(let number, _, _) = description.constant(of: field) {
            constant = "value = \(LuaText.integer(number))"
        }
        return table([
            constant == nil ? "\"packed\"" : "\"packed_constant\"", "as = \(kind(field.type))",
            description.packedForm(of: field.type)?.format.isSigned == true ? "signed = true" : nil,
            "bytes = \(packing.runByteCount)", "shift = \(packing.shift)", "bits = \(packing.bitWidth)",
            order(packing.byteOrder), packing.beginsRun ? "first = true" : nil, constant,
        ])
    }

    private func numbers(_ format: IntegerFormat) -> [String?] {
        ["width = \(format.byteCount)", format.isSigned ? "signed = true" : nil]
    }

    private func order(_ order: ByteOrder) -> String? { order == .littleEndian ? "little = true" : nil }

    private func units(_ order: ByteOrder) -> String? { order == .littleEndian ? "little_units = true" : nil }

    /// Returns text or bytes of a fixed size, as a value that extends to the end of these bytes.
    private func exactText(_ type: TypeDescription) -> String {
        let name = if case .string = type { "string" } else { "bytes" }
        let size = type.extent.map { "size = { \(extent($0)) }" }
        return table(["\"sized\"", size, "content = \(table(["\"\(name)\"", extent(.rest)]))"])
    }

    private func counted(by count: FieldCount, as value: String) -> String {
        table(["\"counted\"", "by = \(LuaText.literal(count.field))", "plus = \(count.addend)", "as = \(value)"])
    }

    private func counted(by count: FieldCount, sized content: String) -> String {
        counted(by: count, as: table(["\"sized\"", "size = {}", "content = \(content)"]))
    }

    private func extent(_ extent: TypeDescription.Extent) -> String {
        switch extent {
        case .counted(let format, let order): count(format, order)
        case .terminated: "ends = \"nul\""
        case .rest, .field, .until: "ends = \"rest\""
        case .fixed(let byteCount, _), .exact(let byteCount): "bytes = \(byteCount)"
        }
    }

    private func count(_ format: CountFormat, _ order: ByteOrder) -> String {
        guard let byteCount = format.fixedByteCount else {
            return format.isSigned ? "count = \"zigzag\", most_count = \(format.maximum)" : "count = \"varint\""
        }
        let sign = format.isSigned ? "most_count = \(format.maximum)" : nil
        return ["count = \(byteCount)", sign, self.order(order)].compactMap { $0 }.joined(separator: ", ")
    }
}

extension IntegerFormat {
    /// The size of Wireshark's smallest integer type that holds all values, in bytes.
    fileprivate var shownByteCount: Int { byteCount <= 4 ? byteCount : 8 }
}
