// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the functions that write messages, structures, unions and lists; they check every value before writing it.
///
/// The value of the field n is `Vn`, its number or its bytes are `An`.
struct ErlangWriting {
    let types: ErlangTypes
    private(set) var functions: [ErlangFunction] = []
    private var lists: Set<String> = []

    init(_ types: ErlangTypes) { self.types = types }

    // MARK: Records

    mutating func writeMessage(_ message: MessageDescription, _ plan: BodyPlan, _ naming: ErlangNaming.Record) {
        let path = ErlangCode.list([.text(message.name)])
        let lines = body(plan, path: path, depth: .place(types.description.options.maximumDepth))
        let numbers = types.headerNumbers(plan, usual: \.usualNumber)
        functions.append(
            ErlangFunction(
                "write_\(naming.name)", [record(naming)] + (plan.looksAtHeader ? ["h"] : []), numbers + lines))
    }

    mutating func writeStructure(_ plan: BodyPlan, _ naming: ErlangNaming.Record) {
        var lines = body(plan, path: "q", depth: Self.lessDepth)
        if let prefix = plan.sizePrefix, let output = lines.popLast() {
            lines += [.match("body", output)] + counting("body", prefix) + [.list([count("size", prefix), "body"])]
        }
        let wrong = ErlangCode.fail(.tagged("wrong_type", .literal("record")), Self.path)
        functions.append(
            ErlangFunction(
                "write_\(naming.name)",
                [
                    .init(.ignored, 0, "n", "p", body: [tooDeep]),
                    .init([record(naming), "d", "n", "p"], [.bind("q", Self.path)] + lines),
                    .init(.ignored, .ignored, "n", "p", body: [wrong]),
                ]))
    }

    private func record(_ naming: ErlangNaming.Record) -> ErlangCode {
        let names = naming.fields + (naming.trailing.map { [$0] } ?? [])
        return .record(naming.name, names.enumerated().filter { !$1.isEmpty }.map { ($1, "v\($0)") })
    }

    private static let path = ErlangCode.list(["n"], tail: "p")
    private static let lessDepth = Expression.name("d").minus(1)

    private var tooDeep: ErlangCode {
        .fail(.tagged("too_deep", .number(types.description.options.maximumDepth)), Self.path)
    }

    /// Returns what binds the size of a body, and checks it against what its prefix can say.
    private func counting(_ body: ErlangCode, _ prefix: PlannedCount) -> [ErlangCode] {
        let most = Int128(prefix.maximum)
        let tooLong = ErlangCode.tagged("too_long", "size", .number(most))
        return [
            .bind("size", .call("iolist_size", [body])),
            .unless(Expression.name("size").compared(.lessOrEqual, most, .int64), .fail(tooLong, Self.path)),
        ]
    }

    // MARK: Fields

    /// The bytes of the fields so far.
    private struct Output {
        var parts: [ErlangCode] = []
        var segments: [ErlangCode.Segment] = []

        mutating func add(_ part: ErlangCode?) {
            if !segments.isEmpty { parts.append(.binary(segments)) }
            segments = []
            if let part { parts.append(part) }
        }

        var code: ErlangCode { parts.count == 1 ? parts[0] : .list(parts) }
    }

    /// Returns what checks the fields in order, and as the last line their bytes.
    private mutating func body(_ plan: BodyPlan, path: ErlangCode, depth: Expression) -> [ErlangCode] {
        var lines: [ErlangCode] = []
        var output = Output()
        // What needs the numbers of fields that count others.
        var late: [ErlangCode] = []
        // The number of each field that conditions can look at.
        var operands: [Int: Expression] = [:]
        // The first field that is not set; no field after it may be set.
        var gap: ErlangCode?
        for field in plan.fields {
            let index = field.index
            if field.description.role == .padding {
                output.segments.append(.bits(0, 8 * (types.plan.fixedByteCount(of: field.type) ?? 0)))
                continue
            }
            if field.description.packing == nil, let constant = types.description.constant(of: field.description) {
                output.segments += Self.segments(of: constant)
                continue
            }
            if let user = field.reference.user, case .union(let union) = plan.fields[user].type.content {
                let tag = ErlangCode.call("tag_of_\(types.naming.unions[union].type)", ["v\(user)"])
                if let scalar = types.scalar(field.type) {
                    output.segments.append(scalar.writing(tag))
                } else {
                    output.add(.call("leb128", [tag]))
                }
                continue
            }
            let place = ErlangPlace(name: .text(field.description.name), path: path, depth: depth, number: index)
            let (value, result) = (Expression.name("v\(index)"), Expression.name("a\(index)"))
            if field.isCounter, field.description.packing == nil {
                if let scalar = types.scalar(field.type) {
                    output.segments.append(scalar.writing(result.code))
                } else {
                    output.add(result.code)
                }
                continue
            }
            if field.isOptional || field.followsOptional {
                if field.followsOptional || field.isFollowed {
                    let arguments = [gap ?? .literal("none"), place.name, value.code, path]
                    lines.append(.match("g\(index)", .call("gap", arguments)))
                }
                gap = "g\(index)"
            }
            if let packing = field.description.packing {
                if field.hasValue {
                    lines.append(.match(result.code, number(field.type, field.description, value.code, place)))
                    operands[index] = result
                }
                guard packing.endsRun, let planned = plan.runs.first(where: { $0.bits.last?.field == index }) else {
                    continue
                }
                let run = types.run(planned, "a")
                output.segments += run.segments
                let isLate = planned.bits.contains { plan.fields[$0.field].isCounter }
                if let making = run.making { if isLate { late.append(making) } else { lines.append(making) } }
                continue
            }
            if let scalar = types.scalar(field.type), !field.mayBeUnset {
                lines.append(.match(result.code, number(field.type, field.description, value.code, place)))
                output.segments.append(scalar.writing(result.code))
                operands[index] = result
                continue
            }
            var bytes = write(field, value, place)
            if field.mayBeUnset {
                let checked = present(field, value, place, in: plan, operands)
                bytes = .choose(
                    checked,
                    [.init(Expression.nothing.code, body: [absence(of: field)]), .init(.ignored, body: [bytes])])
            }
            lines.append(.match(result.code, bytes))
            output.add(result.code)
            lines += agreement(of: field, value, place, plan)
            guard plan.operands.contains(index) else { continue }
            lines.append(.match("n\(index)", types.operandNumber(field, value, place)))
            operands[index] = "n\(index)"
        }
        output.add(nil)
        lines += plan.derivations.map { number(of: $0, plan) } + late
        if plan.end == .kept {
            let kept = Expression.name("a\(plan.fields.count)")
            lines.append(.match(kept.code, .call("bytes_value", ["v\(plan.fields.count)", .text("trailing"), path])))
            if let gap { lines.append(.match(.ignored, .call("no_gap", [gap, path, kept.code]))) }
            output.add(kept.code)
        }
        return lines + [output.code]
    }

    /// Returns the segments of what a field always is.
    private static func segments(of constant: PlannedConstant) -> [ErlangCode.Segment] {
        switch constant {
        case .number(let number, let format, let order): return [.number(.number(number), format, order)]
        case .text(let text, let byteCount, let padding):
            let count = text.utf8.count
            let bytes = text.utf8.map { ErlangCode.Segment(value: .number($0)) }
            guard count < byteCount else { return bytes }
            let rest = ErlangCode.call(
                "binary:copy", [.binary([.init(value: .number(padding))]), .number(byteCount - count)])
            return bytes + [.bytes(rest)]
        }
    }

    /// Returns the value that is set exactly when its condition holds; without a condition the value.
    ///
    /// - Parameter operands: The numbers of earlier fields.
    private func present(
        _ field: PlannedField, _ value: Expression, _ place: ErlangPlace, in plan: BodyPlan,
        _ operands: [Int: Expression]
    ) -> ErlangCode {
        guard let condition = field.condition else { return value.code }
        let holds = types.condition(condition, plan, operands)
        return .call("present", [value.code, holds.code, place.name, place.path])
    }

    /// Returns the bytes of a field that is absent: those of its prefix, if that says so.
    private func absence(of field: PlannedField) -> ErlangCode {
        guard field.isNullable, let format = field.description.count?.format else { return .list([]) }
        return format.fixedByteCount.map { .binary([.bits(.number(-1), 8 * $0)]) } ?? .binary([.init(value: 1)])
    }

    // MARK: Counters

    /// Returns what binds the number of a field that counts others, which is known once those are checked.
    private func number(of derivation: PlannedDerivation, _ plan: BodyPlan) -> ErlangCode {
        let number = number(counting: derivation, plan)
        guard case .varint(let format) = plan.fields[derivation.field].type else {
            return .match("a\(derivation.field)", number)
        }
        return .match("a\(derivation.field)", .call("leb128", [format.erlangBits(number)]))
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

    /// Returns what compares the number that a field needs with that of earlier ones; nothing if it is alone.
    private func agreement(
        of field: PlannedField, _ value: Expression, _ place: ErlangPlace, _ plan: BodyPlan
    ) -> [ErlangCode] {
        guard let derivation = plan.derivation(counting: field.index), derivation.isShared,
            let position = derivation.counted.firstIndex(where: { $0.field == field.index })
        else { return [] }
        let counted = derivation.counted[position]
        let before: ErlangCode = position == 0 ? .literal("none") : "d\(derivation.counted[position - 1].field)"
        let arguments = [before, Self.needed(by: counted).code, .number(counted.count.addend)]
        let agreed = ErlangCode.call("agreed", arguments + [place.name, place.path])
        let number =
            field.mayBeUnset
            ? ErlangCode.choose(
                value.code, [.init(Expression.nothing.code, body: [before]), .init(.ignored, body: [agreed])]) : agreed
        return [.match("d\(field.index)", number)]
    }

    /// Returns the number that a field needs which has been checked and written.
    private static func needed(by counted: PlannedDerivation.Counted) -> Expression {
        let count: Expression =
            counted.measure == .items
            ? .call(nil, "length", ["v\(counted.field)"]) : .call(nil, "iolist_size", ["a\(counted.field)"])
        return count.plus(-counted.count.addend)
    }

    // MARK: Values

    /// Returns the bytes of a field.
    private mutating func write(_ field: PlannedField, _ value: Expression, _ place: ErlangPlace) -> ErlangCode {
        guard field.reference.tagSource != nil, case .union(let index) = field.type.content else {
            return write(field.type, field.description, value.code, place)
        }
        let function = "bytes_of_\(types.naming.unions[index].type)"
        let body = ErlangCode.call(function, [value.code, place.depth.code, place.name, place.path])
        guard case .sized(let content, let extent) = field.type else { return body }
        return sized(body, content, extent, place)
    }

    /// Returns the integer that represents a value of fixed width.
    private func number(
        _ type: TypeDescription, _ field: FieldDescription?, _ value: ErlangCode, _ place: ErlangPlace
    ) -> ErlangCode {
        let end = [place.name, place.path]
        switch type {
        case .float(let format, _):
            let bits = ErlangCode.call(format.name + "_bits", [value] + end)
            guard let range = field?.floatRange else { return bits }
            let bounds = [range.lowerBound, range.upperBound].map { Expression.float($0, byteCount: 8).code }
            return .call(format.name + "_within", [bits] + bounds + end)
        case .enumeration(let index, _) where types.plan.isClosed(type):
            return .call("closed", [.call(types.numberFunction(index), [value])] + end)
        default:
            let range = types.plan.number(type, range: field?.range)?.allowed ?? 0...0
            let isBoolean = if case .boolean = type { true } else if case .bit = type { true } else { false }
            return types.number(type, range, isBoolean: isBoolean, value, end)
        }
    }

    private func bounds(_ range: ClosedRange<Int128>) -> [ErlangCode] {
        [.number(range.lowerBound), .number(range.upperBound)]
    }

    /// Returns a value's bytes.
    private mutating func write(
        _ type: TypeDescription, _ field: FieldDescription?, _ value: ErlangCode, _ place: ErlangPlace
    ) -> ErlangCode {
        let end = [place.name, place.path]
        switch type {
        case .digits(let byteCount): return .call("put_digits", [value, .number(byteCount)] + end)
        case .string(.fixed(let byteCount, let padding)):
            return .call("put_fixed_text", [value, .number(byteCount), .number(padding)] + end)
        case .string(.exact(let byteCount)):
            return .call("exact", [.call("string_value", [value] + end), .number(byteCount)] + end)
        case .bytes(.exact(let byteCount)):
            return .call("exact", [.call("bytes_value", [value] + end), .number(byteCount)] + end)
        case .sized(let content, let extent): return sized(write(content, field, value, place), content, extent, place)
        case .string: return text("string", "text", value, type, field, end)
        case .utf16(let extent, let order): return utf16(value, extent, order, field, place)
        case .bytes: return text("bytes", "bytes", value, type, field, end)
        case .varint(let format):
            let number = ErlangCode.call("integer", [value] + bounds(field?.range ?? format.range) + end)
            return .call("leb128", [format.erlangBits(number)])
        case .properties: return .call("property_list", [value] + end)
        case .structure(let index):
            return .call("write_" + types.naming.structures[index].name, [value, place.depth.code] + end)
        case .union(let index):
            return .call("write_" + types.naming.unions[index].type, [value, place.depth.code] + end)
        case .fixedList(let element, let count):
            return items(.call("item_count", [value, .number(count)] + end), element, place)
        case .list(let element, let extent):
            if let prefix = type.count(limit: field?.maximumCount) {
                let own = ErlangCode.name("l\(place.number)")
                let list = ErlangCode.call("list_value", [value, .number(prefix.maximum)] + end)
                let length = Expression.call(nil, "length", [.name("l\(place.number)")])
                let bytes = ErlangCode.list([count(length, prefix)], tail: items(own, element, place))
                return .choose(list, [.init(own, body: [bytes])])
            }
            let list = ErlangCode.call("list_value", [value, limit(maximum(of: type, field))] + end)
            return items(list, element, until: extent.terminator, place)
        default:
            let number = number(type, field, value, place)
            return .binary(types.scalar(type).map { [$0.writing(number)] } ?? [])
        }
    }

    private func limit(_ limit: Int?) -> ErlangCode { limit.map { .number($0) } ?? .literal("infinity") }

    /// Returns bytes with the prefix or the zeros that their number of bytes asks for.
    private func sized(
        _ body: ErlangCode, _ content: TypeDescription, _ extent: TypeDescription.Extent, _ place: ErlangPlace
    ) -> ErlangCode {
        let end = [place.name, place.path]
        let bytes = ErlangCode.call("iolist_to_binary", [body])
        if case .exact(let byteCount) = extent {
            return .call(content.goesToEnd ? "exact" : "filled", [bytes, .number(byteCount)] + end)
        }
        if case .field(let count) = extent {
            return Self.atLeast(count, .call("limited", [bytes, .number(count.range.upperBound)] + end), end)
        }
        guard let prefix = TypeDescription.sized(content, extent).count(limit: nil) else { return body }
        let own = Expression.name("z\(place.number)")
        return .choose(
            .call("limited", [bytes, .number(prefix.maximum)] + end),
            [.init(own.code, body: [.list([count(.byteSize(own), prefix), own.code])])])
    }

    private func text(
        _ name: String, _ kind: String, _ value: ErlangCode, _ type: TypeDescription, _ field: FieldDescription?,
        _ end: [ErlangCode]
    ) -> ErlangCode {
        if let prefix = type.count(limit: field?.maximumCount) {
            return .call("put_\(kind)_\(ErlangTypes.name(prefix))", [value, .number(prefix.maximum)] + end)
        }
        var checked = ErlangCode.call(name + "_value", [value] + end)
        if let maximum = maximum(of: type, field) {
            checked = .call("limited", [checked, .number(maximum)] + end)
        }
        if let count = type.fieldCount { checked = Self.atLeast(count, checked, end) }
        return type.extent == .terminated ? .list([.call("without_nul", [checked] + end), 0]) : checked
    }

    private func utf16(
        _ value: ErlangCode, _ extent: TypeDescription.Extent, _ order: ByteOrder, _ field: FieldDescription?,
        _ place: ErlangPlace
    ) -> ErlangCode {
        let end = [.literal(order.erlangName), place.name, place.path]
        let arguments = [value, limit(field?.maximumCount)] + end
        switch extent {
        case .counted:
            guard let prefix = TypeDescription.string(extent).count(limit: field?.maximumCount) else { return .noBytes }
            let own = Expression.name("l\(place.number)")
            let units = Expression.call(nil, "units_of", [own])
            return .choose(
                .call("utf16_value", [value, .number(prefix.maximum)] + end),
                [.init(own.code, body: [.list([count(units, prefix), own.code])])])
        case .terminated: return .call("put_terminated_utf16", arguments)
        case .rest, .exact, .field, .until: return .call("utf16_value", arguments)
        case .fixed(let byteCount, let padding):
            return .call("put_fixed_utf16", [value, .number(byteCount), .number(padding)] + end)
        }
    }

    /// Returns the bytes of a prefix.
    private func count(_ value: Expression, _ prefix: PlannedCount) -> ErlangCode {
        switch prefix.format {
        case .varint: return .call("leb128", [value.code])
        case .zigzag: return .call("leb128", [Expression.binary(.times, 2, value).code])
        default:
            let isLittle = prefix.byteOrder == .littleEndian && prefix.format.hasByteOrder
            return .binary([.bits(value.code, 8 * (prefix.format.fixedByteCount ?? 0), isLittle ? ["little"] : [])])
        }
    }

    /// Returns the most items or bytes of a value without a prefix; nil if there is no limit.
    private func maximum(of type: TypeDescription, _ field: FieldDescription?) -> Int? {
        guard let count = type.fieldCount else { return field?.maximumCount }
        return min(field?.maximumCount ?? .max, count.range.upperBound)
    }

    /// Returns bytes that are checked against the smallest size that an earlier field can say.
    private static func atLeast(_ count: FieldCount, _ bytes: ErlangCode, _ end: [ErlangCode]) -> ErlangCode {
        count.range.lowerBound > 0 ? .call("at_least", [bytes, .number(count.range.lowerBound)] + end) : bytes
    }

    // MARK: Lists

    /// - Parameter terminator: The byte that ends the list, with which no item may begin; nil if none does.
    private mutating func items(
        _ list: ErlangCode, _ element: TypeDescription, until terminator: UInt8? = nil, _ place: ErlangPlace
    ) -> ErlangCode {
        let name = (terminator.map { "put_until_\($0)_" } ?? "put_") + types.listName(element)
        if lists.insert(name).inserted {
            let item = ErlangPlace(name: "i", path: "p", depth: "d", number: 0)
            var value = write(element, nil, "v", item)
            if let terminator {
                let bytes = ErlangCode.call("iolist_to_binary", [value])
                value = .call("not_beginning_with", [.number(terminator), bytes, "i", "p"])
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
        }
        return .call(name, [list, 0, place.depth.code, place.ownPath])
    }

    // MARK: Unions

    mutating func writeUnion(_ plan: UnionPlan, _ naming: ErlangNaming.Choice, tagsAt places: UnionPlan.TagPlaces) {
        if places.contains(.before) { writeUnion(plan, naming, hasTag: true) }
        guard places.contains(.elsewhere) else { return }
        writeUnion(plan, naming, hasTag: false)
        functions.append(tagFunction(plan, naming))
    }

    /// - Parameter hasTag: Whether the tag stands before the value.
    private mutating func writeUnion(_ plan: UnionPlan, _ naming: ErlangNaming.Choice, hasTag: Bool) {
        var clauses = zip(plan.arms, naming.cases).enumerated().map { index, arm in
            clause(arm.0, .atom(arm.1), number: index + 1, plan, hasTag: hasTag)
        }
        let wrong = ErlangCode.tagged("wrong_type", .literal("union"))
        clauses.append(.init(.ignored, body: [.fail(wrong, Self.path)]))
        var lines = [ErlangCode.choose("v", clauses)]
        if let prefix = plan.sizePrefix {
            lines =
                [.match(hasTag ? .tuple(["t", "body"]) : "body", lines[0])] + counting("body", prefix)
                + [.list((hasTag ? ["t"] : []) + [count("size", prefix), "body"])]
        }
        functions.append(
            ErlangFunction(
                (hasTag ? "write_" : "bytes_of_") + naming.type,
                [
                    .init(.ignored, 0, "n", "p", body: [tooDeep]),
                    .init(["v", "d", "n", "p"], [.bind("q", Self.path)] + lines),
                ]))
    }

    /// Returns the clause of an arm: its tag and its value, apart if a size stands between them.
    private mutating func clause(
        _ arm: PlannedArm, _ atom: ErlangCode, number: Int, _ plan: UnionPlan, hasTag: Bool
    ) -> ErlangCode.Clause {
        func pair(_ tag: ErlangCode, _ value: ErlangCode?) -> ErlangCode {
            guard hasTag else { return value ?? .list([]) }
            return plan.sizePrefix != nil ? .tuple([tag, value ?? .list([])]) : value.map { .list([tag, $0]) } ?? tag
        }
        func bytes(_ number: ErlangCode) -> ErlangCode {
            types.scalar(plan.tag).map { .binary([$0.writing(number)]) } ?? .call("leb128", [number])
        }
        guard let field = arm.field else { return .init(atom, body: [pair(bytes(.number(arm.tag ?? 0)), nil)]) }
        let place = ErlangPlace(name: .text(arm.name), path: "q", depth: Self.lessDepth, number: number)
        let own = ErlangCode.name("v\(number)")
        let value = write(field.type, field.description, own, place)
        if let tag = arm.tag { return .init(.tuple([atom, own]), body: [pair(bytes(.number(tag)), value)]) }
        let known = ErlangCode.list(plan.taggedArms.compactMap(\.tag).map { .number($0) })
        let tag = ErlangCode.name("t\(number)")
        let kept = ErlangCode.call("kept_tag", [self.number(ofTag: plan.tag, tag, place), known, place.name, "q"])
        return .init(
            .tuple([atom, tag, own]), body: hasTag ? [pair(bytes(kept), value)] : [.match(.ignored, kept), value])
    }

    /// Returns the number of a union's tag.
    private func number(ofTag type: TypeDescription, _ value: ErlangCode, _ place: ErlangPlace) -> ErlangCode {
        guard case .varint(let format) = type else { return number(type, nil, value, place) }
        return .call("integer", [value] + bounds(format.range) + [place.name, place.path])
    }

    /// Returns the function for the tag that stands in another field: 0 if the union is not set.
    private func tagFunction(_ plan: UnionPlan, _ naming: ErlangNaming.Choice) -> ErlangFunction {
        let clauses = zip(plan.arms, naming.cases).map { arm, name -> ErlangCode.Clause in
            guard let tag = arm.tag else {
                return .init(.tuple([.atom(name), "t", .ignored]), body: [types.tagNumber(plan.tag, "t")])
            }
            return .init(arm.field == nil ? .atom(name) : .tuple([.atom(name), .ignored]), body: [.number(tag)])
        }
        return ErlangFunction("tag_of_\(naming.type)", clauses + [.init(Expression.nothing.code, body: [0])])
    }
}

extension PacketField {
    /// The number that is written for a field which a program can set, if it does not set it.
    fileprivate var usualNumber: Int128 { if case .value(let value) = role { value.number } else { 0 } }
}
