// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineCodec
import WirelineSchema

/// Makes random messages of a protocol as lines of JSON, from its description alone. Values at the limits are frequent.
struct RandomLines {
    let description: ProtocolDescription
    var random: SeededGenerator
    /// Structures that contain themselves end at this depth.
    private var deepest: Int { min(4, description.options.maximumDepth) }

    init(_ description: ProtocolDescription, using random: SeededGenerator) {
        self.description = description
        self.random = random
    }

    /// A line that ``PacketTranslator/encode(line:header:)`` accepts, and its sender.
    mutating func next() -> (sender: Sender, line: JSONValue) {
        let message = pick(description.messages)
        let context = PacketContext(from: pick(Sender.allCases.filter(message.senders.contains)))
        return (context.sender, line(of: message, in: context))
    }

    /// The same with states of the connection, if packets depend on them.
    mutating func nextInContext() -> (context: PacketContext, line: JSONValue) {
        let message = pick(description.messages)
        var context = PacketContext(from: pick(Sender.allCases.filter(message.senders.contains)))
        if description.layout.hasStates { context.states = description.layout.randomStates(using: &random) }
        return (context, line(of: message, in: context))
    }

    /// The same in a context, in which the sender may be another one than the message's.
    mutating func next(in context: PacketContext) -> (sender: Sender, line: JSONValue) {
        let message = pick(description.messages)
        let sender = message.senders.contains(context.sender) ? context.sender : pick(Array(message.senders))
        return (sender, line(of: message, in: context))
    }

    private mutating func line(of message: MessageDescription, in context: PacketContext) -> JSONValue {
        let optionalCount = message.fields.count { $0.presence == .optional }
        let setCount = Int.random(in: 0...optionalCount, using: &random)
        let header = header(of: message, in: context)
        let fields = object(message.fields, numbers(header), settingOptionals: setCount, depth: 0)
        var members = [
            JSONValue.Member("message", .string(message.name)), JSONValue.Member("header", header),
            JSONValue.Member("fields", fields),
        ]
        let canTrail = BodyPlan.End(of: message, in: description) == .kept && setCount == optionalCount
        if canTrail, flip(4) { members.append(JSONValue.Member("trailing", .string(hex(upTo: 20)))) }
        return .object(members)
    }

    /// A header with only those fields that are there, in which some length is.
    private mutating func header(of message: MessageDescription, in context: PacketContext) -> JSONValue {
        guard description.layout.hasConditions else { return anyHeader(of: message) }
        let layout = description.layout.layout(in: context)
        for _ in 0..<20 {
            guard case .object(let members) = anyHeader(of: message),
                let presence = try? layout.presence(id: message.id, header: values(of: members, message))
            else { continue }
            // What a field that fits itself takes depends on the payload: then no field with a condition is set.
            let isOpen = layout.fitting.map { name, _ in !members.contains { $0.name == name } } ?? false
            let present = zip(layout.fields, presence.isEmpty ? layout.fields.map { _ in true } : presence)
                .filter { $0.1 && (!isOpen || $0.0.condition == nil) }.map(\.0)
            guard isOpen || present.contains(where: \.role.isLength) || message.fields.isEmpty else { continue }
            return .object(members.filter { member in present.contains { $0.name == member.name } })
        }
        return .object([])
    }

    /// The values of a header in JSON, and of those that a message fixes.
    private func values(of members: [JSONValue.Member], _ message: MessageDescription) -> PacketHeader {
        let translator = PacketTranslator(description)
        var header = description.fixedHeader(of: message) ?? PacketHeader()
        for member in members {
            guard let index = description.layout.fields.firstIndex(where: { $0.name == member.name }) else { continue }
            header[value: member.name] = try? translator.value(of: member.value, inPacketField: index)
        }
        return header
    }

    private mutating func anyHeader(of message: MessageDescription) -> JSONValue {
        var members: [JSONValue.Member] = []
        for (index, field) in description.layout.fields.enumerated() where flip(2) {
            // Another value than the message's own is refused, which is seldom wanted.
            if message.headerValues.contains(where: { $0.field == index }), !flip(10) { continue }
            switch field.role {
            case .value, .fitting, .sequence:
                let value =
                    description.packetFieldType(index).map { self.value($0, nil, depth: 0) }
                    ?? value(of: field.format)
                members.append(JSONValue.Member(field.name, value))
            default: break
            }
        }
        return .object(members)
    }

    /// Returns the numbers of a header, at which conditions of fields can look.
    private func numbers(_ header: JSONValue) -> PacketHeader {
        var numbers = PacketHeader()
        for (index, field) in description.layout.fields.enumerated() {
            let usual: TypeDescription = field.format.isBoolean ? .boolean : .integer(.int64, .bigEndian)
            numbers[field.name] = header[field.name].flatMap {
                description.number($0, description.packetFieldType(index) ?? usual)
            }
        }
        return numbers
    }

    private mutating func value(of format: PacketField.Format) -> JSONValue {
        switch format {
        case .integer, .varint: .exact(integer(in: format.range))
        case .boolean, .bit: .boolean(flip(2))
        case .text(let byteCount, let padding): .string(fixedText(byteCount, padding))
        case .digits(let format): .string(digits(2 * format.byteCount))
        case .bytes(let byteCount): .string(Base64.encode(random.bytes(byteCount)))
        }
    }

    // MARK: Values

    private mutating func object(
        _ fields: [FieldDescription], _ header: PacketHeader = PacketHeader(), settingOptionals count: Int, depth: Int
    ) -> JSONValue {
        var left = count
        var members: [JSONValue.Member] = []
        // The items of lists that an earlier field counts.
        var counts: [String: Int] = [:]
        for field in fields where field.hasValue {
            if field.presence == .optional {
                guard left > 0 else { continue }
                left -= 1
            }
            if field.presence == .nullable, flip(3) { continue }
            guard description.isThere(field, among: fields, members, header: header) else { continue }
            if let fieldCount = field.type.fieldCount, case .list(let element, let extent) = field.type {
                let count = counts[fieldCount.field] ?? itemCount(limit(extent, field), depth)
                counts[fieldCount.field] = count
                let items = (0..<count).map { _ in value(element, nil, depth: depth) }
                members.append(JSONValue.Member(field.name, .array(items)))
                continue
            }
            members.append(JSONValue.Member(field.name, value(field.type, field, depth: depth)))
        }
        return .object(members)
    }

    private mutating func value(_ type: TypeDescription, _ field: FieldDescription?, depth: Int) -> JSONValue {
        switch type {
        case .integer(let format, _): .exact(integer(in: field?.range ?? format.range))
        case .varint(let format): .exact(integer(in: field?.range ?? format.range))
        case .float(.binary16, _): half(field?.floatRange)
        case .float(.binary32, _):
            float(Float.self, field?.floatRange) { Float(bitPattern: UInt32(truncatingIfNeeded: $0)) }
        case .float: float(Double.self, field?.floatRange) { Double(bitPattern: $0) }
        case .boolean, .bit: .boolean(flip(2))
        case .string(.fixed(let byteCount, let padding)): .string(fixedText(byteCount, padding))
        case .utf16(.fixed(let byteCount, let padding), _): .string(fixedText(byteCount / 2, padding))
        case .utf16(let extent, _): .string(text(limit(extent, field), isTerminated: extent == .terminated))
        case .digits(let format): .string(digits(2 * format.byteCount))
        case .string(.exact(let byteCount)): .string(String(digits(byteCount)))
        case .bytes(.exact(let byteCount)): .string(Base64.encode(random.bytes(byteCount)))
        case .sized(.utf16, .exact(let byteCount)): .string(String(digits(byteCount / 2)))
        case .sized(let content, _): sized(type, content, field, depth: depth)
        case .string(let extent): .string(text(limit(extent, field), isTerminated: extent == .terminated))
        case .bytes(let extent): bytes(limit(extent, field), isTerminated: extent == .terminated)
        case .properties: properties()
        case .enumeration(let index, _): enumeration(description.enumerations[index])
        case .flags(let index, _): flags(description.flagSets[index])
        case .structure(let index): structure(description.structures[index], depth: depth)
        case .union(let index): union(description.unions[index], depth: depth)
        case .fixedList(let element, let count):
            .array((0..<count).map { _ in value(element, nil, depth: depth) })
        case .list(let element, .until(let terminator)):
            .array(items(element, until: terminator, count: itemCount(limit(.until(terminator), field), depth), depth))
        case .list(let element, let extent):
            .array((0..<itemCount(limit(extent, field), depth)).map { _ in value(element, nil, depth: depth) })
        }
    }

    /// Items of a list that ends at a byte; now and then one that begins with it, and is refused.
    private mutating func items(
        _ element: TypeDescription, until terminator: UInt8, count: Int, _ depth: Int
    ) -> [JSONValue] {
        var single = description
        single.messages[0].fields = [
            FieldDescription(name: "item", type: element, location: description.messages[0].location)
        ]
        let (translator, name) = (PacketTranslator(single), single.messages[0].name)
        return (0..<count).map { _ in value(element, nil, depth: depth) }.filter { item in
            let bytes = try? translator.encodePayload(message: name, fields: ["item": item])
            return bytes?.first != terminator || flip(40)
        }
    }

    /// A value inside a number of bytes; a structure of a fixed number of bytes is expected to fit.
    private mutating func sized(
        _ type: TypeDescription, _ content: TypeDescription, _ field: FieldDescription?, depth: Int
    ) -> JSONValue {
        guard let count = WireSizes(description).itemCount(filling: type) else {
            let isNeverEmpty = type.fieldCount.map { $0.range.lowerBound > 0 } ?? false
            return isNeverEmpty && content != content.leaf
                ? .array([value(content.leaf, nil, depth: depth)]) : value(content, field, depth: depth)
        }
        return .array((0..<count).map { _ in value(content.leaf, nil, depth: depth) })
    }

    private func limit(_ extent: TypeDescription.Extent, _ field: FieldDescription?) -> Int {
        var limit = field?.maximumCount ?? .max
        if case .counted(let format, _) = extent { limit = min(limit, format.maximum) }
        if case .field(let count) = extent { limit = min(limit, count.range.upperBound) }
        return limit
    }

    private mutating func itemCount(_ limit: Int, _ depth: Int) -> Int {
        depth >= deepest ? 0 : Int.random(in: 0...min(limit, 4), using: &random)
    }

    private mutating func structure(_ structure: StructureDescription, depth: Int) -> JSONValue {
        let optionalCount = structure.fields.count { $0.presence == .optional }
        let setCount = Int.random(in: 0...optionalCount, using: &random)
        return object(structure.fields, settingOptionals: setCount, depth: depth + 1)
    }

    private mutating func union(_ union: UnionDescription, depth: Int) -> JSONValue {
        let arm = pick(union.arms)
        let value: JSONValue =
            if let field = arm.field { self.value(field.type, field, depth: depth + 1) } else { .null }
        guard arm.tag == nil else { return .object([JSONValue.Member(arm.name, value)]) }
        // Now and then a tag that an arm has, which cannot be kept.
        let tag = self.value(union.tag, nil, depth: depth)
        return .object([JSONValue.Member(arm.name, ["tag": tag, "bytes": value])])
    }

    private mutating func integer(in range: ClosedRange<Int128>) -> Int128 {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: range.lowerBound
        case 1: range.upperBound
        case 2: min(range.upperBound, range.lowerBound + Int128.random(in: 0...300, using: &random))
        default: Int128.random(in: range, using: &random)
        }
    }

    private mutating func float<Value: BinaryFloatingPoint>(
        _ type: Value.Type, _ range: ClosedRange<Double>?, _ make: (UInt64) -> Value
    ) -> JSONValue where Value.RawSignificand: FixedWidthInteger {
        if let range {
            let ends = [range.lowerBound, range.upperBound, Double(Float.random(in: 0...1, using: &random))]
            return flip(2) ? json(Value(pick(ends))) : json(Value(Double.random(in: range, using: &random) / 2))
        }
        let special: [Value] = [.nan, .infinity, -.infinity, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
        return json(flip(8) ? pick(special) : make(random.next()))
    }

    private mutating func half(_ range: ClosedRange<Double>?) -> JSONValue {
        let format = FloatFormat.binary16
        let special: [Double] = [.nan, .infinity, -.infinity, -0.0, format.least, format.greatest]
        let usual = format.value(ofBits: random.next() & 0xFFFF)
        let value: Double =
            if let range {
                flip(2) ? pick([range.lowerBound, range.upperBound]) : Double.random(in: range, using: &random) / 2
            } else {
                flip(8) ? pick(special) : usual
            }
        guard value.isFinite else { return json(value) }
        return (try? JSONValue(parsing: format.digits(of: value))) ?? .null
    }

    private func json<Value: BinaryFloatingPoint>(_ value: Value) -> JSONValue {
        guard value.isFinite else { return value.isNaN ? "NaN" : value > 0 ? "Infinity" : "-Infinity" }
        return (try? JSONValue(parsing: "\(value)")) ?? .null
    }

    private mutating func text(_ limit: Int, isTerminated: Bool) -> String {
        var text = String.random(using: &random).unicodeScalars
        if flip(16) { text = String.UnicodeScalarView(repeatElement(text, count: 20).joined()) }
        if isTerminated { text.removeAll { $0 == "\0" } }
        while String(text).utf8.count > limit { text.removeLast() }
        return String(text)
    }

    private mutating func fixedText(_ byteCount: Int, _ padding: UInt8) -> String {
        var text = text(byteCount, isTerminated: padding == 0).unicodeScalars
        while let last = text.last, padding != 0, String(last).utf8.last == padding { text.removeLast() }
        return String(text)
    }

    private mutating func digits(_ count: Int) -> String {
        String((0..<count).map { _ in Character("\(Int.random(in: 0...9, using: &random))") })
    }

    private mutating func bytes(_ limit: Int, isTerminated: Bool) -> JSONValue {
        let count = Int.random(in: 0...min(limit, 40), using: &random)
        let least: UInt8 = isTerminated ? 1 : 0
        return .string(Base64.encode((0..<count).map { _ in UInt8.random(in: least...255, using: &random) }))
    }

    private mutating func hex(upTo limit: Int) -> String {
        let count = Int.random(in: 1...limit, using: &random)
        return Hexadecimal.text(of: random.bytes(count))
    }

    private mutating func properties() -> JSONValue {
        let members = (0..<Int.random(in: 0...5, using: &random)).map { index in
            let key = "\(index)" + line(without: [":", "\n"])
            return JSONValue.Member(key, .string(line(without: ["\n"])))
        }
        return .object(members)
    }

    private mutating func line(without excluded: Set<Unicode.Scalar>) -> String {
        let scalars = text(.max, isTerminated: false).unicodeScalars.filter { !excluded.contains($0) }
        return String(String.UnicodeScalarView(scalars))
    }

    private mutating func enumeration(_ enumeration: EnumerationDescription) -> JSONValue {
        if enumeration.isClosed || flip(2) { return .string(pick(enumeration.cases).name) }
        return .exact(integer(in: enumeration.format.range))
    }

    private mutating func flags(_ flags: FlagsDescription) -> JSONValue {
        let named = flags.cases.filter { _ in flip(2) }.map { JSONValue.string($0.name) }
        let masks = flags.cases.reduce(0) { $0 | $1.value }
        let unknown = integer(in: flags.format.range) & ~masks
        return .array(unknown == 0 || flip(2) ? named : named + [.exact(unknown)])
    }

    // MARK: Choosing

    /// True once in `sides` calls on average.
    private mutating func flip(_ sides: Int) -> Bool { Int.random(in: 0..<sides, using: &random) == 0 }

    /// One item of a list that is not empty.
    private mutating func pick<Item>(_ items: [Item]) -> Item {
        items[Int.random(in: 0..<items.count, using: &random)]
    }
}
