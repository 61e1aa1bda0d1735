// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Replaces the words that all languages have by functions of Lua's runtime and formats of `string.pack`.
///
/// A position in a body that is written is the number of the piece before it.
struct LuaWords {
    /// Whether it prints functions for whole packets: they read at `position` and write to the variable `o`.
    let isPacket: Bool
    /// The offset of the packet that is read.
    private var start: Expression { isPacket ? "position" : "start" }

    /// The most values in one call of `string.pack` or `string.unpack`. A Lua function has at most 200 locals.
    static let mostValues = 24

    // MARK: Expressions

    private func own(_ expression: Expression) -> Expression {
        switch expression {
        case .call(.name("r")?, let word, let arguments): read(word, arguments) ?? expression
        case .call(.name("w")?, let word, let arguments): written(word, arguments) ?? expression
        case .binary(.minus, .name("used"), .name(let piece)): .call("w", "since", [.name(piece)])
        case .convert(.call(let reader, "wideVarint", let arguments), _, let type) where type.format?.isSigned == true:
            .call(reader, "signedVarint", arguments)
        case .convert(let inner, .number(let from), .number(let to)) where from.range.isWide && to.bitWidth == 53:
            // Larger counts may be inexact.
            .call(nil, "tonumber", [inner])
        case .convert(let inner, .number(let from), .number(let to))
        where from.isSigned && !to.isSigned && from.bitWidth <= 48:
            .bits(inner, from: from, shift: 0, width: from.bitWidth, to: to)
        case .convert(let inner, _, _), .present(let inner, _), .optional(let inner, _): inner
        case .inPacket(let place): start.plus(place)
        case .checksum(let kind, .read(let from, let to)):
            .call(nil, kind.rawValue, ["input", start.plus(from), start.plus(to).minus(1)])
        case .checksum(let kind, .copy(let copy, let byteCount)): .call(nil, kind.rawValue, [copy, 1, byteCount])
        case .checksum(let kind, .written(let from, let to)): .call(nil, kind.rawValue, ["o", from.plus(1), to])
        default: expression
        }
    }

    private func read(_ word: String, _ arguments: [Expression]) -> Expression? {
        if let format = PackedFormat.floats[word], let text = LuaFormat.text(format) {
            return format.value(ofPacked: .call("r", "number", [.text(text), .place(format.byteCount)] + arguments))
        }
        switch word {
        case "uint", "sint":
            let (count, isLittle) = (arguments[0], arguments[1])
            guard let format = Self.format(word, count, isLittle) else {
                return .call("r", "wide", [count, isLittle, .boolean(word == "sint"), arguments[2]])
            }
            return .call("r", "number", [.text(format), count, arguments[2]])
        case "varint" where Self.isMany(arguments[0]): return .call("r", "wideVarint", arguments)
        case "zigzag" where Self.isMany(arguments[0]): return .call("r", "wideZigzag", arguments)
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
            let isThere = Expression.binary(.greaterOrEqual, .binary(.minus, "stop", "here"), Self.less(arguments[0]))
            return isThere.or(.call("r", word, arguments))
        case "position": return .binary(.minus, "here", start)
        case "more": return .binary(.lessOrEqual, "here", "stop")
        case "hasItem": return .binary(.less, arguments[0], arguments[1])
        case "atLeast": return .call("math", "max", [arguments[0], "size"])
        case "trailing":
            let bytes = Expression.call(nil, "sub", ["input", "here", "stop"])
            return Expression.binary(.lessOrEqual, "here", "stop").and(bytes).or(.nothing)
        default: return nil
        }
    }

    private func written(_ word: String, _ arguments: [Expression]) -> Expression? {
        switch word {
        case "position": return "used"
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

    private static func less(_ count: Expression) -> Expression {
        if case .number(let number, let type) = count { .number(number - 1, type) } else { count.minus(1) }
    }

    /// Whether a varint of this many bytes may exceed 53 bits.
    private static func isMany(_ byteCount: Expression) -> Bool {
        if case .number(let count, _) = byteCount { count > 7 } else { true }
    }

    /// Returns the format of an integer; nil for one that may exceed 53 bits.
    private static func format(_ word: String, _ count: Expression, _ isLittle: Expression) -> String? {
        guard case .number(let byteCount, _) = count, case .boolean(let isLittle) = isLittle else { return nil }
        let format = IntegerFormat(bitWidth: 8 * Int(byteCount), isSigned: word == "sint")
        return LuaFormat.text(.integer(format, isLittle ? .littleEndian : .bigEndian))
    }

    /// Returns the bytes of an integer. Signed ones are packed directly, without bit operations.
    private static func bytes(of number: Expression, _ count: Expression, _ isLittle: Expression) -> Expression {
        var (own, word) = (number, "uint")
        if case .bits(let inner, let from, 0, let width, _) = number, from.isSigned, width == from.bitWidth {
            (own, word) = (inner, "sint")
        }
        guard let format = format(word, count, isLittle) else {
            return .call(nil, "wide_bytes", [count, isLittle, .call(nil, "halves", [own])])
        }
        return .call(nil, "pack", [.text(format), own])
    }

    // MARK: Statements

    func statements(_ statements: [Statement]) -> [Statement] {
        var all: [Statement] = []
        for statement in statements {
            let inside = statement.withBlocks(self.statements).withExpressions { $0.mapped(own) }
            for statement in own(inside) { Self.add(statement, to: &all) }
            if case .returns? = all.last { break }
        }
        return all
    }

    /// Adds a statement. Adjacent calls of `string.pack` become one, which is as fast as each. The declaration of an ID
    /// takes its first bits.
    private static func add(_ statement: Statement, to all: inout [Statement]) {
        if let (format, values) = all.last?.packed, let (more, others) = statement.packed, values.count < mostValues {
            all[all.count - 1] = packing(LuaFormat.joined(format, more), values + others)
        } else if case .variable("id", let type, .number(0, _))? = all.last,
            case .assign(.name("id"), let value) = statement
        {
            var first = value
            if case .packed(let parts, _) = value, parts.count == 2 { first = parts[1].part }
            all[all.count - 1] = .variable("id", type, first)
        } else {
            all.append(statement)
        }
    }

    private func own(_ statement: Statement) -> [Statement] {
        switch statement {
        case .variable("o", _, _): return []
        case .evaluate(.pack(let parts)): return parts.flatMap(put)
        case .evaluate(let value) where Self.bytes(value) != nil: return Self.bytes(value).map(Self.putting) ?? []
        case .evaluate(.call(.name("w")?, let word, let arguments)): return put(word, arguments) ?? [statement]
        case .evaluate(.call(.name("r")?, let word, let arguments)): return go(word, arguments) ?? [statement]
        case .constant(let name, _, .call(.name("r")?, "wide", let arguments), _):
            let number = Expression.name(name)
            guard let low = number.lowHalf else { return [statement] }
            let halves = Expression.call("r", "halves", [arguments[0], arguments[1], arguments[3]])
            return [.assignAll([number, low], halves, declares: true)]
        case .unpack(let fields): return LuaRuns.header(fields)
        case .unpackRun(let parts): return LuaRuns.body(parts)
        case .evaluate(.call(nil, "boolean_of", let arguments)): return [.evaluate(.call(nil, "bit_of", arguments))]
        case .constant(let name, let type, .call(.name("w")?, "given", let arguments), _):
            let own = Expression.name(name)
            return [
                .variable(name, type, arguments[0]), .choose(if: .not(own.isSet), [.assign(own, arguments[1])]),
            ]
        default: return [statement]
        }
    }

    private static func unless(_ condition: Expression, _ function: String, _ arguments: [Expression]) -> [Statement] {
        let call = Statement.evaluate(.call(nil, function, arguments))
        if case .boolean(false) = condition { return [call] }
        return [.choose(if: .not(condition), [call])]
    }

    /// Returns statements that verify what was read, or move the reader; nil for other words.
    private func go(_ word: String, _ arguments: [Expression]) -> [Statement]? {
        switch word {
        case "require", "verify":
            var place = start.plus(arguments[3])
            if case .binary(.minus, .binary(.minus, .name("here"), _), let count) = arguments[3] {
                place = .binary(.minus, "here", count)
            }
            return Self.unless(arguments[0], "fail", [arguments[1], arguments[2], place])
        case "seek": return [.assign("here", start.plus(arguments[0]))]
        case "bound":
            return [.assign("here", start.plus(arguments[0])), .assign("stop", start.plus(arguments[1]).minus(1))]
        // This is the last statement of its function.
        case "wants": return [.returns(.call(nil, "wanting", arguments))]
        default: return nil
        }
    }

    // MARK: Writing

    private static func putting(_ bytes: Expression) -> [Statement] { [.evaluate(.call("w", "put", [bytes]))] }

    private static func packing(_ format: String, _ values: [Expression]) -> Statement {
        .evaluate(.call("w", "put", [.call(nil, "pack", [.text(format)] + values)]))
    }

    /// Returns the text or bytes that a word writes; nil for other words.
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

    private func put(_ part: (format: PackedFormat, value: Expression)) -> [Statement] {
        switch part.format {
        case .integer(let format, let order):
            guard let text = LuaFormat.text(part.format) else {
                return put("putUint", [part.value, .place(format.byteCount), order.isLittle]) ?? []
            }
            return [Self.packing(text, [part.value])]
        case .bytes: return Self.putting(Self.bytes(part.value) ?? part.value)
        case .filler(let byteCount): return put("putZeros", [.place(byteCount)]) ?? []
        case .float: preconditionFailure("headers have no floats")
        }
    }

    private func put(_ word: String, _ arguments: [Expression]) -> [Statement]? {
        if let text = PackedFormat.float(writtenBy: word).flatMap(LuaFormat.text) {
            return [Self.packing(text, [arguments[0]])]
        }
        switch word {
        case "require": return Self.unless(arguments[0], "refuse", Array(arguments[1...]))
        case "verify": return Self.unless(arguments[0], "refuse_packet", [arguments[1]])
        case "checkList": return [.evaluate(.call(nil, "check_table", arguments))]
        case "putBool": return written("bit", arguments).map { [Self.packing(">B", [$0])] }
        case "putUint": return Self.putting(Self.bytes(of: arguments[0], arguments[1], arguments[2]))
        case "setUint":
            let bytes = Self.bytes(of: arguments[1], arguments[2], arguments[3])
            guard isPacket else { return [.assign(.item("pieces", at: arguments[0]), bytes)] }
            return [.assign("o", .call(nil, "replaced", ["o", arguments[0].plus(1), bytes]))]
        case "putVarint": return Self.putting(.call(nil, "varint_bytes", arguments))
        case "room", "putZeros":
            guard case .number(let byteCount, _) = arguments[0] else { return nil }
            return byteCount == 0 ? [] : Self.putting(.bytes(Array(repeating: 0, count: Int(byteCount))))
        case "putBytes": return Self.putting(arguments[0])
        case "putText", "putBlob":
            guard let prefix = LuaPrefix(arguments[1]) else { return nil }
            let function = word == "putText" ? "text_of" : "bytes_of"
            let text = Expression.call(nil, function, [arguments[0], arguments[2], arguments[3]])
            guard prefix.format != nil else {
                return Self.putting(.call(nil, "with_varint", [.place(prefix.scale), text]))
            }
            return [Self.packing("\(prefix.mark)s\(prefix.byteCount)", [text])]
        case "putProperties": return Self.putting(.call(nil, "properties_of", arguments))
        case "putAbsent":
            guard let prefix = LuaPrefix(arguments[0]) else { return nil }
            return Self.putting(.bytes(prefix.format == nil ? [1] : Array(repeating: 255, count: prefix.byteCount)))
        case "putCount":
            guard let prefix = LuaPrefix(arguments[1]) else { return nil }
            let count = Expression.call("w", "limit", [arguments[0], arguments[2], arguments[3]])
            if let format = prefix.format { return [Self.packing(format, [count])] }
            let scaled = prefix.scale == 1 ? count : .binary(.times, count, .place(prefix.scale))
            return Self.putting(.call(nil, "varint_bytes", [scaled]))
        case "putPrefix": return putPrefix(arguments)
        case "checkLength": return checkLength(arguments)
        case "putTrailing":
            let isSet = arguments[0].isSet
            guard case .text("") = arguments[1] else {
                return [.choose(if: isSet, [.evaluate(.call("w", word, arguments))])]
            }
            let bytes = Expression.call(nil, "bytes_of", [arguments[0], .nothing, .text("trailing")])
            return [.choose(if: isSet, Self.putting(bytes))]
        default: return nil
        }
    }

    /// Writes a prefix: the number of bytes after a piece, or the number of units in the last piece.
    private func putPrefix(_ arguments: [Expression]) -> [Statement]? {
        guard let prefix = LuaPrefix(arguments[2]) else { return nil }
        var (piece, count, suffix) = (Expression.name("used").minus(1), arguments[0], "Units")
        if case .call(.name("w")?, "since", let after) = count { (piece, count, suffix) = (after[0], 0, "") }
        let kind: Expression = prefix.format.map { .text($0) } ?? .place(prefix.scale)
        let function = (prefix.format == nil ? "countVarint" : "count") + suffix
        return [.evaluate(.call("w", function, [kind, piece] + (suffix.isEmpty ? [] : [count]) + arguments[3...]))]
    }

    /// Refuses a length out of bounds. Bounds too large for a position are never reached, and are left out.
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
}

extension Statement {
    /// The format and values, if the statement writes the result of `string.pack`; nil for others.
    fileprivate var packed: (format: String, values: [Expression])? {
        guard case .evaluate(.call(.name("w")?, "put", let bytes)) = self,
            case .call(nil, "pack", let arguments)? = bytes.first, case .text(let format) = arguments[0]
        else { return nil }
        return (format, Array(arguments.dropFirst()))
    }
}
