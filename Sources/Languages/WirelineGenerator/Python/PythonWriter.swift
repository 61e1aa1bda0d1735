// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The words of the writer in Python: expressions for bytes.
struct PythonWriter: PythonWords {
    let dialect: PythonDialect
    private var isWriting: Bool { dialect.isWriting }

    func packed(_ format: PackedFormat, _ list: Expression) -> Syntax {
        let letters = PythonFormat(format).text
        let own = "f\"\(letters.prefix(1)){len(\(text(list)))}\(letters.dropFirst())\""
        return .call(.atom("struct.pack"), [.atom(own), .atom("*" + text(list))])
    }

    func packed(_ parts: [(format: PackedFormat, value: Expression)]) -> Syntax {
        if parts.count == 1, case .bytes = parts[0].format { return syntax(parts[0].value) }
        var format = PythonFormat()
        let values = parts.compactMap { part -> Syntax? in
            let isOwn = format.add(part.format)
            switch part.format {
            case .filler: return nil
            case .integer(let integer, let order) where !isOwn:
                return bytes(of: part.value, integer.byteCount, order, isSigned: integer.isSigned)
            case .integer, .float, .bytes: return syntax(part.value)
            }
        }
        return .call(.selector(.atom(types.format(format.text)), "pack"), values)
    }

    private func bytes(of number: Expression, _ byteCount: Int, _ order: ByteOrder, isSigned: Bool) -> Syntax {
        let own: Syntax = if case .number = number.evaluated { .parentheses(syntax(number)) } else { syntax(number) }
        let sign = isSigned ? [Syntax.atom("signed=True")] : []
        return .call(.member(own, "to_bytes"), [.atom(String(byteCount)), .atom(order.pythonText)] + sign)
    }

    /// Returns the bytes of the number that a word writes. A converted `int64` is written as signed.
    private func bytes(ofWord arguments: ArraySlice<Expression>) -> Syntax {
        let (number, byteCount, order) = (arguments[arguments.startIndex], arguments.dropFirst().first, arguments.last)
        let count: Int = if case .number(let count, _)? = byteCount { Int(count) } else { 0 }
        if case .convert(let inner, let from, .number(.uint64)) = number, from.format?.isSigned == true {
            return bytes(of: inner, count, Self.order(order), isSigned: true)
        }
        return bytes(of: number, count, Self.order(order), isSigned: false)
    }

    /// Returns the bytes in a writer's first argument, and the size of the unit in which they are counted.
    private func units(_ bytes: Expression) -> (bytes: Expression, byteCount: Int) {
        switch bytes {
        // Sizes count bytes.
        case .binary(.times, _, let bytes): (bytes, 1)
        case .call(_, "appendUTF16", _): (bytes, 2)
        case .call(_, "limit", let arguments), .call(_, "notLess", let arguments):
            (bytes, units(arguments[0]).byteCount)
        default: (bytes, 1)
        }
    }

    private func counted(_ function: String, _ arguments: [Expression]) -> Syntax {
        let (bytes, byteCount) = units(arguments[0])
        let count: Expression =
            if case .number(let count, _) = arguments[1] { .place(Int(count) * byteCount) } else { 0 }
        return call(function, [bytes, count], path: arguments[2])
    }

    private func prefix(_ code: Expression) -> (isVarint: Bool, arguments: [Syntax]) {
        guard case .number(let code, _) = code, code != 0, code != 32 else {
            let isZigzag = if case .number(32, _) = code { true } else { false }
            return (true, [.atom(isZigzag ? "2" : "1")])
        }
        let order = code > 16 ? ByteOrder.littleEndian : .bigEndian
        return (false, [.atom(String(code % 16)), .atom(order.pythonText)])
    }

    private func float(_ float: PackedFormat, _ arguments: [Expression]) -> Syntax {
        let format = types.format(PythonFormat(float).text)
        let limits = arguments.dropFirst().dropLast().map(syntax)
        return .call(
            .atom(limits.isEmpty ? "_put_float" : "_put_float_within"),
            [syntax(arguments[0]), .atom(format)] + limits + [path(arguments[arguments.count - 1])])
    }

    func expression(_ word: String, _ arguments: [Expression]) -> Syntax {
        switch word {
        case "position": return .call(.atom("len"), [.atom("w")])
        case "prefixed":
            let (isVarint, own) = prefix(arguments[1])
            let unit = units(arguments[0]).byteCount == 2 ? [Syntax.atom("2")] : []
            return .call(
                .atom(isVarint ? "_prefixed_varint" : "_prefixed"),
                [syntax(arguments[0])] + own + [syntax(arguments[2]), path(arguments[3])] + unit)
        case "putCount":
            let (isVarint, own) = prefix(arguments[1])
            guard isVarint else { return .call(.member(syntax(arguments[0]), "to_bytes"), own) }
            let isPlain = text(own[0]) == "1"
            return .call(.atom("_leb"), [syntax(isPlain ? arguments[0] : .binary(.times, 2, arguments[0]))])
        case "putAbsent":
            let (isVarint, own) = prefix(arguments[0])
            return .atom(
                isVarint ? "b\"\\x01\"" : PythonText.bytes(Array(repeating: 0xFF, count: Int(text(own[0])) ?? 0)))
        case "appendUTF16":
            return .call(.atom("_put_utf16"), [syntax(arguments[0]), codec(arguments[1]), path(arguments[2])])
        case "putProperties", "putDigits", "terminate", "exactItems", "gap", "checked", "checkedBool":
            return call("_" + NameWords.snake(word), arguments.dropLast(), path: arguments[arguments.count - 1])
        case "limit", "notLess":
            let names = [
                "limit": isCount(arguments[0]) ? "_limit" : "_limited",
                "notLess": isCount(arguments[0]) ? "_least" : "_not_less",
            ]
            return counted(names[word] ?? "", arguments)
        case "exactly" where !isCount(arguments[0]): return counted("_exactly", arguments)
        case "exactly": return call("_exact_count", Array(arguments[..<2]), path: arguments[2])
        case "padText":
            guard case .number(let count, _) = arguments[1], case .number(let padding, _) = arguments[2],
                case .number(let width, _) = arguments[3]
            else { return syntax(arguments[0]) }
            let unit = width == 1 ? [UInt8(padding)] : [0, UInt8(padding)]
            let isLittle = Self.order(arguments[4]) == .littleEndian
            return call(
                "_pad", [arguments[0], .number(count * width, .position), .bytes(isLittle ? unit.reversed() : unit)],
                path: arguments[5])
        case "quiet":
            let own = syntax(arguments[0])
            return .atom("\(text(own)) if \(text(own)) == \(text(own)) else _NAN")
        case "checkedCase":
            guard case .isCase(_, let index) = arguments[1] else { return syntax(arguments[0]) }
            let limits = arguments[2...3].map { syntax($0) }
            return .call(
                .atom("_checked_case"),
                [syntax(arguments[0]), .atom(types.cases[index])] + limits + [path(arguments[4])])
        case "items":
            let values = [syntax(arguments[0]), syntax(arguments[1]), limit(arguments[2]), path(arguments[3])]
            return .call(.atom("_items"), values)
        case "isPresent": return call("_present", arguments.dropLast(), path: arguments[2])
        case "agreed":
            let more: Int = if case .number(let more, _) = arguments[2] { Int(more) } else { 0 }
            return call("_agreed", [arguments[0], arguments[1].plus(more)], path: arguments[3])
        case "joined":
            let parts = arguments.map { text($0) }
            guard parts.count > 4 else { return syntax(.joined(arguments, .plus) ?? .bytes([])) }
            return .call(.atom("b\"\".join"), [.parentheses(.atom(parts.joined(separator: ", ")))])
        case "putTrailing":
            let own = text(arguments[0])
            if case .name = arguments[1] {
                return .call(.atom("_put_trailing"), arguments.map(syntax) + [.atom("\"trailing\"")])
            }
            return .atom("\(own) if type(\(own)) is bytes else _put_blob(\(own), \"trailing\")")
        case "putUint": return bytes(ofWord: arguments[...])
        case "putZeros": return .call(.atom("bytes"), arguments.map(syntax))
        case "putBytes", "bit": return syntax(arguments[0])
        case "putBool": return .call(.atom("bytes"), [.parentheses(.atom(text(arguments[0]) + ","))])
        case "putVarint": return .call(.atom("_leb"), arguments.map(syntax))
        case "varintSize": return .call(.atom("_leb_size"), arguments.map(syntax))
        case "orZero", "zigzagBits", "fitting":
            return .call(.atom("_" + NameWords.snake(word)), arguments.map(syntax))
        case "nonNegative": return .call(.atom("max"), [.atom("0"), syntax(arguments[0])])
        case "packet": return .call(.atom("bytes"), [.atom("o")])
        case "appendText": return call("_put_text", [arguments[0]], path: arguments[1])
        case "appendBlob": return call("_put_blob", [arguments[0]], path: arguments[1])
        default:
            guard let format = PackedFormat.float(writtenBy: word) else {
                preconditionFailure("Python does not write \(word)")
            }
            return float(format, arguments)
        }
    }

    /// Whether an expression is a number of bytes rather than bytes.
    private func isCount(_ value: Expression) -> Bool {
        switch value {
        case .binary(.minus, _, _): true
        case .call(_, "limit", let arguments), .call(_, "notLess", let arguments): isCount(arguments[0])
        default: false
        }
    }

    func statement(_ word: String, _ arguments: [Expression]) -> [String] {
        isWriting ? writingBody(word, arguments) : writing(word, arguments)
    }

    private func writingBody(_ word: String, _ arguments: [Expression]) -> [String] {
        switch word {
        case "require":
            let failure = failure(arguments[1], arguments[2], [])
            if case .boolean(false) = arguments[0] { return [failure] }
            return ["if \(text(arguments[0].negated)): \(failure)"]
        case "room": return ["w += bytes(\(text(arguments[0])))"]
        case "insertVarint":
            let place = text(arguments[0])
            return ["w[\(place):\(place)] = _leb(\(text(arguments[1])))"]
        case "putPrefix":
            let (isVarint, own) = prefix(arguments[2])
            let values = [Syntax.atom("w"), syntax(arguments[0])] + own + [syntax(arguments[3]), path(arguments[4])]
            return [text(.call(.atom(isVarint ? "_put_prefix_varint" : "_put_prefix"), values))]
        case "fillUp":
            return [text(call("_fill_up", ["w"], arguments[..<2].map(syntax), path: arguments[2]))]
        case "deeper": return ["if d == 0: \(failure(.text("too_deep"), arguments[0], []))", "d -= 1"]
        case "shallower": return []
        case "notStop":
            let (place, stop) = (text(arguments[0]), text(arguments[1]))
            let failure = failure(.text("embedded_terminator"), arguments[2], [])
            return ["if w[\(place):\(place) + 1] == bytes((\(stop),)): \(failure)"]
        case "limit", "notLess", "exactly":
            if isCount(arguments[0]) { return [text(expression(word, arguments))] }
        case "isPresent", "checked", "checkedBool", "checkedCase", "setUint": return writing(word, arguments, to: "w")
        default: break
        }
        return ["w += \(text(expression(word, arguments)))"]
    }

    private func writing(_ word: String, _ arguments: [Expression], to buffer: String = "o") -> [String] {
        switch word {
        case "verify": return unless(arguments[0], [syntax(arguments[1])])
        case "verifyHeader": return unless(arguments[0], [syntax(arguments[1]), path(arguments[2])])
        case "isPresent", "checked", "checkedBool", "checkedCase": return [text(expression(word, arguments))]
        case "checkLength": return [text(call("_check_length", Array(arguments[..<3]), path: arguments[3]))]
        case "setUint":
            guard case .number(let byteCount, _) = arguments[2] else { return [] }
            let place = slice(buffer, syntax(arguments[0]), syntax(arguments[0].plus(Int(byteCount))))
            return ["\(text(place)) = \(text(bytes(ofWord: arguments[1...])))"]
        default: return ["o += \(text(expression(word, arguments)))"]
        }
    }

    /// Adds the return of a body's bytes: their sum, or the buffer that collects them.
    func withBytes(_ statements: [Statement]) -> [Statement] {
        if case .returns? = statements.last { return statements }
        let buffer = Statement.variable("w", .bytes, .bytes([]))
        let bytes = Expression.call(nil, "bytes", ["w"])
        for (index, statement) in statements.enumerated() {
            guard case .evaluate(.call(_, "prefixAll", let arguments)) = statement else { continue }
            // A prefix precedes all other bytes.
            let others = statements[..<index] + statements[(index + 1)...]
            return [buffer] + others + [.returns(.call("w", "prefixed", [bytes] + arguments))]
        }
        if let sum = sum(of: statements) { return sum }
        if let index = statements.firstIndex(where: \.isWithin), case .within(let name, let inner) = statements[index],
            statements[(index + 1)...].allSatisfy(\.isShallower), let sum = sum(of: inner)
        {
            return Array(statements[..<index]) + [.within(name, sum)]
        }
        return [buffer] + statements + [.returns(bytes)]
    }

    /// Returns statements that return the sum of the added bytes; nil if they need a buffer.
    private func sum(of statements: [Statement]) -> [Statement]? {
        var (all, parts) = ([Statement](), [Expression]())
        for statement in statements {
            let name = "o\(parts.count)"
            switch statement {
            case .evaluate(let value) where value.isBytes:
                all.append(.constant(name, .bytes, value))
                parts.append(.name(name))
            case .pack(let value, _, let otherwise):
                let singly = otherwise.compactMap(\.bytes)
                guard singly.count == otherwise.count, let sum = Expression.joined(singly, .plus) else { return nil }
                all.append(.pack(value, name: name, otherwise: [.constant(name, .bytes, sum)]))
                parts.append(.name(name))
            case .constant(_, _, let value, _), .variable(_, _, let value), .assign(.name, let value),
                .evaluate(let value):
                if value.usesBuffer { return nil }
                all.append(statement)
            default: return nil
            }
        }
        return all + [.returns(.call("w", "joined", parts))]
    }
}

extension Expression {
    /// Words of the writer that are not bytes.
    private static let otherWords: Set<String> = [
        "require", "verify", "room", "setUint", "insertVarint", "putPrefix", "fillUp", "deeper", "shallower", "notStop",
        "checked", "checkedBool", "checkedCase", "isPresent", "limit", "notLess", "exactly",
    ]

    fileprivate var isBytes: Bool {
        switch self {
        case .pack, .packAll: true
        case .call(.name("w")?, "limit", let arguments), .call(.name("w")?, "notLess", let arguments),
            .call(.name("w")?, "exactly", let arguments):
            if case .binary(.minus, _, _) = arguments[0] { false } else { arguments[0].isBytes || !arguments[0].isWord }
        case .call(.name("w")?, let word, _): !Self.otherWords.contains(word)
        case .binary(.times, _, let inner): inner.isBytes
        case .call: isCall
        default: false
        }
    }

    private var isWord: Bool { if case .call = self { true } else { false } }

    /// Whether it calls a function that writes a structure or a union.
    var isCall: Bool {
        switch self {
        case .call(.structure?, "write", _): true
        case .call(nil, _, let arguments): if case .name("w")? = arguments.first { arguments.count == 3 } else { false }
        default: false
        }
    }

    /// Whether it reads or changes bytes already written.
    fileprivate var usesBuffer: Bool {
        if case .call(.name("w")?, let word, _) = self,
            ["position", "room", "setUint", "insertVarint", "putPrefix", "fillUp", "notStop"].contains(word)
        {
            return true
        }
        return children.contains(where: \.usesBuffer)
    }
}

extension Statement {
    fileprivate var isWithin: Bool { if case .within = self { true } else { false } }
    fileprivate var isShallower: Bool { if case .evaluate(.call(_, "shallower", _)) = self { true } else { false } }
    fileprivate var bytes: Expression? {
        if case .evaluate(let value) = self, value.isBytes { value } else { nil }
    }
}
