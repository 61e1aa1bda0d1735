// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the statements that check values and bodies, and write them.
///
/// The writer is `w`, and the name or the index of the value is `f`. A body is `m`.
struct TypeScriptWriting {
    let types: TypeScriptTypes

    // MARK: Numbers

    /// Returns the statement that checks a number or a boolean.
    func check(_ value: ValuePlan, _ text: String, _ name: String) -> [String] {
        switch value {
        case .number(let number):
            let isWide = number.format.range.isWide
            if let cases = number.closedNumbers {
                let list = TypeScriptText.list(cases.map { TypeScriptTypes.number($0, isWide: isWide) })
                return ["checkKnown(w, \(text), \(list), \(name));"]
            }
            return [check(text, number.allowed, isWide: isWide, name)]
        case .varint(let format, let allowed): return [check(text, allowed, isWide: format.range.isWide, name)]
        case .boolean: return ["checkBool(w, \(text), \(name));"]
        default: return []
        }
    }

    /// Returns the statement that checks a number.
    func check(_ text: String, _ range: ClosedRange<Int128>, isWide: Bool, _ name: String) -> String {
        let low = TypeScriptTypes.number(range.lowerBound, isWide: isWide)
        let high = TypeScriptTypes.number(range.upperBound, isWide: isWide)
        return "\(isWide ? "checkWide" : "check")(w, \(text), \(low), \(high), \(name));"
    }

    /// Returns the statement that writes a number or a boolean that has been checked.
    func putUnchecked(_ value: ValuePlan, _ text: String) -> [String] {
        switch value {
        case .number(let number): return [Self.put(number.format, number.byteOrder, text)]
        case .varint(let format, _):
            return ["\(format.range.isWide ? "putWideVarint" : "putVarint")(w, \(Self.varintBits(format, text)));"]
        case .boolean: return ["putByte(w, \(text) ? 1 : 0);"]
        default: return []
        }
    }

    /// Returns the statement that writes an integer of whole bytes.
    static func put(_ format: IntegerFormat, _ order: ByteOrder, _ text: String) -> String {
        let little = order == .littleEndian
        return switch format.byteCount {
        case 1: "putByte(w, \(text));"
        case 2, 4: "put\(format.byteCount)\(little ? "Little" : "")(w, \(text));"
        case 3, 5, 6: "putInt(w, \(text), \(format.byteCount), \(little));"
        default: "putWide(w, \(text), \(format.byteCount), \(little));"
        }
    }

    /// Returns the number without a sign that is written for a value.
    static func varintBits(_ format: VarintFormat, _ text: String) -> String {
        let isWide = format.range.isWide
        return switch format.encoding {
        case .unsigned: text
        case .zigzag: "\(isWide ? "wideZigzagBits" : "zigzagBits")(\(text))"
        case .signed32: "\(text) >>> 0"
        case .signed64: isWide ? "BigInt.asUintN(64, \(text))" : text
        }
    }

    // MARK: Prefixes

    /// Returns the statement that leaves room for a prefix, which is written when its number is known.
    func roomForPrefix(_ prefix: PlannedCount) -> [String] {
        prefix.format.fixedByteCount.map { ["room(w, \($0));"] } ?? []
    }

    /// Returns the statement that writes a prefix before what has been written.
    func writtenPrefix(_ prefix: PlannedCount, _ count: String, _ byteCount: String, _ name: String) -> String {
        guard let width = prefix.format.fixedByteCount else {
            let unit = prefix.format == .zigzag ? 2 : 1
            return "putPrefixVarint(w, \(unit), \(prefix.maximum), \(name), \(count), \(byteCount));"
        }
        let little = prefix.byteOrder == .littleEndian
        return "putPrefix(w, \(width), \(little), \(prefix.maximum), \(name), \(count), \(byteCount));"
    }

    /// Returns the statement that writes a prefix whose number is known.
    private func putPrefix(_ prefix: PlannedCount, _ count: String) -> String {
        switch prefix.format {
        case .uint8: Self.put(.uint8, prefix.byteOrder, count)
        case .uint16, .int16: Self.put(.uint16, prefix.byteOrder, count)
        case .uint32, .int32: Self.put(.uint32, prefix.byteOrder, count)
        case .varint: "putVarint(w, \(count));"
        case .zigzag: "putVarint(w, 2 * \(count));"
        }
    }

    /// Returns the statement that writes the prefix of a value that is absent.
    private func absentPrefix(_ prefix: PlannedCount) -> String {
        switch prefix.format {
        case .zigzag: "putByte(w, 1);"
        default: Self.put(prefix.format == .int16 ? .int16 : .int32, .bigEndian, "-1")
        }
    }

    // MARK: Values

    /// Returns the statements that check a value and write it.
    ///
    /// - Parameter unique: What distinguishes the variables from those of other values of the body.
    func put(_ value: ValuePlan, _ text: String, _ name: String, unique: String) -> [String] {
        switch value {
        case .number, .varint, .boolean: return check(value, text, name) + putUnchecked(value, text)
        case .float(let byteCount, let order, let range):
            let put = "putFloat(w, \(text), \(byteCount), \(order.isLittleText), \(name));"
            guard let range else { return [put] }
            let (low, high) = (TypeScriptText.float(range.lowerBound), TypeScriptText.float(range.upperBound))
            let rounded = byteCount == 4 ? "Math.fround(\(text))" : text
            return [put, "checkFloat(w, \(rounded), \(low), \(high), \(name));"]
        case .text(let count): return putText("putText(w, \(text), \(name))", count, name, width: 1, little: false)
        case .bytes(let count): return putText("putBlob(w, \(text), \(name))", count, name, width: 1, little: false)
        case .utf16(let count, let order):
            return putText(
                "putUTF16(w, \(text), \(order.isLittleText), \(name))", count, name, width: 2,
                little: order == .littleEndian)
        case .digits(let byteCount): return ["putDigits(w, \(text), \(byteCount), \(name));"]
        case .properties: return ["putProperties(w, \(text), \(name));"]
        case .structure(let index): return ["\(types.structures[index].write)(w, \(text), \(name));"]
        case .union(let index, let source):
            let functions = types.unions[index]
            return ["\(source == nil ? functions.write : functions.writeTagged)(w, \(text), \(name));"]
        case .list(let item, let count, _): return putList(item, count, text, name)
        case .sized(let content, let count, let fills):
            return putSized(content, count, fills: fills, text, name, unique)
        }
    }

    /// Returns the statements that write text or bytes.
    ///
    /// - Parameters:
    ///   - put: The expression that writes the units, and is how many they are.
    ///   - width: The bytes of a unit.
    private func putText(
        _ put: String, _ count: CountPlan, _ name: String, width: Int, little: Bool
    ) -> [String] {
        switch count {
        case .prefix(let prefix):
            // The number of bytes is twice that of 16-bit units.
            guard width == 1 else {
                return roomForPrefix(prefix) + ["{", "  const n = \(put);"]
                    + ["  " + writtenPrefix(prefix, "n", "2 * n", name), "}"]
            }
            guard let byteCount = prefix.format.fixedByteCount else {
                let unit = prefix.format == .zigzag ? 2 : 1
                return ["putCountedVarint(w, \(unit), \(prefix.maximum), \(name), \(put));"]
            }
            let little = prefix.byteOrder == .littleEndian
            return roomForPrefix(prefix)
                + ["putCounted(w, \(byteCount), \(little), \(prefix.maximum), \(name), \(put));"]
        case .exactly(let count): return ["exactly(w, \(put), \(count), \(name));"]
        case .filled(let byteCount, let padding):
            return ["padText(w, \(put), \(byteCount / width), \(padding), \(width), \(little), \(name));"]
        case .terminated(let limit):
            let limited = limit.map { "limited(w, \(put), \($0), \(name))" } ?? put
            return ["terminate(w, \(limited), \(width), \(name));"]
        case .field, .until, .rest:
            var written = put
            // The size of a field counts bytes.
            if width == 2, case .field = count { written = "2 * \(put)" }
            if let maximum = count.maximum { written = "limited(w, \(written), \(maximum), \(name))" }
            if count.minimum > 0 { written = "notLess(w, \(written), \(count.minimum), \(name))" }
            return [written + ";"]
        }
    }

    private func putList(_ item: ValuePlan, _ count: CountPlan, _ text: String, _ name: String) -> [String] {
        let limit = count.maximum.map(String.init) ?? "Infinity"
        let counted = "countItems(w, \(text), \(limit), \(name))"
        let statements = put(item, "v", "f", unique: "i")
        let write =
            statements.count == 1 && !statements[0].hasPrefix("{")
            ? "(w, v, f) => { \(statements[0]) }" : "(w, v, f) => { \(statements.joined(separator: " ")) }"
        switch count {
        case .prefix(let prefix):
            return [putPrefix(prefix, counted), "each(w, \(text), \(name), \(write));"]
        case .exactly(let count):
            return ["exactly(w, \(counted), \(count), \(name));", "each(w, \(text), \(name), \(write));"]
        case .until(let stop, _): return [counted + ";", "eachUntil(w, \(text), \(stop), \(name), \(write));"]
        case .field, .rest, .terminated, .filled:
            let least = count.minimum
            let checked = least > 0 ? "notLess(w, \(counted), \(least), \(name));" : counted + ";"
            return [checked, "each(w, \(text), \(name), \(write));"]
        }
    }

    /// Returns the statements that write a value inside a number of bytes.
    private func putSized(
        _ content: ValuePlan, _ count: CountPlan, fills: Bool, _ text: String, _ name: String, _ unique: String
    ) -> [String] {
        let start = "s\(unique)"
        var lines: [String] = []
        if case .prefix(let prefix) = count { lines += roomForPrefix(prefix) }
        lines.append("const \(start) = w.p;")
        lines += put(content, text, name, unique: unique + "c")
        let written = "w.p - \(start)"
        switch count {
        case .prefix(let prefix): lines.append(writtenPrefix(prefix, written, written, name))
        case .exactly(let count):
            lines.append("\(fills ? "exactly" : "fillUp")(w, \(written), \(count), \(name));")
        case .field:
            lines.append("limited(w, \(written), \(count.maximum ?? 0), \(name));")
            if count.minimum > 0 { lines.append("notLess(w, \(written), \(count.minimum), \(name));") }
        case .filled, .terminated, .until, .rest: break
        }
        return lines
    }

    // MARK: Bodies

    /// Returns the statements that write a body `m`.
    func body(_ body: BodyFields) -> [String] {
        var lines: [String] = []
        var hasGap = false
        for field in body.fields { lines += write(field, body, &hasGap) }
        lines += TypeScriptCounters(writing: self, body: body).lines
        if let trailing = body.trailing {
            lines.append("putTrailing(w, m.\(trailing), \(hasGap ? "gaps" : "undefined"), \"trailing\");")
        }
        return (hasGap ? ["let gaps‹: string | undefined›;"] : []) + lines
    }

    /// Returns the statements that write one field of a body.
    private func write(_ field: FieldPlan, _ body: BodyFields, _ hasGap: inout Bool) -> [String] {
        let name = TypeScriptText.string(field.name)
        if field.description.role == .padding {
            return ["putZeros(w, \(types.plan.coding.fixedByteCount(of: field.planned.type) ?? 0));"]
        }
        if field.description.packing != nil { return packed(field, body) }
        switch field.constant {
        case .number(let number, let format, let order):
            return [Self.put(format, order, TypeScriptTypes.number(number, isWide: format.range.isWide))]
        case .text(let text, let byteCount, let padding):
            let bytes = Array(text.utf8) + Array(repeating: padding, count: max(0, byteCount - text.utf8.count))
            return ["putBytes(w, \(TypeScriptText.list(bytes.map(String.init))));"]
        case nil: break
        }
        if let (user, index) = body.union(taggedBy: field) {
            return putUnchecked(field.value, "\(types.unions[index].tag)(m.\(user.ownName))")
        }
        if field.planned.isCounter { return TypeScriptCounters(writing: self, body: body).leaving(field) }
        let value = "m.\(field.ownName)"
        var lines: [String] = []
        if field.planned.isOptional || field.planned.followsOptional {
            // A field with a default is always written.
            let set = field.absent == nil ? value : "true"
            lines.append("gaps = gap(w, gaps, \(set), \(name));")
            hasGap = true
        }
        let counting = TypeScriptCounters(writing: self, body: body)
        let before = counting.before(field)
        if let absent = types.absent(field) {
            let variable = "d\(field.index)"
            lines.append("const \(variable) = isSet(\(value)) ? \(value) : \(absent);")
            return lines + before + put(field.value, variable, name, unique: "\(field.index)") + counting.after(field)
        }
        let written = before + put(field.value, value, name, unique: "\(field.index)") + counting.after(field)
        if let condition = field.planned.condition {
            return lines + [
                "if (present(w, \(value), \(self.condition(condition, body)), \(name)) && isSet(\(value))) {"
            ]
                + written.map { "  " + $0 } + ["}"]
        }
        if field.planned.isNullable, let prefix = field.description.count {
            return lines + ["if (isSet(\(value))) {"] + written.map { "  " + $0 }
                + ["} else {", "  \(absentPrefix(prefix))", "}"]
        }
        guard field.mayBeUnset else { return lines + written }
        return lines + ["if (isSet(\(value))) {"] + written.map { "  " + $0 } + ["}"]
    }

    private func condition(_ condition: WireCondition, _ body: BodyFields) -> String {
        TypeScriptTypes.condition(condition) { operand in
            if case .header(let name) = operand { return self.types.headerOperand(name, isWritten: true) }
            guard let index = body.plan.field(operand)?.index else { return ("0", false) }
            let field = body.fields[index]
            // A later condition cannot look at a field that counts.
            guard field.planned.hasValue else {
                if let (user, union) = body.union(taggedBy: field) {
                    return (
                        "\(self.types.unions[union].tag)(m.\(user.ownName))", TypeScriptTypes.isWide(field.value)
                    )
                }
                return ("0", false)
            }
            return TypeScriptReading.operand(field, "m.\(field.ownName)")
        }
    }

    /// Returns the checks of a field that shares bytes; the last one writes all.
    private func packed(_ field: FieldPlan, _ body: BodyFields) -> [String] {
        var lines: [String] = []
        if field.planned.hasValue {
            lines = check(field.value, "m.\(field.ownName)", TypeScriptText.string(field.name))
        }
        guard let run = body.run(endingAt: field.index) else { return lines }
        let counters = TypeScriptCounters(writing: self, body: body)
        guard !run.bits.contains(where: { body.fields[$0.field].planned.isCounter }) else {
            return lines + counters.leaving(run)
        }
        return lines + [put(run, body) { _ in "0" }]
    }

    /// Returns the statement that writes the integer of a run.
    ///
    /// - Parameter counter: Returns the expression for the number of a field that counts others.
    func put(_ run: PlannedRun, _ body: BodyFields, counter: (FieldPlan) -> String) -> String {
        let isWide = run.byteCount > 6
        let parts = run.bits.compactMap { part -> String? in
            let field = body.fields[part.field]
            var isSigned = false
            if case .number(let number) = field.value { isSigned = number.format.isSigned }
            var text: String
            if let constant = part.constant {
                let bits = constant < 0 ? constant + (Int128(1) << Int128(part.bitWidth)) : constant
                guard bits != 0 else { return nil }
                text = TypeScriptTypes.number(bits, isWide: isWide)
            } else if let (user, index) = body.union(taggedBy: field) {
                text = "\(types.unions[index].tag)(m.\(user.ownName))"
            } else if field.planned.isCounter {
                text = counter(field)
            } else {
                text = "m.\(field.ownName)"
            }
            if part.constant == nil {
                if case .boolean = field.value { text = "(\(text) ? 1 : 0)" }
                let isBigInt = TypeScriptTypes.isWide(field.value)
                if isWide {
                    let number = isBigInt ? text : "BigInt(\(text))"
                    text = isSigned ? "BigInt.asUintN(\(part.bitWidth), \(number))" : number
                } else if isSigned {
                    text = "twos(\(text), \(part.bitWidth))"
                }
            }
            guard part.shift > 0 else { return text }
            return isWide
                ? "(\(text) << BigInt(\(part.shift)))" : "\(text) * \(Int128(1) << Int128(part.shift))"
        }
        let zero = TypeScriptTypes.number(0, isWide: isWide)
        let sum = parts.isEmpty ? zero : parts.joined(separator: " + ")
        return Self.put(IntegerFormat(bitWidth: 8 * run.byteCount, isSigned: false), run.byteOrder, sum)
    }
}
