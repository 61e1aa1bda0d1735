// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Prints a ``WrapPlan`` as the lines of the function that puts header and trailer around a payload.
///
/// The payload stands in the writer after as much room as the longest header needs. The parameters are `w`, the header `h`, the
/// message's `id` of the format `uint64`, and `fit`, the value of a field that fits itself, if there is one. The value of the field n
/// is `yn`, its width `wn`, and `cn` is whether it is there.
struct WrapStatements {
    private let printer: StatementPrinter
    private let shape: PacketShape
    /// The place in the writer where the payload begins.
    private let lead: Int
    private var dialect: any Dialect { printer.dialect }
    private var layout: PacketLayout { shape.layout }
    private var plan: WrapPlan { shape.wrap }
    private var limit: Int {
        // A number that each language has for positions.
        min(shape.part?.limit ?? printer.plan.description.options.maximumPacketByteCount, Int(Int32.max))
    }

    /// Returns the lines of the function.
    static func lines(_ printer: StatementPrinter, _ shape: PacketShape) -> [String] {
        let maker = WrapStatements(printer: printer, shape: shape, lead: printer.plan.longestHeader)
        return printer.settled(
            maker.refusals + maker.presence + maker.measuring + maker.values + maker.writingPacket)
    }

    // MARK: Words

    private func name(_ index: Int) -> String { dialect.string(layout.fields[index].name) }
    private func format(_ index: Int) -> IntegerFormat { layout.fields[index].format.numberFormat }
    private func width(_ offset: PacketOffset) -> String { offset.text { "w\($0)" } }
    private func isThere(_ index: Int) -> String? { layout.fields[index].condition == nil ? nil : "c\(index)" }
    private func position(_ index: Int) -> Int { shape.positions[index] }
    private func member(_ index: Int) -> String {
        dialect.headerMember("h", printer.plan.names.headerFields[position(index)])
    }
    private func isAlways(_ index: Int) -> Bool { printer.plan.hasAlways(headerField: position(index)) }
    private func type(_ index: Int) -> CodeType { printer.plan.headerType(position(index)) }

    private func ifThere(_ index: Int, _ lines: [String]) -> [String] {
        guard let isThere = isThere(index), !lines.isEmpty else { return lines }
        return printer.ifThen(isThere, lines)
    }

    /// The statements that refuse what only packets of the other sender have.
    private var refusals: [String] {
        shape.foreign.map { position in
            let field = printer.plan.description.layout.fields[position]
            let own = dialect.headerMember("h", printer.plan.names.headerFields[position])
            // The count of a content can be set only if the packet has it.
            guard field.isSettable else {
                let isUnset = "!(\(dialect.isSet(own)))"
                return printer.writing("verify", isUnset, printer.word("invalid_header_field"))
            }
            let name = dialect.string(field.name)
            return printer.writing("isPresent", dialect.isSet(own), "false", name)
        } + [printer.declare("count", .position, "\(printer.written("position")) - \(lead)", effect: nil)]
    }

    // MARK: Presence

    /// The statements that find the fields that are there.
    private var presence: [String] {
        guard layout.hasConditions else { return [] }
        var lines: [String] = []
        for index in plan.operands {
            lines += settable(index)
            let check = check(index)
            guard !check.isEmpty else { continue }
            lines +=
                layout.fields[index].condition == nil
                ? check : printer.ifThen(dialect.isSet(member(index)), check)
        }
        for index in layout.fields.indices where layout.fields[index].condition != nil {
            lines += dialect.variable("c\(index)", .boolean, "false")
        }
        lines += dialect.variable("found", .boolean, "false")
        for set in plan.sets { lines += trying(set) }
        lines.append(printer.writing("verify", "found", printer.word("invalid_message_id")))
        // The bits of the ID that such a field has if it is there.
        for index in layout.fields.indices where layout.fields[index].role == .messageID && isThere(index) != nil {
            lines += dialect.variable("p\(index)", .position, "0")
            lines += ifThere(index, [dialect.assign("p\(index)", String(layout.fields[index].format.idBitWidth))])
        }
        return lines
    }

    /// Returns the statements that find the fields that are there with one set of ID fields, unless they have been found.
    private func trying(_ set: WrapIDSet) -> [String] {
        let most = set.bitWidth == 0 ? 0 : (Int128(1) << Int128(set.bitWidth)) - 1
        var lines = set.fields.map { dialect.assign("c\($0.field)", condition($0.condition, set)) }
        let wanted = set.fields.compactMap { field in
            field.mustBe.map { $0 ? "c\(field.field)" : "!c\(field.field)" }
        }
        lines.append(dialect.assign("found", wanted.isEmpty ? "true" : wanted.joined(separator: " && ")))
        let fits = printer.isWithin("id", 0...most, .uint64).map { " && " + $0 } ?? ""
        return printer.ifThen("!found" + fits, lines)
    }

    private func condition(_ condition: WireCondition, _ set: WrapIDSet) -> String {
        printer.condition(condition) { operand in
            guard case .field(let name) = operand,
                let index = layout.header.firstIndex(where: { $0.name == name })
            else { return .literal(0) }
            switch set.operands[index] {
            case .given:
                if layout.fields[index].format.isBoolean { return .boolean("y\(index)", isSet: isThere(index)) }
                return .number(number("y\(index)", index), format(index), isSet: isThere(index))
            case .number(let value):
                return .literal(value, isSet: isThere(index))
            case .identifier(let later, let bitWidth, let isSigned):
                let text = part(String(later), bitWidth: bitWidth, isSigned: isSigned, format(index))
                return .number(text, format(index), isSet: isThere(index))
            }
        }
    }

    /// Returns some bits of the ID, of the type for a format.
    private func part(_ later: String, bitWidth: Int, isSigned: Bool, _ format: IntegerFormat) -> String {
        let shifted = later == "0" ? "id" : dialect.shiftedRight("id", by: later)
        return printer.part(of: shifted == "id" ? shifted : "(\(shifted))", shift: 0, width: bitWidth, format)
    }

    // MARK: Values

    /// Returns the number of a header's value.
    private func number(_ text: String, _ index: Int) -> String {
        printer.plan.headerNumber(position(index)).map { dialect.number(of: text, $0) } ?? text
    }

    /// Returns the statements that take what a program sets, or what is written without it.
    private func settable(_ index: Int) -> [String] {
        guard case .settable(let usual) = plan.values[index] else { return [] }
        if isAlways(index) { return [dialect.constant("y\(index)", type(index), member(index))] }
        let other = plan.fitting?.field == index ? "fit" : printer.literal(headerField: position(index), usual)
        return dialect.variable("y\(index)", type(index), other)
            + printer.ifThen(
                dialect.isSet(member(index)),
                [dialect.assign("y\(index)", dialect.present(member(index), type(index)))])
    }

    /// Returns the statements that check what a program sets.
    private func check(_ index: Int) -> [String] {
        let field = layout.fields[index]
        guard field.format.isNumber, !field.format.isBoolean,
            let condition = printer.isWithin(number("y\(index)", index), field.range, format(index))
        else { return [] }
        return [printer.writing("require", condition, printer.word("out_of_range"), name(index))]
    }

    /// Returns the value of a length, a position.
    private func length(_ counted: WrapValue.Counted, _ constant: Int) -> String {
        let text =
            switch counted {
            case .packet: "total"
            case .payload: "count"
            case .totalLess(let offset): "total - (\(width(offset)))"
            case .fixed(let offset): "(\(width(offset)))"
            }
        return printer.sum(text, constant)
    }

    /// The statements that find the widths of varints and the size of the packet.
    private var measuring: [String] {
        var lines: [String] = []
        for index in layout.fields.indices where layout.fields[index].condition != nil {
            guard let byteCount = layout.byteCounts[index] else { continue }
            lines += dialect.variable("w\(index)", .position, "0")
            lines += printer.ifThen("c\(index)", [dialect.assign("w\(index)", String(byteCount))])
        }
        let total = dialect.assign("total", "count + \(width(plan.around))")
        var isInvalid = ["total > \(limit)"]
        if let lengths = plan.lengthsThatMustBeThere {
            let isMissing = lengths.map { "!c\($0)" } + ["count > 0"]
            isInvalid.append(isMissing.joined(separator: " && "))
        }
        let isValid = isInvalid.map { "!(\($0))" }.joined(separator: " && ")
        let check = printer.writing("verify", isValid, printer.word("packet_too_long"))
        guard !plan.varints.isEmpty else {
            return lines + [dialect.constant("total", .position, "count + \(width(plan.around))"), check]
        }
        lines += dialect.variable("total", .position, "0")
        for index in plan.varints {
            lines += dialect.variable("w\(index)", .position, isThere(index) == nil ? "1" : "0")
            lines += ifThere(index, isThere(index) == nil ? [] : [dialect.assign("w\(index)", "1")])
        }
        for index in plan.varints where !plan.isOperand(index) { lines += settable(index) }
        // Lengths count these fields, and themselves. The first widths that hold the numbers which they cause are the shortest.
        var inner = [total, check]
        for index in plan.varints {
            inner += dialect.variable("n\(index)", .position, "0")
            inner += ifThere(index, [dialect.assign("n\(index)", size(index))])
        }
        let same = plan.varints.map { "n\($0) == w\($0)" }.joined(separator: " && ")
        inner += printer.ifThen(same, [dialect.breakLoop])
        inner += plan.varints.map { dialect.assign("w\($0)", "n\($0)") }
        return lines + dialect.loop(while: nil, inner)
    }

    /// Returns the bytes of a varint, whose value has not been checked.
    private func size(_ index: Int) -> String {
        guard case .varint(let varint) = layout.fields[index].format else { return "1" }
        let value: String
        switch plan.values[index] {
        case .length(let counted, let constant):
            value = dialect.convert(
                place: printer.written("nonNegative", length(counted, constant)), to: format(index))
        case .identifier(let part): value = identifier(part, index)
        case .constant(let number): value = dialect.literal(number, format(index))
        case .settable: value = number("y\(index)", index)
        case .constantText, .zeros, .checksum: value = dialect.literal(0, format(index))
        }
        return printer.written("varintSize", printer.varintBits(varint, value))
    }

    private func identifier(_ part: WrapIDPart, _ index: Int) -> String {
        let parts =
            (part.laterBitWidth == 0 && !part.laterConditional.isEmpty ? [] : [String(part.laterBitWidth)])
            + part.laterConditional.map { "p\($0.field)" }
        return self.part(
            parts.joined(separator: " + "), bitWidth: part.bitWidth, isSigned: part.isSigned, format(index))
    }

    /// The statements that take the other values, and check them.
    private var values: [String] {
        var lines: [String] = []
        for (index, value) in plan.values.enumerated() {
            let field = layout.fields[index]
            switch value {
            case .settable:
                if field.condition != nil {
                    let isSet = dialect.isSet(member(index))
                    lines.append(printer.writing("isPresent", isSet, "\(isSet) && c\(index)", name(index)))
                }
                if !plan.isOperand(index) {
                    if !plan.varints.contains(index) { lines += settable(index) }
                    lines += ifThere(index, check(index))
                }
            case .length(let counted, let constant):
                lines.append(dialect.constant("y\(index)", .position, length(counted, constant)))
                guard !plan.alwaysFits(counted, constant, in: field.range, limit: limit) else { break }
                let bounds = [field.range.lowerBound, min(field.range.upperBound, Int128(Int64.max))].map {
                    dialect.literal(max($0, Int128(Int64.min)), .int64)
                }
                let number = dialect.convert(place: "y\(index)", to: .int64)
                lines += ifThere(index, [printer.writing("checkLength", number, bounds[0], bounds[1], name(index))])
            case .constant, .constantText, .zeros, .identifier, .checksum: break
            }
        }
        if !layout.hasConditions,
            let fits = printer.isWithin("id", 0...Int128(layout.maximumMessageID), .uint64)
        {
            lines.append(printer.writing("verify", fits, printer.word("invalid_message_id")))
        }
        return lines
    }

    // MARK: Writing

    private var writingPacket: [String] {
        let start =
            plan.payloadStart.widths.isEmpty
            ? "\(lead - plan.payloadStart.constant)" : "\(lead) - (\(width(plan.payloadStart)))"
        var lines = [dialect.constant("start", .position, start), printer.writing("seek", "start")]
        lines += put(layout.header.indices)
        if !layout.trailer.isEmpty {
            lines.append(printer.writing("seek", "\(lead) + count"))
            lines += put(layout.header.count..<layout.fields.count)
        }
        return lines + checksums + [dialect.returns(printer.written("packet", "start", "total"))]
    }

    /// Returns the statements that write fields; they make room once for several integers in a row.
    private func put(_ indices: Range<Int>) -> [String] {
        var lines: [String] = []
        var index = indices.lowerBound
        while index < indices.upperBound {
            let run = indices[index...].prefix { integer($0) != nil }
            guard run.count > 1 else {
                lines += put(index)
                index += 1
                continue
            }
            let (start, room) = ("q\(index)", run.reduce(0) { $0 + (integer($1)?.format.byteCount ?? 0) })
            lines.append(dialect.constant(start, .position, printer.written("room", String(room))))
            var offset = 0
            for index in run {
                guard let (format, order) = integer(index) else { continue }
                lines += printer.set(format, order, number(index), at: printer.sum(start, offset), name(index))
                offset += format.byteCount
            }
            index = run.endIndex
        }
        return lines
    }

    /// Returns the integer that a field always is, and whose number is known; nil for other fields.
    private func integer(_ index: Int) -> (format: IntegerFormat, order: ByteOrder)? {
        let field = layout.fields[index]
        guard field.condition == nil, layout.packedPlace(ofField: index) == nil,
            case .integer(let format, let order) = field.format
        else { return nil }
        switch plan.values[index] {
        case .checksum, .zeros, .constantText: return nil
        case .settable, .constant, .identifier, .length: return (format, order)
        }
    }

    private func put(_ index: Int) -> [String] {
        if let place = layout.packedPlace(ofField: index) { return place.isFirst ? [put(run: index, place)] : [] }
        return ifThere(index, statements(index))
    }

    private func statements(_ index: Int) -> [String] {
        let field = layout.fields[index]
        switch plan.values[index] {
        case .checksum: return [printer.writing("putZeros", String(field.format.byteCount ?? 0))]
        case .zeros(let byteCount): return [printer.writing("putZeros", String(byteCount))]
        case .constantText(let bytes): return [printer.writing("putBytes", dialect.bytes(bytes))]
        default: break
        }
        let (y, name) = ("y\(index)", name(index))
        switch field.format {
        case .integer(let format, let order): return printer.put(format, order, number(index), name)
        case .boolean, .bit:
            if case .settable = plan.values[index] { return [printer.writing("putBool", y)] }
            return printer.put(.uint8, .bigEndian, number(index), name)
        case .varint(let format): return [printer.writing("putVarint", printer.varintBits(format, number(index)))]
        case .text(let byteCount, let padding):
            let text = printer.written("appendText", y, name)
            return [printer.writing("padText", text, String(byteCount), String(padding), "1", "false", name)]
        case .digits(let byteCount): return [printer.writing("putDigits", y, String(byteCount), name)]
        case .bytes(let byteCount):
            return [printer.writing("exactly", printer.written("appendBlob", y, name), String(byteCount), name)]
        }
    }

    /// Returns the number of a field, of the type for its format.
    private func number(_ index: Int) -> String {
        switch plan.values[index] {
        case .settable: number("y\(index)", index)
        case .constant(let number): dialect.literal(number, format(index))
        case .identifier(let part): identifier(part, index)
        case .length: dialect.convert(place: "y\(index)", to: format(index))
        case .constantText, .zeros, .checksum: dialect.literal(0, format(index))
        }
    }

    /// Returns the statement that writes the integer of fields that share bytes.
    private func put(run first: Int, _ place: PackedPlace) -> String {
        let parts = (first..<first + place.fieldCount).compactMap { index -> String? in
            guard let own = layout.packedPlace(ofField: index) else { return nil }
            var text = printer.bits(number(index), format(index), width: own.bitWidth)
            if case .settable = plan.values[index], layout.fields[index].format.isBoolean {
                text = printer.written("bit", "y\(index)")
            }
            return own.shift == 0 ? text : "\(text) << \(own.shift)"
        }
        return printer.writing(
            "putUint", parts.joined(separator: " | "), String(place.runByteCount), place.byteOrder.isLittleText)
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
            let computed = dialect.checksum(
                kind, dialect.writtenBytes, from: text(range.start), to: text(range.end))
            let value = dialect.convert(computed, from: .uint64, to: format)
            return ifThere(
                index,
                [printer.writing("seek", text(shape.unwrap.place(of: index)))]
                    + printer.put(format, order, value, name(index)))
        }
    }
}

extension CodePlan {
    /// The bytes of the longest header; the payload is written after so many.
    var longestHeader: Int { shapes.map(\.wrap.maximumHeaderByteCount).max() ?? 0 }
}
