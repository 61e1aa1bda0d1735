// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Prints the steps of an ``UnwrapPlan`` as the function that takes packets apart, and reads their messages.
///
/// It returns the packet; or, if more bytes are needed, how many bytes the packet must have before it is worth another try. It is one
/// function, because a call costs Python as much as a field.
struct PythonUnwrapping {
    private let types: PythonTypes
    private let shape: PacketShape
    private var layout: PacketLayout { shape.layout }
    /// The variable with the size of the packet.
    private var total = ""

    private init(_ types: PythonTypes, _ shape: PacketShape) {
        self.types = types
        self.shape = shape
    }

    static func function(_ types: PythonTypes, _ shape: PacketShape, _ parameters: PythonRuntimeParameters) -> [String]
    {
        var maker = PythonUnwrapping(types, shape)
        if let part = shape.part {
            return PythonText.block(
                "def _decode\(suffix(shape))(b: bytes, start: int) -> _Part | int:",
                ["p = start"]
                    + PythonText.block("try:", maker.lines + maker.finish(part)) + [
                        "except WireError as error:", "    raise _moved(error, start) from None",
                    ])
        }
        let end = """
            except WireError as error:
                path = _under(error, name).path if name else error.path
                raise WireError(error.kind, path, None if error.offset is None else error.offset - start) from None
            """
        let deep = ["except RecursionError:", "    raise WireError(\"too_deep\", name, p - start) from None"]
        return PythonText.block(
            "def _decode\(suffix(shape))(b: bytes, sender: str, start: int) -> Packet | int:",
            [
                "\"\"\"The packet at a place; or how many bytes it must have before it is worth another try.\"\"\"",
                "readers = _READERS[sender]", "name = \"\"", "p = start",
            ] + PythonText.block("try:", maker.lines + maker.finish(parameters)) + (parameters.nests ? deep : [])
                + end.split(separator: "\n").map(String.init))
    }

    /// The end of the names of a shape's functions: `_client`, or nothing if there is one shape.
    static func suffix(_ shape: PacketShape) -> String { shape.words.map { "_" + $0 }.joined() }

    private var lines: [String] {
        mutating get {
            var lines = ["e = len(b)", "size = e - start"]
            let isFixed = shape.unwrap.isFixed && !layout.header.isEmpty
            if isFixed {
                lines += wholeHeader
            } else {
                // Where the packet ends, as far as that is known.
                lines.append("last = 1 << 62")
            }
            let plan = shape.unwrap
            for (position, step) in plan.steps.enumerated() {
                if case .whole = step, total.isEmpty, let last = lastLength(before: position) { total = "t\(last)" }
                lines += text(step)
            }
            return lines
        }
    }

    private func lastLength(before position: Int) -> Int? {
        shape.unwrap.steps[..<position].lazy.reversed().compactMap { step in
            if case .size(let length) = step { length.field } else { nil }
        }.first
    }

    /// The statements that read a header of fixed width at once; of one that has not arrived whole what is missing is 0, and
    /// not looked at.
    private var wholeHeader: [String] {
        var format = PythonFormat()
        var count = 0
        for index in layout.header.indices {
            if let place = layout.packedPlace(ofField: index) {
                guard place.isFirst else { continue }
                format.add(
                    "b\(index)", IntegerFormat(bitWidth: 8 * place.runByteCount, isSigned: false), place.byteOrder)
                count += place.runByteCount
                continue
            }
            let byteCount = layout.byteCounts[index] ?? 0
            count += byteCount
            switch layout.header[index].format {
            case .integer(let integer, let order): format.add("x\(index)", integer, order)
            case .boolean, .bit: format.add("x\(index)", .uint8, .bigEndian)
            case .text, .digits, .bytes, .varint:
                if layout.fields[index].role == .padding {
                    format.skip(byteCount)
                } else {
                    format.add("x\(index)", byteCount)
                }
            }
        }
        guard !format.variables.isEmpty else { return [] }
        let name = types.format(format.text)
        let variables =
            format.variables.count == 1 ? "(\(format.variables[0]),)" : format.variables.joined(separator: ", ")
        return [
            "\(variables) = \(name).unpack_from(b, start) if size >= \(count) else \(name).unpack(b[start:e].ljust(\(count), b\"\\0\"))"
        ] + format.conversions
    }

    // MARK: Steps

    private func name(_ index: Int) -> String { PythonText.string("packet." + layout.fields[index].name) }
    private func offset(_ offset: PacketOffset) -> String { offset.text { "w\($0)" } }
    /// Returns the place of an offset.
    private func place(_ index: Int, _ offset: PacketOffset) -> String {
        Self.sum(index < layout.header.count ? "start" : "end", self.offset(offset))
    }

    private static func sum(_ base: String, _ offset: String) -> String { offset == "0" ? base : "\(base) + \(offset)" }

    private func fail(_ kind: String, _ index: Int, at offset: PacketOffset) -> String {
        PythonReading.fail(kind, name(index), at: place(index, offset))
    }

    private mutating func text(_ step: UnwrapStep) -> [String] {
        switch step {
        case .need(let count): return ["if size < \(count): return \(count)"]
        case .part(let index, let byteCount):
            return ["if not _arrived(p, e, last, \(byteCount), \(name(index))): return size + 1"]
        case .number(let index): return read(index)
        case .run(let indices, let place): return run(indices, place)
        case .varint(let index, let format):
            let read = PythonReading.varint(format, "b, p, e, \(format.maximumByteCount), \(name(index))")
            return [
                "if not _varint_arrived(b, p, e, last, \(format.maximumByteCount)): return size + 1",
                "s\(index) = p", "x\(index), p = \(read)", "w\(index) = p - s\(index)",
            ]
        case .bytes(let index, let byteCount):
            if isReadAtOnce(index) { return [] }
            return ["x\(index) = b[p:p + \(byteCount)]", "p += \(byteCount)"]
        case .skip(let byteCount): return shape.unwrap.isFixed && total.isEmpty ? [] : ["p += \(byteCount)"]
        case .boolean(let index, let at):
            return ["if x\(index) > 1: \(fail("invalid_boolean", index, at: at))"]
        case .text(let index, let at): return text(index, at)
        case .constant(let index, let value, let at):
            return ["if x\(index) != \(value): \(fail("wrong_constant", index, at: at))"]
        case .constantText(let index, let bytes, let at):
            return ["_same(x\(index), \(PythonText.bytes(bytes)), \(name(index)), \(place(index, at)))"]
        case .size(let length): return size(length)
        case .sameSize(let length, let other):
            return ["if t\(length.field) != t\(other): \(fail("length_mismatch", length.field, at: length.at))"]
        case .last(let length): return ["last = min(last, start + \(call(length)))", "e = min(e, last)"]
        case .conditional(let index, let condition, let steps): return conditional(index, condition, steps)
        case .ifPresent(let index, let steps):
            return PythonText.block("if c\(index):", steps.flatMap { text($0) })
        case .presence(let index, let condition, let byteCount):
            return [
                "c\(index) = \(self.condition(condition))", "w\(index) = \(byteCount) if c\(index) else 0",
                nothing(index),
            ] + emptyText(index)
        case .total(let lengths, let otherwise): return takeTotal(lengths, otherwise)
        case .whole(let header, let trailer): return whole(header, trailer)
        case .checksum(let index, let kind, let range, let at):
            return ["if x\(index) != \(checksum(kind, range)): \(fail("wrong_checksum", index, at: at))"]
        case .sameLength(let index, let base, let constant, let rest, let at):
            let counted =
                switch base {
                case .packet: total
                case .payload: "end - body"
                case .rest: offset(rest)
                }
            let plus = constant == 0 ? "" : constant < 0 ? " - \(-constant)" : " + \(constant)"
            return ["if x\(index) != \(counted)\(plus): \(fail("length_mismatch", index, at: at))"]
        }
    }

    /// Whether a field has been read with the whole header.
    private func isReadAtOnce(_ index: Int) -> Bool { shape.unwrap.isFixed && index < layout.header.count }

    private func read(_ index: Int) -> [String] {
        if isReadAtOnce(index) { return [] }
        switch layout.fields[index].format {
        case .integer(let format, let order): return read("x\(index)", format, order)
        case .boolean, .bit: return read("x\(index)", .uint8, .bigEndian)
        case .varint, .text, .digits, .bytes: return []
        }
    }

    /// Returns the statements that read an integer that is there.
    private func read(_ variable: String, _ format: IntegerFormat, _ order: ByteOrder) -> [String] {
        let signed = format.isSigned ? ", signed=True" : ""
        return [
            "\(variable) = int.from_bytes(b[p:p + \(format.byteCount)], \(order.pythonText)\(signed))",
            "p += \(format.byteCount)",
        ]
    }

    private func run(_ indices: Range<Int>, _ place: PackedPlace) -> [String] {
        let first = indices.lowerBound
        let format = IntegerFormat(bitWidth: 8 * place.runByteCount, isSigned: false)
        var lines = isReadAtOnce(first) ? [] : read("b\(first)", format, place.byteOrder)
        for index in indices {
            guard let own = layout.packedPlace(ofField: index), layout.fields[index].role != .padding else { continue }
            let bits = PythonReading.bits(
                "b\(first)", bitWidth: own.bitWidth, shift: own.shift, byteCount: place.runByteCount,
                isSigned: layout.fields[index].format.range.lowerBound < 0)
            lines.append("x\(index) = \(bits)")
        }
        return lines
    }

    private func hasText(_ index: Int) -> Bool {
        let field = layout.fields[index]
        if case .constant = field.role { return false }
        return !field.format.isNumber && field.role != .padding
    }

    /// Returns the value of a field that is absent.
    private func nothing(_ index: Int) -> String {
        layout.fields[index].format.isNumber ? "x\(index) = 0" : "x\(index) = b\"\""
    }

    private func emptyText(_ index: Int) -> [String] {
        guard hasText(index) else { return [] }
        if case .bytes = layout.fields[index].format { return ["h\(index) = b\"\""] }
        return ["h\(index) = \"\""]
    }

    /// Returns the statements that read the text in the bytes of a field.
    private func text(_ index: Int, _ at: PacketOffset) -> [String] {
        switch layout.fields[index].format {
        case .text(_, let padding):
            return ["h\(index) = _utf8(_unpadded(x\(index), \(padding)), \(name(index)), \(place(index, at)))"]
        case .digits: return ["h\(index) = _digits_of(x\(index), \(name(index)), \(place(index, at)))"]
        case .bytes: return ["h\(index) = x\(index)"]
        case .integer, .boolean, .bit, .varint: return []
        }
    }

    private func call(_ length: UnwrapLength) -> String {
        let (difference, least) = (offset(length.difference), offset(length.least))
        let fewest = length.mayBeNegative ? "max(\(least), \(difference))" : least
        return
            "_packet_size(x\(length.field), \(difference), \(fewest), \(Self.sum("start", offset(length.at)))\(unlimited))"
    }

    /// The argument for the limit of a part that has another one than packets.
    private var unlimited: String {
        shape.part.map { $0.limit == PacketPart.unlimited ? ", \($0.limit)" : "" } ?? ""
    }

    private func size(_ length: UnwrapLength) -> [String] {
        let size = "t\(length.field)"
        guard length.difference.widths.isEmpty, length.least.widths.isEmpty, !length.mayBeNegative else {
            return ["\(size) = \(call(length))"]
        }
        let difference = length.difference.constant
        let sum = difference == 0 ? "" : difference < 0 ? " - \(-difference)" : " + \(difference)"
        let place = Self.sum("start", offset(length.at))
        let limit = shape.part?.limit ?? types.description.options.maximumPacketByteCount
        return [
            "\(size) = x\(length.field)\(sum)",
            "if \(size) < \(length.least.constant): raise WireError(\"length_too_small\", \"\", \(place))",
            "if \(size) > \(limit): raise WireError(\"packet_too_long\", \"\", \(place))",
        ]
    }

    private mutating func conditional(_ index: Int, _ condition: WireCondition, _ steps: [UnwrapStep]) -> [String] {
        var lines = ["c\(index) = \(self.condition(condition))", nothing(index), "w\(index) = 0"] + emptyText(index)
        var inner = steps.flatMap { text($0) }
        if let byteCount = layout.byteCounts[index] { inner.append("w\(index) = \(byteCount)") }
        lines += PythonText.block("if c\(index):", inner)
        return lines
    }

    private func condition(_ condition: WireCondition) -> String {
        PythonTypes.condition(condition) { operand in
            guard case .field(let name) = operand,
                let index = self.layout.header.firstIndex(where: { $0.name == name })
            else { return "0" }
            return "x\(index)"
        }
    }

    private mutating func takeTotal(_ lengths: [UnwrapLength], _ otherwise: UnwrapSize?) -> [String] {
        total = "total"
        guard lengths.count != 1 || lengths[0].isConditional || otherwise != nil else {
            return ["total = \(call(lengths[0]))"]
        }
        var lines = ["total = -1"]
        for length in lengths {
            let same =
                "total = _same_size(\(call(length)), total, \(name(length.field)), \(Self.sum("start", offset(length.at))))"
            lines += length.isConditional ? ["if c\(length.field): \(same)"] : [same]
        }
        switch otherwise {
        case nil: break
        case .emptyPayload(let count)?:
            lines.append("if total < 0: total = _packet_size(\(offset(count)), 0, 0, start\(unlimited))")
        case .allBytes(let least)?:
            lines.append("if total < 0: total = _packet_size(max(\(offset(least)), size), 0, 0, start\(unlimited))")
        }
        return lines
    }

    private func whole(_ header: PacketOffset, _ trailer: PacketOffset) -> [String] {
        let isEmpty = trailer.constant == 0 && trailer.widths.isEmpty
        var lines = [
            "if size < \(total): return int(\(total))", "body = start + \(offset(header))",
            "end = start + \(total)" + (isEmpty ? "" : " - (\(offset(trailer)))"),
        ]
        if !layout.trailer.isEmpty { lines.append("p = end") }
        return lines
    }

    // MARK: After the payload

    /// Returns the expression for a checksum.
    private func checksum(_ kind: ChecksumKind, _ range: ChecksumRange) -> String {
        func text(_ place: ChecksumRange.Place) -> String {
            switch place {
            case .header(let offset): Self.sum("start", self.offset(offset))
            case .trailer(let offset): Self.sum("end", self.offset(offset))
            }
        }
        let from = text(range.start)
        var bytes = "b[\(from):\(text(range.end))]"
        if !range.zeros.isEmpty {
            let zeros = range.zeros.map { zero in
                let count = layout.fields[zero.field].condition == nil ? "\(zero.byteCount)" : "w\(zero.field)"
                return "(\(text(zero.at)) - (\(from)), \(count))"
            }
            bytes = "_zeroed(\(bytes), \(zeros.joined(separator: ", ")))"
        }
        return "_\(kind.rawValue)(\(bytes))"
    }

    /// Returns the statements that return a part of a packet.
    private func finish(_ part: PacketPart) -> [String] {
        var lines: [String] = []
        if layout.isBounded, !part.mayHaveFiller {
            lines.append("if \(total) < size: raise WireError(\"trailing_bytes\", \"\", start + \(total))")
        }
        lines += header()
        let rules = part.rules.map { rule in
            switch rule {
            case .always: "True"
            case .never: "False"
            case .when(let condition): self.condition(condition)
            }
        }
        var count = "None"
        if let index = part.counter {
            count = "(x\(index), \(offset(shape.unwrap.starts[index])))"
            if layout.fields[index].condition != nil { count = "\(count) if c\(index) else None" }
        }
        let first =
            part.firstField < shape.unwrap.starts.count
            ? Self.sum("start", offset(shape.unwrap.starts[part.firstField])) : "body"
        let places = part.isFlat ? types.plan.fixedHeaderFields.map(fixedPlace) : []
        let placed = places.isEmpty ? "()" : PythonText.tuple(places)
        return lines + [
            "return _Part(\(identifier), header, body, end, start + \(total), \(first), \(count), "
                + "\(PythonText.tuple(rules)), \(placed))"
        ]
    }

    /// Returns the statements that make the packet.
    private func finish(_ parameters: PythonRuntimeParameters) -> [String] {
        var lines: [String] = []
        if layout.isBounded {
            lines.append("if \(total) < size: raise WireError(\"trailing_bytes\", \"\", start + \(total))")
        }
        lines += header() + ["id = \(identifier)"]
        let unknown = "Packet(Unknown(id, b[body:end]), id, header, \(total))"
        let looks = parameters.looksAtHeader ? ", header" : ""
        let read = "read(b, body, end, \(parameters.maximumDepth)\(looks))"
        let fixed = types.plan.fixedHeaderFields
        let verify = fixed.isEmpty ? "" : ", verify"
        lines += ["try:", "    own, read\(verify) = readers[id]", "except KeyError:", "    return \(unknown)"]
        if !fixed.isEmpty {
            lines.append(
                "if verify is not None: verify(b, header, \(PythonText.tuple(fixed.map(fixedPlace))))")
        }
        return lines + ["name = own", "return Packet(\(read), id, header, \(total))"]
    }

    /// Returns the place of a field that messages can fix; -1 for one that such packets never have.
    private func fixedPlace(_ position: Int) -> String {
        guard let index = shape.positions.firstIndex(of: position) else { return "-1" }
        return switch shape.unwrap.place(of: index) {
        case .header(let offset): Self.sum("start", self.offset(offset))
        case .trailer(let offset): Self.sum("end", self.offset(offset))
        }
    }

    /// The message's ID: the bits of its fields, the first one most significant.
    private var identifier: String {
        var text: String?
        for (index, field) in layout.fields.enumerated() where field.role == .messageID {
            let width = field.format.idBitWidth
            let bits =
                field.format.range.lowerBound < 0 ? "(x\(index) & \((Int128(1) << Int128(width)) - 1))" : "x\(index)"
            let joined = text.map { "(\($0)) << \(width) | \(bits)" } ?? bits
            text = field.condition == nil ? joined : "((\(joined)) if c\(index) else \(text ?? "0"))"
        }
        return text ?? "0"
    }

    private var headerType: String { types.plan.headerType }

    /// The statements that make the header of the fields that are there.
    private func header() -> [String] {
        var always: [String] = []
        var sometimes: [String] = []
        for (index, position) in shape.positions.enumerated() where layout.fields[index].role != .padding {
            let field = layout.fields[index]
            let key = PythonText.string(field.name)
            var value = hasText(index) ? "h\(index)" : "x\(index)"
            if case .constant(.text(let text)) = field.role { value = PythonText.string(text) }
            if field.format.isBoolean { value = "x\(index) == 1" }
            if case .enumeration(let enumeration, _)? = types.description.packetFieldType(position) {
                value = types.named(.enumeration(enumeration), value)
            }
            if field.condition == nil {
                always.append("\(key): \(value)")
            } else {
                sometimes.append("if c\(index): header[\(key)] = \(value)")
            }
        }
        return ["header: dict[str, \(headerType)] = {\(always.joined(separator: ", "))}"] + sometimes
    }
}

/// A format of `struct` for fields of any byte order, and the variables that they are read to.
struct PythonFormat {
    private var isLittle: Bool?
    private var letters = ""
    private(set) var variables: [String] = []
    /// The statements that make integers of bytes which `struct` gives as they are.
    private(set) var conversions: [String] = []

    /// The format: `">BI"`.
    var text: String { (isLittle == true ? "<" : ">") + letters }
    var isEmpty: Bool { letters.isEmpty }

    /// Adds an integer. One of a width or a byte order that does not fit is taken as its bytes.
    ///
    /// - Returns: Whether it is an integer in the format.
    @discardableResult
    mutating func add(_ variable: String, _ format: IntegerFormat, _ order: ByteOrder) -> Bool {
        let own = format.byteCount == 1 ? nil : order == .littleEndian
        variables.append(variable)
        if let letter = format.structLetter, own == nil || isLittle == nil || own == isLittle {
            isLittle = isLittle ?? own
            letters += letter
            return true
        }
        letters += "\(format.byteCount)s"
        let signed = format.isSigned ? ", signed=True" : ""
        conversions.append("\(variable) = int.from_bytes(\(variable), \(order.pythonText)\(signed))")
        return false
    }

    /// Adds bytes.
    mutating func add(_ variable: String, _ byteCount: Int) {
        variables.append(variable)
        letters += "\(byteCount)s"
    }

    /// Adds bytes that are not looked at, and are written as 0.
    mutating func skip(_ byteCount: Int) { letters += "\(byteCount)x" }
}
