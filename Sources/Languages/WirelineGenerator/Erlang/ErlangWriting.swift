// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions that write messages, structures, unions and lists; they check every value before writing it.
///
/// For the field n, `Vn` is the value, `An` its number or its bytes.
struct ErlangWriting {
    let types: ErlangTypes
    private(set) var functions: [ErlangFunction] = []
    private var lists: Set<String> = []

    init(_ types: ErlangTypes) { self.types = types }

    // MARK: Records

    mutating func writeMessage(_ message: MessageDescription, _ fields: BodyFields, _ naming: ErlangNaming.Record) {
        let path = ErlangCode.list([.text(message.name)])
        let lines = body(fields, path: path, depth: .place(types.description.options.maximumDepth))
        let numbers = types.headerNumbers(fields.plan, usual: \.usualNumber)
        functions.append(
            ErlangFunction(
                "write_\(naming.name)", [record(naming)] + (fields.plan.looksAtHeader ? ["h"] : []), numbers + lines))
    }

    mutating func writeStructure(_ fields: BodyFields, _ naming: ErlangNaming.Record) {
        var lines = body(fields, path: "q", depth: ErlangTypes.lessDepth)
        if let prefix = fields.plan.sizePrefix, let output = lines.popLast() {
            lines += [.match("body", output)] + counting(prefix) + [.list([types.prefix(prefix, "size"), "body"])]
        }
        let wrong = ErlangCode.fail(.tagged("wrong_type", .literal("record")), ErlangPlace.own)
        functions.append(
            ErlangFunction(
                "write_\(naming.name)",
                [
                    tooDeep, .init([record(naming), "d", "n", "p"], [.bind("q", ErlangPlace.own)] + lines),
                    .init(.ignored, .ignored, "n", "p", body: [wrong]),
                ]))
    }

    private func record(_ naming: ErlangNaming.Record) -> ErlangCode {
        let names = naming.fields + (naming.trailing.map { [$0] } ?? [])
        return .record(naming.name, names.enumerated().filter { !$1.isEmpty }.map { ($1, "v\($0)") })
    }

    private var tooDeep: ErlangCode.Clause {
        .init(.ignored, 0, "n", "p", body: [.fail(types.tooDeep, ErlangPlace.own)])
    }

    /// Binds the size of a body, and checks it against the limit of its prefix.
    private func counting(_ prefix: PlannedCount) -> [ErlangCode] {
        let most = Int128(prefix.maximum)
        let tooLong = ErlangCode.tagged("too_long", "size", .number(most))
        return [
            .bind("size", .call("iolist_size", ["body"])),
            .unless(
                Expression.name("size").compared(.lessOrEqual, most, .int64), .fail(tooLong, ErlangPlace.own)),
        ]
    }

    // MARK: Fields

    private struct Body {
        let fields: BodyFields
        let path: ErlangCode
        let depth: Expression
        var lines: [ErlangCode] = []
        /// Code that needs the numbers of counting fields.
        var late: [ErlangCode] = []
        /// The numbers of the fields that conditions refer to.
        var operands: [Int: Expression] = [:]
        /// The first field that is not set; no field after it may be set.
        var gap: ErlangCode?
        var output = ErlangOutput()

        func place(_ field: GeneratedField) -> ErlangPlace {
            ErlangPlace(name: .text(field.name), path: path, depth: depth, number: field.index)
        }
    }

    /// Returns the checks of the fields in order; the last line is their bytes.
    private mutating func body(_ fields: BodyFields, path: ErlangCode, depth: Expression) -> [ErlangCode] {
        var body = Body(fields: fields, path: path, depth: depth)
        for field in fields.fields where !addAlways(field, to: &body) {
            addGap(field, to: &body)
            if field.description.packing != nil {
                addPacked(field, to: &body)
            } else {
                add(field, to: &body)
            }
        }
        body.lines += fields.plan.derivations.map { number(of: $0, fields.plan) } + body.late
        if fields.plan.end == .kept {
            let kept = Expression.name("a\(fields.fields.count)")
            let arguments = ["v\(fields.fields.count)", .literal("infinity"), .text("trailing"), path]
            body.lines.append(.match(kept.code, .call("bytes_value", arguments)))
            if let gap = body.gap { body.lines.append(.match(.ignored, .call("no_gap", [gap, path, kept.code]))) }
            body.output.add(kept.code)
        }
        return body.lines + [body.output.code]
    }

    /// Adds a field that programs do not set: padding or a constant. Returns false for other fields.
    private func addAlways(_ field: GeneratedField, to body: inout Body) -> Bool {
        if field.description.role == .padding {
            body.output.segments.append(.bits(0, 8 * (types.plan.coding.fixedByteCount(of: field.planned.type) ?? 0)))
            return true
        }
        guard field.description.packing == nil else { return false }
        if let constant = field.constant {
            body.output.segments += Self.segments(of: constant)
        } else if let (user, union) = body.fields.union(taggedBy: field) {
            let tag = ErlangCode.call("tag_of_\(types.naming.unions[union].type)", ["v\(user.index)"])
            body.output.add(number: tag, field.value.fixedFormat) { .call("leb128", [tag]) }
        } else if field.planned.isCounter {
            body.output.add(number: "a\(field.index)", field.value.fixedFormat) { "a\(field.index)" }
        } else {
            return false
        }
        return true
    }

    private func addGap(_ field: GeneratedField, to body: inout Body) {
        guard field.planned.isOptional || field.planned.followsOptional else { return }
        if field.planned.followsOptional || field.planned.isFollowed {
            let arguments = [body.gap ?? .literal("none"), .text(field.name), "v\(field.index)", body.path]
            body.lines.append(.match("g\(field.index)", .call("gap", arguments)))
        }
        body.gap = "g\(field.index)"
    }

    /// Adds the number of a field. The last field of a group also adds the shared bytes.
    private func addPacked(_ field: GeneratedField, to body: inout Body) {
        if field.planned.hasValue { addNumber(field, to: &body) }
        guard let planned = body.fields.run(endingAt: field.index) else { return }
        let run = types.run(planned, "a")
        body.output.segments += run.segments
        guard let making = run.making else { return }
        let isLate = planned.bits.contains { body.fields.fields[$0.field].planned.isCounter }
        if isLate { body.late.append(making) } else { body.lines.append(making) }
    }

    private func addNumber(_ field: GeneratedField, to body: inout Body) {
        let number = types.number(field.value, "v\(field.index)", body.place(field))
        body.lines.append(.match("a\(field.index)", number))
        body.operands[field.index] = "a\(field.index)"
    }

    private mutating func add(_ field: GeneratedField, to body: inout Body) {
        if let format = field.value.fixedFormat, !field.mayBeUnset {
            addNumber(field, to: &body)
            body.output.segments.append(format.segment("a\(field.index)"))
            return
        }
        let (value, place) = (Expression.name("v\(field.index)"), body.place(field))
        var bytes = write(field.value, value.code, place)
        if field.mayBeUnset {
            bytes = .choose(
                present(field, value, body),
                [.init(Expression.nothing.code, body: [absence(of: field)]), .init(.ignored, body: [bytes])])
        }
        body.lines.append(.match("a\(field.index)", bytes))
        body.output.add("a\(field.index)")
        body.lines += agreement(of: field, value, place, body.fields.plan)
        guard body.fields.plan.operands.contains(field.index) else { return }
        body.lines.append(.match("n\(field.index)", types.operandNumber(field, value, place)))
        body.operands[field.index] = "n\(field.index)"
    }

    private static func segments(of constant: PlannedConstant) -> [ErlangCode.Segment] {
        switch constant {
        case .number(let number, let format, let order):
            return [PackedFormat.integer(format, order).segment(.number(number))]
        case .text(let text, let byteCount, let padding):
            let count = text.utf8.count
            let bytes = text.utf8.map { ErlangCode.Segment(value: .number($0)) }
            guard count < byteCount else { return bytes }
            let rest = ErlangCode.call(
                "binary:copy", [.binary([.init(value: .number(padding))]), .number(byteCount - count)])
            return bytes + [.bytes(rest)]
        }
    }

    /// Returns the value, checked to be set exactly if its condition holds.
    private func present(_ field: GeneratedField, _ value: Expression, _ body: Body) -> ErlangCode {
        guard let condition = field.planned.condition else { return value.code }
        let holds = types.condition(condition, body.fields.plan, body.operands)
        return .call("present", [value.code, holds.code] + body.place(field).names)
    }

    /// Returns the bytes of an absent field: a prefix that says so, or none.
    private func absence(of field: GeneratedField) -> ErlangCode {
        guard field.planned.isNullable, let format = field.description.count?.format else { return .list([]) }
        return format.fixedByteCount.map { .binary([.bits(.number(-1), 8 * $0)]) } ?? .binary([.init(value: 1)])
    }

    // MARK: Counters

    /// Binds the number of a field that counts others; the counted fields were checked before.
    private func number(of derivation: PlannedDerivation, _ plan: BodyPlan) -> ErlangCode {
        let number = number(counting: derivation, plan)
        guard case .varint(let format) = plan.fields[derivation.field].type else {
            return .match("a\(derivation.field)", number)
        }
        return .match("a\(derivation.field)", format.erlangBytes(number))
    }

    private func number(counting derivation: PlannedDerivation, _ plan: BodyPlan) -> ErlangCode {
        guard let last = derivation.counted.last else { return 0 }
        let isAlwaysThere = derivation.counted.contains { !plan.fields[$0.field].mayBeUnset }
        let shared = Expression.name("d\(last.field)")
        let number = (derivation.isShared ? shared : Self.needed(by: last)).code
        if isAlwaysThere { return number }
        let (tested, nothing) =
            derivation.isShared
            ? (shared, ErlangCode.literal("none")) : (.name("v\(last.field)"), Expression.nothing.code)
        return .choose(tested.code, [.init(nothing, body: [0]), .init(.ignored, body: [number])])
    }

    /// Compares the count of this field with those of earlier fields that share the counter; none if it is alone.
    private func agreement(
        of field: GeneratedField, _ value: Expression, _ place: ErlangPlace, _ plan: BodyPlan
    ) -> [ErlangCode] {
        guard let derivation = plan.derivation(counting: field.index), derivation.isShared,
            let position = derivation.counted.firstIndex(where: { $0.field == field.index })
        else { return [] }
        let counted = derivation.counted[position]
        let before: ErlangCode = position == 0 ? .literal("none") : "d\(derivation.counted[position - 1].field)"
        let arguments = [before, Self.needed(by: counted).code, .number(counted.count.addend)]
        let agreed = ErlangCode.call("agreed", arguments + place.names)
        let number =
            field.mayBeUnset
            ? ErlangCode.choose(
                value.code, [.init(Expression.nothing.code, body: [before]), .init(.ignored, body: [agreed])]) : agreed
        return [.match("d\(field.index)", number)]
    }

    /// Returns the count for a field that has been checked and written.
    private static func needed(by counted: PlannedDerivation.Counted) -> Expression {
        let count: Expression =
            counted.measure == .items
            ? .call(nil, "length", ["v\(counted.field)"]) : .call(nil, "iolist_size", ["a\(counted.field)"])
        return count.plus(-counted.count.addend)
    }

    // MARK: Values

    /// Returns the checked bytes of a value.
    private mutating func write(_ value: ValuePlan, _ own: ErlangCode, _ place: ErlangPlace) -> ErlangCode {
        if let leaf = types.writeLeaf(value, own, place) { return leaf }
        switch value {
        case .structure(let index):
            return .call("write_" + types.naming.structures[index].name, [own, place.depth.code] + place.names)
        case .union(let index, let tag):
            let word = tag == nil ? "write_" : "bytes_of_"
            return .call(word + types.naming.unions[index].type, [own, place.depth.code] + place.names)
        case .list(let element, let count, _):
            let list = ErlangCode.call("list_value", [own, types.limit(count.maximum)] + place.names)
            switch count {
            case .prefix(let prefix):
                let function = items(element)
                return types.prefixed(prefix, list, by: "length", place) {
                    .list([$0], tail: .call(function, [$1, 0, place.depth.code, place.ownPath]))
                }
            case .exactly(let number):
                let list = ErlangCode.call("item_count", [own, .number(number)] + place.names)
                return .call(items(element), [list, 0, place.depth.code, place.ownPath])
            case .until(let terminator, _):
                return .call(items(element, until: terminator), [list, 0, place.depth.code, place.ownPath])
            case .field, .filled, .terminated, .rest:
                return .call(items(element), [list, 0, place.depth.code, place.ownPath])
            }
        case .sized(let content, let count, let fills):
            let bytes = ErlangCode.call("iolist_to_binary", [write(content, own, place)])
            let most = count.maximum
            let limited = ErlangCode.call("limited", [bytes, types.limit(most)] + place.names)
            switch count {
            case .exactly(let byteCount):
                return fills
                    ? types.exactly(byteCount, bytes, place)
                    : .call("filled", [bytes, .number(byteCount)] + place.names)
            case .prefix(let prefix): return types.prefixed(prefix, limited, by: "byte_size", place, letter: "z")
            default: return types.atLeast(count, limited, place)
            }
        default:
            let number = types.number(value, own, place)
            return .binary(value.fixedFormat.map { [$0.segment(number)] } ?? [])
        }
    }

    // MARK: Lists

    /// - Parameter terminator: The byte that ends the list; no item may begin with it. Nil if no byte ends it.
    private mutating func items(_ element: ValuePlan, until terminator: UInt8? = nil) -> String {
        let name = (terminator.map { "put_until_\($0)_" } ?? "put_") + types.listName(element)
        guard lists.insert(name).inserted else { return name }
        var value = write(element, "v", .item)
        if let terminator {
            let bytes = ErlangCode.call("iolist_to_binary", [value])
            value = .call("not_beginning_with", [.number(terminator), bytes] + ErlangPlace.item.names)
        }
        let rest = ErlangCode.call(name, ["t", Expression.name("i").plus(1).code, "d", "p"])
        let end = ErlangCode.list(terminator.map { [.number($0)] } ?? [])
        functions.append(
            ErlangFunction(
                name,
                [
                    .init([.list(["v"], tail: "t"), "i", "d", "p"], [.list([value], tail: rest)]),
                    .init([.list([]), .ignored, .ignored, .ignored], [end]),
                ]))
        return name
    }

    // MARK: Unions

    /// - Parameter hasTag: Whether the tag precedes the value.
    mutating func writeUnion(_ index: Int, hasTag: Bool) {
        let ((plan, arms), naming) = (types.plan.unions[index], types.naming.unions[index])
        var clauses: [ErlangCode.Clause] = []
        for (position, name) in naming.cases.enumerated() {
            let (arm, place) = (plan.arms[position], ErlangPlace.arm(plan, position))
            let bytes = arms[position].fields.first.map { write($0.value, "v\(place.number)", place) }
            let tag = types.builder.tag(index)
            clauses.append(clause(arm.tag, .atom(name), bytes, place, tag, plan, hasTag: hasTag))
        }
        let wrong = ErlangCode.tagged("wrong_type", .literal("union"))
        clauses.append(.init(.ignored, body: [.fail(wrong, ErlangPlace.own)]))
        var lines = [ErlangCode.choose("v", clauses)]
        if let prefix = plan.sizePrefix {
            lines =
                [.match(hasTag ? .tuple(["t", "body"]) : "body", lines[0])] + counting(prefix)
                + [.list((hasTag ? ["t"] : []) + [types.prefix(prefix, "size"), "body"])]
        }
        functions.append(
            ErlangFunction(
                (hasTag ? "write_" : "bytes_of_") + naming.type,
                [tooDeep, .init(["v", "d", "n", "p"], [.bind("q", ErlangPlace.own)] + lines)]))
        if !hasTag { functions.append(tagFunction(plan, naming, types.builder.tag(index))) }
    }

    /// Returns the clause of an arm. Tag and value are separate results if a size is between them.
    ///
    /// - Parameter bytes: The bytes of the value; nil if the arm has none.
    private func clause(
        _ number: Int128?, _ atom: ErlangCode, _ bytes: ErlangCode?, _ place: ErlangPlace, _ tag: ValuePlan,
        _ plan: UnionPlan, hasTag: Bool
    ) -> ErlangCode.Clause {
        func result(_ number: ErlangCode) -> ErlangCode {
            guard hasTag else { return bytes ?? .list([]) }
            let tag = tag.fixedFormat.map { .binary([$0.segment(number)]) } ?? ErlangCode.call("leb128", [number])
            if plan.sizePrefix != nil { return .tuple([tag, bytes ?? .list([])]) }
            return bytes.map { .list([tag, $0]) } ?? tag
        }
        let own = ErlangCode.name("v\(place.number)")
        if let number { return .init(bytes == nil ? atom : .tuple([atom, own]), body: [result(.number(number))]) }
        let known = ErlangCode.list(plan.taggedArms.compactMap(\.tag).map { .number($0) })
        let given = ErlangCode.name("t\(place.number)")
        let kept = ErlangCode.call("kept_tag", [types.number(tag, given, place), known] + place.names)
        return .init(
            .tuple([atom, given, own]), body: (hasTag ? [] : [.match(.ignored, kept)]) + [result(kept)])
    }

    /// Returns the function for a tag in another field; an unset union has the tag 0.
    private func tagFunction(_ plan: UnionPlan, _ naming: ErlangNaming.Choice, _ tag: ValuePlan) -> ErlangFunction {
        let clauses = zip(plan.arms, naming.cases).map { arm, name -> ErlangCode.Clause in
            guard let number = arm.tag else {
                return .init(.tuple([.atom(name), "t", .ignored]), body: [types.uncheckedNumber(tag, "t")])
            }
            return .init(arm.field == nil ? .atom(name) : .tuple([.atom(name), .ignored]), body: [.number(number)])
        }
        return ErlangFunction("tag_of_\(naming.type)", clauses + [.init(Expression.nothing.code, body: [0])])
    }
}

/// Output of a writer: binaries, and code between them that makes other bytes.
struct ErlangOutput {
    private var parts: [ErlangCode] = []
    /// The segments of the binary under construction.
    var segments: [ErlangCode.Segment] = []

    mutating func add(_ part: ErlangCode) {
        parts = pieces + [part]
        segments = []
    }

    mutating func add(number: ErlangCode, _ format: PackedFormat?, varint: () -> ErlangCode) {
        if let format { segments.append(format.segment(number)) } else { add(varint()) }
    }

    var pieces: [ErlangCode] { parts + (segments.isEmpty ? [] : [.binary(segments)]) }

    var code: ErlangCode { pieces.count == 1 ? pieces[0] : .list(pieces) }
}

extension PacketField {
    /// The number written for a settable field that the program leaves unset.
    fileprivate var usualNumber: Int128 { if case .value(let value) = role { value.number } else { 0 } }
}
