// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Prints a ``WrapPlan`` as the function that puts header and trailer around a payload.
///
/// The payload stands in the writer after as much room as the longest header needs.
struct TypeScriptWrapping {
    let types: TypeScriptTypes
    let shape: PacketShape
    /// The place in the writer where the payload begins.
    let lead: Int
    private var layout: PacketLayout { shape.layout }
    private var plan: WrapPlan { shape.wrap }
    private var writing: TypeScriptWriting { TypeScriptWriting(types: types) }
    private var limit: Int { shape.part?.limit ?? types.description.options.maximumPacketByteCount }
    private var suffix: String { TypeScriptUnwrapping.suffix(shape) }

    static func functions(_ types: TypeScriptTypes, _ shape: PacketShape, lead: Int) -> [String] {
        let maker = TypeScriptWrapping(types: types, shape: shape, lead: lead)
        return maker.fitting + [maker.function]
    }

    private var idType: String { TypeScriptTypes.number(types.plan.idRange) }
    private var isIDWide: Bool { types.plan.idRange.isWide }

    // MARK: Names

    private func name(_ index: Int) -> String { TypeScriptText.string(layout.fields[index].name) }
    private func key(_ index: Int) -> String { "h." + types.plan.names.headerFields[shape.positions[index]] }
    private func isWide(_ index: Int) -> Bool { layout.fields[index].format.range.isWide }
    private func width(_ offset: PacketOffset) -> String { offset.text { "w\($0)" } }
    private func isThere(_ index: Int) -> String? { layout.fields[index].condition == nil ? nil : "c\(index)" }

    // MARK: Functions

    /// The function that chooses the value of a field which fits itself to the packet; none if there is no such field.
    private var fitting: [String] {
        guard let (index, values) = plan.fitting else { return [] }
        let list = TypeScriptText.list(values.map { literal(index, .integer($0)) })
        return [
            """
            /** The first value with which all lengths can hold the packet, or the error of the last one. */
            function wrap\(suffix)(w‹: Writer›, id‹: \(idType)›, h‹: Partial<Header>› = {})‹: Uint8Array› {
              const values = \(list), end = w.p;
              for (let i = 0; i < values.length - 1; i++) try {
                return fitted\(suffix)(w, id, h, values[i]‹!›);
              } catch (error) {
                if (isSet(\(key(index))) || !doesNotFit(error)) throw error;
                w.p = end;
              }
              return fitted\(suffix)(w, id, h, values[values.length - 1]‹!›);
            }

            """
        ]
    }

    private var function: String {
        var lines = ["w.at = [\"packet\"];"]
        lines += shape.foreign.map { position in
            let own = "h." + types.plan.names.headerFields[position]
            let field = types.description.layout.fields[position]
            // The count of a content can be set only if the packet has it.
            guard !field.isSettable else { return "present(w, \(own), false, \(TypeScriptText.string(field.name)));" }
            return "if (isSet(\(own))) throw new WireError(\"invalid_header_field\", \"\");"
        }
        lines.append("const count = w.p - \(lead);")
        lines += presence
        lines += measuring
        lines += values
        lines += writingPacket
        let used = TypeScriptModule.uses("h", lines)
        let name = plan.fitting == nil ? "wrap" : "fitted"
        let header = "\(used ? "" : "_")h‹: Partial<Header>›\(plan.fitting == nil ? " = {}, " : ", ")"
        let fit = plan.fitting.map { ", fit‹: \(TypeScriptTypes.number(layout.fields[$0.field].format.range))›" } ?? ""
        return "function \(name)\(suffix)(w‹: Writer›, id‹: \(idType)›, \(header.dropLast(2))\(fit))‹: Uint8Array› {\n"
            + TypeScriptBodies.indented(lines) + "\n}\n"
    }

    // MARK: Presence

    /// The statements that find the fields that are there.
    private var presence: [String] {
        guard layout.hasConditions else { return [] }
        var lines: [String] = []
        for index in plan.operands {
            let value = "\(key(index))"
            lines.append("const y\(index) = \(settable(index));")
            if layout.fields[index].condition == nil {
                lines += check(index, "y\(index)")
            } else {
                lines += ["if (isSet(\(value))) {"] + check(index, "y\(index)").map { "  " + $0 } + ["}"]
            }
        }
        let conditional = layout.fields.indices.filter { layout.fields[$0].condition != nil }
        lines.append("let \(conditional.map { "c\($0) = false" }.joined(separator: ", "));")
        for (position, set) in plan.sets.enumerated() { lines += trying(set, position) }
        let tries = plan.sets.indices.map { "!set\($0)()" }.joined(separator: " && ")
        lines.append("if (\(tries)) throw new WireError(\"invalid_message_id\", \"\");")
        return lines
    }

    /// Returns the function that finds the fields that are there with one set of ID fields; it returns whether that can be.
    private func trying(_ set: WrapIDSet, _ position: Int) -> [String] {
        let most = set.bitWidth == 0 ? 0 : Int128(UInt64.max >> UInt64(64 - set.bitWidth))
        var lines = ["const set\(position) = ()‹: boolean› => {"]
        lines.append("  if (id > \(TypeScriptTypes.number(most, isWide: isIDWide))) return false;")
        for field in set.fields {
            lines.append("  c\(field.field) = \(condition(field.condition, set));")
        }
        let wanted = set.fields.compactMap { field in
            field.mustBe.map { $0 ? "c\(field.field)" : "!c\(field.field)" }
        }
        lines.append("  return \(wanted.isEmpty ? "true" : wanted.joined(separator: " && "));")
        return lines + ["};"]
    }

    private func condition(_ condition: WireCondition, _ set: WrapIDSet) -> String {
        TypeScriptTypes.condition(condition) { operand in
            guard case .field(let name) = operand,
                let index = self.layout.header.firstIndex(where: { $0.name == name })
            else { return ("0", false) }
            let isWide = self.isWide(index)
            let number: String
            switch set.operands[index] {
            case .given: number = self.layout.fields[index].format.isBoolean ? "(y\(index) ? 1 : 0)" : "y\(index)"
            case .number(let value):
                // With its type, for conditions that compare it with another literal.
                let literal = TypeScriptTypes.number(value, isWide: isWide)
                number = isWide ? literal : "(\(literal)‹ as number›)"
            case .identifier(let later, let bitWidth, let isSigned):
                number = self.part(later: later, later: [], bitWidth: bitWidth, isSigned: isSigned, toWide: isWide)
            }
            let zero = TypeScriptTypes.number(0, isWide: isWide)
            return (self.isThere(index).map { "(\($0) ? \(number) : \(zero))" } ?? number, isWide)
        }
    }

    /// Returns the expression for some bits of the ID.
    private func part(
        later constant: Int, later conditional: [(field: Int, bitWidth: Int)], bitWidth: Int, isSigned: Bool,
        toWide: Bool
    ) -> String {
        let parts =
            (constant == 0 && !conditional.isEmpty ? [] : [String(constant)])
            + conditional.map { "(c\($0.field) ? \($0.bitWidth) : 0)" }
        let later = parts.joined(separator: " + ")
        if isIDWide {
            let text = "BigInt.as\(isSigned ? "Int" : "Uint")N(\(bitWidth), id >> BigInt(\(later)))"
            return toWide ? text : "Number(\(text))"
        }
        let text = "\(isSigned ? "signedBits" : "bits")(id, \(later), \(bitWidth))"
        return toWide ? "BigInt(\(text))" : text
    }

    // MARK: Values

    private func literal(_ index: Int, _ value: PacketHeader.FieldValue) -> String {
        switch (layout.fields[index].format, value) {
        case (.boolean, _), (.bit, _): return String(value.number != 0)
        case (.text, .text(let text)), (.digits, .text(let text)): return TypeScriptText.string(text)
        case (.text, _): return "\"\""
        case (.digits(let byteCount), _): return TypeScriptText.string(String(repeating: "0", count: 2 * byteCount))
        case (.bytes(let byteCount), .bytes(let bytes)) where bytes.count == byteCount:
            return "new Uint8Array(\(TypeScriptText.list(bytes.map { String($0) })))"
        case (.bytes(let byteCount), _): return "new Uint8Array(\(byteCount))"
        case (.integer, _), (.varint, _): return TypeScriptTypes.number(value.number, isWide: isWide(index))
        }
    }

    /// Returns the expression for what a program sets, or what is written without it.
    private func settable(_ index: Int) -> String {
        guard case .settable(let usual) = plan.values[index] else { return "0" }
        let other = plan.fitting?.field == index ? "fit" : literal(index, usual)
        return "isSet(\(key(index))) ? \(key(index)) : \(other)"
    }

    /// Returns the statements that check what a program sets.
    private func check(_ index: Int, _ value: String) -> [String] {
        let field = layout.fields[index]
        guard field.format.isNumber else { return [] }
        if field.format.isBoolean { return ["checkBool(w, \(value), \(name(index)));"] }
        return [writing.check(value, field.range, isWide: isWide(index), name(index))]
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
            lines.append("const w\(index) = c\(index) ? \(byteCount) : 0;")
        }
        var most = String(limit)
        if let lengths = plan.lengthsThatMustBeThere {
            let isThere = lengths.isEmpty ? "false" : lengths.map { "c\($0)" }.joined(separator: " || ")
            most = "(\(isThere) ? \(limit) : Math.min(\(limit), \(width(plan.around))))"
        }
        let total = "total = count + \(width(plan.around));"
        let check = "if (total > \(most)) throw new WireError(\"packet_too_long\", \"\");"
        guard !plan.varints.isEmpty else { return lines + ["const \(total)", check] }
        lines.append(
            "let total = 0, \(plan.varints.map { "w\($0) = \(isThere($0).map { "\($0) ? 1 : 0" } ?? "1")" }.joined(separator: ", "));"
        )
        lines += [
            "// Lengths count these fields, and themselves. The first widths that hold the numbers which they cause are the shortest.",
            "for (;;) {", "  " + total, "  " + check,
        ]
        for index in plan.varints {
            lines.append("  const n\(index) = \(isThere(index).map { "\($0) ? \(size(index)) : 0" } ?? size(index));")
        }
        let same = plan.varints.map { "n\($0) === w\($0)" }.joined(separator: " && ")
        lines.append("  if (\(same)) break;")
        lines += plan.varints.map { "  w\($0) = n\($0);" }
        return lines + ["}"]
    }

    /// Returns the expression for the bytes of a varint, whose value has not been checked.
    private func size(_ index: Int) -> String {
        guard case .varint(let format) = layout.fields[index].format else { return "1" }
        let isWide = format.range.isWide
        var value: String
        switch plan.values[index] {
        case .length(let counted, let constant):
            let number = "Math.max(0, \(length(counted, constant)))"
            value = isWide ? "BigInt(\(number))" : number
        case .identifier(let part): value = identifier(part, index)
        case .constant(let number): value = TypeScriptTypes.number(number, isWide: isWide)
        case .settable: value = plan.isOperand(index) ? "y\(index)" : "(\(settable(index)))"
        case .constantText, .zeros, .checksum: value = "0"
        }
        let low = TypeScriptTypes.number(format.range.lowerBound, isWide: isWide)
        let high = TypeScriptTypes.number(format.range.upperBound, isWide: isWide)
        if case .settable = plan.values[index] {
            // It is checked when the widths are known.
            value = isWide ? "clampedWide(\(value), \(low), \(high))" : "clamped(\(value), \(low), \(high))"
        }
        return "\(isWide ? "wideVarintSize" : "varintSize")(\(TypeScriptWriting.varintBits(format, value)))"
    }

    private func identifier(_ part: WrapIDPart, _ index: Int) -> String {
        self.part(
            later: part.laterBitWidth, later: part.laterConditional, bitWidth: part.bitWidth,
            isSigned: part.isSigned, toWide: isWide(index))
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
                    lines.append("present(w, \(key(index)), isSet(\(key(index))) && c\(index), \(name(index)));")
                }
                if !plan.isOperand(index) {
                    lines.append("const y\(index) = \(settable(index));")
                    statements = check(index, "y\(index)")
                }
            case .length(let counted, let constant):
                lines.append("const y\(index) = \(length(counted, constant));")
                let range = field.range
                guard !plan.alwaysFits(counted, constant, in: range, limit: limit) else { break }
                statements = ["checkLength(w, y\(index), \(range.lowerBound), \(range.upperBound), \(name(index)));"]
            case .constant, .constantText, .zeros, .identifier, .checksum: break
            }
            guard let isThere = isThere(index), !statements.isEmpty else {
                lines += statements
                continue
            }
            lines += ["if (\(isThere)) {"] + statements.map { "  " + $0 } + ["}"]
        }
        if !layout.hasConditions {
            let most = TypeScriptTypes.number(Int128(layout.maximumMessageID), isWide: isIDWide)
            let low = TypeScriptTypes.number(0, isWide: isIDWide)
            lines.append("if (!(id >= \(low) && id <= \(most))) throw new WireError(\"invalid_message_id\", \"\");")
        }
        return lines
    }

    // MARK: Writing

    private var writingPacket: [String] {
        var lines = ["const start = \(lead) - (\(width(plan.payloadStart)));", "w.p = start;"]
        if plan.payloadStart.widths.isEmpty {
            lines = ["const start = \(lead - plan.payloadStart.constant);", "w.p = start;"]
        }
        for index in layout.header.indices { lines += put(index) }
        if layout.trailer.isEmpty { return lines + checksums + ["return w.b.slice(start, start + total);"] }
        lines.append("w.p = \(lead) + count;")
        for index in layout.header.count..<layout.fields.count { lines += put(index) }
        return lines + checksums + ["return w.b.slice(start, start + total);"]
    }

    private func put(_ index: Int) -> [String] {
        if let place = layout.packedPlace(ofField: index) { return place.isFirst ? [put(run: index, place)] : [] }
        let statements = self.statements(index)
        guard let isThere = isThere(index) else { return statements }
        return statements.isEmpty ? [] : ["if (\(isThere)) { \(statements.joined(separator: " ")) }"]
    }

    private func statements(_ index: Int) -> [String] {
        let field = layout.fields[index]
        if case .checksum = plan.values[index] { return ["putZeros(w, \(field.format.byteCount ?? 0));"] }
        if case .zeros(let byteCount) = plan.values[index] { return ["putZeros(w, \(byteCount));"] }
        if case .constantText(let bytes) = plan.values[index] {
            return ["putBytes(w, \(TypeScriptText.list(bytes.map(String.init))));"]
        }
        let value = number(index)
        switch field.format {
        case .integer(let format, let order): return [TypeScriptWriting.put(format, order, value)]
        case .boolean, .bit: return ["putByte(w, \(value));"]
        case .varint(let format):
            let put = format.range.isWide ? "putWideVarint" : "putVarint"
            return ["\(put)(w, \(TypeScriptWriting.varintBits(format, value)));"]
        case .text(let byteCount, let padding):
            return [
                "padText(w, putText(w, y\(index), \(name(index))), \(byteCount), \(padding), 1, false, \(name(index)));"
            ]
        case .digits(let byteCount): return ["putDigits(w, y\(index), \(byteCount), \(name(index)));"]
        case .bytes(let byteCount):
            return ["exactly(w, putBlob(w, y\(index), \(name(index))), \(byteCount), \(name(index)));"]
        }
    }

    /// Returns the expression for the number of a field.
    private func number(_ index: Int) -> String {
        let isWide = self.isWide(index)
        switch plan.values[index] {
        case .settable: return layout.fields[index].format.isBoolean ? "(y\(index) ? 1 : 0)" : "y\(index)"
        case .constant(let number): return TypeScriptTypes.number(number, isWide: isWide)
        case .identifier(let part):
            // An ID that is one unsigned field is the field.
            let isWhole =
                !part.isSigned && part.laterBitWidth == 0 && part.laterConditional.isEmpty
                && !layout.hasConditions && layout.maximumMessageID >> UInt64(part.bitWidth - 1) <= 1
                && isWide == isIDWide
            return isWhole ? "id" : identifier(part, index)
        case .length: return isWide ? "BigInt(y\(index))" : "y\(index)"
        case .constantText, .zeros, .checksum: return TypeScriptTypes.number(0, isWide: isWide)
        }
    }

    /// Returns the statement that writes the integer of fields that share bytes.
    private func put(run first: Int, _ place: PackedPlace) -> String {
        let isRunWide = place.runByteCount > 6
        let parts = (first..<first + place.fieldCount).compactMap { index -> String? in
            guard let own = layout.packedPlace(ofField: index) else { return nil }
            let isSigned = layout.fields[index].format.range.lowerBound < 0
            var text = number(index)
            if isRunWide {
                text = isWide(index) ? text : "BigInt(\(text))"
                if isSigned { text = "BigInt.asUintN(\(own.bitWidth), \(text))" }
            } else if isSigned {
                text = "twos(\(text), \(own.bitWidth))"
            }
            guard own.shift > 0 else { return text }
            return isRunWide
                ? "(\(text) << BigInt(\(own.shift)))" : "\(text) * \(Int128(1) << Int128(own.shift))"
        }
        let format = IntegerFormat(bitWidth: 8 * place.runByteCount, isSigned: false)
        return TypeScriptWriting.put(format, place.byteOrder, parts.joined(separator: " + "))
    }

    /// The statements that compute checksums, in wire order: each may cover the ones before it.
    private var checksums: [String] {
        layout.fields.indices.flatMap { index -> [String] in
            guard case .checksum(let kind, let range) = plan.values[index],
                case .integer(let format, let order) = layout.fields[index].format
            else { return [] }
            func text(_ place: ChecksumRange.Place) -> String {
                switch place {
                case .header(let offset): "start + \(width(offset))"
                case .trailer(let offset): "\(lead) + count + \(width(offset))"
                }
            }
            let computed = "\(kind.rawValue)(w.b, \(text(range.start)), \(text(range.end)))"
            let value = format.range.isWide ? "BigInt(\(computed))" : computed
            let statements = [
                "w.p = \(text(shape.unwrap.place(of: index)));", TypeScriptWriting.put(format, order, value),
            ]
            guard let isThere = isThere(index) else { return statements }
            return ["if (\(isThere)) {"] + statements.map { "  " + $0 } + ["}"]
        }
    }
}
