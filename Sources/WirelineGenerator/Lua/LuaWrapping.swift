// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Prints a ``WrapPlan`` as the function that puts header and trailer around a payload.
struct LuaWrapping {
    let types: LuaTypes
    let shape: PacketShape
    private let variables: LuaVariables
    private var layout: PacketLayout { shape.layout }
    private var plan: WrapPlan { shape.wrap }
    private var limit: Int { shape.part?.limit ?? types.description.options.maximumPacketByteCount }
    private var fitted: String { LuaUnwrapping.reference("fitted", shape) }
    private var isIDWide: Bool { types.plan.idRange.isWide }

    private init(_ types: LuaTypes, _ shape: PacketShape) {
        self.types = types
        self.shape = shape
        variables = LuaVariables(count: shape.layout.fields.count)
    }

    static func functions(_ types: LuaTypes, _ shape: PacketShape) -> [String] {
        let maker = LuaWrapping(types, shape)
        return [maker.function] + maker.fitting
    }

    // MARK: Names

    private func name(_ index: Int) -> String { LuaText.literal(layout.fields[index].name) }
    private func key(_ index: Int) -> String {
        "h" + LuaText.member(types.plan.names.headerFields[shape.positions[index]])
    }
    private func isWide(_ index: Int) -> Bool { layout.fields[index].format.range.isWide }
    private func width(_ offset: PacketOffset) -> String { offset.text { variables("w", $0) } }
    private func isThere(_ index: Int) -> String? {
        layout.fields[index].condition == nil ? nil : variables("c", index)
    }
    private func y(_ index: Int) -> String { variables("y", index) }

    private func function(_ name: String, _ parameters: String, _ lines: [String]) -> String {
        ([LuaUnwrapping.declaration(name, shape, parameters)] + LuaText.indented(lines) + ["end", ""])
            .joined(separator: "\n")
    }

    // MARK: Functions

    /// The function that chooses the value of a field which fits itself to the packet; none if there is no such field.
    private var fitting: [String] {
        guard let (index, values) = plan.fitting else { return [] }
        let list = values.map { literal(index, .integer($0)) }.joined(separator: ", ")
        return [
            function(
                "wrap", "id, payload, h",
                [
                    "-- The first value with which all lengths can hold the packet, or the error of the last one.",
                    "local values = { \(list) }", "for i = 1, \(values.count - 1) do",
                    "  local ok, packet = pcall(\(fitted), id, payload, h, values[i])",
                    "  if ok then return packet end",
                    "  if \(key(index)) ~= nil or not does_not_fit(packet) then error(packet, 0) end", "end",
                    "return \(fitted)(id, payload, h, values[\(values.count)])",
                ])
        ]
    }

    private var function: String {
        var lines = shape.foreign.map { position in
            let own = "h" + LuaText.member(types.plan.names.headerFields[position])
            let field = types.description.layout.fields[position]
            // The count of a content can be set only if the packet has it.
            guard !field.isSettable else { return "present(\(own), false, \(LuaText.literal(field.name)))" }
            return "if \(own) ~= nil then error(fault(\"invalid_header_field\", \"\"), 0) end"
        }
        lines += ["local count = #payload"] + presence + measuring + values + writing
        // Only what can be refused needs the path.
        let names = types.description.layout.fields.map { LuaText.literal($0.name) }
        let isRefused = names.contains { name in lines.contains { $0.contains(name) } }
        lines = variables.tables(["y", "c", "w"]) + (isRefused ? ["top, at[1] = 1, \"packet\""] : []) + lines
        return plan.fitting == nil
            ? function("wrap", "id, payload, h", lines) : function("fitted", "id, payload, h, fit", lines)
    }

    // MARK: Presence

    /// The statements that find the fields that are there.
    private var presence: [String] {
        guard layout.hasConditions else { return [] }
        var lines: [String] = []
        for index in plan.operands {
            lines += settable(index)
            guard layout.fields[index].condition != nil else {
                lines += check(index)
                continue
            }
            lines += ["if \(key(index)) ~= nil then"] + LuaText.indented(check(index)) + ["end"]
        }
        lines += variables.declaration(layout.fields.indices.compactMap(isThere))
        lines.append("local found = false")
        for set in plan.sets { lines += trying(set) }
        return lines + ["if not found then refuse_packet(\"invalid_message_id\") end"]
    }

    /// Returns the statements that find the fields that are there with one set of ID fields, unless another one was found.
    private func trying(_ set: WrapIDSet) -> [String] {
        let most = set.bitWidth == 0 ? 0 : Int128(UInt64.max >> UInt64(64 - set.bitWidth))
        let fits = isIDWide ? "not less(\(LuaText.number(most)), id)" : "id <= \(LuaText.number(most))"
        var lines = ["if not found and \(fits) then"]
        for field in set.fields {
            lines.append("  \(variables("c", field.field)) = \(condition(field.condition, set))")
        }
        let wanted = set.fields.compactMap { field in
            field.mustBe.map { ($0 ? "" : "not ") + variables("c", field.field) }
        }
        return lines + ["  found = \(wanted.isEmpty ? "true" : wanted.joined(separator: " and "))", "end"]
    }

    private func condition(_ condition: WireCondition, _ set: WrapIDSet) -> String {
        LuaTypes.condition(condition) { operand in
            guard case .field(let name) = operand,
                let index = self.layout.header.firstIndex(where: { $0.name == name })
            else { return ("0", false) }
            let number: String
            switch set.operands[index] {
            case .given:
                number = self.layout.fields[index].format.isBoolean ? "(\(self.y(index)) and 1 or 0)" : self.y(index)
            case .number(let value): number = LuaText.number(value)
            case .identifier(let later, let bitWidth, let isSigned):
                number = self.part(later: later, later: [], bitWidth: bitWidth, isSigned: isSigned)
            }
            return (self.isThere(index).map { "(\($0) and \(number) or 0)" } ?? number, self.isWide(index))
        }
    }

    /// Returns the expression for some bits of the ID.
    private func part(
        later constant: Int, later conditional: [(field: Int, bitWidth: Int)], bitWidth: Int, isSigned: Bool
    ) -> String {
        let parts =
            (constant == 0 && !conditional.isEmpty ? [] : [String(constant)])
            + conditional.map { "(\(variables("c", $0.field)) and \($0.bitWidth) or 0)" }
        return "id_bits(id, \(parts.joined(separator: " + ")), \(bitWidth), \(isSigned))"
    }

    // MARK: Values

    private func literal(_ index: Int, _ value: PacketHeader.FieldValue) -> String {
        switch (layout.fields[index].format, value) {
        case (.boolean, _), (.bit, _): return String(value.number != 0)
        case (.text, .text(let text)), (.digits, .text(let text)): return LuaText.literal(text)
        case (.text, _): return "\"\""
        case (.digits(let byteCount), _): return LuaText.literal(String(repeating: "0", count: 2 * byteCount))
        case (.bytes(let byteCount), .bytes(let bytes)) where bytes.count == byteCount: return LuaText.literal(bytes)
        case (.bytes(let byteCount), _): return "rep(\"\\0\", \(byteCount))"
        case (.integer, _), (.varint, _): return LuaText.number(value.number)
        }
    }

    /// Returns the statements that take what a program sets, or what is written without it.
    private func settable(_ index: Int) -> [String] {
        guard case .settable(let usual) = plan.values[index] else { return [] }
        let other = plan.fitting?.field == index ? "fit" : literal(index, usual)
        return [
            "\(variables.local)\(y(index)) = \(key(index))", "if \(y(index)) == nil then \(y(index)) = \(other) end",
        ]
    }

    /// Returns the statements that check what a program sets.
    private func check(_ index: Int) -> [String] {
        let field = layout.fields[index]
        guard field.format.isNumber else { return [] }
        if field.format.isBoolean { return ["bit_of(\(y(index)), \(name(index)))"] }
        let check = LuaWriting.check(y(index), field.range, isWide: isWide(index), name(index))
        return ["\(y(index)) = \(check)"]
    }

    /// Returns the expression for the value of a length.
    private func length(_ counted: WrapValue.Counted, _ constant: Int) -> String {
        let text =
            switch counted {
            case .packet: "total"
            case .payload: "count"
            case .totalLess(let offset): "total - (\(width(offset)))"
            case .fixed(let offset): width(offset)
            }
        return constant == 0 ? text : constant < 0 ? "\(text) - \(-constant)" : "\(text) + \(constant)"
    }

    /// The statements that find the widths of varints and the size of the packet.
    private var measuring: [String] {
        var lines: [String] = []
        for index in layout.fields.indices where layout.fields[index].condition != nil {
            guard let byteCount = layout.byteCounts[index] else { continue }
            lines.append("\(variables.local)\(variables("w", index)) = \(variables("c", index)) and \(byteCount) or 0")
        }
        var most = String(limit)
        if let lengths = plan.lengthsThatMustBeThere {
            let isThere = lengths.isEmpty ? "false" : lengths.map { variables("c", $0) }.joined(separator: " or ")
            most = "((\(isThere)) and \(limit) or math.min(\(limit), \(width(plan.around))))"
        }
        let total = "total = count + \(width(plan.around))"
        let check = "if total > \(most) then refuse_packet(\"packet_too_long\") end"
        guard !plan.varints.isEmpty else { return lines + ["local \(total)", check] }
        // A settable value is taken here, and checked when the widths are known.
        for index in plan.varints where !plan.isOperand(index) { lines += settable(index) }
        for index in plan.varints {
            let first = isThere(index).map { "\($0) and 1 or 0" } ?? "1"
            lines.append("\(variables.local)\(variables("w", index)) = \(first)")
        }
        lines += [
            "local total",
            "-- Lengths count these fields, and themselves. The first widths that hold the numbers which they cause are the shortest.",
            "while true do", "  \(total)", "  \(check)", "  local same = true",
        ]
        lines.append("  local sizes = {")
        for index in plan.varints {
            lines.append("    \(isThere(index).map { "\($0) and \(size(index)) or 0" } ?? size(index)),")
        }
        lines.append("  }")
        for (position, index) in plan.varints.enumerated() {
            lines.append("  same = same and sizes[\(position + 1)] == \(variables("w", index))")
        }
        lines.append("  if same then break end")
        for (position, index) in plan.varints.enumerated() {
            lines.append("  \(variables("w", index)) = sizes[\(position + 1)]")
        }
        return lines + ["end"]
    }

    /// Returns the expression for the bytes of a varint, whose value has not been checked.
    private func size(_ index: Int) -> String {
        guard case .varint(let format) = layout.fields[index].format else { return "1" }
        let value: String
        switch plan.values[index] {
        case .length(let counted, let constant): value = "math.max(0, \(length(counted, constant)))"
        case .identifier(let part): value = identifier(part)
        case .constant(let number): value = LuaText.number(number)
        case .settable:
            let limits = "\(LuaText.number(format.range.lowerBound)), \(LuaText.number(format.range.upperBound))"
            value = "clamped(\(y(index)), \(limits), \(isWide(index)))"
        case .constantText, .zeros, .checksum: value = "0"
        }
        return "#\(LuaWriting.varint(format, value))"
    }

    private func identifier(_ part: WrapIDPart) -> String {
        self.part(
            later: part.laterBitWidth, later: part.laterConditional, bitWidth: part.bitWidth, isSigned: part.isSigned)
    }

    /// The statements that take the other values, and check them.
    private var values: [String] {
        var lines: [String] = []
        for (index, value) in plan.values.enumerated() {
            let field = layout.fields[index]
            var statements: [String] = []
            switch value {
            case .settable:
                if field.condition != nil {
                    let holds = "\(key(index)) ~= nil and \(variables("c", index))"
                    lines.append("present(\(key(index)), \(holds), \(name(index)))")
                }
                guard !plan.isOperand(index) else { break }
                if !plan.varints.contains(index) { lines += settable(index) }
                statements = check(index)
            case .length(let counted, let constant):
                lines.append("\(variables.local)\(y(index)) = \(length(counted, constant))")
                let range = field.range
                guard !plan.alwaysFits(counted, constant, in: range, limit: limit) else { break }
                let limits = "\(LuaText.number(range.lowerBound)), \(LuaText.number(range.upperBound))"
                statements = ["length_field(\(y(index)), \(limits), \(isWide(index)), \(name(index)))"]
            case .constant, .constantText, .zeros, .identifier, .checksum: break
            }
            guard let isThere = isThere(index), !statements.isEmpty else {
                lines += statements
                continue
            }
            lines += ["if \(isThere) then"] + LuaText.indented(statements) + ["end"]
        }
        if !layout.hasConditions {
            let most = LuaText.number(Int128(layout.maximumMessageID))
            let isOutside = isIDWide ? "less(id, 0) or less(\(most), id)" : "id < 0 or id > \(most)"
            lines.append("if \(isOutside) then refuse_packet(\"invalid_message_id\") end")
        }
        return lines
    }

    // MARK: Writing

    /// The statements that put the packet together.
    private var writing: [String] {
        let header = put(0..<layout.header.count)
        let trailer = put(layout.header.count..<layout.fields.count)
        let all = (header + ["payload"] + trailer).joined(separator: "\n    .. ")
        let checksums = checksums
        guard !checksums.isEmpty else { return ["return \(all)"] }
        return [
            "local packet = \(all)", "local stop = 1 + \(width(plan.payloadStart)) + count",
        ] + checksums + ["return packet"]
    }

    /// Returns the expressions for the bytes of some fields. One call writes numbers of fixed width in a row.
    private func put(_ indices: Range<Int>) -> [String] {
        var (parts, format, numbers): ([String], String, [String]) = ([], "", [])
        func close() {
            guard !numbers.isEmpty else { return }
            let text = LuaText.literal(LuaFormat.simplified(format))
            parts.append("pack(\(text), \(numbers.joined(separator: ", ")))")
            (format, numbers) = ("", [])
        }
        for index in indices {
            if let place = layout.packedPlace(ofField: index) {
                guard place.isFirst else { continue }
                close()
                parts.append(put(run: index, place))
                continue
            }
            if isThere(index) == nil, let letter = letter(index) {
                if numbers.count == 24 { close() }
                format += letter
                numbers.append(number(index))
                continue
            }
            close()
            let bytes = bytes(index)
            parts.append(isThere(index).map { "(\($0) and \(bytes) or \"\")" } ?? bytes)
        }
        close()
        return parts
    }

    /// Returns the format of a number that one call writes with others; nil for other fields.
    private func letter(_ index: Int) -> String? {
        switch plan.values[index] {
        case .settable, .constant, .identifier, .length: break
        case .constantText, .zeros, .checksum: return nil
        }
        switch layout.fields[index].format {
        case .integer(let format, let order) where format.byteCount <= 6:
            return LuaFormat.mark(order) + LuaFormat.letter(format)
        case .boolean, .bit: return "B"
        default: return nil
        }
    }

    private func bytes(_ index: Int) -> String {
        let field = layout.fields[index]
        switch plan.values[index] {
        case .checksum: return "rep(\"\\0\", \(field.format.byteCount ?? 0))"
        case .zeros(let byteCount): return "rep(\"\\0\", \(byteCount))"
        case .constantText(let bytes): return LuaText.literal(bytes)
        default: break
        }
        switch field.format {
        case .integer(let format, let order): return LuaWriting.integer(format, order, number(index))
        case .boolean, .bit: return "pack(\">B\", \(number(index)))"
        case .varint(let format): return LuaWriting.varint(format, number(index))
        case .text(let byteCount, let padding):
            return "padded(text_of(\(y(index)), nil, \(name(index))), \(byteCount), \(padding), \(name(index)))"
        case .digits(let byteCount): return "digits_of(\(y(index)), \(byteCount), \(name(index)))"
        case .bytes(let byteCount):
            return "exactly(bytes_of(\(y(index)), nil, \(name(index))), \(byteCount), \(name(index)))"
        }
    }

    /// Returns the expression for the number of a field.
    private func number(_ index: Int) -> String {
        switch plan.values[index] {
        case .settable: return layout.fields[index].format.isBoolean ? "(\(y(index)) and 1 or 0)" : y(index)
        case .constant(let number): return LuaText.number(number)
        case .identifier(let part):
            // An ID that is one unsigned field is the field.
            let isWhole =
                !part.isSigned && part.laterBitWidth == 0 && part.laterConditional.isEmpty
                && !layout.hasConditions && layout.maximumMessageID >> UInt64(part.bitWidth - 1) <= 1
            return isWhole ? "id" : identifier(part)
        case .length: return y(index)
        case .constantText, .zeros, .checksum: return "0"
        }
    }

    /// Returns the expression for the bytes of fields that share them.
    private func put(run first: Int, _ place: PackedPlace) -> String {
        let parts = (first..<first + place.fieldCount).compactMap { index in
            layout.packedPlace(ofField: index).map { own in
                (number(index), own.shift, own.bitWidth, layout.fields[index].format.range.lowerBound < 0)
            }
        }
        return LuaWriting.put(parts, place.runByteCount, place.byteOrder)
    }

    /// The statements that compute checksums, in wire order: each may cover the ones before it.
    private var checksums: [String] {
        layout.fields.indices.flatMap { index -> [String] in
            guard case .checksum(let kind, let range) = plan.values[index],
                case .integer(let format, let order) = layout.fields[index].format
            else { return [] }
            func text(_ place: ChecksumRange.Place, less: Int = 0) -> String {
                switch place {
                case .header(let offset): width(offset + (1 - less))
                case .trailer(let offset): "stop + \(width(offset - less))"
                }
            }
            let computed = "\(kind.rawValue)(packet, \(text(range.start)), \(text(range.end, less: 1)))"
            let place = text(shape.unwrap.place(of: index))
            let statement = "packet = replaced(packet, \(place), \(LuaWriting.integer(format, order, computed)))"
            return [isThere(index).map { "if \($0) then \(statement) end" } ?? statement]
        }
    }
}
