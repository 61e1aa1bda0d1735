// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the function that reads packets of one shape, from the steps of a ``PacketReadPlan``.
///
/// Variables for the field n: `Xn` is its number or its bytes, `Hn` its value, `Wn` its width, `Cn` whether it is
/// present. `Tn` is the packet's size according to that field.
struct ErlangPacketReading {
    private let types: ErlangTypes
    private let shape: PacketShape
    private var layout: PacketLayout { shape.layout }
    private var plan: PacketReadPlan { shape.readPlan }
    private var limit: ErlangCode {
        .number(shape.part?.limit ?? types.description.options.maximumPacketByteCount)
    }
    private var lines: [ErlangCode] = []
    /// The bytes not yet read, in a header whose fields have fixed widths.
    private var bytes = "b"
    /// The size of the packet, after a length has been read.
    private var total: Expression?
    /// The end of the packet, as far as it is known.
    private var last = ErlangCode.literal("infinity")
    /// The field, and its byte count, that is read next, in a header without fixed widths.
    private var part: (field: Int, byteCount: Int)?
    /// The size of the header, after all of it has been read.
    private var headerEnd = PacketOffset(constant: 0)
    /// The pending match of the whole packet, and the code that follows it; nil before and after.
    private var match: (segments: [ErlangCode.Segment], taking: [ErlangCode])?
    /// The first letter of variables for numbers. Inside a branch it differs, because Erlang binds a variable once.
    private var letter = "x"

    private init(_ types: ErlangTypes, _ shape: PacketShape) {
        self.types = types
        self.shape = shape
    }

    static func function(_ types: ErlangTypes, _ shape: PacketShape) -> ErlangFunction {
        var maker = ErlangPacketReading(types, shape)
        maker.lines.append(.bind("size", Expression.byteSize("b").code))
        for step in shape.readPlan.steps { maker.add(step) }
        maker.finish()
        let sender: [ErlangCode] =
            !types.fixesHeaders(shape) ? [] : shape.part == nil ? ["sender"] : [.tuple(["sender", "start"])]
        return ErlangFunction("unwrap" + shape.erlangSuffix, sender + ["b"], maker.lines)
    }

    // MARK: Words

    private func name(_ index: Int) -> ErlangCode { .text(layout.fields[index].name) }
    private func number(_ index: Int) -> Expression { .name(letter + String(index)) }
    private func isConditional(_ index: Int) -> Bool { layout.fields[index].condition != nil }
    private func byteCount(_ index: Int) -> Int { layout.byteCounts[index] ?? 0 }

    private func place(_ place: ChecksumRange.Place) -> Expression {
        switch place {
        case .header(let offset): offset.expression
        case .trailer(let offset) where offset == PacketOffset(constant: 0): "end"
        case .trailer(let offset): Expression.name("end").plus(offset.expression)
        }
    }

    /// Returns the absolute place of a field's offset: those in the trailer count from the end of the payload.
    private func place(_ index: Int, _ offset: PacketOffset) -> Expression {
        place(index < layout.header.count ? .header(offset) : .trailer(offset))
    }

    private func ifThere(_ index: Int, _ value: ErlangCode, else other: ErlangCode) -> ErlangCode {
        isConditional(index) ? .either("c\(index)", [value], else: other) : value
    }

    private func nothing(_ index: Int) -> ErlangCode { layout.fields[index].format.isNumber ? 0 : .noBytes }

    private func condition(_ condition: WireCondition) -> ErlangCode {
        types.condition(condition, numbers: "x", in: layout).code
    }

    // MARK: Steps

    private mutating func add(_ step: PacketReadStep) {
        if take(step) { return }
        endMatch()
        switch step {
        case .need(let count): need(count)
        case .part(let index, let byteCount): part = (index, byteCount)
        case .varint(let index, let format):
            lines.append(.match(.tuple([number(index).code, "w\(index)"]), read(index, format)))
        case .text(let index, let at):
            if let text = text(index, at) { lines.append(.match("h\(index)", text)) }
        case .boolean, .constant, .constantText, .size, .checksum, .sameLength, .sameSize:
            lines.append(check(step))
            if case .size(let length) = step, plan.isFixed { total = "t\(length.field)" }
        case .last(let length): end(by: length)
        case .conditional(let index, let condition, let steps): conditional(index, condition, steps)
        case .ifPresent(let index, let steps): for step in steps { ifPresent(index, step) }
        case .presence(let index, let condition, let byteCount):
            lines.append(.bind("c\(index)", self.condition(condition)))
            lines.append(.bind("w\(index)", .call("count_if", ["c\(index)", .number(byteCount)])))
        case .total(let lengths, let otherwise): takeTotal(lengths, otherwise)
        case .whole(let header, let trailer): whole(header, trailer)
        case .number, .run, .bytes, .skip: break
        }
    }

    private mutating func need(_ count: Int) {
        let end = Expression.place(count)
        // If the header can be read at once, also ask for the rest of the packet.
        let needed = layout.plan.canReadAtOnce ? total.map { Expression.call(nil, "max", [end, $0]) } ?? end : end
        wait(end, needed)
    }

    /// Adds the check that the bytes up to `end` have arrived; otherwise the function asks for `needed`.
    private mutating func wait(_ end: Expression, _ needed: Expression) {
        let isThere = Expression.binary(.greaterOrEqual, "size", end)
        lines.append(.unless(isThere, .call("more", [needed.code, "size"])))
    }

    /// Reads fields of fixed width. Returns false for other steps.
    private mutating func take(_ step: PacketReadStep) -> Bool {
        switch step {
        case .number(let index), .bytes(let index, _): read(index)
        case .run(let indices, _): read(indices.lowerBound)
        case .skip(let byteCount): read([.bytes(.ignored, .number(byteCount))], nil)
        case .ifPresent(let index, let steps) where match != nil:
            switch steps.first {
            case .number?, .run?, .bytes?, .skip?: takeConditional(index)
            default: return false
            }
        default: return false
        }
        return true
    }

    private mutating func read(_ index: Int) {
        read(
            layout.erlangSegments(index, letter, isRead: true),
            layout.erlangRun(index, letter, isRead: true)?.taking)
    }

    private mutating func read(_ segments: [ErlangCode.Segment], _ taking: ErlangCode?) {
        let more = taking.map { [$0] } ?? []
        if let match {
            self.match = (match.segments + segments, match.taking + more)
            return
        }
        if let part {
            let place = [plan.starts[part.field].expression.code, .number(part.byteCount), last]
            lines.append(.match(.binary(segments), .call("header_part", ["b"] + place + [name(part.field)])))
            self.part = nil
        } else {
            let rest = "r\(lines.count)"
            lines.append(.match(.binary(segments + [.bytes(.name(rest))]), .name(bytes)))
            bytes = rest
        }
        lines += more
    }

    /// Reads a field of the trailer if it is present.
    private mutating func takeConditional(_ index: Int) {
        let field = layout.fields[index]
        guard field.format.isNumber, field.role != .padding else {
            let bytes = ErlangCode.Segment.bytes(field.role == .padding ? .ignored : "x\(index)", "w\(index)")
            match?.segments.append(bytes)
            return
        }
        match?.segments.append(.bytes("z\(index)", "w\(index)"))
        let read = ErlangCode.match(.binary(layout.erlangSegments(index, "v", isRead: true)), "z\(index)")
        match?.taking.append(.match("x\(index)", .either("c\(index)", [read, "v\(index)"], else: 0)))
    }

    private func read(_ index: Int, _ format: VarintFormat) -> ErlangCode {
        let place = [plan.starts[index].expression.code, .number(format.maximumByteCount), last]
        return .call("header_" + format.encoding.name, ["b"] + place + [name(index)])
    }

    /// Returns code that decodes the text or digits of a field; nil for other fields.
    private func text(_ index: Int, _ at: PacketOffset) -> ErlangCode? {
        let field = layout.fields[index]
        if case .bytes = field.format { return nil }
        let source = ErlangSource(
            bytes: number(index), end: place(index, at + byteCount(index)), place: .header(field))
        return types.readLeaf(field.format.value, source).map { .call("element", [1, $0]) }
    }

    /// Returns a check whose value no other code needs.
    private func check(_ step: PacketReadStep) -> ErlangCode {
        switch step {
        case .boolean(let index, let at):
            return .match("h\(index)", verified("header_boolean", index, at: at))
        case .constant(let index, let value, let at):
            return verified("same_constant", index, .number(value), at: at)
        case .constantText(let index, let bytes, let at):
            let place = [place(index, at).code] + ErlangPlace.header(layout.fields[index]).names
            return .call("same_text", [number(index).code, Expression.bytes(bytes).code] + place)
        case .size(let length):
            guard plan.isFixed, letter == "x" else { return size(length) }
            return .match("t\(length.field)", size(length))
        case .sameSize(let length, let other):
            return same("same_size", "t\(length.field)", "t\(other)", length)
        case .sameLength(let index, let base, let constant, let rest, let at):
            let counted: Expression =
                switch base {
                case .packet: total ?? 0
                case .payload: "count"
                case .rest: rest.expression
                }
            return verified("same_length", index, counted.plus(constant).code, at: at)
        case .checksum(let index, let kind, let range, let at):
            return verified("same_checksum", index, ErlangTypes.checksum(kind, covered(by: range)), at: at)
        default: return .literal("ok")
        }
    }

    /// Returns a call that compares the number of a field with the expected ones.
    private func verified(
        _ function: String, _ index: Int, _ expected: ErlangCode..., at: PacketOffset
    ) -> ErlangCode {
        .call(function, [number(index).code] + expected + [name(index), place(index, at).code])
    }

    // MARK: Lengths

    /// Returns the size of the packet according to a length, or its refusal.
    private func size(_ length: ReadLength) -> ErlangCode {
        var least = length.least.expression
        // A signed varint could be negative; no length is.
        if length.mayBeNegative { least = .call(nil, "max", [least, length.difference.expression]) }
        let number = Expression.name("x\(length.field)")
        return .call(
            "packet_size",
            [number.code, length.difference.expression.code, least.code, limit, length.at.expression.code])
    }

    private func same(
        _ function: String, _ own: ErlangCode, _ other: ErlangCode, _ length: ReadLength
    ) -> ErlangCode {
        .call(
            function,
            [
                own, other, "x\(length.field)", length.difference.expression.code, name(length.field),
                length.at.expression.code,
            ])
    }

    /// Adds a length that bounds the packet, so that no later field waits for bytes past the end.
    private mutating func end(by length: ReadLength) {
        let end = ErlangCode.call("min", [last, size(length)])
        lines.append(.match("l\(length.field)", ifThere(length.field, end, else: last)))
        last = "l\(length.field)"
    }

    private mutating func takeTotal(_ lengths: [ReadLength], _ otherwise: SizeWithoutLength?) {
        var size = ErlangCode.literal("undefined")
        for (position, length) in lengths.enumerated() {
            let own = self.size(length)
            let agreed = position == 0 ? own : same("agreeing_size", own, size, length)
            lines.append(.match("t\(length.field)", ifThere(length.field, agreed, else: size)))
            size = "t\(length.field)"
            total = .name("t\(length.field)")
        }
        let least: Expression
        switch otherwise {
        case nil: return
        case .emptyPayload(let count)?: least = count.expression
        case .allBytes(let count)?: least = .call(nil, "max", [count.expression, "size"])
        }
        lines.append(.match("total", .call("size_or", [size, least.code, limit])))
        total = "total"
    }

    // MARK: Fields with a condition

    private mutating func conditional(_ index: Int, _ condition: WireCondition, _ steps: [PacketReadStep]) {
        lines.append(.bind("c\(index)", self.condition(condition)))
        var inner = self
        inner.lines = []
        for step in steps.dropLast() { inner.add(step) }
        inner.letter = "v"
        var result = ErlangCode.tuple(["v\(index)", .number(byteCount(index))])
        if case .varint(_, let format)? = steps.last {
            result = read(index, format)
        } else if let step = steps.last {
            inner.add(step)
        }
        lines.append(
            .match(
                .tuple(["x\(index)", "w\(index)"]),
                .either("c\(index)", inner.lines + [result], else: .tuple([nothing(index), 0]))))
    }

    private mutating func ifPresent(_ index: Int, _ step: PacketReadStep) {
        switch step {
        case .last(let length): end(by: length)
        case .text(let index, let at):
            guard let text = text(index, at) else { return }
            lines.append(.match("h\(index)", ifThere(index, text, else: .noBytes)))
        // An absent field has the number 0.
        case .boolean: lines.append(check(step))
        case .size(let length): lines.append(.chain(.and, ["c\(index)", size(length)]))
        default: lines.append(.chain(.and, ["c\(index)", check(step)]))
        }
    }

    // MARK: Payload and trailer

    private mutating func whole(_ header: PacketOffset, _ trailer: PacketOffset) {
        let total = total ?? 0
        wait(total, total)
        headerEnd = header
        let around = (header + trailer).expression
        lines.append(.match("count", Expression.binary(.minus, total, around).code))
        var segments = [ErlangCode.Segment.bytes("payload", "count")]
        if !plan.isFixed {
            lines.append(.bind("headerSize", header.expression.code))
            segments.insert(.bytes(.ignored, "headerSize"), at: 0)
        }
        // The end follows the match, which reads the trailer.
        match = (segments, [.bind("end", header.expression.plus("count").code)])
    }

    private mutating func endMatch() {
        guard let match else { return }
        self.match = nil
        lines.append(.match(.binary(match.segments + [.bytes("rest")]), .name(bytes)))
        lines += match.taking
    }

    /// Returns the bytes that a checksum covers, with zeros in place of itself and later checksums.
    private func covered(by range: ChecksumRange) -> ErlangCode {
        if case .header(headerEnd) = range.start, case .trailer(PacketOffset(constant: 0)) = range.end {
            return "payload"
        }
        var pieces: [ErlangCode] = []
        var start = range.start
        func take(upTo end: ChecksumRange.Place) {
            if start != end {
                pieces.append(.call("bytes_between", ["b", place(start).code, place(end).code]))
            }
        }
        for zero in range.zeros {
            take(upTo: zero.at)
            let zeros = ErlangCode.binary([.bits(0, 8 * zero.byteCount)])
            pieces.append(ifThere(zero.field, zeros, else: .noBytes))
            start = zero.at.plus(zero.byteCount, isConditional(zero.field) ? zero.field : nil)
        }
        take(upTo: range.end)
        return .list(pieces)
    }

    // MARK: Results

    private mutating func finish() {
        endMatch()
        if layout.isBounded, shape.part?.mayHaveFiller != true {
            let reason = ErlangCode.tagged("trailing_bytes", Expression.byteSize("rest").code)
            let place = Expression.name("size").minus(.byteSize("rest"))
            lines.append(
                .chain(
                    .or,
                    [Expression.binary(.equal, "rest", .bytes([])).code, .fail(reason, .list([]), at: place)]))
        }
        lines.append(.bind("id", identifier.code))
        if types.fixesHeaders(shape) {
            let fields = types.plan.fixedHeaderFields.flatMap { position -> [ErlangCode] in
                guard let index = shape.positions.firstIndex(of: position) else { return [0, 0] }
                let own = place(plan.place(of: index))
                // The caller makes offsets relative to the innermost layer. A fixed field's offset counts from the
                // packet's first byte.
                return ["x\(index)", shape.part == nil ? own.code : Expression.name("start").plus(own).code]
            }
            lines.append(.call("fixed", ["sender", "id"] + fields))
        }
        lines.append(.tuple(["id", header, "payload", "end", "rest"] + facts))
    }

    /// More results for one layer of a packet: where a field begins, the number that counts the content with its
    /// offset, and which conditions hold.
    private var facts: [ErlangCode] {
        guard let part = shape.part else { return [] }
        let starts = plan.starts
        let first = (part.firstField < starts.count ? starts[part.firstField] : headerEnd).expression
        let counter = part.counter.map { index in
            ifThere(index, .tuple([number(index).code, starts[index].expression.code]), else: .literal("none"))
        }
        let rules = part.rules.map { rule -> ErlangCode in
            switch rule {
            case .always: .literal("true")
            case .never: .literal("false")
            case .when(let condition): types.knownCondition(condition, in: layout).code
            }
        }
        return [first.code, counter ?? .literal("none"), .tuple(rules)]
    }

    /// The message's ID: the bits of its fields, the most significant first.
    private var identifier: Expression {
        var id: Expression?
        for (index, field) in layout.fields.enumerated() where field.role == .messageID {
            let width = field.format.bitWidth
            let bits = Expression.bits(
                number(index), from: field.format.numberFormat, shift: 0, width: width, to: .uint64)
            if field.condition != nil {
                id = .call(nil, "append_id", ["c\(index)", id ?? 0, .place(width), bits])
            } else {
                id = id.map { Expression.packed([(part: $0, shift: width), (part: bits, shift: 0)], .uint64) } ?? bits
            }
        }
        return id ?? 0
    }

    /// The map of the header fields that are present.
    private var header: ErlangCode {
        var always: [(key: String, value: ErlangCode)] = []
        var sometimes: [ErlangCode] = []
        for (index, position) in zip(layout.fields.indices, shape.positions) {
            let field = layout.fields[index]
            guard field.role != .padding else { continue }
            let key = types.naming.packetFields[position]
            let value = types.headerPlan(position).map { types.value($0, number(index)) } ?? value(index)
            if field.condition == nil {
                always.append((key, value))
            } else {
                sometimes.append(.tuple(["c\(index)", .atom(key), value]))
            }
        }
        return sometimes.isEmpty ? .map(always) : .call("header_fields", [.list(sometimes), .map(always)])
    }

    private func value(_ index: Int) -> ErlangCode {
        let field = layout.fields[index]
        if case .constant(.text(let text)) = field.role { return .text(text) }
        switch field.format {
        case .boolean, .text, .digits: return "h\(index)"
        case .bit: return number(index).compared(.equal, 1, .uint8).code
        case .integer, .varint, .bytes: return number(index).code
        }
    }
}

extension ChecksumRange.Place {
    fileprivate func plus(_ byteCount: Int, _ conditional: Int?) -> Self {
        func after(_ offset: PacketOffset) -> PacketOffset {
            conditional.map { PacketOffset(constant: offset.constant, widths: offset.widths + [$0]) } ?? offset
                + byteCount
        }
        return switch self {
        case .header(let offset): .header(after(offset))
        case .trailer(let offset): .trailer(after(offset))
        }
    }
}

extension PacketShape {
    /// The suffix of its functions, such as `_cs` or `_inside_1_0`; empty if there is only one shape.
    var erlangSuffix: String {
        words.map { word in "_" + (Sender(rawValue: word)?.erlangAtom ?? word) }.joined()
    }
}
