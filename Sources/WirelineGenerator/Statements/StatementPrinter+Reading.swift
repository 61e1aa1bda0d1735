// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The statements that read values and bodies.
///
/// In the body, `vn` is the number of a field without a member, or the value of one that may be absent, `cn` whether the field n is
/// there, `bn` the integer that several fields share.
extension StatementPrinter {
    /// Where a value that was read goes.
    enum Target {
        case assign(String)
        case declare(String)

        /// The expression for the value, once it is there.
        var text: String {
            switch self {
            case .assign(let text), .declare(let text): text
            }
        }
    }

    /// - Parameter effect: The call in the value that reads; nil if it is the value.
    private func set(_ target: Target, _ type: CodeType, _ value: String, effect: String? = nil) -> String {
        switch target {
        case .assign(let text): dialect.assign(text, value)
        case .declare(let name): declare(name, type, value, effect: effect ?? value)
        }
    }

    // MARK: Values

    /// Returns the statements that read a value.
    ///
    /// - Parameters:
    ///   - name: The expression for its name.
    ///   - unique: What distinguishes the variables from those of other values of the body.
    ///   - known: The expression for the number of its bytes, units or items, if that has been read.
    ///   - body: The body that it belongs to, whose earlier fields count others.
    func read(
        _ value: ValuePlan, _ name: String, into target: Target, unique: String, count known: String? = nil,
        _ body: BodyFields? = nil
    ) -> [String] {
        switch value {
        case .structure(let index):
            return [
                newStructure(index, target), dialect.statement(dialect.call(target.text, "read", ["r", name])),
            ]
        case .union(let index, let source):
            let call =
                source.map { dialect.call(unions[index].readTagged, ["r", self.operand($0, body), name]) }
                ?? dialect.call(unions[index].read, ["r", name])
            return [set(target, type(value), call)]
        case .list(let item, let count, let least):
            return readList(item, known.map { .known($0) } ?? .plan(count), least, name, target, value, unique, body)
        case .sized(let content, let count, _):
            let end = "e\(unique)"
            let inside = read("inside", known ?? self.count(count, name, body), name)
            return [declare(end, .position, inside, effect: nil)]
                + read(content, name, into: target, unique: unique + "_", body) + [reading("outside", end)]
        default:
            let expression = self.expression(value, name, count: known, body)
            var lines = [set(target, type(value), expression, effect: effect(of: value, name))]
            if known == nil { lines += afterText(value, name) }
            return lines + check(value, target.text, name, "r")
        }
    }

    private func newStructure(_ index: Int, _ target: Target) -> String {
        switch target {
        case .assign(let text): dialect.assign(text, dialect.newStructure(index))
        case .declare(let name): dialect.constant(name, .value(.structure(index)), dialect.newStructure(index))
        }
    }

    /// Returns the statement that goes over the unit of 0 after a text.
    private func afterText(_ value: ValuePlan, _ name: String) -> [String] {
        switch value {
        case .text(.terminated), .bytes(.terminated): [reading("take", "1", name)]
        case .utf16(.terminated, _): [reading("take", "2", name)]
        default: []
        }
    }

    /// Returns the statements that check a number after it was read, or before it is written.
    func check(_ value: ValuePlan, _ text: String, _ name: String, _ object: String) -> [String] {
        func require(_ condition: String, _ kind: String) -> [String] {
            [dialect.statement(dialect.call(object, "require", [condition, word(kind), name]))]
        }
        switch value {
        case .number(let number):
            let own = dialect.number(of: text, number)
            if let cases = number.closedNumbers {
                return require(isOne(of: cases, own, number.format), "unknown_case")
            }
            guard let range = number.range, let condition = isWithin(own, range, number.format) else { return [] }
            return require(condition, "out_of_range")
        case .varint(let format, let allowed):
            guard object == "w" || allowed != format.range,
                let condition = isWithin(text, allowed, format.numberFormat)
            else { return [] }
            return require(condition, "out_of_range")
        case .float(let byteCount, _, let range?):
            let low = dialect.compare(float: text, byteCount: byteCount, ">=", range.lowerBound)
            let high = dialect.compare(float: text, byteCount: byteCount, "<=", range.upperBound)
            return require("\(low) && \(high)", "float_out_of_range")
        default: return []
        }
    }

    /// Returns the expression that reads a value, without its checks.
    private func expression(
        _ value: ValuePlan, _ name: String, count known: String?, _ body: BodyFields?
    ) -> String {
        switch value {
        case .number(let number):
            return dialect.value(of: integer(number.format, number.byteOrder, name), number)
        case .float(let byteCount, let order, _):
            return read("f\(8 * byteCount)\(order == .littleEndian ? "Little" : "")", name)
        case .boolean: return read("bool", name)
        case .varint(let format, _): return varint(format, name)
        case .text(.filled(let byteCount, let padding)):
            return read("fixedText", String(byteCount), String(padding), name)
        case .text(let count): return read("text", known ?? self.count(count, name, body), name)
        case .bytes(let count): return read("blob", known ?? self.count(count, name, body), name)
        case .utf16(.filled(let byteCount, let padding), let order):
            return read("fixedUTF16", String(byteCount), String(padding), order.isLittleText, name)
        case .utf16(let count, let order):
            return read("utf16", known ?? units(count, name, body), order.isLittleText, name)
        case .digits(let byteCount): return read("digits", String(byteCount), name)
        case .properties(let isStrict): return read("properties", String(isStrict), name)
        case .structure, .union, .list, .sized: return ""
        }
    }

    /// Returns the call that reads a number; nil for another value.
    private func effect(of value: ValuePlan, _ name: String) -> String? {
        switch value {
        case .number(let number): integer(number.format, number.byteOrder, name)
        case .varint(let format, _): varintCall(format, name)
        default: nil
        }
    }

    /// Returns the expression that reads an integer of whole bytes, of the type for its format.
    func integer(_ format: IntegerFormat, _ order: ByteOrder, _ name: String) -> String {
        if hasWord(format) { return read(suffix(format, order), name) }
        let wide = format.isSigned ? "sint" : "uint"
        return read(wide, String(format.byteCount), order.isLittleText, name)
    }

    /// Returns the expression that reads a varint, of the type for its format.
    func varint(_ format: VarintFormat, _ name: String) -> String {
        let call = varintCall(format, name)
        switch format.encoding {
        case .zigzag: return call
        case .signed32 where format.isSigned: return call
        case .unsigned, .signed32, .signed64: return dialect.convert(call, from: .uint64, to: format.numberFormat)
        }
    }

    /// Returns the call that reads a varint.
    func varintCall(_ format: VarintFormat, _ name: String) -> String {
        let most = String(format.maximumByteCount)
        switch format.encoding {
        case .zigzag: return read("zigzag", most, name)
        case .signed32 where format.isSigned: return read("varint32", most, name)
        case .unsigned, .signed32, .signed64: return read("varint", most, name)
        }
    }

    // MARK: Counts

    /// Returns a limit, of which -1 is none.
    func limit(_ limit: Int?) -> String {
        guard let limit, limit > Int(Int32.max) else { return String(limit ?? -1) }
        return dialect.literal(Int128(limit), .int64)
    }

    /// Returns the expression for a number of bytes, units or items.
    private func count(_ count: CountPlan, _ name: String, _ body: BodyFields?) -> String {
        switch count {
        case .prefix(let prefix): return read("count", code(prefix), limit(prefix.limit), name)
        case .field(let counted, let index, let most):
            let number = self.number(of: index, body)
            let addend = counted.addend
            let more = addend == 0 ? "" : (addend < 0 ? " - " : " + ") + dialect.literal(Int128(abs(addend)), .int64)
            return read("counted", number + more, limit(most), name)
        case .exactly(let count): return dialect.literal(Int128(count), .int64)
        case .filled(let byteCount, _): return dialect.literal(Int128(byteCount), .int64)
        case .terminated(let most): return read("terminated", limit(most), name)
        case .until, .rest: return read("rest", limit(count.maximum), name)
        }
    }

    private func units(_ count: CountPlan, _ name: String, _ body: BodyFields?) -> String {
        switch count {
        case .terminated(let most): read("terminatedUnits", limit(most), name)
        case .rest, .until: read("restUnits", limit(count.maximum), name)
        case .prefix, .field, .exactly, .filled: self.count(count, name, body)
        }
    }

    /// Returns the expression for an earlier field of a body that was read.
    private func operand(_ index: Int, _ body: BodyFields?) -> String {
        guard let field = body?.fields[index], field.planned.hasValue else { return "v\(index)" }
        return dialect.member(field.ownName)
    }

    /// Returns the number of an earlier field, as `int64`.
    private func number(of index: Int, _ body: BodyFields?) -> String {
        let text = operand(index, body)
        switch body?.fields[index].value {
        case .number(let number)?: return asLength(dialect.number(of: text, number), number.format)
        case .varint(let format, _)?: return asLength(text, format.numberFormat)
        default: return text
        }
    }

    /// Returns a number as `int64`; one of 64 bits without a sign may be too large, which no length is.
    func asLength(_ text: String, _ format: IntegerFormat) -> String {
        format.bitWidth == 64 && !format.isSigned
            ? read("saturated", text) : dialect.convert(text, from: format, to: .int64)
    }

    // MARK: Lists

    private enum ListCount {
        case known(String)
        case plan(CountPlan)
    }

    private func readList(
        _ item: ValuePlan, _ count: ListCount, _ least: Int, _ name: String, _ target: Target, _ value: ValuePlan,
        _ unique: String, _ body: BodyFields?
    ) -> [String] {
        let (list, index, one) = ("a\(unique)", "i\(unique)", "o\(unique)")
        var fixed: Int?
        var lines: [String] = []
        let next: String
        var capacity = "0"
        func counted(_ text: String) -> String {
            lines.append(declare("n\(unique)", .number(.int64), text, effect: text))
            capacity = read("capacity", "n\(unique)", String(least))
            return read("hasItem", index, "n\(unique)")
        }
        switch count {
        case .known(let count):
            capacity = read("capacity", count, String(least))
            next = read("hasItem", index, count)
        case .plan(.until(let stop, let most)):
            next = read("anotherUntil", index, limit(most), String(stop))
        case .plan(.rest(let most)), .plan(.terminated(let most)): next = read("another", index, limit(most))
        case .plan(.exactly(let count)):
            fixed = count
            next = counted(dialect.literal(Int128(count), .int64))
        case .plan(let count): next = counted(self.count(count, name, body))
        }
        lines += dialect.newList(list, item, capacity: capacity, fixedCount: fixed)
        lines.append(reading("enter", name))
        lines += dialect.variable(index, .position, "0")
        let inner =
            [reading("index", index)]
            + read(item, dialect.string(""), into: .declare(one), unique: unique + "_")
            + dialect.append(one, to: list, at: index, fixedCount: fixed)
            + [dialect.assign(index, "\(index) + 1")]
        lines += dialect.loop(while: next, inner)
        lines.append(reading("leave"))
        let finished = dialect.finished(list, count: index, fixedCount: fixed)
        switch target {
        case .assign(let text): return lines + [dialect.assign(text, finished)]
        case .declare(let name): return lines + [dialect.constant(name, type(value), finished)]
        }
    }

    // MARK: Bodies

    /// Returns the lines that read a body, up to its end.
    func reading(_ body: BodyFields) -> [String] {
        var lines = readFields(of: body)
        switch body.plan.end {
        case .kept:
            if let trailing = body.trailing {
                lines.append(dialect.assign(dialect.member(trailing), read("trailing")))
            }
        case .refused: lines.append(reading("ended"))
        case .reached, .skipped, .open: break
        }
        return lines
    }

    /// Returns the lines of a message's function `read(r, h)`.
    func readMessage(_ body: BodyFields) -> [String] { settled(reading(body)) }

    /// Returns the lines of a structure's function `read(r, f)`.
    func readStructure(_ index: Int) -> [String] {
        let body = plan.structures[index]
        return settled(
            entering(body.plan.sizePrefix, countsDepth: body.plan.countsDepth) + reading(body)
                + leaving(body.plan.sizePrefix, countsDepth: body.plan.countsDepth))
    }

    func entering(_ prefix: PlannedCount?, countsDepth: Bool) -> [String] {
        let deeper = countsDepth ? [reading("deeper", "f")] : []
        let inside = prefix.map {
            dialect.constant("end", .position, read("inside", count(.prefix($0), "f", nil), "f"))
        }
        return deeper + [inside, reading("enter", "f")].compactMap(\.self)
    }

    func leaving(_ prefix: PlannedCount?, countsDepth: Bool) -> [String] {
        (prefix == nil ? [] : [reading("outside", "end")]) + [reading("leave")]
            + (countsDepth ? [reading("shallower")] : [])
    }

    /// Returns the statements that read one field of a body.
    func read(_ field: FieldPlan, _ body: BodyFields) -> [String] {
        let name = dialect.string(field.name)
        if let run = body.run(beginningAt: field.index) { return packed(run, body) }
        if field.description.packing != nil { return [] }
        if field.description.role == .padding {
            return [reading("take", String(plan.coding.fixedByteCount(of: field.planned.type) ?? 0), name)]
        }
        switch field.constant {
        case .number(let number, let format, let order):
            let same = dialect.compare(integer(format, order, name), "==", number, format)
            return [reading("require", same, word("wrong_constant"), name)]
        case .text(let text, let byteCount, let padding):
            let compared = PlannedConstant.comparedBytes(of: text, byteCount: byteCount, padding: padding)
            return [reading("constantText", String(byteCount), dialect.bytes(compared), name)]
        case nil: break
        }
        let (index, unique) = (field.index, String(field.index))
        guard field.planned.hasValue else {
            return read(field.value, name, into: .declare("v\(index)"), unique: unique, body)
        }
        let member = dialect.member(field.ownName)
        func optional(count: String? = nil) -> [String] {
            read(field.value, name, into: .declare("v\(index)"), unique: unique, count: count, body)
                + [dialect.assign(member, dialect.optional("v\(index)", type(field.value)))]
        }
        let without = [dialect.assign(member, dialect.nothing)]
        if field.planned.isNullable, let prefix = field.description.count {
            let count = "n\(index)"
            let read = read("countOrAbsent", code(prefix), limit(prefix.maximum), name)
            return [dialect.constant(count, .number(.int64), read)]
                + ifThen(dialect.compare(count, ">=", 0, .int64), optional(count: count), otherwise: without)
        }
        if let condition = field.planned.condition {
            return [dialect.constant("c\(index)", .boolean, self.condition(condition, body))]
                + ifThen("c\(index)", optional(), otherwise: without)
        }
        if field.planned.isAppended {
            guard let absent = field.absent else { return ifThen(read("more"), optional(), otherwise: without) }
            return ifThen(
                read("more"), read(field.value, name, into: .assign(member), unique: unique, body),
                otherwise: [dialect.assign(member, dialect.literal(absent, field.value))])
        }
        return read(field.value, name, into: .assign(member), unique: unique, body)
    }

    private func condition(_ condition: WireCondition, _ body: BodyFields) -> String {
        self.condition(condition) { operand in
            if case .header(let name) = operand { return headerOperand(name, isWritten: false) }
            guard let index = body.plan.field(operand)?.index else { return .literal(0) }
            return self.operand(body.fields[index], self.operand(index, body))
        }
    }

    /// Returns what a condition sees in a field.
    ///
    /// - Parameter text: Its member, or its variable.
    func operand(_ field: FieldPlan, _ text: String) -> ConditionOperand {
        let isSet = field.planned.hasValue && field.mayBeUnset ? dialect.isSet(text) : nil
        let value = isSet == nil ? text : dialect.present(text, type(field.value))
        switch field.value {
        case .boolean: return .boolean(value, isSet: isSet)
        case .number(let number): return .number(dialect.number(of: value, number), number.format, isSet: isSet)
        case .varint(let format, _): return .number(value, format.numberFormat, isSet: isSet)
        default: return .literal(0)
        }
    }

    /// Returns the statements that read fields which share bytes; what is wrong with one is told at their first byte.
    private func packed(_ run: PlannedRun, _ body: BodyFields) -> [String] {
        guard let first = run.bits.first else { return [] }
        let bits = "b\(first.field)"
        let read = read(
            "uint", String(run.byteCount), run.byteOrder.isLittleText, dialect.string(body.fields[first.field].name))
        var lines = [declare(bits, .number(.uint64), read, effect: read)]
        for part in run.bits {
            let field = body.fields[part.field]
            let name = dialect.string(field.name)
            let format: IntegerFormat
            if case .number(let number) = field.value { format = number.format } else { format = .uint8 }
            let own = self.part(of: bits, shift: part.shift, width: part.bitWidth, format)
            if let constant = part.constant {
                lines.append(
                    reading("require", dialect.compare(own, "==", constant, format), word("wrong_constant"), name))
                continue
            }
            let target = field.planned.hasValue ? dialect.member(field.ownName) : "v\(part.field)"
            var value = dialect.compare(own, "!=", 0, format)
            if case .number(let number) = field.value { value = dialect.value(of: own, number) }
            lines.append(
                field.planned.hasValue
                    ? dialect.assign(target, value) : declare(target, type(field.value), value, effect: nil))
            lines += check(field.value, target, name, "r")
        }
        return lines
    }
}
