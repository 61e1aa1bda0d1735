// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions that read messages, structures, unions and lists.
///
/// One match reads all adjacent fields of fixed width. If it fails, a slower function finds the field that is cut off,
/// or an earlier field that is invalid. Code that reads a value returns `{Value, Rest}`.
struct ErlangReading {
    let types: ErlangTypes
    private(set) var functions: [ErlangFunction] = []
    private var lists: Set<String> = []

    init(_ types: ErlangTypes) { self.types = types }

    // MARK: Records

    mutating func readMessage(_ message: MessageDescription, _ fields: BodyFields, _ naming: ErlangNaming.Record) {
        let path = ErlangCode.list([.text(message.name)])
        var body = Body(path: path, depth: .place(types.description.options.maximumDepth), bytes: "b")
        body.lines = types.headerNumbers(fields.plan) { _ in 0 }
        add(fields, to: &body)
        var values = body.values(naming)
        if let trailing = naming.trailing {
            values.append((trailing, body.bytes.code))
        } else if fields.plan.end == .refused {
            let left = Expression.byteSize(body.bytes)
            let check = ErlangCode.fail(
                .tagged("trailing_bytes", left.code), path, at: Expression.name("e").minus(left))
            body.lines.append(.unless(.binary(.equal, body.bytes, .bytes([])), check))
        }
        let header: [ErlangCode] = fields.plan.looksAtHeader ? ["h"] : []
        functions.append(
            ErlangFunction("read_\(naming.name)", ["b", "e"] + header, body.lines + [.record(naming.name, values)]))
    }

    mutating func readStructure(_ fields: BodyFields, _ naming: ErlangNaming.Record) {
        let prefix = fields.plan.sizePrefix
        let own = whole(prefix)
        var body = Body(path: "q", depth: ErlangTypes.lessDepth, bytes: prefix == nil ? "b" : "s")
        body.lines = tooDeep(own) + opening(prefix, own)
        add(fields, to: &body)
        // Bytes after the last known field of a sized body are skipped.
        let rest = prefix == nil ? body.bytes : "r"
        body.lines.append(.tuple([.record(naming.name, body.values(naming)), rest.code]))
        functions.append(ErlangFunction("read_\(naming.name)", ["b", own.end.code, "d", "n", "p"], body.lines))
    }

    /// Returns the source of a structure's or union's function. The end has another name if the value has a size
    /// prefix.
    private func whole(_ prefix: PlannedCount?, from bytes: Expression = "b") -> ErlangSource {
        ErlangSource(bytes: bytes, end: prefix == nil ? "e" : "e0", place: ErlangPlace(name: "n", path: "p"))
    }

    private func tooDeep(_ source: ErlangSource) -> [ErlangCode] {
        [.unless(.binary(.greater, "d", 0), source.fail(types.tooDeep))]
    }

    /// Binds the path and, if the body has a prefix, takes its bytes `s` and binds their end.
    private func opening(_ prefix: PlannedCount?, _ source: ErlangSource) -> [ErlangCode] {
        let path = ErlangCode.bind("q", ErlangPlace.own)
        guard let prefix else { return [path] }
        return [
            .match(.tuple(["s", "r"]), types.readContent(.prefix(prefix), .bytes, source)),
            .bind("e", source.end.minus(.byteSize("r")).code), path,
        ]
    }

    // MARK: Fields

    private struct Body {
        let path: ErlangCode
        let depth: Expression
        /// The variable with the remaining bytes.
        var bytes: Expression
        var lines: [ErlangCode] = []
        /// The values of the fields that have one, in order.
        var results: [ErlangCode] = []
        /// The numbers of the fields that conditions, counts and unions refer to.
        var operands: [Int: Expression] = [:]

        func values(_ naming: ErlangNaming.Record) -> [(name: String, value: ErlangCode)] {
            zip(naming.fields.filter { !$0.isEmpty }, results).map { ($0, $1) }
        }

        func source(_ field: GeneratedField) -> ErlangSource {
            let place = ErlangPlace(name: .text(field.name), path: path, depth: depth, number: field.index)
            return ErlangSource(bytes: bytes, place: place, field: field, operands: operands)
        }

        mutating func bind(_ segments: [ErlangCode.Segment], rest: Expression) {
            lines.append(.match(.binary(segments + [.bytes(rest.code)]), bytes.code))
            bytes = rest
        }
    }

    private mutating func add(_ fields: BodyFields, to body: inout Body) {
        for step in fields.plan.steps {
            if let index = step.absentField ?? step.conditionalField {
                add(fields.fields[index], fields, to: &body)
                continue
            }
            var numbers: [PlannedPart] = []
            for part in step.parts {
                switch part.kind {
                case .number, .padding: numbers.append(part)
                case .count: break
                case .packed(let run):
                    addRun(numbers, fields, to: &body)
                    numbers = []
                    addPacked(run, fields, to: &body)
                case .text:
                    addRun(numbers, fields, to: &body)
                    numbers = []
                    addText(fields.fields[part.field], fields, to: &body)
                }
            }
            addRun(numbers, fields, to: &body)
            if let index = step.content { add(fields.fields[index], fields, to: &body) }
        }
    }

    /// Reads text of fixed width, or verifies a constant one.
    private mutating func addText(_ field: GeneratedField, _ fields: BodyFields, to body: inout Body) {
        guard case .text(let text, let byteCount, let padding)? = field.constant else {
            return add(field, fields, to: &body)
        }
        let compared = PlannedConstant.comparedBytes(of: text, byteCount: byteCount, padding: padding)
        let next = Expression.name("b\(field.index)")
        let rest = body.source(field).call("constant_text", .number(byteCount), Expression.bytes(compared).code)
        body.lines.append(.match(next.code, rest))
        body.bytes = next
    }

    /// Reads a value of variable width, or one that may be absent.
    private mutating func add(_ field: GeneratedField, _ fields: BodyFields, to body: inout Body) {
        let source = body.source(field)
        var value = read(field.value, source)
        if let condition = field.planned.condition {
            let nothing = ErlangCode.tuple([Expression.nothing.code, body.bytes.code])
            value = .either(types.condition(condition, fields.plan, body.operands).code, [value], else: nothing)
        } else if field.planned.isNullable {
            value = unlessAbsent(field, value, source)
        } else if field.planned.isAppended {
            let absent = field.absent.map { ErlangCode.literal(types.text($0)) } ?? Expression.nothing.code
            value = .choose(
                body.bytes.code,
                [.init(.noBytes, body: [.tuple([absent, .noBytes])]), .init(.ignored, body: [value])])
        }
        let own = Expression.name("v\(field.index)")
        body.lines.append(.match(.tuple([own.code, "b\(field.index)"]), value))
        body.bytes = "b\(field.index)"
        if field.planned.isDerived { body.operands[field.index] = own }
        guard field.planned.hasValue else { return }
        body.results.append(own.code)
        guard fields.plan.operands.contains(field.index) else { return }
        body.lines.append(.match("n\(field.index)", types.operandNumber(field, own, source.place)))
        body.operands[field.index] = "n\(field.index)"
    }

    private func unlessAbsent(_ field: GeneratedField, _ value: ErlangCode, _ source: ErlangSource) -> ErlangCode {
        let rest = ErlangCode.name("r\(field.index)")
        let absent = ErlangCode.tuple([Expression.nothing.code, rest])
        guard let width = field.description.count?.format.fixedByteCount else {
            return .choose(
                source.call("after_absent"),
                [.init(.literal("none"), body: [value]), .init(rest, body: [absent])])
        }
        let ones = ErlangCode.Segment.bits(.number((1 << Int128(8 * width)) - 1), 8 * width)
        return .choose(
            source.bytes.code,
            [.init(.binary([ones, .bytes(rest)]), body: [absent]), .init(.ignored, body: [value])])
    }

    /// Reads adjacent numbers.
    private func addRun(_ parts: [PlannedPart], _ fields: BodyFields, to body: inout Body) {
        guard let first = parts.first, let last = parts.last else { return }
        let byteCount = last.offset + last.kind.byteCount - first.offset
        let bytes = body.bytes
        body.lines.append(
            .unless(.binary(.greaterOrEqual, .byteSize(bytes), .place(byteCount)), cut(parts, fields, byteCount, body)))
        var (segments, checks): ([ErlangCode.Segment], [ErlangCode]) = ([], [])
        for part in parts {
            let field = fields.fields[part.field]
            guard !part.kind.isPadding, let format = field.value.fixedFormat else {
                segments.append(.bytes(.ignored, .number(part.kind.byteCount)))
                continue
            }
            let (own, offset) = (Expression.name("x\(field.index)"), part.offset - first.offset)
            segments.append(format.segment(own.code, isRead: true))
            body.operands[field.index] = own
            let source = body.source(field)
            if case .boolean = field.value, field.planned.hasValue {
                let value = ErlangCode.name("v\(field.index)")
                checks.append(
                    .match(value, .call("boolean_at", [own.code, .number(offset), bytes.code] + source.names)))
                body.results.append(value)
                continue
            }
            checks += check(own, source, at: source.start.plus(offset))
            if field.planned.hasValue { body.results.append(types.value(field.value, own)) }
        }
        body.bind(segments, rest: "b\(last.field)")
        body.lines += checks
    }

    /// Reads fields that share bytes. Errors in any of them are reported at their first byte.
    private func addPacked(_ planned: PlannedRun, _ fields: BodyFields, to body: inout Body) {
        let sources = planned.bits.map { body.source(fields.fields[$0.field]) }
        guard let first = sources.first, let last = planned.bits.last?.field else { return }
        let cut = first.call("cut", .number(planned.byteCount))
        body.lines.append(.unless(.binary(.greaterOrEqual, .byteSize(body.bytes), .place(planned.byteCount)), cut))
        let run = types.run(planned, "x") { CodeType.value(fields.fields[$0].value).format?.isSigned == true }
        body.bind(run.segments, rest: "b\(last)")
        body.lines += run.taking.map { [$0] } ?? []
        for source in sources {
            guard let field = source.field else { continue }
            let own = Expression.name("x\(field.index)")
            body.operands[field.index] = own
            body.lines += check(own, source, at: source.start)
            if field.planned.hasValue { body.results.append(types.value(field.value, own)) }
        }
    }

    private func check(_ own: Expression, _ source: ErlangSource, at offset: Expression) -> [ErlangCode] {
        guard let field = source.field, let check = types.check(field.value, own, of: field) else { return [] }
        return [.unless(check.good, .fail(check.reason, source.place.ownPath, at: offset))]
    }

    /// Returns code that finds the number that is cut off, or an earlier invalid one.
    private func cut(_ parts: [PlannedPart], _ fields: BodyFields, _ byteCount: Int, _ body: Body) -> ErlangCode {
        if parts.count == 1 {
            return body.source(fields.fields[parts[0].field]).call("cut", .number(byteCount))
        }
        let checks = parts.map { part in
            let field = fields.fields[part.field]
            return part.kind.isPadding ? nil : types.check(field.value, "x", of: field)
        }
        let isPlain = checks.allSatisfy { $0 == nil }
        let items = zip(parts, checks).map { part, check -> ErlangCode in
            let field = fields.fields[part.field]
            let head = [ErlangCode.text(field.name), .number(part.kind.byteCount)]
            if isPlain { return .tuple(head) }
            guard let check, let format = field.value.fixedFormat else {
                return .tuple(head + [.reference("any_bytes", arity: 1)])
            }
            if case .boolean = field.value, field.planned.hasValue {
                return .tuple(head + [.reference("boolean_byte", arity: 1)])
            }
            let verdict = ErlangCode.chain(.or, [check.good.code, check.reason])
            return .tuple(head + [.function(.init(.binary([format.segment("x", isRead: true)]), body: [verdict]))])
        }
        return .call(isPlain ? "cut_run" : "cut_checked", [.list(items), body.bytes.code, "e", body.path])
    }

    // MARK: Values

    private mutating func read(_ value: ValuePlan, _ source: ErlangSource) -> ErlangCode {
        if let leaf = types.readLeaf(value, source) { return leaf }
        let bytes = source.bytes.code
        switch value {
        case .structure(let index):
            return .call("read_" + types.naming.structures[index].name, [bytes] + source.nested)
        case .union(let index, nil): return .call("read_" + types.naming.unions[index].type, [bytes] + source.nested)
        case .union(let index, let tag?):
            let number = (source.operands[tag] ?? 0).code
            return .call("value_of_" + types.naming.unions[index].type, [number, bytes] + source.nested)
        case .list(let element, let count, _):
            if let counted = types.counted(count, source) {
                addCounted(element)
                return .call(types.listName(element), [counted] + source.nested)
            }
            let start = [bytes, 0, types.limit(count.maximum), .list([])]
            let depth = source.place.depth.code
            return .call(addTail(element, count), start + [source.end.code, depth, source.place.ownPath])
        case .sized(let content, let count, _):
            // The caller's names for the result cannot be reused: Erlang binds a variable once.
            let (rest, own) = (Expression.name("t\(source.place.number)"), ErlangCode.name("w\(source.place.number)"))
            let inner = ErlangSource(
                bytes: "y\(source.place.number)", end: source.end.minus(.byteSize(rest)), place: source.place,
                field: source.field, operands: source.operands)
            // Bytes that a structure leaves are skipped; other values leave none.
            let lines = [ErlangCode.match(.tuple([own, .ignored]), read(content, inner)), .tuple([own, rest.code])]
            return .choose(
                types.readContent(count, .bytes, source), [.init(.tuple([inner.bytes.code, rest.code]), body: lines)])
        default:
            let own = Expression.name("x\(source.place.number)")
            let check = types.check(value, own, of: source.field)
            return readScalar(
                value, own, rest: "r\(source.place.number)", source, types.value(value, own),
                check.map { [ErlangCode.unless($0.good, source.fail($0.reason))] } ?? [])
        }
    }

    private func readScalar(
        _ value: ValuePlan, _ own: Expression, rest: ErlangCode, _ source: ErlangSource, _ result: ErlangCode,
        _ checks: [ErlangCode] = []
    ) -> ErlangCode {
        guard let format = value.fixedFormat else { return .noBytes }
        let pattern = ErlangCode.binary([format.segment(own.code, isRead: true), .bytes(rest)])
        return .choose(
            source.bytes.code,
            [
                .init(pattern, body: checks + [.tuple([result, rest])]),
                .init(.ignored, body: [source.call("cut", .number(format.byteCount))]),
            ])
    }

    // MARK: Lists

    private static let item = ErlangSource(bytes: "b", place: .item)

    private mutating func addCounted(_ element: ValuePlan) {
        let name = types.listName(element)
        guard lists.insert(name).inserted else { return }
        let parameters: [ErlangCode] = [.tuple(["c", "b"]), "e", "d", "n", "p"]
        if let format = element.fixedFormat, types.check(element, "x", of: nil) == nil {
            let items = ErlangCode.items(
                types.value(element, "x"), each: .binary([format.segment("x", isRead: true)]), of: "l")
            let cut = ErlangCode.call("cut_items", [.number(format.byteCount), "b", "e", "n", "p"])
            functions.append(
                ErlangFunction(
                    name, parameters,
                    [
                        .bind("size", Expression.binary(.times, "c", .place(format.byteCount)).code),
                        .choose(
                            "b",
                            [
                                .init(.binary([.bytes("l", "size"), .bytes("r")]), body: [.tuple([items, "r"])]),
                                .init(.ignored, body: [cut]),
                            ]),
                    ]))
            return
        }
        let start: [ErlangCode] = ["b", "c", 0, .list([]), "e", "d", ErlangPlace.own]
        let end = ErlangCode.Clause(
            ["r", 0, .ignored, "a", .ignored, .ignored, .ignored], [.tuple([.call("lists:reverse", ["a"]), "r"])])
        let next = nextItem(element, name, [("c", Expression.name("c").minus(1)), ("i", Expression.name("i").plus(1))])
        functions.append(ErlangFunction(name, parameters, [.call(name, start)]))
        functions.append(ErlangFunction(name, [end, next]))
    }

    /// - Parameter counters: The parameters that locate the item in the list, with their values for the next item.
    private mutating func nextItem(
        _ element: ValuePlan, _ name: String, _ counters: [(name: ErlangCode, next: Expression)],
        _ checks: [ErlangCode] = []
    ) -> ErlangCode.Clause {
        let next = counters.map(\.next.code) + [.list(["v"], tail: "a"), "e", "d", "p"]
        return .init(
            ["b"] + counters.map(\.name) + ["a", "e", "d", "p"],
            checks + [.match(.tuple(["v", "r1"]), read(element, Self.item)), .call(name, ["r1"] + next)])
    }

    /// Adds a function that reads items up to the end of the bytes, or up to a terminating byte.
    ///
    /// - Returns: The function's name.
    private mutating func addTail(_ element: ValuePlan, _ count: CountPlan) -> String {
        let terminator: UInt8? = if case .until(let byte, _) = count { byte } else { nil }
        let name = (terminator.map { "until_\($0)_" } ?? "tail_") + types.listName(element)
        guard lists.insert(name).inserted else { return name }
        let items = ErlangCode.call("lists:reverse", ["a"])
        let any = ErlangCode.ignored
        let ends: [ErlangCode.Clause] =
            terminator.map { byte in
                let missing = ErlangCode.tagged("truncated", 1, 0)
                return [
                    .init(
                        [.binary([.init(value: .number(byte)), .bytes("r")]), any, any, "a", any, any, any],
                        [.tuple([items, "r"])]),
                    .init([.noBytes, any, any, any, "e", any, "p"], [.fail(missing, "p", at: "e")]),
                ]
            } ?? [.init([.noBytes, any, any, "a", any, any, any], [.tuple([items, .noBytes])])]
        let tooLong = ErlangCode.tagged("too_long", Expression.name("i").plus(1).code, "max")
        let check = ErlangCode.unless(.binary(.less, "i", "max"), .fail(tooLong, "p", at: Self.item.start))
        let next = nextItem(element, name, [("i", Expression.name("i").plus(1)), ("max", "max")], [check])
        functions.append(ErlangFunction(name, ends + [next]))
        return name
    }

    // MARK: Unions

    /// - Parameter hasTag: Whether the tag precedes the value; otherwise it is a parameter.
    mutating func readUnion(_ index: Int, hasTag: Bool) {
        let ((plan, arms), naming) = (types.plan.unions[index], types.naming.unions[index])
        let tag = types.builder.tag(index)
        let isSized = plan.sizePrefix != nil
        let own = whole(plan.sizePrefix)
        // The bytes after the tag, or all bytes of the union if the tag is elsewhere.
        let rest: Expression = hasTag ? "b1" : "b"
        var lines = tooDeep(own)
        if hasTag {
            let number = types.readLeaf(tag, own) ?? readScalar(tag, "x0", rest: "r0", own, "x0")
            lines.append(.match(.tuple(["t", rest.code]), number))
        }
        lines += opening(plan.sizePrefix, whole(plan.sizePrefix, from: rest))
        let bytes: Expression = isSized ? "s" : rest
        let unknown = own.fail(.tagged("unknown_case", "t"))
        var clauses: [ErlangCode.Clause] = []
        for (position, name) in naming.cases.enumerated() {
            let arm = plan.arms[position]
            var checks: [ErlangCode] = []
            // A tag elsewhere was checked when its field was read.
            if arm.tag == nil, hasTag, tag.isClosed, case .enumeration(let index, _) = plan.tag {
                checks = [.unless(types.isCase("t", of: index), unknown)]
            }
            let source = ErlangSource(bytes: bytes, place: .arm(plan, position), field: arms[position].fields.first)
            clauses.append(clause(arm.tag, .atom(name), tag, isSized: isSized, checks, source))
        }
        if plan.defaultArm == nil { clauses.append(.init(.ignored, body: [unknown])) }
        let choice = ErlangCode.choose("t", clauses)
        lines += isSized ? [.match("v", choice), .tuple(["v", "r"])] : [choice]
        let parameters: [ErlangCode] = ["b", own.end.code, "d", "n", "p"]
        functions.append(
            ErlangFunction(
                (hasTag ? "read_" : "value_of_") + naming.type, hasTag ? parameters : ["t"] + parameters, lines))
    }

    /// Returns the clause of an arm: its value, with the remaining bytes unless the union has a size prefix.
    private mutating func clause(
        _ number: Int128?, _ atom: ErlangCode, _ tag: ValuePlan, isSized: Bool, _ checks: [ErlangCode],
        _ source: ErlangSource
    ) -> ErlangCode.Clause {
        let pattern = number.map { ErlangCode.number($0) } ?? .ignored
        guard let field = source.field else {
            return .init(pattern, body: [isSized ? atom : .tuple([atom, source.bytes.code])])
        }
        let own = ErlangCode.name("v\(source.place.number)")
        let rest: ErlangCode = isSized ? .ignored : field.planned.type.goesToEnd ? .noBytes : "s\(source.place.number)"
        let value = ErlangCode.tuple([atom] + (number == nil ? [types.value(tag, "t")] : []) + [own])
        let read = ErlangCode.match(.tuple([own, rest]), read(field.value, source))
        return .init(pattern, body: checks + [read, isSized ? value : .tuple([value, rest])])
    }
}
