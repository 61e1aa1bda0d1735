// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension StatementBuilder {
    // MARK: Numbers

    /// - Parameter place: The offset in the bytes already written; nil appends.
    func put(
        _ format: IntegerFormat, _ order: ByteOrder, _ number: Expression, at place: Expression? = nil,
        _ name: Expression
    ) -> [Statement] {
        if hasWord(format) { return [putting(suffix(format, order), at: place, [number, name])] }
        let check =
            dialect.packsNumbers
            ? nil
            : isWithin(number, format.range, format).map { writing("require", $0, .text("out_of_range"), name) }
        let wide = number.converted(from: format, to: dialect.unsigned(format.bitWidth))
        return [check, putting("uint", at: place, [wide, .place(format.byteCount), order.isLittle])].compactMap(\.self)
    }

    /// Returns the call that writes a value: a word such as `putU16` appends, `setU16` writes at an offset.
    private func putting(_ word: String, at place: Expression?, _ arguments: [Expression]) -> Statement {
        let function = (place == nil ? "put" : "set") + word.prefix(1).uppercased() + word.dropFirst()
        return .evaluate(.call("w", function, (place.map { [$0] } ?? []) + arguments))
    }

    func putUnchecked(
        _ value: ValuePlan, _ own: Expression, at place: Expression? = nil, _ name: Expression
    ) -> [Statement] {
        switch value {
        case .number(let number): put(number.format, number.byteOrder, number.number(of: own), at: place, name)
        case .varint(let format, _): [writing(dialect.word("putVarint", for: format), varintBits(format, own))]
        case .float(let byteCount, let order, _): [putting(suffix(byteCount, order), at: place, [own, name])]
        case .boolean: [putting("bool", at: place, [own])]
        default: []
        }
    }

    // MARK: Prefixes

    /// Reserves bytes for a prefix, which is written when its number is known.
    func roomForPrefix(_ prefix: PlannedCount) -> [Statement] {
        prefix.format.fixedByteCount.map { [writing("room", .place($0))] } ?? []
    }

    /// Returns the statement that writes, into a prefix, the number of bytes written since `start`.
    func writtenPrefix(_ prefix: PlannedCount, _ start: Expression, _ name: Expression) -> Statement {
        let count = written("position").minus(start)
        return writtenPrefix(prefix, count, count, name)
    }

    private func writtenPrefix(
        _ prefix: PlannedCount, _ count: Expression, _ byteCount: Expression, _ name: Expression
    ) -> Statement {
        writing("putPrefix", count, byteCount, code(prefix), limit(prefix.maximum), name)
    }

    // MARK: Values

    /// - Parameter unique: A suffix that keeps the variables apart from those of other values of the body.
    func put(_ value: ValuePlan, _ own: Expression, _ name: Expression, unique: String) -> [Statement] {
        if let checked = dialect.checked(value, own, name) { return putUnchecked(value, checked, name) }
        let checks = dialect.catchesErrors ? [] : check(value, own, name, "w")
        switch value {
        case .float(let byteCount, let order, let range?) where dialect.catchesErrors:
            let limits = [range.lowerBound, range.upperBound].map { Expression.float($0, byteCount: 8) }
            return [putting(suffix(byteCount, order), at: nil, [own] + limits + [name])]
        case .number, .varint, .float, .boolean: return checks + putUnchecked(value, own, name)
        case .content(.exactly(let byteCount), .digits(let notation)):
            return [writing("put" + notation.upperWord, own, .place(byteCount), name)]
        case .content(_, .properties): return [writing("putProperties", own, name)]
        case .content(let count, let encoding): return putContent(count, encoding, own, name, unique)
        case .structure(let index) where dialect.catchesErrors:
            return [.evaluate(.call(.structure(index), "write", ["w", own, name]))]
        case .structure(let index) where dialect.hasRecords:
            return [.evaluate(.call(nil, structures[index].write, ["w", own, name]))]
        case .structure: return notNull(own, name) + [.evaluate(.call(own, "write", ["w", name]))]
        case .union(let index, let source):
            let functions = unions[index]
            return [
                .evaluate(.call(nil, source == nil ? functions.write : functions.writeTagged, ["w", own, name]))
            ]
        case .list(let item, let count, _): return putList(item, count, own, name, unique)
        case .sized(let content, let count, let fills):
            return putSized(content, count, fills: fills, own, name, unique)
        }
    }

    private func notNull(_ own: Expression, _ name: Expression) -> [Statement] {
        switch dialect.valueChecks {
        case .none: []
        case .null: [writing("require", own.isSet, .text("wrong_type"), name)]
        case .type: [writing("checkList", own, name)]
        }
    }

    /// Checks the type of a number or a boolean; no statements if the compiler or the writing function does.
    func checkType(_ value: ValuePlan, _ own: Expression, _ name: Expression) -> [Statement] {
        guard case .type = dialect.valueChecks else { return [] }
        switch value {
        case .number(let number): return checkType(number.format, own, name)
        case .varint(let format, _): return checkType(dialect.format(of: format), own, name)
        case .float(let byteCount, _, _):
            return [writing(byteCount == 8 ? "checkNumber" : "checkFloat\(8 * byteCount)", own, name)]
        case .boolean: return [writing("checkBoolean", own, name)]
        default: return []
        }
    }

    func checkType(_ format: IntegerFormat, _ own: Expression, _ name: Expression) -> [Statement] {
        guard case .type = dialect.valueChecks else { return [] }
        return [writing(format.range.isWide ? "checkWide" : "checkInteger", own, name)]
    }

    private func putContent(
        _ count: CountPlan, _ encoding: ContentEncoding, _ own: Expression, _ name: Expression, _ unique: String
    ) -> [Statement] {
        let width = encoding.unitByteCount
        // Appending returns the number of units.
        let append = Expression.call("w", "append" + encoding.upperWord, [own] + encoding.order + [name])
        switch count {
        case .prefix(let prefix) where dialect.catchesErrors:
            return [writing("prefixed", append, code(prefix), limit(prefix.maximum), name)]
        case .prefix(let prefix) where width == 1:
            return [writing("put" + encoding.upperWord, own, code(prefix), limit(prefix.maximum), name)]
        case .prefix(let prefix):
            // The number of bytes is twice that of 16-bit units.
            let units = Expression.name("u\(unique)")
            return roomForPrefix(prefix)
                + [
                    .constant("u\(unique)", .position, append),
                    writtenPrefix(prefix, units, .binary(.times, 2, units), name),
                ]
        case .exactly(let count): return [writing("exactly", append, .place(count), name)]
        case .filled(let byteCount, let padding):
            return [
                writing(
                    "padText", append, .place(byteCount / width), .place(Int(padding)), .place(width),
                    .boolean(encoding.byteOrder == .littleEndian), name)
            ]
        case .terminated(let limit):
            let limited = limit.map { written("limit", append, self.limit($0), name) } ?? append
            return [writing("terminate", limited, .place(width), name)]
        case .field, .until, .rest:
            // The size of a field counts bytes.
            var number = append
            if width == 2, case .field = count { number = .binary(.times, 2, append) }
            return [.evaluate(limited(number, count, name))]
        }
    }

    private func limited(_ number: Expression, _ count: CountPlan, _ name: Expression) -> Expression {
        var limited = number
        if let maximum = count.maximum { limited = written("limit", limited, limit(maximum), name) }
        if count.minimum > 0 { limited = written("notLess", limited, .place(count.minimum), name) }
        return limited
    }

    private func putList(
        _ item: ValuePlan, _ count: CountPlan, _ own: Expression, _ name: Expression, _ unique: String
    ) -> [Statement] {
        guard !dialect.catchesErrors else { return putItems(item, count, own, name, unique) }
        let (number, index) = (Expression.name("n\(unique)"), Expression.name("i\(unique)"))
        var statements = notNull(own, name)
        statements.append(.constant("n\(unique)", .position, .count(own)))
        switch count {
        case .prefix(let prefix):
            statements.append(writing("putCount", number, code(prefix), limit(prefix.maximum), name))
        case .exactly(let count): statements.append(writing("exactly", number, .place(count), name))
        default:
            if count.maximum != nil || count.minimum > 0 {
                statements.append(.evaluate(limited(number, count, name)))
            }
        }
        statements.append(writing("enter", name))
        var inner = [writing("index", index)]
        var stop: UInt8?
        if case .until(let byte, _) = count { stop = byte }
        if stop != nil { inner.append(.constant("s\(unique)", .position, written("position"))) }
        inner += put(item, .item(own, at: index), .text(""), unique: unique + "_")
        if let stop { inner.append(writing("notStop", "s\(unique)", .place(Int(stop)))) }
        statements.append(.count("i\(unique)", below: number, inner))
        if let stop { statements += put(.uint8, .bigEndian, .number(Int128(stop), .uint8), name) }
        return statements + [writing("leave")]
    }

    /// Checks and writes a list that a program gives; a list of plain numbers takes one call.
    private func putItems(
        _ item: ValuePlan, _ count: CountPlan, _ own: Expression, _ name: Expression, _ unique: String
    ) -> [Statement] {
        let (list, index) = (Expression.name("a\(unique)"), "i\(unique)")
        let items: Expression =
            if case .exactly(let count) = count {
                written("exactItems", own, .place(count), name)
            } else {
                written("items", own, .place(count.minimum), limit(count.maximum), name)
            }
        let type = CodeType.value(.list(item, count, leastItemByteCount: 0))
        var statements: [Statement] = [.constant("a\(unique)", type, items, hasEffect: true)]
        if case .prefix(let prefix) = count {
            statements.append(writing("putCount", .count(list), code(prefix)))
        }
        var stop: UInt8?
        if case .until(let byte, _) = count { stop = byte }
        var inner = stop == nil ? [] : [Statement.constant("s\(unique)", .position, written("position"))]
        inner += put(item, .item(list, at: .name(index)), .name(index), unique: unique + "_")
        if let stop { inner.append(writing("notStop", "s\(unique)", .place(Int(stop)), .name(index))) }
        let singly = within("w", name, [.count(index, below: .count(list), inner)])
        if let format = item.packedFormat, case .integer = format, stop == nil {
            statements.append(.pack(.packAll(format, list: list), name: "o\(unique)", otherwise: singly))
        } else {
            statements += singly
        }
        if let stop { statements.append(writing("putBytes", .bytes([stop]))) }
        return statements
    }

    private func putSized(
        _ content: ValuePlan, _ count: CountPlan, fills: Bool, _ own: Expression, _ name: Expression,
        _ unique: String
    ) -> [Statement] {
        let start = Expression.name("s\(unique)")
        var statements: [Statement] = []
        if case .prefix(let prefix) = count { statements += roomForPrefix(prefix) }
        statements.append(.constant("s\(unique)", .position, written("position")))
        statements += put(content, own, name, unique: unique + "_")
        let byteCount = written("position").minus(start)
        switch count {
        case .prefix(let prefix): statements.append(writtenPrefix(prefix, start, name))
        case .exactly(let count):
            statements.append(writing(fills ? "exactly" : "fillUp", byteCount, .place(count), name))
        case .field: statements.append(.evaluate(limited(byteCount, count, name)))
        case .filled, .terminated, .until, .rest: break
        }
        return statements
    }

    // MARK: Bodies

    func writeMessage(_ body: BodyFields) -> [Statement] {
        (dialect.packsNumbers ? [] : [reservation(body)]) + defaults(of: body) + writing(body)
    }

    /// Declares the values of members that a program may leave out, in a language with records.
    private func defaults(of body: BodyFields) -> [Statement] {
        guard dialect.hasRecords else { return [] }
        return body.fields.compactMap { field in
            guard field.planned.hasValue, let absent = field.absent else { return nil }
            let own = Expression.own(field.ownName)
            return .constant(
                "d\(field.index)", .value(field.value), written("given", own, self.absent(field, absent)))
        }
    }

    /// Returns the expression for a field while its body is written.
    private func given(_ field: GeneratedField) -> Expression {
        dialect.hasRecords && field.absent != nil ? .name("d\(field.index)") : .own(field.ownName)
    }

    func writeStructure(_ index: Int) -> [Statement] {
        let body = plan.structures[index]
        var statements = body.plan.countsDepth ? [writing("deeper", "f")] : []
        if let prefix = body.plan.sizePrefix, dialect.catchesErrors {
            statements += within("w", "f", defaults(of: body) + writing(body))
            statements.append(writing("prefixAll", code(prefix), limit(prefix.maximum), "f"))
        } else if let prefix = body.plan.sizePrefix {
            let start = roomForPrefix(prefix) + [.constant("start", .position, written("position"))]
            statements +=
                within("w", "f", start + defaults(of: body) + writing(body)) + [writtenPrefix(prefix, "start", "f")]
        } else {
            statements += within("w", "f", defaults(of: body) + writing(body))
        }
        if body.plan.countsDepth { statements.append(writing("shallower")) }
        return statements
    }

    private func writing(_ body: BodyFields) -> [Statement] {
        var statements: [Statement] = []
        var hasGap = false
        let groups = body.fixedWidthGroups
        var index = 0
        while index < body.fields.count {
            if let group = writeGroup(beginningAt: index, groups, body) {
                statements += group.statements
                index += group.count
            } else {
                statements += write(body.fields[index], body, &hasGap)
                index += 1
            }
        }
        statements += CounterStatements(builder: self, body: body).lines
        if let trailing = body.trailing {
            statements.append(writing("putTrailing", .own(trailing), hasGap ? "gap" : .text("")))
        }
        return (hasGap ? [.variable("gap", .text, .text(""))] : []) + statements
    }

    private func write(_ field: GeneratedField, _ body: BodyFields, _ hasGap: inout Bool) -> [Statement] {
        let name = Expression.text(field.name)
        if field.description.role == .padding {
            return [writing("putZeros", .place(plan.coding.fixedByteCount(of: field.planned.type) ?? 0))]
        }
        if field.description.packing != nil { return packed(field, body) }
        switch field.constant {
        case .number(let number, let format, let order):
            if dialect.catchesErrors { return [.evaluate(.pack([(.integer(format, order), .number(number, format))]))] }
            return put(format, order, .number(number, format), name)
        case .text(let text, let byteCount, let padding):
            let bytes = Array(text.utf8) + Array(repeating: padding, count: max(0, byteCount - text.utf8.count))
            return [writing("putBytes", .bytes(bytes))]
        case nil: break
        }
        if let tag = tag(for: field, body) { return putUnchecked(field.value, tag, name) }
        let counting = CounterStatements(builder: self, body: body)
        if field.planned.isCounter { return counting.leaving(field) }
        let member = given(field)
        let mayBeUnset = field.mayBeUnset
        var statements: [Statement] = []
        if field.planned.isOptional || field.planned.followsOptional {
            statements.append(.assign("gap", written("gap", "gap", mayBeUnset ? member.isSet : true, name)))
            hasGap = true
        }
        let value = mayBeUnset ? "v\(field.index)" : member
        var inner: [Statement] = []
        if mayBeUnset {
            let type = CodeType.value(field.value)
            inner.append(.constant("v\(field.index)", type, .present(member, type)))
        }
        inner += counting.before(field) + put(field.value, value, name, unique: "\(field.index)")
        inner += counting.after(field, value)
        guard mayBeUnset else { return statements + inner }
        if let condition = field.planned.condition {
            let holds = self.condition(condition, body)
            return statements + [.choose(if: written("isPresent", member.isSet, holds, name), inner)]
        }
        var otherwise: [Statement] = []
        if field.planned.isNullable, let prefix = field.description.count {
            otherwise = [writing("putAbsent", code(prefix))]
        }
        return statements + [.choose(if: member.isSet, inner, otherwise: otherwise)]
    }

    /// Returns the tag that a field holds for a later union; nil if it holds none.
    func tag(for field: GeneratedField, _ body: BodyFields) -> Expression? {
        body.union(taggedBy: field).map { user, index in .call(nil, unions[index].tag, [.own(user.ownName)]) }
    }

    private func condition(_ condition: WireCondition, _ body: BodyFields) -> Expression {
        self.condition(condition) { operand in
            if case .header(let name) = operand { return headerOperand(name, isWritten: true) }
            guard let index = body.plan.field(operand)?.index else { return .literal(0) }
            let field = body.fields[index]
            if field.planned.hasValue { return self.operand(field, given(field)) }
            // Conditions cannot refer to a field that counts.
            return tag(for: field, body).map { self.operand(field, $0) } ?? .literal(0)
        }
    }

    // MARK: Fields that share bytes

    /// Checks a field that shares bytes; the last one of its group writes them all.
    private func packed(_ field: GeneratedField, _ body: BodyFields) -> [Statement] {
        let member = Expression.own(field.ownName)
        var statements: [Statement] = []
        if field.planned.hasValue {
            let run = body.plan.runs.first { $0.bits.contains { $0.field == field.index } }
            let width = run?.bits.first { $0.field == field.index }?.bitWidth
            let types = checkType(field.value, member, .text(field.name))
            statements = check(field.value, member, .text(field.name), "w")
            if let checked = checked(field, width) {
                // If the group is written after later fields, checking there would report errors in the wrong order.
                let isLate = run?.bits.contains { body.fields[$0.field].planned.isCounter } == true
                statements = isLate ? [.evaluate(checked)] : []
            } else if statements.count <= types.count, case .number(let number) = field.value, let width {
                let range = IntegerFormat(bitWidth: width, isSigned: number.format.isSigned).range
                let isHeld = isWithin(number.number(of: member), range, number.format)
                statements =
                    types + (isHeld.map { [writing("require", $0, .text("out_of_range"), .text(field.name))] } ?? [])
            }
        }
        guard let run = body.run(endingAt: field.index) else { return statements }
        let counters = CounterStatements(builder: self, body: body)
        guard !run.bits.contains(where: { body.fields[$0.field].planned.isCounter }) else {
            return statements + counters.leaving(run)
        }
        return statements + [put(run, body) { _ in 0 }]
    }

    /// Returns the expression that checks a field of `bitWidth` bits and yields its number; nil if the compiler checks
    /// types.
    private func checked(_ field: GeneratedField, _ bitWidth: Int?) -> Expression? {
        guard field.planned.hasValue else { return nil }
        let value = bitWidth.map(field.value.limited) ?? field.value
        return dialect.checked(value, .own(field.ownName), .text(field.name))
    }

    /// - Parameter counter: Returns the number of a field that counts others, in the field's format.
    func put(_ run: PlannedRun, _ body: BodyFields, counter: (GeneratedField) -> Expression) -> Statement {
        let bitWidth = 8 * run.byteCount
        let parts = run.bits.compactMap { part -> (part: Expression, shift: Int)? in
            let field = body.fields[part.field]
            if let constant = part.constant {
                let bits = constant < 0 ? constant + (Int128(1) << Int128(part.bitWidth)) : constant
                return bits == 0 ? nil : (.number(bits, dialect.unsigned(bitWidth)), part.shift)
            }
            switch field.value {
            case .boolean:
                return (written("bit", checked(field, nil) ?? .own(field.ownName)), part.shift)
            case .number(let number):
                let own =
                    checked(field, part.bitWidth) ?? tag(for: field, body).map(number.number)
                    ?? (field.planned.isCounter ? counter(field) : number.number(of: .own(field.ownName)))
                return (bits(own, number.format, width: part.bitWidth, of: bitWidth), part.shift)
            default: return nil
            }
        }
        return writing(
            "putUint", .packed(parts, dialect.unsigned(bitWidth)), .place(run.byteCount), run.byteOrder.isLittle)
    }
}

extension ValuePlan {
    /// Limits a number to `bitWidth` bits; other values do not change.
    fileprivate func limited(to bitWidth: Int) -> ValuePlan {
        guard case .number(var number) = self, number.range == nil else { return self }
        number.range = IntegerFormat(bitWidth: bitWidth, isSigned: number.format.isSigned).range
        return .number(number)
    }
}

extension ContentEncoding {
    /// The prefix of the words that read it.
    var word: String { if case .bytes = self { "blob" } else { name } }

    /// The suffix of the words that write it.
    var upperWord: String {
        if case .utf16 = self { "UTF16" } else { word.prefix(1).uppercased() + word.dropFirst() }
    }

    /// The byte order argument of words that read or write units.
    var order: [Expression] { byteOrder.map { [$0.isLittle] } ?? [] }
}
