// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The words of the reader in Python. A reader function takes the bytes `b`, an offset `p` and an end `e`, and returns
/// a value and the offset after it. Some words are inlined statements with the same effect.
struct PythonReader: PythonWords {
    let dialect: PythonDialect

    /// Returns the call of such a function.
    private func reader(_ function: String, _ arguments: [Syntax], _ name: Expression) -> String {
        text(.call(.atom(function), ["b", "p", "e"].map(Syntax.atom) + arguments + [path(name)]))
    }

    private func counted(_ count: Expression) -> (lines: [String], number: Syntax) {
        if let lines = read(count, into: "n") { return (lines, .atom("n")) }
        return ([], syntax(count))
    }

    private func tooLong(_ variable: String, _ limit: Expression, _ name: Expression, at place: Syntax) -> [String] {
        if case .number(-1, _) = limit { return [] }
        return ["if \(variable) > \(text(limit)): \(failure(.text("too_long"), name, [place]))"]
    }

    /// Returns the statements that read a count from its prefix.
    private func count(_ arguments: [Expression], into variable: String, isSigned: Bool = false) -> [String] {
        guard case .number(let code, _) = arguments[0] else { return [] }
        let (limit, name) = (arguments[1], arguments[2])
        let absent = isSigned ? ["if \(variable) < -1: \(failure(.text("out_of_range"), name, [.atom("q")]))"] : []
        let before = isSigned ? ["q = p"] : []
        switch code {
        case 0 where !isSigned:
            return ["\(variable), p = \(reader("_count_varint", [self.limit(limit)], name))"]
        case 32:
            let read = ["\(variable), p = \(reader("_count_zigzag", [], name))"]
            return before + read + absent + tooLong(variable, limit, name, at: .atom(isSigned ? "q" : "p"))
        default:
            let order = Syntax.atom((code > 16 ? ByteOrder.littleEndian : .bigEndian).pythonText)
            let function = isSigned ? "_sint" : "_uint"
            let read = "\(variable), p = \(reader(function, [.atom(String(code % 16)), order], name))"
            let place = isSigned ? Syntax.atom("q") : .atom("p - \(code % 16)")
            return before + [read] + absent + tooLong(variable, limit, name, at: place)
        }
    }

    private func text(_ count: Expression, _ name: Expression, into variable: String) -> [String] {
        let (lines, number) = counted(count)
        return lines + [
            "q = p + \(text(number))", "if q > e: \(failure(.text("truncated"), name, [.atom("p")]))", "try:",
            "    \(variable) = b[p:q].decode()", "except UnicodeDecodeError as error:",
            "    \(failure(.text("invalid_utf8"), name, [.atom("p + error.start")])) from None", "p = q",
        ]
    }

    /// Returns the statements that read a value of a body into a variable; nil if it is not a word of the reader.
    private func readBody(_ value: Expression, into variable: String) -> [String]? {
        let assigned = "\(variable), p = "
        switch value {
        case .numbers(let format, let count, let name):
            var own = PythonFormat()
            own.add(format)
            let (lines, number) = counted(count)
            let format = own.text.map { Syntax.atom("\"\($0)\"") }
            return lines + [
                assigned + reader("_numbers", [number] + format + [.atom(String(own.byteCount))], name)
            ]
        case .call(.structure(let index)?, "read", let arguments):
            return [assigned + reader(types.structures[index].read, [.atom("d")], arguments[1])]
        case .call(nil, let function, let arguments) where arguments.first?.isReader == true:
            let inner = arguments.dropFirst().dropLast().map(syntax)
            return [assigned + reader(function, [.atom("d")] + inner, arguments[arguments.count - 1])]
        case .call(.name("r")?, let word, let arguments):
            return readWord(word, arguments, into: variable)
        default: return nil
        }
    }

    private func readWord(_ word: String, _ arguments: [Expression], into variable: String) -> [String]? {
        let assigned = "\(variable), p = "
        let name = arguments.last ?? 0
        if let float = PackedFormat.floats[word] {
            return [assigned + reader("_float", [.atom(types.format(PythonFormat(float).text))], name)]
        }
        switch word {
        case "uint", "sint":
            let order = Syntax.atom(Self.order(arguments[1]).pythonText)
            return [assigned + reader("_" + word, [syntax(arguments[0]), order], name)]
        case "bool": return [assigned + reader("_bool", [], name)]
        case "varint", "varint32", "varint64", "zigzag", "digits", "fixedText":
            let function = word == "fixedText" ? "_fixed_text" : "_" + word
            return [assigned + reader(function, arguments.dropLast().map(syntax), name)]
        case "properties": return [assigned + reader("_properties", [syntax(arguments[0])], name)]
        case "fixedUTF16":
            let values = arguments[..<2].map(syntax) + [codec(arguments[2])]
            return [assigned + reader("_fixed_utf16", values, name)]
        case "text":
            if case .text = name { return text(arguments[0], name, into: variable) }
            let (lines, number) = counted(arguments[0])
            return lines + [assigned + reader("_text", [number], name)]
        case "blob":
            let (lines, number) = counted(arguments[0])
            return lines + [assigned + reader("_blob", [number], name)]
        case "utf16":
            let (lines, number) = counted(arguments[0])
            return lines + [assigned + reader("_utf16", [number, codec(arguments[1])], name)]
        case "count": return count(arguments, into: variable)
        case "countOrAbsent": return count(arguments, into: variable, isSigned: true)
        case "counted":
            let negative = "if \(variable) < 0: \(failure(.text("length_too_small"), name, [.atom("p")]))"
            return ["\(variable) = \(text(arguments[0]))", negative]
                + tooLong(variable, arguments[1], name, at: .atom("p"))
        case "rest": return ["\(variable) = e - p"] + tooLong(variable, arguments[0], name, at: .atom("p"))
        case "restUnits":
            return ["\(variable) = \(text(call("_rest_units", ["p", "e"], [limit(arguments[0])], path: name)))"]
        case "terminated", "terminatedUnits":
            let function = word == "terminated" ? "_terminated" : "_terminated_units"
            return ["\(variable) = \(reader(function, [limit(arguments[0])], name))"]
        case "inside":
            let (lines, number) = counted(arguments[0])
            return lines + ["\(variable) = e", "e = \(text(call("_end", ["p", "e"], [number], path: name)))"]
        case "trailing": return ["\(variable) = b[p:e] if p < e else b\"\""]
        default: return nil
        }
    }

    func expression(_ word: String, _ arguments: [Expression]) -> Syntax {
        switch word {
        case "size": return .atom("size")
        case "position": return .atom("p")
        case "more": return .joined("<", level: 5, .atom("p"), .atom("e"))
        case "hasItem": return dialect.joined(.less, arguments[0], arguments[1])
        case "another":
            return .call(.atom("_another"), ["p", "e"].map(Syntax.atom) + [syntax(arguments[0]), limit(arguments[1])])
        case "anotherUntil":
            let values = [syntax(arguments[0]), limit(arguments[1]), syntax(arguments[2])]
            return .call(.atom("_another_until"), ["b", "p", "e"].map(Syntax.atom) + values)
        case "saturated": return syntax(arguments[0])
        case "atLeast": return .call(.atom("max"), [syntax(arguments[0]), .atom("size")])
        case "arrived":
            return .call(
                .atom("_arrived"), ["p", "e", "last"].map(Syntax.atom) + [syntax(arguments[0]), path(arguments[1])])
        case "varintArrived":
            return .call(.atom("_varint_arrived"), ["b", "p", "e", "last"].map(Syntax.atom) + arguments.map(syntax))
        case "packetSize", "packetSizeSigned":
            let (difference, least) = (syntax(arguments[1]), syntax(arguments[2]))
            let fewest: Syntax = word == "packetSize" ? least : .call(.atom("max"), [least, difference])
            let limit = packetLimit == nil ? [Syntax.atom(String(PacketPart.unlimited))] : []
            return .call(
                .atom("_packet_size"), [syntax(arguments[0]), difference, fewest, place(arguments[3])] + limit)
        case "sameSize":
            return call("_same_size", Array(arguments[..<2]), path: arguments[2], [place(arguments[3])])
        case "zeroed":
            let zeros = stride(from: 2, to: arguments.count, by: 2).map { index -> Syntax in
                let place = arguments[index].isSame(as: arguments[0]) ? 0 : arguments[index].minus(arguments[0])
                return .parentheses(.atom("\(text(place)), \(text(arguments[index + 1]))"))
            }
            return .call(.atom("_zeroed"), [slice("b", place(arguments[0]), place(arguments[1]))] + zeros)
        default: preconditionFailure("Python does not read \(word)")
        }
    }

    /// The most bytes of a packet; nil for a layer without a limit.
    private var packetLimit: Int? {
        guard case .packet(let shape) = scope, let part = shape.part else {
            return plan.description.options.maximumPacketByteCount
        }
        return part.limit == PacketPart.unlimited ? nil : part.limit
    }

    /// Returns the statements that read a value into a variable; nil for one that does not move the reader.
    func read(_ value: Expression, into name: String) -> [String]? {
        var value = value
        if case .convert(.call(.name("r")?, "varint", let arguments), .number(.uint64), .number(.int64)) = value {
            value = .call("r", "varint64", arguments)
        }
        if case .reading = scope { return readBody(value.evaluated, into: name) }
        guard case .call(.name("r")?, let word, let arguments) = value.evaluated else { return nil }
        switch word {
        case "uint", "sint":
            let count = text(arguments[0])
            let sign = word == "sint" ? ", signed=True" : ""
            let order = Self.order(arguments[1]).pythonText
            return ["\(name) = int.from_bytes(b[p:p + \(count)], \(order)\(sign))", "p += \(count)"]
        case "take": return ["\(name) = p - start", "p += \(text(arguments[0]))"]
        case "varint", "varint32", "varint64", "zigzag", "fixedText", "digits", "blob":
            return readWord(word, arguments, into: name)
        case "packetSize":
            guard case .number = arguments[1], case .number(let least, _) = arguments[2], let limit = packetLimit else {
                return nil
            }
            let place = text(self.place(arguments[3]))
            let sum =
                if case .number(let constant, _) = arguments[1] { arguments[0].plus(Int(constant)) } else {
                    arguments[0]
                }
            return [
                "\(name) = \(text(sum))",
                "if \(name) < \(least): raise WireError(\"length_too_small\", \"\", \(place))",
                "if \(name) > \(limit): raise WireError(\"packet_too_long\", \"\", \(place))",
            ]
        default: return nil
        }
    }

    func statement(_ word: String, _ arguments: [Expression]) -> [String] {
        if case .reading = scope { return readingBody(word, arguments) }
        switch word {
        case "verify":
            return unless(arguments[0], [syntax(arguments[1]), path(arguments[2]), place(arguments[3])])
        case "sameBytes":
            guard case .bytes(let bytes) = arguments[1] else { return [] }
            let (from, to) = (place(arguments[0]), place(arguments[0].plus(bytes.count)))
            let values = [slice("b", from, to), syntax(arguments[1]), path(arguments[2]), from]
            return [text(.call(.atom("_same"), values))]
        case "seek": return ["p = \(text(place(arguments[0])))"]
        case "take", "uint", "sint": return ["p += \(text(arguments[0]))"]
        case "last":
            return ["last = min(last, \(text(place(arguments[0]))))", "e = min(e, last)"]
        case "bound":
            // The function that reads a message gets its offset as an argument.
            if case .name("body") = arguments[0] { return [] }
            return ["p = \(text(place(arguments[0])))"]
        case "onlyPacket":
            let total = text(arguments[0])
            return ["if \(total) < size: raise WireError(\"trailing_bytes\", \"\", start + \(total))"]
        case "varint", "varint32", "varint64", "zigzag", "fixedText", "digits", "blob":
            return readWord(word, arguments, into: "_") ?? []
        default: return [text(expression(word, arguments))]
        }
    }

    private func readingBody(_ word: String, _ arguments: [Expression]) -> [String] {
        switch word {
        case "require", "verify":
            var (lines, good) = ([String](), arguments[0])
            if case .binary(let mark, let number, let other) = good, let read = read(number, into: "x") {
                (lines, good) = (read, .binary(mark, "x", other))
            }
            let failure = failure(arguments[1], arguments[2], arguments[3...].map(syntax))
            if case .boolean(false) = good { return [failure] }
            // The compared value may be a NaN.
            let isFloat = if case .text("float_out_of_range") = arguments[1] { true } else { false }
            return lines + ["if \(text(isFloat ? .not(good) : good.negated)): \(failure)"]
        case "take": return ["p = \(text(call("_end", ["p", "e"], [syntax(arguments[0])], path: arguments[1])))"]
        case "outside": return ["p, e = e, \(text(arguments[0]))"]
        case "deeper":
            return ["if d == 0: \(failure(.text("too_deep"), arguments[0], [.atom("p")]))", "d -= 1"]
        case "shallower": return []
        case "ended": return ["if p < e: raise WireError(\"trailing_bytes\", \"\", p)"]
        case "constantText":
            let read = reader("_blob", [syntax(arguments[0])], arguments[2])
            let place = Syntax.atom("p - \(text(arguments[0]))")
            return [
                "y, p = \(read)",
                text(.call(.atom("_same"), [.atom("y"), syntax(arguments[1]), path(arguments[2]), place])),
            ]
        default: return read(.call("r", word, arguments), into: "_") ?? []
        }
    }

    /// Reads a header of fixed width with one call. If it has arrived only in part, missing numbers are 0 and not used.
    func unpack(_ fields: [(name: String, format: PackedFormat)]) -> [String] {
        var format = PythonFormat()
        var (names, conversions) = ([String](), [String]())
        for field in fields {
            let isOwn = format.add(field.format)
            guard case .integer(let integer, let order) = field.format else { continue }
            names.append(field.name)
            guard !isOwn else { continue }
            let sign = integer.isSigned ? ", signed=True" : ""
            conversions.append("\(field.name) = int.from_bytes(\(field.name), \(order.pythonText)\(sign))")
        }
        guard !names.isEmpty else { return [] }
        let (name, count) = (types.format(format.text), format.byteCount)
        let targets = names.count == 1 ? "(\(names[0]),)" : names.joined(separator: ", ")
        let missing = "\(name).unpack(b[start:e].ljust(\(count), b\"\\0\"))"
        return ["\(targets) = \(name).unpack_from(b, start) if size >= \(count) else \(missing)"] + conversions
    }

    /// Reads several values of a body with one call.
    func unpack(_ parts: [(target: Expression, format: PackedFormat, name: Expression)]) -> [String] {
        var format = PythonFormat()
        var (names, conversions, widths) = ([String](), [String](), [String]())
        for part in parts {
            let before = format.byteCount
            let isOwn = format.add(part.format)
            let name = text(part.target)
            names.append(name)
            widths.append("(\(text(path(part.name))), \(format.byteCount - before))")
            guard !isOwn, case .integer(let integer, let order) = part.format else { continue }
            let sign = integer.isSigned ? ", signed=True" : ""
            conversions.append("\(name) = int.from_bytes(\(name), \(order.pythonText)\(sign))")
        }
        let cut =
            parts.count == 1
            ? failure(.text("truncated"), parts[0].name, [.atom("p")])
            : "raise _cut(p, e, \(widths.joined(separator: ", ")))"
        let targets = names.count == 1 ? "(\(names[0]),)" : names.joined(separator: ", ")
        let read =
            format.text == ">B"
            ? "\(names[0]) = b[p]" : "\(targets) = \(types.format(format.text)).unpack_from(b, p)"
        return ["if e - p < \(format.byteCount): \(cut)", read, "p += \(format.byteCount)"] + conversions
    }
}

extension Expression {
    fileprivate var isReader: Bool { if case .name("r") = self { true } else { false } }

    fileprivate func isSame(as other: Expression) -> Bool {
        guard case .number(let left, _) = self, case .number(let right, _) = other else { return false }
        return left == right
    }
}
