// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the statements of the function that puts header and trailer around a payload, by a ``PacketWritePlan``.
///
/// The payload already is in the writer, after enough free bytes for the longest header. The parameters are `w`, the
/// header `h`, the message's `id` as `uint64`, and `fit`, the value of an `@fit` field if there is one. For the field
/// n, `yn` is the value, `wn` the width, and `cn` says whether it is present.
///
/// In a language that joins packets, the payload is the parameter `payload`, and the packet is built in the variable
/// `o`.
struct PacketWriteStatements {
    private let builder: StatementBuilder
    private let shape: PacketShape
    /// The offset of the payload in the writer.
    private let lead: Int
    private var isPacked: Bool { builder.dialect.packsNumbers }
    private var layout: PacketLayout { shape.layout }
    private var plan: PacketWritePlan { shape.writePlan }
    private var limit: Int {
        // Every language can hold a position up to this number.
        min(shape.part?.limit ?? builder.plan.description.options.maximumPacketByteCount, Int(Int32.max))
    }

    /// The offset of the payload in the written bytes.
    private var payloadStart: Expression { isPacked ? plan.payloadStart.expression : .place(lead) }

    static func statements(_ builder: StatementBuilder, _ shape: PacketShape) -> [Statement] {
        let maker = PacketWriteStatements(builder: builder, shape: shape, lead: builder.plan.longestHeader)
        return maker.refusals + maker.presence + maker.measuring + maker.values + maker.writingPacket
    }

    // MARK: Words

    private func name(_ index: Int) -> Expression { .text(layout.fields[index].name) }
    private func format(_ index: Int) -> IntegerFormat { builder.format(of: layout.fields[index].format) }
    private func isThere(_ index: Int) -> Expression? { layout.fields[index].condition == nil ? nil : "c\(index)" }
    private func position(_ index: Int) -> Int { shape.positions[index] }
    private func member(_ index: Int) -> Expression { member(at: position(index)) }
    private func member(at position: Int) -> Expression { .member("h", builder.plan.names.headerFields[position]) }
    private func isAlways(_ index: Int) -> Bool { builder.isGiven(headerField: position(index)) }
    private func type(_ index: Int) -> CodeType { builder.headerType(position(index)) }

    private func ifThere(_ index: Int, _ statements: [Statement]) -> [Statement] {
        guard let isThere = isThere(index), !statements.isEmpty else { return statements }
        return [.choose(if: isThere, statements)]
    }

    /// Declares a variable that is 0 unless the field is present.
    private func variable(_ prefix: String, _ index: Int, _ value: Int) -> [Statement] {
        let name = "\(prefix)\(index)"
        return [.variable(name, .position, 0), .choose(if: "c\(index)", [.assign(.name(name), .place(value))])]
    }

    /// The statements that refuse header fields that only the other sender's packets have.
    private var refusals: [Statement] {
        shape.foreign.map { position in
            let field = builder.plan.description.layout.fields[position]
            let isSet = member(at: position).isSet
            // The count of a content can be set only if the packet has it.
            guard field.isSettable else {
                return builder.writing("verify", .not(isSet), .text("invalid_header_field"))
            }
            return builder.writing("isPresent", isSet, false, .text(field.name))
        } + [
            .constant(
                "count", .position,
                isPacked ? .count("payload") : builder.written("position").minus(.place(lead)))
        ]
    }

    // MARK: Presence

    /// The statements that find out which fields are present.
    private var presence: [Statement] {
        guard layout.hasConditions else { return [] }
        var statements: [Statement] = []
        for index in plan.operands {
            statements += settable(index)
            let check = check(index)
            guard !check.isEmpty else { continue }
            statements += layout.fields[index].condition == nil ? check : [.choose(if: member(index).isSet, check)]
        }
        for index in layout.fields.indices where layout.fields[index].condition != nil {
            statements.append(.variable("c\(index)", .boolean, false))
        }
        statements.append(.variable("found", .boolean, false))
        for set in plan.sets { statements.append(trying(set)) }
        statements.append(builder.writing("verify", "found", .text("invalid_message_id")))
        // The number of ID bits in such a field, if it is present.
        for index in layout.fields.indices where layout.fields[index].role == .messageID && isThere(index) != nil {
            statements += variable("p", index, layout.fields[index].format.bitWidth)
        }
        return statements
    }

    /// Tries one set of ID fields: finds the fields that are present with it, unless an earlier set matched.
    private func trying(_ set: WrittenIDFields) -> Statement {
        let most = set.bitWidth == 0 ? 0 : (Int128(1) << Int128(set.bitWidth)) - 1
        let statements = set.fields.map { field -> Statement in
            .assign("c\(field.field)", condition(field.condition, set))
        }
        let wanted = set.fields.compactMap { field -> Expression? in
            field.mustBe.map { $0 ? "c\(field.field)" : .not("c\(field.field)") }
        }
        let fits = builder.isWithin("id", 0...most, builder.idFormat)
        let isOpen = Expression.not("found")
        return .choose(
            if: fits.map(isOpen.and) ?? isOpen, statements + [.assign("found", .joined(wanted, .and) ?? true)])
    }

    private func condition(_ condition: WireCondition, _ set: WrittenIDFields) -> Expression {
        builder.condition(condition, in: layout) { index in
            switch set.operands[index] {
            case .given:
                if layout.fields[index].format.isBoolean { return .boolean("y\(index)", isSet: isThere(index)) }
                return .number(given(index), format(index), isSet: isThere(index))
            case .number(let value):
                return .literal(value, isSet: isThere(index))
            case .identifier(let later, let bitWidth, let isSigned):
                let id = part(.place(later), bitWidth: bitWidth, isSigned: isSigned, format(index))
                return .number(id, format(index), isSet: isThere(index))
            }
        }
    }

    /// Returns some bits of the ID in a format.
    private func part(
        _ later: Expression, bitWidth: Int, isSigned: Bool, _ format: IntegerFormat
    ) -> Expression {
        var id: Expression = "id"
        if case .number(0, _) = later {} else { id = .binary(.shiftRight, id, later) }
        return builder.part(of: id, builder.idBitWidth, shift: 0, width: bitWidth, format)
    }

    // MARK: Values

    /// Returns a settable field as a number.
    private func given(_ index: Int) -> Expression {
        let own: Expression = "y\(index)"
        return builder.plan.headerNumber(position(index))?.number(of: own) ?? own
    }

    /// Takes the value that a program sets, or else the default.
    private func settable(_ index: Int) -> [Statement] {
        guard case .settable(let usual) = plan.values[index] else { return [] }
        if isAlways(index) { return [.constant("y\(index)", type(index), member(index))] }
        let other =
            plan.fitting?.field == index ? "fit" : builder.literal(headerField: position(index), usual)
        return [
            .variable("y\(index)", type(index), other),
            .choose(if: member(index).isSet, [.assign("y\(index)", .present(member(index), type(index)))]),
        ]
    }

    private func check(_ index: Int) -> [Statement] {
        let field = layout.fields[index]
        if let checked = checkedValue(index) { return [.evaluate(checked)] }
        guard field.format.isNumber, !field.format.isBoolean,
            let condition = builder.isWithin(given(index), field.range, format(index))
        else { return checkType(index) }
        return checkType(index) + [builder.writing("require", condition, .text("out_of_range"), name(index))]
    }

    /// Returns the expression that checks a value and yields its number; nil if the language has no such checks.
    private func checkedValue(_ index: Int) -> Expression? {
        let field = layout.fields[index]
        guard field.format.isNumber else { return nil }
        return builder.dialect.checked(field.format.value(in: field.range), given(index), name(index))
    }

    private func checkType(_ index: Int) -> [Statement] {
        if checkedValue(index) != nil { return [] }
        let format = layout.fields[index].format
        if format.isBoolean { return builder.checkType(.boolean, given(index), name(index)) }
        return format.isNumber ? builder.checkType(self.format(index), given(index), name(index)) : []
    }

    private var measuring: [Statement] {
        var statements: [Statement] = []
        for index in layout.fields.indices where layout.fields[index].condition != nil {
            guard let byteCount = layout.byteCounts[index] else { continue }
            statements += variable("w", index, byteCount)
        }
        let total = Expression.name("count").plus(plan.around.expression)
        var isValid = Expression.not(.binary(.greater, "total", .place(limit)))
        if let lengths = plan.lengthsThatMustBeThere {
            let isMissing = lengths.map { Expression.not("c\($0)") } + [.binary(.greater, "count", 0)]
            if let isMissing = Expression.joined(isMissing, .and) { isValid = isValid.and(.not(isMissing)) }
        }
        let check = builder.writing("verify", isValid, .text("packet_too_long"))
        guard !plan.varints.isEmpty else { return statements + [.constant("total", .position, total), check] }
        statements.append(.variable("total", .position, 0))
        for index in plan.varints {
            if isThere(index) == nil {
                statements.append(.variable("w\(index)", .position, 1))
            } else {
                statements += variable("w", index, 1)
            }
        }
        for index in plan.varints where !plan.isOperand(index) {
            guard case .settable = plan.values[index] else { continue }
            statements += settable(index) + ifThere(index, checkType(index))
        }
        // Lengths count these fields and themselves, so widths and lengths depend on each other. The loop ends at the
        // shortest widths that fit.
        var inner: [Statement] = [.assign("total", total), check]
        for index in plan.varints {
            inner.append(.variable("n\(index)", .position, 0))
            inner += ifThere(index, [.assign("n\(index)", size(index))])
        }
        let same = plan.varints.map { Expression.binary(.equal, "n\($0)", "w\($0)") }
        inner.append(.choose(if: .joined(same, .and) ?? true, [.breakLoop]))
        inner += plan.varints.map { .assign("w\($0)", "n\($0)") }
        return statements + [.loop(while: nil, inner)]
    }

    /// Returns the size of a varint in bytes. Its value has not been checked.
    private func size(_ index: Int) -> Expression {
        guard case .varint(let varint) = layout.fields[index].format else { return 1 }
        var value = number(index)
        if case .settable = plan.values[index] { value = builder.dialect.unchecked(value, varint.range) }
        if case .length(let counted, let constant) = plan.values[index] {
            value = builder.written("nonNegative", counted.length(plus: constant)).converted(to: format(index))
        }
        return builder.written(
            builder.dialect.word("varintSize", for: varint), builder.varintBits(varint, value))
    }

    private func identifier(_ part: WrittenIDPart, _ index: Int) -> Expression {
        let isKnown = part.laterBitWidth == 0 && !part.laterConditional.isEmpty
        // An ID in one unsigned field needs no extraction of bits.
        let isWhole = layout.maximumMessageID >> UInt64(part.bitWidth - 1) <= 1 && !part.isSigned
        if isPacked, isWhole, part.laterBitWidth == 0, !layout.hasConditions { return "id" }
        let parts =
            (isKnown ? [] : [Expression.place(part.laterBitWidth)])
            + part.laterConditional.map { "p\($0.field)" }
        return self.part(
            .joined(parts, .plus) ?? 0, bitWidth: part.bitWidth, isSigned: part.isSigned, format(index))
    }

    /// The statements that take and check the remaining values.
    private var values: [Statement] {
        var statements: [Statement] = []
        for (index, value) in plan.values.enumerated() {
            let field = layout.fields[index]
            switch value {
            case .settable:
                if let isThere = isThere(index) {
                    let isSet = member(index).isSet
                    statements.append(builder.writing("isPresent", isSet, isSet.and(isThere), name(index)))
                }
                if !plan.isOperand(index) {
                    if !plan.varints.contains(index) { statements += settable(index) }
                    statements += ifThere(index, check(index))
                }
            case .length(let counted, let constant):
                statements.append(.constant("y\(index)", .position, counted.length(plus: constant)))
                guard !plan.alwaysFits(counted, constant, in: field.range, limit: limit) else { break }
                let bounds = [field.range.lowerBound, min(field.range.upperBound, Int128(Int64.max))].map {
                    Expression.number(max($0, Int128(Int64.min)), builder.dialect.countFormat)
                }
                let number = Expression.name("y\(index)").converted(to: builder.dialect.countFormat)
                statements += ifThere(
                    index, [builder.writing("checkLength", number, bounds[0], bounds[1], name(index))])
            case .constant, .constantText, .zeros, .identifier, .checksum: break
            }
        }
        if !layout.hasConditions,
            let fits = builder.isWithin("id", 0...Int128(layout.maximumMessageID), builder.idFormat)
        {
            statements.append(builder.writing("verify", fits, .text("invalid_message_id")))
        }
        return statements
    }

    // MARK: Writing

    private var writingPacket: [Statement] {
        guard !isPacked else {
            return [.variable("o", .bytes, .bytes([]))] + pack(layout.header.indices)
                + [builder.writing("putBytes", "payload")] + pack(layout.header.count..<layout.fields.count) + checksums
                + [.returns(builder.written("packet"))]
        }
        let payload = plan.payloadStart
        let start =
            payload.widths.isEmpty
            ? Expression.place(lead - payload.constant) : Expression.place(lead).minus(payload.expression)
        var statements: [Statement] = [
            .constant("start", .position, start), builder.writing("seek", "start"),
        ]
        statements += put(layout.header.indices)
        if !layout.trailer.isEmpty {
            statements.append(builder.writing("seek", Expression.place(lead).plus("count")))
            statements += put(layout.header.count..<layout.fields.count)
        }
        return statements + checksums + [.returns(builder.written("packet", "start", "total"))]
    }

    /// Appends fields to the packet. Adjacent fields that are always present with a fixed width become one call.
    private func pack(_ indices: Range<Int>) -> [Statement] {
        var statements: [Statement] = []
        var parts: [(format: PackedFormat, value: Expression)] = []
        for index in indices where layout.packedPlace(ofField: index)?.isFirst ?? true {
            if let part = part(index) {
                parts.append(part)
                continue
            }
            statements += (parts.isEmpty ? [] : [.evaluate(.pack(parts))]) + put(index)
            parts = []
        }
        return statements + (parts.isEmpty ? [] : [.evaluate(.pack(parts))])
    }

    /// Returns a field of fixed width that is always present, together with those that share its bytes; nil for others.
    private func part(_ index: Int) -> (format: PackedFormat, value: Expression)? {
        if let place = layout.packedPlace(ofField: index) {
            let format = IntegerFormat(bitWidth: 8 * place.runByteCount, isSigned: false)
            return (.integer(format, place.byteOrder), packed(index, place))
        }
        let field = layout.fields[index]
        guard field.condition == nil, let byteCount = layout.byteCounts[index] else { return nil }
        switch plan.values[index] {
        case .checksum, .zeros: return (.filler(byteCount), 0)
        case .constantText(let bytes): return (.bytes(byteCount), .bytes(bytes))
        default: break
        }
        switch field.format {
        case .integer(let format, let order): return (.integer(format, order), number(index))
        case .boolean, .bit:
            // The program's value for a boolean may be something other than a number.
            let isGiven = if case .settable = plan.values[index] { !builder.dialect.catchesErrors } else { false }
            let number = isGiven ? builder.written("bit", number(index)) : number(index)
            return (.integer(.uint8, .bigEndian), number)
        case .varint, .text, .digits, .bytes:
            guard case .evaluate(let bytes)? = statements(index).first else { return nil }
            return (.bytes(byteCount), bytes)
        }
    }

    /// Writes fields. Several adjacent integers reserve their bytes with one call.
    private func put(_ indices: Range<Int>) -> [Statement] {
        var statements: [Statement] = []
        var index = indices.lowerBound
        while index < indices.upperBound {
            let run = indices[index...].prefix { integer($0) != nil }
            guard run.count > 1 else {
                statements += put(index)
                index += 1
                continue
            }
            let (start, room) = ("q\(index)", run.reduce(0) { $0 + (integer($1)?.format.byteCount ?? 0) })
            statements.append(.constant(start, .position, builder.written("room", .place(room))))
            var offset = 0
            for index in run {
                guard let (format, order) = integer(index) else { continue }
                let place = Expression.name(start).plus(offset)
                statements += builder.put(format, order, number(index), at: place, name(index))
                offset += format.byteCount
            }
            index = run.endIndex
        }
        return statements
    }

    /// Returns the format of an integer that is always present and whose number is known; nil for other fields.
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

    private func put(_ index: Int) -> [Statement] {
        if let place = layout.packedPlace(ofField: index) { return place.isFirst ? [put(run: index, place)] : [] }
        return ifThere(index, statements(index))
    }

    private func statements(_ index: Int) -> [Statement] {
        let field = layout.fields[index]
        switch plan.values[index] {
        case .checksum: return [builder.writing("putZeros", .place(field.format.byteCount ?? 0))]
        case .zeros(let byteCount): return [builder.writing("putZeros", .place(byteCount))]
        case .constantText(let bytes): return [builder.writing("putBytes", .bytes(bytes))]
        default: break
        }
        guard field.format.isNumber else {
            return builder.put(field.format.value, "y\(index)", name(index), unique: "")
        }
        var value = field.format.value
        if case .settable = plan.values[index] {} else if field.format.isBoolean { value = .plain(.uint8, .bigEndian) }
        return builder.putUnchecked(value, number(index), name(index))
    }

    private func number(_ index: Int) -> Expression {
        switch plan.values[index] {
        case .settable: given(index)
        case .constant(let number): .number(number, format(index))
        case .identifier(let part): identifier(part, index)
        case .length: Expression.name("y\(index)").converted(to: format(index))
        case .constantText, .zeros, .checksum: .number(0, format(index))
        }
    }

    private func packed(_ first: Int, _ place: PackedPlace) -> Expression {
        let bitWidth = 8 * place.runByteCount
        let parts = (first..<first + place.fieldCount).compactMap { index -> (part: Expression, shift: Int)? in
            guard let own = layout.packedPlace(ofField: index) else { return nil }
            if case .settable = plan.values[index], layout.fields[index].format.isBoolean {
                return (builder.written("bit", "y\(index)"), own.shift)
            }
            return (builder.bits(number(index), format(index), width: own.bitWidth, of: bitWidth), own.shift)
        }
        return .packed(parts, builder.dialect.unsigned(bitWidth))
    }

    private func put(run first: Int, _ place: PackedPlace) -> Statement {
        builder.writing("putUint", packed(first, place), .place(place.runByteCount), place.byteOrder.isLittle)
    }

    /// The statements that compute checksums, in wire order: each may cover the ones before it.
    private var checksums: [Statement] {
        layout.fields.indices.flatMap { index -> [Statement] in
            guard case .checksum(let kind, let range) = plan.values[index],
                case .integer(let format, let order) = layout.fields[index].format
            else { return [] }
            func place(_ place: ChecksumRange.Place) -> Expression {
                switch place {
                case .header(let offset):
                    isPacked ? offset.expression : Expression.name("start").plus(offset.expression)
                case .trailer(let offset): payloadStart.plus("count").plus(offset.expression)
                }
            }
            let bytes = Expression.ChecksumBytes.written(from: place(range.start), to: place(range.end))
            let value = Expression.checksum(kind, bytes).converted(from: builder.dialect.unsigned(32), to: format)
            guard !isPacked else {
                let at = place(shape.readPlan.place(of: index))
                return ifThere(index, builder.put(format, order, value, at: at, name(index)))
            }
            return ifThere(
                index,
                [builder.writing("seek", place(shape.readPlan.place(of: index)))]
                    + builder.put(format, order, value, name(index)))
        }
    }
}

extension GeneratorModel {
    /// The size of the longest header; payloads are written at this offset.
    var longestHeader: Int { shapes.map(\.writePlan.maximumHeaderByteCount).max() ?? 0 }
}
