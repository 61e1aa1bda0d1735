// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions that put header and trailer around a payload in packets of one shape, by a ``PacketWritePlan``.
///
/// For the field n, `Yn` is the value, `On` the given value if it may be absent, and `Wn` the width. `Cn` says whether
/// it is present.
struct ErlangPacketWriting {
    private let types: ErlangTypes
    private let shape: PacketShape
    private var layout: PacketLayout { shape.layout }
    private var plan: PacketWritePlan { shape.writePlan }
    private var limit: Int { shape.part?.limit ?? types.description.options.maximumPacketByteCount }

    private static let parameters: [ErlangCode] = ["id", "payload", "header"]

    static func functions(_ types: ErlangTypes, _ shape: PacketShape) -> [ErlangFunction] {
        let maker = ErlangPacketWriting(types: types, shape: shape)
        return maker.fitting + maker.wrapping + maker.finding
    }

    // MARK: Words

    /// The function that adds header and trailer after all values are chosen.
    private var function: String { (plan.fitting == nil ? "wrap" : "wrap_fitted") + shape.erlangSuffix }

    private func field(_ index: Int) -> PacketField { layout.fields[index] }
    private func name(_ index: Int) -> ErlangCode { .text(field(index).name) }
    private func key(_ index: Int) -> String { types.naming.packetFields[shape.positions[index]] }
    private func isConditional(_ index: Int) -> Bool { field(index).condition != nil }
    private func own(_ index: Int) -> Expression { "y\(index)" }

    /// The variable with the width of a varint. A conditional one has its own name for the case that it is present.
    private func width(_ index: Int) -> Expression { isConditional(index) ? "u\(index)" : "w\(index)" }

    /// The variable with the given value of a field that conditions refer to.
    private func given(_ index: Int) -> Expression { isConditional(index) ? "o\(index)" : "y\(index)" }

    private func ifThere(_ index: Int, _ value: ErlangCode, else other: ErlangCode) -> ErlangCode {
        isConditional(index) ? .either("c\(index)", [value], else: other) : value
    }

    // MARK: Functions

    /// The functions that choose the value of an `@fit` field; none without such a field.
    private var fitting: [ErlangFunction] {
        guard let (index, values) = plan.fitting else { return [] }
        let position = shape.positions[index]
        let choices = values.map { types.headerLiteral(position, .integer($0)) }
        let (wrap, fit) = ("wrap" + shape.erlangSuffix, "fit" + shape.erlangSuffix)
        let chosen = [(key: key(index), value: ErlangCode.name("value"))]
        let call = ErlangCode.call(function, ["id", "payload", .map(chosen, of: "header")])
        let tried = ErlangCode.call(
            "fitting",
            [.function(.init([], [call])), .function(.init([], [.call(fit, ["values"] + Self.parameters)]))])
        return [
            ErlangFunction(
                wrap,
                [
                    .init(
                        ["id", "payload", .mapPattern(key: key(index), .ignored, of: "header")],
                        [.call(function, Self.parameters)]),
                    .init(Self.parameters, [.call(fit, [.list(choices)] + Self.parameters)]),
                ]),
            ErlangFunction(
                fit,
                [
                    .init([.list(["value"])] + Self.parameters, [call]),
                    .init([.list(["value"], tail: "values")] + Self.parameters, [tried]),
                ],
                comment: ["The first value with which all lengths can hold the packet, or the error of the last one."]),
        ]
    }

    private var wrapping: [ErlangFunction] {
        let widths = plan.varints.map { width($0).code }
        guard !widths.isEmpty else { return [ErlangFunction(function, Self.parameters, checks + measuring + writing)] }
        func either(_ items: [ErlangCode]) -> ErlangCode { items.count == 1 ? items[0] : .tuple(items) }
        let wider = plan.varints.map { ErlangCode.name("n\($0)") }
        let choice = ErlangCode.choose(
            either(plan.varints.map(size)),
            [
                .init(either(widths), body: writing),
                .init(either(wider), body: [.call(function, Self.parameters + wider)]),
            ])
        return [
            ErlangFunction(
                function, Self.parameters,
                checks + [.call(function, Self.parameters + widths.map { _ in ErlangCode.number(1) })]),
            ErlangFunction(
                function, Self.parameters + widths, measuring + [choice],
                comment: [
                    "The first widths of the variable-length fields that hold the numbers which they cause are the shortest.",
                    "Only then are the fields checked: lengths count these fields, too.",
                ]),
        ]
    }

    /// Refuses keys of the header that cannot be set.
    private var checks: [ErlangCode] {
        let foreign = shape.foreign.filter { types.description.layout.fields[$0].isSettable }
        let own = zip(layout.fields, shape.positions).filter(\.0.isSettable).map(\.1)
        let check = ErlangCode.call("only_settable", ["header", types.headerKeys(own + foreign)])
        let isEmpty = Expression.binary(.equal, .call(nil, "map_size", ["header"]), 0)
        let refusals = foreign.map { position -> ErlangCode in
            let key = ErlangCode.atom(types.naming.packetFields[position])
            let name = ErlangCode.text(types.description.layout.fields[position].name)
            return .match(.ignored, .call("absent", [key, "header", name, 0]))
        }
        // The value of the `@fit` field was chosen before: then the map is never empty.
        return [plan.fitting == nil ? .unless(isEmpty, check) : check] + refusals
    }

    /// Finds the fields that are present, and the size of the packet.
    private var measuring: [ErlangCode] {
        let around = plan.around.expression
        var most = Expression.place(limit)
        var lines =
            found + [
                .bind("count", .call("iolist_size", ["payload"])),
                .bind("total", Expression.name("count").plus(around).code),
            ]
        if let lengths = plan.lengthsThatMustBeThere {
            let isThere = Expression.joined(lengths.map { "c\($0)" }, .or) ?? false
            lines.append(.bind("most", .call("most", [isThere.code, most.code, around.code])))
            most = "most"
        }
        let reason = ErlangCode.tagged("packet_too_long", "total", "total", most.code)
        return lines + [.unless(.binary(.lessOrEqual, "total", most), .fail(reason, .list([])))]
    }

    /// Takes the values, and returns the packet.
    private var writing: [ErlangCode] {
        let planned = layout.checksums.filter { $0.parts != layout.header.count..<layout.header.count + 1 }
        let late = planned.map { layout.fieldIndex(of: $0) }
        var lines = layout.fields.indices
            .filter { !late.contains($0) && (isConditional($0) || !plan.isOperand($0)) }
            .map { ErlangCode.match(own($0).code, chosen($0)) }
        // In wire order: each may cover the earlier ones.
        lines += zip(late, planned).map { index, planned in
            let covered = ErlangCode.list(pieces(planned.parts, zeros: planned.zeros))
            return .match(own(index).code, ErlangTypes.checksum(planned.kind, covered))
        }
        if !layout.hasConditions {
            let fits = Expression.binary(.lessOrEqual, "id", .number(Int128(layout.maximumMessageID), .uint64))
            lines.append(.unless(fits, .fail(.tagged("invalid_message_id", "id"), .list([]))))
        }
        return lines + [.list(pieces(0..<layout.fields.count + 1, zeros: []))]
    }

    // MARK: Values

    /// Returns the unchecked value of a field.
    private func value(_ index: Int) -> ErlangCode {
        switch plan.values[index] {
        case .settable(let usual):
            let literal = types.headerLiteral(shape.positions[index], usual)
            return .call("maps:get", [.atom(key(index)), "header", literal])
        case .constant(let number): return .number(number)
        case .constantText(let bytes): return Expression.bytes(bytes).code
        case .zeros(let byteCount): return .binary([.bits(0, 8 * byteCount)])
        case .identifier(let part): return identifier(part).code
        case .length(let counted, let constant): return counted.length(plus: constant).code
        case .checksum(let kind, _): return ErlangTypes.checksum(kind, "payload")
        }
    }

    /// Returns the value of a field, or an error that names the field.
    private func checked(_ index: Int) -> ErlangCode {
        let field = field(index)
        switch plan.values[index] {
        case .settable: return types.headerNumber(field, shape.positions[index], value(index))
        case .length:
            return .call("length_field", [value(index)] + types.bounds(field.range) + ["total", name(index)])
        case .constant, .constantText, .zeros, .identifier, .checksum: return value(index)
        }
    }

    /// Returns the value of a field; for an absent field, 0 or no bytes.
    private func chosen(_ index: Int) -> ErlangCode {
        let nothing: ErlangCode = field(index).format.isNumber ? 0 : .noBytes
        switch plan.values[index] {
        case .settable:
            let absent = ErlangCode.call("absent", [.atom(key(index)), "header", name(index), nothing])
            return ifThere(index, plan.isOperand(index) ? given(index).code : checked(index), else: absent)
        case .length: return ifThere(index, checked(index), else: nothing)
        case .constant, .constantText, .zeros, .identifier, .checksum: return checked(index)
        }
    }

    private func identifier(_ part: WrittenIDPart) -> Expression {
        guard layout.fields.count(where: { $0.role == .messageID }) > 1 else { return "id" }
        let isKnown = part.laterBitWidth == 0 && !part.laterConditional.isEmpty
        let later =
            (isKnown ? [] : [Expression.place(part.laterBitWidth)])
            + part.laterConditional.map { Expression.call(nil, "count_if", ["c\($0.field)", .place($0.bitWidth)]) }
        let shifted = Expression.binary(.shiftRight, "id", .joined(later, .plus) ?? 0)
        return .binary(.bitAnd, shifted, .number((1 << Int128(part.bitWidth)) - 1, .uint64))
    }

    /// Returns the size of a varint in bytes. Its value has not been checked.
    private func size(_ index: Int) -> ErlangCode {
        guard case .varint(let format) = field(index).format else { return 1 }
        var value = value(index)
        if case .length = plan.values[index], format.isSigned { value = .call("max", [0, value]) }
        if case .identifier = plan.values[index] { value = signed(value, format) }
        return ifThere(index, .call(format.erlangSize, [value]), else: 1)
    }

    /// Parts of an ID are unsigned numbers, but zigzag needs a signed one.
    private func signed(_ value: ErlangCode, _ format: VarintFormat) -> ErlangCode {
        format.encoding == .zigzag ? .call("signed", [value, .number(format.bitWidth)]) : value
    }

    // MARK: Bytes

    /// Returns the bytes of fields and of the payload, which is the part after the header.
    private func pieces(_ parts: Range<Int>, zeros: [Int]) -> [ErlangCode] {
        var output = ErlangOutput()
        let payload = layout.header.count
        for part in parts {
            guard part != payload else {
                output.add("payload")
                continue
            }
            let index = part < payload ? part : part - 1
            let own: [ErlangCode.Segment]? =
                zeros.contains(part) ? [.bits(0, 8 * (field(index).format.byteCount ?? 0))] : self.segments(index)
            if isConditional(index) {
                output.add(.call("bytes_of", ["c\(index)", own.map { ErlangCode.binary($0) } ?? bytes(index)]))
            } else if let own {
                output.segments += own
            } else {
                output.add(bytes(index))
            }
        }
        return output.pieces
    }

    /// Returns the segments of numbers of fixed width; nil for other fields.
    private func segments(_ index: Int) -> [ErlangCode.Segment]? {
        let format = field(index).format
        guard format.isNumber, format.byteCount != nil else { return nil }
        guard let place = layout.packedPlace(ofField: index) else {
            return layout.erlangSegments(index, "y", isRead: false)
        }
        guard place.isFirst, let run = layout.erlangRun(index, "y", isRead: false) else { return [] }
        guard run.making != nil else { return run.segments }
        let number = ErlangCode.call("binary:decode_unsigned", [.binary(run.parts)])
        return [.bits(number, 8 * run.byteCount, ["little"])]
    }

    private func bytes(_ index: Int) -> ErlangCode {
        guard case .varint(let format) = field(index).format else { return own(index).code }
        var value = own(index).code
        if case .identifier = plan.values[index] { value = signed(value, format) }
        return format.erlangBytes(value)
    }

    // MARK: Presence

    private var conditional: [Int] { layout.fields.indices.filter(isConditional) }
    private var arguments: [ErlangCode] { ["id"] + plan.operands.map { given($0).code } }
    private var result: ErlangCode { .tuple(conditional.map { "c\($0)" }) }
    private func presence(_ number: Int) -> String { "presence\(shape.erlangSuffix)_\(number)" }

    /// Finds the fields that are present, and their sizes.
    private var found: [ErlangCode] {
        guard layout.hasConditions else { return [] }
        return plan.operands.map { .match(given($0).code, checked($0)) } + [
            .match(result, .call(presence(1), arguments))
        ]
            + conditional.map { index in
                let width = layout.byteCounts[index].map { Expression.place($0) } ?? width(index)
                return .bind("w\(index)", .call("count_if", ["c\(index)", width.code]))
            }
    }

    /// The functions that find the present fields, one for each set of ID fields; none for a layout without conditions.
    private var finding: [ErlangFunction] {
        guard layout.hasConditions else { return [] }
        return plan.sets.enumerated().map { number, set in
            let most = set.bitWidth == 0 ? 0 : (Int128(1) << Int128(set.bitWidth)) - 1
            let fits = Expression.binary(.lessOrEqual, "id", .number(most, .uint64))
            let next: ErlangCode =
                number + 1 == plan.sets.count
                ? .fail(.tagged("invalid_message_id", "id"), .list([]))
                : .call(presence(number + 2), arguments)
            return ErlangFunction(
                presence(number + 1),
                [.init(arguments, when: fits.code, trying(set, next)), .init(arguments, [next])],
                comment: number > 0
                    ? []
                    : [
                        "Which fields with a condition are in a packet, whose ID must fit into the ID fields among them."
                    ])
        }
    }

    /// Finds the fields that are present with one set of ID fields; calls `next` if the set does not match.
    private func trying(_ set: WrittenIDFields, _ next: ErlangCode) -> [ErlangCode] {
        let lines = set.fields.map { ErlangCode.match("c\($0.field)", condition($0.condition, set).code) }
        let choices = set.fields.filter { $0.mustBe != nil }
        guard !choices.isEmpty else { return lines + [result] }
        let wanted = choices.map { Expression.boolean($0.mustBe == true).code }
        return lines + [
            .choose(
                .tuple(choices.map { "c\($0.field)" }),
                [.init(.tuple(wanted), body: [result]), .init(.ignored, body: [next])])
        ]
    }

    private func condition(_ condition: WireCondition, _ set: WrittenIDFields) -> Expression {
        types.builder.condition(condition, in: layout) { index in
            let isThere: Expression? = isConditional(index) ? "c\(index)" : nil
            let format = field(index).format.numberFormat
            switch set.operands[index] {
            case .given: return .number(given(index), format, isSet: isThere)
            case .number(let value): return .literal(value, isSet: isThere)
            case .identifier(let later, let bitWidth, _):
                let bits = Expression.bits("id", from: .uint64, shift: later, width: bitWidth, to: format)
                return .number(bits, format, isSet: isThere)
            }
        }
    }
}
