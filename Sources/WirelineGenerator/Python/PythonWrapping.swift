// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Prints a ``WrapPlan`` as the function that puts header and trailer around a payload.
struct PythonWrapping {
    let types: PythonTypes
    let shape: PacketShape
    private var layout: PacketLayout { shape.layout }
    private var plan: WrapPlan { shape.wrap }
    private var limit: Int { shape.part?.limit ?? types.description.options.maximumPacketByteCount }
    private var suffix: String { PythonUnwrapping.suffix(shape) }

    static func functions(_ types: PythonTypes, _ shape: PacketShape) -> [[String]] {
        let maker = PythonWrapping(types: types, shape: shape)
        return maker.fitting + [maker.function]
    }

    // MARK: Names

    private func name(_ index: Int) -> String { PythonText.string("packet." + layout.fields[index].name) }
    private func key(_ index: Int) -> String { PythonText.string(layout.fields[index].name) }
    private func width(_ offset: PacketOffset) -> String { offset.text { "w\($0)" } }
    private func isThere(_ index: Int) -> String? { layout.fields[index].condition == nil ? nil : "c\(index)" }

    // MARK: Functions

    private static let parameters = "(id: int, payload: bytes, h: Mapping[str, Any]"

    /// The function that chooses the value of a field which fits itself to the packet; none if there is no such field.
    private var fitting: [[String]] {
        guard let (index, values) = plan.fitting, let last = values.last else { return [] }
        let first = PythonText.tuple(values.dropLast().map { literal(index, .integer($0)) })
        return [
            PythonText.block(
                "def _wrap\(suffix)\(Self.parameters)) -> bytes:",
                [
                    "\"\"\"The first value with which all lengths can hold the packet, or the error of the last one.\"\"\""
                ]
                    + PythonText.block(
                        "for fit in \(first):",
                        [
                            "try:", "    return _fitted\(suffix)(id, payload, h, fit)", "except WireError as error:",
                            "    if h.get(\(key(index))) is not None or error.kind not in _DOES_NOT_FIT: raise",
                        ])
                    + ["return _fitted\(suffix)(id, payload, h, \(literal(index, .integer(last))))"])
        ]
    }

    private var function: [String] {
        var lines = shape.foreign.map { position in
            let field = types.description.layout.fields[position]
            let value = "h.get(\(PythonText.string(field.name)))"
            // The count of a content can be set only if the packet has it.
            guard !field.isSettable else {
                return "_present(\(value), False, \(PythonText.string("packet." + field.name)))"
            }
            return "if \(value) is not None: raise WireError(\"invalid_header_field\")"
        }
        lines.append("count = len(payload)")
        lines += presence + measuring + values + writingPacket
        let name = plan.fitting == nil ? "_wrap" : "_fitted"
        return PythonText.block(
            "def \(name)\(suffix)\(Self.parameters)\(plan.fitting == nil ? "" : ", fit: int")) -> bytes:", lines)
    }

    // MARK: Presence

    /// The statements that find the fields that are there.
    private var presence: [String] {
        guard layout.hasConditions else { return [] }
        var lines: [String] = []
        for index in plan.operands {
            let check = check(index)
            lines.append("y\(index)\(annotation(index)) = \(settable(index))")
            guard !check.isEmpty else { continue }
            lines +=
                layout.fields[index].condition == nil
                ? check : PythonText.block("if h.get(\(key(index))) is not None:", check)
        }
        let conditional = layout.fields.indices.filter { layout.fields[$0].condition != nil }
        lines.append(conditional.map { "c\($0) = " }.joined() + "False")
        for (position, set) in plan.sets.enumerated() { lines += trying(set, position, conditional) }
        let tries = plan.sets.indices.map { "not set\($0)()" }.joined(separator: " and ")
        return lines + ["if \(tries): raise WireError(\"invalid_message_id\")"]
    }

    /// Returns the function that finds the fields that are there with one set of ID fields; it returns whether that can be.
    private func trying(_ set: WrapIDSet, _ position: Int, _ conditional: [Int]) -> [String] {
        let most = set.bitWidth == 0 ? 0 : Int128(UInt64.max >> UInt64(64 - set.bitWidth))
        var lines = ["nonlocal \(conditional.map { "c\($0)" }.joined(separator: ", "))"]
        lines.append("if not 0 <= id <= \(most): return False")
        lines += set.fields.map { "c\($0.field) = \(condition($0.condition, set))" }
        let wanted = set.fields.compactMap { field in
            field.mustBe.map { $0 ? "c\(field.field)" : "not c\(field.field)" }
        }
        lines.append("return \(wanted.isEmpty ? "True" : wanted.joined(separator: " and "))")
        return PythonText.block("def set\(position)() -> bool:", lines)
    }

    private func condition(_ condition: WireCondition, _ set: WrapIDSet) -> String {
        PythonTypes.condition(condition) { operand in
            guard case .field(let name) = operand,
                let index = self.layout.header.firstIndex(where: { $0.name == name })
            else { return "0" }
            let number: String
            switch set.operands[index] {
            case .given: number = "y\(index)"
            // mypy refuses to compare a literal with another one.
            case .number(let value): number = "int(\(value))"
            case .identifier(let later, let bitWidth, let isSigned):
                number = self.part(later: later, later: [], bitWidth: bitWidth, isSigned: isSigned)
            }
            return self.isThere(index).map { "(\(number) if \($0) else 0)" } ?? number
        }
    }

    /// Returns the expression for some bits of the ID.
    private func part(
        later constant: Int, later conditional: [(field: Int, bitWidth: Int)], bitWidth: Int, isSigned: Bool
    ) -> String {
        let parts =
            (constant == 0 && !conditional.isEmpty ? [] : [String(constant)])
            + conditional.map { "(\($0.bitWidth) if c\($0.field) else 0)" }
        let mask = (Int128(1) << Int128(bitWidth)) - 1
        let later = parts.joined(separator: " + ")
        let text = later == "0" ? "id & \(mask)" : "id >> \(later) & \(mask)"
        return isSigned ? "_signed(\(text), \(bitWidth))" : "(\(text))"
    }

    // MARK: Values

    private func literal(_ index: Int, _ value: PacketHeader.FieldValue) -> String {
        switch (layout.fields[index].format, value) {
        case (.boolean, _), (.bit, _): return value.number != 0 ? "True" : "False"
        case (.text, .text(let text)), (.digits, .text(let text)): return PythonText.string(text)
        case (.text, _): return "\"\""
        case (.digits(let byteCount), _): return PythonText.string(String(repeating: "0", count: 2 * byteCount))
        case (.bytes(let byteCount), .bytes(let bytes)) where bytes.count == byteCount: return PythonText.bytes(bytes)
        case (.bytes(let byteCount), _): return "bytes(\(byteCount))"
        case (.integer, _), (.varint, _): return String(value.number)
        }
    }

    /// Returns the expression for what a program sets, or what is written without it.
    private func settable(_ index: Int) -> String {
        guard case .settable(let usual) = plan.values[index] else { return "0" }
        return "_given(h, \(key(index)), \(plan.fitting?.field == index ? "fit" : literal(index, usual)))"
    }

    /// Returns the type of what a program sets, before it is checked.
    private func annotation(_ index: Int) -> String {
        switch layout.fields[index].format {
        case .integer, .varint, .boolean, .bit: ": int"
        case .text, .digits: ": str"
        case .bytes: ": bytes"
        }
    }

    /// Returns the statements that check what a program sets.
    private func check(_ index: Int) -> [String] {
        let field = layout.fields[index]
        guard field.format.isNumber else { return [] }
        if field.format.isBoolean { return ["_checked_bool(y\(index), \(name(index)))"] }
        return [PythonWriting.checked("y\(index)", field.range, name(index))]
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
            lines.append("w\(index) = \(byteCount) if c\(index) else 0")
        }
        var most = String(limit)
        if let lengths = plan.lengthsThatMustBeThere {
            let isThere = lengths.isEmpty ? "False" : lengths.map { "c\($0)" }.joined(separator: " or ")
            most = "(\(limit) if \(isThere) else min(\(limit), \(width(plan.around))))"
        }
        let total = "total = count + \(width(plan.around))"
        let check = "if total > \(most): raise WireError(\"packet_too_long\")"
        guard !plan.varints.isEmpty else { return lines + [total, check] }
        lines += plan.varints.map { "w\($0) = \(isThere($0).map { "1 if \($0) else 0" } ?? "1")" }
        lines.append(
            "# Lengths count these fields, and themselves. The first widths that hold the numbers are the shortest.")
        var inner = [total, check]
        for index in plan.varints {
            inner.append("n\(index) = \(isThere(index).map { "\(size(index)) if \($0) else 0" } ?? size(index))")
        }
        inner.append("if \(plan.varints.map { "n\($0) == w\($0)" }.joined(separator: " and ")): break")
        inner += plan.varints.map { "w\($0) = n\($0)" }
        return lines + PythonText.block("while True:", inner)
    }

    /// Returns the expression for the bytes of a varint, whose value has not been checked.
    private func size(_ index: Int) -> String {
        guard case .varint(let format) = layout.fields[index].format else { return "1" }
        var value: String
        switch plan.values[index] {
        case .length(let counted, let constant): value = "max(0, \(length(counted, constant)))"
        case .identifier(let part): value = identifier(part)
        case .constant(let number): value = String(number)
        case .settable:
            // It is checked when the widths are known.
            let given = plan.isOperand(index) ? "y\(index)" : settable(index)
            value = "_fitting(\(given), \(format.range.lowerBound), \(format.range.upperBound))"
        case .constantText, .zeros, .checksum: value = "0"
        }
        return "_leb_size(\(PythonWriting.varintBits(format, value)))"
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
                if let isThere = isThere(index) {
                    let given = "h.get(\(key(index)))"
                    lines.append("_present(\(given), \(given) is not None and \(isThere), \(name(index)))")
                }
                if !plan.isOperand(index) {
                    lines.append("y\(index)\(annotation(index)) = \(settable(index))")
                    statements = check(index)
                }
            case .length(let counted, let constant):
                lines.append("y\(index) = \(length(counted, constant))")
                let range = field.range
                guard !plan.alwaysFits(counted, constant, in: range, limit: limit) else { break }
                statements = ["_check_length(y\(index), \(range.lowerBound), \(range.upperBound), \(name(index)))"]
            case .constant, .constantText, .zeros, .identifier, .checksum: break
            }
            guard let isThere = isThere(index), !statements.isEmpty else {
                lines += statements
                continue
            }
            lines += PythonText.block("if \(isThere):", statements)
        }
        if !layout.hasConditions {
            let most = layout.maximumMessageID
            lines.append("if not 0 <= id <= \(most): raise WireError(\"invalid_message_id\")")
        }
        return lines
    }

    // MARK: Writing

    private var writingPacket: [String] {
        var lines: [String] = []
        let header = pack(layout.header.indices, &lines)
        let trailer = pack(layout.header.count..<layout.fields.count, &lines)
        let packet = (header + ["payload"] + trailer).joined(separator: " + ")
        let checksums = checksums
        guard !checksums.isEmpty else { return lines + ["return \(packet)"] }
        return lines + ["o = bytearray(\(packet))"] + checksums + ["return bytes(o)"]
    }

    /// Returns the expressions for the bytes of some fields: those that are always there, in a row, are one.
    private func pack(_ indices: Range<Int>, _ lines: inout [String]) -> [String] {
        var parts: [String] = []
        var format = PythonFormat()
        func close() {
            guard !format.isEmpty else { return }
            parts.append("\(types.format(format.text)).pack(\(format.variables.joined(separator: ", ")))")
            format = PythonFormat()
        }
        for index in indices {
            if let place = layout.packedPlace(ofField: index) {
                guard place.isFirst else { continue }
                let integer = IntegerFormat(bitWidth: 8 * place.runByteCount, isSigned: false)
                add(run(index, place), integer, place.byteOrder, to: &format)
            } else if layout.fields[index].condition == nil, let byteCount = layout.byteCounts[index] {
                add(index, byteCount, to: &format, &lines)
            } else if let isThere = isThere(index) {
                close()
                parts.append("(\(bytes(index)) if \(isThere) else b\"\")")
            } else {
                close()
                parts.append(bytes(index))
            }
        }
        close()
        return parts
    }

    private func add(_ text: String, _ integer: IntegerFormat, _ order: ByteOrder, to format: inout PythonFormat) {
        var tried = format
        if tried.add(text, integer, order) {
            format = tried
        } else {
            format.add(PythonWriting.put(integer, order, text), integer.byteCount)
        }
    }

    private func add(_ index: Int, _ byteCount: Int, to format: inout PythonFormat, _ lines: inout [String]) {
        switch (plan.values[index], layout.fields[index].format) {
        case (.checksum, _), (.zeros, _): format.skip(byteCount)
        case (_, .integer(let integer, let order)): add(number(index), integer, order, to: &format)
        case (_, .boolean), (_, .bit): add(number(index), .uint8, .bigEndian, to: &format)
        default:
            // What can be wrong is told in the order of the fields.
            lines.append("z\(index) = \(bytes(index))")
            format.add("z\(index)", byteCount)
        }
    }

    /// Returns the expression for the bytes of a field.
    private func bytes(_ index: Int) -> String {
        let field = layout.fields[index]
        if case .checksum = plan.values[index] { return "bytes(\(field.format.byteCount ?? 0))" }
        if case .zeros(let byteCount) = plan.values[index] { return "bytes(\(byteCount))" }
        if case .constantText(let bytes) = plan.values[index] { return PythonText.bytes(bytes) }
        switch field.format {
        case .integer(let format, let order): return PythonWriting.put(format, order, number(index))
        case .boolean, .bit: return "bytes((\(number(index)),))"
        case .varint(let format): return "_leb(\(PythonWriting.varintBits(format, number(index))))"
        case .text(let byteCount, let padding):
            let filler = PythonText.bytes([padding])
            return "_pad(_put_text(y\(index), \(name(index))), \(byteCount), \(filler), \(name(index)))"
        case .digits(let byteCount): return "_put_digits(y\(index), \(byteCount), \(name(index)))"
        case .bytes(let byteCount):
            return "_exactly(_put_blob(y\(index), \(name(index))), \(byteCount), \(name(index)))"
        }
    }

    /// Returns the expression for the number of a field.
    private func number(_ index: Int) -> String {
        switch plan.values[index] {
        case .settable, .length: return "y\(index)"
        case .constant(let number): return String(number)
        case .identifier(let part):
            // An ID that is one unsigned field is the field.
            let isWhole =
                !part.isSigned && part.laterBitWidth == 0 && part.laterConditional.isEmpty && !layout.hasConditions
                && layout.maximumMessageID >> UInt64(part.bitWidth - 1) <= 1
            return isWhole ? "id" : identifier(part)
        case .constantText, .zeros, .checksum: return "0"
        }
    }

    /// Returns the expression for the integer of fields that share bytes.
    private func run(_ first: Int, _ place: PackedPlace) -> String {
        let parts = (first..<first + place.fieldCount).compactMap { index -> String? in
            guard let own = layout.packedPlace(ofField: index) else { return nil }
            var text = number(index)
            guard text != "0" else { return nil }
            if layout.fields[index].format.range.lowerBound < 0 {
                text = "(\(text) & \((Int128(1) << Int128(own.bitWidth)) - 1))"
            } else if layout.fields[index].format.isBoolean, layout.fields[index].isSettable {
                text = "int(\(text))"
            }
            return own.shift == 0 ? text : "\(text) << \(own.shift)"
        }
        return parts.isEmpty ? "0" : parts.joined(separator: " | ")
    }

    /// The statements that compute checksums, in wire order: each may cover the ones before it.
    private var checksums: [String] {
        layout.fields.indices.flatMap { index -> [String] in
            guard case .checksum(let kind, let range) = plan.values[index],
                case .integer(let format, let order) = layout.fields[index].format
            else { return [] }
            func text(_ place: ChecksumRange.Place) -> String {
                switch place {
                case .header(let offset): width(offset)
                case .trailer(let offset): "\(width(plan.payloadStart)) + count + \(width(offset))"
                }
            }
            let at = text(shape.unwrap.place(of: index))
            let computed = "_\(kind.rawValue)(bytes(o[\(text(range.start)):\(text(range.end))]))"
            let statement =
                "o[\(at):\(at) + \(format.byteCount)] = \(computed).to_bytes(\(format.byteCount), \(order.pythonText))"
            return isThere(index).map { PythonText.block("if \($0):", [statement]) } ?? [statement]
        }
    }
}
