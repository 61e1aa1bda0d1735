// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How Lua spells the statements that read and write packets.
///
/// No compiler checks types, so functions of the runtime check the program's values. An integer that the interpreter
/// cannot hold is a string of decimal digits. Reader and writer are local variables of the module. The commonest
/// operations are inlined, because calls are slow.
struct LuaDialect: Dialect {
    let plan: GeneratorModel
    /// The functions of structures and unions. They are members of the table `own`.
    var functions: Set<String> = []
    /// Variables kept in the table `v`: a Lua function has at most 200 locals.
    var members: Set<String> = []
    /// Whether values come from a packet; then each integer has one form.
    var isReading = false
    /// Whether it prints functions for whole packets.
    var isPacket = false

    init(_ plan: GeneratorModel) { self.plan = plan }

    /// The functions that make zero values of structures, with the table that holds them.
    var zeros: [String] {
        let functions = zip(plan.structures, plan.names.structures).map { body, structure in
            let members = body.fields.compactMap { field -> (name: String, value: Expression)? in
                field.isInZero ? (field.ownName, .initial(field.zero, field.value)) : nil
            }
            return "function Z.new\(structure.name)() return \(text(.record(members))) end"
        }
        return ["local Z = {}"] + functions
    }

    /// Returns the suffix of a shape's functions. For numbered shapes and layers it is an index into a table.
    func suffix(of shape: PacketShape) -> String {
        if shape.part != nil { return "." + shape.words.joined(separator: "_") }
        return shape.words.map { Int($0) == nil ? "_" + $0 : "[\($0)]" }.joined()
    }

    // MARK: Types and literals

    func type(_ type: CodeType) -> String { "" }
    func range(of format: IntegerFormat) -> ClosedRange<Int128> {
        format.isSigned ? format.range : unsigned(format.bitWidth > 53 ? 64 : 53).range
    }

    func string(_ text: String) -> String { LuaText.literal(text) }
    var unwrapParameter: String { "names" }
    var valueChecks: ValueChecks { .type }
    var hasRecords: Bool { true }
    var packsNumbers: Bool { true }

    /// Floats hold 53 bits; larger numbers may be decimal digits.
    func unsigned(_ bitWidth: Int) -> IntegerFormat {
        bitWidth > 53 ? .uint64 : IntegerFormat(bitWidth: bitWidth, isSigned: false)
    }

    var countFormat: IntegerFormat { IntegerFormat(bitWidth: 53, isSigned: true) }

    func format(of varint: VarintFormat) -> IntegerFormat {
        let format = varint.numberFormat
        return varint.range.isWide ? format : IntegerFormat(bitWidth: 53, isSigned: format.isSigned)
    }

    func literal(_ literal: LiteralPlan) -> String {
        switch literal {
        case .integer(let number, _): return LuaText.number(number)
        case .boolean(let value): return String(value)
        case .float(let value): return LuaText.anyFloat(value)
        case .text(let text): return LuaText.literal(text)
        case .zeros(0): return "\"\""
        case .zeros(let byteCount): return "rep(\"\\0\", \(byteCount))"
        case .noProperties, .list(_, 0): return "{}"
        case .list(let item, let count):
            return "filled(\(count), function() return \(self.literal(item)) end)"
        case .structure(let index): return "Z.new\(plan.names.structures[index].name)()"
        }
    }

    // MARK: What programs give

    func checked(_ value: ValuePlan, _ given: Expression, _ name: Expression) -> Expression? {
        func within(_ range: ClosedRange<Int128>, isWide: Bool) -> Expression {
            .call(nil, Self.check(isWide: isWide), [given] + Self.limits(range) + [name])
        }
        switch value {
        case .number(let number):
            let isWide = number.format.range.isWide
            guard let index = number.closedEnumeration else {
                return within(number.allowed, isWide: isWide)
            }
            let cases = Expression.member("closed", plan.names.enumerations[index].name)
            let check = Expression.name(Self.check(isWide: isWide))
            let own = isWide ? Expression.call(nil, "canonical", [given, name]) : given
            return .call(nil, "known_case", [check, own, cases] + Self.limits(number.format.range) + [name])
        case .varint(let format, let allowed): return within(allowed, isWide: format.range.isWide)
        case .boolean: return .call(nil, "boolean_of", [given, name])
        case .float(let byteCount, _, let range):
            let float = Expression.call(nil, "float\(8 * byteCount)", [given, name])
            guard let range else { return float }
            let limits = [range.lowerBound, range.upperBound].map { Expression.float($0, byteCount: 8) }
            return .call(nil, byteCount == 8 ? "ranged" : "ranged\(8 * byteCount)", [float] + limits + [name])
        default: return nil
        }
    }

    func unchecked(_ given: Expression, _ range: ClosedRange<Int128>) -> Expression {
        .call(nil, "fitting", [.name(Self.check(isWide: range.isWide)), given] + Self.limits(range))
    }

    private static func check(isWide: Bool) -> String { isWide ? "wide_integer" : "integer" }

    private static func limits(_ range: ClosedRange<Int128>) -> [Expression] {
        [.number(range.lowerBound, .int64), .number(range.upperBound, .int64)]
    }

    // MARK: Expressions

    let style = CodeStyle(
        indent: "  ", end: "", nothing: "nil", not: "not ", marks: [.or: "or", .and: "and", .unequal: "~="],
        branch: ("if ", " then"), nextBranch: ("elseif ", " then"), otherwise: "else", loop: ("while ", " do"),
        endlessLoop: "while true do", endOfBlock: "end")

    func own(_ expression: Expression) -> Syntax? {
        switch expression {
        case .number(let number, _): .atom(LuaText.number(number))
        case .float(let number, _): .atom(LuaText.anyFloat(number))
        case .bytes(let bytes):
            .atom(
                bytes.allSatisfy { $0 == 0 } && bytes.count > 8
                    ? "rep(\"\\0\", \(bytes.count))" : LuaText.literal(bytes))
        case .sender(let sender): .atom(LuaText.literal(sender.rawValue))
        case .initial(let literal, _): .atom(self.literal(literal))
        case .header: .atom("{}")
        case .record(let members):
            .atom(LuaText.table(members.map { "\(LuaText.key($0.name)) = \(text($0.value))" }))
        case .name(let name): .atom(spelled(name))
        case .finished(let list, _, _): .atom(spelled(list))
        case .own(let name): .atom("m" + LuaText.member(name))
        case .member(let object, let name): .atom(text(object) + LuaText.member(name))
        case .armMember(let member): .atom("m." + member.rawValue)
        case .item(let list, .number(let index, _)): .index(syntax(list), .atom(String(index + 1)))
        case .item(let list, let index): .index(syntax(list), syntax(index.plus(1)))
        case .count(let list): .marked("#", syntax(list))
        case .same(let left, let right, _): joined(.equal, left, right)
        case .call(nil, "halves", let number):
            if case .packed(let parts, _) = number[0] { joined(parts) } else { nil }
        case .call(nil, "joined_bytes", let bytes): .joined("..", level: 6, syntax(bytes[0]), syntax(bytes[1]))
        case .call(nil, let name, let arguments) where functions.contains(name):
            .call(.atom("own." + name), arguments.filter { !$0.isReaderOrWriter }.map(syntax))
        case .call(nil, "stateNumber", let arguments), .call(nil, "wideStateNumber", let arguments):
            syntax(
                .call(
                    nil, Self.check(isWide: expression.isWideState),
                    [.call(nil, "number_of", [arguments[0]])] + arguments[1...]))
        case .isCase(let number, let index):
            .index(syntax(.member("closed", plan.names.enumerations[index].name)), syntax(number))
        case .bits(let number, let from, let shift, let width, let to): bits(number, from, shift, width, to)
        case .packed(let parts, let format): packed(parts, format)
        case .not(.binary(.unequal, let value, .nothing)): joined(.equal, value, .nothing)
        case .not(.not(let inner)): syntax(inner)
        case .binary(.unequal, .binary(.bitAnd, let left, let right), .number(0, _)):
            .call(.atom("shares"), [syntax(left), syntax(right)])
        case .binary(.shiftRight, let number, let count): shifted(number, count)
        // Such a number may be decimal digits.
        case .binary(let mark, let left, .number(let number, let type)) where type.format?.range.isWide == true:
            compared(mark, left, .number(number, type))
        default: nil
        }
    }

    private func spelled(_ name: String) -> String {
        let own = name == "end" ? "ending" : name
        return members.contains(name) ? "v." + own : own
    }

    private func compared(_ mark: Expression.Operator, _ left: Expression, _ number: Expression) -> Syntax {
        var own = left
        if !isReading, case .name("id") = left {} else if !isReading { own = .call(nil, "canonical", [left]) }
        switch mark {
        case .less: return syntax(.call(nil, "less", [own, number]))
        case .greater: return syntax(.call(nil, "less", [number, own]))
        case .lessOrEqual: return syntax(.not(.call(nil, "less", [number, own])))
        case .greaterOrEqual: return syntax(.not(.call(nil, "less", [own, number])))
        default: return .joined(style.mark(mark), level: style.level(mark), syntax(own), syntax(number))
        }
    }

    // MARK: Bits

    private func bits(
        _ number: Expression, _ from: IntegerFormat, _ shift: Int, _ width: Int, _ to: IntegerFormat
    ) -> Syntax {
        if from.bitWidth > 53, let low = number.lowHalf {
            return syntax(.call(nil, "bits", [number, low, .place(shift), .place(width), .boolean(to.isSigned)]))
        }
        guard from.bitWidth <= 53 else {
            if shift == 0, width == 64, to.isSigned == from.isSigned { return syntax(number) }
            return syntax(.call(nil, "bits_of", [number, .place(shift), .place(width), .boolean(to.isSigned)]))
        }
        let isWhole = from.isSigned ? to.isSigned && shift == 0 : !to.isSigned
        let moved =
            shift == 0 ? syntax(number) : Self.divided(syntax(number), .atom(String(Int128(1) << Int128(shift))))
        if isWhole, shift + width == from.bitWidth { return moved }
        let span = Syntax.atom(String(Int128(1) << Int128(width)))
        let part = Syntax.joined("%", level: style.level(.times), moved, span)
        return to.isSigned ? .call(.atom("sign"), [part, span]) : part
    }

    private static func divided(_ number: Syntax, _ divisor: Syntax) -> Syntax {
        .call(.atom("floor"), [.joined("/", level: 8, number, divisor)])
    }

    /// Returns the ID without its last `count` bits.
    private func shifted(_ number: Expression, _ count: Expression) -> Syntax {
        guard !plan.idRange.isWide else {
            return syntax(.call(nil, "bits_of", [number, count, .binary(.minus, 64, count), false]))
        }
        if case .number(let shift, _) = count {
            return Self.divided(syntax(number), .atom(String(Int128(1) << shift)))
        }
        return Self.divided(syntax(number), .binary("^", level: 95, .atom("2"), .parentheses(syntax(count))))
    }

    private func packed(_ parts: [(part: Expression, shift: Int)], _ format: IntegerFormat) -> Syntax {
        if format.range.isWide { return .call(.atom("unsigned"), [joined(parts)]) }
        let scaled = parts.map { part, shift in
            shift == 0 ? part : Expression.binary(.times, part, .number(Int128(1) << Int128(shift), .position))
        }
        return syntax(.joined(scaled, .plus) ?? 0)
    }

    /// Returns the call that joins integers into two halves of 32 bits.
    private func joined(_ parts: [(part: Expression, shift: Int)]) -> Syntax {
        let items = parts.map { list([$0.part, .place($0.shift), .place(64 - $0.shift)]) }
        return .call(.atom("joined"), [.atom(LuaText.table(items))])
    }

    // MARK: Statements

    func completed(_ statements: [Statement]) -> [Statement] { LuaWords(isPacket: isPacket).statements(statements) }

    func own(_ statement: Statement) -> [String]? {
        switch statement {
        case .constant(let name, let type, .call(.name("r")?, "text", let arguments), _)
        where arguments[0].children.isEmpty:
            return lines([.variable(name, type, .nothing)]) + readText(.name(name), arguments)
        case .constant(let name, let type, .call(.name("r")?, "packetSize", let arguments), _):
            return packetSize(name, type, arguments)
        case .constant(let name, _, let value, _), .variable(let name, _, let value):
            let own = spelled(name)
            if case .nothing = value { return members.contains(name) ? [] : ["local \(own)"] }
            return [(members.contains(name) ? "" : "local ") + "\(own) = \(text(value))"]
        case .assignAll(let targets, let value, true) where members.isEmpty:
            return ["local \(targets.map { text($0) }.joined(separator: ", ")) = \(text(value))"]
        case .evaluate(.call(let object, let word, let arguments)):
            return object == nil ? nil : inPlace(word, arguments)
        case .evaluate(let value): return ["local _ = \(text(value))"]
        case .assign(let target, .call(.name("r")?, "text", let arguments)) where arguments[0].children.isEmpty:
            return readText(target, arguments)
        case .count(let name, let count, let inner):
            return ["for \(name) = 0, \(text(count.minus(1))) do"] + indented(inner) + ["end"]
        case .returnMore: return ["return nil"]
        case .fail(let kind, let path): return ["error(fault(\(string(kind)), \(string(path))), 0)"]
        case .newList(let name, _, _, _): return [(members.contains(name) ? "" : "local ") + "\(spelled(name)) = {}"]
        case .append(let value, let list, let index, _):
            return ["\(spelled(list))[\(spelled(index)) + 1] = \(text(value))"]
        case .returnBody(let members, _): return ["return \(text(.record(members.map { ($0.name, $0.value) })))"]
        case .makeArm(let arm, let members):
            let members = members.map { (name: $0.member.rawValue, value: $0.value) }
            return ["m = \(text(.record([("kind", .text(arm))] + members)))"]
        case .arms(let arms, let otherwise):
            let branches = arms.map { arm in
                Statement.Branch(
                    condition: .binary(.equal, .member("m", "kind"), .text(arm.name)), statements: arm.statements)
            }
            return lines([.choose(branches, otherwise: otherwise)])
        case .fit(let values, _, let function, let given):
            return ["return fitting_packet(\(function), id, payload, h, \(text(given)), \(list(values)))"]
        case .received(_, let places): return received(places)
        case .receivedPart(let part): return received(part)
        default: return nil
        }
    }

    /// Returns the inlined lines of a reader's or writer's word; nil for words that need a call.
    private func inPlace(_ word: String, _ arguments: [Expression]) -> [String]? {
        let texts = arguments.map { text($0) }
        return switch word {
        case "put": ["used = used + 1", "pieces[used] = \(texts[0])"]
        case "enter": ["top = top + 1", "at[top], index[top] = \(texts[0]), false"]
        case "leave": ["top = top - 1"]
        case "index": ["index[top] = \(texts[0])"]
        case "shallower": ["depth = depth + 1"]
        default: nil
        }
    }

    /// Inlines reading a text, because most messages have one.
    private func readText(_ target: Expression, _ arguments: [Expression]) -> [String] {
        let (own, count, name) = (text(target), text(arguments[0]), text(arguments[1]))
        let flaw = "fail(\"invalid_utf8\", \(name), here + utf8_flaw(\(own)) - 1)"
        return ["do"]
            + indented([
                "local q = here + \(count)", "if q > stop + 1 then fail(\"truncated\", \(name), here) end",
                "\(own) = sub(input, here, q - 1)", "if not is_utf8(\(own)) then \(flaw) end", "here = q",
            ]) + ["end"]
    }

    /// Inlines the check of a packet's size; only a wrong size needs a call.
    private func packetSize(_ name: String, _ type: CodeType, _ arguments: [Expression]) -> [String]? {
        let call = Expression.call("r", "packetSize", arguments)
        guard plan.layers == nil, case .number(let difference, _) = arguments[1], case .number = arguments[2] else {
            return lines([.variable(name, type, call)])
        }
        let (size, most) = (Expression.name(name), plan.description.options.maximumPacketByteCount)
        let isWrong = Expression.binary(.less, size, arguments[2]).or(.binary(.greater, size, .place(most)))
        return lines([
            .variable(name, type, arguments[0].plus(Int(difference))), .choose(if: isWrong, [.evaluate(call)]),
        ])
    }

    // MARK: Packets

    private func list(_ items: [Expression]) -> String { LuaText.table(items.map { text($0) }) }

    private func received(_ places: [Expression]) -> [String] {
        let (header, total) = (spelled("header"), spelled("total"))
        let verified =
            places.isEmpty ? [] : ["if name and verify[name] then verify[name](\(header), \(list(places))) end"]
        return ["local name = names[\(spelled("id"))]"] + verified + [
            "if not name then",
            "  return { id = \(spelled("id")), header = \(header), payload = sub(input, here, stop), size = \(total) }, position + \(total)",
            "end", "at[1] = name", "local message = read[name](\(header))",
            "return { name = name, id = \(spelled("id")), header = \(header), message = message, size = \(total) }, position + \(total)",
        ]
    }

    /// Returns one layer of a packet: its fields, the bounds of its content, the ends of the packet and of the fields,
    /// and the rules that hold.
    private func received(_ part: ReceivedPart) -> [String] {
        func place(_ place: Expression) -> String { text(Expression.name("position").plus(place)) }
        var members = [
            "id = \(spelled("id")), header = \(spelled("header")), body = \(place("body")), stop = \(place("end")), after = \(place("total"))",
            "rules = \(list(part.rules))",
        ]
        if let counter = part.counter {
            var count = counter.number
            if case .boolean(true) = counter.isThere {} else { count = counter.isThere.and(count).or(.nothing) }
            members.append("count = \(text(count)), count_at = \(text(counter.place))")
        }
        members.append("first = \(place(part.first))")
        if !part.places.isEmpty { members.append("places = \(list(part.places))") }
        return ["return {"] + indented(members.map { $0 + "," }) + ["}"]
    }
}

extension Expression {
    /// The variable with the low 32 bits of a wide integer that several fields share; nil for other expressions.
    var lowHalf: Expression? {
        guard case .name(let name) = self, name.hasPrefix("b"), name.dropFirst().allSatisfy(\.isNumber) else {
            return nil
        }
        return .name(name + "_low")
    }

    fileprivate var isReaderOrWriter: Bool {
        switch self {
        case .name("r"), .name("w"): true
        default: false
        }
    }

    fileprivate var isWideState: Bool { if case .call(_, "wideStateNumber", _) = self { true } else { false } }
}
