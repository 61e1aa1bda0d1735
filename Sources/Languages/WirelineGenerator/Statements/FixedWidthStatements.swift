// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension StatementBuilder {
    // MARK: Reading

    func readFields(of body: BodyFields) -> [Statement] {
        var statements: [Statement] = []
        // Pages show where each field was read, so fields are not grouped.
        let groups = dialect.isForPages ? [] : body.fixedWidthGroups
        var index = 0
        while index < body.fields.count {
            if let group = groups.first(where: { $0.fields[0].index == index }),
                group.readFields.count > 1 || dialect.packsNumbers
            {
                statements += read(group, body)
                index += group.readFields.count
            } else {
                statements += read(body.fields[index], body)
                index += 1
            }
        }
        return statements
    }

    private func read(_ group: FixedWidthGroup, _ body: BodyFields) -> [Statement] {
        guard !dialect.packsNumbers else { return unpacked(group, body) }
        let start = Expression.name("q\(group.fields[0].index)")
        let byteCounts = group.formats.map(\.byteCount) + (group.prefixed.map { [$0.format.byteCount] } ?? [])
        let byteCount = Expression.place(byteCounts.reduce(0, +))
        let width = byteCounts[byteCounts.count - 1]
        let cut = zip(byteCounts, group.readFields).map { reading("take", .place($0), .text($1.name)) }
        var statements: [Statement] = [
            .choose(if: read("lacks", byteCount), cut + [.returns(nil)]),
            .constant("q\(group.fields[0].index)", .position, read("run", byteCount, .place(width))),
        ]
        var offset = 0
        for (field, format) in zip(group.fields, group.formats) {
            let (target, name) = (target(field), Expression.text(field.name))
            statements.append(set(target, field.value, value(field.value, at: start.plus(offset), name)))
            statements += check(field.value, target.expression, name, "r")
            offset += format.byteCount
        }
        guard let prefixed = group.prefixed else { return statements }
        let word = suffix(prefixed.format, prefixed.prefix.byteOrder) + "At"
        let number = read(word, start.plus(offset)).converted(from: prefixed.format, to: dialect.countFormat)
        return statements
            + [.constant("n\(prefixed.field.index)", .number(dialect.countFormat), number)]
            + readContent(of: prefixed, body)
    }

    /// Reads the value whose prefix was read with a group.
    private func readContent(of prefixed: FixedWidthGroup.Prefixed, _ body: BodyFields) -> [Statement] {
        let field = prefixed.field
        let (count, name) = (Expression.name("n\(field.index)"), Expression.text(field.name))
        let check = prefixed.prefix.limit.map {
            requiring(
                count.compared(.lessOrEqual, Int128($0), dialect.countFormat), "too_long", name,
                at: last(prefixed.format.byteCount))
        }
        return [check].compactMap(\.self)
            + read(field.value, name, into: target(field), unique: String(field.index), count: count, body)
    }

    /// Reads a group with one call; only its last field can be invalid.
    private func unpacked(_ group: FixedWidthGroup, _ body: BodyFields) -> [Statement] {
        var parts: [(target: Expression, format: PackedFormat, name: Expression)] = []
        var after: [Statement] = []
        for (field, format) in zip(group.fields, group.formats) {
            let (target, raw, name) = (target(field), "r\(field.index)", Expression.text(field.name))
            switch field.value {
            case .number(let number) where !dialect.hasRecords && number.isNamed:
                parts.append((.name(raw), format, name))
                after += typed(
                    field.value, .name(raw), name, into: target, "\(field.index)", at: last(number.format.byteCount))
            case .number, .float:
                parts.append((target.expression, format, name))
                after += check(field.value, target.expression, name, "r", at: last(format.byteCount))
            default:
                parts.append((.name(raw), format, name))
                let isGood = Expression.name(raw).compared(.lessOrEqual, 1, .uint8)
                after += [
                    requiring(isGood, "invalid_boolean", name, at: last(1)),
                    set(target, field.value, Expression.name(raw).compared(.equal, 1, .uint8)),
                ]
            }
        }
        if let prefixed = group.prefixed {
            let (count, name) = (Expression.name("n\(prefixed.field.index)"), Expression.text(prefixed.field.name))
            parts.append((count, .integer(prefixed.format, prefixed.prefix.byteOrder), name))
            after += readContent(of: prefixed, body)
        }
        return [.unpackRun(parts)] + after
    }

    /// Returns the value at an offset of the reader's bytes.
    private func value(_ value: ValuePlan, at place: Expression, _ name: Expression) -> Expression {
        switch value {
        case .number(let number): number.value(of: integer(number.format, number.byteOrder, at: place))
        case .float(let byteCount, let order, _):
            read(suffix(byteCount, order) + "At", place)
        default: read("boolAt", place, name)
        }
    }

    func integer(_ format: IntegerFormat, _ order: ByteOrder, at place: Expression) -> Expression {
        if hasWord(format) { return read(suffix(format, order) + "At", place) }
        return read(format.isSigned ? "sintAt" : "uintAt", place, .place(format.byteCount), order.isLittle)
    }

    // MARK: Writing

    /// Writes the group that begins at a field, and returns its number of fields; nil if none begins there.
    func writeGroup(
        beginningAt index: Int, _ groups: [FixedWidthGroup], _ body: BodyFields
    ) -> (statements: [Statement], count: Int)? {
        guard let group = groups.first(where: { $0.fields[0].index == index }), group.fields.count > 1 else {
            return nil
        }
        let fields = group.fields
        guard fields.allSatisfy({ !$0.planned.isOptional && !$0.planned.followsOptional && tag(for: $0, body) == nil })
        else { return nil }
        guard !dialect.catchesErrors else { return (packed(fields, "o\(index)"), fields.count) }
        let start = Expression.name("q\(index)")
        var statements: [Statement] = []
        if !dialect.packsNumbers {
            let byteCount = group.formats.reduce(0) { $0 + $1.byteCount }
            statements.append(.constant("q\(index)", .position, written("room", .place(byteCount))))
        }
        var offset = 0
        for (field, format) in zip(fields, group.formats) {
            let (own, name) = (Expression.own(field.ownName), Expression.text(field.name))
            let place = dialect.packsNumbers ? nil : start.plus(offset)
            let checked = dialect.checked(field.value, own, name)
            if checked == nil { statements += check(field.value, own, name, "w") }
            statements += putUnchecked(field.value, checked ?? own, at: place, name)
            offset += format.byteCount
        }
        return (statements, fields.count)
    }

    /// Packs a group with one call. If that fails, writing the fields one by one finds the first invalid one.
    private func packed(_ fields: [GeneratedField], _ variable: String) -> [Statement] {
        func put(_ fields: ArraySlice<GeneratedField>) -> [Statement] {
            fields.flatMap { self.put($0.value, .own($0.ownName), .text($0.name), unique: String($0.index)) }
        }
        // The range of a float applies to the value as written.
        if case .float(_, _, _?)? = fields.last?.value {
            let others = fields.dropLast()
            return (others.count > 1 ? packed(Array(others), variable) : put(others)) + put(fields.suffix(1))
        }
        let parts = fields.compactMap { field -> (format: PackedFormat, value: Expression)? in
            guard let format = field.value.fixedFormat else { return nil }
            let (own, name) = (Expression.own(field.ownName), Expression.text(field.name))
            if case .float = field.value { return (format, written("quiet", own)) }
            return (format, field.value.canBeRefused ? dialect.checked(field.value, own, name) ?? own : own)
        }
        return [.pack(.pack(parts), name: variable, otherwise: put(fields[...]))]
    }

    /// Reserves the probable size of a message, so that its bytes need not move.
    func reservation(_ body: BodyFields) -> Statement {
        var byteCount = plan.longestTrailer
        var isExact = true
        var lengths: [Expression] = []
        for field in body.fields {
            if field.description.packing != nil {
                byteCount += body.run(beginningAt: field.index)?.byteCount ?? 0
            } else if !field.mayBeUnset, let fixed = plan.coding.fixedByteCount(of: field.planned.type) {
                byteCount += fixed
            } else if field.isPlain, case .content(let count, let encoding) = field.value,
                [.utf8, .bytes].contains(encoding)
            {
                byteCount += count.extraByteCount
                lengths.append(written(encoding.word + "Length", .own(field.ownName)))
            } else {
                isExact = false
            }
        }
        if let trailing = body.trailing { lengths.append(written("blobLength", .own(trailing))) }
        let fixed = Expression.place(byteCount + (isExact ? 0 : 256))
        return writing("reserve", .joined([fixed] + lengths, .plus) ?? fixed)
    }
}

extension ValuePlan {
    /// The format of list items that one call reads and writes; nil for items that need checks or have a type of their
    /// own.
    var packedFormat: PackedFormat? {
        switch self {
        case .number(let number) where !canBeRefused && [1, 2, 4, 8].contains(number.format.byteCount):
            if case .enumeration = number.kind { return nil }
            return .integer(number.format, number.byteOrder)
        case .float(let byteCount, let order, nil): return .float(byteCount: byteCount, order)
        default: return nil
        }
    }
}

extension CountPlan {
    /// The bytes beside the text: a prefix (at least one byte for a varint) or a terminator.
    fileprivate var extraByteCount: Int {
        switch self {
        case .prefix(let prefix): prefix.format.fixedByteCount ?? 1
        case .terminated: 1
        case .field, .exactly, .filled, .until, .rest: 0
        }
    }
}

extension GeneratorModel {
    fileprivate var longestTrailer: Int {
        shapes.map { shape in
            let layout = shape.layout
            return layout.byteCounts[layout.header.count...].reduce(0) { $0 + ($1 ?? 0) }
        }.max() ?? 0
    }
}
