// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the statements of the function that reads packets, from the steps of a ``PacketReadPlan``.
///
/// For the field n, `xn` is the number or the offset of the bytes, `hn` the text, and `wn` the width. `cn` says whether
/// it is present; `tn` is the packet's size according to it.
struct PacketReadStatements {
    private let builder: StatementBuilder
    private let shape: PacketShape
    private var total = ""
    /// Whether the header's numbers have known offsets, and have arrived when they are read.
    private let isInPlace: Bool
    /// Whether one call reads all of the header's numbers, before the code knows that they have arrived.
    private let isUnpacked: Bool
    private var layout: PacketLayout { shape.layout }

    private init(_ builder: StatementBuilder, _ shape: PacketShape) {
        self.builder = builder
        self.shape = shape
        isUnpacked = builder.dialect.packsNumbers && shape.readPlan.isFixed && !shape.layout.header.isEmpty
        // Reads without an offset continue at the reader's position, which is the payload after the header.
        isInPlace =
            shape.readPlan.isFixed && shape.part == nil && !builder.dialect.isForPages
            && shape.readPlan.steps.allSatisfy { step in
                switch step {
                case .need, .number, .boolean, .constant, .size, .sameSize, .total, .whole, .checksum, .sameLength: true
                default: false
                }
            }
    }

    /// Returns the statements of the function; its reader is `r`.
    static func statements(_ builder: StatementBuilder, _ shape: PacketShape) -> [Statement] {
        var maker = PacketReadStatements(builder, shape)
        var statements: [Statement] = maker.isUnpacked ? [.unpack(maker.headerFields)] : []
        for (position, step) in shape.readPlan.steps.enumerated() {
            if case .whole = step, maker.total.isEmpty, let last = maker.lastLength(before: position) {
                maker.total = "t\(last)"
            }
            statements += maker.statements(step)
        }
        return statements + maker.finish()
    }

    private func lastLength(before position: Int) -> Int? {
        shape.readPlan.steps[..<position].lazy.reversed().compactMap { step in
            if case .size(let length) = step { length.field } else { nil }
        }.first
    }

    // MARK: Words

    private func name(_ index: Int) -> Expression { .text(layout.fields[index].name) }
    private func format(_ index: Int) -> IntegerFormat { builder.format(of: layout.fields[index].format) }
    private func isConditional(_ index: Int) -> Bool { layout.fields[index].condition != nil }

    /// Returns the absolute place of a field's offset: those in the trailer count from the end of the payload.
    private func place(_ index: Int, _ offset: PacketOffset) -> Expression {
        index < layout.header.count ? offset.expression : place(.trailer(offset))
    }

    private func place(_ place: ChecksumRange.Place) -> Expression {
        switch place {
        case .header(let offset): offset.expression
        case .trailer(let offset): offset.isZero ? "end" : Expression.name("end").plus(offset.expression)
        }
    }

    private func verify(_ good: Expression, _ kind: String, _ index: Int, _ at: PacketOffset) -> Statement {
        builder.reading("verify", good, .text(kind), name(index), place(index, at))
    }

    private func moreUnless(_ isThere: Expression) -> Statement { .choose(if: .not(isThere), [.returnMore]) }

    /// Whether the program gets text or bytes from this field.
    private func hasText(_ index: Int) -> Bool {
        let field = layout.fields[index]
        if case .constant = field.role { return false }
        return isBytes(index)
    }

    private func isBytes(_ index: Int) -> Bool {
        let field = layout.fields[index]
        return !field.format.isNumber && field.role != .padding
    }

    private func textType(_ index: Int) -> CodeType {
        if case .bytes = layout.fields[index].format { .bytes } else { .text }
    }

    /// The fields of a header of fixed width, for one call that reads them all. Bytes stay in place.
    private var headerFields: [(name: String, format: PackedFormat)] {
        layout.header.indices.compactMap { index in
            if let place = layout.packedPlace(ofField: index) {
                let format = IntegerFormat(bitWidth: 8 * place.runByteCount, isSigned: false)
                return place.isFirst ? ("b\(index)", .integer(format, place.byteOrder)) : nil
            }
            let format = layout.fields[index].format
            return format.value.fixedFormat.map { ("x\(index)", $0) } ?? ("", .filler(format.byteCount ?? 0))
        }
    }

    private func isUnpacked(_ index: Int) -> Bool { isUnpacked && index < layout.header.count }

    // MARK: Steps

    private mutating func statements(_ step: PacketReadStep) -> [Statement] {
        switch step {
        case .need(let count):
            return [.choose(if: .binary(.less, builder.read("size"), .place(count)), [.returnMore])]
        case .part(let index, let byteCount):
            return [moreUnless(builder.read("arrived", .place(byteCount), name(index)))]
        case .number(let index):
            if isUnpacked(index) { return [] }
            guard isInPlace, index < layout.header.count else { return traced([define(index, read(index))], index) }
            return [.constant("x\(index)", .number(format(index)), readInPlace(index))]
        case .run(let indices, let place): return run(indices, place)
        case .varint(let index, let format): return varint(index, format)
        case .bytes(let index, _) where isUnpacked(index):
            return [.constant("x\(index)", .position, .place(shape.readPlan.starts[index].constant))]
        case .bytes(let index, let byteCount):
            return builder.traced(
                [define(index, builder.read("take", .place(byteCount), name(index)))], .nothing, name(index),
                unique: "\(index)")
        case .skip where isUnpacked && total.isEmpty: return []
        case .skip(let byteCount): return [builder.reading("take", .place(byteCount), .text(""))]
        case .boolean(let index, let at):
            let isGood = number(index).compared(.lessOrEqual, 1, format(index))
            return [verify(isGood, "invalid_boolean", index, at)]
        case .text(let index, _): return text(index)
        case .constant(let index, let value, let at):
            return [verify(number(index).compared(.equal, value, format(index)), "wrong_constant", index, at)]
        case .constantText(let index, let bytes, _):
            return [builder.reading("sameBytes", number(index), .bytes(bytes), name(index))]
        case .size(let length):
            guard shape.readPlan.isFixed else { return [.evaluate(call(length))] }
            return [.constant("t\(length.field)", .position, call(length), hasEffect: true)]
        case .sameSize(let length, let other):
            return [
                builder.reading(
                    "sameSize", "t\(length.field)", "t\(other)", name(length.field), length.at.expression)
            ]
        case .last(let length): return [builder.reading("last", call(length))]
        case .conditional(let index, let condition, let steps): return conditional(index, condition, steps)
        case .ifPresent(let index, let steps):
            return [.choose(if: "c\(index)", steps.flatMap { statements($0) })]
        case .presence(let index, let condition, let byteCount):
            return [
                .constant("c\(index)", .boolean, self.condition(condition)), .variable("w\(index)", .position, 0),
                .choose(if: "c\(index)", [.assign("w\(index)", .place(byteCount))]),
            ] + variables(index)
        case .total(let lengths, let otherwise): return takeTotal(lengths, otherwise)
        case .whole(let header, let trailer): return whole(header, trailer)
        case .checksum(let index, let kind, let range, let at): return [checksum(index, kind, range, at)]
        case .sameLength(let index, let base, let constant, let rest, let at):
            let counted: Expression =
                switch base {
                case .packet: .name(total)
                case .payload: Expression.name("end").minus("body")
                case .rest: rest.expression
                }
            let length = counted.plus(constant).converted(to: builder.dialect.countFormat)
            let own = builder.asLength(number(index), format(index))
            return [verify(.binary(.equal, own, length), "length_mismatch", index, at)]
        }
    }

    private func number(_ index: Int) -> Expression { "x\(index)" }

    private func traced(_ statements: [Statement], _ index: Int) -> [Statement] {
        builder.traced(statements, number(index), name(index), unique: "\(index)")
    }

    /// Sets a field's value; the variable of a conditional field was declared before.
    private func define(_ index: Int, _ value: Expression) -> Statement {
        if isConditional(index) { return .assign(number(index), value) }
        return .constant(
            "x\(index)", isBytes(index) ? .position : .number(format(index)), value, hasEffect: true)
    }

    private func read(_ index: Int) -> Expression {
        guard case .integer(let format, let order) = layout.fields[index].format else {
            return builder.integer(.uint8, .bigEndian, name(index))
        }
        return builder.integer(format, order, name(index))
    }

    /// Reads a number of the header at its offset.
    private func readInPlace(_ index: Int) -> Expression {
        let place = Expression.inPacket(.place(shape.readPlan.starts[index].constant))
        guard case .integer(let format, let order) = layout.fields[index].format else {
            return builder.read("u8At", place)
        }
        return builder.integer(format, order, at: place)
    }

    private func varint(_ index: Int, _ format: VarintFormat) -> [Statement] {
        let width = builder.read("position").minus("s\(index)")
        return [
            moreUnless(builder.read("varintArrived", .place(format.maximumByteCount))),
            .constant("s\(index)", .position, builder.read("position")),
        ] + traced([define(index, builder.varint(format, name(index)))], index) + [
            isConditional(index)
                ? .assign("w\(index)", width) : .constant("w\(index)", .position, width)
        ]
    }

    private func run(_ indices: Range<Int>, _ place: PackedPlace) -> [Statement] {
        let bits = "b\(indices.lowerBound)"
        let read = builder.read(
            "uint", .place(place.runByteCount), place.byteOrder.isLittle, name(indices.lowerBound))
        let bitWidth = 8 * place.runByteCount
        let type = CodeType.number(builder.dialect.unsigned(bitWidth))
        var statements: [Statement] =
            isUnpacked(indices.lowerBound) ? [] : [.constant(bits, type, read, hasEffect: true)]
        var seen: [Statement] = []
        for index in indices {
            guard let own = layout.packedPlace(ofField: index), layout.fields[index].role != .padding else { continue }
            let part = builder.part(of: .name(bits), bitWidth, shift: own.shift, width: own.bitWidth, format(index))
            statements.append(.constant("x\(index)", .number(format(index)), part))
            seen.append(builder.reading("seen", .name("from\(indices.lowerBound)"), number(index), name(index)))
        }
        guard builder.dialect.isForPages else { return statements }
        return [.constant("from\(indices.lowerBound)", .position, builder.read("position"))] + statements + seen
    }

    private func text(_ index: Int) -> [Statement] {
        let format = layout.fields[index].format
        guard !format.isNumber else { return [] }
        let read = builder.read(format.value, name(index))
        return [
            builder.reading("seek", number(index)),
            isConditional(index)
                ? .assign("h\(index)", read)
                : .constant("h\(index)", textType(index), read, hasEffect: true),
        ]
    }

    private func call(_ length: ReadLength) -> Expression {
        // A signed varint could be negative; no length is.
        builder.read(
            length.mayBeNegative ? "packetSizeSigned" : "packetSize",
            builder.asLength(number(length.field), format(length.field)), length.difference.expression,
            length.least.expression, length.at.expression)
    }

    private func variables(_ index: Int) -> [Statement] {
        let number: Statement =
            isBytes(index)
            ? .variable("x\(index)", .position, 0)
            : .variable("x\(index)", .number(format(index)), .number(0, format(index)))
        let empty: Expression
        if case .bytes = textType(index) { empty = .bytes([]) } else { empty = .text("") }
        return [number] + (hasText(index) ? [.variable("h\(index)", textType(index), empty)] : [])
    }

    private mutating func conditional(
        _ index: Int, _ condition: WireCondition, _ steps: [PacketReadStep]
    ) -> [Statement] {
        var inner = steps.flatMap { statements($0) }
        if let byteCount = layout.byteCounts[index] { inner.append(.assign("w\(index)", .place(byteCount))) }
        return [.constant("c\(index)", .boolean, self.condition(condition))] + variables(index)
            + [.variable("w\(index)", .position, 0), .choose(if: "c\(index)", inner)]
    }

    private func condition(_ condition: WireCondition) -> Expression {
        builder.condition(condition, in: layout) { .number(number($0), format($0)) }
    }

    private mutating func takeTotal(_ lengths: [ReadLength], _ otherwise: SizeWithoutLength?) -> [Statement] {
        total = "total"
        guard lengths.count != 1 || lengths[0].isConditional || otherwise != nil else {
            return [.constant("total", .position, call(lengths[0]))]
        }
        let isUnknown = Expression.binary(.less, "total", 0)
        var statements: [Statement] = [.variable("total", .position, .place(-1))]
        for (position, length) in lengths.enumerated() {
            let same = builder.read("sameSize", call(length), "total", name(length.field), length.at.expression)
            var set: Statement = .assign("total", position == 0 ? call(length) : same)
            if position > 0, lengths[0].isConditional {
                set = .choose(if: isUnknown, [.assign("total", call(length))], otherwise: [set])
            }
            statements.append(length.isConditional ? .choose(if: "c\(length.field)", [set]) : set)
        }
        let without: Expression
        switch otherwise {
        case nil: return statements
        case .emptyPayload(let count)?: without = count.expression
        case .allBytes(let least)?: without = builder.read("atLeast", least.expression)
        }
        let size = builder.read("packetSize", without.converted(to: builder.dialect.countFormat), 0, 0, 0)
        return statements + [.choose(if: isUnknown, [.assign("total", size)])]
    }

    private func whole(_ header: PacketOffset, _ trailer: PacketOffset) -> [Statement] {
        let total = Expression.name(total)
        let end = trailer.isZero ? total : total.minus(trailer.expression)
        let isCut = Expression.binary(.less, builder.read("size"), total)
        let seen = builder.dialect.isForPages ? [builder.reading("seenSize", total)] : []
        return [
            .choose(if: isCut, [builder.reading("wants", total), .returnMore]),
            .constant("body", .position, header.expression), .constant("end", .position, end),
        ] + seen + (layout.trailer.isEmpty ? [] : [builder.reading("bound", "end", total)])
    }

    // MARK: After the payload

    private func checksum(
        _ index: Int, _ kind: ChecksumKind, _ range: ChecksumRange, _ at: PacketOffset
    ) -> Statement {
        let (from, to) = (place(range.start), place(range.end))
        var bytes = Expression.ChecksumBytes.read(from: from, to: to)
        if !range.zeros.isEmpty {
            let zeros = range.zeros.flatMap { zero -> [Expression] in
                [place(zero.at), isConditional(zero.field) ? "w\(zero.field)" : .place(zero.byteCount)]
            }
            bytes = .copy(.call("r", "zeroed", [from, to] + zeros), byteCount: to.minus(from))
        }
        let width = format(index).bitWidth
        let own = builder.bits(number(index), format(index), width: width, of: width)
        let checksum = Expression.checksum(kind, bytes)
            .converted(from: builder.dialect.unsigned(32), to: builder.dialect.unsigned(width))
        return verify(.binary(.equal, own, checksum), "wrong_checksum", index, at)
    }

    private func finish() -> [Statement] {
        let total = Expression.name(total)
        var statements: [Statement] = []
        if layout.isBounded, shape.part?.mayHaveFiller != true {
            statements.append(builder.reading("onlyPacket", total))
        }
        if shape.part == nil { statements.append(builder.reading("bound", "body", "end")) }
        statements += header + identifier
        if self.total != "total" { statements.append(.constant("total", .position, total)) }
        if let part = shape.part { return statements + [.receivedPart(received(part))] }
        return statements + [.received(shape, places: builder.plan.fixedHeaderFields.map(fixedPlace))]
    }

    private func received(_ part: PacketPart) -> ReceivedPart {
        let rules = part.rules.map { rule -> Expression in
            switch rule {
            case .always: true
            case .never: false
            case .when(let condition): self.condition(condition)
            }
        }
        let starts = shape.readPlan.starts
        let counter = part.counter.map { index -> (number: Expression, place: Expression, isThere: Expression) in
            (
                builder.asLength(number(index), format(index)), starts[index].expression,
                isConditional(index) ? "c\(index)" : true
            )
        }
        return ReceivedPart(
            first: part.firstField < starts.count ? starts[part.firstField].expression : "body", counter: counter,
            rules: rules, places: part.isFlat ? builder.plan.fixedHeaderFields.map(fixedPlace) : [])
    }

    /// Returns the offset of a field that messages can fix; -1 if these packets never have it.
    private func fixedPlace(_ position: Int) -> Expression {
        guard let index = shape.positions.firstIndex(of: position) else { return .place(-1) }
        return place(shape.readPlan.place(of: index))
    }

    /// The message's ID: the bits of its fields, the most significant first.
    private var identifier: [Statement] {
        let format = builder.idFormat
        var statements: [Statement] = [.variable("id", .number(format), .number(0, format))]
        for (index, field) in layout.fields.enumerated() where field.role == .messageID {
            let width = field.format.bitWidth
            let bits = builder.bits(
                number(index), self.format(index), width: width, of: builder.idBitWidth)
            // In some languages a shift by the full width does nothing.
            let more = Expression.packed([(part: "id", shift: width), (part: bits, shift: 0)], format)
            let joined = Statement.assign("id", width < 64 ? more : bits)
            statements.append(field.condition == nil ? joined : .choose(if: "c\(index)", [joined]))
        }
        return statements
    }

    /// The statements that make the header from the fields that are present.
    private var header: [Statement] {
        let fields = layout.fields.indices.filter { layout.fields[$0].role != .padding }
        guard builder.dialect.hasRecords else {
            let new = Statement.variable("header", .header, .header(ofPart: shape.part != nil))
            return [new]
                + fields.flatMap { index -> [Statement] in
                    let statements = builder.setHeader("header", shape.positions[index], headerValue(index))
                    return isConditional(index) ? [.choose(if: "c\(index)", statements)] : statements
                }
        }
        func own(_ index: Int) -> String { builder.plan.names.headerFields[shape.positions[index]] }
        let always = fields.filter { !isConditional($0) }.map { (name: own($0), value: headerValue($0)) }
        return [.variable("header", .header, .record(always))]
            + fields.filter(isConditional).map {
                .choose(if: "c\($0)", [.assign(.member("header", own($0)), headerValue($0))])
            }
    }

    private func headerValue(_ index: Int) -> Expression {
        let field = layout.fields[index]
        if case .constant(.text(let text)) = field.role { return .text(text) }
        if case .constant(.bytes(let bytes)) = field.role { return .bytes(bytes) }
        if field.format.isBoolean { return number(index).compared(.unequal, 0, format(index)) }
        let value: Expression = hasText(index) ? "h\(index)" : number(index)
        return builder.plan.headerNumber(shape.positions[index])?.value(of: value) ?? value
    }
}

extension PacketOffset {
    fileprivate var isZero: Bool { constant == 0 && widths.isEmpty }
}

extension StatementBuilder {
    func setHeader(_ variable: String, _ position: Int, _ value: Expression) -> [Statement] {
        let own = Expression.member(.name(variable), plan.names.headerFields[position])
        if dialect.hasSparseHeaders || plan.hasAlways(headerField: position) { return [.assign(own, value)] }
        let type = headerType(position)
        return [.constant("f\(position)", type, value), .assign(own, .optional("f\(position)", type))]
    }
}
