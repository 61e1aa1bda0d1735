// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

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
        case .kept: members.append((isOrdered ? "" : "\(body.trailing ?? "trailing")=") + "b[p:e] if p < e else b\"\"")
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
