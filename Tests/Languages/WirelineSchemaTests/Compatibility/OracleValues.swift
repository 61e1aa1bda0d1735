// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineCodec
import WirelineSchema

/// Random values, many of them at the limits of what either version accepts.
struct OracleValues {
    private let description: ProtocolDescription
    private(set) var random: SeededGenerator
    private let numbers: [Int128]
    private let counts: [Int]
    /// Whether something in the message is already long: it would be too much if everything were.
    private var hasLong = false

    init(_ description: ProtocolDescription, other: ProtocolDescription, random: SeededGenerator) {
        self.description = description
        self.random = random
        var numbers: [Int128] = [0, 1, 2, 3, 5, 127, 128, 255, 256, 0x0102, 0x0102_0304]
        for format in IntegerFormat.allCases { numbers += [format.range.lowerBound, format.range.upperBound] }
        var counts = [0, 1, 2, 3]
        for version in [description, other] {
            let fields = version.allFields
            for range in fields.compactMap(\.range) {
                numbers += [range.lowerBound - 1, range.lowerBound, range.upperBound, range.upperBound + 1]
            }
            for test in fields.compactMap(\.presence.condition).flatMap(\.tests) {
                numbers += [test.number - 1, test.number, test.number + 1]
            }
            for count in fields.compactMap(\.maximumCount) { counts += [count, count + 1] }
            numbers +=
                version.enumerations.flatMap(\.cases).map(\.value) + version.flagSets.flatMap(\.cases).map(\.value)
        }
        self.numbers = numbers
        self.counts = counts
    }

    /// - Parameter header: The header fields of the packet that differ from their defaults.
    mutating func fields(of message: MessageDescription, _ header: PacketHeader) -> JSONValue {
        hasLong = false
        return object(message.fields, header)
    }

    /// Now and then a header field with an unusual value.
    mutating func header() -> (json: JSONValue?, values: PacketHeader) {
        for field in description.layout.fields {
            guard case .value = field.role, random.chance(2) else { continue }
            let value = Int128(Int.random(in: 0...9, using: &random))
            let json: JSONValue = field.format.isBoolean ? .boolean(value & 1 == 1) : .integer(value)
            let header: PacketHeader = [field.name: field.format.isBoolean ? value & 1 : value]
            return (.object([JSONValue.Member(field.name, json)]), header)
        }
        return (nil, [:])
    }

    private mutating func object(_ fields: [FieldDescription], _ header: PacketHeader = [:]) -> JSONValue {
        var members: [JSONValue.Member] = []
        for field in fields where field.hasValue {
            if field.presence == .optional, random.chance(3) { break }
            if field.presence == .nullable, random.chance(3) { continue }
            guard description.isThere(field, among: fields, members, header: header) else { continue }
            members.append(JSONValue.Member(field.name, value(field.type, field)))
        }
        return .object(members)
    }

    /// A value of any arm. What is kept has a tag that no version has an arm for.
    private mutating func union(_ union: UnionDescription) -> JSONValue {
        let arm = random.pick(union.arms)
        let value: JSONValue = if let field = arm.field { self.value(field.type, field) } else { .null }
        guard arm.tag == nil else { return .object([JSONValue.Member(arm.name, value)]) }
        return .object([JSONValue.Member(arm.name, ["tag": 120, "bytes": value])])
    }

    private mutating func value(_ type: TypeDescription, _ field: FieldDescription?) -> JSONValue {
        switch type {
        case .structure(let index): return object(description.structures[index].fields)
        case .union(let index): return union(description.unions[index])
        case .fixedList(let element, let count): return .array((0..<count).map { _ in value(element, nil) })
        case .sized(.utf16, .exact(let byteCount)): return .string(String(repeating: "b", count: byteCount / 2))
        case .sized(.list(.varint(let format), _), .exact(let byteCount)):
            return .array(varints(format, filling: byteCount, most: min(field?.maximumCount ?? 50, byteCount)))
        case .sized(let content, _):
            guard let count = WireSizes(description).itemCount(filling: type) else { return value(content, field) }
            return .array((0..<count).map { _ in value(content.leaf, nil) })
        case .list(let element, _):
            let count = count(field?.maximumCount, most: 50)
            return .array((0..<count).map { _ in value(element, nil) })
        case .string(.fixed(let byteCount, let padding)):
            var text = text(field).prefix(Int.random(in: 0...byteCount, using: &random))
            while padding != 0, text.utf8.last == padding { text.removeLast() }
            return .string(String(text))
        case .utf16(.fixed(let byteCount, let padding), _):
            var text = text(field).prefix(Int.random(in: 0...byteCount / 2, using: &random))
            while padding != 0, text.utf8.last == padding { text.removeLast() }
            return .string(String(text))
        case .string(.exact(let byteCount)): return .string(String(repeating: "a", count: byteCount))
        case .bytes(.exact(let byteCount)):
            return .string(Base64.encode((0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &random) }))
        case .string, .utf16: return .string(text(field))
        case .digits(let format):
            return .string(String((0..<2 * format.byteCount).map { _ in random.pick(Array("0123456789")) }))
        case .bytes:
            let bytes = text(field).utf8.map { random.chance(5) ? UInt8.random(in: 1...255, using: &random) : $0 }
            return .string(Base64.encode(bytes))
        case .boolean, .bit: return .boolean(random.chance(2))
        case .float:
            return .number(random.pick([0, 1.5, -0.25, 1000].compactMap { JSONNumber(Double($0)) }))
        case .integer(let format, _): return number(format.range, field)
        case .varint(let format): return number(format.range, field)
        case .enumeration(let index, _):
            let item = description.enumerations[index]
            return item.isClosed || random.chance(2)
                ? .string(random.pick(item.cases).name) : number(item.format.range, nil)
        case .flags(let index, _):
            let item = description.flagSets[index]
            return random.chance(2) ? [.string(random.pick(item.cases).name)] : [number(item.format.range, nil)]
        case .properties: return .object([])
        }
    }

    /// Numbers that take so many bytes together: each of them a part of the bytes.
    private mutating func varints(_ format: VarintFormat, filling byteCount: Int, most: Int) -> [JSONValue] {
        let fewest = min((byteCount + format.maximumByteCount - 1) / format.maximumByteCount, most)
        var widths = Array(repeating: 1, count: Int.random(in: fewest...most, using: &random))
        for _ in widths.count..<max(widths.count, byteCount) {
            let growing = widths.indices.filter { widths[$0] < format.maximumByteCount }
            if let index = growing.randomElement(using: &random) { widths[index] += 1 }
        }
        return widths.map { width in
            let bits = UInt64.random(in: 1..<128, using: &random) << UInt64(7 * (width - 1))
            return Self.json(of: format.value(ofBits: bits) ?? 0)
        }
    }

    private mutating func count(_ maximum: Int?, most: Int) -> Int {
        // A varint of this length takes two bytes.
        if !hasLong, random.chance(20) {
            hasLong = true
            return min(Int.random(in: 128...200, using: &random), maximum ?? .max)
        }
        return min(random.pick(counts), maximum ?? most)
    }

    private mutating func text(_ field: FieldDescription?) -> String {
        let count = count(field?.maximumCount, most: 60)
        return String((0..<count).map { _ in random.pick(Array("abcxyz09")) })
    }

    private mutating func number(_ range: ClosedRange<Int128>, _ field: FieldDescription?) -> JSONValue {
        let range = field?.range.map { range.clamped(to: $0) } ?? range
        return Self.json(of: random.pick(numbers.filter(range.contains)))
    }

    private static func json(of value: Int128) -> JSONValue {
        value.magnitude < 1 << 53 ? .integer(value) : .string(String(value))
    }
}
