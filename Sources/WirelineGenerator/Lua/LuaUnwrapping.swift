// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Prints the steps of an ``UnwrapPlan`` as the function that takes packets apart.
///
/// It reads the message, too, and returns the packet and the position after it; nil if more bytes are needed, and how many if that
/// is known. A header of fixed width is read by one call: if it has not arrived whole, zeros take the
/// place of what is missing, and no step looks at them.
struct LuaUnwrapping {
    let types: LuaTypes
    let shape: PacketShape
    let variables: LuaVariables
    var layout: PacketLayout { shape.layout }
    private var lines: [String] = []
    /// The variable with the size of the packet.
    private(set) var total = ""

    private init(_ types: LuaTypes, _ shape: PacketShape) {
        self.types = types
        self.shape = shape
        variables = LuaVariables(count: shape.layout.fields.count)
    }

    static func function(_ types: LuaTypes, _ shape: PacketShape) -> String {
        var maker = LuaUnwrapping(types, shape)
        maker.begin()
        for (position, step) in shape.unwrap.steps.enumerated() {
            if case .whole = step, maker.total.isEmpty, let last = maker.lastLength(before: position) {
                maker.total = maker.variables("t", last)
            }
            maker.lines += maker.text(step)
        }
        if let part = shape.part { maker.lines += maker.end(of: part) } else { maker.finish() }
        let parameters = shape.part == nil ? "s, position, names" : "s, position"
        return ([declaration("unwrap", shape, parameters)] + LuaText.indented(maker.lines) + ["end", ""])
            .joined(separator: "\n")
    }

    /// Returns the expression for a function of a shape: `unwrap_client`, `unwrap[2]`, `unwrap.outer_2` for a part of a packet, or
    /// `unwrap` if there is one shape.
    ///
    /// Functions of numbered shapes stand in a table: a chunk has room for 200 local variables.
    static func reference(_ name: String, _ shape: PacketShape) -> String {
        guard shape.part == nil else { return "\(name).\(shape.words.joined(separator: "_"))" }
        guard let number = shape.words.last, Int(number) != nil else {
            return ([name] + shape.words).joined(separator: "_")
        }
        return ([name] + shape.words.dropLast()).joined(separator: "_") + "[\(number)]"
    }

    /// Returns the first line of a function of a shape.
    static func declaration(_ name: String, _ shape: PacketShape, _ parameters: String) -> String {
        let reference = reference(name, shape)
        return reference.contains { $0 == "]" || $0 == "." }
            ? "\(reference) = function(\(parameters))" : "local function \(reference)(\(parameters))"
    }

    private func lastLength(before position: Int) -> Int? {
        shape.unwrap.steps[..<position].lazy.reversed().compactMap { step in
            if case .size(let length) = step { length.field } else { nil }
        }.first
    }

    // MARK: Beginning

    private mutating func begin() {
        let indices = layout.fields.indices.filter { layout.fields[$0].role != .padding }
        lines = ["start, top, at[1] = position, 1, \"packet\"", "local size = #s - position + 1"]
        if types.countsDepth { lines.append("depth = \(types.description.options.maximumDepth)") }
        lines += variables.tables(["x", "c", "w", "t", "h", "b"])
        guard shape.unwrap.isFixed else {
            lines += variables.declaration(indices.map { variables("x", $0) })
            lines.append("local p, e, last = start, start + size - 1, huge")
            return
        }
        let trailer = indices.filter { $0 >= layout.header.count }
        lines += variables.declaration(trailer.map { variables("x", $0) })
        readHeader()
        if !layout.trailer.isEmpty { lines.append("local p, e") }
    }

    /// Adds the statements that read a header of fixed width.
    private mutating func readHeader() {
        var groups: [(targets: [String], format: String, byteCount: Int)] = [([], "", 0)]
        var after: [String] = []
        func add(_ targets: [String], _ format: String, _ byteCount: Int) {
            if groups[groups.count - 1].targets.count >= 30 || groups[groups.count - 1].byteCount >= 60 {
                groups.append(([], "", 0))
            }
            groups[groups.count - 1].targets += targets
            groups[groups.count - 1].format += format
            groups[groups.count - 1].byteCount += byteCount
        }
        for index in layout.header.indices {
            let byteCount = layout.byteCounts[index] ?? 0
            let own = variables("x", index)
            if let place = layout.packedPlace(ofField: index) {
                guard place.isFirst else { continue }
                let (first, second) = (variables("b", index), variables("h", index))
                after += bits(index..<index + place.fieldCount, place, first, second)
                guard place.runByteCount > 6 else {
                    let format = IntegerFormat(bitWidth: 8 * place.runByteCount, isSigned: false)
                    add([first], LuaFormat.mark(place.byteOrder) + LuaFormat.letter(format), place.runByteCount)
                    continue
                }
                let isLittle = place.byteOrder == .littleEndian
                let wide = Self.wide(place.runByteCount, isLittle)
                add(isLittle ? [second, first] : [first, second], wide, place.runByteCount)
                continue
            }
            switch layout.fields[index].format {
            case .integer(let format, let order) where format.byteCount > 6:
                let (high, low) = (variables("b", index), variables("h", index))
                let isLittle = order == .littleEndian
                add(isLittle ? [low, high] : [high, low], Self.wide(format.byteCount, isLittle), format.byteCount)
                let whole = "whole(\(high), \(low), \(format.byteCount), \(format.isSigned))"
                after.append("\(variables.local)\(own) = \(whole)")
            case .integer(let format, let order) where layout.fields[index].role != .padding:
                add([own], LuaFormat.mark(order) + LuaFormat.letter(format), format.byteCount)
            case .boolean where layout.fields[index].role != .padding, .bit: add([own], "B", 1)
            default:
                // Text is read where it stands.
                groups.append(([], "", 0))
                let start = "start + \(offset(shape.unwrap.starts[index]))"
                if layout.fields[index].role != .padding { after.append("\(variables.local)\(own) = \(start)") }
                groups[groups.count - 1].byteCount = byteCount
                groups.append(([], "", 0))
            }
        }
        print(groups, after)
    }

    private mutating func print(_ groups: [(targets: [String], format: String, byteCount: Int)], _ after: [String]) {
        let all = groups.reduce(0) { $0 + $1.byteCount }
        guard all > 0 else {
            lines += after
            return
        }
        if groups.contains(where: { !$0.targets.isEmpty }) {
            lines.append("local head, at_head = s, start")
            lines.append("if size < \(all) then head, at_head = headed(s, size, \(all)) end")
        }
        var offset = 0
        for group in groups {
            if !group.targets.isEmpty {
                let format = LuaText.literal(LuaFormat.simplified(group.format))
                let place = offset == 0 ? "at_head" : "at_head + \(offset)"
                let targets = group.targets.joined(separator: ", ")
                lines.append("\(variables.local)\(targets) = unpack(\(format), head, \(place))")
            }
            offset += group.byteCount
        }
        lines += after
    }

    /// The format of an integer of 7 or 8 bytes as two numbers; the lower one has 32 bits.
    private static func wide(_ byteCount: Int, _ isLittle: Bool) -> String {
        isLittle ? "<I4I\(byteCount - 4)" : ">I\(byteCount - 4)I4"
    }

    /// Returns the statements that take fields out of the integer of a run.
    private func bits(_ indices: Range<Int>, _ place: PackedPlace, _ first: String, _ second: String) -> [String] {
        indices.compactMap { index in
            guard let own = layout.packedPlace(ofField: index), layout.fields[index].role != .padding else {
                return nil
            }
            let bits = LuaReading.bits(
                bitWidth: own.bitWidth, shift: own.shift, byteCount: place.runByteCount,
                isSigned: layout.fields[index].format.range.lowerBound < 0, of: first, second)
            let isDeclared = !shape.unwrap.isFixed || index >= layout.header.count
            return "\(isDeclared ? "" : variables.local)\(variables("x", index)) = \(bits)"
        }
    }

    // MARK: Steps

    private func name(_ index: Int) -> String { LuaText.literal(layout.fields[index].name) }
    func offset(_ offset: PacketOffset) -> String { offset.text { variables("w", $0) } }
    /// Returns the position of an offset for a function that takes one from the beginning of the bytes.
    private func place(_ index: Int, _ offset: PacketOffset) -> String {
        index < layout.header.count ? "start + \(self.offset(offset))" : "stop + \(self.offset(offset))"
    }
    private func x(_ index: Int) -> String { variables("x", index) }
    private func isWide(_ index: Int) -> Bool { layout.fields[index].format.range.isWide }
    /// Whether a step has been taken by the call that reads a header of fixed width.
    private func isRead(_ index: Int) -> Bool { shape.unwrap.isFixed && index < layout.header.count }

    /// Returns the number of a length, of which only numbers that a packet can have must be exact.
    func number(_ index: Int) -> String { isWide(index) ? "tonumber(\(x(index)))" : x(index) }

    private mutating func text(_ step: UnwrapStep) -> [String] {
        switch step {
        case .need(let count): return ["if size < \(count) then return nil end"]
        case .part(let index, let byteCount):
            return ["if not arrived(p, e, last, \(byteCount), \(name(index))) then return nil end"]
        case .number(let index): return isRead(index) ? [] : ["\(x(index)), p = \(read(index))"]
        case .run(let indices, let place):
            guard !isRead(indices.lowerBound) else { return [] }
            let lines =
                LuaReading.runNumber(place.runByteCount, place.byteOrder, name(indices.lowerBound))
                + bits(indices, place, "b", "c")
            return ["do"] + LuaText.indented(lines) + ["end"]
        case .varint(let index, let format):
            let width = variables("w", index)
            let own = layout.fields[index].condition == nil ? variables.local : ""
            return [
                "if not varint_arrived(s, p, e, last, \(format.maximumByteCount)) then return nil end",
                "\(own)\(width) = p", "\(x(index)), p = \(LuaReading.varint(format, name(index)))",
                "\(width) = p - \(width)",
            ]
        case .bytes(let index, let byteCount):
            return isRead(index) ? [] : ["\(x(index)), p = p, taken(p, e, \(byteCount), \(name(index)))"]
        case .skip(let byteCount): return shape.unwrap.isFixed && total.isEmpty ? [] : ["p = p + \(byteCount)"]
        case .boolean(let index, let at):
            return ["if \(x(index)) > 1 then fail(\"invalid_boolean\", \(name(index)), \(place(index, at))) end"]
        case .text(let index, _): return text(index)
        case .constant(let index, let value, let at):
            return ["constant(\(place(index, at)), \(name(index)), \(LuaText.number(value)), \(x(index)))"]
        case .constantText(let index, let bytes, _):
            return ["same(s, \(x(index)), huge, \(LuaText.literal(bytes)), 0, \(name(index)))"]
        case .size(let length): return size(length)
        case .sameSize(let length, let other):
            let (own, other) = (variables("t", length.field), variables("t", other))
            return ["same_size(\(own), \(other), \(name(length.field)), \(offset(length.at)))"]
        case .last(let length): return ["last = math.min(last, start + \(call(length)) - 1)", "e = math.min(e, last)"]
        case .conditional(let index, let condition, let steps): return conditional(index, condition, steps)
        case .ifPresent(let index, let steps):
            return ["if \(variables("c", index)) then"] + LuaText.indented(steps.flatMap { text($0) }) + ["end"]
        case .presence(let index, let condition, let byteCount):
            let there = variables("c", index)
            return [
                "\(variables.local)\(there) = \(self.condition(condition))",
                "\(variables.local)\(variables("w", index)) = \(there) and \(byteCount) or 0",
                "\(x(index)) = 0",
            ] + emptyText(index)
        case .total(let lengths, let otherwise): return takeTotal(lengths, otherwise)
        case .whole(let header, let trailer): return whole(header, trailer)
        case .checksum(let index, let kind, let range, let at): return [checksum(index, kind, range, at)]
        case .sameLength(let index, let base, let constant, let rest, let at):
            let counted =
                switch base {
                case .packet: total
                case .payload: "stop - body"
                case .rest: offset(rest)
                }
            let plus = constant == 0 ? "" : constant < 0 ? " - \(-constant)" : " + \(constant)"
            return [
                "if \(number(index)) ~= \(counted)\(plus) then fail(\"length_mismatch\", \(name(index)), \(place(index, at))) end"
            ]
        }
    }

    private func read(_ index: Int) -> String {
        switch layout.fields[index].format {
        case .integer(let format, let order):
            LuaReading(types: types).integer(format, order, name(index))
        case .boolean, .bit: "number(s, p, e, \">B\", 1, \(name(index)))"
        case .varint, .text, .digits, .bytes: "0, p"
        }
    }

    private func hasText(_ index: Int) -> Bool {
        let field = layout.fields[index]
        if case .constant = field.role { return false }
        return !field.format.isNumber && field.role != .padding
    }

    /// Returns the statement that declares the text of a field that may be absent; none for other fields.
    private func emptyText(_ index: Int) -> [String] {
        hasText(index) ? ["\(variables.local)\(variables("h", index)) = \"\""] : []
    }

    /// Returns the statements that read the text in the bytes of a field.
    private func text(_ index: Int) -> [String] {
        let own = (layout.fields[index].condition == nil ? variables.local : "") + variables("h", index)
        switch layout.fields[index].format {
        case .text(let byteCount, let padding):
            return ["\(own) = fixed_text(s, huge, \(name(index)), \(padding), \(byteCount), \(x(index)))"]
        case .digits(let byteCount):
            return ["\(own) = digits(s, \(x(index)), huge, \(byteCount), \(name(index)))"]
        case .bytes(let byteCount): return ["\(own) = sub(s, \(x(index)), \(x(index)) + \(byteCount - 1))"]
        case .integer, .boolean, .bit, .varint: return []
        }
    }

    private func size(_ length: UnwrapLength) -> [String] {
        guard shape.unwrap.isFixed else { return [call(length)] }
        let own = variables("t", length.field)
        let difference = length.difference.constant
        let sum = difference == 0 ? "" : difference < 0 ? " - \(-difference)" : " + \(difference)"
        let limit = shape.part?.limit ?? types.description.options.maximumPacketByteCount
        return [
            "\(variables.local)\(own) = \(number(length.field))\(sum)",
            "if \(own) < \(offset(length.least)) or \(own) > \(limit) then \(call(length)) end",
        ]
    }

    private func call(_ length: UnwrapLength) -> String {
        let (difference, least) = (offset(length.difference), offset(length.least))
        let fewest = length.mayBeNegative ? "math.max(\(least), \(difference))" : least
        return "packet_size(\(number(length.field)), \(difference), \(fewest), \(offset(length.at))\(unlimited))"
    }

    /// The argument for the limit of a part that has another one than packets.
    private var unlimited: String {
        shape.part.map { $0.limit == PacketPart.unlimited ? ", \($0.limit)" : "" } ?? ""
    }

    private mutating func conditional(_ index: Int, _ condition: WireCondition, _ steps: [UnwrapStep]) -> [String] {
        let (there, width) = (variables("c", index), variables("w", index))
        var lines =
            [
                "\(variables.local)\(there), \(width) = \(self.condition(condition)), 0", "\(x(index)) = 0",
            ] + emptyText(index)
        lines.append("if \(there) then")
        lines += LuaText.indented(steps.flatMap { text($0) })
        if let byteCount = layout.byteCounts[index] { lines.append("  \(width) = \(byteCount)") }
        return lines + ["end"]
    }

    func condition(_ condition: WireCondition) -> String {
        LuaTypes.condition(condition) { operand in
            guard case .field(let name) = operand,
                let index = self.layout.header.firstIndex(where: { $0.name == name })
            else { return ("0", false) }
            return (self.x(index), self.isWide(index))
        }
    }

    private mutating func takeTotal(_ lengths: [UnwrapLength], _ otherwise: UnwrapSize?) -> [String] {
        total = "total"
        guard lengths.count != 1 || lengths[0].isConditional || otherwise != nil else {
            return ["local total = \(call(lengths[0]))"]
        }
        var lines = ["local total"]
        for (position, length) in lengths.enumerated() {
            let same = "same_size(\(call(length)), total, \(name(length.field)), \(offset(length.at)))"
            let assignment = "total = \(position == 0 ? call(length) : same)"
            // Lengths that are there must agree.
            let statement =
                position > 0 && lengths[0].isConditional
                ? "if total then \(assignment) else total = \(call(length)) end" : assignment
            lines.append(
                length.isConditional ? "if \(variables("c", length.field)) then \(statement) end" : statement)
        }
        switch otherwise {
        case nil: break
        case .emptyPayload(let count)?:
            lines.append("if not total then total = packet_size(\(offset(count)), 0, 0, 0\(unlimited)) end")
        case .allBytes(let least)?:
            lines.append(
                "if not total then total = packet_size(math.max(\(offset(least)), size), 0, 0, 0\(unlimited)) end")
        }
        return lines
    }

    private func whole(_ header: PacketOffset, _ trailer: PacketOffset) -> [String] {
        let less = trailer.constant == 0 && trailer.widths.isEmpty ? "" : " - (\(offset(trailer)))"
        var lines = [
            "if size < \(total) then return nil, \(total) - size end",
            "local body, stop = start + \(offset(header)), start + \(total)\(less)",
        ]
        if !layout.trailer.isEmpty { lines.append("p, e = stop, start + \(total) - 1") }
        return lines
    }

    // MARK: After the payload

    private func checksum(
        _ index: Int, _ kind: ChecksumKind, _ range: ChecksumRange, _ at: PacketOffset
    ) -> String {
        func text(_ place: ChecksumRange.Place) -> String {
            switch place {
            case .header(let offset): "start + \(self.offset(offset))"
            case .trailer(let offset): "stop + \(self.offset(offset))"
            }
        }
        var bytes = "s, \(text(range.start)), \(text(range.end)) - 1"
        if !range.zeros.isEmpty {
            let zeros = range.zeros.flatMap { zero in
                let isAlways = layout.fields[zero.field].condition == nil
                return [text(zero.at), isAlways ? "\(zero.byteCount)" : variables("w", zero.field)]
            }
            bytes = "zeroed(\(bytes), \(zeros.joined(separator: ", ")))"
        }
        return
            "if \(number(index)) ~= \(kind.rawValue)(\(bytes)) then fail(\"wrong_checksum\", \(name(index)), \(place(index, at))) end"
    }

    private mutating func finish() {
        if layout.isBounded {
            lines.append("if \(total) < size then error(fault(\"trailing_bytes\", \"\", \(total)), 0) end")
        }
        let (always, sometimes) = header()
        lines += ["local header = { \(always.joined(separator: ", ")) }"] + sometimes
        lines += ["local id = \(identifier)", "local name = names[id]"]
        let fixed = types.plan.fixedHeaderFields
        if !fixed.isEmpty {
            let places = fixed.map(fixedPlace).joined(separator: ", ")
            lines.append("if name and verify[name] then verify[name](s, header, { \(places) }) end")
        }
        lines += [
            "if not name then",
            "  return { id = id, header = header, payload = sub(s, body, stop - 1), size = \(total) }, start + \(total)",
            "end", "at[1] = name", "local message = read[name](s, body, stop - 1, header)",
            "return { name = name, id = id, header = header, message = message, size = \(total) }, start + \(total)",
        ]
    }

    /// Returns the position of a field that messages can fix; 0 for one that such packets never have.
    func fixedPlace(_ position: Int) -> String {
        guard let index = shape.positions.firstIndex(of: position) else { return "0" }
        return switch shape.unwrap.place(of: index) {
        case .header(let offset): "start + \(self.offset(offset))"
        case .trailer(let offset): "stop + \(self.offset(offset))"
        }
    }

    /// The message's ID: the bits of its fields, the first one most significant.
    var identifier: String {
        let parts = layout.fields.indices.filter { layout.fields[$0].role == .messageID }
        guard !types.plan.idRange.isWide else {
            // The parts from the last one to the first, each above those after it.
            let list = parts.map { index in
                let there = layout.fields[index].condition == nil ? "true" : variables("c", index)
                return "\(there), \(x(index)), \(layout.fields[index].format.idBitWidth)"
            }
            return "wide_id({ \(list.joined(separator: ", ")) })"
        }
        var text: String?
        for index in parts {
            let field = layout.fields[index]
            let scale = String(Int128(1) << Int128(field.format.idBitWidth))
            let bits = field.format.range.lowerBound < 0 ? "\(x(index)) % \(scale)" : x(index)
            let joined = text.map { "(\($0)) * \(scale) + \(bits)" } ?? bits
            text = field.condition == nil ? joined : "(\(variables("c", index)) and \(joined) or \(text ?? "0"))"
        }
        return text ?? "0"
    }

    /// The members of the header, and the statements that add those of fields that may be absent.
    func header() -> (always: [String], sometimes: [String]) {
        var (always, sometimes) = ([String](), [String]())
        for (index, position) in shape.positions.enumerated() where layout.fields[index].role != .padding {
            let own = types.plan.names.headerFields[position]
            let field = layout.fields[index]
            var value = hasText(index) ? variables("h", index) : x(index)
            if case .constant(.text(let text)) = field.role { value = LuaText.literal(text) }
            if field.format.isBoolean { value = "\(x(index)) == 1" }
            if field.condition == nil {
                always.append("\(LuaText.key(own)) = \(value)")
            } else {
                sometimes.append("if \(variables("c", index)) then header\(LuaText.member(own)) = \(value) end")
            }
        }
        return (always, sometimes)
    }
}
