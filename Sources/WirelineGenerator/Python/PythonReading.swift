// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Makes the statements that read values and bodies.
///
/// The bytes are `b`, the place is `p`, the end `e`, the levels that are left `d`, and the name or the index of the value `f`. The
/// value of the field `n` of a body is the variable `vn`.
struct PythonReading {
    let types: PythonTypes

    /// Where a value is read to, and what it is called.
    struct Target {
        /// The variable.
        var variable: String
        /// The expression for its name or index.
        var name: String
        /// The variable with the end of the bytes.
        var end = "e"
        /// The expression for the number of an earlier field of the body.
        var field: (Int) -> String = { "v\($0)" }

        /// A variable beside the value's own.
        func beside(_ letter: String) -> String { letter + variable.dropFirst() }
        /// The arguments that all readers begin with.
        var place: String { "b, p, \(end)" }
        /// The start of an assignment from a reader.
        var assigned: String { "\(variable), p = " }
    }

    /// Returns the statement that raises an error at a place.
    static func fail(_ kind: String, _ name: String, at place: String) -> String {
        name.hasPrefix("\"")
            ? "raise WireError(\"\(kind)\", \(name), \(place))" : "raise _fail(\"\(kind)\", \(name), \(place))"
    }

    // MARK: Values

    /// Returns the statements that read a value.
    ///
    /// - Parameter known: The expression for the number of its bytes, units or items, if that has been read.
    func read(_ value: ValuePlan, _ target: Target, count known: String? = nil) -> [String] {
        let (place, name, assigned) = (target.place, target.name, target.assigned)
        switch value {
        case .number(let number):
            let raw = target.beside("x")
            let read = integer(number.format, number.byteOrder, "\(raw), p = ", target)
            return [read] + checked(number, raw, target, at: "p - \(number.format.byteCount)")
        case .float(let byteCount, let order, let range):
            let read = "\(assigned)_float(\(place), \(types.format(Self.float(byteCount, order))), \(name))"
            return [read] + within(target.variable, range, name, at: "p - \(byteCount)")
        case .boolean: return ["\(assigned)_bool(\(place), \(name))"]
        case .varint(let format, let allowed):
            let read = assigned + Self.varint(format, "\(place), \(format.maximumByteCount), \(name)")
            guard allowed != format.range else { return [read] }
            let start = target.beside("s")
            return ["\(start) = p", read] + within(target.variable, allowed, name, at: start)
        case .text(.filled(let byteCount, let padding)):
            return ["\(assigned)_fixed_text(\(place), \(byteCount), \(padding), \(name))"]
        case .utf16(.filled(let byteCount, let padding), let order):
            let codec = Self.codec(order)
            return ["\(assigned)_fixed_utf16(\(place), \(byteCount), \(padding), \(codec), \(name))"]
        case .text where known != nil && name.hasPrefix("\""): return text(target, known ?? "")
        case .text(let count): return counted("_text(\(place), ", ", \(name))", count, target, known)
        case .bytes(let count): return counted("_blob(\(place), ", ", \(name))", count, target, known)
        case .utf16(let count, let order):
            return counted(
                "_utf16(\(place), ", ", \(Self.codec(order)), \(name))", count, target, known, unitByteCount: 2)
        case .digits(let byteCount): return ["\(assigned)_digits(\(place), \(byteCount), \(name))"]
        case .properties(let isStrict):
            return ["\(assigned)_properties(\(place), \(isStrict ? "True" : "False"), \(name))"]
        case .structure(let index): return ["\(assigned)\(types.structures[index].read)(\(place), d, \(name))"]
        case .union(let index, nil): return ["\(assigned)\(types.unions[index].read)(\(place), d, \(name))"]
        case .union(let index, let source?):
            return ["\(assigned)\(types.unions[index].readTagged)(\(place), d, \(target.field(source)), \(name))"]
        case .list(let item, let count, _): return list(item, count, target, known)
        case .sized(let content, let count, _):
            var inner = target
            inner.end = target.beside("e")
            let (lines, number) = known.map { ([], $0) } ?? self.count(count, target)
            return lines + ["\(inner.end) = _end(p, \(target.end), \(number), \(name))"] + read(content, inner)
                + ["p = \(inner.end)"]
        }
    }

    private static func codec(_ order: ByteOrder) -> String {
        order == .littleEndian ? "\"utf-16-le\"" : "\"utf-16-be\""
    }

    static func float(_ byteCount: Int, _ order: ByteOrder) -> String {
        (order == .littleEndian ? "<" : ">") + (byteCount == 4 ? "f" : "d")
    }

    /// Returns the statements for a value whose end is found before it is read.
    private func counted(
        _ head: String, _ tail: String, _ count: CountPlan, _ target: Target, _ known: String?, unitByteCount: Int = 1
    ) -> [String] {
        if let known { return [target.assigned + head + known + tail] }
        let (lines, number) = self.count(count, target, unitByteCount: unitByteCount)
        var all = lines + [target.assigned + head + number + tail]
        if case .terminated = count { all.append("p += \(unitByteCount)") }
        return all
    }

    /// Returns the statements that read text of so many bytes, without a call.
    private func text(_ target: Target, _ count: String) -> [String] {
        let end = target.beside("e")
        return [
            "\(end) = p + \(count)", "if \(end) > \(target.end): \(Self.fail("truncated", target.name, at: "p"))",
            "try:",
            "    \(target.variable) = b[p:\(end)].decode()", "except UnicodeDecodeError as error:",
            "    \(Self.fail("invalid_utf8", target.name, at: "p + error.start")) from None", "p = \(end)",
        ]
    }

    // MARK: Numbers

    /// Returns the statement that reads an integer of whole bytes.
    func integer(_ format: IntegerFormat, _ order: ByteOrder, _ assigned: String, _ target: Target) -> String {
        "\(assigned)\(format.isSigned ? "_sint" : "_uint")"
            + "(\(target.place), \(format.byteCount), \(order.pythonText), \(target.name))"
    }

    /// Returns the statements that check a number that was read, and give it its type.
    func checked(_ number: NumberPlan, _ raw: String, _ target: Target, at place: String) -> [String] {
        if number.closedNumbers != nil, case .enumeration(let index) = number.kind {
            return [
                "if \(raw) not in \(types.cases[index]): \(Self.fail("unknown_case", target.name, at: place))",
                "\(target.variable) = \(types.cases[index])[\(raw)]",
            ]
        }
        let lines = number.range.map { within(raw, $0, target.name, at: place) } ?? []
        let named = types.named(number.kind, raw)
        return lines + (named == target.variable ? [] : ["\(target.variable) = \(named)"])
    }

    func within(
        _ variable: String, _ range: ClosedRange<Int128>, _ name: String, at place: String
    ) -> [String] {
        [
            "if not \(range.lowerBound) <= \(variable) <= \(range.upperBound): "
                + Self.fail("out_of_range", name, at: place)
        ]
    }

    func within(
        _ variable: String, _ range: ClosedRange<Double>?, _ name: String, at place: String
    ) -> [String] {
        guard let range else { return [] }
        let (low, high) = (PythonText.float(range.lowerBound), PythonText.float(range.upperBound))
        return ["if not \(low) <= \(variable) <= \(high): \(Self.fail("float_out_of_range", name, at: place))"]
    }

    /// Returns the expression that reads an integer of variable length.
    static func varint(_ format: VarintFormat, _ arguments: String) -> String {
        switch format.encoding {
        case .unsigned: "_varint(\(arguments))"
        case .zigzag: "_zigzag(\(arguments))"
        case .signed32: "_varint32(\(arguments))"
        case .signed64: format.isSigned ? "_varint64(\(arguments))" : "_varint(\(arguments))"
        }
    }

    // MARK: Counts

    /// Returns the statements that find a number of bytes, units or items, and the expression for it.
    private func count(
        _ count: CountPlan, _ target: Target, unitByteCount: Int = 1
    ) -> (lines: [String], number: String) {
        let (variable, name) = (target.beside("n"), target.name)
        let limit = count.maximum ?? 4_294_967_295
        let isWide = unitByteCount == 2
        switch count {
        case .prefix(let prefix): return (self.prefix(prefix, variable, target), variable)
        case .field(let count, let index, let limit):
            let addend = count.addend == 0 ? "" : count.addend < 0 ? " - \(-count.addend)" : " + \(count.addend)"
            var lines = ["\(variable) = \(target.field(index))\(addend)"]
            if count.addend < 0 || count.range.lowerBound <= 0 {
                lines.append("if \(variable) < 0: \(Self.fail("length_too_small", name, at: "p"))")
            }
            return (lines + tooLong(variable, limit, name, at: "p"), variable)
        case .exactly(let count): return ([], String(count))
        case .filled(let byteCount, _): return ([], String(byteCount))
        case .terminated:
            let find = isWide ? "_terminated_units" : "_terminated"
            return (["\(variable) = \(find)(\(target.place), \(limit), \(name))"], variable)
        case .until, .rest:
            guard isWide else {
                return (
                    ["\(variable) = \(target.end) - p"] + tooLong(variable, count.maximum, name, at: "p"), variable
                )
            }
            return (["\(variable) = _rest_units(p, \(target.end), \(limit), \(name))"], variable)
        }
    }

    func tooLong(_ variable: String, _ limit: Int?, _ name: String, at place: String) -> [String] {
        limit.map { ["if \(variable) > \($0): \(Self.fail("too_long", name, at: place))"] } ?? []
    }

    /// Returns the statements that read a prefix.
    func prefix(_ prefix: PlannedCount, _ variable: String, _ target: Target) -> [String] {
        if prefix.format == .varint {
            let limit = prefix.limit ?? 4_294_967_295
            return ["\(variable), p = _count_varint(\(target.place), \(limit), \(target.name))"]
        }
        return [prefixNumber(prefix, variable, target)]
            + tooLong(variable, prefix.limit, target.name, at: "p - \(prefix.format.fixedByteCount ?? 0)")
    }

    private func prefixNumber(_ prefix: PlannedCount, _ variable: String, _ target: Target) -> String {
        guard let byteCount = prefix.format.fixedByteCount else {
            return "\(variable), p = _count_zigzag(\(target.place), \(target.name))"
        }
        let format = IntegerFormat(bitWidth: 8 * byteCount, isSigned: prefix.format.isSigned)
        return integer(format, prefix.byteOrder, "\(variable), p = ", target)
    }

    /// Returns the statements that read a prefix which says whether its value is absent.
    func nullableCount(_ prefix: PlannedCount, _ variable: String, _ target: Target) -> [String] {
        let start = target.beside("s")
        return [
            "\(start) = p", prefixNumber(prefix, variable, target),
            "if \(variable) < -1: \(Self.fail("out_of_range", target.name, at: start))",
        ] + tooLong(variable, prefix.maximum, target.name, at: start)
    }

    // MARK: Lists

    private func list(_ item: ValuePlan, _ count: CountPlan, _ target: Target, _ known: String?) -> [String] {
        let (place, name) = (target.place, target.name)
        let limit = count.maximum ?? 4_294_967_295
        switch count {
        case .until(let stop, _):
            return ["\(target.assigned)_list_until(\(place), d, \(stop), \(limit), \(name), \(reader(item)))"]
        case .rest, .terminated:
            return ["\(target.assigned)_list_to_end(\(place), d, \(limit), \(name), \(reader(item)))"]
        case .prefix, .field, .exactly, .filled: break
        }
        let (lines, number) = known.map { ([], $0) } ?? self.count(count, target)
        if let (letter, byteCount) = Self.plain(item) {
            return lines + ["\(target.assigned)_numbers(\(place), \(number), \(letter), \(byteCount), \(name))"]
        }
        return lines + ["\(target.assigned)_list(\(place), d, \(number), \(name), \(reader(item)))"]
    }

    /// Returns the format of items that one call reads; nil for other ones.
    static func plain(_ item: ValuePlan) -> (letter: String, byteCount: Int)? {
        switch item {
        case .number(let number) where !item.canBeRefused:
            if case .enumeration = number.kind { return nil }
            guard let letter = number.format.structLetter else { return nil }
            let order = number.byteOrder == .littleEndian ? "<" : ">"
            return ("\"\(order)\", \"\(letter)\"", number.format.byteCount)
        case .float(let byteCount, let order, nil):
            let text = float(byteCount, order)
            return ("\"\(text.prefix(1))\", \"\(text.dropFirst())\"", byteCount)
        default: return nil
        }
    }

    /// Returns the function that reads an item.
    private func reader(_ item: ValuePlan) -> String {
        switch item {
        case .structure(let index): types.structures[index].read
        case .union(let index, _): types.unions[index].read
        default: types.reader(read(item, Target(variable: "v", name: "f")) + ["return v, p"])
        }
    }
}

extension CountFormat {
    /// Whether a number of the prefix can be negative.
    var isSigned: Bool {
        switch self {
        case .int16, .int32, .zigzag: true
        case .uint8, .uint16, .uint32, .varint: false
        }
    }
}
