// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the expressions and statements that check values and bodies, and are their bytes.
///
/// A body is `m`, the levels that are left are `d`, and the name or the index of the value is `f`. The bytes of the field `n` are the
/// variable `on`.
struct PythonWriting {
    let types: PythonTypes

    // MARK: Numbers

    /// Returns the expression that checks a number or a boolean, and is its number.
    func checked(_ value: ValuePlan, _ text: String, _ name: String) -> String {
        switch value {
        case .number(let number):
            if number.closedNumbers != nil, case .enumeration(let index) = number.kind {
                return "_checked_case(\(text), \(types.cases[index]), \(name))"
            }
            return Self.checked(text, number.allowed, name)
        case .varint(_, let allowed): return Self.checked(text, allowed, name)
        case .boolean: return "_checked_bool(\(text), \(name))"
        default: return text
        }
    }

    /// Returns the expression that checks a number.
    static func checked(_ text: String, _ range: ClosedRange<Int128>, _ name: String) -> String {
        "_checked(\(text), \(range.lowerBound), \(range.upperBound), \(name))"
    }

    /// Returns the expression for the bytes of a number or a boolean that has been checked.
    static func putUnchecked(_ value: ValuePlan, _ text: String) -> String {
        switch value {
        case .number(let number): put(number.format, number.byteOrder, text)
        case .varint(let format, _): "_leb(\(varintBits(format, text)))"
        default: "bytes((\(text),))"
        }
    }

    /// Returns the expression for the bytes of an integer.
    static func put(_ format: IntegerFormat, _ order: ByteOrder, _ text: String) -> String {
        let isCall = text.hasPrefix("_checked") && !text.contains(" << ") && !text.contains(" | ")
        let isOne = isCall || !text.contains(" ") && text.first?.isLetter == true
        return (isOne ? text : "(\(text))")
            + ".to_bytes(\(format.byteCount), \(order.pythonText)\(format.isSigned ? ", signed=True" : ""))"
    }

    /// Returns the number without a sign that is written for a value.
    static func varintBits(_ format: VarintFormat, _ text: String) -> String {
        switch format.encoding {
        case .unsigned: text
        case .zigzag: "_zigzag_bits(\(text))"
        case .signed32: "(\(text)) & 4294967295"
        case .signed64: "(\(text)) & 18446744073709551615"
        }
    }

    // MARK: Prefixes

    /// Returns the expression for bytes with a prefix that counts them, or units of two of them.
    static func prefixed(_ bytes: String, _ prefix: PlannedCount, _ name: String, unitByteCount: Int = 1) -> String {
        let unit = unitByteCount == 1 ? "" : ", \(unitByteCount)"
        guard let width = prefix.format.fixedByteCount else {
            let scale = prefix.format == .zigzag ? 2 : 1
            return "_prefixed_varint(\(bytes), \(scale), \(prefix.maximum), \(name)\(unit))"
        }
        return "_prefixed(\(bytes), \(width), \(prefix.byteOrder.pythonText), \(prefix.maximum), \(name)\(unit))"
    }

    private static func prefix(_ prefix: PlannedCount, _ count: String) -> String {
        if let width = prefix.format.fixedByteCount {
            return "\(count).to_bytes(\(width), \(prefix.byteOrder.pythonText))"
        }
        return "_leb(\(prefix.format == .zigzag ? "2 * " : "")\(count))"
    }

    /// Returns the expression for the prefix of a value that is absent.
    private static func absentPrefix(_ prefix: PlannedCount) -> String {
        guard let width = prefix.format.fixedByteCount else { return PythonText.bytes([1]) }
        return PythonText.bytes(Array(repeating: 0xFF, count: width))
    }

    // MARK: Values

    /// Returns the expression that checks a value, and is its bytes.
    func put(_ value: ValuePlan, _ text: String, _ name: String) -> String {
        switch value {
        case .number, .varint: return Self.putUnchecked(value, checked(value, text, name))
        case .boolean: return "_put_bool(\(text), \(name))"
        case .float(let byteCount, let order, let range):
            let format = types.format(PythonReading.float(byteCount, order))
            guard let range else { return "_put_float(\(text), \(format), \(name))" }
            let (low, high) = (PythonText.float(range.lowerBound), PythonText.float(range.upperBound))
            return "_put_float_within(\(text), \(format), \(low), \(high), \(name))"
        case .text(let count): return ended("_put_text(\(text), \(name))", count, name, .bigEndian)
        case .bytes(let count): return ended("_put_blob(\(text), \(name))", count, name, .bigEndian)
        case .utf16(let count, let order):
            let codec = order == .littleEndian ? "utf-16-le" : "utf-16-be"
            return ended("_put_utf16(\(text), \"\(codec)\", \(name))", count, name, order, unitByteCount: 2)
        case .digits(let byteCount): return "_put_digits(\(text), \(byteCount), \(name))"
        case .properties: return "_put_properties(\(text), \(name))"
        case .structure(let index): return "\(types.structures[index].write)(\(text), d, \(name))"
        case .union(let index, let source):
            let functions = types.unions[index]
            return "\(source == nil ? functions.write : functions.writeTagged)(\(text), d, \(name))"
        case .list(let item, let count, _): return list(item, count, text, name)
        case .sized(let content, let count, let fills):
            let bytes = put(content, text, name)
            switch count {
            case .prefix(let prefix): return Self.prefixed(bytes, prefix, name)
            case .exactly(let count): return "\(fills ? "_exactly" : "_fill_up")(\(bytes), \(count), \(name))"
            case .field: return limited(bytes, count, name)
            case .filled, .terminated, .until, .rest: return bytes
            }
        }
    }

    /// Returns the expression for text or bytes, with what says where they end.
    ///
    /// - Parameter unitByteCount: The bytes of a unit.
    private func ended(
        _ bytes: String, _ count: CountPlan, _ name: String, _ order: ByteOrder, unitByteCount: Int = 1
    ) -> String {
        switch count {
        case .prefix(let prefix): return Self.prefixed(bytes, prefix, name, unitByteCount: unitByteCount)
        case .exactly(let count): return "_exactly(\(bytes), \(count * unitByteCount), \(name))"
        case .filled(let byteCount, let padding):
            let unit: [UInt8] = unitByteCount == 1 ? [padding] : order == .littleEndian ? [padding, 0] : [0, padding]
            return "_pad(\(bytes), \(byteCount), \(PythonText.bytes(unit)), \(name))"
        case .terminated(let limit):
            let limited = limit.map { "_limited(\(bytes), \($0 * unitByteCount), \(name))" } ?? bytes
            return "_terminate(\(limited), \(unitByteCount), \(name))"
        // The size of a field counts bytes.
        case .field: return limited(bytes, count, name)
        case .until, .rest:
            return count.maximum.map { "_limited(\(bytes), \($0 * unitByteCount), \(name))" } ?? bytes
        }
    }

    private func limited(_ bytes: String, _ count: CountPlan, _ name: String) -> String {
        let limited = count.maximum.map { "_limited(\(bytes), \($0), \(name))" } ?? bytes
        return count.minimum > 0 ? "_not_less(\(limited), \(count.minimum), \(name))" : limited
    }

    private func list(_ item: ValuePlan, _ count: CountPlan, _ text: String, _ name: String) -> String {
        let least = count.minimum
        let items =
            switch count {
            case .exactly(let count): "_exact_items(\(text), \(count), \(name))"
            default: "_items(\(text), \(least), \(count.maximum ?? 4_294_967_295), \(name))"
            }
        let write = "lambda v, d, f: \(put(item, "v", "f"))"
        if case .until(let stop, _) = count { return "_put_until(\(items), d, \(stop), \(name), \(write))" }
        let put: (String) -> String = { list in
            guard let (letter, _) = PythonReading.plain(item), case .number = item else {
                return "_put_items(\(list), d, \(name), \(write))"
            }
            return "_put_numbers(\(list), \(letter), d, \(name), \(write))"
        }
        guard case .prefix(let prefix) = count else { return put(items) }
        return Self.prefix(prefix, "len(\(items))") + " + " + put(text)
    }
}

// MARK: Bodies

extension PythonWriting {
    /// Returns the statements that write a body `m`, up to the expression for its bytes.
    func body(_ body: BodyFields) -> (lines: [String], bytes: String) {
        var lines: [String] = []
        var parts: [String] = []
        var hasGap = false
        var index = 0
        while index < body.fields.count {
            let field = body.fields[index]
            if let run = body.fixedRun(beginningAt: index) {
                lines += fixed(run, body)
                parts.append("o\(index)")
                index = run.fields.upperBound
                continue
            }
            let (statements, part) = write(field, body, &hasGap)
            lines += statements
            if let part { parts.append(part) }
            index += 1
        }
        lines += counters(body)
        if let trailing = body.trailing {
            let own = "m.\(trailing)"
            lines.append(
                hasGap
                    ? "o = _put_trailing(\(own), gap, \"trailing\")"
                    : "o = \(own) if type(\(own)) is bytes else _put_blob(\(own), \"trailing\")")
            parts.append("o")
        }
        if hasGap { lines.insert("gap: str | None = None", at: 0) }
        for derivation in body.plan.derivations { lines.insert("q\(derivation.field): int | None = None", at: 0) }
        switch parts.count {
        case 0: return (lines, "b\"\"")
        case 1...4: return (lines, parts.joined(separator: " + "))
        default: return (lines, "b\"\".join((\(parts.joined(separator: ", "))))")
        }
    }

    /// Returns the statements for fields that one call writes; if it cannot, they are written one after the other, and the first
    /// one that is wrong is told.
    private func fixed(_ run: FixedRun, _ body: BodyFields) -> [String] {
        var fields = Array(body.fields[run.fields])
        let singly = fields.map { put($0.value, "m.\($0.ownName)", PythonText.string($0.name)) }
        let variable = "o\(run.fields.lowerBound)"
        var last = ""
        // The range of a float is that of what is written.
        if case .float(_, _, _?)? = fields.last?.value {
            fields.removeLast()
            last = " + " + singly[singly.count - 1]
        }
        guard fields.count > 1 else { return ["\(variable) = \(singly.joined(separator: " + "))"] }
        var (letters, values) = ("", [String]())
        for field in fields {
            let text = "m.\(field.ownName)"
            switch field.value {
            case .number(let number):
                let value =
                    field.value.canBeRefused
                    ? checked(field.value, text, PythonText.string(field.name)) : text
                letters += number.format.structLetter ?? "\(number.format.byteCount)s"
                values.append(number.format.structLetter == nil ? Self.put(number.format, run.byteOrder, value) : value)
            case .float(let byteCount, _, _):
                letters += byteCount == 4 ? "f" : "d"
                values.append("\(text) if \(text) == \(text) else _NAN")
            default:
                letters += "B"
                values.append(checked(field.value, text, PythonText.string(field.name)))
            }
        }
        let format = types.format((run.byteOrder == .littleEndian ? "<" : ">") + letters)
        return PythonText.block("try:", PythonText.call("\(variable) = \(format).pack(", values, ")\(last)"))
            + PythonText.block("except _UNFIT:", PythonText.call("\(variable) = b\"\".join((", singly, "))"))
    }

    /// Returns the statements that write one field of a body, and its bytes.
    private func write(
        _ field: FieldPlan, _ body: BodyFields, _ hasGap: inout Bool
    ) -> (lines: [String], part: String?) {
        let name = PythonText.string(field.name)
        let own = "o\(field.index)"
        if field.description.role == .padding {
            return ([], "bytes(\(types.plan.coding.fixedByteCount(of: field.planned.type) ?? 0))")
        }
        if field.description.packing != nil { return packed(field, body) }
        switch field.constant {
        case .number(let number, let format, let order):
            let bits = number & ((Int128(1) << Int128(8 * format.byteCount)) - 1)
            let bytes = (0..<format.byteCount).map { UInt8(truncatingIfNeeded: bits >> Int128(8 * $0)) }
            return ([], PythonText.bytes(order == .littleEndian ? bytes : bytes.reversed()))
        case .text(let text, let byteCount, let padding):
            let filler = Array(repeating: padding, count: max(0, byteCount - text.utf8.count))
            return ([], PythonText.bytes(Array(text.utf8) + filler))
        case nil: break
        }
        if let (user, index) = body.union(taggedBy: field) {
            return (
                ["\(own) = " + Self.putUnchecked(field.value, "\(types.unions[index].tag)(m.\(user.ownName))")], own
            )
        }
        if field.planned.isCounter { return ([], own) }
        let value = "m.\(field.ownName)"
        var lines: [String] = []
        if field.planned.isOptional || field.planned.followsOptional {
            // A field with a default is always written.
            lines.append("gap = _gap(gap, \(field.absent == nil ? value : "b\"\""), \(name))")
            hasGap = true
        }
        let put = ["\(own) = \(self.put(field.value, value, name))"] + counting(field, value, body)
        if let condition = field.planned.condition {
            lines.append("_present(\(value), \(self.condition(condition, body)), \(name))")
        } else if field.planned.isNullable, let prefix = field.description.count {
            return (
                lines + ["\(own) = \(Self.absentPrefix(prefix))"] + PythonText.block("if \(value) is not None:", put),
                own
            )
        }
        guard field.mayBeUnset else { return (lines + put, own) }
        return (lines + ["\(own) = b\"\""] + PythonText.block("if \(value) is not None:", put), own)
    }

    private func condition(_ condition: WireCondition, _ body: BodyFields) -> String {
        PythonTypes.condition(condition) { operand in
            if case .header(let name) = operand { return self.types.headerOperand(name, isWritten: true) }
            guard let index = body.plan.field(operand)?.index else { return "0" }
            let field = body.fields[index]
            // A later condition cannot look at a field that counts.
            guard field.planned.hasValue else {
                guard let (user, union) = body.union(taggedBy: field) else { return "0" }
                return "\(self.types.unions[union].tag)(m.\(user.ownName))"
            }
            return field.mayBeUnset ? "(m.\(field.ownName) or 0)" : "m.\(field.ownName)"
        }
    }

    // MARK: Fields that share bytes

    /// Returns what writes a run of fields that share bytes, at the last of them.
    private func packed(_ field: FieldPlan, _ body: BodyFields) -> (lines: [String], part: String?) {
        guard let run = body.run(endingAt: field.index) else { return ([], nil) }
        let own = "\(run.bits[0].field)"
        let parts = run.bits.compactMap { part -> String? in
            let field = body.fields[part.field]
            var text: String
            if let constant = part.constant {
                let bits = constant & ((Int128(1) << Int128(part.bitWidth)) - 1)
                guard bits != 0 else { return nil }
                text = String(bits)
            } else if let (user, index) = body.union(taggedBy: field) {
                text = "\(types.unions[index].tag)(m.\(user.ownName))"
            } else if field.planned.isCounter {
                return nil
            } else {
                text = checked(field.value, "m.\(field.ownName)", PythonText.string(field.name))
            }
            if part.constant == nil { text = Self.bits(field.value, text, part.bitWidth) }
            return part.shift == 0 ? text : "\(text) << \(part.shift)"
        }
        let sum = parts.isEmpty ? "0" : parts.joined(separator: " | ")
        guard !run.bits.contains(where: { body.fields[$0.field].planned.isCounter }) else {
            return (["x\(own) = \(sum)"], "o\(own)")
        }
        let format = IntegerFormat(bitWidth: 8 * run.byteCount, isSigned: false)
        return (["o\(own) = \(Self.put(format, run.byteOrder, sum))"], "o\(own)")
    }

    /// Returns the expression for the bits of a number, in so many bits.
    static func bits(_ value: ValuePlan, _ text: String, _ bitWidth: Int) -> String {
        guard case .number(let number) = value, number.format.isSigned else { return text }
        return "(\(text) & \((Int128(1) << Int128(bitWidth)) - 1))"
    }

    // MARK: Fields that count others

    /// Returns the statement that counts a field for an earlier one.
    private func counting(_ field: FieldPlan, _ value: String, _ body: BodyFields) -> [String] {
        guard let derivation = body.plan.derivation(counting: field.index),
            let counted = derivation.counted.first(where: { $0.field == field.index })
        else { return [] }
        var number = counted.measure == .items ? "len(\(value))" : "len(o\(field.index))"
        let addend = counted.count.addend
        if addend != 0 { number += addend < 0 ? " + \(-addend)" : " - \(addend)" }
        let counter = "q\(derivation.field)"
        return ["\(counter) = _agreed(\(counter), \(number), \(PythonText.string(field.name)))"]
    }

    /// Returns the statements that write the fields which count others, now that the numbers are known.
    private func counters(_ body: BodyFields) -> [String] {
        body.fields.flatMap { field -> [String] in
            if let run = body.run(beginningAt: field.index) {
                let counters = run.bits.filter { body.fields[$0.field].planned.isCounter }
                guard !counters.isEmpty else { return [] }
                let numbers = counters.map {
                    "\(Self.bits(body.fields[$0.field].value, "(q\($0.field) or 0)", $0.bitWidth)) << \($0.shift)"
                }
                let sum = ["x\(field.index)"] + numbers
                let format = IntegerFormat(bitWidth: 8 * run.byteCount, isSigned: false)
                return ["o\(field.index) = \(Self.put(format, run.byteOrder, sum.joined(separator: " | ")))"]
            }
            guard field.planned.isCounter, field.description.packing == nil else { return [] }
            return ["o\(field.index) = " + Self.putUnchecked(field.value, "q\(field.index) or 0")]
        }
    }
}
