// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The statements that check values and bodies, and write them.
extension StatementPrinter {
    // MARK: Numbers

    /// Returns the statements that write an integer of whole bytes, of the type for its format.
    func put(_ format: IntegerFormat, _ order: ByteOrder, _ text: String, _ name: String) -> [String] {
        if hasWord(format) {
            let suffix = suffix(format, order)
            return [writing("put" + suffix.prefix(1).uppercased() + suffix.dropFirst(), text, name)]
        }
        let check = isWithin(text, format.range, format).map {
            writing("require", $0, word("out_of_range"), name)
        }
        let wide = dialect.convert(text, from: format, to: .uint64)
        return [check, writing("putUint", wide, String(format.byteCount), order.isLittleText)].compactMap(\.self)
    }

    /// Returns the statements that write a number, or a boolean.
    func putUnchecked(_ value: ValuePlan, _ text: String, _ name: String) -> [String] {
        switch value {
        case .number(let number):
            put(number.format, number.byteOrder, dialect.number(of: text, number), name)
        case .varint(let format, _): [writing("putVarint", varintBits(format, text))]
        case .boolean: [writing("putBool", text)]
        default: []
        }
    }

    // MARK: Prefixes

    /// Returns the statement that leaves room for a prefix, which is written when its number is known.
    func roomForPrefix(_ prefix: PlannedCount) -> [String] {
        prefix.format.fixedByteCount.map { [writing("room", String($0))] } ?? []
    }

    /// Returns the statement that writes the number of bytes since a place before them.
    func writtenPrefix(_ prefix: PlannedCount, _ start: String, _ name: String) -> String {
        let count = "\(written("position")) - \(start)"
        return writtenPrefix(prefix, count, count, name)
    }

    private func writtenPrefix(_ prefix: PlannedCount, _ count: String, _ byteCount: String, _ name: String) -> String {
        writing("putPrefix", count, byteCount, code(prefix), limit(prefix.maximum), name)
    }

    // MARK: Values

    /// Returns the statements that check a value and write it.
    ///
    /// - Parameter unique: What distinguishes the variables from those of other values of the body.
    func put(_ value: ValuePlan, _ text: String, _ name: String, unique: String) -> [String] {
        let checks = check(value, text, name, "w")
        switch value {
        case .number, .varint, .boolean: return checks + putUnchecked(value, text, name)
        case .float(let byteCount, let order, _):
            return checks + [writing("putF\(8 * byteCount)\(order == .littleEndian ? "Little" : "")", text, name)]
        case .text(let count):
            return putText(
                "Text", text, written("appendText", text, name), count, name, width: 1, little: false, unique)
        case .bytes(let count):
            return putText(
                "Blob", text, written("appendBlob", text, name), count, name, width: 1, little: false, unique)
        case .utf16(let count, let order):
            return putText(
                "", text, written("appendUTF16", text, order.isLittleText, name), count, name, width: 2,
                little: order == .littleEndian, unique)
        case .digits(let byteCount): return [writing("putDigits", text, String(byteCount), name)]
        case .properties: return [writing("putProperties", text, name)]
        case .structure:
            return notNull(text, value, name) + [dialect.statement(dialect.call(text, "write", ["w", name]))]
        case .union(let index, let source):
            let functions = unions[index]
            return [
                dialect.statement(
                    dialect.call(source == nil ? functions.write : functions.writeTagged, ["w", text, name]))
            ]
        case .list(let item, let count, _): return putList(item, count, text, name, value, unique)
        case .sized(let content, let count, let fills):
            return putSized(content, count, fills: fills, text, name, unique)
        }
    }

    private func notNull(_ text: String, _ value: ValuePlan, _ name: String) -> [String] {
        dialect.isNotNull(text, value).map { [writing("require", $0, word("wrong_type"), name)] } ?? []
    }

    /// Returns the statements that write text or bytes.
    ///
    /// - Parameters:
    ///   - whole: The end of the word that writes them with a prefix; empty if there is none.
    ///   - append: The expression that writes the units, and is how many they are.
    ///   - width: The bytes of a unit.
    private func putText(
        _ whole: String, _ text: String, _ append: String, _ count: CountPlan, _ name: String, width: Int,
        little: Bool, _ unique: String
    ) -> [String] {
        switch count {
        case .prefix(let prefix):
            guard whole.isEmpty else {
                return [writing("put" + whole, text, code(prefix), limit(prefix.maximum), name)]
            }
            // The number of bytes is twice that of 16-bit units.
            let units = "u\(unique)"
            return roomForPrefix(prefix)
                + [
                    dialect.constant(units, .position, append), writtenPrefix(prefix, units, "2 * \(units)", name),
                ]
        case .exactly(let count): return [writing("exactly", append, String(count), name)]
        case .filled(let byteCount, let padding):
            return [
                writing(
                    "padText", append, String(byteCount / width), String(padding), String(width), String(little), name)
            ]
        case .terminated(let limit):
            let limited = limit.map { written("limit", append, self.limit($0), name) } ?? append
            return [writing("terminate", limited, String(width), name)]
        case .field, .until, .rest:
            // The size of a field counts bytes.
            var number = append
            if width == 2, case .field = count { number = "2 * \(append)" }
            return [dialect.statement(limited(number, count, name))]
        }
    }

    /// Returns the expression that checks a number of units or items.
    private func limited(_ number: String, _ count: CountPlan, _ name: String) -> String {
        var text = number
        if let maximum = count.maximum { text = written("limit", text, limit(maximum), name) }
        if count.minimum > 0 { text = written("notLess", text, String(count.minimum), name) }
        return text
    }

    private func putList(
        _ item: ValuePlan, _ count: CountPlan, _ text: String, _ name: String, _ value: ValuePlan, _ unique: String
    ) -> [String] {
        let (number, index, place) = ("n\(unique)", "i\(unique)", "s\(unique)")
        var lines = notNull(text, value, name)
        lines.append(dialect.constant(number, .position, dialect.count(of: text)))
        switch count {
        case .prefix(let prefix):
            lines.append(writing("putCount", number, code(prefix), limit(prefix.maximum), name))
        case .exactly(let count): lines.append(writing("exactly", number, String(count), name))
        default:
            let limited = limited(number, count, name)
            if limited != number { lines.append(dialect.statement(limited)) }
        }
        lines.append(writing("enter", name))
        var inner = [writing("index", index)]
        var stop: UInt8?
        if case .until(let byte, _) = count { stop = byte }
        if stop != nil { inner.append(dialect.constant(place, .position, written("position"))) }
        inner += put(item, dialect.item(text, index), dialect.string(""), unique: unique + "_")
        if let stop { inner.append(writing("notStop", place, String(stop))) }
        lines += dialect.loop(index, below: number, inner)
        if let stop { lines += put(.uint8, .bigEndian, dialect.literal(Int128(stop), .uint8), name) }
        return lines + [writing("leave")]
    }

    /// Returns the statements that write a value inside a number of bytes.
    private func putSized(
        _ content: ValuePlan, _ count: CountPlan, fills: Bool, _ text: String, _ name: String, _ unique: String
    ) -> [String] {
        let start = "s\(unique)"
        var lines: [String] = []
        if case .prefix(let prefix) = count { lines += roomForPrefix(prefix) }
        lines.append(declare(start, .position, written("position"), effect: nil))
        lines += put(content, text, name, unique: unique + "_")
        let byteCount = "\(written("position")) - \(start)"
        switch count {
        case .prefix(let prefix): lines.append(writtenPrefix(prefix, start, name))
        case .exactly(let count): lines.append(writing(fills ? "exactly" : "fillUp", byteCount, String(count), name))
        case .field: lines.append(dialect.statement(limited(byteCount, count, name)))
        case .filled, .terminated, .until, .rest: break
        }
        return lines
    }

    // MARK: Bodies

    /// Returns the lines of a message's function `write(w, h)`.
    func writeMessage(_ body: BodyFields) -> [String] { settled([reservation(body)] + writing(body)) }

    /// Returns the lines of a structure's function `write(w, f)`.
    func writeStructure(_ index: Int) -> [String] {
        let body = plan.structures[index]
        var lines = body.plan.countsDepth ? [writing("deeper", "f")] : []
        lines.append(writing("enter", "f"))
        if let prefix = body.plan.sizePrefix {
            lines += roomForPrefix(prefix) + [dialect.constant("start", .position, written("position"))]
            lines += writing(body) + [writing("leave"), writtenPrefix(prefix, "start", "f")]
        } else {
            lines += writing(body) + [writing("leave")]
        }
        if body.plan.countsDepth { lines.append(writing("shallower")) }
        return settled(lines)
    }

    private func writing(_ body: BodyFields) -> [String] {
        var lines: [String] = []
        var hasGap = false
        let runs = body.fixedRuns
        var index = 0
        while index < body.fields.count {
            if let run = writeRun(beginningAt: index, runs, body) {
                lines += run.lines
                index += run.count
            } else {
                lines += write(body.fields[index], body, &hasGap)
                index += 1
            }
        }
        lines += CounterStatements(printer: self, body: body).lines
        if let trailing = body.trailing {
            let gap = hasGap ? "gap" : dialect.string("")
            lines.append(writing("putTrailing", dialect.member(trailing), gap))
        }
        return (hasGap ? dialect.variable("gap", .text, dialect.string("")) : []) + lines
    }

    /// Returns the statements that write one field of a body.
    private func write(_ field: FieldPlan, _ body: BodyFields, _ hasGap: inout Bool) -> [String] {
        let name = dialect.string(field.name)
        if field.description.role == .padding {
            return [writing("putZeros", String(plan.coding.fixedByteCount(of: field.planned.type) ?? 0))]
        }
        if field.description.packing != nil { return packed(field, body) }
        switch field.constant {
        case .number(let number, let format, let order):
            return put(format, order, dialect.literal(number, format), name)
        case .text(let text, let byteCount, let padding):
            let bytes = Array(text.utf8) + Array(repeating: padding, count: max(0, byteCount - text.utf8.count))
            return [writing("putBytes", dialect.bytes(bytes))]
        case nil: break
        }
        if let tag = tag(for: field, body) { return putUnchecked(field.value, tag, name) }
        let counting = CounterStatements(printer: self, body: body)
        if field.planned.isCounter { return counting.leaving(field) }
        let member = dialect.member(field.ownName)
        let mayBeUnset = field.mayBeUnset
        var lines: [String] = []
        if field.planned.isOptional || field.planned.followsOptional {
            let isSet = mayBeUnset ? dialect.isSet(member) : "true"
            lines.append(dialect.assign("gap", written("gap", "gap", isSet, name)))
            hasGap = true
        }
        let value = mayBeUnset ? "v\(field.index)" : member
        var inner =
            mayBeUnset ? [dialect.constant(value, type(field.value), dialect.present(member, type(field.value)))] : []
        inner += counting.before(field) + put(field.value, value, name, unique: "\(field.index)")
        inner += counting.after(field, value)
        guard mayBeUnset else { return lines + inner }
        if let condition = field.planned.condition {
            let holds = self.condition(condition, body)
            return lines + ifThen(written("isPresent", dialect.isSet(member), holds, name), inner)
        }
        var otherwise: [String] = []
        if field.planned.isNullable, let prefix = field.description.count {
            otherwise = [writing("putAbsent", code(prefix))]
        }
        return lines + ifThen(dialect.isSet(member), inner, otherwise: otherwise)
    }

    /// Returns the tag that a field has for a later union; nil if it has none.
    func tag(for field: FieldPlan, _ body: BodyFields) -> String? {
        body.union(taggedBy: field).map { user, index in
            dialect.call(unions[index].tag, [dialect.member(user.ownName)])
        }
    }

    private func condition(_ condition: WireCondition, _ body: BodyFields) -> String {
        self.condition(condition) { operand in
            if case .header(let name) = operand { return headerOperand(name, isWritten: true) }
            guard let index = body.plan.field(operand)?.index else { return .literal(0) }
            let field = body.fields[index]
            if field.planned.hasValue { return self.operand(field, dialect.member(field.ownName)) }
            // A later condition cannot look at a field that counts.
            return tag(for: field, body).map { self.operand(field, $0) } ?? .literal(0)
        }
    }

    // MARK: Fields that share bytes

    /// Returns the checks of a field that shares bytes; the last one writes all.
    private func packed(_ field: FieldPlan, _ body: BodyFields) -> [String] {
        let member = dialect.member(field.ownName)
        var lines: [String] = []
        if field.planned.hasValue {
            lines = check(field.value, member, dialect.string(field.name), "w")
            if lines.isEmpty, case .number(let number) = field.value,
                let width = body.plan.runs.flatMap(\.bits).first(where: { $0.field == field.index })?.bitWidth
            {
                let range = IntegerFormat(bitWidth: width, isSigned: number.format.isSigned).range
                let isHeld = isWithin(dialect.number(of: member, number), range, number.format)
                lines = isHeld.map { [writing("require", $0, word("out_of_range"), dialect.string(field.name))] } ?? []
            }
        }
        guard let run = body.run(endingAt: field.index) else { return lines }
        let counters = CounterStatements(printer: self, body: body)
        guard !run.bits.contains(where: { body.fields[$0.field].planned.isCounter }) else {
            return lines + counters.leaving(run)
        }
        return lines + [put(run, body) { _ in "0" }]
    }

    /// Returns the statement that writes the integer of a run.
    ///
    /// - Parameter counter: Returns the number of a field that counts others, of the type for its format.
    func put(_ run: PlannedRun, _ body: BodyFields, counter: (FieldPlan) -> String) -> String {
        let parts = run.bits.compactMap { part -> String? in
            let field = body.fields[part.field]
            var text: String
            if let constant = part.constant {
                let bits = constant < 0 ? constant + (Int128(1) << Int128(part.bitWidth)) : constant
                guard bits != 0 else { return nil }
                text = dialect.literal(bits, .uint64)
            } else if case .boolean = field.value {
                text = written("bit", dialect.member(field.ownName))
            } else if case .number(let number) = field.value {
                let own: String
                if let tag = tag(for: field, body) {
                    own = dialect.number(of: tag, number)
                } else {
                    own =
                        field.planned.isCounter
                        ? counter(field) : dialect.number(of: dialect.member(field.ownName), number)
                }
                text = bits(own, number.format, width: part.bitWidth)
            } else {
                return nil
            }
            return part.shift == 0 ? text : "\(text) << \(part.shift)"
        }
        let sum = parts.isEmpty ? dialect.literal(0, .uint64) : parts.joined(separator: " | ")
        return writing("putUint", sum, String(run.byteCount), run.byteOrder.isLittleText)
    }
}
