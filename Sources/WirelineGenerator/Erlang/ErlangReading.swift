// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions that read messages, structures, unions and lists.
///
/// One match reads all adjacent fields of fixed width. If the match fails, a slower function finds the field that is
/// cut off, or an earlier field that is invalid. What reads a value returns `{Value, Rest}`.
struct ErlangReading {
    let types: ErlangTypes
    private(set) var functions: [ErlangFunction] = []
    private var lists: Set<String> = []
    /// The numbers of the fields of a body that count others, by name.
    private var counters: [String: Expression] = [:]

    init(_ types: ErlangTypes) { self.types = types }

    // MARK: Records

    mutating func readMessage(_ message: MessageDescription, _ plan: BodyPlan, _ naming: ErlangNaming.Record) {
        let path = ErlangCode.list([.text(message.name)])
        var body = Body(path: path, depth: .place(types.description.options.maximumDepth), bytes: "b")
        body.lines = types.headerNumbers(plan) { _ in 0 }
        add(plan, to: &body)
        var values = body.values(naming)
        if let trailing = naming.trailing {
            values.append((trailing, body.bytes.code))
        } else if plan.end == .refused {
            let left = Expression.byteSize(body.bytes)
            let check = ErlangCode.fail(
                .tagged("trailing_bytes", left.code), path, at: Expression.name("e").minus(left))
            body.lines.append(.unless(.binary(.equal, body.bytes, .bytes([])), check))
        }
        let header: [ErlangCode] = plan.looksAtHeader ? ["h"] : []
        functions.append(
            ErlangFunction("read_\(naming.name)", ["b", "e"] + header, body.lines + [.record(naming.name, values)]))
    }

    mutating func readStructure(_ plan: BodyPlan, _ naming: ErlangNaming.Record) {
        let end = plan.sizePrefix == nil ? "e" : "e0"
        var body = Body(path: "q", depth: Self.lessDepth, bytes: plan.sizePrefix == nil ? "b" : "s")
        body.lines = [tooDeep(at: Self.place(end, "b"))] + opening(plan.sizePrefix, from: "b")
        add(plan, to: &body)
        // Bytes after the last known field of a sized body are skipped.
        let rest = plan.sizePrefix == nil ? body.bytes : "r"
        body.lines.append(.tuple([.record(naming.name, body.values(naming)), rest.code]))
        functions.append(ErlangFunction("read_\(naming.name)", ["b", .name(end), "d", "n", "p"], body.lines))
    }

    private static let lessDepth = Expression.name("d").minus(1)

    /// Returns the place of the first of the bytes that are left.
    private static func place(_ end: String, _ bytes: Expression) -> Expression {
        Expression.name(end).minus(.byteSize(bytes))
    }

    private func tooDeep(at place: Expression) -> ErlangCode {
        let reason = ErlangCode.tagged("too_deep", .number(types.description.options.maximumDepth))
        return .unless(.binary(.greater, "d", 0), .fail(reason, .list(["n"], tail: "p"), at: place))
    }

    /// Returns what takes the bytes `s` of a body after their prefix from others, if it has one, and binds its end and its path.
    private func opening(_ prefix: PlannedCount?, from bytes: ErlangCode) -> [ErlangCode] {
        let path = ErlangCode.bind("q", .list(["n"], tail: "p"))
        guard let prefix else { return [path] }
        let arguments = [bytes, .literal("infinity"), "e0", "n", "p"]
        return [
            .match(.tuple(["s", "r"]), .call("bytes_" + ErlangTypes.name(prefix), arguments)),
            .bind("e", Self.place("e0", "r").code), path,
        ]
    }

    // MARK: Fields

    /// What reads the fields in order.
    private struct Body {
        let path: ErlangCode
        let depth: Expression
        /// The variable with the bytes that are left.
        var bytes: Expression
        var lines: [ErlangCode] = []
        /// The value of each field that has one, in order.
        var results: [ErlangCode] = []
        /// The number of each field that conditions can look at.
        var operands: [Int: Expression] = [:]

        func values(_ naming: ErlangNaming.Record) -> [(name: String, value: ErlangCode)] {
            zip(naming.fields.filter { !$0.isEmpty }, results).map { ($0, $1) }
        }
    }

    private func place(_ field: PlannedField, _ body: Body) -> ErlangPlace {
        ErlangPlace(name: .text(field.description.name), path: body.path, depth: body.depth, number: field.index)
    }

    private mutating func add(_ plan: BodyPlan, to body: inout Body) {
        counters = Dictionary(
            plan.fields.filter(\.isCounter).map { field in
                let isNumber = field.description.packing != nil || types.scalar(field.type) != nil
                return (field.description.name, .name((isNumber ? "x" : "v") + String(field.index)))
            },
            uniquingKeysWith: { first, _ in first })
        for step in plan.steps {
            if let index = step.absentField ?? step.conditionalField {
                add(plan.fields[index], plan, to: &body)
                continue
            }
            var numbers: [PlannedPart] = []
            for part in step.parts {
                switch part.kind {
                case .number, .padding: numbers.append(part)
                case .count: break
                case .packed(let run):
                    addRun(numbers, plan, to: &body)
                    numbers = []
                    addPacked(run, plan, to: &body)
                case .text:
                    addRun(numbers, plan, to: &body)
                    numbers = []
                    addText(plan.fields[part.field], plan, to: &body)
                }
            }
            addRun(numbers, plan, to: &body)
            if let index = step.content { add(plan.fields[index], plan, to: &body) }
        }
    }

    /// Adds what reads text of fixed width, or verifies one that is always the same.
    private mutating func addText(_ field: PlannedField, _ plan: BodyPlan, to body: inout Body) {
        guard case .text(let text, let byteCount, let padding) = types.description.constant(of: field.description)
        else { return add(field, plan, to: &body) }
        let place = place(field, body)
        let compared = PlannedConstant.comparedBytes(of: text, byteCount: byteCount, padding: padding)
        let next = Expression.name("b\(field.index)")
        let arguments = [body.bytes.code, .number(byteCount), Expression.bytes(compared).code]
        body.lines.append(.match(next.code, .call("constant_text", arguments + place.end())))
        body.bytes = next
    }

    /// Adds what reads a value of variable width, or one that may be absent.
    private mutating func add(_ field: PlannedField, _ plan: BodyPlan, to body: inout Body) {
        var value = read(field, from: body)
        let nothing = ErlangCode.tuple([Expression.nothing.code, body.bytes.code])
        if let condition = field.condition {
            value = .either(types.condition(condition, plan, body.operands).code, [value], else: nothing)
        } else if field.isNullable {
            value = unlessAbsent(field, value, from: body)
        } else if field.isAppended {
            let absent = types.absent(field.description).map(ErlangCode.literal) ?? Expression.nothing.code
            value = .choose(
                body.bytes.code,
                [.init(.noBytes, body: [.tuple([absent, .noBytes])]), .init(.ignored, body: [value])])
        }
        let own = Expression.name("v\(field.index)")
        body.lines.append(.match(.tuple([own.code, "b\(field.index)"]), value))
        body.bytes = "b\(field.index)"
        if field.isDerived { body.operands[field.index] = own }
        guard field.hasValue else { return }
        body.results.append(own.code)
        guard plan.operands.contains(field.index) else { return }
        body.lines.append(.match("n\(field.index)", types.operandNumber(field, own, place(field, body))))
        body.operands[field.index] = "n\(field.index)"
    }

    /// Returns what reads a field, if its prefix does not say that it is absent.
    private func unlessAbsent(_ field: PlannedField, _ value: ErlangCode, from body: Body) -> ErlangCode {
        let rest = ErlangCode.name("r\(field.index)")
        let absent = ErlangCode.tuple([Expression.nothing.code, rest])
        guard let width = field.description.count?.format.fixedByteCount else {
            return .choose(
                .call("after_absent", [body.bytes.code] + place(field, body).end()),
                [.init(.literal("none"), body: [value]), .init(rest, body: [absent])])
        }
        let ones = ErlangCode.Segment.bits(.number((1 << Int128(8 * width)) - 1), 8 * width)
        return .choose(
            body.bytes.code,
            [.init(.binary([ones, .bytes(rest)]), body: [absent]), .init(.ignored, body: [value])])
    }

    /// Returns what reads a field that is there.
    private mutating func read(_ field: PlannedField, from body: Body) -> ErlangCode {
        let place = place(field, body)
        guard let source = field.reference.tagSource, case .union(let index) = field.type.content else {
            return read(field.type, field.description, from: body.bytes, place)
        }
        let function = "value_of_\(types.naming.unions[index].type)"
        let tag = body.operands[source] ?? 0
        guard case .sized(_, let extent) = field.type else {
            return .call(function, [tag.code, body.bytes.code, "e", place.depth.code, place.name, place.path])
        }
        return sized(extent, from: body.bytes, place) { bytes, end in
            .call(function, [tag.code, bytes.code, end.code, place.depth.code, place.name, place.path])
        }
    }

    /// Adds what reads numbers side by side.
    private func addRun(_ parts: [PlannedPart], _ plan: BodyPlan, to body: inout Body) {
        guard let first = parts.first, let last = parts.last else { return }
        let fields = parts.map { plan.fields[$0.field] }
        let byteCount = last.offset + last.kind.byteCount - first.offset
        let bytes = body.bytes
        body.lines.append(
            .unless(
                .binary(.greaterOrEqual, .byteSize(bytes), .place(byteCount)), cut(parts, fields, byteCount, body)))
        var (segments, checks): ([ErlangCode.Segment], [ErlangCode]) = ([], [])
        for (part, field) in zip(parts, fields) {
            guard !part.kind.isPadding else {
                segments.append(.bytes(.ignored, .number(part.kind.byteCount)))
                continue
            }
            let own = Expression.name("x\(field.index)")
            segments += types.scalar(field.type).map { [$0.reading(own.code)] } ?? []
            body.operands[field.index] = own
            let (place, offset) = (place(field, body), part.offset - first.offset)
            if field.type == .boolean, field.hasValue {
                let value = ErlangCode.name("v\(field.index)")
                let arguments = [own.code, .number(offset), bytes.code] + place.end()
                checks.append(.match(value, .call("boolean_at", arguments)))
                body.results.append(value)
                continue
            }
            checks += check(field, own, place, at: Self.place("e", bytes).plus(offset))
            if field.hasValue { body.results.append(converted(field.type, own)) }
        }
        bind(segments, "b\(last.field)", &body)
        body.lines += checks
    }

    /// Adds the match that reads some segments, and leaves the other bytes in a variable.
    private func bind(_ segments: [ErlangCode.Segment], _ next: Expression, _ body: inout Body) {
        body.lines.append(.match(.binary(segments + [.bytes(next.code)]), body.bytes.code))
        body.bytes = next
    }

    /// Adds what reads fields which share bytes; what is wrong with one is told at their first byte.
    private func addPacked(_ planned: PlannedRun, _ plan: BodyPlan, to body: inout Body) {
        let fields = planned.bits.map { plan.fields[$0.field] }
        guard let first = fields.first, let last = fields.last else { return }
        let bytes = body.bytes
        let cut = ErlangCode.call("cut", [bytes.code, .number(planned.byteCount)] + place(first, body).end())
        body.lines.append(.unless(.binary(.greaterOrEqual, .byteSize(bytes), .place(planned.byteCount)), cut))
        let run = types.run(planned, "x") { types.plan.number(plan.fields[$0].type)?.format.isSigned == true }
        bind(run.segments, "b\(last.index)", &body)
        body.lines += run.taking.map { [$0] } ?? []
        for field in fields {
            let own = Expression.name("x\(field.index)")
            body.operands[field.index] = own
            body.lines += check(field, own, place(field, body), at: Self.place("e", bytes))
            if field.hasValue { body.results.append(converted(field.type, own)) }
        }
    }

    /// Returns what finds which of the numbers is cut off, or which one before it is invalid.
    private func cut(_ parts: [PlannedPart], _ fields: [PlannedField], _ byteCount: Int, _ body: Body) -> ErlangCode {
        if parts.count == 1 {
            return .call("cut", [body.bytes.code, .number(byteCount)] + place(fields[0], body).end())
        }
        let checks = fields.map { check($0.type, $0.description, "x") }
        let isPlain = checks.allSatisfy { $0 == nil }
        let items = zip(zip(parts, fields), checks).map { item, check -> ErlangCode in
            let head = [ErlangCode.text(item.1.description.name), .number(item.0.kind.byteCount)]
            if isPlain { return .tuple(head) }
            guard let check, let scalar = types.scalar(item.1.type) else {
                return .tuple(head + [.reference("any_bytes", arity: 1)])
            }
            if item.1.type == .boolean, item.1.hasValue {
                return .tuple(head + [.reference("boolean_byte", arity: 1)])
            }
            let verdict = ErlangCode.chain(.or, [check.good.code, check.reason])
            return .tuple(head + [.function(.init(.binary([scalar.reading("x")]), body: [verdict]))])
        }
        return .call(isPlain ? "cut_run" : "cut_checked", [.list(items), body.bytes.code, "e", body.path])
    }

    // MARK: Values

    /// - Parameter end: The offset at which the bytes end.
    private mutating func read(
        _ type: TypeDescription, _ field: FieldDescription?, from bytes: Expression, end: Expression = "e",
        _ place: ErlangPlace
    ) -> ErlangCode {
        let arguments = place.end(end)
        let nested = [end.code, place.depth.code, place.name, place.path]
        switch type {
        case .digits(let byteCount): return .call("digits", [bytes.code, .number(byteCount)] + arguments)
        case .string(let extent): return text("text", extent, field, bytes, arguments)
        case .utf16(let extent, let order): return text("utf16", extent, order: order, field, bytes, arguments)
        case .bytes(let extent): return text("bytes", extent, field, bytes, arguments)
        case .varint(let format):
            let value = ErlangCode.call(
                format.encoding.name, [bytes.code, .number(format.maximumByteCount)] + arguments)
            guard let range = field?.range else { return value }
            let bounds = [ErlangCode.number(range.lowerBound), .number(range.upperBound)]
            return .call("within", [value] + bounds + [bytes.code] + arguments)
        case .properties(let isStrict):
            return .call("properties", [bytes.code, .literal(isStrict ? "strict" : "lenient")] + arguments)
        case .structure(let index): return .call("read_" + types.naming.structures[index].name, [bytes.code] + nested)
        case .union(let index): return .call("read_" + types.naming.unions[index].type, [bytes.code] + nested)
        case .fixedList(let element, let count):
            addCounted(element)
            return .call(types.listName(element), [.tuple([.number(count), bytes.code])] + nested)
        case .list(let element, .field(let count)):
            addCounted(element)
            return .call(types.listName(element), [counted(by: count, field, bytes, arguments)] + nested)
        case .list(let element, .counted(let format, let order)):
            addCounted(element)
            return .call(types.listName(element), [counted(format, order, field, bytes, arguments)] + nested)
        case .list(let element, let extent):
            let name = addTail(element, until: extent.terminator)
            let start = [bytes.code, 0, maximum(field), .list([])]
            return .call(name, start + [end.code, place.depth.code, place.ownPath])
        case .sized(let content, let extent):
            // Other names than those to which the caller binds the result: a variable of Erlang has one value.
            let (inner, innerEnd) = Self.sizedBytes(place)
            let value = read(content, field, from: inner, end: innerEnd, place)
            return sized(extent, from: bytes, place) { _, _ in value }
        default: return scalar(type, field, from: bytes, place)
        }
    }

    /// Returns the variable of the bytes that a value stands inside, and their end.
    private static func sizedBytes(_ place: ErlangPlace) -> (inner: Expression, end: Expression) {
        (.name("y\(place.number)"), Self.place("e", .name("t\(place.number)")))
    }

    /// Returns what reads what stands inside a number of bytes.
    ///
    /// - Parameter read: Returns what reads the value, from the variable of its bytes and their end.
    private func sized(
        _ extent: TypeDescription.Extent, from bytes: Expression, _ place: ErlangPlace,
        _ read: (_ bytes: Expression, _ end: Expression) -> ErlangCode
    ) -> ErlangCode {
        let (rest, value) = (ErlangCode.name("t\(place.number)"), ErlangCode.name("w\(place.number)"))
        let (inner, end) = Self.sizedBytes(place)
        // What a structure leaves is skipped; other values leave nothing.
        let lines = [ErlangCode.match(.tuple([value, .ignored]), read(inner, end)), .tuple([value, rest])]
        return .choose(
            text("bytes", extent, nil, bytes, place.end()), [.init(.tuple([inner.code, rest]), body: lines)])
    }

    private func scalar(
        _ type: TypeDescription, _ field: FieldDescription?, from bytes: Expression, _ place: ErlangPlace
    ) -> ErlangCode {
        guard let scalar = types.scalar(type) else { return .noBytes }
        let (own, rest) = (Expression.name("x\(place.number)"), ErlangCode.name("r\(place.number)"))
        let check = check(type, field, own).map {
            [ErlangCode.unless($0.good, .fail($0.reason, place.ownPath, at: Self.place("e", bytes)))]
        }
        return .choose(
            bytes.code,
            [
                .init(
                    .binary([scalar.reading(own.code), .bytes(rest)]),
                    body: (check ?? []) + [.tuple([converted(type, own), rest])]),
                .init(.ignored, body: [.call("cut", [bytes.code, .number(scalar.byteCount)] + place.end())]),
            ])
    }

    private func maximum(_ field: FieldDescription?) -> ErlangCode {
        field?.maximumCount.map { .number($0) } ?? .literal("infinity")
    }

    /// Returns what reads text or bytes, by the extent that they have.
    ///
    /// - Parameter order: The byte order of UTF-16, whose counts are those of units.
    private func text(
        _ kind: String, _ extent: TypeDescription.Extent, order: ByteOrder? = nil, _ field: FieldDescription?,
        _ bytes: Expression, _ end: [ErlangCode]
    ) -> ErlangCode {
        let tail = (order.map { [.literal($0.erlangName)] } ?? []) + end
        let (arguments, whole) = ([bytes.code, maximum(field)] + tail, order == nil ? kind : "utf16_text")
        switch extent {
        case .counted(let format, let prefixOrder):
            guard order != nil else { return .call("\(kind)_\(ErlangTypes.name(format, prefixOrder))", arguments) }
            return .call(whole, [counted(format, prefixOrder, field, bytes, end)] + tail)
        case .terminated: return .call("terminated_" + kind, arguments)
        case .fixed(let byteCount, let padding):
            return .call("fixed_" + kind, [bytes.code, .number(byteCount), .number(padding)] + tail)
        case .exact(let byteCount):
            return .call(whole, [.tuple([.number(order == nil ? byteCount : byteCount / 2), bytes.code])] + tail)
        case .field(let count) where order == nil:
            return .call(kind, [counted(by: count, field, bytes, end)] + end)
        case .rest, .until, .field: return .call("rest_" + kind, arguments)
        }
    }

    private func counted(
        _ format: CountFormat, _ order: ByteOrder, _ field: FieldDescription?, _ bytes: Expression, _ end: [ErlangCode]
    ) -> ErlangCode {
        .call("count_" + ErlangTypes.name(format, order), [bytes.code, maximum(field)] + end)
    }

    /// Returns the number of items or bytes that an earlier field says, and the bytes.
    private func counted(
        by count: FieldCount, _ field: FieldDescription?, _ bytes: Expression, _ end: [ErlangCode]
    ) -> ErlangCode {
        let number = (counters[count.field] ?? 0).plus(count.addend)
        return .call("field_count", [number.code, maximum(field), bytes.code] + end)
    }

    // MARK: Numbers

    /// Returns the check of a field's number, if it needs one.
    private func check(
        _ field: PlannedField, _ own: Expression, _ place: ErlangPlace, at offset: Expression
    ) -> [ErlangCode] {
        guard let check = check(field.type, field.description, own) else { return [] }
        return [.unless(check.good, .fail(check.reason, place.ownPath, at: offset))]
    }

    /// Returns the condition for a valid number and the reason of the error; nil if every number is valid.
    private func check(
        _ type: TypeDescription, _ field: FieldDescription?, _ own: Expression
    ) -> (good: Expression, reason: ErlangCode)? {
        func reason(_ name: String, _ more: [ErlangCode] = []) -> ErlangCode {
            .tuple([.literal(name), own.code] + more)
        }
        if let field, case .number(let number, _, _) = types.description.constant(of: field) {
            return (own.compared(.equal, number, .int64), reason("wrong_constant", [.number(number)]))
        }
        switch type {
        case .boolean: return (own.compared(.lessOrEqual, 1, .uint8), reason("invalid_boolean"))
        case .enumeration(let index, _) where types.description.enumerations[index].isClosed:
            return (types.isCase(own, of: index, hasNames: field?.role != .derived), reason("unknown_case"))
        case .integer:
            guard let range = field?.range else { return nil }
            let (low, high) = (range.lowerBound, range.upperBound)
            let good = own.compared(.greaterOrEqual, low, .int64).and(own.compared(.lessOrEqual, high, .int64))
            return (good, reason("out_of_range", [.number(low), .number(high)]))
        case .float(let format, _):
            guard let range = field?.floatRange else { return nil }
            let bounds = [range.lowerBound, range.upperBound].map { Expression.float($0, byteCount: 8) }
            let value = Expression.call(nil, format.name, [own])
            return (
                .call(nil, "in_range", [value] + bounds),
                .tuple([.literal("float_out_of_range"), value.code] + bounds.map(\.code))
            )
        default: return nil
        }
    }

    /// Returns the value that a number means.
    private func converted(_ type: TypeDescription, _ own: Expression) -> ErlangCode {
        switch type {
        case .float(let format, _): .call(format.name, [own.code])
        case .boolean, .bit: own.compared(.equal, 1, .uint8).code
        case .enumeration(let index, _): .call(types.nameFunction(index), [own.code])
        case .flags(let index, _): .call("mask_names", [.call(types.masksFunction(index), []), own.code, 0])
        default: own.code
        }
    }

    // MARK: Lists

    /// The place of a list's item, inside the list's function.
    private static let item = ErlangPlace(name: "i", path: "p", depth: "d", number: 0)

    private mutating func addCounted(_ element: TypeDescription) {
        let name = types.listName(element)
        guard lists.insert(name).inserted else { return }
        let parameters: [ErlangCode] = [.tuple(["c", "b"]), "e", "d", "n", "p"]
        if let scalar = types.scalar(element), check(element, nil, "x") == nil {
            let items = ErlangCode.items(converted(element, "x"), each: .binary([scalar.reading("x")]), of: "l")
            let size = Expression.place(scalar.byteCount)
            functions.append(
                ErlangFunction(
                    name, parameters,
                    [
                        .bind("size", Expression.binary(.times, "c", size).code),
                        .choose(
                            "b",
                            [
                                .init(.binary([.bytes("l", "size"), .bytes("r")]), body: [.tuple([items, "r"])]),
                                .init(.ignored, body: [.call("cut_items", [size.code, "b", "e", "n", "p"])]),
                            ]),
                    ]))
            return
        }
        let value = read(element, nil, from: "b", Self.item)
        let next = [Expression.name("c").minus(1).code, Expression.name("i").plus(1).code, .list(["v"], tail: "a")]
        functions.append(
            ErlangFunction(
                name, parameters, [.call(name, ["b", "c", 0, .list([]), "e", "d", .list(["n"], tail: "p")])]))
        functions.append(
            ErlangFunction(
                name,
                [
                    .init(
                        ["r", 0, .ignored, "a", .ignored, .ignored, .ignored],
                        [.tuple([.call("lists:reverse", ["a"]), "r"])]),
                    .init(
                        ["b", "c", "i", "a", "e", "d", "p"],
                        [.match(.tuple(["v", "r1"]), value), .call(name, ["r1"] + next + ["e", "d", "p"])]),
                ]))
    }

    /// Adds a function that reads items up to the end of the bytes, or to a byte that ends the list.
    ///
    /// - Returns: Its name.
    private mutating func addTail(_ element: TypeDescription, until terminator: UInt8?) -> String {
        let name = (terminator.map { "until_\($0)_" } ?? "tail_") + types.listName(element)
        guard lists.insert(name).inserted else { return name }
        let value = read(element, nil, from: "b", Self.item)
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
        functions.append(
            ErlangFunction(
                name,
                ends + [
                    .init(
                        ["b", "i", "max", "a", "e", "d", "p"],
                        [
                            .unless(.binary(.less, "i", "max"), .fail(tooLong, "p", at: Self.place("e", "b"))),
                            .match(.tuple(["v", "r1"]), value),
                            .call(
                                name,
                                [
                                    "r1", Expression.name("i").plus(1).code, "max", .list(["v"], tail: "a"), "e", "d",
                                    "p",
                                ]),
                        ])
                ]))
        return name
    }

    // MARK: Unions

    mutating func readUnion(_ plan: UnionPlan, _ naming: ErlangNaming.Choice, tagsAt places: UnionPlan.TagPlaces) {
        if places.contains(.before) { readUnion(plan, naming, hasTag: true) }
        if places.contains(.elsewhere) { readUnion(plan, naming, hasTag: false) }
    }

    /// - Parameter hasTag: Whether the tag stands before the value; if not, it is a parameter.
    private mutating func readUnion(_ plan: UnionPlan, _ naming: ErlangNaming.Choice, hasTag: Bool) {
        let isSized = plan.sizePrefix != nil
        let end = isSized ? "e0" : "e"
        // What a tag stands before; without one what the union begins with.
        let rest: Expression = hasTag ? "b1" : "b"
        let start = Self.place(end, "b")
        var lines = [tooDeep(at: start)]
        if hasTag { lines.append(.match(.tuple(["t", rest.code]), readTag(plan.tag, .name(end)))) }
        lines += opening(plan.sizePrefix, from: rest.code)
        let bytes: Expression = isSized ? "s" : rest
        var clauses = zip(plan.arms, naming.cases).enumerated().map { index, arm in
            clause(arm.0, arm.1, plan, number: index + 1, from: bytes, hasTag: hasTag, start)
        }
        let unknown = ErlangCode.tagged("unknown_case", "t")
        if plan.defaultArm == nil {
            clauses.append(.init(.ignored, body: [.fail(unknown, .list(["n"], tail: "p"), at: start)]))
        }
        let choice = ErlangCode.choose("t", clauses)
        lines += isSized ? [.match("v", choice), .tuple(["v", "r"])] : [choice]
        let parameters: [ErlangCode] = ["b", .name(end), "d", "n", "p"]
        functions.append(
            ErlangFunction(
                (hasTag ? "read_" : "value_of_") + naming.type, hasTag ? parameters : ["t"] + parameters, lines))
    }

    /// Returns what reads a tag.
    private func readTag(_ type: TypeDescription, _ end: Expression) -> ErlangCode {
        let arguments = [end.code, "n", "p"]
        guard let scalar = types.scalar(type) else {
            let format = if case .varint(let format) = type { format } else { VarintFormat(.unsigned) }
            return .call(format.encoding.name, ["b", .number(format.maximumByteCount)] + arguments)
        }
        return .choose(
            "b",
            [
                .init(.binary([scalar.reading("x0"), .bytes("r0")]), body: [.tuple(["x0", "r0"])]),
                .init(.ignored, body: [.call("cut", ["b", .number(scalar.byteCount)] + arguments)]),
            ])
    }

    /// Returns the clause of an arm: the value, with the rest of the bytes if the union is not sized.
    private mutating func clause(
        _ arm: PlannedArm, _ atom: String, _ plan: UnionPlan, number: Int, from bytes: Expression, hasTag: Bool,
        _ start: Expression
    ) -> ErlangCode.Clause {
        let isSized = plan.sizePrefix != nil
        let tag = arm.tag.map { ErlangCode.number($0) } ?? .ignored
        guard let field = arm.field else {
            return .init(tag, body: [isSized ? .atom(atom) : .tuple([.atom(atom), bytes.code])])
        }
        let place = ErlangPlace(name: .text(arm.name), path: "q", depth: Self.lessDepth, number: number)
        var lines: [ErlangCode] = []
        // The number of a tag elsewhere has been checked when it was read as a field.
        if arm.tag == nil, hasTag, types.plan.isClosed(plan.tag), case .enumeration(let index, _) = plan.tag {
            let unknown = ErlangCode.tagged("unknown_case", "t")
            lines.append(
                .unless(
                    types.isCase("t", of: index, hasNames: true), .fail(unknown, .list(["n"], tail: "p"), at: start)))
        }
        let own = ErlangCode.name("v\(number)")
        let rest: ErlangCode = isSized ? .ignored : field.type.goesToEnd ? .noBytes : "s\(number)"
        lines.append(.match(.tuple([own, rest]), read(field.type, field.description, from: bytes, place)))
        var value = ErlangCode.tuple([.atom(atom), own])
        if arm.tag == nil { value = .tuple([.atom(atom), types.tagValue(plan.tag, "t"), own]) }
        return .init(tag, body: lines + [isSized ? value : .tuple([value, rest])])
    }
}
