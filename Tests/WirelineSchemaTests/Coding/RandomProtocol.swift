// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineCodec
import WirelineSchema

/// A protocol of one message `M` with random fields, and random values for them.
struct RandomProtocol {
    private(set) var description: ProtocolDescription
    var random: SeededGenerator

    init(random: SeededGenerator) {
        self.random = random
        description = .only([])
        // Structures refer only to those before them, so that none contains itself.
        for index in 0..<3 {
            let isSized = self.random.isTrue
            let fields = randomFields(structures: index, mayGrow: isSized, mayTakeRest: false)
            description.structures.append(StructureDescription("S\(index)", sized: isSized ? .uint16 : nil, fields))
        }
        description.messages[0].fields = randomFields(structures: 3, mayGrow: true, mayTakeRest: true)
    }

    /// An object for the fields of `M`.
    mutating func fields() -> JSONValue {
        object(description.messages[0].fields)
    }

    // MARK: Types

    private mutating func randomFields(structures: Int, mayGrow: Bool, mayTakeRest: Bool) -> [FieldDescription] {
        var fields = [FieldDescription("first", .uint8)]
        for index in 0..<Int.random(in: 0...5, using: &random) {
            fields.append(FieldDescription("f\(index)", type(structures: structures)))
        }
        if mayGrow && random.isTrue {
            fields.append(FieldDescription("since", .uint16, .since(2, default: .integer(9))))
            fields.append(FieldDescription("optional", .text, .optional))
            fields.append(FieldDescription("last", .uint32, .optional))
        } else if mayTakeRest && random.isTrue {
            let types: [TypeDescription] = [
                .string(.rest), .bytes(.rest), .list(.uint24, .rest), .properties(isStrict: true),
            ]
            fields.append(FieldDescription("rest", types.randomElement(using: &random) ?? .bytes(.rest)))
        }
        return fields
    }

    private mutating func type(structures: Int) -> TypeDescription {
        let order: ByteOrder = random.isTrue ? .bigEndian : .littleEndian
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where structures > 0: return .structure(Int.random(in: 0..<structures, using: &random))
        case 1: return .list(scalar(order), extent(order))
        case 2: return .fixedList(scalar(order), count: Int.random(in: 1...3, using: &random))
        case 3 where structures > 0:
            return .list(.structure(Int.random(in: 0..<structures, using: &random)), extent(order))
        default: return scalar(order)
        }
    }

    private mutating func extent(_ order: ByteOrder) -> TypeDescription.Extent {
        .counted(CountFormat.allCases.randomElement(using: &random) ?? .uint16, order)
    }

    private mutating func scalar(_ order: ByteOrder) -> TypeDescription {
        switch Int.random(in: 0..<12, using: &random) {
        case 10:
            .string(.fixed(byteCount: Int.random(in: 1...9, using: &random), padding: random.isTrue ? 0 : 0x61))
        case 11: .digits(byteCount: Int.random(in: 1...9, using: &random))
        case 0: .float32(order)
        case 1: .float64(order)
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

    private mutating func object(_ fields: [FieldDescription]) -> JSONValue {
        var members: [JSONValue.Member] = []
        for field in fields {
            // After an optional field that is left out, no field may follow.
            if field.presence == .optional && random.isTrue { break }
            members.append(JSONValue.Member(field.name, value(field.type)))
        }
        return .object(members)
    }

    private mutating func value(_ type: TypeDescription) -> JSONValue {
        switch type {
        case .structure(let index): return object(description.structures[index].fields)
        case .list(let element, _): return items(element, count: Int.random(in: 0...4, using: &random))
        case .fixedList(let element, let count): return items(element, count: count)
        case .string(.fixed(let byteCount, let padding)): return .string(text(byteCount, padding))
        case .digits(let byteCount):
            return .string(String((0..<2 * byteCount).map { _ in "0123456789".randomElement(using: &random) ?? "0" }))
        case .string(let extent):
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

    private mutating func items(_ element: TypeDescription, count: Int) -> JSONValue {
        .array((0..<count).map { _ in value(element) })
    }

    private mutating func number(_ type: TypeDescription) -> JSONValue {
        switch type {
        case .float32:
            let value = Float(bitPattern: UInt32.random(in: 0...UInt32.max, using: &random))
            return JSONNumber(value).map { .number($0) } ?? "NaN"
        case .float64:
            return JSONNumber(Double(bitPattern: random.next())).map { .number($0) } ?? "-Infinity"
        case .boolean: return .boolean(random.isTrue)
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
    fileprivate static let uint24 = TypeDescription.integer(.uint24, .littleEndian)
}

extension SeededGenerator {
    fileprivate var isTrue: Bool { mutating get { Bool.random(using: &self) } }
}
