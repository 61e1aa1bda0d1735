// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the expressions and statements that read values and bodies.
///
/// The bytes are `s`, the position of the next one is `p`, that of the last one `e`, and the name or the index of the value is `f`.
/// Each expression that reads has two results: the value, and the position after it. So one that checks takes the results of
/// the one that reads as its last arguments. The value of the field `n` of a body is the variable `vn`.
struct LuaReading {
    let types: LuaTypes

    // MARK: Values

    /// Returns the expression that reads a value.
    ///
    /// - Parameters:
    ///   - name: The expression for its name or index.
    ///   - known: The expressions for the number of its bytes, units or items and the position after it, if that has been read.
    ///   - field: Returns the expression for the number of an earlier field of the body.
    func value(
        _ value: ValuePlan, _ name: String, count known: String? = nil, field: (Int) -> String = { "v\($0)" }
    ) -> String {
        switch value {
        case .number(let number): return checked(number, integer(number.format, number.byteOrder, name), at: "p", name)
        case .float(let byteCount, let order, let range):
            let read = "number(s, p, e, \(LuaFormat.text(value, order)), \(byteCount), \(name))"
            return range.map { floatWithin(read, $0, at: "p", name) } ?? read
        case .boolean: return "truth(s, p, e, \(name))"
        case .varint(let format, let allowed):
            let read = Self.varint(format, name)
            return allowed == format.range ? read : within(read, allowed, isWide: format.range.isWide, at: "p", name)
        case .text(let count): return text(count, name, known, field)
        case .bytes(let count):
            let read = "blob(s, e, \(name), \(known ?? self.count(count, name, field)))"
            if case .terminated = count { return "skip(1, \(read))" }
            return read
        case .utf16(let count, let order): return utf16(count, order, name, known, field)
        case .digits(let byteCount): return "digits(s, p, e, \(byteCount), \(name))"
        case .properties(let isStrict): return "properties(s, p, e, \(isStrict), \(name))"
        case .structure(let index): return "\(types.structure("get", index))(s, p, e, \(name))"
        case .union(let index, nil): return "\(types.union("get", index))(s, p, e, \(name))"
        case .union(let index, let source?):
            return "\(types.union("get_tagged", index))(s, p, e, \(name), \(field(source)))"
        case .list(let item, let count, _):
            let read = "function(s, p, e, f) return \(self.value(item, "f")) end"
            switch count {
            case .until(let stop, _): return "list_until(s, p, e, \(name), \(stop), \(Self.limit(count)), \(read))"
            case .rest, .terminated: return "list_to_end(s, p, e, \(name), \(Self.limit(count)), \(read))"
            case .prefix, .field, .exactly, .filled:
                return "list(s, e, \(name), \(read), \(known ?? self.count(count, name, field)))"
            }
        case .sized(let content, let count, _):
            let read = "function(s, p, e, f) return \(self.value(content, "f", field: field)) end"
            return "sized(s, e, \(name), \(read), \(known ?? self.count(count, name, field)))"
        }
    }

    /// Returns the expression that checks a number.
    ///
    /// - Parameter place: The expression for where it was read.
    func checked(_ number: NumberPlan, _ read: String, at place: String, _ name: String) -> String {
        if number.closedNumbers != nil { return "known(\(place), \(name), \(types.closed(number)), \(read))" }
        return number.range.map { within(read, $0, isWide: number.format.range.isWide, at: place, name) } ?? read
    }

    private func within(
        _ read: String, _ range: ClosedRange<Int128>, isWide: Bool, at place: String, _ name: String
    ) -> String {
        let limits = "\(LuaText.number(range.lowerBound)), \(LuaText.number(range.upperBound))"
        return "\(isWide ? "wide_within" : "within")(\(place), \(name), \(limits), \(read))"
    }

    private func floatWithin(
        _ read: String, _ range: ClosedRange<Double>, at place: String, _ name: String
    ) -> String {
        let limits = "\(LuaText.anyFloat(range.lowerBound)), \(LuaText.anyFloat(range.upperBound))"
        return "float_within(\(place), \(name), \(limits), \(read))"
    }

    /// Returns the expression that reads an integer of whole bytes.
    func integer(_ format: IntegerFormat, _ order: ByteOrder, _ name: String) -> String {
        guard format.byteCount > 6 else {
            return "number(s, p, e, \(LuaFormat.text(format, order)), \(format.byteCount), \(name))"
        }
        return "wide(s, p, e, \(format.byteCount), \(order == .littleEndian), \(format.isSigned), \(name))"
    }

    /// Returns the expression that reads an integer of variable length.
    static func varint(_ format: VarintFormat, _ name: String) -> String {
        let isWide = format.range.isWide
        let function =
            switch format.encoding {
            case .unsigned: isWide ? "wide_varint" : "varint"
            case .zigzag: isWide ? "wide_zigzag" : "zigzag"
            case .signed32: "varint32"
            case .signed64: isWide ? format.isSigned ? "signed_varint" : "wide_varint" : "varint"
            }
        return "\(function)(s, p, e, \(format.maximumByteCount), \(name))"
    }

    // MARK: Counts

    private static func limit(_ count: CountPlan) -> String { count.maximum.map(String.init) ?? "huge" }

    /// Returns the expressions for a number of bytes, units or items, and the position after it.
    private func count(_ count: CountPlan, _ name: String, _ field: (Int) -> String) -> String {
        switch count {
        case .prefix(let prefix): return self.prefix(prefix, name)
        case .field(let count, let index, let limit):
            let addend = count.addend == 0 ? "" : count.addend < 0 ? " - \(-count.addend)" : " + \(count.addend)"
            return "counted(p, \(name), \(limit.map(String.init) ?? "huge"), \(field(index))\(addend))"
        case .exactly(let count), .filled(let count, _): return "\(count), p"
        case .terminated: return "terminated(s, p, e, \(name), \(Self.limit(count)))"
        case .until, .rest: return "rest(p, e, \(name), \(Self.limit(count)))"
        }
    }

    /// Returns the expressions for the number in a prefix, and the position after it.
    func prefix(_ prefix: PlannedCount, _ name: String) -> String {
        if prefix.format == .varint { return "count_varint(s, p, e, \(prefix.limit ?? 4_294_967_295), \(name))" }
        let read = prefixNumber(prefix, name)
        return prefix.limit.map { "limited(p, \(name), \($0), \(read))" } ?? read
    }

    private func prefixNumber(_ prefix: PlannedCount, _ name: String) -> String {
        switch prefix.format {
        case .varint: "count_varint(s, p, e, 4294967295, \(name))"
        case .zigzag: "count_zigzag(s, p, e, \(name))"
        default: "number(s, p, e, \(LuaFormat.text(prefix)), \(prefix.format.fixedByteCount ?? 0), \(name))"
        }
    }

    private func text(_ count: CountPlan, _ name: String, _ known: String?, _ field: (Int) -> String) -> String {
        let number = known ?? self.count(count, name, field)
        switch count {
        case .filled(_, let padding): return "fixed_text(s, e, \(name), \(padding), \(number))"
        case .terminated: return "skip(1, text(s, e, \(name), \(number)))"
        default: return "text(s, e, \(name), \(number))"
        }
    }

    private func utf16(
        _ count: CountPlan, _ order: ByteOrder, _ name: String, _ known: String?, _ field: (Int) -> String
    ) -> String {
        let start = "utf16(s, e, \(order == .littleEndian), \(name), "
        if let known { return start + known + ")" }
        switch count {
        case .filled(let byteCount, let padding):
            return "fixed_utf16(s, p, e, \(order == .littleEndian), \(name), \(padding), \(byteCount))"
        case .terminated: return "skip(2, \(start)terminated_units(s, p, e, \(name), \(Self.limit(count)))))"
        case .rest, .until: return "\(start)rest_units(p, e, \(name), \(Self.limit(count))))"
        case .prefix, .field, .exactly: return start + self.count(count, name, field) + ")"
        }
    }

    // MARK: Bodies

    /// Returns the statements that read a body into `m`.
    func body(_ body: BodyFields) -> [String] {
        let variables = LuaVariables(count: body.fields.count)
        let runs = LuaRun.all(in: body)
        let read = body.fields.filter { $0.planned.hasValue || $0.planned.isDerived }
        let prefixes = runs.compactMap(\.prefixed)
        var lines = variables.tables(["v", "n"])
        lines += variables.declaration(read.map { variables("v", $0.index) } + prefixes.map { variables("n", $0) })
        var position = 0
        while position < body.fields.count {
            if let run = runs.first(where: { $0.fields.lowerBound == position }) {
                lines += self.run(run, body, variables)
                position = run.fields.upperBound
                continue
            }
            let isPrefixRead = prefixes.contains(position)
            lines += self.read(body.fields[position], body, variables, isPrefixRead: isPrefixRead)
            position += 1
        }
        let members = body.fields.filter(\.planned.hasValue).map {
            "\(LuaText.key($0.ownName)) = \(variables("v", $0.index))"
        }
        lines.append("local m = {\(members.isEmpty ? "" : " \(members.joined(separator: ", ")) ")}")
        switch body.plan.end {
        case .kept: lines.append("if p <= e then m\(LuaText.member(body.trailing ?? "trailing")) = sub(s, p, e) end")
        case .refused: lines.append("if p <= e then fail(\"trailing_bytes\", nil, p) end")
        case .reached, .skipped, .open: break
        }
        return lines
    }

    /// Returns the statements that read fields of fixed width in a row.
    private func run(_ run: LuaRun, _ body: BodyFields, _ variables: LuaVariables) -> [String] {
        var (names, cuts, targets): ([String], [String], [String]) = ([], [], [])
        for index in run.fields {
            names.append(LuaText.literal(body.fields[index].name))
            targets.append(variables("v", index))
        }
        if let index = run.prefixed {
            names.append(LuaText.literal(body.fields[index].name))
            targets.append(variables("n", index))
        }
        for (name, byteCount) in zip(names, run.byteCounts) { cuts.append("\(name), \(byteCount)") }
        let cut =
            cuts.count == 1
            ? "fail(\"truncated\", \(names[0]), p)" : "cut(p, e, \(cuts.joined(separator: ", ")))"
        var lines = [
            "if e - p < \(run.byteCount - 1) then \(cut) end",
            "\(targets.joined(separator: ", ")), p = unpack(\(LuaText.literal(run.format)), s, p)",
        ]
        if let last = run.fields.last, let byteCount = run.byteCounts.last, run.prefixed == nil {
            let field = body.fields[last]
            let (variable, name) = (variables("v", last), LuaText.literal(field.name))
            switch field.value {
            case .boolean: lines.append("\(variable) = truth_of(p - 1, \(name), \(variable))")
            case .number(let number) where field.value.canBeRefused:
                lines.append(checked(number, variable, at: "p - \(byteCount)", name))
            case .float(_, _, let range?):
                lines.append(floatWithin(variable, range, at: "p - \(byteCount)", name))
            default: break
            }
        }
        return lines
    }

    /// Returns the statements that read one field of a body.
    private func read(
        _ field: FieldPlan, _ body: BodyFields, _ variables: LuaVariables, isPrefixRead: Bool
    ) -> [String] {
        let name = LuaText.literal(field.name)
        let variable = variables("v", field.index)
        if let run = body.run(beginningAt: field.index) { return packed(run, body, variables) }
        if field.description.packing != nil { return [] }
        if field.description.role == .padding {
            let byteCount = types.plan.coding.fixedByteCount(of: field.planned.type) ?? 0
            return ["p = taken(p, e, \(byteCount), \(name))"]
        }
        switch field.constant {
        case .number(let number, let format, let order):
            return ["p = constant(p, \(name), \(LuaText.number(number)), \(integer(format, order, name)))"]
        case .text(let text, let byteCount, let padding):
            let compared = PlannedConstant.comparedBytes(of: text, byteCount: byteCount, padding: padding)
            return ["p = same(s, p, e, \(LuaText.literal(compared)), \(byteCount), \(name))"]
        case nil: break
        }
        let number = { (index: Int) in self.countedNumber(index, body, variables) }
        if isPrefixRead, let prefix = field.description.count {
            let known = "\(variables("n", field.index)), p"
            var lines: [String] = []
            if let limit = prefix.limit {
                let place = "p - \(prefix.format.fixedByteCount ?? 0)"
                lines = ["limited(\(place), \(name), \(limit), \(variables("n", field.index)))"]
            }
            if case .text = field.value {
                return lines + text(of: variables("n", field.index), into: variable, name)
            }
            return lines + ["\(variable), p = \(value(field.value, name, count: known, field: number))"]
        }
        let read = "\(variable), p = \(value(field.value, name, field: number))"
        if field.planned.isNullable, let prefix = field.description.count {
            return [
                "do",
                "  local n, q = count_or_absent(p, \(name), \(prefix.maximum), \(prefixNumber(prefix, name)))",
                "  if n < 0 then p = q else \(variable), p = \(value(field.value, name, count: "n, q", field: number)) end",
                "end",
            ]
        }
        if let condition = field.planned.condition {
            let holds = LuaTypes.condition(condition) { operand in
                if case .header(let name) = operand { return self.types.headerOperand(name, isWritten: false) }
                guard let index = body.plan.field(operand)?.index else { return ("0", false) }
                return LuaTypes.operand(body.fields[index], variables("v", index), isWritten: false)
            }
            return ["if \(holds) then \(read) end"]
        }
        if field.planned.isAppended {
            let absent = field.absent.map { " else \(variable) = \(types.literal($0))" } ?? ""
            return ["if p <= e then \(read)\(absent) end"]
        }
        return [read]
    }

    /// Returns the statements that read text of so many bytes without a call: most messages have one, and calls take time.
    private func text(of count: String, into variable: String, _ name: String) -> [String] {
        [
            "do", "  local q = p + \(count)", "  if q > e + 1 then fail(\"truncated\", \(name), p) end",
            "  \(variable) = sub(s, p, q - 1)",
            "  if not is_utf8(\(variable)) then fail(\"invalid_utf8\", \(name), p + utf8_flaw(\(variable)) - 1) end",
            "  p = q", "end",
        ]
    }

    /// Returns the expression for the number of a field that counts others.
    private func countedNumber(_ index: Int, _ body: BodyFields, _ variables: LuaVariables) -> String {
        let (field, variable) = (body.fields[index], variables("v", index))
        return field.planned.isCounter && LuaTypes.isWide(field.value) ? "tonumber(\(variable))" : variable
    }

    // MARK: Fields that share bytes

    /// Returns the statements that read fields which share bytes; what is wrong with one is told at their first byte.
    private func packed(_ run: PlannedRun, _ body: BodyFields, _ variables: LuaVariables) -> [String] {
        guard let first = run.bits.first else { return [] }
        let name = LuaText.literal(body.fields[first.field].name)
        var lines = ["local q = p"] + Self.runNumber(run.byteCount, run.byteOrder, name)
        for part in run.bits {
            let field = body.fields[part.field]
            let (name, variable) = (LuaText.literal(field.name), variables("v", part.field))
            var isSigned = false
            if case .number(let number) = field.value { isSigned = number.format.isSigned }
            let bits = Self.bits(
                bitWidth: part.bitWidth, shift: part.shift, byteCount: run.byteCount, isSigned: isSigned)
            if let constant = part.constant {
                lines.append("constant(q, \(name), \(LuaText.number(constant)), \(bits))")
                continue
            }
            switch field.value {
            case .number(let number): lines.append("\(variable) = \(checked(number, bits, at: "q", name))")
            default: lines.append("\(variable) = \(bits) == 1")
            }
        }
        return ["do"] + LuaText.indented(lines) + ["end"]
    }

    /// Returns the statement that reads the integer of a run: `b`, or, beyond 6 bytes, `b` and the 32 bits after it, `c`.
    static func runNumber(_ byteCount: Int, _ order: ByteOrder, _ name: String) -> [String] {
        guard byteCount > 6 else {
            let format = LuaFormat.text(IntegerFormat(bitWidth: 8 * byteCount, isSigned: false), order)
            return ["local b", "b, p = number(s, p, e, \(format), \(byteCount), \(name))"]
        }
        return ["local b, c", "b, c, p = pair(s, p, e, \(byteCount), \(order == .littleEndian), \(name))"]
    }

    /// Returns the expression for the bits of a field in a run.
    static func bits(
        bitWidth: Int, shift: Int, byteCount: Int, isSigned: Bool, of b: String = "b", _ c: String = "c"
    ) -> String {
        guard byteCount <= 6 else { return "bits(\(b), \(c), \(shift), \(bitWidth), \(isSigned))" }
        let moved = shift == 0 ? b : "floor(\(b) / \(Int128(1) << Int128(shift)))"
        let text = shift + bitWidth == 8 * byteCount ? moved : "\(moved) % \(Int128(1) << Int128(bitWidth))"
        return isSigned ? "sign(\(text), \(Int128(1) << Int128(bitWidth)))" : text
    }
}
