// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Prints the steps of an ``UnwrapPlan`` as the function that takes packets apart.
///
/// It returns nothing if more bytes are needed, and leaves the reader at the payload.
struct TypeScriptUnwrapping {
    let types: TypeScriptTypes
    let shape: PacketShape
    private var layout: PacketLayout { shape.layout }
    private var lines: [String] = []
    /// The variable with the size of the packet.
    private var total = ""

    private init(_ types: TypeScriptTypes, _ shape: PacketShape) {
        self.types = types
        self.shape = shape
    }

    static func function(_ types: TypeScriptTypes, _ shape: PacketShape) -> String {
        var maker = TypeScriptUnwrapping(types, shape)
        maker.lines.append("const size = r.end - r.start;")
        for (position, step) in shape.unwrap.steps.enumerated() {
            if case .whole = step, maker.total.isEmpty, let last = maker.lastLength(before: position) {
                maker.total = "t\(last)"
            }
            maker.lines += maker.text(step)
        }
        if let part = shape.part { maker.finish(part) } else { maker.finish() }
        let result = shape.part == nil ? "Unwrapped" : "Part"
        return "function unwrap\(suffix(shape))(r‹: Reader›)‹: \(result) | undefined› {\n"
            + TypeScriptBodies.indented(maker.lines) + "\n}\n"
    }

    /// The end of the names of a shape's functions: `Client`, or nothing if there is one shape.
    static func suffix(_ shape: PacketShape) -> String {
        shape.words.map(NameStyle.Spelling.upperCamel.spelled).joined()
    }

    private func lastLength(before position: Int) -> Int? {
        shape.unwrap.steps[..<position].lazy.reversed().compactMap { step in
            if case .size(let length) = step { length.field } else { nil }
        }.first
    }

    // MARK: Steps

    private func name(_ index: Int) -> String { TypeScriptText.string(layout.fields[index].name) }
    private func offset(_ offset: PacketOffset) -> String { offset.text { "w\($0)" } }
    /// Returns the place of an offset for a function that takes one from the beginning of the bytes.
    private func place(_ index: Int, _ offset: PacketOffset) -> String {
        index < layout.header.count ? "r.start + \(self.offset(offset))" : "end + \(self.offset(offset))"
    }

    private func isWide(_ index: Int) -> Bool { layout.fields[index].format.range.isWide }

    /// Returns the number of a length, of which only numbers that a packet can have must be exact.
    private func number(_ index: Int) -> String { isWide(index) ? "Number(x\(index))" : "x\(index)" }

    private mutating func text(_ step: UnwrapStep) -> [String] {
        switch step {
        case .need(let count): return ["if (size < \(count)) return undefined;"]
        case .part(let index, let byteCount):
            return ["if (!arrived(r, \(byteCount), \(name(index)))) return undefined;"]
        case .number(let index): return [define(index, TypeScriptReading.seen(read(index), name(index)))]
        case .run(let indices, let place): return run(indices, place)
        case .varint(let index, let format):
            let start = layout.fields[index].condition == nil ? "const s\(index) = r.p;" : "const s\(index) = r.p;"
            return [
                "if (!varintArrived(r, \(format.maximumByteCount))) return undefined;", start,
                define(index, TypeScriptReading.seen(TypeScriptReading.varint(format, name(index)), name(index))),
                (layout.fields[index].condition == nil ? "const " : "") + "w\(index) = r.p - s\(index);",
            ]
        case .bytes(let index, let byteCount):
            return [
                define(index, TypeScriptReading.seenBytes("take(r, \(byteCount), \(name(index)))", name(index)))
            ]
        case .skip(let byteCount): return ["r.p += \(byteCount);"]
        case .boolean(let index, let at):
            return ["if (x\(index) > 1) fail(r, \"invalid_boolean\", \(name(index)), \(place(index, at)));"]
        case .text(let index, _): return text(index)
        case .constant(let index, let value, let at):
            let literal = TypeScriptTypes.number(value, isWide: isWide(index))
            return ["constant(r, \(place(index, at)), x\(index), \(literal), \(name(index)));"]
        case .constantText(let index, let bytes, _):
            return ["sameBytes(r, x\(index), \(TypeScriptText.list(bytes.map(String.init))), \(name(index)));"]
        case .size(let length): return size(length)
        case .sameSize(let length, let other):
            return ["sameSize(r, t\(length.field), t\(other), \(name(length.field)), \(offset(length.at)));"]
        case .last(let length): return ["bound(r, \(call(length)));"]
        case .conditional(let index, let condition, let steps): return conditional(index, condition, steps)
        case .ifPresent(let index, let steps):
            return ["if (c\(index)) {"] + steps.flatMap { text($0) }.map { "  " + $0 } + ["}"]
        case .presence(let index, let condition, let byteCount):
            return [
                "const c\(index) = \(self.condition(condition));", "const w\(index) = c\(index) ? \(byteCount) : 0;",
                "let x\(index) = \(nothing(index));",
            ] + (hasText(index) ? ["let h\(index) = \(emptyText(index));"] : [])
        case .total(let lengths, let otherwise): return takeTotal(lengths, otherwise)
        case .whole(let header, let trailer): return whole(header, trailer)
        case .checksum(let index, let kind, let range, let at):
            return [checksum(index, kind, range, at)]
        case .sameLength(let index, let base, let constant, let rest, let at):
            let counted =
                switch base {
                case .packet: total
                case .payload: "end - body"
                case .rest: offset(rest)
                }
            let plus = constant == 0 ? "" : constant < 0 ? " - \(-constant)" : " + \(constant)"
            return [
                "if (\(number(index)) !== \(counted)\(plus)) fail(r, \"length_mismatch\", \(name(index)), \(place(index, at)));"
            ]
        }
    }

    /// Returns the statement that sets the value of a field, which a field with a condition has already.
    private func define(_ index: Int, _ value: String) -> String {
        (layout.fields[index].condition == nil ? "const " : "") + "x\(index) = \(value);"
    }

    private func read(_ index: Int) -> String {
        switch layout.fields[index].format {
        case .integer(let format, let order): TypeScriptReading.integer(format, order, name(index))
        case .boolean, .bit: "u8(r, \(name(index)))"
        case .varint, .text, .digits, .bytes: "0"
        }
    }

    /// The value of a field that is absent.
    private func nothing(_ index: Int) -> String {
        isWide(index) ? "BigInt(0)" : "0"
    }

    private func run(_ indices: Range<Int>, _ place: PackedPlace) -> [String] {
        let first = indices.lowerBound
        let format = IntegerFormat(bitWidth: 8 * place.runByteCount, isSigned: false)
        var lines = ["const b\(first) = \(TypeScriptReading.integer(format, place.byteOrder, name(first)));"]
        for index in indices {
            guard let own = layout.packedPlace(ofField: index), layout.fields[index].role != .padding else { continue }
            let isSigned = layout.fields[index].format.range.lowerBound < 0
            let bits = TypeScriptReading.bits(
                "b\(first)", bitWidth: own.bitWidth, shift: own.shift, byteCount: place.runByteCount,
                isSigned: isSigned, toWide: isWide(index))
            lines.append(
                "const x\(index) = \(TypeScriptReading.seen(bits, at: "r.p - \(place.runByteCount)", name(index)));")
        }
        return lines
    }

    private func hasText(_ index: Int) -> Bool {
        let field = layout.fields[index]
        if case .constant = field.role { return false }
        return !field.format.isNumber && field.role != .padding
    }

    private func emptyText(_ index: Int) -> String {
        if case .bytes = layout.fields[index].format { return "new Uint8Array(0)" }
        return "\"\""
    }

    /// Returns the statements that read the text in the bytes of a field.
    private func text(_ index: Int) -> [String] {
        let define = layout.fields[index].condition == nil ? "const h\(index)" : "h\(index)"
        let reader = "reread(r, x\(index))"
        switch layout.fields[index].format {
        case .text(let byteCount, let padding):
            return ["\(define) = fixedText(\(reader), \(byteCount), \(padding), \(name(index)));"]
        case .digits(let byteCount): return ["\(define) = digits(\(reader), \(byteCount), \(name(index)));"]
        case .bytes(let byteCount): return ["\(define) = r.b.slice(x\(index), x\(index) + \(byteCount));"]
        case .integer, .boolean, .bit, .varint: return []
        }
    }

    private func size(_ length: UnwrapLength) -> [String] {
        shape.unwrap.isFixed ? ["const t\(length.field) = \(call(length));"] : [call(length) + ";"]
    }

    private func call(_ length: UnwrapLength) -> String {
        let (difference, least) = (offset(length.difference), offset(length.least))
        let fewest = length.mayBeNegative ? "Math.max(\(least), \(difference))" : least
        return "packetSize(\(number(length.field)), \(difference), \(fewest), \(offset(length.at))\(unlimited))"
    }

    /// The argument for the limit of a part that has another one than packets.
    private var unlimited: String {
        shape.part.map { $0.limit == PacketPart.unlimited ? ", \($0.limit)" : "" } ?? ""
    }

    private mutating func conditional(_ index: Int, _ condition: WireCondition, _ steps: [UnwrapStep]) -> [String] {
        var lines = [
            "const c\(index) = \(self.condition(condition));",
            "let x\(index) = \(nothing(index)), w\(index) = 0;",
        ]
        if hasText(index) { lines.append("let h\(index) = \(emptyText(index));") }
        lines.append("if (c\(index)) {")
        lines += steps.flatMap { text($0) }.map { "  " + $0 }
        if let byteCount = layout.byteCounts[index] { lines.append("  w\(index) = \(byteCount);") }
        return lines + ["}"]
    }

    private func condition(_ condition: WireCondition) -> String {
        TypeScriptTypes.condition(condition) { operand in
            guard case .field(let name) = operand,
                let index = self.layout.header.firstIndex(where: { $0.name == name })
            else { return ("0", false) }
            return ("x\(index)", self.isWide(index))
        }
    }

    private mutating func takeTotal(_ lengths: [UnwrapLength], _ otherwise: UnwrapSize?) -> [String] {
        var lines: [String] = []
        total = "total"
        guard lengths.count != 1 || lengths[0].isConditional || otherwise != nil else {
            return ["const total = \(call(lengths[0]));"]
        }
        lines.append("let total = -1;")
        for (position, length) in lengths.enumerated() {
            let same = "sameSize(r, \(call(length)), total, \(name(length.field)), \(offset(length.at)))"
            let value =
                position == 0 ? call(length) : lengths[0].isConditional ? "total < 0 ? \(call(length)) : \(same)" : same
            lines.append((length.isConditional ? "if (c\(length.field)) " : "") + "total = \(value);")
        }
        switch otherwise {
        case nil: break
        case .emptyPayload(let count)?:
            lines.append("if (total < 0) total = packetSize(\(offset(count)), 0, 0, 0\(unlimited));")
        case .allBytes(let least)?:
            lines.append("if (total < 0) total = packetSize(Math.max(\(offset(least)), size), 0, 0, 0\(unlimited));")
        }
        return lines
    }

    private func whole(_ header: PacketOffset, _ trailer: PacketOffset) -> [String] {
        var lines = [
            "if (size < \(total)) { r.wanted = \(total); return undefined; }", "«r.count = \(total);»",
            "const body = r.start + \(offset(header)), end = r.start + \(total)\(trailer.constant == 0 && trailer.widths.isEmpty ? "" : " - (\(offset(trailer)))");",
        ]
        if !layout.trailer.isEmpty {
            lines += ["r.p = end;", "r.end = r.start + \(total);"]
        }
        return lines
    }

    // MARK: After the payload

    private func checksum(
        _ index: Int, _ kind: ChecksumKind, _ range: ChecksumRange, _ at: PacketOffset
    ) -> String {
        func text(_ place: ChecksumRange.Place) -> String {
            switch place {
            case .header(let offset): "r.start + \(self.offset(offset))"
            case .trailer(let offset): "end + \(self.offset(offset))"
            }
        }
        var (bytes, from, to) = ("r.b", text(range.start), text(range.end))
        if !range.zeros.isEmpty {
            let zeros = range.zeros.flatMap { zero in
                let count = layout.fields[zero.field].condition == nil ? "\(zero.byteCount)" : "w\(zero.field)"
                return [text(zero.at), count]
            }
            bytes = "zeroed(r.b, \(from), \(to), \(zeros.joined(separator: ", ")))"
            to = "\(to) - (\(from))"
            from = "0"
        }
        let computed = "\(kind.rawValue)(\(bytes), \(from), \(to))"
        return "if (\(number(index)) !== \(computed)) fail(r, \"wrong_checksum\", \(name(index)), \(place(index, at)));"
    }

    private mutating func finish() {
        if layout.isBounded { lines.append("if (\(total) < size) reject(\"trailing_bytes\", \(total));") }
        lines += ["r.p = body;", "r.end = end;"]
        lines += header()
        let fixed = types.plan.fixedHeaderFields
        var members = ["id: \(identifier)", "header", "byteCount: \(total)"]
        if !fixed.isEmpty { members.append("at: \(TypeScriptText.list(fixed.map(fixedPlace)))") }
        lines.append("return { \(members.joined(separator: ", ")) };")
    }

    /// Adds the statements that return a part of a packet with layers.
    private mutating func finish(_ part: PacketPart) {
        if layout.isBounded, !part.mayHaveFiller {
            lines.append("if (\(total) < size) reject(\"trailing_bytes\", \(total));")
        }
        lines += header()
        let rules = part.rules.map { rule in
            switch rule {
            case .always: "true"
            case .never: "false"
            case .when(let condition): self.condition(condition)
            }
        }
        var count = "undefined"
        if let index = part.counter {
            count = "{ v: \(number(index)), at: \(offset(shape.unwrap.starts[index])) }"
            if layout.fields[index].condition != nil { count = "c\(index) ? \(count) : undefined" }
        }
        let first =
            part.firstField < shape.unwrap.starts.count
            ? "r.start + \(offset(shape.unwrap.starts[part.firstField]))" : "body"
        let places = part.isFlat ? types.plan.fixedHeaderFields.map(fixedPlace) : []
        lines.append(
            "return { id: \(identifier), header, body, end, after: r.start + \(total), first: \(first), count: \(count), "
                + "rules: \(TypeScriptText.list(rules)), at: \(TypeScriptText.list(places)) };")
    }

    /// Returns the place of a field that messages can fix; -1 for one that such packets never have.
    private func fixedPlace(_ position: Int) -> String {
        guard let index = shape.positions.firstIndex(of: position) else { return "-1" }
        return switch shape.unwrap.place(of: index) {
        case .header(let offset): "r.start + \(self.offset(offset))"
        case .trailer(let offset): "end + \(self.offset(offset))"
        }
    }

    /// The message's ID: the bits of its fields, the first one most significant.
    private var identifier: String {
        let isWide = types.plan.idRange.isWide
        var text: String?
        for (index, field) in layout.fields.enumerated() where field.role == .messageID {
            let width = field.format.idBitWidth
            var bits = "x\(index)"
            if isWide {
                if !self.isWide(index) { bits = "BigInt(\(bits))" }
                if field.format.range.lowerBound < 0 { bits = "BigInt.asUintN(\(width), \(bits))" }
            } else if field.format.range.lowerBound < 0 {
                bits = "twos(\(bits), \(width))"
            }
            let scale = isWide ? "(BigInt(1) << BigInt(\(width)))" : String(Int128(1) << Int128(width))
            let joined = text.map { "(\($0)) * \(scale) + \(bits)" } ?? bits
            if field.condition == nil {
                text = joined
            } else {
                text = "(c\(index) ? \(joined) : \(text ?? TypeScriptTypes.number(0, isWide: isWide)))"
            }
        }
        return text ?? TypeScriptTypes.number(0, isWide: isWide)
    }

    /// The statements that make the header of the fields that are there.
    private func header() -> [String] {
        var always: [String] = []
        var sometimes: [String] = []
        for (index, position) in shape.positions.enumerated() where layout.fields[index].role != .padding {
            let own = types.plan.names.headerFields[position]
            let field = layout.fields[index]
            var value = hasText(index) ? "h\(index)" : "x\(index)"
            if case .constant(.text(let text)) = field.role { value = TypeScriptText.string(text) }
            if field.format.isBoolean { value = "x\(index) === 1" }
            if case .enumeration(let enumeration, _)? = types.description.packetFieldType(position) {
                value += "‹ as \(types.plan.names.enumerations[enumeration].name)›"
            }
            if field.condition == nil {
                always.append("\(own): \(value)")
            } else {
                sometimes.append("if (c\(index)) header.\(own) = \(value);")
            }
        }
        let members = "{ \(always.joined(separator: ", ")) }"
        let header =
            shape.part == nil ? "const header‹: Header› = \(members);" : "const header = \(members)‹ as Header›;"
        return [header] + sometimes
    }
}
