// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the expressions that check values and are their bytes, and the statements that write bodies.
///
/// The name or the index of a value is `f`. A body is `m`, and the bytes of its field `n` are `o[n + 1]`, if they must stand in a table.
struct LuaWriting {
    let types: LuaTypes

    // MARK: Numbers

    /// Returns the expression that checks a number, a float or a boolean, and is what `string.pack` takes.
    func check(_ value: ValuePlan, _ text: String, _ name: String) -> String {
        switch value {
        case .number(let number):
            if number.closedNumbers != nil {
                let isWide = number.format.range.isWide
                let own = isWide ? "canonical(\(text), \(name))" : text
                return "known_case(\(own), \(types.closed(number)), \(name)\(isWide ? ", true" : ""))"
            }
            return Self.check(text, number.allowed, isWide: number.format.range.isWide, name)
        case .varint(let format, let allowed): return Self.check(text, allowed, isWide: format.range.isWide, name)
        case .boolean: return "bit_of(\(text), \(name))"
        case .float(let byteCount, _, let range):
            let read = "float\(8 * byteCount)(\(text), \(name))"
            guard let range else { return read }
            let limits = "\(LuaText.anyFloat(range.lowerBound)), \(LuaText.anyFloat(range.upperBound))"
            return "ranged(\(read), \(byteCount == 4), \(limits), \(name))"
        default: return text
        }
    }

    /// Returns the expression that checks an integer.
    static func check(_ text: String, _ range: ClosedRange<Int128>, isWide: Bool, _ name: String) -> String {
        let limits = "\(LuaText.number(range.lowerBound)), \(LuaText.number(range.upperBound))"
        return "\(isWide ? "wide_integer" : "integer")(\(text), \(limits), \(name))"
    }

    /// Returns the expression for the bytes of a number or a boolean that has been checked.
    static func bytes(_ value: ValuePlan, _ text: String) -> String {
        switch value {
        case .number(let number): integer(number.format, number.byteOrder, text)
        case .varint(let format, _): varint(format, text)
        case .float(_, let order, _): "pack(\(LuaFormat.text(value, order)), \(text))"
        default: "pack(\">B\", \(text))"
        }
    }

    /// Returns the expression for the bytes of an integer of whole bytes.
    static func integer(_ format: IntegerFormat, _ order: ByteOrder, _ text: String) -> String {
        guard format.byteCount > 6 else { return "pack(\(LuaFormat.text(format, order)), \(text))" }
        return "wide_bytes(\(format.byteCount), \(order == .littleEndian), halves(\(text)))"
    }

    /// Returns the expression for the bytes of an integer of variable length.
    static func varint(_ format: VarintFormat, _ text: String) -> String {
        let isWide = format.range.isWide
        return switch format.encoding {
        case .unsigned: isWide ? "wide_varint_bytes(halves(\(text)))" : "varint_bytes(\(text))"
        case .zigzag:
            isWide ? "wide_varint_bytes(zigzag_halves(halves(\(text))))" : "varint_bytes(zigzag_bits(\(text)))"
        case .signed32: "varint_bytes((\(text)) % 4294967296)"
        case .signed64: isWide ? "wide_varint_bytes(halves(\(text)))" : "varint_bytes(\(text))"
        }
    }

    // MARK: Values

    /// Returns the expression that checks a value, and is its bytes.
    func put(_ value: ValuePlan, _ text: String, _ name: String) -> String {
        switch value {
        case .number, .varint, .boolean, .float: return Self.bytes(value, check(value, text, name))
        case .text(let count): return putText("text_of", text, count, name)
        case .bytes(let count): return putText("bytes_of", text, count, name)
        case .utf16(let count, let order): return putUTF16(text, count, order == .littleEndian, name)
        case .digits(let byteCount): return "digits_of(\(text), \(byteCount), \(name))"
        case .properties: return "properties_of(\(text), \(name))"
        case .structure(let index): return "\(types.structure("put", index))(\(text), \(name))"
        case .union(let index, let source):
            return "\(types.union(source == nil ? "put" : "put_tagged", index))(\(text), \(name))"
        case .list(let item, let count, _): return putList(item, count, text, name)
        case .sized(let content, let count, let fills): return putSized(content, count, fills: fills, text, name)
        }
    }

    private func putText(_ function: String, _ text: String, _ count: CountPlan, _ name: String) -> String {
        let checked = "\(function)(\(text), \(count.maximum.map(String.init) ?? "nil"), \(name))"
        switch count {
        case .prefix(let prefix): return prefixed(prefix, checked)
        case .exactly(let byteCount): return "exactly(\(checked), \(byteCount), \(name))"
        case .filled(let byteCount, let padding): return "padded(\(checked), \(byteCount), \(padding), \(name))"
        case .terminated: return "ended(\(checked), \(name))"
        case .field, .until, .rest:
            return count.minimum > 0 ? "not_less(\(checked), \(count.minimum), \(name))" : checked
        }
    }

    private func putUTF16(_ text: String, _ count: CountPlan, _ little: Bool, _ name: String) -> String {
        // The size of a field counts bytes, other counts units.
        var most = count.maximum
        if case .field = count { most = most.map { $0 / 2 } }
        if case .filled(let byteCount, _) = count { most = byteCount / 2 }
        let checked = "utf16_of(\(text), \(little), \(most.map(String.init) ?? "huge"), \(name))"
        switch count {
        case .prefix(let prefix):
            guard prefix.format.fixedByteCount != nil else {
                return "with_varint_units(\(Self.unit(prefix)), \(checked))"
            }
            return "with_units(\(LuaFormat.text(prefix)), \(checked))"
        case .exactly(let units): return "exactly(\(checked), \(2 * units), \(name))"
        case .filled(let byteCount, let padding):
            return "padded_units(\(checked), \(byteCount), \(padding), \(little), \(name))"
        case .terminated: return "ended_units(\(checked), \(name))"
        case .field, .until, .rest:
            return count.minimum > 0 ? "not_less(\(checked), \(count.minimum), \(name))" : checked
        }
    }

    private static func unit(_ prefix: PlannedCount) -> Int { prefix.format == .zigzag ? 2 : 1 }

    /// Returns the expression for bytes and the prefix with their number.
    func prefixed(_ prefix: PlannedCount, _ text: String) -> String {
        guard let width = prefix.format.fixedByteCount else { return "with_varint(\(Self.unit(prefix)), \(text))" }
        return "pack(\"\(LuaFormat.mark(prefix.byteOrder))s\(width)\", \(text))"
    }

    private func putList(_ item: ValuePlan, _ count: CountPlan, _ text: String, _ name: String) -> String {
        let write = "function(v, f) return \(put(item, "v", "f")) end"
        let limit = count.maximum.map(String.init) ?? "huge"
        switch count {
        case .prefix(let prefix):
            let items = "each(\(text), \(limit), \(name), \(write))"
            guard prefix.format.fixedByteCount != nil else { return "listed_varint(\(Self.unit(prefix)), \(items))" }
            return "listed(\(LuaFormat.text(prefix)), \(items))"
        case .exactly(let count): return "(each(exact_items(\(text), \(count), \(name)), huge, \(name), \(write)))"
        case .until(let stop, _): return "each_until(\(text), \(limit), \(stop), \(name), \(write))"
        case .field, .rest, .terminated, .filled:
            let least = count.minimum
            let items = least > 0 ? "not_fewer(\(text), \(least), \(limit), \(name))" : text
            return "(each(\(items), \(limit), \(name), \(write)))"
        }
    }

    /// Returns the expression for a value inside a number of bytes.
    private func putSized(
        _ content: ValuePlan, _ count: CountPlan, fills: Bool, _ text: String, _ name: String
    ) -> String {
        let written = put(content, text, name)
        switch count {
        case .prefix(let prefix): return prefixed(prefix, "at_most(\(written), \(prefix.maximum), \(name))")
        case .exactly(let count): return "\(fills ? "exactly" : "filled_up")(\(written), \(count), \(name))"
        case .field:
            let limited = "at_most(\(written), \(count.maximum ?? 0), \(name))"
            return count.minimum > 0 ? "not_less(\(limited), \(count.minimum), \(name))" : limited
        case .filled, .terminated, .until, .rest: return written
        }
    }

    // MARK: Bodies

    /// Returns the statements that write a body `m`, up to the return of its bytes.
    ///
    /// - Parameters:
    ///   - leaving: The statements after the last field.
    ///   - around: Returns the expression for all bytes of the body, with a prefix.
    func body(_ body: BodyFields, leaving: [String] = [], around: (String) -> String = { $0 }) -> [String] {
        let (parts, counting, hasGap) = parts(body)
        let trailing = body.trailing.map { "trailing_of(m\(LuaText.member($0)), \(hasGap ? "gap" : "nil"))" }
        guard !parts.allSatisfy(\.isExpression) || parts.count > 40 else {
            let bytes = parts.isEmpty ? "\"\"" : parts.map(\.bytes).joined(separator: "\n    .. ")
            guard !leaving.isEmpty || trailing != nil else { return ["return \(around(bytes))"] }
            let more = body.trailing.map { name in
                "if m\(LuaText.member(name)) ~= nil then t = t .. trailing_of(m\(LuaText.member(name))) end"
            }
            return ["local t = \(bytes)"] + [more].compactMap(\.self) + leaving + ["return \(around("t"))"]
        }
        var lines = ["local o\(hasGap ? ", gap" : "") = {}"] + parts.flatMap(\.statements) + counting
        if let trailing { lines.append("o[\(parts.count + 1)] = \(trailing)") }
        return lines + leaving + ["return \(around("concat(o)"))"]
    }

    /// What one or several fields are written as.
    fileprivate struct Part {
        /// Its place in the table of all bytes.
        let position: Int
        /// The statements before it.
        var before: [String] = []
        var bytes: String
        /// The expression that the bytes are there.
        var condition: String?
        /// The statements after it.
        var after: [String] = []

        /// Whether the bytes need no statements.
        var isExpression: Bool { before.isEmpty && condition == nil && after.isEmpty }

        /// The statements that put the bytes into the table.
        var statements: [String] {
            let own = "o[\(position)]"
            let written =
                condition.map { "if \($0) then \(own) = \(bytes) else \(own) = \"\" end" } ?? "\(own) = \(bytes)"
            let lines = before + [written] + after
            return before.contains { $0.hasPrefix("local d ") } ? ["do"] + LuaText.indented(lines) + ["end"] : lines
        }
    }

    private func parts(_ body: BodyFields) -> (all: [Part], counting: [String], hasGap: Bool) {
        let runs = LuaRun.all(in: body)
        var counters = LuaCounters(writing: self, body: body)
        var (parts, hasGap, index) = ([Part](), false, 0)
        while index < body.fields.count {
            let field = body.fields[index]
            if let run = runs.first(where: { $0.fields.lowerBound == index }), !field.planned.followsOptional {
                let content = counted(after: run, body)
                parts.append(Part(position: parts.count + 1, bytes: self.run(run, content, body)))
                index = run.fields.upperBound + (content == nil ? 0 : 1)
                continue
            }
            counters.places[index] = parts.count + 1
            parts.append(write(field, body, counters, &hasGap, at: parts.count + 1))
            index += 1
        }
        return (parts, counters.lines, hasGap)
    }

    /// Returns the text or the bytes after a run, which one call can write with it; nil if others follow.
    private func counted(after run: LuaRun, _ body: BodyFields) -> (format: String, value: String)? {
        guard let index = run.prefixed, let prefix = body.fields[index].description.count,
            let width = prefix.format.fixedByteCount
        else { return nil }
        let field = body.fields[index]
        let function: String
        switch field.value {
        case .text: function = "text_of"
        case .bytes: function = "bytes_of"
        default: return nil
        }
        let value = "\(function)(m\(LuaText.member(field.ownName)), \(prefix.maximum), \(LuaText.literal(field.name)))"
        return (LuaFormat.mark(prefix.byteOrder) + "s\(width)", value)
    }

    private func run(
        _ run: LuaRun, _ content: (format: String, value: String)?, _ body: BodyFields
    ) -> String {
        var format = ""
        var values = run.fields.map { index -> String in
            let field = body.fields[index]
            format += LuaFormat.mark(Self.order(field.value)) + LuaFormat.letter(field.value)
            return check(field.value, "m\(LuaText.member(field.ownName))", LuaText.literal(field.name))
        }
        if let content {
            format += content.format
            values.append(content.value)
        }
        return "pack(\(LuaText.literal(LuaFormat.simplified(format))), \(values.joined(separator: ", ")))"
    }

    private static func order(_ value: ValuePlan) -> ByteOrder {
        switch value {
        case .number(let number): number.byteOrder
        case .float(_, let order, _): order
        default: .bigEndian
        }
    }

    /// Returns what one field of a body is written as.
    private func write(
        _ field: FieldPlan, _ body: BodyFields, _ counters: LuaCounters, _ hasGap: inout Bool, at position: Int
    ) -> Part {
        let name = LuaText.literal(field.name)
        var part = Part(position: position, bytes: "\"\"")
        if field.description.role == .padding {
            part.bytes = "rep(\"\\0\", \(types.plan.coding.fixedByteCount(of: field.planned.type) ?? 0))"
            return part
        }
        if field.description.packing != nil { return packed(field, body, part) }
        switch field.constant {
        case .number(let number, let format, let order):
            part.bytes = Self.integer(format, order, LuaText.number(number))
            return part
        case .text(let text, let byteCount, let padding):
            let bytes = Array(text.utf8) + Array(repeating: padding, count: max(0, byteCount - text.utf8.count))
            part.bytes = LuaText.literal(bytes)
            return part
        case nil: break
        }
        if let (user, index) = body.union(taggedBy: field) {
            part.bytes = Self.bytes(field.value, "\(types.union("tag", index))(m\(LuaText.member(user.ownName)))")
            return part
        }
        if field.planned.isCounter {
            part.before = ["local q\(field.index)"]
            return part
        }
        let value = "m\(LuaText.member(field.ownName))"
        var variable = value
        if field.planned.isOptional || field.planned.followsOptional {
            // A field with a default is always written.
            part.before.append("gap = gap_after(gap, \(field.absent == nil ? value : "true"), \(name))")
            hasGap = true
        }
        if let absent = field.absent {
            variable = "d"
            part.before += ["local d = \(value)", "if d == nil then d = \(types.literal(absent)) end"]
        }
        part.bytes = put(field.value, variable, name)
        if let condition = field.planned.condition {
            part.condition = "present(\(value), \(self.condition(condition, body)), \(name))"
        } else if field.planned.isNullable, let prefix = field.description.count {
            let absent = prefix.format == .zigzag ? "\"\\001\"" : "rep(\"\\255\", \(prefix.format.fixedByteCount ?? 0))"
            part.bytes = "(\(value) == nil and \(absent) or \(part.bytes))"
        } else if field.mayBeUnset {
            part.condition = "\(value) ~= nil"
        }
        part.after = counters.after(field, variable, at: position, mayBeUnset: field.mayBeUnset)
        return part
    }

    private func condition(_ condition: WireCondition, _ body: BodyFields) -> String {
        LuaTypes.condition(condition) { operand in
            if case .header(let name) = operand { return self.types.headerOperand(name, isWritten: true) }
            guard let index = body.plan.field(operand)?.index else { return ("0", false) }
            let field = body.fields[index]
            // A later condition cannot look at a field that counts.
            guard field.planned.hasValue else {
                guard let (user, union) = body.union(taggedBy: field) else { return ("0", false) }
                return (
                    "\(self.types.union("tag", union))(m\(LuaText.member(user.ownName)))", LuaTypes.isWide(field.value)
                )
            }
            return LuaTypes.operand(field, "m\(LuaText.member(field.ownName))", isWritten: true)
        }
    }

    // MARK: Fields that share bytes

    /// Returns the check of a field that shares bytes; the last one writes all.
    private func packed(_ field: FieldPlan, _ body: BodyFields, _ empty: Part) -> Part {
        var part = empty
        if field.planned.hasValue {
            part.before = [check(field.value, "m\(LuaText.member(field.ownName))", LuaText.literal(field.name))]
        }
        guard let run = body.run(endingAt: field.index) else { return part }
        let counting = run.bits.filter { body.fields[$0.field].planned.isCounter }
        part.before += counting.map { "local q\($0.field)" }
        if counting.isEmpty { part.bytes = put(run, body) { _ in "0" } }
        return part
    }

    /// Returns the expression for the bytes of a run.
    ///
    /// - Parameter counter: Returns the expression for the number of a field that counts others.
    func put(_ run: PlannedRun, _ body: BodyFields, counter: (FieldPlan) -> String) -> String {
        let parts = run.bits.compactMap { part -> (value: String, shift: Int, bitWidth: Int, isSigned: Bool)? in
            let field = body.fields[part.field]
            var isSigned = false
            if case .number(let number) = field.value { isSigned = number.format.isSigned }
            var text: String
            if let constant = part.constant {
                guard constant != 0 else { return nil }
                text = LuaText.number(constant)
            } else if let (user, index) = body.union(taggedBy: field) {
                text = "\(types.union("tag", index))(m\(LuaText.member(user.ownName)))"
            } else if field.planned.isCounter {
                text = counter(field)
            } else {
                text = "m\(LuaText.member(field.ownName))"
                if case .boolean = field.value { text = "(\(text) and 1 or 0)" }
            }
            return (text, part.shift, part.bitWidth, isSigned)
        }
        return Self.put(parts, run.byteCount, run.byteOrder)
    }

    /// Returns the expression for the bytes of an integer in which some numbers stand.
    static func put(
        _ parts: [(value: String, shift: Int, bitWidth: Int, isSigned: Bool)], _ byteCount: Int, _ order: ByteOrder
    ) -> String {
        guard byteCount <= 6 else {
            let list = parts.map { "{ \($0.value), \($0.shift), \($0.bitWidth) }" }.joined(separator: ", ")
            return "wide_bytes(\(byteCount), \(order == .littleEndian), joined({ \(list) }))"
        }
        let sum = parts.map { part in
            let own = part.isSigned ? "\(part.value) % \(Int128(1) << Int128(part.bitWidth))" : part.value
            return part.shift == 0 ? own : "\(own) * \(Int128(1) << Int128(part.shift))"
        }
        return integer(
            IntegerFormat(bitWidth: 8 * byteCount, isSigned: false), order,
            sum.isEmpty ? "0" : sum.joined(separator: " + "))
    }
}
