// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// How TypeScript writes the statements that read and write packets, and the types and values of a protocol.
///
/// Readers and writers are objects without methods: `r.u16(f)` becomes `u16(r, f)`, so that bundlers drop unused
/// functions. Pages get the same statements without types, as JavaScript. A number is a `bigint` only if its format
/// exceeds 53 bits.
struct TypeScriptDialect: Dialect, TypeDialect {
    let plan: GeneratorModel
    /// Whether it writes JavaScript.
    let isForPages: Bool
    /// The names of the functions that make the zero value of a structure.
    let zeros: [Int: String]
    /// Whether it prints a comparison beside others: each would narrow the type of the value it compares.
    private var isNarrowing = false

    init(_ plan: GeneratorModel, isForPages: Bool) {
        var plan = plan
        var zeros: [Int: String] = [:]
        for index in plan.coding.structuresNeedingZero.sorted() {
            zeros[index] = plan.uniqueName("zero\(plan.names.structures[index].name)")
        }
        self.plan = plan
        self.isForPages = isForPages
        self.zeros = zeros
        style = CodeStyle(
            indent: isForPages ? "" : "  ", nothing: "undefined", marks: [.equal: "===", .unequal: "!=="],
            endlessLoop: "for (;;) {")
    }

    let style: CodeStyle
    var unwrapParameter: String { "" }
    var valueChecks: ValueChecks { .type }
    var hasRecords: Bool { true }
    var countFormat: IntegerFormat { IntegerFormat(bitWidth: 53, isSigned: true) }

    func unsigned(_ bitWidth: Int) -> IntegerFormat {
        IntegerFormat(bitWidth: bitWidth > 53 ? 64 : bitWidth, isSigned: false)
    }

    func format(of varint: VarintFormat) -> IntegerFormat {
        if varint.range.isWide { return varint.numberFormat }
        return IntegerFormat(bitWidth: varint.encoding == .signed32 ? 32 : 53, isSigned: varint.isSigned)
    }

    func word(_ word: String, for varint: VarintFormat) -> String {
        varint.range.isWide ? Self.wideWords[word] ?? word : word
    }

    private static let wideWords = [
        "varint": "wideVarint", "zigzag": "wideZigzag", "varintSize": "wideVarintSize", "putVarint": "putWideVarint",
        "insertVarint": "insertWideVarint", "zigzagBits": "wideZigzagBits",
    ]

    func suffix(of shape: PacketShape) -> String {
        shape.words.map(NameStyle.Spelling.upperCamel.spelled).joined()
    }

    /// No range follows from a variable's type: it may hold any value.
    func range(of format: IntegerFormat) -> ClosedRange<Int128> { Int128.min...Int128.max }

    // MARK: Types

    static let words = TypeWords(
        boolean: "boolean", text: "string", bytes: "Uint8Array", properties: "Map<string, string>",
        position: "number")

    static func integer(_ format: IntegerFormat) -> String { number(format.range) }
    func float(byteCount: Int) -> String { "number" }

    func varint(_ format: VarintFormat, _ allowed: ClosedRange<Int128>) -> String { Self.number(format.range) }

    static func number(_ range: ClosedRange<Int128>) -> String { range.isWide ? "bigint" : "number" }

    /// Returns a type after a mark such as `: `; empty in JavaScript.
    func typed(_ mark: String, _ type: String) -> String { isForPages ? "" : mark + type }

    private static func isWide(_ type: CodeType) -> Bool {
        switch type {
        case .number(let format): format.range.isWide
        case .value(let value): isWide(value)
        default: false
        }
    }

    static func isWide(_ value: ValuePlan) -> Bool {
        switch value {
        case .number(let number): number.format.range.isWide
        case .varint(let format, _): format.range.isWide
        default: false
        }
    }

    // MARK: Literals

    func string(_ text: String) -> String { TypeScriptText.string(text, isForPages: isForPages) }

    /// Returns a number. A `bigint` is made by a call, because older targets have no such literals.
    static func number(_ value: Int128, isWide: Bool) -> String {
        guard isWide else { return String(value) }
        return (value...value).isWide ? "BigInt(\"\(value)\")" : "BigInt(\(value))"
    }

    private func literal(_ literal: LiteralPlan) -> String {
        switch literal {
        case .integer(let number, let value): Self.number(number, isWide: Self.isWide(value))
        case .boolean(let value): String(value)
        case .float(let value): TypeScriptText.float(value)
        case .text(let text): string(text)
        case .zeros(let byteCount): "new Uint8Array(\(byteCount))"
        case .noProperties: "new Map()"
        case .list(_, 0): "[]"
        case .list(let item, let count): "Array.from({ length: \(count) }, () => (\(self.literal(item))))"
        case .structure(let index): "\(zeros[index] ?? "zero")()"
        }
    }

    // MARK: Expressions

    func own(_ expression: Expression) -> Syntax? {
        switch expression {
        case .number(let number, let type): return .atom(Self.number(number, isWide: Self.isWide(type)))
        case .float(let number, _): return .atom(TypeScriptText.float(number))
        case .bytes(let bytes): return .call(.atom("new Uint8Array"), [list(bytes)])
        case .initial(let literal, _): return .atom(self.literal(literal))
        case .record(let members):
            return .atom("{ " + members.map { "\($0.name): \(text($0.value))" }.joined(separator: ", ") + " }")
        case .own(let name): return .selector(.atom("m"), name)
        case .armMember(let member): return .selector(.atom("m"), member.rawValue)
        case .item(let list, let index): return present(.index(syntax(list), syntax(index)))
        case .count(let list): return .selector(syntax(list), "length")
        case .inPacket(let place): return syntax(Self.start(place))
        case .binary(.unequal, let value, .nothing): return .joined("!=", level: 5, syntax(value), .atom("null"))
        case .binary(.equal, .name("sender"), .sender(let sender)):
            return sender == .server ? .atom("server") : syntax(.not(.name("server")))
        case .binary(.unequal, .binary(.bitAnd, let value, .number(let mask, let type)), _)
        where (33...53).contains(type.format?.bitWidth ?? 0):
            // Bitwise operators lose bits above 32.
            return .call(.atom("shares"), [syntax(value), syntax(.number(mask, type))])
        case .binary(let mark, let value, .number(let number, let type))
        where isNarrowing && !mark.isOrder && !Self.isWide(type):
            return joined(mark, cast(syntax(value), "number"), syntax(.number(number, type)))
        case .chain(let mark, let parts) where !isNarrowing && (mark == .and || mark == .or):
            var inner = self
            inner.isNarrowing = true
            return .chained(style.mark(mark), level: style.level(mark), parts.map(inner.syntax))
        case .same(let left, let right, _): return joined(.equal, left, right)
        case .present(let value, _): return present(syntax(value))
        case .convert(let value, let from, let to): return convert(value, from, to)
        case .bits(.binary(.shiftRight, let number, let shift), let from, 0, let width, let to):
            return bits(number, from, shift, width, to)
        case .bits(let number, let from, let shift, let width, let to):
            return bits(number, from, .place(shift), width, to)
        case .packed(let parts, let format): return packed(parts, format)
        case .checksum(let kind, .read(let from, let to)):
            return call(kind.rawValue, .member("r", "b"), Self.start(from), Self.start(to))
        case .checksum(let kind, .written(let from, let to)): return call(kind.rawValue, .member("w", "b"), from, to)
        case .checksum(let kind, .copy(let copy, let byteCount)): return call(kind.rawValue, copy, 0, byteCount)
        case .call(.name("r")?, let word, let arguments): return reading(word, arguments)
        case .call(.name("w")?, let word, let arguments): return writing(word, arguments)
        default: return nil
        }
    }

    private func joined(_ mark: Expression.Operator, _ left: Syntax, _ right: Syntax) -> Syntax {
        .joined(style.mark(mark), level: style.level(mark), left, right)
    }

    private func call(_ function: String, _ arguments: Expression...) -> Syntax {
        .call(.atom(function), arguments.map(syntax))
    }

    /// Converts a place that counts from the packet's first byte into an index of the reader's bytes.
    private static func start(_ place: Expression) -> Expression {
        if case .number(let number, _) = place { return Expression.member("r", "start").plus(Int(number)) }
        return Expression.member("r", "start").plus(place)
    }

    private func list(_ bytes: [UInt8]) -> Syntax { .atom(TypeScriptText.list(bytes.map { String($0) })) }

    /// Asserts a value to be present where the compiler cannot know it.
    private func present(_ value: Syntax) -> Syntax { isForPages ? value : .atom(value.text + "!") }

    /// Casts a value to a type that the compiler cannot infer.
    private func cast(_ value: Syntax, _ type: String) -> Syntax {
        isForPages ? value : .joined("as", level: 0, value, .atom(type))
    }

    private func convert(_ value: Expression, _ from: CodeType, _ to: CodeType) -> Syntax {
        if case .value(.float(4, _, _)) = from { return call("Math.fround", value) }
        switch (Self.isWide(from), Self.isWide(to)) {
        case (true, false): return call("Number", value)
        case (false, true):
            if case .number(let number, _) = value { return syntax(.number(number, to)) }
            return call("BigInt", value)
        case (true, true):
            guard let old = from.format, let new = to.format, old.isSigned != new.isSigned else { return syntax(value) }
            return call(new.isSigned ? "BigInt.asIntN" : "BigInt.asUintN", 64, value)
        case (false, false):
            // The type of a closed enum is a union of its numbers.
            if case .value(let plan) = from, plan.isClosed { return cast(syntax(value), "number") }
            if case .value(let plan) = to, plan.isClosed { return cast(syntax(value), type(to)) }
            return syntax(value)
        }
    }

    // MARK: Bits

    /// Returns bits of a number from a shift on. More than 53 bits occur only in a `bigint`.
    private func bits(
        _ number: Expression, _ from: IntegerFormat, _ shift: Expression, _ width: Int, _ to: IntegerFormat
    ) -> Syntax {
        var offset: Int?
        if case .number(let number, _) = shift { offset = Int(number) }
        if from.range.isWide {
            let moved =
                offset == 0
                ? number : .binary(.shiftRightSigned, number, .convert(shift, from: .position, to: .number(.uint64)))
            let own = Expression.call(nil, to.isSigned ? "BigInt.asIntN" : "BigInt.asUintN", [.place(width), moved])
            return to.range.isWide ? syntax(own) : call("Number", own)
        }
        let own: Expression
        if offset == 0, width >= from.bitWidth, !to.isSigned || from.isSigned {
            own = from.isSigned && !to.isSigned ? .call(nil, "twos", [number, .place(width)]) : number
        } else if offset == 0, from.isSigned, !to.isSigned {
            own = .call(nil, "twos", [number, .place(width)])
        } else if let offset, from.bitWidth <= 32, width < 32 {
            if to.isSigned {
                let left = Expression.binary(.shiftLeft, number, .place(32 - offset - width))
                own = .binary(.shiftRightSigned, left, .place(32 - width))
            } else {
                let moved = offset == 0 ? number : .binary(.shiftRight, number, .place(offset))
                own = .binary(.bitAnd, moved, .place(1 << width - 1))
            }
        } else {
            own = .call(nil, to.isSigned ? "signedBits" : "bits", [number, shift, .place(width)])
        }
        return to.range.isWide ? call("BigInt", own) : syntax(own)
    }

    /// Returns a sum: bitwise operators lose bits above 32.
    private func packed(_ parts: [(part: Expression, shift: Int)], _ format: IntegerFormat) -> Syntax {
        let sum = parts.map { item -> Expression in
            var part = item.part
            if case .call(.name("w")?, "bit", _) = part { part = part.converted(from: .uint8, to: format) }
            guard item.shift > 0 else { return part }
            return format.range.isWide
                ? .binary(.shiftLeft, part, .number(Int128(item.shift), format))
                : .binary(.times, part, .number(1 << Int128(item.shift), format))
        }
        return syntax(.joined(sum, .plus) ?? .number(0, format))
    }

    // MARK: Words

    private func reading(_ word: String, _ arguments: [Expression]) -> Syntax {
        switch (word, arguments.first, arguments.last) {
        case ("position", _, _): return syntax(Expression.member("r", "p").minus(.member("r", "start")))
        case ("take", _, _):
            return .joined("-", level: 7, function("take", "r", arguments), syntax(.member("r", "start")))
        case ("size", _, _): return syntax(.member("r", "size"))
        case ("more", _, _): return joined(.less, .member("r", "p"), .member("r", "end"))
        case ("hasItem", let index?, let count?): return joined(.less, index, count)
        case ("saturated", let number?, _): return call("Number", number)
        case ("count", .number(let code, _)?, let name?):
            let limit = arguments[1...].map(syntax)
            if code == 0 { return .call(.atom("countVarint"), [.atom("r")] + limit) }
            let number = prefix(Int(code), isSigned: false, name)
            if case .number(-1, _) = arguments[1] { return number }
            return .call(.atom("atMost"), [.atom("r"), number] + limit)
        case ("countOrAbsent", .number(let code, _)?, let name?):
            let number = prefix(Int(code), isSigned: true, name)
            return .call(.atom(word), [.atom("r"), number] + arguments[1...].map(syntax))
        case ("uint", .number(let byteCount, _)?, _), ("sint", .number(let byteCount, _)?, _):
            return number(word == "sint", Int(byteCount), arguments[1], [], Array(arguments[2...]))
        case ("uintAt", _, _), ("sintAt", _, _):
            guard case .number(let byteCount, _) = arguments[1] else { return function(word, "r", arguments) }
            return number(word == "sintAt", Int(byteCount), arguments[2], [arguments[0]], [])
        default: return function(word, "r", arguments)
        }
    }

    private func prefix(_ code: Int, isSigned: Bool, _ name: Expression) -> Syntax {
        code == 32
            ? function("countZigzag", "r", [name]) : number(isSigned, code & 7, .boolean(code > 16), [], [name])
    }

    /// Returns an integer of `byteCount` bytes: at an index, or the next one, which has a name for errors.
    private func number(
        _ isSigned: Bool, _ byteCount: Int, _ isLittle: Expression, _ index: [Expression], _ name: [Expression]
    ) -> Syntax {
        let end = index.isEmpty ? "" : "At"
        let format = IntegerFormat(bitWidth: 8 * byteCount, isSigned: isSigned)
        guard ![1, 2, 4].contains(byteCount) else {
            var little = ""
            if case .boolean(true) = isLittle, byteCount > 1 { little = "Little" }
            return function("\(isSigned ? "i" : "u")\(8 * byteCount)\(little)\(end)", "r", index + name)
        }
        let arguments = index + [.place(byteCount), isLittle] + name
        guard format.range.isWide else { return function((isSigned ? "sint" : "uint") + end, "r", arguments) }
        let wide = function("wide" + end, "r", arguments)
        return isSigned ? .call(.atom("BigInt.asIntN"), [.atom(String(8 * byteCount)), wide]) : wide
    }

    private func writing(_ word: String, _ arguments: [Expression]) -> Syntax {
        switch (word, arguments.first) {
        case ("position", _): return syntax(.member("w", "p"))
        case ("bit", let value?): return .chosen(syntax(value), .atom("1"), .atom("0"))
        case ("given", let value?): return .chosen(syntax(value.isSet), syntax(value), syntax(arguments[1]))
        case ("nonNegative", let number?): return call("Math.max", 0, number)
        case ("putText", _), ("putBlob", _), ("putCount", _), ("putPrefix", _):
            // Varints and fixed prefixes need different functions of the runtime.
            var isVarint = false
            if case .number(let code, _) = arguments[word == "putPrefix" ? 2 : 1] { isVarint = code & 7 == 0 }
            return function(word + (isVarint ? "Varint" : ""), "w", arguments)
        case ("putUint", _): return putting(arguments, at: [])
        case ("setUint", let place?): return putting(Array(arguments[1...]), at: [place])
        default:
            return Self.plainWords.contains(word)
                ? .call(.atom(word), arguments.map(syntax)) : function(word, "w", arguments)
        }
    }

    private func putting(_ arguments: [Expression], at place: [Expression]) -> Syntax {
        var isWide = false
        if case .number(let byteCount, _) = arguments[1] { isWide = byteCount > 6 }
        return function((place.isEmpty ? "put" : "set") + (isWide ? "Wide" : "Int"), "w", place + arguments)
    }

    private static let plainWords: Set<String> = [
        "varintSize", "wideVarintSize", "zigzagBits", "wideZigzagBits", "orZero",
    ]

    /// The functions of readers and writers that other languages name differently.
    private static let functions = [
        "r": [
            "require": "expectThat", "verify": "verifyAt", "last": "bound", "bound": "goBetween", "lacks": "lacksBytes",
            "run": "takeRun", "trailing": "trailingBytes", "another": "anotherItem", "seen": "seen_at",
            "seenSize": "seen_size",
        ],
        "w": [
            "require": "demandThat", "verify": "verifyPacket", "deeper": "sink", "gap": "gapAfter", "limit": "limited",
            "packet": "packetBytes",
        ],
    ]
    private static let places = ["enter": "enterValue", "leave": "leaveValue", "index": "enterItem"]

    private func function(_ word: String, _ object: String, _ arguments: [Expression]) -> Syntax {
        let values = arguments.map { argument -> Syntax in
            // Functions that only compare or copy bytes accept a list.
            if case .bytes(let bytes) = argument { list(bytes) } else { syntax(argument) }
        }
        // A variable may be called `i8`.
        let isNumber = object == "r" && word.dropFirst().first?.isNumber == true && !word.hasSuffix("At")
        let name =
            isNumber
            ? "read" + word.prefix(1).uppercased() + word.dropFirst()
            : Self.functions[object]?[word] ?? Self.places[word] ?? word
        return .call(.atom(name), [.atom(object)] + values)
    }

    // MARK: Statements

    /// Drops reservations of bytes: the writer grows by itself.
    func completed(_ statements: [Statement]) -> [Statement] {
        statements.replacing { statement in
            if case .evaluate(.call(.name("w")?, "reserve", _)) = statement { [] } else { [statement] }
        }
    }

    func own(_ statement: Statement) -> [String]? {
        switch statement {
        case .variable(let name, .header, let value):
            return ["const \(name) = \(text(cast(syntax(value), "Header")));"]
        case .constant(let name, _, let value, _): return ["const \(name) = \(text(value));"]
        // Every union ends with an arm, or was refused.
        case .variable("m", let type, .nothing): return ["let m\(typed("!: ", self.type(type)));"]
        case .variable(let name, let type, .nothing):
            return ["let \(name)\(typed(": ", self.type(type) + " | undefined"));"]
        case .variable(let name, let type, let value):
            return ["let \(name)\(typed(": ", self.type(type))) = \(text(value));"]
        case .evaluate(.call(.name("r")?, "seek", let place)): return ["r.p = \(text(Self.start(place[0])));"]
        case .evaluate(.call(.name("w")?, "seek", let place)): return ["w.p = \(text(place[0]));"]
        case .evaluate(.call(.name("r")?, "take", let arguments)): return [text(function("take", "r", arguments)) + ";"]
        case .evaluate(.call(.name("r")?, "wants", let size)): return ["r.wanted = \(text(size[0]));"]
        case .evaluate(.call(let object?, "shallower", _)): return ["\(text(object)).depth++;"]
        case .count(let name, let count, let inner):
            return ["for (let \(name) = 0; \(name) < \(text(count)); \(name)++) {"] + indented(inner) + ["}"]
        case .returnMore: return ["return undefined;"]
        // The statement before it always fails.
        case .returns(nil): return []
        case .fit(let values, _, let function, let given):
            let list = TypeScriptText.list(values.map { text($0) })
            let call = { (index: String) in "return \(function)(w, id, h, values[\(index)]\(typed("!", "")));" }
            return ["const values = \(list), end = w.p;", "for (let i = 0; i < values.length - 1; i++) try {"]
                + indented([call("i")]) + ["} catch (error) {"]
                + indented(["if (\(text(given.isSet)) || !doesNotFit(error)) throw error;", "w.p = end;"])
                + ["}", call("values.length - 1")]
        case .received(_, let places):
            let at = places.isEmpty ? "" : ", at: \(list(places))"
            return ["return { id, header, byteCount: total\(at) };"]
        case .receivedPart(let part): return [received(part)]
        case .newList(let name, let item, _, _): return ["const \(name)\(typed(": ", typeName(item) + "[]")) = [];"]
        case .append(let value, let list, _, _): return ["\(list).push(\(text(value)));"]
        case .makeArm(let arm, let members):
            let own = [(name: "kind", value: Expression.text(arm))] + members.map { ($0.member.rawValue, $0.value) }
            return ["m = \(text(.record(own)));"]
        case .arms(let arms, let otherwise):
            let cases = arms.flatMap { arm in
                ["case \(string(arm.name)): {"] + indented(lines(arm.statements) + ["break;"]) + ["}"]
            }
            return ["switch (m?.kind) {"] + indented(cases)
                + (otherwise.isEmpty ? [] : indented(["default:"]) + indented(indented(otherwise))) + ["}"]
        case .returnBody(let members, let type): return returned(members, type)
        default: return nil
        }
    }

    private func list(_ items: [Expression]) -> String { TypeScriptText.list(items.map { text($0) }) }

    private func returned(_ members: [Statement.BodyMember], _ type: CodeType) -> [String] {
        let always = members.filter { !$0.mayBeUnset }.map { (name: $0.name, value: $0.value) }
        let body = always.isEmpty ? "{}" : text(.record(always))
        let others = members.filter(\.mayBeUnset)
        guard !others.isEmpty else { return ["return \(body);"] }
        let sets = others.map { "if (\(text($0.value)) !== undefined) m.\($0.name) = \(text($0.value));" }
        return ["const m\(typed(": ", self.type(type))) = \(body);"] + sets + ["return m;"]
    }

    private func received(_ part: ReceivedPart) -> String {
        let count = part.counter.map { counter in
            let found = Expression.record([("v", counter.number), ("at", counter.place)])
            if case .boolean(true) = counter.isThere { return text(found) }
            return text(.chosen(syntax(counter.isThere), syntax(found), syntax(.nothing)))
        }
        let places: [(name: String, value: Expression)] = [
            ("body", Self.start("body")), ("end", Self.start("end")), ("after", Self.start("total")),
            ("first", Self.start(part.first)),
        ]
        let members = places.map { "\($0.name): \(text($0.value))" }.joined(separator: ", ")
        return
            "return { id, header, \(members), count: \(count ?? "undefined"), rules: \(list(part.rules)), at: \(list(part.places)) };"
    }
}
