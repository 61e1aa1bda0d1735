// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Prints the steps of an ``UnwrapPlan`` as the lines of the function that takes packets apart.
///
/// The number of the field n is `xn`, or the place of its bytes; its text is `hn`; its width, whether it is there, and the size of
/// the packet by it are `wn`, `cn` and `tn`.
struct UnwrapStatements {
    private let printer: StatementPrinter
    private let shape: PacketShape
    /// The variable with the size of the packet.
    private var total = ""
    /// Whether the header's numbers stand at places that are known, in bytes that have arrived.
    private let isInPlace: Bool
    private var dialect: any Dialect { printer.dialect }
    private var layout: PacketLayout { shape.layout }

    private init(_ printer: StatementPrinter, _ shape: PacketShape) {
        self.printer = printer
        self.shape = shape
        // What is read without a place goes on from where the reader stands. After the header it goes to the payload.
        isInPlace =
            shape.unwrap.isFixed && shape.part == nil
            && shape.unwrap.steps.allSatisfy { step in
                switch step {
                case .need, .number, .boolean, .constant, .size, .sameSize, .total, .whole, .checksum, .sameLength: true
                default: false
                }
            }
    }

    /// Returns the lines of the function, whose reader is `r`.
    static func lines(_ printer: StatementPrinter, _ shape: PacketShape) -> [String] {
        var maker = UnwrapStatements(printer, shape)
        var lines: [String] = []
        for (position, step) in shape.unwrap.steps.enumerated() {
            if case .whole = step, maker.total.isEmpty, let last = maker.lastLength(before: position) {
                maker.total = "t\(last)"
            }
            lines += maker.text(step)
        }
        return printer.settled(lines + maker.finish())
    }

    private func lastLength(before position: Int) -> Int? {
        shape.unwrap.steps[..<position].lazy.reversed().compactMap { step in
            if case .size(let length) = step { length.field } else { nil }
        }.first
    }

    // MARK: Words

    private func name(_ index: Int) -> String { dialect.string(layout.fields[index].name) }
    private func offset(_ offset: PacketOffset) -> String { offset.text { "w\($0)" } }
    private func format(_ index: Int) -> IntegerFormat { layout.fields[index].format.numberFormat }
    private func isConditional(_ index: Int) -> Bool { layout.fields[index].condition != nil }

    /// Returns the place of an offset of a field: those of the trailer count from the end of the payload.
    private func place(_ index: Int, _ offset: PacketOffset) -> String {
        index < layout.header.count ? self.offset(offset) : self.place(.trailer(offset))
    }

    private func place(_ place: ChecksumRange.Place) -> String {
        switch place {
        case .header(let offset): self.offset(offset)
        case .trailer(let offset):
            offset.constant == 0 && offset.widths.isEmpty ? "end" : "end + \(self.offset(offset))"
        }
    }

    private func verify(_ good: String, _ kind: String, _ index: Int, _ at: PacketOffset) -> String {
        printer.reading("verify", good, printer.word(kind), name(index), place(index, at))
    }

    private func moreUnless(_ isThere: String) -> [String] { printer.ifThen("!\(isThere)", [dialect.returnMore]) }

    /// Whether a field is bytes, of which a text or bytes are made.
    private func hasText(_ index: Int) -> Bool {
        let field = layout.fields[index]
        if case .constant = field.role { return false }
        return isBytes(index)
    }

    private func isBytes(_ index: Int) -> Bool {
        let field = layout.fields[index]
        return !field.format.isNumber && field.role != .padding
    }

    private func textType(_ index: Int) -> CodeType {
        if case .bytes = layout.fields[index].format { .bytes } else { .text }
    }

    // MARK: Steps

    private mutating func text(_ step: UnwrapStep) -> [String] {
        switch step {
        case .need(let count): return printer.ifThen("\(printer.read("size")) < \(count)", [dialect.returnMore])
        case .part(let index, let byteCount):
            return moreUnless(printer.read("arrived", String(byteCount), name(index)))
        case .number(let index):
            guard isInPlace, index < layout.header.count else { return [define(index, read(index))] }
            return [printer.declare("x\(index)", .number(format(index)), readInPlace(index), effect: nil)]
        case .run(let indices, let place): return run(indices, place)
        case .varint(let index, let format): return varint(index, format)
        case .bytes(let index, let byteCount):
            return [define(index, printer.read("take", String(byteCount), name(index)))]
        case .skip(let byteCount): return [printer.reading("take", String(byteCount), dialect.string(""))]
        case .boolean(let index, let at):
            return [verify(dialect.compare("x\(index)", "<=", 1, format(index)), "invalid_boolean", index, at)]
        case .text(let index, _): return text(index)
        case .constant(let index, let value, let at):
            return [verify(dialect.compare("x\(index)", "==", value, format(index)), "wrong_constant", index, at)]
        case .constantText(let index, let bytes, _):
            return [printer.reading("sameBytes", "x\(index)", dialect.bytes(bytes), name(index))]
        case .size(let length):
            guard shape.unwrap.isFixed else { return [dialect.statement(call(length))] }
            return [printer.declare("t\(length.field)", .position, call(length), effect: call(length))]
        case .sameSize(let length, let other):
            return [
                printer.reading(
                    "sameSize", "t\(length.field)", "t\(other)", name(length.field), offset(length.at))
            ]
        case .last(let length): return [printer.reading("last", call(length))]
        case .conditional(let index, let condition, let steps): return conditional(index, condition, steps)
        case .ifPresent(let index, let steps):
            return printer.ifThen("c\(index)", steps.flatMap { text($0) })
        case .presence(let index, let condition, let byteCount):
            return [dialect.constant("c\(index)", .boolean, self.condition(condition))]
                + dialect.variable("w\(index)", .position, "0")
                + printer.ifThen("c\(index)", [dialect.assign("w\(index)", String(byteCount))]) + variables(index)
        case .total(let lengths, let otherwise): return takeTotal(lengths, otherwise)
        case .whole(let header, let trailer): return whole(header, trailer)
        case .checksum(let index, let kind, let range, let at): return [checksum(index, kind, range, at)]
        case .sameLength(let index, let base, let constant, let rest, let at):
            let counted =
                switch base {
                case .packet: total
                case .payload: "end - body"
                case .rest: "(\(offset(rest)))"
                }
            let length = dialect.convert(place: printer.sum(counted, constant), to: .int64)
            return [
                verify("\(printer.asLength("x\(index)", format(index))) == \(length)", "length_mismatch", index, at)
            ]
        }
    }

    /// Returns the statement that sets the value of a field, which a field with a condition has already.
    private func define(_ index: Int, _ value: String, effect: String? = nil) -> String {
        if isConditional(index) { return dialect.assign("x\(index)", value) }
        return printer.declare(
            "x\(index)", isBytes(index) ? .position : .number(format(index)), value, effect: effect ?? value)
    }

    private func read(_ index: Int) -> String {
        switch layout.fields[index].format {
        case .integer(let format, let order): printer.integer(format, order, name(index))
        case .boolean, .bit, .varint, .text, .digits, .bytes: printer.read("u8", name(index))
        }
    }

    /// Returns the expression for a number of the header at its place.
    private func readInPlace(_ index: Int) -> String {
        let (start, offset) = (dialect.packetStart, shape.unwrap.starts[index].constant)
        let place = start == "0" ? String(offset) : printer.sum(start, offset)
        guard case .integer(let format, let order) = layout.fields[index].format else {
            return printer.read("u8At", place)
        }
        return printer.integer(format, order, at: place)
    }

    private func varint(_ index: Int, _ format: VarintFormat) -> [String] {
        let width = "\(printer.read("position")) - s\(index)"
        return moreUnless(printer.read("varintArrived", String(format.maximumByteCount)))
            + [
                printer.declare("s\(index)", .position, printer.read("position"), effect: nil),
                define(
                    index, printer.varint(format, name(index)), effect: printer.varintCall(format, name(index))),
                isConditional(index)
                    ? dialect.assign("w\(index)", width) : printer.declare("w\(index)", .position, width, effect: nil),
            ]
    }

    private func run(_ indices: Range<Int>, _ place: PackedPlace) -> [String] {
        let first = indices.lowerBound
        let read = printer.read(
            "uint", String(place.runByteCount), place.byteOrder.isLittleText, name(first))
        var lines = [printer.declare("b\(first)", .number(.uint64), read, effect: read)]
        for index in indices {
            guard let own = layout.packedPlace(ofField: index), layout.fields[index].role != .padding else { continue }
            let part = printer.part(of: "b\(first)", shift: own.shift, width: own.bitWidth, format(index))
            lines.append(printer.declare("x\(index)", .number(format(index)), part, effect: nil))
        }
        return lines
    }

    /// Returns the statements that read the text in the bytes of a field.
    private func text(_ index: Int) -> [String] {
        let read: String
        switch layout.fields[index].format {
        case .text(let byteCount, let padding):
            read = printer.read("fixedText", String(byteCount), String(padding), name(index))
        case .digits(let byteCount): read = printer.read("digits", String(byteCount), name(index))
        case .bytes(let byteCount): read = printer.read("blob", dialect.literal(Int128(byteCount), .int64), name(index))
        case .integer, .boolean, .bit, .varint: return []
        }
        return [
            printer.reading("seek", "x\(index)"),
            isConditional(index)
                ? dialect.assign("h\(index)", read)
                : printer.declare("h\(index)", textType(index), read, effect: read),
        ]
    }

    private func call(_ length: UnwrapLength) -> String {
        let (difference, least) = (offset(length.difference), offset(length.least))
        // A varint with a sign could be negative, which no length is.
        let number = printer.asLength("x\(length.field)", format(length.field))
        return printer.read(
            length.mayBeNegative ? "packetSizeSigned" : "packetSize", number, difference, least, offset(length.at))
    }

    /// Returns the statements that declare the variables of a field with a condition.
    private func variables(_ index: Int) -> [String] {
        let number =
            isBytes(index)
            ? dialect.variable("x\(index)", .position, "0")
            : dialect.variable("x\(index)", .number(format(index)), dialect.literal(0, format(index)))
        let empty: String
        if case .bytes = textType(index) { empty = dialect.bytes([]) } else { empty = dialect.string("") }
        return number + (hasText(index) ? dialect.variable("h\(index)", textType(index), empty) : [])
    }

    private mutating func conditional(_ index: Int, _ condition: WireCondition, _ steps: [UnwrapStep]) -> [String] {
        var inner = steps.flatMap { text($0) }
        if let byteCount = layout.byteCounts[index] { inner.append(dialect.assign("w\(index)", String(byteCount))) }
        return [dialect.constant("c\(index)", .boolean, self.condition(condition))] + variables(index)
            + dialect.variable("w\(index)", .position, "0") + printer.ifThen("c\(index)", inner)
    }

    private func condition(_ condition: WireCondition) -> String {
        printer.condition(condition) { operand in
            guard case .field(let name) = operand,
                let index = layout.header.firstIndex(where: { $0.name == name })
            else { return .literal(0) }
            return .number("x\(index)", format(index))
        }
    }

    private mutating func takeTotal(_ lengths: [UnwrapLength], _ otherwise: UnwrapSize?) -> [String] {
        total = "total"
        guard lengths.count != 1 || lengths[0].isConditional || otherwise != nil else {
            return [dialect.constant("total", .position, call(lengths[0]))]
        }
        var lines = dialect.variable("total", .position, "-1")
        for (position, length) in lengths.enumerated() {
            let same = printer.read("sameSize", call(length), "total", name(length.field), offset(length.at))
            var set = [dialect.assign("total", position == 0 ? call(length) : same)]
            if position > 0, lengths[0].isConditional {
                set = printer.ifThen("total < 0", [dialect.assign("total", call(length))], otherwise: set)
            }
            lines += length.isConditional ? printer.ifThen("c\(length.field)", set) : set
        }
        let without: String
        switch otherwise {
        case nil: return lines
        case .emptyPayload(let count)?: without = offset(count)
        case .allBytes(let least)?: without = printer.read("atLeast", offset(least))
        }
        let size = printer.read("packetSize", dialect.convert(place: without, to: .int64), "0", "0", "0")
        return lines + printer.ifThen("total < 0", [dialect.assign("total", size)])
    }

    private func whole(_ header: PacketOffset, _ trailer: PacketOffset) -> [String] {
        let end = trailer.constant == 0 && trailer.widths.isEmpty ? total : "\(total) - (\(offset(trailer)))"
        var lines = printer.ifThen(
            "\(printer.read("size")) < \(total)", [printer.reading("wants", total), dialect.returnMore])
        lines += [
            printer.declare("body", .position, offset(header), effect: nil),
            printer.declare("end", .position, end, effect: nil),
        ]
        if !layout.trailer.isEmpty { lines.append(printer.reading("bound", "end", total)) }
        return lines
    }

    // MARK: After the payload

    private func checksum(
        _ index: Int, _ kind: ChecksumKind, _ range: ChecksumRange, _ at: PacketOffset
    ) -> String {
        let (from, to) = (place(range.start), place(range.end))
        let start = dialect.packetStart
        var computed = dialect.checksum(kind, dialect.packetBytes, from: "\(start) + \(from)", to: "\(start) + \(to)")
        if !range.zeros.isEmpty {
            let zeros = range.zeros.flatMap { zero in
                [place(zero.at), isConditional(zero.field) ? "w\(zero.field)" : "\(zero.byteCount)"]
            }
            let copy = dialect.call("r", "zeroed", [from, to] + zeros)
            computed = dialect.checksum(kind, copy, from: "0", to: "\(to) - (\(from))")
        }
        return verify(
            "\(printer.bits("x\(index)", format(index), width: format(index).bitWidth)) == \(computed)",
            "wrong_checksum", index, at)
    }

    private func finish() -> [String] {
        var lines: [String] = []
        if layout.isBounded, shape.part?.mayHaveFiller != true { lines.append(printer.reading("onlyPacket", total)) }
        if shape.part == nil { lines.append(printer.reading("bound", "body", "end")) }
        lines += dialect.variable("header", .header, shape.part == nil ? dialect.newHeader : dialect.newPartHeader)
        lines += header + identifier
        if total != "total" { lines.append(dialect.constant("total", .position, total)) }
        if let part = shape.part { return lines + dialect.received(received(part)) }
        return lines + dialect.received(shape, places: printer.plan.fixedHeaderFields.map(fixedPlace))
    }

    private func received(_ part: PacketPart) -> ReceivedPart {
        let rules = part.rules.map { rule in
            switch rule {
            case .always: "true"
            case .never: "false"
            case .when(let condition): self.condition(condition)
            }
        }
        let counter = part.counter.map { index in
            (
                number: printer.asLength("x\(index)", format(index)), place: offset(shape.unwrap.starts[index]),
                isThere: isConditional(index) ? "c\(index)" : "true"
            )
        }
        let starts = shape.unwrap.starts
        return ReceivedPart(
            first: part.firstField < starts.count ? offset(starts[part.firstField]) : "body", counter: counter,
            rules: rules, places: part.isFlat ? printer.plan.fixedHeaderFields.map(fixedPlace) : [])
    }

    /// Returns the place of a field that messages can fix; -1 for one that such packets never have.
    private func fixedPlace(_ position: Int) -> String {
        shape.positions.firstIndex(of: position).map { place(shape.unwrap.place(of: $0)) } ?? "-1"
    }

    /// The message's ID: the bits of its fields, the first one most significant.
    private var identifier: [String] {
        var lines = dialect.variable("id", .number(.uint64), dialect.literal(0, .uint64))
        for (index, field) in layout.fields.enumerated() where field.role == .messageID {
            let width = field.format.idBitWidth
            let bits = printer.bits("x\(index)", format(index), width: width)
            // A shift by all bits would do nothing.
            let joined = dialect.assign("id", width < 64 ? "id << \(width) | \(bits)" : bits)
            lines += field.condition == nil ? [joined] : printer.ifThen("c\(index)", [joined])
        }
        return lines
    }

    /// The statements that set the fields of the header that are there.
    private var header: [String] {
        zip(layout.fields.indices, shape.positions).flatMap { index, position -> [String] in
            let field = layout.fields[index]
            guard field.role != .padding else { return [] }
            var value = hasText(index) ? "h\(index)" : "x\(index)"
            if case .constant(.text(let text)) = field.role { value = dialect.string(text) }
            if case .constant(.bytes(let bytes)) = field.role { value = dialect.bytes(bytes) }
            if field.format.isBoolean { value = dialect.compare("x\(index)", "!=", 0, format(index)) }
            if let number = printer.plan.headerNumber(position) { value = dialect.value(of: value, number) }
            let lines = printer.setHeader("header", position, value)
            return field.condition == nil ? lines : printer.ifThen("c\(index)", lines)
        }
    }
}

extension StatementPrinter {
    /// Returns the statements that set a field of the header in a variable.
    func setHeader(_ variable: String, _ position: Int, _ value: String) -> [String] {
        let own = dialect.headerMember(variable, plan.names.headerFields[position])
        if plan.hasAlways(headerField: position) { return [dialect.assign(own, value)] }
        let type = plan.headerType(position)
        return [
            dialect.constant("f\(position)", type, value),
            dialect.assign(own, dialect.optional("f\(position)", type)),
        ]
    }
}
