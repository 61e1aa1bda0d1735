// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The statements that read values and bodies.
///
/// Names of variables for the field n: `vn` is its number if it has no member, or its value if it may be absent. `cn`
/// says whether the field is present; `bn` is the integer that several fields share.
extension StatementBuilder {
    enum Target {
        case assign(Expression)
        case declare(String)

        var expression: Expression {
            switch self {
            case .assign(let expression): expression
            case .declare(let name): .name(name)
            }
        }
    }

    func set(
        _ target: Target, _ value: ValuePlan, _ expression: Expression, hasEffect: Bool = true
    ) -> Statement {
        switch target {
        case .assign(let place): .assign(place, expression)
        case .declare(let name): .constant(name, .value(value), expression, hasEffect: hasEffect)
        }
    }

    // MARK: Values

    /// - Parameters:
    ///   - name: The expression for the value's name in errors.
    ///   - unique: A suffix that keeps the variables apart from those of other values of the body.
    ///   - known: The count of bytes, units or items, if it has been read already.
    ///   - body: The enclosing body; its earlier fields count others.
    func read(
        _ value: ValuePlan, _ name: Expression, into target: Target, unique: String, count known: Expression? = nil,
        _ body: BodyFields? = nil
    ) -> [Statement] {
        switch value {
        case .structure(let index) where dialect.catchesErrors:
            return [set(target, value, .call(.structure(index), "read", ["r", name]))]
        case .structure(let index) where dialect.hasRecords:
            return [set(target, value, .call(nil, structures[index].read, ["r", name]))]
        case .structure(let index):
            return [
                set(target, value, .structure(index)), .evaluate(.call(target.expression, "read", ["r", name])),
            ]
        case .union(let index, let source):
            let call: Expression =
                source.map { .call(nil, unions[index].readTagged, ["r", self.operand($0, body), name]) }
                ?? .call(nil, unions[index].read, ["r", name])
            return [set(target, value, call)]
        case .list(let item, let count, let least):
            return readList(item, known.map { .known($0) } ?? .plan(count), least, name, target, value, unique, body)
        case .sized(let content, let count, _):
            let end = "e\(unique)"
            let inside = read("inside", known ?? self.count(count, name, body), name)
            return [.constant(end, .position, inside)]
                + read(content, name, into: target, unique: unique + "_", body) + [reading("outside", .name(end))]
        default:
            if dialect.catchesErrors, case .number(let plan) = value {
                let number = integer(plan.format, plan.byteOrder, name)
                return typed(value, number, name, into: target, unique, at: last(plan.format.byteCount))
            }
            let (start, place) = start(of: value, unique)
            let read = set(target, value, read(value, name, count: known, body))
            return start + [read] + (known == nil ? afterText(value, name) : [])
                + check(value, target.expression, name, "r", at: place)
        }
    }

    /// Returns statements that save the offset where a value begins, and that offset for errors; nil if the reader
    /// knows it.
    private func start(of value: ValuePlan, _ unique: String) -> (statements: [Statement], place: Expression?) {
        switch value {
        case .number(let number): return ([], last(number.format.byteCount))
        case .float(let byteCount, _, _): return ([], last(byteCount))
        case .varint(let format, let allowed) where dialect.packsNumbers && allowed != format.range:
            return ([.constant("s\(unique)", .position, read("position"))], "s\(unique)")
        default: return ([], nil)
        }
    }

    /// Returns the statements that check a number just read, and convert it to its type.
    func typed(
        _ value: ValuePlan, _ raw: Expression, _ name: Expression, into target: Target, _ unique: String,
        at place: Expression?
    ) -> [Statement] {
        guard case .number(let number) = value else { return [] }
        let own = "x\(unique)"
        if case .plain = number.kind {
            return [set(target, value, raw)] + check(value, target.expression, name, "r", at: place)
        }
        return [.constant(own, .number(number.format), raw, hasEffect: true)]
            + check(value, .name(own), name, "r", at: place) + [set(target, value, number.value(of: .name(own)))]
    }

    /// Reads a value; in languages for pages, also records where it was read.
    func readTraced(
        _ value: ValuePlan, _ name: Expression, into target: Target, unique: String, count known: Expression? = nil,
        _ body: BodyFields? = nil
    ) -> [Statement] {
        let statements = read(value, name, into: target, unique: unique, count: known, body)
        return traced(statements, target.expression, name, unique: unique)
    }

    /// Adds statements that record where the value was read, in languages for pages.
    func traced(_ statements: [Statement], _ value: Expression, _ name: Expression, unique: String) -> [Statement] {
        guard dialect.isForPages else { return statements }
        let start = "from\(unique)"
        return [.constant(start, .position, read("position"))] + statements
            + [reading("seen", .name(start), value, name)]
    }

    /// Returns the statement that skips the terminator (a unit of 0) after a text.
    private func afterText(_ value: ValuePlan, _ name: Expression) -> [Statement] {
        guard case .content(.terminated, let encoding) = value else { return [] }
        return [reading("take", .place(encoding.unitByteCount), name)]
    }

    /// Returns the statements that check a number after it is read, or before it is written.
    ///
    /// - Parameter place: The offset where it was read; nil if the language's reader knows it (the default).
    func check(
        _ value: ValuePlan, _ own: Expression, _ name: Expression, _ object: String, at place: Expression? = nil
    ) -> [Statement] {
        let types = object == "w" ? checkType(value, own, name) : []
        func require(_ condition: Expression, _ kind: String) -> [Statement] {
            types + [requiring(condition, kind, name, object, at: place)]
        }
        if object == "w", let checked = dialect.checked(value, own, name) { return [.evaluate(checked)] }
        switch value {
        case .number(let number):
            let own = number.number(of: own)
            if let index = number.closedEnumeration {
                let isCase = dialect.packsNumbers ? .isCase(own, of: index) : isCase(own, of: index)
                let known = requiring(isCase, "unknown_case", name, object, at: place)
                // A number beyond the enum's type is out of range, not an unknown case.
                guard object == "w", let isHeld = isWithin(own, number.format.range, number.format) else {
                    return types + [known]
                }
                return require(isHeld, "out_of_range") + [known]
            }
            guard let range = number.range, let condition = isWithin(own, range, number.format) else {
                return hasWord(number.format) ? [] : types
            }
            return require(condition, "out_of_range")
        case .boolean: return types
        case .varint(let format, let allowed):
            guard object == "w" || allowed != format.range,
                let condition = isWithin(own, allowed, dialect.format(of: format))
            else { return [] }
            return require(condition, "out_of_range")
        case .float(let byteCount, let order, let range?):
            let double = ValuePlan.float(byteCount: 8, order, range: nil)
            let wide: Expression =
                switch byteCount {
                // The program holds it in 8 bytes; the range applies to the value as written.
                case ..<4: object == "w" ? written("nearest\(8 * byteCount)", own, name) : own
                case 4: .convert(own, from: .value(value), to: .value(double))
                default: own
                }
            let low = Expression.binary(.greaterOrEqual, wide, .float(range.lowerBound, byteCount: 8))
            let high = Expression.binary(.lessOrEqual, wide, .float(range.upperBound, byteCount: 8))
            return require(low.and(high), "float_out_of_range")
        default: return []
        }
    }

    func read(
        _ value: ValuePlan, _ name: Expression, count known: Expression? = nil, _ body: BodyFields? = nil
    ) -> Expression {
        switch value {
        case .number(let number): return number.value(of: integer(number.format, number.byteOrder, name))
        case .float(let byteCount, let order, _):
            return read(suffix(byteCount, order), name)
        case .boolean: return read("bool", name)
        case .varint(let format, _): return varint(format, name)
        case .content(.exactly(let byteCount), .digits(let notation)):
            return read(notation.word, .place(byteCount), name)
        case .content(_, .properties(let isStrict)): return read("properties", .boolean(isStrict), name)
        case .content(.filled(let byteCount, let padding), let encoding):
            let places = [Expression.place(byteCount), .place(Int(padding))]
            return .call("r", "fixed" + encoding.upperWord, places + encoding.order + [name])
        case .content(let count, let encoding):
            let units = encoding.unitByteCount == 1 ? "" : "Units"
            let number = known ?? self.count(count, name, body, units: units)
            return .call("r", encoding.word, [number] + encoding.order + [name])
        case .structure, .union, .list, .sized: return .nothing
        }
    }

    func integer(_ format: IntegerFormat, _ order: ByteOrder, _ name: Expression) -> Expression {
        if hasWord(format) { return read(suffix(format, order), name) }
        return read(format.isSigned ? "sint" : "uint", .place(format.byteCount), order.isLittle, name)
    }

    func varint(_ format: VarintFormat, _ name: Expression) -> Expression {
        let most = Expression.place(format.maximumByteCount)
        switch format.encoding {
        case .zigzag: return read(dialect.word("zigzag", for: format), most, name)
        case .signed32 where format.isSigned: return read("varint32", most, name)
        case .unsigned, .signed32, .signed64:
            return read(dialect.word("varint", for: format), most, name)
                .converted(from: bits(of: format), to: dialect.format(of: format))
        }
    }

    // MARK: Counts

    /// Returns a limit; -1 means none.
    func limit(_ limit: Int?) -> Expression {
        guard let limit, limit > Int(Int32.max) else { return .place(limit ?? -1) }
        return .number(Int128(limit), dialect.countFormat)
    }

    /// - Parameter units: The suffix of the words that count units (default: none, for bytes).
    private func count(
        _ count: CountPlan, _ name: Expression, _ body: BodyFields?, units: String = ""
    ) -> Expression {
        switch count {
        case .prefix(let prefix): return read("count", code(prefix), limit(prefix.limit), name)
        case .field(let counted, let index, let most):
            let number = self.number(of: index, body)
            let addend = Expression.number(Int128(abs(counted.addend)), dialect.countFormat)
            let sum = counted.addend == 0 ? number : counted.addend < 0 ? number.minus(addend) : number.plus(addend)
            return read("counted", sum, limit(most), name)
        case .exactly(let count): return .number(Int128(count), dialect.countFormat)
        case .filled(let byteCount, _): return .number(Int128(byteCount), dialect.countFormat)
        case .terminated(let most): return read("terminated" + units, limit(most), name)
        case .until, .rest: return read("rest" + units, limit(count.maximum), name)
        }
    }

    private func operand(_ index: Int, _ body: BodyFields?) -> Expression {
        guard let field = body?.fields[index], field.planned.hasValue else { return "v\(index)" }
        return member(field)
    }

    /// Returns the number of an earlier field as a count.
    private func number(of index: Int, _ body: BodyFields?) -> Expression {
        let own = operand(index, body)
        switch body?.fields[index].value {
        case .number(let number)?: return asLength(number.number(of: own), number.format)
        case .varint(let format, _)?: return asLength(own, dialect.format(of: format))
        default: return own
        }
    }

    /// Returns a number as a count. Unsigned 64-bit numbers saturate, because they may exceed every valid length.
    func asLength(_ number: Expression, _ format: IntegerFormat) -> Expression {
        format.bitWidth == 64 && !format.isSigned
            ? read("saturated", number) : number.converted(from: format, to: dialect.countFormat)
    }

    // MARK: Lists

    private enum ListCount {
        case known(Expression)
        case plan(CountPlan)
    }

    private func readList(
        _ item: ValuePlan, _ count: ListCount, _ least: Int, _ name: Expression, _ target: Target, _ value: ValuePlan,
        _ unique: String, _ body: BodyFields?
    ) -> [Statement] {
        let (list, index, one, number) = ("a\(unique)", "i\(unique)", "o\(unique)", "n\(unique)")
        var fixed: Int?
        var statements: [Statement] = []
        if dialect.catchesErrors, let format = item.packedFormat, let number = knownCount(count, name, body) {
            return [set(target, value, .numbers(format, count: number, name: name))]
        }
        let next: Expression
        var capacity: Expression = 0
        func counted(_ value: Expression) -> Expression {
            statements.append(.constant(number, .number(dialect.countFormat), value))
            capacity = read("capacity", .name(number), .place(least))
            return read("hasItem", .name(index), .name(number))
        }
        switch count {
        case .known(let count):
            capacity = read("capacity", count, .place(least))
            next = read("hasItem", .name(index), count)
        case .plan(.until(let stop, let most)):
            next = read("anotherUntil", .name(index), limit(most), .place(Int(stop)))
        case .plan(.rest(let most)), .plan(.terminated(let most)): next = read("another", .name(index), limit(most))
        case .plan(.exactly(let count)):
            fixed = count
            next = counted(.number(Int128(count), dialect.countFormat))
        case .plan(let count): next = counted(self.count(count, name, body))
        }
        statements += [
            .newList(list, item, capacity: capacity, fixedCount: fixed)
        ]
        let inner =
            (dialect.catchesErrors ? [] : [reading("index", .name(index))])
            + readTraced(item, itemName(index), into: .declare(one), unique: unique + "_")
            + [
                .append(.name(one), list: list, index: index, fixedCount: fixed),
                .assign(.name(index), Expression.name(index).plus(1)),
            ]
        let finished = Expression.finished(list: list, count: .name(index), fixedCount: fixed)
        return statements + within("r", name, [.variable(index, .position, 0), .loop(while: next, inner)])
            + [set(target, value, finished, hasEffect: false)]
    }

    /// Returns the number of a list's items, if it is known before they are read.
    private func knownCount(_ count: ListCount, _ name: Expression, _ body: BodyFields?) -> Expression? {
        switch count {
        case .known(let count): count
        case .plan(.until), .plan(.rest), .plan(.terminated): nil
        case .plan(let count): self.count(count, name, body)
        }
    }

    // MARK: Bodies

    func reading(_ body: BodyFields) -> [Statement] {
        let fields = absences(of: body) + readFields(of: body)
        switch body.plan.end {
        case .kept where dialect.hasRecords: return fields + [.constant("extra", .bytes, read("trailing"))]
        case .kept: return fields + (body.trailing.map { [.assign(.own($0), read("trailing"))] } ?? [])
        case .refused: return fields + [reading("ended")]
        case .reached, .skipped, .open: return fields
        }
    }

    /// Declares members that only some branches set, in a language with records.
    private func absences(of body: BodyFields) -> [Statement] {
        guard dialect.hasRecords else { return [] }
        return body.fields.filter { $0.planned.hasValue && ($0.mayBeUnset || $0.planned.isAppended) }.map {
            .variable("v\($0.index)", .value($0.value), .nothing)
        }
    }

    /// Returns the statement that returns a completely read body, in a language with records.
    private func returning(_ body: BodyFields, _ type: CodeType) -> Statement {
        let fields = body.fields.filter(\.planned.hasValue).map {
            Statement.BodyMember(name: $0.ownName, value: .name("v\($0.index)"), mayBeUnset: $0.mayBeUnset)
        }
        let trailing = body.trailing.map { Statement.BodyMember(name: $0, value: "extra", mayBeUnset: true) }
        return .returnBody(fields + [trailing].compactMap(\.self), type)
    }

    /// Returns the expression for a field while its body is read.
    func member(_ field: GeneratedField) -> Expression {
        dialect.hasRecords ? .name("v\(field.index)") : .own(field.ownName)
    }

    func target(_ field: GeneratedField) -> Target {
        dialect.hasRecords ? .declare("v\(field.index)") : .assign(.own(field.ownName))
    }

    func readMessage(_ index: Int) -> [Statement] {
        let body = plan.messages[index]
        return reading(body) + (dialect.hasRecords ? [returning(body, .message(index))] : [])
    }

    func readStructure(_ index: Int) -> [Statement] {
        let body = plan.structures[index]
        return (body.plan.countsDepth ? [reading("deeper", "f")] : []) + inside(body.plan.sizePrefix, reading(body))
            + (body.plan.countsDepth ? [reading("shallower")] : [])
            + (dialect.hasRecords ? [returning(body, .value(.structure(index)))] : [])
    }

    /// Wraps statements in the path entry `f` and, if there is a prefix, limits them to its bytes.
    func inside(_ prefix: PlannedCount?, _ statements: [Statement]) -> [Statement] {
        guard let prefix else { return within("r", "f", statements) }
        return [.constant("end", .position, read("inside", count(.prefix(prefix), "f", nil), "f"))]
            + within("r", "f", statements + [reading("outside", "end")])
    }

    /// Returns the value of an absent field. Pages omit defaults of sensitive fields: their readers may not be entitled
    /// to them.
    func absent(_ field: GeneratedField, _ literal: LiteralPlan) -> Expression {
        dialect.isForPages && field.description.isSensitive && !literal.isZero
            ? .nothing : .initial(literal, field.value)
    }

    func read(_ field: GeneratedField, _ body: BodyFields) -> [Statement] {
        let name = Expression.text(field.name)
        if let run = body.run(beginningAt: field.index) { return packed(run, body) }
        if field.description.packing != nil { return [] }
        if field.description.role == .padding {
            return [reading("take", .place(plan.coding.fixedByteCount(of: field.planned.type) ?? 0), name)]
        }
        switch field.constant {
        case .number(let number, let format, let order):
            let own = Expression.name("v\(field.index)")
            let read = integer(format, order, name)
            guard dialect.isForPages else {
                let isGood = read.compared(.equal, number, format)
                return [requiring(isGood, "wrong_constant", name, at: last(format.byteCount))]
            }
            return traced([.constant("v\(field.index)", .number(format), read)], own, name, unique: "\(field.index)")
                + [reading("require", own.compared(.equal, number, format), .text("wrong_constant"), name)]
        case .text(let text, let byteCount, let padding):
            let compared = PlannedConstant.comparedBytes(of: text, byteCount: byteCount, padding: padding)
            return traced(
                [reading("constantText", .place(byteCount), .bytes(compared), name)], .nothing, name,
                unique: "\(field.index)")
        case nil: break
        }
        let (index, unique) = (field.index, String(field.index))
        guard field.planned.hasValue else {
            return readTraced(field.value, name, into: .declare("v\(index)"), unique: unique, body)
        }
        let member = member(field)
        func optional(count: Expression? = nil) -> [Statement] {
            guard !dialect.hasRecords else {
                return readTraced(field.value, name, into: .assign(member), unique: unique, count: count, body)
            }
            return read(field.value, name, into: .declare("v\(index)"), unique: unique, count: count, body)
                + [.assign(member, .optional("v\(index)", .value(field.value)))]
        }
        let without = dialect.hasRecords ? [] : [Statement.assign(member, .nothing)]
        if field.planned.isNullable, let prefix = field.description.count {
            let count = Expression.name("n\(index)")
            let read = read("countOrAbsent", code(prefix), limit(prefix.maximum), name)
            let isThere = count.compared(.greaterOrEqual, 0, dialect.countFormat)
            return [
                .constant("n\(index)", .number(dialect.countFormat), read),
                .choose(if: isThere, optional(count: count), otherwise: without),
            ]
        }
        if let condition = field.planned.condition {
            return [
                .constant("c\(index)", .boolean, self.condition(condition, body)),
                .choose(if: "c\(index)", optional(), otherwise: without),
            ]
        }
        if field.planned.isAppended {
            guard let absent = field.absent else {
                return [.choose(if: read("more"), optional(), otherwise: without)]
            }
            return [
                .choose(
                    if: read("more"), readTraced(field.value, name, into: .assign(member), unique: unique, body),
                    otherwise: [.assign(member, self.absent(field, absent))])
            ]
        }
        return readTraced(field.value, name, into: target(field), unique: unique, body)
    }

    private func condition(_ condition: WireCondition, _ body: BodyFields) -> Expression {
        self.condition(condition) { operand in
            if case .header(let name) = operand { return headerOperand(name, isWritten: false) }
            guard let index = body.plan.field(operand)?.index else { return .literal(0) }
            return self.operand(body.fields[index], self.operand(index, body))
        }
    }

    /// Returns a field as an operand of a condition.
    ///
    /// - Parameter own: Its member or its variable.
    func operand(_ field: GeneratedField, _ own: Expression) -> ConditionOperand {
        let isSet = field.planned.hasValue && field.mayBeUnset ? own.isSet : nil
        let value = isSet == nil ? own : .present(own, .value(field.value))
        switch field.value {
        case .boolean: return .boolean(value, isSet: isSet)
        case .number(let number): return .number(number.number(of: value), number.format, isSet: isSet)
        case .varint(let format, _): return .number(value, dialect.format(of: format), isSet: isSet)
        default: return .literal(0)
        }
    }

    /// Reads fields that share bytes. Errors in any of them are reported at their first byte.
    private func packed(_ run: PlannedRun, _ body: BodyFields) -> [Statement] {
        guard let first = run.bits.first else { return [] }
        let bits = "b\(first.field)"
        let read = read("uint", .place(run.byteCount), run.byteOrder.isLittle, .text(body.fields[first.field].name))
        let bitWidth = 8 * run.byteCount
        var statements: [Statement] = [.constant(bits, .number(dialect.unsigned(bitWidth)), read, hasEffect: true)]
        let start = Expression.name("from\(first.field)")
        if dialect.isForPages {
            statements.insert(.constant("from\(first.field)", .position, self.read("position")), at: 0)
        }
        for part in run.bits {
            let field = body.fields[part.field]
            let name = Expression.text(field.name)
            let format: IntegerFormat
            if case .number(let number) = field.value { format = number.format } else { format = .uint8 }
            let own = self.part(of: .name(bits), bitWidth, shift: part.shift, width: part.bitWidth, format)
            let place = last(run.byteCount)
            if let constant = part.constant {
                if dialect.isForPages { statements.append(reading("seen", start, own, name)) }
                statements.append(
                    requiring(own.compared(.equal, constant, format), "wrong_constant", name, at: place))
                continue
            }
            if dialect.catchesErrors, case .number = field.value {
                let target: Target =
                    field.planned.hasValue ? .assign(.own(field.ownName)) : .declare("v\(part.field)")
                statements += typed(field.value, own, name, into: target, "\(part.field)", at: place)
                continue
            }
            var value = own.compared(.unequal, 0, format)
            if case .number(let number) = field.value { value = number.value(of: own) }
            let target = field.planned.hasValue ? self.target(field) : .declare("v\(part.field)")
            statements.append(set(target, field.value, value, hasEffect: false))
            statements += check(field.value, target.expression, name, "r", at: place)
            if dialect.isForPages { statements.append(reading("seen", start, target.expression, name)) }
        }
        return statements
    }
}
