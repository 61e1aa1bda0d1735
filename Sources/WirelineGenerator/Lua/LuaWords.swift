// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Puts functions of Lua's runtime, and formats of `string.pack`, in the place of the words that all languages have.
struct LuaWords {
    /// The variables that are places before bytes, and that only what looks at these bytes uses. They have the number of a piece.
    private let starts: Set<String>

    init(_ statements: [Statement]) {
        var counts: [String: Int] = [:]
        statements.forEachExpression { expression in
            if let start = Self.start(ofPrefix: expression) { counts[start, default: 0] += 2 }
            if case .call(.name("w")?, "notStop", let arguments) = expression, case .name(let start) = arguments[0] {
                counts[start, default: 0] += 1
            }
        }
        let uses = statements.uses
        starts = Set(counts.keys.filter { counts[$0] == uses[$0] })
    }

    /// Returns the variable with the place of the bytes that a prefix counts; nil if it counts units, and for other expressions.
    private static func start(ofPrefix expression: Expression) -> String? {
        guard case .call(.name("w")?, "putPrefix", let arguments) = expression,
            case .binary(.minus, .call, .name(let start)) = arguments[0], arguments.count == 5
        else { return nil }
        return start
    }

    /// The formats of the words for numbers of up to 6 bytes.
    private static let numbers: [String: (format: String, byteCount: Int)] = {
        var numbers: [String: (format: String, byteCount: Int)] = [:]
        for order in [ByteOrder.bigEndian, .littleEndian] {
            let end = order == .littleEndian ? "Little" : ""
            for byteCount in 1...4 where byteCount > 1 || order == .bigEndian {
                for isSigned in [false, true] {
                    let format = IntegerFormat(bitWidth: 8 * byteCount, isSigned: isSigned)
                    let text = LuaFormat.mark(order) + LuaFormat.letter(format)
                    numbers["\(isSigned ? "i" : "u")\(8 * byteCount)\(end)"] = (text, byteCount)
                }
            }
            numbers["f32" + end] = (LuaFormat.mark(order) + "f", 4)
            numbers["f64" + end] = (LuaFormat.mark(order) + "d", 8)
        }
        return numbers
    }()

    private static let wideNumbers: [String: (isSigned: Bool, isLittle: Bool)] = [
        "u64": (false, false), "i64": (true, false), "u64Little": (false, true), "i64Little": (true, true),
    ]

    // MARK: Expressions

    func expression(_ expression: Expression) -> Expression { expression.mapped(Self.own) }

    private static func own(_ expression: Expression) -> Expression {
        switch expression {
        case .call(.name("r")?, let word, let arguments): read(word, arguments) ?? expression
        case .call(.name("w")?, let word, let arguments): written(word, arguments) ?? expression
        case .convert(.call(let reader, "wideVarint", let arguments), _, let type) where type.format?.isSigned == true:
            .call(reader, "signedVarint", arguments)
        case .convert(let inner, .number(let from), .number(let to)) where from.range.isWide && to.bitWidth == 53:
            // A count may be inexact beyond that.
            .call(nil, "tonumber", [inner])
        case .convert(let inner, .number(let from), .number(let to))
        where from.isSigned && !to.isSigned && (33...48).contains(from.bitWidth):
            // A number that has no word is written without its sign.
            .bits(inner, from: from, shift: 0, width: from.bitWidth, to: to)
        case .convert(let inner, _, _), .present(let inner, _), .optional(let inner, _): inner
        case .inPacket(let place): .name("start").plus(place)
        case .checksum(let kind, .read(let from, let to)):
            .call(
                nil, kind.rawValue,
                ["input", .name("start").plus(from), .name("start").plus(to).minus(1)])
        case .checksum(let kind, .copy(let copy, let byteCount)): .call(nil, kind.rawValue, [copy, 1, byteCount])
        case .checksum(let kind, .written(let from, let to)): .call(nil, kind.rawValue, ["o", from.plus(1), to])
        default: expression
        }
    }

    private static func read(_ word: String, _ arguments: [Expression]) -> Expression? {
        if let number = numbers[word] {
            return .call("r", "number", [.text(number.format), .place(number.byteCount)] + arguments)
        }
        if let wide = wideNumbers[word] {
            return .call("r", "wide", [8, .boolean(wide.isLittle), .boolean(wide.isSigned)] + arguments)
        }
        if word.hasSuffix("At") { return value(String(word.dropLast(2)), arguments) }
        switch word {
        case "uint", "sint":
            let (count, isLittle) = (arguments[0], arguments[1])
            guard let format = format(word, count, isLittle) else {
                return .call("r", "wide", [count, isLittle, .boolean(word == "sint"), arguments[2]])
            }
            return .call("r", "number", [.text(format), count, arguments[2]])
        case "varint" where isMany(arguments[0]): return .call("r", "wideVarint", arguments)
        case "zigzag" where isMany(arguments[0]): return .call("r", "wideZigzag", arguments)
        case "count", "countOrAbsent":
            guard let prefix = LuaPrefix(arguments[0], isSigned: word == "countOrAbsent") else { return nil }
            guard let format = prefix.format else {
                return .call("r", word + (prefix.scale == 2 ? "Zigzag" : "Varint"), Array(arguments[1...]))
            }
            return .call("r", word, [.text(format), .place(prefix.byteCount)] + arguments[1...])
        case "saturated": return .call(nil, "tonumber", arguments)
        case "rest":
            guard case .number(-1, _) = arguments[0] else { return nil }
            return Expression.binary(.minus, "stop", "here").plus(1)
        case "size": return "size"
        case "arrived":
            let isThere = Expression.binary(.greaterOrEqual, .binary(.minus, "stop", "here"), less(arguments[0]))
            return isThere.or(.call("r", word, arguments))
        case "position": return .binary(.minus, "here", "start")
        case "lacks":
            return .binary(.less, .binary(.minus, "stop", "here"), less(arguments[0]))
        case "more": return .binary(.lessOrEqual, "here", "stop")
        case "hasItem": return .binary(.less, arguments[0], arguments[1])
        case "atLeast": return .call("math", "max", [arguments[0], "available"])
        default: return nil
        }
    }

    /// Returns the expression for a value at a place in the reader's bytes.
    private static func value(_ word: String, _ arguments: [Expression]) -> Expression? {
        let place = arguments[0]
        if let number = numbers[word] { return .call(nil, "unpack", [.text(number.format), "input", place]) }
        if let wide = wideNumbers[word] {
            return .call(nil, "wide_at", ["input", place, 8, .boolean(wide.isLittle), .boolean(wide.isSigned)])
        }
        switch word {
        case "bool": return .call("r", "truth", [.call(nil, "byte", ["input", place]), arguments[1]])
        case "uint", "sint":
            guard let format = format(word, arguments[1], arguments[2]) else {
                return .call(nil, "wide_at", ["input", place, arguments[1], arguments[2], .boolean(word == "sint")])
            }
            return .call(nil, "unpack", [.text(format), "input", place])
        default: return nil
        }
    }

    private static func less(_ count: Expression) -> Expression {
        if case .number(let number, let type) = count { .number(number - 1, type) } else { count.minus(1) }
    }

    /// Whether a varint of so many bytes may be beyond 53 bits.
    private static func isMany(_ byteCount: Expression) -> Bool {
        if case .number(let count, _) = byteCount { count > 7 } else { true }
    }

    /// Returns the format of an integer of a number of bytes; nil for one that may be beyond 53 bits.
    private static func format(_ word: String, _ count: Expression, _ isLittle: Expression) -> String? {
        guard case .number(let byteCount, _) = count, byteCount <= 6, case .boolean(let isLittle) = isLittle else {
            return nil
        }
        let format = IntegerFormat(bitWidth: 8 * Int(byteCount), isSigned: word.hasPrefix("s"))
        return LuaFormat.mark(isLittle ? .littleEndian : .bigEndian) + LuaFormat.letter(format)
    }

    private static func written(_ word: String, _ arguments: [Expression]) -> Expression? {
        switch word {
        case "bit":
            if case .call(nil, "boolean_of", let given) = arguments[0] { return .call(nil, "bit_of", given) }
            return arguments[0].and(1).or(0)
        case "orZero":
            return Expression.binary(.unequal, arguments[0], .number(-2_147_483_648, .position)).and(arguments[0]).or(0)
        case "nonNegative": return .call("math", "max", [0] + arguments)
        case "varintSize": return .count(.call(nil, "varint_bytes", arguments))
        default: return nil
        }
    }

    // MARK: Statements

    func statements(_ statements: [Statement]) -> [Statement] {
        var own: [Statement] = []
        var rest = statements[...]
        while let statement = rest.popFirst() {
            if let body = Self.body(statement, rest.first) { return own + body }
            own += self.own(statement.withBlocks { self.statements($0) }.withExpressions(expression))
            if case .constant(_, _, .call(.name("r")?, "run", _), _) = statement, !Self.canBeWrong(rest) {
                own.removeLast()
            }
            if case .returns? = own.last { break }
        }
        return own
    }

    /// Returns the statements that return a body whose last member is what follows its fields; nil for others.
    private static func body(_ statement: Statement, _ next: Statement?) -> [Statement]? {
        guard case .constant("extra", _, .call(.name("r")?, "trailing", _), _) = statement,
            case .returnBody(let members, let type)? = next, let last = members.last, case .name("extra") = last.value
        else { return nil }
        let fields = Expression.record(members.dropLast().map { ($0.name, $0.value) })
        return [
            .constant("m", type, fields),
            .choose(
                if: .binary(.lessOrEqual, "here", "stop"),
                [.assign(.member("m", last.name), .call(nil, "sub", ["input", "here", "stop"]))]),
            .returns("m"),
        ]
    }

    /// Whether one of the values of a run, which is read by the next statements, can be wrong: the error has its place.
    private static func canBeWrong(_ statements: ArraySlice<Statement>) -> Bool {
        for statement in statements {
            var words: [String] = []
            [statement].forEachExpression { expression in
                if case .call(.name("r")?, let word, _) = expression { words.append(word) }
            }
            if words.contains("require") || words.contains("boolAt") { return true }
            if words.contains(where: { !$0.hasSuffix("At") }) { return false }
        }
        return false
    }

    private func own(_ statement: Statement) -> [Statement] {
        switch statement {
        case .variable("o", _, _): return []
        case .evaluate(.pack(let parts)): return parts.flatMap(put)
        case .evaluate(let value) where Self.bytes(value) != nil: return Self.bytes(value).map(putting) ?? []
        case .constant(let name, let type, .call(.name("w")?, "position", _), _) where starts.contains(name):
            return [.constant(name, type, "used")]
        case .variable(let name, let type, .call(.name("w")?, "position", _)) where starts.contains(name):
            return [.variable(name, type, "used")]
        case .assign(.name(let name), .call(.name("w")?, "position", _)) where starts.contains(name):
            return [.assign(.name(name), "used")]
        case .evaluate(.call(.name("w")?, let word, let arguments)): return put(word, arguments) ?? [statement]
        case .evaluate(.call(.name("r")?, let word, let arguments)): return go(word, arguments) ?? [statement]
        case .constant(let name, _, .call(.name("r")?, "wide", let arguments), _):
            let number = Expression.name(name)
            guard let low = number.lowHalf else { return [statement] }
            let halves = Expression.call("r", "halves", [arguments[0], arguments[1], arguments[3]])
            return [.assignAll([number, low], halves, declares: true)]
        case .unpack(let fields): return LuaRuns.unpacked(fields)
        case .evaluate(.call(nil, "boolean_of", let arguments)): return [.evaluate(.call(nil, "bit_of", arguments))]
        case .constant(let name, let type, .call(.name("r")?, "run", let arguments), _):
            return [
                .constant(name, type, "here"), .assign("here", Expression.name(name).plus(arguments[0])),
                .assign("mark", .binary(.minus, "here", arguments[1])),
            ]
        case .constant(let name, let type, .call(.name("w")?, "given", let arguments), _):
            let own = Expression.name(name)
            return [
                .variable(name, type, arguments[0]), .choose(if: .not(own.isSet), [.assign(own, arguments[1])]),
            ]
        case .constant(let name, let type, .call(.name("r")?, "trailing", _), _):
            let bytes = Expression.call(nil, "sub", ["input", "here", "stop"])
            return [
                .variable(name, type, .nothing),
                .choose(if: .binary(.lessOrEqual, "here", "stop"), [.assign(.name(name), bytes)]),
            ]
        default: return [statement]
        }
    }

    /// Returns the statements that change where the reader is; nil for other words.
    private func go(_ word: String, _ arguments: [Expression]) -> [Statement]? {
        let start = Expression.name("start")
        switch word {
        case "seek": return [.assign("here", start.plus(arguments[0]))]
        case "bound":
            return [.assign("here", start.plus(arguments[0])), .assign("stop", start.plus(arguments[1]).minus(1))]
        // The end of the function follows.
        case "wants": return [.returns(.call(nil, "wanting", arguments))]
        default: return nil
        }
    }

    private func putting(_ bytes: Expression) -> [Statement] { [.evaluate(.call("w", "put", [bytes]))] }

    private func packing(_ format: String, _ value: Expression) -> [Statement] {
        putting(.call(nil, "pack", [.text(format), value]))
    }

    /// Returns the expression for text or bytes that a word writes; nil for other words.
    private static func bytes(_ expression: Expression) -> Expression? {
        guard case .call(.name("w")?, let word, let arguments) = expression else { return nil }
        switch word {
        case "appendText": return .call(nil, "text_of", [arguments[0], .nothing, arguments[1]])
        case "appendBlob": return .call(nil, "bytes_of", [arguments[0], .nothing, arguments[1]])
        case "putDigits": return .call(nil, "digits_of", arguments)
        default: break
        }
        guard let first = arguments.first, let bytes = bytes(first) else { return nil }
        switch word {
        case "limit":
            guard case .call(_, let function, let own) = bytes else { return nil }
            return .call(nil, function, [own[0], arguments[1], own[2]])
        case "notLess": return .call(nil, "not_less", [bytes] + arguments[1...])
        case "exactly": return .call(nil, "exactly", [bytes] + arguments[1...])
        // Only UTF-16 has units of two bytes.
        case "padText": return .call(nil, "padded", [bytes, arguments[1], arguments[2], arguments[5]])
        case "terminate": return .call(nil, "ended", [bytes, arguments[2]])
        default: return nil
        }
    }

    /// Returns the statements that write a value of fixed width.
    private func put(_ part: (format: PackedFormat, value: Expression)) -> [Statement] {
        switch part.format {
        case .integer(let format, let order):
            guard format.byteCount > 6 else {
                return packing(LuaFormat.mark(order) + LuaFormat.letter(format), part.value)
            }
            return put("putUint", [part.value, .place(format.byteCount), order.isLittle]) ?? []
        case .bytes: return putting(Self.bytes(part.value) ?? part.value)
        case .filler(let byteCount): return put("putZeros", [.place(byteCount)]) ?? []
        case .float: preconditionFailure("headers have no floats")
        }
    }

    /// Returns the statement that puts a number into a packet at a place.
    private func set(_ word: String, _ arguments: [Expression]) -> [Statement]? {
        let number = [arguments[1]] + (word == "Uint" ? Array(arguments[2...]) : [])
        guard case .evaluate(.call(_, _, let bytes))? = put("put" + word, number)?.first else { return nil }
        return [.assign("o", .call(nil, "replaced", ["o", arguments[0].plus(1)] + bytes))]
    }

    private func put(_ word: String, _ arguments: [Expression]) -> [Statement]? {
        if word.hasPrefix("set") { return set(String(word.dropFirst(3)), arguments) }
        if word.hasPrefix("put"), let number = Self.number(word) {
            switch number {
            case .narrow(let format): return packing(format, arguments[0])
            case .wide(let isLittle):
                return putting(.call(nil, "wide_bytes", [8, .boolean(isLittle), .call(nil, "halves", [arguments[0]])]))
            }
        }
        switch word {
        case "reserve": return []
        case "checkList": return [.evaluate(.call(nil, "check_table", arguments))]
        case "putBool":
            return Self.written("bit", arguments).map { packing(">B", $0) }
        case "putUint":
            if let format = Self.format("uint", arguments[1], arguments[2]) { return packing(format, arguments[0]) }
            return putting(
                .call(nil, "wide_bytes", [arguments[1], arguments[2], .call(nil, "halves", [arguments[0]])]))
        case "putVarint": return putting(.call(nil, "varint_bytes", arguments))
        case "room", "putZeros":
            guard case .number(let byteCount, _) = arguments[0] else { return nil }
            return byteCount == 0 ? [] : putting(.bytes(Array(repeating: 0, count: Int(byteCount))))
        case "putBytes": return putting(arguments[0])
        case "putText", "putBlob":
            guard let prefix = LuaPrefix(arguments[1]) else { return nil }
            let function = word == "putText" ? "text_of" : "bytes_of"
            let text = Expression.call(nil, function, [arguments[0], arguments[2], arguments[3]])
            guard prefix.format != nil else {
                return putting(.call(nil, "with_varint", [.place(prefix.scale), text]))
            }
            return packing("\(prefix.mark)s\(prefix.byteCount)", text)
        case "putProperties": return putting(.call(nil, "properties_of", arguments))
        case "putAbsent":
            guard let prefix = LuaPrefix(arguments[0]) else { return nil }
            return putting(.bytes(prefix.format == nil ? [1] : Array(repeating: 255, count: prefix.byteCount)))
        case "putCount":
            guard let prefix = LuaPrefix(arguments[1]) else { return nil }
            let count = Expression.call("w", "limit", [arguments[0], arguments[2], arguments[3]])
            if let format = prefix.format { return packing(format, count) }
            let scaled = prefix.scale == 1 ? count : .binary(.times, count, .place(prefix.scale))
            return putting(.call(nil, "varint_bytes", [scaled]))
        case "putPrefix":
            guard let prefix = LuaPrefix(arguments[2]) else { return nil }
            if let start = Self.start(ofPrefix: .call("w", word, arguments)), starts.contains(start) {
                let kind: Expression = prefix.format.map { .text($0) } ?? .place(prefix.scale)
                let function = prefix.format == nil ? "countVarint" : "count"
                return [.evaluate(.call("w", function, [kind, .name(start), arguments[3], arguments[4]]))]
            }
            let others = [arguments[0], arguments[1], arguments[3], arguments[4]]
            guard let format = prefix.format else {
                return [.evaluate(.call("w", "putVarintPrefix", [.place(prefix.scale)] + others))]
            }
            return [.evaluate(.call("w", "putPrefix", [.text(format)] + others))]
        case "checkLength": return checkLength(arguments)
        case "putTrailing": return [.choose(if: arguments[0].isSet, [.evaluate(.call("w", word, arguments))])]
        default: return nil
        }
    }

    /// Returns the statements that refuse a length. One beyond a position is never reached.
    private func checkLength(_ arguments: [Expression]) -> [Statement] {
        func branch(_ mark: Expression.Operator, _ limit: Expression, _ kind: String) -> Statement.Branch? {
            guard case .number(let number, _) = limit, abs(number) < 1 << 53 else { return nil }
            return Statement.Branch(
                condition: .binary(mark, arguments[0], .number(number, .position)),
                statements: [.evaluate(.call(nil, "refuse", [.text(kind), arguments[3]]))])
        }
        let branches = [
            branch(.greater, arguments[2], "packet_too_long"), branch(.less, arguments[1], "length_too_small"),
        ].compactMap(\.self)
        return branches.isEmpty ? [] : [.choose(branches, otherwise: [])]
    }

    private enum PutNumber {
        case narrow(String)
        case wide(isLittle: Bool)
    }

    private static func number(_ word: String) -> PutNumber? {
        let end = word.dropFirst(3)
        let own = end.prefix(1).lowercased() + end.dropFirst()
        return numbers[own].map { .narrow($0.format) } ?? wideNumbers[own].map { .wide(isLittle: $0.isLittle) }
    }
}

/// A prefix by its number in the vocabulary.
struct LuaPrefix {
    /// Its bytes; 0 for a varint.
    let byteCount: Int
    let mark: String
    /// What `string.pack` wants to know; nil for a varint.
    let format: String?
    /// What a varint has for each byte: 2 with a sign.
    let scale: Int

    init?(_ code: Expression, isSigned: Bool = false) {
        guard case .number(let number, _) = code else { return nil }
        scale = number == 32 ? 2 : 1
        byteCount = Int(number % 16)
        mark = LuaFormat.mark(number > 16 && number < 32 ? .littleEndian : .bigEndian)
        format =
            byteCount == 0
            ? nil : mark + LuaFormat.letter(IntegerFormat(bitWidth: 8 * byteCount, isSigned: isSigned))
    }
}

/// The formats of `string.pack` and `string.unpack`.
enum LuaFormat {
    static func mark(_ order: ByteOrder) -> String { order == .littleEndian ? "<" : ">" }

    /// Returns the letter of an integer of up to 6 bytes.
    static func letter(_ format: IntegerFormat) -> String {
        let letter = format.isSigned ? "i" : "I"
        return format.byteCount == 1 ? (format.isSigned ? "b" : "B") : letter + String(format.byteCount)
    }

    /// Returns some formats as one, without marks that change nothing: single bytes have no order.
    static func joined(_ formats: [String]) -> String {
        var (result, mark) = ("", Character(" "))
        for format in formats {
            guard let own = format.first else { continue }
            let items = format.dropFirst()
            if own != mark, result.isEmpty || !["B", "b"].contains(items) {
                result.append(own)
                mark = own
            }
            result += items
        }
        return result
    }
}
