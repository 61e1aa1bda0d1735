// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// A ``FixedRun`` that printed code reads after one test for all its bytes, and for which it makes room at once.
///
/// If nothing in it can be refused, the prefix of the next field belongs to it, too.
private struct StatementRun {
    let fields: [FieldPlan]
    /// The bytes of each field, and those of the prefix.
    let byteCounts: [Int]
    /// The field whose prefix stands after the others, and the prefix; nil if there is none.
    let prefixed: (field: FieldPlan, prefix: PlannedCount)?

    var byteCount: Int { byteCounts.reduce(0, +) }
    /// The names of the fields in the schema, that of the prefix included.
    var names: [String] { fields.map(\.name) + (prefixed.map { [$0.field.name] } ?? []) }

    init(_ run: FixedRun, _ body: BodyFields) {
        fields = Array(body.fields[run.fields])
        let next = run.fields.upperBound
        if next < body.fields.count, fields.allSatisfy({ !$0.value.canBeRefused }),
            let prefix = Self.prefix(of: body.fields[next]), let byteCount = prefix.format.fixedByteCount
        {
            prefixed = (body.fields[next], prefix)
            byteCounts = run.byteCounts + [byteCount]
        } else {
            prefixed = nil
            byteCounts = run.byteCounts
        }
    }

    private static func prefix(of field: FieldPlan) -> PlannedCount? {
        guard field.isPlain, field.absent == nil, field.constant == nil else { return nil }
        switch field.value {
        case .content(.prefix(let prefix), _), .list(_, .prefix(let prefix), _): return prefix
        default: return nil
        }
    }
}

extension StatementPrinter {
    // MARK: Reading

    /// Returns the statements that read the fields of a body.
    func readFields(of body: BodyFields) -> [Statement] {
        var statements: [Statement] = []
        // Where a field is read is told for each.
        let runs = dialect.isForPages ? [] : body.fixedRuns
        var index = 0
        while index < body.fields.count {
            if let fixed = runs.first(where: { $0.fields.lowerBound == index }) {
                let run = StatementRun(fixed, body)
                if run.byteCounts.count > 1 || dialect.packsNumbers {
                    statements += read(run, body)
                    index += run.byteCounts.count
                    continue
                }
            }
            statements += read(body.fields[index], body)
            index += 1
        }
        return statements
    }

    private func read(_ run: StatementRun, _ body: BodyFields) -> [Statement] {
        guard !dialect.packsNumbers else { return unpacked(run, body) }
        let start = Expression.name("q\(run.fields[0].index)")
        let byteCount = Expression.place(run.byteCount)
        let width = run.byteCounts[run.byteCounts.count - 1]
        let cut = zip(run.byteCounts, run.names).map { reading("take", .place($0), .text($1)) }
        var statements: [Statement] = [
            .choose(if: read("lacks", byteCount), cut + [.returns(nil)]),
            .constant("q\(run.fields[0].index)", .position, read("run", byteCount, .place(width))),
        ]
        var offset = 0
        for (field, byteCount) in zip(run.fields, run.byteCounts) {
            let (target, name) = (target(field), Expression.text(field.name))
            statements.append(set(target, field.value, value(field.value, at: start.plus(offset), name)))
            statements += check(field.value, target.expression, name, "r")
            offset += byteCount
        }
        guard let (field, prefix) = run.prefixed else { return statements }
        let (count, name) = (Expression.name("n\(field.index)"), Expression.text(field.name))
        let format = IntegerFormat(bitWidth: 8 * width, isSigned: false)
        let number = read(suffix(format, prefix.byteOrder) + "At", start.plus(offset))
        statements.append(
            .constant(
                "n\(field.index)", .number(dialect.countFormat), number.converted(from: format, to: dialect.countFormat)
            ))
        if let limit = prefix.limit {
            let isWithin = count.compared(.lessOrEqual, Int128(limit), dialect.countFormat)
            statements.append(reading("require", isWithin, .text("too_long"), name))
        }
        return statements
            + read(field.value, name, into: target(field), unique: String(field.index), count: count, body)
    }

    /// Returns the statements that read a run by one call; only its last field can be wrong.
    private func unpacked(_ run: StatementRun, _ body: BodyFields) -> [Statement] {
        var parts: [(target: Expression, format: PackedFormat, name: Expression)] = []
        var after: [Statement] = []
        for field in run.fields {
            guard let format = field.value.packedWidth else { continue }
            let (target, raw, name) = (target(field), "r\(field.index)", Expression.text(field.name))
            switch field.value {
            case .number(let number) where !dialect.hasRecords && !number.isPlain:
                parts.append((.name(raw), format, name))
                after += typed(
                    field.value, .name(raw), name, into: target, "\(field.index)", at: last(number.format.byteCount))
            case .number, .float:
                parts.append((target.expression, format, name))
                after += check(field.value, target.expression, name, "r", at: last(format.byteCount))
            default:
                parts.append((.name(raw), format, name))
                let isGood = Expression.name(raw).compared(.lessOrEqual, 1, .uint8)
                let arguments = [isGood, .text("invalid_boolean"), name] + (last(1).map { [$0] } ?? [])
                after += [
                    .evaluate(.call("r", "require", arguments)),
                    set(target, field.value, Expression.name(raw).compared(.equal, 1, .uint8)),
                ]
            }
        }
        guard let (field, prefix) = run.prefixed, let width = prefix.format.fixedByteCount else {
            return [.unpackRun(parts)] + after
        }
        let (count, name) = (Expression.name("n\(field.index)"), Expression.text(field.name))
        let format = IntegerFormat(bitWidth: 8 * width, isSigned: false)
        parts.append((count, .integer(format, prefix.byteOrder), name))
        if let limit = prefix.limit {
            let isWithin = count.compared(.lessOrEqual, Int128(limit), dialect.countFormat)
            let arguments = [isWithin, .text("too_long"), name] + (last(width).map { [$0] } ?? [])
            after.append(.evaluate(.call("r", "require", arguments)))
        }
        after += read(field.value, name, into: target(field), unique: String(field.index), count: count, body)
        return [.unpackRun(parts)] + after
    }

    /// Returns the expression for a value at a place in the reader's bytes.
    private func value(_ value: ValuePlan, at place: Expression, _ name: Expression) -> Expression {
        switch value {
        case .number(let number): number.value(of: integer(number.format, number.byteOrder, at: place))
        case .float(let byteCount, let order, _):
            read(suffix(byteCount, order) + "At", place)
        default: read("boolAt", place, name)
        }
    }

    /// Returns the expression for an integer of whole bytes at a place in the reader's bytes, of the type for its format.
    func integer(_ format: IntegerFormat, _ order: ByteOrder, at place: Expression) -> Expression {
        if hasWord(format) { return read(suffix(format, order) + "At", place) }
        return read(format.isSigned ? "sintAt" : "uintAt", place, .place(format.byteCount), order.isLittle)
    }

    // MARK: Writing

    /// Returns the statements that write a run which a field begins, and how many fields it has; nil if none begins there.
    func writeRun(
        beginningAt index: Int, _ runs: [FixedRun], _ body: BodyFields
    ) -> (statements: [Statement], count: Int)? {
        guard let run = runs.first(where: { $0.fields.lowerBound == index }), run.fields.count > 1 else { return nil }
        let fields = body.fields[run.fields]
        guard fields.allSatisfy({ !$0.planned.isOptional && !$0.planned.followsOptional && tag(for: $0, body) == nil })
        else { return nil }
        guard !dialect.catchesErrors else { return (packed(Array(fields), "o\(index)"), fields.count) }
        let start = Expression.name("q\(index)")
        var statements: [Statement] = []
        if !dialect.packsNumbers {
            statements.append(.constant("q\(index)", .position, written("room", .place(run.byteCount))))
        }
        var offset = 0
        for (field, byteCount) in zip(fields, run.byteCounts) {
            let (own, name) = (Expression.own(field.ownName), Expression.text(field.name))
            let place = dialect.packsNumbers ? nil : start.plus(offset)
            let checked = dialect.checked(field.value, own, name)
            if checked == nil { statements += check(field.value, own, name, "w") }
            statements += putUnchecked(field.value, checked ?? own, at: place, name)
            offset += byteCount
        }
        return (statements, fields.count)
    }

    /// Returns the statement that packs a run by one call. The first field that is wrong is told by writing them one by one.
    private func packed(_ fields: [FieldPlan], _ variable: String) -> [Statement] {
        func put(_ fields: ArraySlice<FieldPlan>) -> [Statement] {
            fields.flatMap { self.put($0.value, .own($0.ownName), .text($0.name), unique: String($0.index)) }
        }
        // The range of a float is that of what is written.
        if case .float(_, _, _?)? = fields.last?.value {
            let others = fields.dropLast()
            return (others.count > 1 ? packed(Array(others), variable) : put(others)) + put(fields.suffix(1))
        }
        let parts = fields.compactMap { field -> (format: PackedFormat, value: Expression)? in
            guard let format = field.value.packedWidth else { return nil }
            let (own, name) = (Expression.own(field.ownName), Expression.text(field.name))
            if case .float = field.value { return (format, written("quiet", own)) }
            return (format, field.value.canBeRefused ? dialect.checked(field.value, own, name) ?? own : own)
        }
        return [.pack(.pack(parts), name: variable, otherwise: put(fields[...]))]
    }

    /// Returns the statement that makes room for what a message will probably have, so that its bytes need not move.
    func reservation(_ body: BodyFields) -> Statement {
        var byteCount = plan.longestTrailer
        var isExact = true
        var lengths: [Expression] = []
        for field in body.fields {
            if field.description.packing != nil {
                byteCount += body.run(beginningAt: field.index)?.byteCount ?? 0
            } else if !field.mayBeUnset, let fixed = plan.coding.fixedByteCount(of: field.planned.type) {
                byteCount += fixed
            } else if field.isPlain, case .content(let count, let encoding) = field.value, encoding.hasLengthWord {
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
    /// How a number, a float or a boolean of whole bytes stands there; nil for another value.
    fileprivate var packedWidth: PackedFormat? {
        switch self {
        case .number(let number): .integer(number.format, number.byteOrder)
        case .float(let byteCount, let order, _): .float(byteCount: byteCount, order)
        case .boolean: .integer(.uint8, .bigEndian)
        default: nil
        }
    }

    /// The format of items that one call reads and writes: no check and no type of their own is needed; nil for other ones.
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

extension ContentEncoding {
    /// Whether writers have a word for the number of its bytes.
    fileprivate var hasLengthWord: Bool {
        switch self {
        case .utf8, .bytes: true
        case .utf16, .digits, .properties: false
        }
    }
}

extension CountPlan {
    /// The bytes beside the text itself: those of a prefix, of which a varint has at least one, or of a terminator.
    fileprivate var extraByteCount: Int {
        switch self {
        case .prefix(let prefix): prefix.format.fixedByteCount ?? 1
        case .terminated: 1
        case .field, .exactly, .filled, .until, .rest: 0
        }
    }
}

extension CodePlan {
    /// The bytes of the longest trailer.
    fileprivate var longestTrailer: Int {
        shapes.map { shape in
            let layout = shape.layout
            return layout.byteCounts[layout.header.count...].reduce(0) { $0 + ($1 ?? 0) }
        }.max() ?? 0
    }
}
