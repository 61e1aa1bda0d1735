// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineCodec
import WirelineSchema

/// A protocol of one message `M` with random fields, and random values for them.
struct RandomProtocol {
    private(set) var description: ProtocolDescription
    /// The header fields of packets of `M`, at which conditions can look.
    private(set) var header = PacketHeader()
    var random: SeededGenerator

    init(random: SeededGenerator) {
        self.random = random
        description = .only([])
        description.layout = Self.framedLayout(using: &self.random) ?? Self.layout
        for field in Self.layout.header where field.isSettable && self.random.isTrue {
            header[field.name] = Int128.random(in: field.format.range, using: &self.random)
        }
        // Structures refer only to those before them, so that none contains itself.
        for index in 0..<3 {
            let isSized = self.random.isTrue
            let fields = randomFields(structures: index, mayGrow: isSized, mayTakeRest: false)
            description.structures.append(StructureDescription("S\(index)", sized: isSized ? .uint16 : nil, fields))
        }
        for index in 0..<2 { description.unions.append(randomUnion("U\(index)")) }
        description.messages[0].fields = randomFields(
            structures: 3, mayGrow: true, mayTakeRest: true, mayLookAtHeader: true)
    }

    /// The standard layout, and fields after it whose defaults are not 0.
    private static let layout: PacketLayout = {
        let fields = [
            PacketField("level", .integer(.uint8, .bigEndian), .value(default: 3)),
            PacketField("step", .integer(.int16, .littleEndian), .value(default: -2)),
        ]
        return PacketLayout(generatedHeader: PacketLayout.standard.header + fields)
    }()

    /// The same fields between random marks, with or without the length; often nil.
    private static func framedLayout(using random: inout SeededGenerator) -> PacketLayout? {
        guard Int.random(in: 0..<3, using: &random) == 0 else { return nil }
        let header = random.isTrue ? layout.header : Array(layout.header.dropFirst())
        return try? PacketLayout(framing: .random(using: &random), header: header)
    }

    /// ``header`` in JSON.
    var headerLine: JSONValue {
        .object(header.fields.map { JSONValue.Member($0.name, .integer(header[$0.name] ?? 0)) })
    }

    /// An object for the fields of `M`.
    mutating func fields() -> JSONValue {
        object(description.messages[0].fields, header)
    }

    // MARK: Types

    private mutating func randomFields(
        structures: Int, mayGrow: Bool, mayTakeRest: Bool, mayLookAtHeader: Bool = false
    ) -> [FieldDescription] {
        var fields = [FieldDescription("first", .uint8)]
        for index in 0..<Int.random(in: 0...5, using: &random) {
            if Int.random(in: 0..<6, using: &random) == 0 {
                let byteCount = Int.random(in: 1...9, using: &random)
                fields.append(FieldDescription(padding: byteCount, position: index, location: nowhere))
            } else {
                let presence = presence(after: fields, mayLookAtHeader)
                fields.append(FieldDescription("f\(index)", type(structures: structures), presence))
            }
        }
        if !description.unions.isEmpty, random.isTrue { addTag(to: &fields) }
        if random.isTrue { fields += randomRun() }
        if random.isTrue { fields += randomCounted() }
        if random.isTrue { fields.append(randomNullable(structures: structures)) }
        if mayGrow && random.isTrue {
            fields.append(FieldDescription("since", .uint16, .since(2, default: .integer(9))))
            fields.append(FieldDescription("optional", .text, .optional))
            fields.append(FieldDescription("last", .uint32, .optional))
        } else if mayTakeRest && random.isTrue {
            let types: [TypeDescription] = [
                .string(.rest), .utf16(.rest, .littleEndian), .bytes(.rest), .list(.uint24, .rest),
                .properties(isStrict: true),
            ]
            fields.append(FieldDescription("rest", types.randomElement(using: &random) ?? .bytes(.rest)))
        }
        return description.packed(fields)
    }

    /// Adds a union, and a field before it that holds its tag.
    private mutating func addTag(to fields: inout [FieldDescription]) {
        let index = Int.random(in: 0..<description.unions.count, using: &random)
        var union = FieldDescription("body", .union(index), presence(after: fields, false))
        if random.isTrue {
            let isNullable = random.isTrue
            let order: ByteOrder = random.isTrue ? .bigEndian : .littleEndian
            union.type = .sized(.union(index), isNullable ? .counted(.int32, order) : wideExtent(order))
            if isNullable { union.presence = .nullable }
        }
        union.tagField = "kind"
        var tag = FieldDescription("kind", description.unions[index].tag)
        tag.role = .derived
        fields.insert(tag, at: Int.random(in: 1...fields.count, using: &random))
        fields.append(union)
    }

    /// A field that counts the items or bytes of another one.
    private mutating func randomCounted() -> [FieldDescription] {
        let order: ByteOrder = random.isTrue ? .bigEndian : .littleEndian
        let count = TypeDescription.Extent.field(FieldCount(field: "n", addend: 0, range: 0...65_535))
        var number = FieldDescription("n", random.isTrue ? .varint(.random(using: &random)) : .integer(.uint16, order))
        number.role = .derived
        let types: [TypeDescription] = [
            .list(scalar(order), count), .bytes(count), .string(count), .sized(.utf16(.rest, order), count),
            .sized(.list(.integer(.uint24, order), .rest), count),
        ]
        return [number, FieldDescription("counted", types.randomElement(using: &random) ?? .bytes(count))]
    }

    /// A field whose prefix says whether it is there.
    private mutating func randomNullable(structures: Int) -> FieldDescription {
        let order: ByteOrder = random.isTrue ? .bigEndian : .littleEndian
        let formats: [CountFormat] = [.int16, .int32, .zigzag]
        let extent = TypeDescription.Extent.counted(formats.randomElement(using: &random) ?? .int32, order)
        var types: [TypeDescription] = [
            .string(extent), .bytes(extent), .utf16(extent, order), .list(scalar(order), extent),
            .sized(.utf16(.rest, order), extent), .sized(.list(scalar(order), .rest), extent),
        ]
        if structures > 0 {
            let structure = TypeDescription.structure(Int.random(in: 0..<structures, using: &random))
            types += [.sized(structure, extent), .list(structure, extent)]
        }
        if !description.unions.isEmpty {
            types.append(.sized(.union(Int.random(in: 0..<description.unions.count, using: &random)), extent))
        }
        return FieldDescription("nullable", types.randomElement(using: &random) ?? .bytes(extent), .nullable)
    }

    /// Fields that share bytes, of up to 64 bits.
    private mutating func randomRun() -> [FieldDescription] {
        let order: ByteOrder = random.isTrue ? .bigEndian : .littleEndian
        var missing = 8 * Int.random(in: 1...8, using: &random)
        var fields: [FieldDescription] = []
        while missing > 0 {
            let isBit = random.isTrue
            let width = isBit ? 1 : Int.random(in: 1...missing, using: &random)
            let format = IntegerFormat(bitWidth: width, isSigned: random.isTrue)
            fields.append(FieldDescription("p\(missing)", isBit ? .bit(order) : .integer(format, order)))
            missing -= width
        }
        return fields
    }

    /// Sometimes a condition on earlier fields or the header, as the checker makes them.
    private mutating func presence(
        after fields: [FieldDescription], _ mayLookAtHeader: Bool
    ) -> FieldDescription.Presence {
        guard Int.random(in: 0..<3, using: &random) == 0 else { return .required }
        let operands = fields.filter { $0.type.isNumber }
        var condition: WireCondition?
        for _ in 0...Int.random(in: 0...2, using: &random) {
            guard let field = operands.randomElement(using: &random) else { break }
            let test = mayLookAtHeader && random.isTrue ? testOfHeader() : test(of: field)
            let next: WireCondition = random.isTrue ? test : .not(test)
            condition = condition.map { random.isTrue ? .and($0, next) : .or($0, next) } ?? next
        }
        return condition.map { .when($0) } ?? .required
    }

    private mutating func testOfHeader() -> WireCondition {
        let (name, number) = random.isTrue ? ("level", Int128(3)) : ("step", Int128(-2))
        guard random.isTrue else { return .isSet(.header(name)) }
        let comparison = WireCondition.Comparison.allCases.randomElement(using: &random) ?? .equal
        return .compares(.header(name), comparison, number + Int128.random(in: -1...1, using: &random))
    }

    private mutating func test(of field: FieldDescription) -> WireCondition {
        let operand = WireCondition.Operand.field(field.name)
        guard field.type != .boolean, random.isTrue, let number = description.number(number(field.type), field.type)
        else { return .isSet(operand) }
        return .compares(operand, WireCondition.Comparison.allCases.randomElement(using: &random) ?? .equal, number)
    }

    private mutating func randomUnion(_ name: String) -> UnionDescription {
        let tags: [TypeDescription] = [
            .uint8, .integer(.int24, .littleEndian), .enumeration(0, .bigEndian), .varint(maximumByteCount: 10),
        ]
        let isSized = random.isTrue
        var arms = [UnionDescription.Arm(tag: 0, name: "none", location: nowhere)]
        for index in 1...Int.random(in: 1...4, using: &random) {
            let field = FieldDescription("\(name)a\(index)", type(structures: 3))
            arms.append(UnionDescription.Arm(tag: Int128(index), field: field))
        }
        if isSized { arms.append(UnionDescription.Arm(tag: nil, field: FieldDescription("kept", .bytes(.rest)))) }
        var union = UnionDescription(
            name: name, tag: tags.randomElement(using: &random) ?? .uint8, arms: arms, byteOrder: .littleEndian,
            location: nowhere)
        if isSized { union.sizePrefix = CountFormat.unsigned.filter { $0 != .uint8 }.randomElement(using: &random) }
        return union
    }

    private mutating func type(structures: Int) -> TypeDescription {
        let order: ByteOrder = random.isTrue ? .bigEndian : .littleEndian
        switch Int.random(in: 0..<8, using: &random) {
        case 4: return .sized(.list(scalar(order), .rest), wideExtent(order))
        case 5 where structures > 0:
            return .sized(.structure(Int.random(in: 0..<structures, using: &random)), wideExtent(order))
        case 6:
            let byteCount = Int.random(in: 1...9, using: &random)
            return random.isTrue ? .string(.exact(byteCount: byteCount)) : .bytes(.exact(byteCount: byteCount))
        case 7 where !description.unions.isEmpty:
            let index = Int.random(in: 0..<description.unions.count, using: &random)
            return random.isTrue ? .union(index) : .list(.union(index), listExtent(order))
        case 0 where structures > 0: return .structure(Int.random(in: 0..<structures, using: &random))
        case 1: return .list(scalar(order), listExtent(order))
        case 2: return .fixedList(scalar(order), count: Int.random(in: 1...3, using: &random))
        case 3 where structures > 0:
            return .list(.structure(Int.random(in: 0..<structures, using: &random)), listExtent(order))
        default: return scalar(order)
        }
    }

    private mutating func extent(_ order: ByteOrder) -> TypeDescription.Extent {
        .counted(CountFormat.unsigned.randomElement(using: &random) ?? .uint16, order)
    }

    /// A prefix, or a byte that ends the list.
    private mutating func listExtent(_ order: ByteOrder) -> TypeDescription.Extent {
        let terminators: [UInt8] = [0, 1, 0x61, 0x80, 0xFF]
        return Int.random(in: 0..<3, using: &random) == 0
            ? .until(terminators.randomElement(using: &random) ?? 0) : extent(order)
    }

    /// A prefix that can count the bytes of any value here.
    private mutating func wideExtent(_ order: ByteOrder) -> TypeDescription.Extent {
        let formats: [CountFormat] = [.uint16, .uint32, .varint]
        return .counted(formats.randomElement(using: &random) ?? .uint16, order)
    }

    private mutating func scalar(_ order: ByteOrder) -> TypeDescription {
        switch Int.random(in: 0..<14, using: &random) {
        case 12: .utf16(random.isTrue ? .terminated : extent(order), random.isTrue ? .bigEndian : .littleEndian)
        case 13:
            .utf16(
                .fixed(byteCount: 2 * Int.random(in: 1...9, using: &random), padding: random.isTrue ? 0 : 0x61), order)
        case 10:
            .string(.fixed(byteCount: Int.random(in: 1...9, using: &random), padding: random.isTrue ? 0 : 0x61))
        case 11: .digits(DigitFormat(.bcd, byteCount: Int.random(in: 1...9, using: &random)))
        case 0, 1: .float(FloatFormat.allCases.randomElement(using: &random)!, order)
        case 2: .boolean
        case 3: .varint(.random(using: &random))
        case 4: .string(random.isTrue ? .terminated : extent(order))
        case 5: .bytes(extent(order))
        case 6: .enumeration(Int.random(in: 0..<3, using: &random), order)
        case 7: .flags(Int.random(in: 0..<2, using: &random), order)
        default: .integer(IntegerFormat.allCases.randomElement(using: &random) ?? .uint8, order)
        }
    }

    // MARK: Values

    private mutating func object(
        _ fields: [FieldDescription], _ header: PacketHeader = PacketHeader()
    ) -> JSONValue {
        var members: [JSONValue.Member] = []
        for field in fields where field.hasValue {
            // After an optional field that is left out, no field may follow.
            if field.presence == .optional && random.isTrue { break }
            if field.presence == .nullable && random.isTrue { continue }
            guard description.isThere(field, among: fields, members, header: header) else { continue }
            members.append(JSONValue.Member(field.name, value(field.type)))
        }
        return .object(members)
    }

    private mutating func union(_ union: UnionDescription) -> JSONValue {
        let arm = union.arms.randomElement(using: &random) ?? union.arms[0]
        let value: JSONValue = if let field = arm.field { self.value(field.type) } else { .null }
        guard arm.tag == nil else { return .object([JSONValue.Member(arm.name, value)]) }
        return .object([JSONValue.Member(arm.name, ["tag": 77, "bytes": value])])
    }

    private mutating func value(_ type: TypeDescription) -> JSONValue {
        switch type {
        case .structure(let index): return object(description.structures[index].fields)
        case .union(let index): return union(description.unions[index])
        case .list(let element, .until(let terminator)):
            let items = (0..<Int.random(in: 0...4, using: &random)).map { _ in value(element) }
            return .array(items.filter { firstByte(of: $0, element) != terminator })
        case .list(let element, _): return items(element, count: Int.random(in: 0...4, using: &random))
        case .fixedList(let element, let count): return items(element, count: count)
        case .sized(let content, _): return value(content)
        case .string(.exact(let byteCount)):
            return .string(String((0..<byteCount).map { _ in "ab~\0".randomElement(using: &random) ?? "a" }))
        case .bytes(.exact(let byteCount)): return .string(Base64.encode(random.bytes(byteCount)))
        case .string(.fixed(let byteCount, let padding)): return .string(text(byteCount, padding))
        case .utf16(.fixed(let byteCount, let padding), _): return .string(text(byteCount / 2, padding))
        case .digits(let format):
            return .string(
                String((0..<2 * format.byteCount).map { _ in "0123456789".randomElement(using: &random) ?? "0" }))
        case .string(let extent), .utf16(let extent, _):
            let text = String.random(using: &random)
            return .string(extent == .terminated ? text.filter { $0 != "\u{0}" } : text)
        case .bytes:
            let count = Int.random(in: 0...9, using: &random)
            return .string(Base64.encode(random.bytes(count)))
        case .properties:
            return .object(
                (0..<Int.random(in: 0...3, using: &random)).map { JSONValue.Member("k\($0)", .string("v:\($0)")) })
        default: return number(type)
        }
    }

    /// Text that a field of so many bytes can hold, and that does not end with what fills it.
    private mutating func text(_ byteCount: Int, _ padding: UInt8) -> String {
        var text = String.random(using: &random).unicodeScalars
        if padding == 0 { text.removeAll { $0 == "\0" } }
        while let last = text.last, String(text).utf8.count > byteCount || padding != 0 && last.value == padding {
            text.removeLast()
        }
        return String(text)
    }

    /// The first byte of a value on the wire; nil for one that cannot be written.
    private func firstByte(of value: JSONValue, _ type: TypeDescription) -> UInt8? {
        var single = description
        single.messages[0].fields = [FieldDescription("value", type)]
        let translator = PacketTranslator(single)
        return try? translator.encodePayload(message: single.messages[0].name, fields: ["value": value]).first
    }

    private mutating func items(_ element: TypeDescription, count: Int) -> JSONValue {
        .array((0..<count).map { _ in value(element) })
    }

    private mutating func number(_ type: TypeDescription) -> JSONValue {
        switch type {
        case .float(.binary32, _):
            let value = Float(bitPattern: UInt32.random(in: 0...UInt32.max, using: &random))
            return JSONNumber(value).map { .number($0) } ?? "NaN"
        case .float(.binary16, _):
            let value = FloatFormat.binary16.value(ofBits: random.next() & 0xFFFF)
            guard value.isFinite else { return "Infinity" }
            return (try? JSONValue(parsing: FloatFormat.binary16.digits(of: value))) ?? "NaN"
        case .float:
            return JSONNumber(Double(bitPattern: random.next())).map { .number($0) } ?? "-Infinity"
        case .boolean, .bit: return .boolean(random.isTrue)
        case .varint(let format): return integer(in: format.range)
        case .integer(let format, _): return integer(in: format.range)
        case .enumeration(0, _): return random.isTrue ? "ok" : 7
        case .enumeration(1, _): return random.isTrue ? "least" : "-9223372036854775807"
        case .enumeration: return random.isTrue ? "minus" : "nil"
        case .flags(0, _): return random.isTrue ? ["mute", "owner", 32_768] : ["ban"]
        default: return random.isTrue ? ["top", 1] : ["4611686018427387905"]
        }
    }

    /// An integer of any number of bits, often one of the ends of its range.
    private mutating func integer(in range: ClosedRange<Int128>) -> JSONValue {
        var value = Int128(truncatingIfNeeded: random.next()) >> Int128(Int.random(in: 0...63, using: &random))
        if Int.random(in: 0..<8, using: &random) == 0 { value = random.isTrue ? range.lowerBound : range.upperBound }
        value = min(max(value, range.lowerBound), range.upperBound)
        return value.magnitude < 1 << 53 ? .integer(value) : .string(String(value))
    }
}

extension TypeDescription {
    /// Whether conditions can look at fields of this type.
    fileprivate var isNumber: Bool {
        switch self {
        case .integer, .varint, .boolean, .enumeration, .flags: true
        default: false
        }
    }

    fileprivate static let uint24 = TypeDescription.integer(.uint24, .littleEndian)
}

extension SeededGenerator {
    fileprivate var isTrue: Bool { mutating get { Bool.random(using: &self) } }
}
