// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the statements that read values and bodies.
///
/// The bytes are `b`, the place is `p`, the end `e`, the levels that are left `d`, and the name or the index of the value `f`. The
/// value of the field `n` of a body is the variable `vn`.
struct PythonReading {
    let types: PythonTypes

    /// Where a value is read to, and what it is called.
    struct Target {
        /// The variable.
        var variable: String
        /// The expression for its name or index.
        var name: String
        /// The variable with the end of the bytes.
        var end = "e"
        /// The expression for the number of an earlier field of the body.
        var field: (Int) -> String = { "v\($0)" }

        /// A variable beside the value's own.
        func beside(_ letter: String) -> String { letter + variable.dropFirst() }
        /// The arguments that all readers begin with.
        var place: String { "b, p, \(end)" }
        /// The start of an assignment from a reader.
        var assigned: String { "\(variable), p = " }
    }

    /// Returns the statement that raises an error at a place.
    static func fail(_ kind: String, _ name: String, at place: String) -> String {
        name.hasPrefix("\"")
            ? "raise WireError(\"\(kind)\", \(name), \(place))" : "raise _fail(\"\(kind)\", \(name), \(place))"
    }

    // MARK: Values

    /// Returns the statements that read a value.
    ///
    /// - Parameter known: The expression for the number of its bytes, units or items, if that has been read.
    func read(_ value: ValuePlan, _ target: Target, count known: String? = nil) -> [String] {
        let (place, name, assigned) = (target.place, target.name, target.assigned)
        switch value {
        case .number(let number):
            let raw = target.beside("x")
            let read = integer(number.format, number.byteOrder, "\(raw), p = ", target)
            return [read] + checked(number, raw, target, at: "p - \(number.format.byteCount)")
        case .float(let byteCount, let order, let range):
            let read = "\(assigned)_float(\(place), \(types.format(Self.float(byteCount, order))), \(name))"
            return [read] + within(target.variable, range, name, at: "p - \(byteCount)")
        case .boolean: return ["\(assigned)_bool(\(place), \(name))"]
        case .varint(let format, let allowed):
            let read = assigned + Self.varint(format, "\(place), \(format.maximumByteCount), \(name)")
            guard allowed != format.range else { return [read] }
            let start = target.beside("s")
            return ["\(start) = p", read] + within(target.variable, allowed, name, at: start)
        case .text(.filled(let byteCount, let padding)):
            return ["\(assigned)_fixed_text(\(place), \(byteCount), \(padding), \(name))"]
        case .utf16(.filled(let byteCount, let padding), let order):
            let codec = Self.codec(order)
            return ["\(assigned)_fixed_utf16(\(place), \(byteCount), \(padding), \(codec), \(name))"]
        case .text(let count): return counted("_text(\(place), ", ", \(name))", count, target, known)
        case .bytes(let count): return counted("_blob(\(place), ", ", \(name))", count, target, known)
        case .utf16(let count, let order):
            return counted(
                "_utf16(\(place), ", ", \(Self.codec(order)), \(name))", count, target, known, unitByteCount: 2)
        case .digits(let byteCount): return ["\(assigned)_digits(\(place), \(byteCount), \(name))"]
        case .properties(let isStrict):
            return ["\(assigned)_properties(\(place), \(isStrict ? "True" : "False"), \(name))"]
        case .structure(let index): return ["\(assigned)\(types.structures[index].read)(\(place), d, \(name))"]
        case .union(let index, nil): return ["\(assigned)\(types.unions[index].read)(\(place), d, \(name))"]
        case .union(let index, let source?):
            return ["\(assigned)\(types.unions[index].readTagged)(\(place), d, \(target.field(source)), \(name))"]
        case .list(let item, let count, _): return list(item, count, target, known)
        case .sized(let content, let count, _):
            var inner = target
            inner.end = target.beside("e")
            let (lines, number) = known.map { ([], $0) } ?? self.count(count, target)
            return lines + ["\(inner.end) = _end(p, \(target.end), \(number), \(name))"] + read(content, inner)
                + ["p = \(inner.end)"]
        }
    }

    private static func codec(_ order: ByteOrder) -> String {
        order == .littleEndian ? "\"utf-16-le\"" : "\"utf-16-be\""
    }

    static func float(_ byteCount: Int, _ order: ByteOrder) -> String {
        (order == .littleEndian ? "<" : ">") + (byteCount == 4 ? "f" : "d")
    }

    /// Returns the statements for a value whose end is found before it is read.
    private func counted(
        _ head: String, _ tail: String, _ count: CountPlan, _ target: Target, _ known: String?, unitByteCount: Int = 1
    ) -> [String] {
        if let known { return [target.assigned + head + known + tail] }
        let (lines, number) = self.count(count, target, unitByteCount: unitByteCount)
        var all = lines + [target.assigned + head + number + tail]
        if case .terminated = count { all.append("p += \(unitByteCount)") }
        return all
    }

    // MARK: Numbers

    /// Returns the statement that reads an integer of whole bytes.
    func integer(_ format: IntegerFormat, _ order: ByteOrder, _ assigned: String, _ target: Target) -> String {
        "\(assigned)\(format.isSigned ? "_sint" : "_uint")"
            + "(\(target.place), \(format.byteCount), \(order.pythonText), \(target.name))"
    }

    /// Returns the statements that check a number that was read, and give it its type.
    func checked(_ number: NumberPlan, _ raw: String, _ target: Target, at place: String) -> [String] {
        if number.closedNumbers != nil, case .enumeration(let index) = number.kind {
            return [
                "if \(raw) not in \(types.cases[index]): \(Self.fail("unknown_case", target.name, at: place))",
                "\(target.variable) = \(types.cases[index])[\(raw)]",
            ]
        }
        let lines = number.range.map { within(raw, $0, target.name, at: place) } ?? []
        let named = types.named(number.kind, raw)
        return lines + (named == target.variable ? [] : ["\(target.variable) = \(named)"])
    }

    private func within(
        _ variable: String, _ range: ClosedRange<Int128>, _ name: String, at place: String
    ) -> [String] {
        [
            "if not \(range.lowerBound) <= \(variable) <= \(range.upperBound): "
                + Self.fail("out_of_range", name, at: place)
        ]
    }

    private func within(
        _ variable: String, _ range: ClosedRange<Double>?, _ name: String, at place: String
    ) -> [String] {
        guard let range else { return [] }
        let (low, high) = (PythonText.float(range.lowerBound), PythonText.float(range.upperBound))
        return ["if not \(low) <= \(variable) <= \(high): \(Self.fail("float_out_of_range", name, at: place))"]
    }

    /// Returns the expression that reads an integer of variable length.
    static func varint(_ format: VarintFormat, _ arguments: String) -> String {
        switch format.encoding {
        case .unsigned: "_varint(\(arguments))"
        case .zigzag: "_zigzag(\(arguments))"
        case .signed32: "_varint32(\(arguments))"
        case .signed64: format.isSigned ? "_varint64(\(arguments))" : "_varint(\(arguments))"
        }
    }

    // MARK: Counts

    /// Returns the statements that find a number of bytes, units or items, and the expression for it.
    private func count(_ count: CountPlan, _ target: Target, unitByteCount: Int = 1) -> (lines: [String], number: String) {
        let (variable, name) = (target.beside("n"), target.name)
        let limit = count.maximum ?? 4_294_967_295
        let isWide = unitByteCount == 2
        switch count {
        case .prefix(let prefix): return (self.prefix(prefix, variable, target), variable)
        case .field(let count, let index, let limit):
            let addend = count.addend == 0 ? "" : count.addend < 0 ? " - \(-count.addend)" : " + \(count.addend)"
            var lines = ["\(variable) = \(target.field(index))\(addend)"]
            if count.addend < 0 || count.range.lowerBound <= 0 {
                lines.append("if \(variable) < 0: \(Self.fail("length_too_small", name, at: "p"))")
            }
            return (lines + tooLong(variable, limit, name, at: "p"), variable)
        case .exactly(let count): return ([], String(count))
        case .filled(let byteCount, _): return ([], String(byteCount))
        case .terminated:
            let find = isWide ? "_terminated_units" : "_terminated"
            return (["\(variable) = \(find)(\(target.place), \(limit), \(name))"], variable)
        case .until, .rest:
            guard isWide else {
                return (
                    ["\(variable) = \(target.end) - p"] + tooLong(variable, count.maximum, name, at: "p"), variable
                )
            }
            return (["\(variable) = _rest_units(p, \(target.end), \(limit), \(name))"], variable)
        }
    }

    private func tooLong(_ variable: String, _ limit: Int?, _ name: String, at place: String) -> [String] {
        limit.map { ["if \(variable) > \($0): \(Self.fail("too_long", name, at: place))"] } ?? []
    }

    /// Returns the statements that read a prefix.
    func prefix(_ prefix: PlannedCount, _ variable: String, _ target: Target) -> [String] {
        if prefix.format == .varint {
            let limit = prefix.limit ?? 4_294_967_295
            return ["\(variable), p = _count_varint(\(target.place), \(limit), \(target.name))"]
        }
        return [prefixNumber(prefix, variable, target)]
            + tooLong(variable, prefix.limit, target.name, at: "p - \(prefix.format.fixedByteCount ?? 0)")
    }

    private func prefixNumber(_ prefix: PlannedCount, _ variable: String, _ target: Target) -> String {
        guard let byteCount = prefix.format.fixedByteCount else {
            return "\(variable), p = _count_zigzag(\(target.place), \(target.name))"
        }
        let format = IntegerFormat(bitWidth: 8 * byteCount, isSigned: prefix.format.isSigned)
        return integer(format, prefix.byteOrder, "\(variable), p = ", target)
    }

    /// Returns the statements that read a prefix which says whether its value is absent.
    private func nullableCount(_ prefix: PlannedCount, _ variable: String, _ target: Target) -> [String] {
        let start = target.beside("s")
        return [
            "\(start) = p", prefixNumber(prefix, variable, target),
            "if \(variable) < -1: \(Self.fail("out_of_range", target.name, at: start))",
        ] + tooLong(variable, prefix.maximum, target.name, at: start)
    }

    // MARK: Lists

    private func list(_ item: ValuePlan, _ count: CountPlan, _ target: Target, _ known: String?) -> [String] {
        let (place, name) = (target.place, target.name)
        let limit = count.maximum ?? 4_294_967_295
        switch count {
        case .until(let stop, _):
            return ["\(target.assigned)_list_until(\(place), d, \(stop), \(limit), \(name), \(reader(item)))"]
        case .rest, .terminated:
            return ["\(target.assigned)_list_to_end(\(place), d, \(limit), \(name), \(reader(item)))"]
        case .prefix, .field, .exactly, .filled: break
        }
        let (lines, number) = known.map { ([], $0) } ?? self.count(count, target)
        if let (letter, byteCount) = Self.plain(item) {
            return lines + ["\(target.assigned)_numbers(\(place), \(number), \(letter), \(byteCount), \(name))"]
        }
        return lines + ["\(target.assigned)_list(\(place), d, \(number), \(name), \(reader(item)))"]
    }

    /// Returns the format of items that one call reads; nil for other ones.
    static func plain(_ item: ValuePlan) -> (letter: String, byteCount: Int)? {
        switch item {
        case .number(let number) where !item.canBeRefused:
            if case .enumeration = number.kind { return nil }
            guard let letter = number.format.structLetter else { return nil }
            let order = number.byteOrder == .littleEndian ? "<" : ">"
            return ("\"\(order)\", \"\(letter)\"", number.format.byteCount)
        case .float(let byteCount, let order, nil):
            let text = float(byteCount, order)
            return ("\"\(text.prefix(1))\", \"\(text.dropFirst())\"", byteCount)
        default: return nil
        }
    }

    /// Returns the function that reads an item.
    private func reader(_ item: ValuePlan) -> String {
        switch item {
        case .structure(let index): types.structures[index].read
        case .union(let index, _): types.unions[index].read
        default: types.reader(read(item, Target(variable: "v", name: "f")) + ["return v, p"])
        }
    }
}

extension CountFormat {
    fileprivate var isSigned: Bool {
        switch self {
        case .int16, .int32, .zigzag: true
        case .uint8, .uint16, .uint32, .varint: false
        }
    }
}

// MARK: Bodies

extension PythonReading {
    /// Returns the statements that read a body, up to the expression for it.
    ///
    /// - Parameters:
    ///   - name: The class.
    ///   - isOrdered: Whether the class takes its fields without their names.
    func body(_ body: BodyFields, _ name: String, isOrdered: Bool) -> (lines: [String], value: String) {
        var lines: [String] = []
        var index = 0
        while index < body.fields.count {
            let field = body.fields[index]
            if let run = body.fixedRun(beginningAt: index) {
                let (statements, next) = fixed(run, body)
                lines += statements
                index = next
            } else {
                lines += read(field, body)
                index += 1
            }
        }
        var members = body.fields.filter(\.planned.hasValue).map { field in
            isOrdered ? "v\(field.index)" : "\(field.ownName)=v\(field.index)"
        }
        switch body.plan.end {
        case .kept: members.append(isOrdered ? "b[p:e]" : "\(body.trailing ?? "trailing")=b[p:e]")
        case .refused: lines.append("if p < e: raise WireError(\"trailing_bytes\", \"\", p)")
        case .reached, .skipped, .open: break
        }
        return (lines, "\(name)(\(members.joined(separator: ", ")))")
    }

    private func target(_ field: FieldPlan) -> Target {
        Target(variable: "v\(field.index)", name: PythonText.string(field.name))
    }

    /// Returns the statements that read fields with one call, and the field after them.
    ///
    /// The prefix of the value that follows is read with them, if nothing before it can be wrong.
    private func fixed(_ run: FixedRun, _ body: BodyFields) -> (lines: [String], next: Int) {
        let fields = body.fields[run.fields]
        var parts = zip(fields, run.byteCounts).map { field, byteCount in
            (name: PythonText.string(field.name), byteCount: byteCount)
        }
        var order = run.byteOrder
        let isAnyOrder = run.byteCounts.allSatisfy { $0 == 1 }
        var (variables, letters, after) = ([String](), "", [String]())
        for field in fields {
            let own = target(field)
            let (letter, variable, lines) = taken(field, own)
            letters += letter
            variables.append(variable)
            after += lines
        }
        var next = run.fields.upperBound
        if next < body.fields.count, fields.last?.value.canBeRefused == false {
            let field = body.fields[next]
            if field.isPlain, field.absent == nil, let prefix = field.value.fixedPrefix,
                let byteCount = prefix.format.fixedByteCount,
                isAnyOrder || byteCount == 1 || prefix.byteOrder == order
            {
                if isAnyOrder, byteCount > 1 { order = prefix.byteOrder }
                let own = target(field)
                letters += IntegerFormat(bitWidth: 8 * byteCount, isSigned: prefix.format.isSigned).structLetter ?? ""
                variables.append(own.beside("n"))
                parts.append((own.name, byteCount))
                after += tooLong(own.beside("n"), prefix.limit, own.name, at: "p - \(byteCount)")
                after += read(field.value, own, count: own.beside("n"))
                next += 1
            }
        }
        let total = parts.reduce(0) { $0 + $1.byteCount }
        let cut =
            parts.count == 1
            ? Self.fail("truncated", parts[0].name, at: "p")
            : "raise _cut(p, e, \(parts.map { "(\($0.name), \($0.byteCount))" }.joined(separator: ", ")))"
        let format = types.format((order == .littleEndian && letters != "B" ? "<" : ">") + letters)
        let read =
            letters == "B"
            ? "\(variables[0]) = b[p]"
            : "\(variables.count == 1 ? "(\(variables[0]),)" : variables.joined(separator: ", ")) = "
                + "\(format).unpack_from(b, p)"
        return (["if e - p < \(total): \(cut)", read, "p += \(total)"] + after, next)
    }

    /// Returns the letter for a number of fixed width, the variable that it is read to, and what has to be done after that.
    private func taken(_ field: FieldPlan, _ own: Target) -> (letter: String, variable: String, lines: [String]) {
        let raw = own.beside("x")
        switch field.value {
        case .float(let byteCount, _, let range):
            return (
                byteCount == 4 ? "f" : "d", own.variable,
                within(own.variable, range, own.name, at: "p - \(byteCount)")
            )
        case .boolean:
            return (
                "B", raw,
                [
                    "if \(raw) > 1: \(Self.fail("invalid_boolean", own.name, at: "p - 1"))",
                    "\(own.variable) = \(raw) == 1",
                ]
            )
        case .number(let number):
            let place = "p - \(number.format.byteCount)"
            guard let letter = number.format.structLetter else {
                let signed = number.format.isSigned ? ", signed=True" : ""
                let value = own.beside("i")
                let lines = ["\(value) = int.from_bytes(\(raw), \(number.byteOrder.pythonText)\(signed))"]
                return (
                    "\(number.format.byteCount)s", raw, lines + checked(number, value, own, at: place)
                )
            }
            if number.closedNumbers == nil, case .enumeration = number.kind {
                return (letter, raw, checked(number, raw, own, at: place))
            }
            if number.closedNumbers != nil { return (letter, raw, checked(number, raw, own, at: place)) }
            return (letter, own.variable, checked(number, own.variable, own, at: place))
        default: return ("", own.variable, [])
        }
    }

    /// Returns the statements that read one field of a body.
    private func read(_ field: FieldPlan, _ body: BodyFields) -> [String] {
        let own = target(field)
        if let run = body.run(beginningAt: field.index) { return packed(run, body) }
        if field.description.packing != nil { return [] }
        if field.description.role == .padding {
            return ["p = _end(p, e, \(types.plan.coding.fixedByteCount(of: field.planned.type) ?? 0), \(own.name))"]
        }
        switch field.constant {
        case .number(let number, let format, let order):
            return [
                integer(format, order, "\(own.variable), p = ", own),
                "if \(own.variable) != \(number): "
                    + Self.fail("wrong_constant", own.name, at: "p - \(format.byteCount)"),
            ]
        case .text(let text, let byteCount, let padding):
            let compared = PlannedConstant.comparedBytes(of: text, byteCount: byteCount, padding: padding)
            return [
                "\(own.variable), p = _blob(b, p, e, \(byteCount), \(own.name))",
                "_same(\(own.variable), \(PythonText.bytes(compared)), \(own.name), p - \(byteCount))",
            ]
        case nil: break
        }
        if field.planned.isNullable, let prefix = field.description.count {
            let count = own.beside("n")
            return nullableCount(prefix, count, own) + [unset(field), "if \(count) >= 0:"]
                + PythonText.indented(read(field.value, own, count: count))
        }
        if let condition = field.planned.condition {
            return [unset(field)]
                + PythonText.block("if \(self.condition(condition, body)):", read(field.value, own))
        }
        guard field.planned.isAppended else { return read(field.value, own) }
        guard let absent = field.absent else {
            return [unset(field)] + PythonText.block("if p < e:", read(field.value, own))
        }
        return ["\(own.variable): \(types.text(field.value))"] + PythonText.block("if p < e:", read(field.value, own))
            + PythonText.block("else:", ["\(own.variable) = \(types.literal(absent))"])
    }

    private func unset(_ field: FieldPlan) -> String {
        "v\(field.index): \(types.text(field.value)) | None = None"
    }

    /// Returns the expression that a condition of a field holds.
    private func condition(_ condition: WireCondition, _ body: BodyFields) -> String {
        PythonTypes.condition(condition) { operand in
            if case .header(let name) = operand { return self.types.headerOperand(name, isWritten: false) }
            guard let index = body.plan.field(operand)?.index else { return "0" }
            return body.fields[index].mayBeUnset ? "(v\(index) or 0)" : "v\(index)"
        }
    }

    /// Returns the statements that read fields which share bytes; what is wrong with one is told at their first byte.
    private func packed(_ run: PlannedRun, _ body: BodyFields) -> [String] {
        guard let first = run.bits.first else { return [] }
        let bits = "b\(first.field)"
        var own = target(body.fields[first.field])
        let format = IntegerFormat(bitWidth: 8 * run.byteCount, isSigned: false)
        var lines = [integer(format, run.byteOrder, "\(bits), p = ", own)]
        let place = "p - \(run.byteCount)"
        for part in run.bits {
            let field = body.fields[part.field]
            own = target(field)
            var isSigned = false
            if case .number(let number) = field.value { isSigned = number.format.isSigned }
            let read = Self.bits(
                bits, bitWidth: part.bitWidth, shift: part.shift, byteCount: run.byteCount, isSigned: isSigned)
            if let constant = part.constant {
                lines.append("if \(read) != \(constant): \(Self.fail("wrong_constant", own.name, at: place))")
                continue
            }
            switch field.value {
            case .number(let number):
                let raw = own.beside("x")
                lines += ["\(raw) = \(read)"] + checked(number, raw, own, at: place)
            default: lines.append("\(own.variable) = \(read) == 1")
            }
        }
        return lines
    }

    /// Returns the expression for the bits of a field in a run.
    static func bits(_ run: String, bitWidth: Int, shift: Int, byteCount: Int, isSigned: Bool) -> String {
        var text = shift == 0 ? run : "\(run) >> \(shift)"
        if shift + bitWidth < 8 * byteCount { text += " & \((Int128(1) << Int128(bitWidth)) - 1)" }
        if isSigned { return "_signed(\(text), \(bitWidth))" }
        return text == run ? text : "(\(text))"
    }
}

extension ValuePlan {
    /// The prefix of fixed width that the value begins with; nil if it begins in another way.
    fileprivate var fixedPrefix: PlannedCount? {
        let count: CountPlan
        switch self {
        case .text(let own), .bytes(let own), .utf16(let own, _), .list(_, let own, _), .sized(_, let own, _):
            count = own
        default: return nil
        }
        guard case .prefix(let prefix) = count, prefix.format.fixedByteCount != nil else { return nil }
        return prefix
    }
}
