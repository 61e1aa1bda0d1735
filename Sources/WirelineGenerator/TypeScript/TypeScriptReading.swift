// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the expressions and statements that read values and bodies.
///
/// The reader is `r`, and the name or the index of the value is `f`. The value of the field `n` of a body is the constant `vn`.
struct TypeScriptReading {
    let types: TypeScriptTypes

    // MARK: Values

    /// Returns the expression that reads a value.
    ///
    /// - Parameters:
    ///   - name: The expression for its name or index.
    ///   - known: The expression for the number of its bytes, units or items, if that has been read.
    ///   - field: Returns the expression for the number of an earlier field of the body.
    func value(
        _ value: ValuePlan, _ name: String, count known: String? = nil, field: (Int) -> String = { "v\($0)" }
    ) -> String {
        Self.seen(unseen(value, name, count: known, field: field), name)
    }

    /// Returns an expression that reads; a script's says which bytes it reads.
    ///
    /// - Parameter place: The expression for where it begins, which is evaluated first.
    static func seen(_ read: String, at place: String = "r.p", _ name: String) -> String {
        "«seen_at(r, \(place), »\(read)«, \(name))»"
    }

    /// Returns an expression that takes bytes; a script's says which.
    static func seenBytes(_ taken: String, _ name: String) -> String { "«seen_bytes(r, »\(taken)«, \(name))»" }

    /// Returns the expression that reads a value which is a part of another one.
    func unseen(
        _ value: ValuePlan, _ name: String, count known: String? = nil, field: (Int) -> String = { "v\($0)" }
    ) -> String {
        switch value {
        case .text where known != nil: return "text(r, \(known ?? ""), \(name))"
        case .bytes where known != nil: return "blob(r, \(known ?? ""), \(name))"
        case .utf16(_, let order) where known != nil:
            return "utf16(r, \(known ?? ""), \(order.isLittleText), \(name))"
        case .list(let item, _, _) where known != nil:
            return "list(r, \(known ?? ""), \(name), (r, f) => \(self.value(item, "f")))"
        case .number(let number): return self.number(number, name)
        case .float(let byteCount, let order, let range):
            let read = "f\(8 * byteCount)(r, \(order.isLittleText), \(name))"
            guard let range else { return read }
            let (low, high) = (TypeScriptText.float(range.lowerBound), TypeScriptText.float(range.upperBound))
            return "floatWithin(r, r.p, \(read), \(low), \(high), \(name))"
        case .boolean: return "bool(r, \(name))"
        case .varint(let format, let allowed):
            let read = Self.varint(format, name)
            guard allowed != format.range else { return read }
            return within(read, allowed, isWide: format.range.isWide, name)
        case .text(let count): return text(count, name, field)
        case .utf16(let count, let order): return utf16(count, order, name, field)
        case .bytes(let count): return bytes(count, name, field)
        case .digits(let byteCount): return "digits(r, \(byteCount), \(name))"
        case .properties(let isStrict): return "properties(r, \(isStrict), \(name))"
        case .structure(let index): return "\(types.structures[index].read)(r, \(name))"
        case .union(let index, nil): return "\(types.unions[index].read)(r, \(name))"
        case .union(let index, let source?): return "\(types.unions[index].readTagged)(r, \(field(source)), \(name))"
        case .list(let item, let count, _): return list(item, count, name, field)
        case .sized(let content, let count, _):
            let count = known ?? self.count(count, name, field)
            return "sized(r, \(count), \(name), (r, f) => \(self.unseen(content, "f", field: field)))"
        }
    }

    private func number(_ number: NumberPlan, _ name: String) -> String {
        let read = Self.integer(number.format, number.byteOrder, name)
        return checked(number, read, at: "r.p", name)
    }

    /// Returns the expression that checks a number after it was read.
    ///
    /// - Parameter place: The expression for where it was read, which is evaluated first.
    func checked(_ number: NumberPlan, _ read: String, at place: String, _ name: String) -> String {
        let isWide = number.format.range.isWide
        if let cases = number.closedNumbers {
            let list = TypeScriptText.list(cases.map { TypeScriptTypes.number($0, isWide: isWide) })
            return "known‹<\(types.text(.number(number)))>›(r, \(place), \(read), \(list), \(name))"
        }
        return number.range.map { within(read, $0, isWide: isWide, at: place, name) } ?? read
    }

    private func within(
        _ read: String, _ range: ClosedRange<Int128>, isWide: Bool, at place: String = "r.p", _ name: String
    ) -> String {
        let low = TypeScriptTypes.number(range.lowerBound, isWide: isWide)
        let high = TypeScriptTypes.number(range.upperBound, isWide: isWide)
        return "within(r, \(place), \(read), \(low), \(high), \(name))"
    }

    /// Returns the expression that reads an integer of whole bytes.
    static func integer(_ format: IntegerFormat, _ order: ByteOrder, _ name: String) -> String {
        let little = order == .littleEndian && format.byteCount > 1
        switch format.byteCount {
        case 1, 2, 4:
            return "\(format.isSigned ? "i" : "u")\(8 * format.byteCount)\(little ? "Little" : "")(r, \(name))"
        case 3, 5, 6: return "\(format.isSigned ? "sint" : "uint")(r, \(format.byteCount), \(little), \(name))"
        default:
            let read = "wide(r, \(format.byteCount), \(little), \(name))"
            return format.isSigned ? "BigInt.asIntN(\(format.bitWidth), \(read))" : read
        }
    }

    /// Returns the expression that reads an integer of variable length.
    static func varint(_ format: VarintFormat, _ name: String) -> String {
        let end = "(r, \(format.maximumByteCount), \(name))"
        let isWide = format.range.isWide
        switch format.encoding {
        case .unsigned: return (isWide ? "wideVarint" : "varint") + end
        case .zigzag: return (isWide ? "wideZigzag" : "zigzag") + end
        case .signed32: return "varint32" + end
        case .signed64:
            return isWide
                ? format.isSigned ? "BigInt.asIntN(64, wideVarint\(end))" : "wideVarint" + end : "varint" + end
        }
    }

    // MARK: Counts

    /// Returns the expression for a number of bytes, units or items that a prefix, an earlier field or the schema has.
    private func count(_ count: CountPlan, _ name: String, _ field: (Int) -> String) -> String {
        switch count {
        case .prefix(let prefix): return self.prefix(prefix, name)
        case .field(let count, let index, let limit):
            let addend = count.addend == 0 ? "" : count.addend < 0 ? " - \(-count.addend)" : " + \(count.addend)"
            return "counted(r, \(field(index))\(addend), \(limit.map(String.init) ?? "Infinity"), \(name))"
        case .exactly(let count): return String(count)
        case .filled(let byteCount, _): return String(byteCount)
        case .terminated(let limit): return "terminated(r, \(limit.map(String.init) ?? "Infinity"), \(name))"
        case .until, .rest: return "rest(r, \(count.maximum.map(String.init) ?? "Infinity"), \(name))"
        }
    }

    private func prefix(_ prefix: PlannedCount, _ name: String) -> String {
        if prefix.format == .varint { return "countVarint(r, \(prefix.limit ?? 4_294_967_295), \(name))" }
        let read = prefixNumber(prefix, name)
        return prefix.limit.map { "atMost(r, r.p, \(read), \($0), \(name))" } ?? read
    }

    /// Returns the expression for a prefix that says whether its value is absent.
    func nullableCount(_ prefix: PlannedCount, _ name: String) -> String {
        let read = prefix.format == .zigzag ? "countZigzag(r, \(name))" : prefixNumber(prefix, name)
        return "countOrAbsent(r, r.p, \(read), \(prefix.maximum), \(name))"
    }

    /// Returns the expression that reads the prefix of a sized structure or union.
    func sizePrefix(_ prefix: PlannedCount) -> String { self.prefix(prefix, "f") }

    private func prefixNumber(_ prefix: PlannedCount, _ name: String) -> String {
        switch prefix.format {
        case .uint8: Self.integer(.uint8, prefix.byteOrder, name)
        case .uint16: Self.integer(.uint16, prefix.byteOrder, name)
        case .uint32: Self.integer(.uint32, prefix.byteOrder, name)
        case .int16: Self.integer(.int16, prefix.byteOrder, name)
        case .int32: Self.integer(.int32, prefix.byteOrder, name)
        case .varint: "countVarint(r, 4294967295, \(name))"
        case .zigzag: "countZigzag(r, \(name))"
        }
    }

    private func text(_ count: CountPlan, _ name: String, _ field: (Int) -> String) -> String {
        switch count {
        case .filled(let byteCount, let padding): return "fixedText(r, \(byteCount), \(padding), \(name))"
        case .terminated: return "skip(r, 1, text(r, \(self.count(count, name, field)), \(name)))"
        default: return "text(r, \(self.count(count, name, field)), \(name))"
        }
    }

    private func bytes(_ count: CountPlan, _ name: String, _ field: (Int) -> String) -> String {
        let read = "blob(r, \(self.count(count, name, field)), \(name))"
        if case .terminated = count { return "skip(r, 1, \(read))" }
        return read
    }

    private func utf16(
        _ count: CountPlan, _ order: ByteOrder, _ name: String, _ field: (Int) -> String
    ) -> String {
        let little = order.isLittleText
        let limit = count.maximum.map(String.init) ?? "Infinity"
        switch count {
        case .filled(let byteCount, let padding):
            return "fixedUTF16(r, \(byteCount), \(padding), \(little), \(name))"
        case .terminated: return "skip(r, 2, utf16(r, terminatedUnits(r, \(limit), \(name)), \(little), \(name)))"
        case .rest, .until: return "utf16(r, restUnits(r, \(limit), \(name)), \(little), \(name))"
        case .prefix, .field, .exactly: return "utf16(r, \(self.count(count, name, field)), \(little), \(name))"
        }
    }

    private func list(_ item: ValuePlan, _ count: CountPlan, _ name: String, _ field: (Int) -> String) -> String {
        let read = "(r, f) => \(value(item, "f"))"
        let limit = count.maximum.map(String.init) ?? "Infinity"
        return switch count {
        case .until(let stop, _): "listUntil(r, \(stop), \(limit), \(name), \(read))"
        case .rest, .terminated: "listToEnd(r, \(limit), \(name), \(read))"
        case .prefix, .field, .exactly, .filled:
            "list(r, \(self.count(count, name, field)), \(name), \(read))"
        }
    }

    // MARK: Bodies

    /// Returns the statements that read a body into `m`, of a type.
    func body(_ body: BodyFields, type: String) -> [String] {
        if body.isPlain {
            let members = body.fields.map { "  \($0.ownName): \(plainValue($0))," }
            return (members.isEmpty ? ["const m‹: \(type)› = {};"] : ["const m‹: \(type)› = {"] + members + ["};"])
                + end(body)
        }
        var lines: [String] = []
        for field in body.fields { lines += read(field, body) }
        let last = lines.count
        let always = body.fields.filter { $0.planned.hasValue && !$0.mayBeUnset }
        let members = always.map { "\($0.ownName): v\($0.index)" }.joined(separator: ", ")
        lines.append("const m‹: \(type)› = {\(members.isEmpty ? "" : " \(members) ")};")
        for field in body.fields where field.planned.hasValue && field.mayBeUnset {
            lines.append("if (v\(field.index) !== undefined) m.\(field.ownName) = v\(field.index);")
        }
        return Self.withoutUnused(lines, before: last) + end(body)
    }

    /// Returns statements without the constants that nothing in a module uses: compilers warn about them.
    ///
    /// What is read for them is still read. A script keeps the places, for the bytes of fields that share them.
    private static func withoutUnused(_ lines: [String], before end: Int) -> [String] {
        let words = lines.map {
            RuntimeText.words(of: TypeScriptForm.module.text(of: $0)[...], lineComment: "//")
        }
        var uses: [String: Int] = [:]
        for word in words.joined() { uses[word, default: 0] += 1 }
        return lines.enumerated().map { index, line in
            guard index < end, line.hasPrefix("const "), let name = line.dropFirst(6).split(separator: " ").first,
                uses[String(name)] == 1
            else { return line }
            let rest = line.dropFirst("const \(name) = ".count)
            // Places stand before what is read there.
            guard name.first == "p", rest.hasPrefix("r.p, ") else { return String(rest) }
            return "const «\(name) = r.p, »" + rest.dropFirst("r.p, ".count)
        }
    }

    private func end(_ body: BodyFields) -> [String] {
        switch body.plan.end {
        case .kept: ["if (r.p < r.end) m.\(body.trailing ?? "trailing") = r.b.slice(r.p, r.end);"]
        case .refused: ["ended(r);"]
        case .reached, .skipped, .open: []
        }
    }

    private func plainValue(_ field: FieldPlan) -> String {
        let read = value(field.value, TypeScriptText.string(field.name))
        guard let absent = types.absent(field) else { return read }
        return "r.p < r.end ? \(read) : \(absent)"
    }

    /// Returns the statements that read one field of a body.
    private func read(_ field: FieldPlan, _ body: BodyFields) -> [String] {
        let name = TypeScriptText.string(field.name)
        let variable = "v\(field.index)"
        if let run = body.run(beginningAt: field.index) { return packed(run, body) }
        if field.description.packing != nil { return [] }
        if field.description.role == .padding {
            return ["take(r, \(types.plan.coding.fixedByteCount(of: field.planned.type) ?? 0), \(name));"]
        }
        switch field.constant {
        case .number(let number, let format, let order):
            let read = Self.integer(format, order, name)
            return [
                "constant(r, r.p, \(Self.seen(read, name)), \(TypeScriptTypes.number(number, isWide: format.range.isWide)), \(name));"
            ]
        case .text(let text, let byteCount, let padding):
            let compared = PlannedConstant.comparedBytes(of: text, byteCount: byteCount, padding: padding)
            return [
                "sameBytes(r, \(Self.seenBytes("take(r, \(byteCount), \(name))", name)), \(TypeScriptText.list(compared.map(String.init))), \(name));"
            ]
        case nil: break
        }
        let number = { (index: Int) in self.countedNumber(index, body) }
        let read = value(field.value, name, field: number)
        if field.planned.isNullable, let prefix = field.description.count {
            let count = "n\(field.index)"
            let read = value(field.value, name, count: count, field: number)
            return [
                "const \(count) = \(nullableCount(prefix, name));",
                "const \(variable) = \(count) < 0 ? undefined : \(read);",
            ]
        }
        if let condition = field.planned.condition {
            return ["const \(variable) = \(self.condition(condition, body)) ? \(read) : undefined;"]
        }
        if field.planned.isAppended {
            let absent = types.absent(field) ?? "undefined"
            return ["const \(variable) = r.p < r.end ? \(read) : \(absent);"]
        }
        return ["const \(variable) = \(read);"]
    }

    /// Returns the expression for the number of a field that counts others.
    private func countedNumber(_ index: Int, _ body: BodyFields) -> String {
        let field = body.fields[index]
        if field.planned.isDerived, field.planned.isCounter, TypeScriptTypes.isWide(field.value) {
            return "Number(v\(index))"
        }
        return "v\(index)"
    }

    /// Returns the expression that a condition of a field holds.
    func condition(_ condition: WireCondition, _ body: BodyFields) -> String {
        TypeScriptTypes.condition(condition) { operand in
            if case .header(let name) = operand { return self.types.headerOperand(name, isWritten: false) }
            guard let index = body.plan.field(operand)?.index else { return ("0", false) }
            let field = body.fields[index]
            return TypeScriptReading.operand(field, "v\(index)")
        }
    }

    /// Returns the expression for the number that a condition sees in a field's value.
    static func operand(_ field: FieldPlan, _ value: String) -> (text: String, isWide: Bool) {
        let isWide = TypeScriptTypes.isWide(field.value)
        let zero = TypeScriptTypes.number(0, isWide: isWide)
        if case .boolean = field.value { return ("(\(value) ? 1 : 0)", false) }
        let number = field.mayBeUnset ? "(isSet(\(value)) ? \(value) : \(zero))" : value
        // The compiler refuses to compare a closed enum with a number that it does not have.
        return (field.value.isClosed && !isWide ? "(\(number)‹ as number›)" : number, isWide)
    }

    /// Returns the statements that read fields which share bytes; what is wrong with one is told at their first byte.
    private func packed(_ run: PlannedRun, _ body: BodyFields) -> [String] {
        guard let first = run.bits.first else { return [] }
        let format = IntegerFormat(bitWidth: 8 * run.byteCount, isSigned: false)
        let name = TypeScriptText.string(body.fields[first.field].name)
        let (place, bits) = ("p\(first.field)", "b\(first.field)")
        var lines = [
            "const \(place) = r.p, \(bits) = \(Self.integer(format, run.byteOrder, name));"
        ]
        for part in run.bits {
            let field = body.fields[part.field]
            let name = TypeScriptText.string(field.name)
            let isSigned: Bool
            if case .number(let number) = field.value { isSigned = number.format.isSigned } else { isSigned = false }
            let isBigInt = TypeScriptTypes.isWide(field.value)
            let read = Self.bits(
                bits, bitWidth: part.bitWidth, shift: part.shift, byteCount: run.byteCount, isSigned: isSigned,
                toWide: isBigInt)
            if let constant = part.constant {
                lines.append(
                    "constant(r, \(place), \(Self.seen(read, at: place, name)), \(TypeScriptTypes.number(constant, isWide: isBigInt)), \(name));"
                )
                continue
            }
            switch field.value {
            case .number(let number):
                lines.append(
                    "const v\(part.field) = \(Self.seen(checked(number, read, at: place, name), at: place, name));")
            default: lines.append("const v\(part.field) = \(Self.seen("\(read) === 1", at: place, name));")
            }
        }
        return lines
    }

    /// Returns the expression for the bits of a field in a run.
    ///
    /// - Parameter toWide: Whether the field's number is a `bigint`; that of a run of more than 6 bytes is one.
    static func bits(
        _ run: String, bitWidth: Int, shift: Int, byteCount: Int, isSigned: Bool, toWide: Bool
    ) -> String {
        if byteCount > 6 {
            let moved = shift == 0 ? run : "\(run) >> BigInt(\(shift))"
            let text = "BigInt.as\(isSigned ? "Int" : "Uint")N(\(bitWidth), \(moved))"
            return toWide ? text : "Number(\(text))"
        }
        if byteCount <= 4, bitWidth < 32 {
            if isSigned { return "\(run) << \(32 - shift - bitWidth) >> \(32 - bitWidth)" }
            let moved = shift == 0 ? run : "(\(run) >>> \(shift))"
            return "(\(moved) & \((1 << bitWidth) - 1))"
        }
        return "\(isSigned ? "signedBits" : "bits")(\(run), \(shift), \(bitWidth))"
    }
}
