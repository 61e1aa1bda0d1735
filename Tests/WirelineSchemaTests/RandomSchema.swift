// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineSchema

/// The text of a random schema, in parts that can be changed one by one.
struct RandomSchema {
    var options: [(name: String, value: String)] = []
    /// The members of the packet; empty for the default one.
    var packet: [String] = []
    var enumerations: [Cases] = []
    var flagSets: [Cases] = []
    var structures: [Structure] = []
    var messages: [Message] = []
    var reservedIDs: [Int] = []

    struct Cases {
        var name: String
        var format: String
        var cases: [(name: String, value: Int)]
        var reserved: [Int] = []
        var isClosed = false
    }

    struct Structure {
        var name: String
        var sizePrefix: String?
        var fields: [Field]
    }

    struct Message {
        var name: String
        var id: Int
        var sender: String
        var fields: [Field]
    }

    struct Field {
        var name: String
        var type: String
        var list: List = .none
        var presence: Presence = .required
        var range: ClosedRange<Int>?
        var maximum: Int?
        var pad: Int?
        var count: String?
        var isTerminated = false
        var isRest = false
        var byteOrder: String?

        enum List: Equatable {
            case none, counted, repeated
            case fixed(Int)
        }
        enum Presence: Equatable {
            case required, optional
            case since(Int, default: String?)
        }
    }

    // MARK: Text

    /// Between two tokens of ``tokens``.
    static let gap: Character = "\u{1}"

    /// The whole schema, with a ``gap`` at each place that may have comments or needs space.
    var marked: String {
        var tokens: [String] = []
        for option in options { tokens += ["option", option.name, "=", option.value, ";"] }
        if !packet.isEmpty { tokens += ["packet", "{"] + packet.flatMap(Self.split) + ["}"] }
        for item in enumerations { tokens += item.tokens("enum") }
        for item in flagSets { tokens += item.tokens("flags") }
        for item in structures {
            tokens += ["struct", item.name]
            if let prefix = item.sizePrefix { tokens += ["sized", "(", prefix, ")"] }
            tokens += ["{"] + item.fields.flatMap(\.tokens) + ["}"]
        }
        for item in messages {
            tokens += ["@id", "(", "\(item.id)", ")", "@from", "(", item.sender, ")", "message", item.name, "{"]
            tokens += item.fields.flatMap(\.tokens) + ["}"]
        }
        for id in reservedIDs { tokens += ["reserved", "\(id)", ";"] }
        return tokens.map { String(Self.gap) + $0 }.joined() + String(Self.gap)
    }

    /// The schema with a line for each member.
    var text: String {
        marked.replacing("\u{1};\u{1}", with: ";\n").replacing("\u{1}{\u{1}", with: " {\n")
            .replacing("\u{1}}\u{1}", with: "}\n\n").replacing(String(Self.gap), with: " ")
    }

    var files: [SourceFile] { [SourceFile(path: "a.wire", bytes: Array(text.utf8))] }

    private static func split(_ member: String) -> [String] { member.split(separator: " ").map(String.init) }
}

extension RandomSchema.Cases {
    func tokens(_ keyword: String) -> [String] {
        var tokens = isClosed ? ["@closed"] : []
        tokens += [keyword, name, ":", format, "{"]
        for item in cases { tokens += [item.name, "=", "\(item.value)", ";"] }
        for value in reserved { tokens += ["reserved", "\(value)", ";"] }
        return tokens + ["}"]
    }
}

extension RandomSchema.Field {
    var tokens: [String] {
        var tokens: [String] = []
        if let byteOrder { tokens.append("@" + byteOrder) }
        if let count { tokens += ["@count", "(", count, ")"] }
        if isTerminated { tokens.append("@terminated") }
        if isRest { tokens.append("@rest") }
        if let range { tokens += ["@range", "(", "\(range.lowerBound)", "..", "\(range.upperBound)", ")"] }
        if let maximum { tokens += ["@max", "(", "\(maximum)", ")"] }
        if let pad { tokens += ["@pad", "(", "\(pad)", ")"] }
        if case .since(let number, let value) = presence {
            tokens += ["@since", "(", "\(number)", ")"]
            if let value { tokens += ["@default", "(", value, ")"] }
        }
        if presence == .optional { tokens.append("optional") }
        if list == .repeated { tokens.append("repeated") }
        tokens += type.split(separator: " ").map(String.init)
        switch list {
        case .counted: tokens += ["[", "]"]
        case .fixed(let count): tokens += ["[", "\(count)", "]"]
        case .none, .repeated: break
        }
        return tokens + [name, ";"]
    }
}

// MARK: Making one

extension RandomSchema {
    /// A schema that the checker accepts.
    static func make(using random: inout SeededGenerator) -> (schema: RandomSchema, description: ProtocolDescription) {
        while true {
            let schema = RandomSchema(using: &random)
            let result = ProtocolDescription.check(name: "Random", files: schema.files)
            if let description = result.description { return (schema, description) }
        }
    }

    private static let packets: [[String]] = [
        ["@length ( packet ) uint16 length ;", "@id uint8 id ;"],
        ["@id uint16 id ;", "@length ( payload ) uint32 length ;", "@default ( 3 ) uint8 version ;"],
        [
            "@constant ( 0xAA ) uint8 start ;", "@length ( rest ) varint length ;", "@id @little uint16 id ;",
            "payload ;",
            "@checksum ( crc32 ) uint32 sum ;",
        ],
        ["@length ( packet ) zigzag length ;", "@id uint16 id ;"],
        [
            "@checksum ( xor8 , id .. payload ) uint8 sum ;", "@length ( rest ) uint16 length ;", "@id uint8 id ;",
            "payload ;", "@checksum ( adler32 , rest ) uint64 none ;", "@checksum ( crc16_x25 ) @little uint32 check ;",
        ],
    ]
    private static let integers = [
        "uint8", "uint16", "uint24", "uint32", "uint64", "int8", "int16", "int24", "int32", "int64",
    ]

    private init(using random: inout SeededGenerator) {
        if random.chance(3) { options.append(("byte_order", "little")) }
        if random.chance(3) { options.append(("string_count", random.pick(["uint8", "uint32", "varint"]))) }
        if random.chance(3) { options.append(("list_count", random.pick(["uint8", "varint"]))) }
        if random.chance(3) { options.append(("trailing", "reject")) }
        if random.chance(4) { options.append(("varints", "any")) }
        if random.chance(2) { packet = random.pick(Self.packets) }
        for index in 0..<Int.random(in: 1...2, using: &random) {
            let format = random.pick(["uint8", "int16", "uint32"])
            let cases = (0..<Int.random(in: 2...4, using: &random)).map { ("e\(index)_\($0)", $0) }
            enumerations.append(Cases(name: "E\(index)", format: format, cases: cases, isClosed: random.chance(3)))
            if random.chance(3) { enumerations[index].reserved = [90] }
        }
        flagSets = [
            Cases(name: "F0", format: random.pick(["uint8", "uint16"]), cases: [("a", 1), ("b", 2), ("c", 4)])
        ]
        for index in 0..<Int.random(in: 1...3, using: &random) {
            let isSized = random.chance(2)
            let fields = Self.fields(structures: index, mayGrow: isSized, mayTakeRest: false, in: self, &random)
            let prefix = isSized ? random.pick(["uint8", "uint16", "varint"]) : nil
            structures.append(Structure(name: "S\(index)", sizePrefix: prefix, fields: fields))
        }
        for index in 0..<Int.random(in: 1...3, using: &random) {
            let count = structures.count
            let fields = Self.fields(structures: count, mayGrow: true, mayTakeRest: true, in: self, &random)
            let sender = random.pick(["client", "server", "both"])
            messages.append(Message(name: "M\(index)", id: 10 + index, sender: sender, fields: fields))
        }
    }

    private static func fields(
        structures: Int, mayGrow: Bool, mayTakeRest: Bool, in schema: RandomSchema, _ random: inout SeededGenerator
    ) -> [Field] {
        var fields: [Field] = []
        for index in 0..<Int.random(in: 1...4, using: &random) {
            fields.append(field("f\(index)", structures: structures, in: schema, &random))
        }
        if mayGrow, random.chance(2) {
            var since = Field(name: "g0", type: random.pick(integers))
            since.presence = .since(2, default: random.chance(2) ? "7" : nil)
            fields.append(since)
            if random.chance(2) { fields.append(Field(name: "g1", type: "string", presence: .optional)) }
            if random.chance(2) { fields.append(Field(name: "g2", type: "uint32", presence: .optional)) }
        } else if mayTakeRest, random.chance(3) {
            fields.append(Field(name: "rest", type: random.pick(["string", "bytes"]), isRest: true))
        }
        return fields
    }

    static func field(
        _ name: String, structures: Int, in schema: RandomSchema, _ random: inout SeededGenerator
    ) -> Field {
        var field = Field(name: name, type: "uint8")
        switch Int.random(in: 0..<9, using: &random) {
        case 8:
            field.type = random.pick(["char [ 3 ]", "char [ 7 ]", "bcd [ 1 ]", "bcd [ 4 ]"])
            if field.type.hasPrefix("char"), random.chance(3) { field.pad = random.pick([0x20, 0x30]) }
        case 0 where structures > 0: field.type = "S\(Int.random(in: 0..<structures, using: &random))"
        case 1: field.type = "E\(Int.random(in: 0..<schema.enumerations.count, using: &random))"
        case 2: field.type = "F0"
        case 3:
            field.type = random.pick(["string", "bytes"])
            if random.chance(3) { field.maximum = Int.random(in: 1...40, using: &random) }
            if random.chance(3) { field.isTerminated = true } else if random.chance(3) { field.count = "uint8" }
            return field
        case 4: field.type = random.pick(["float32", "float64", "bool", "varint", "zigzag", "varint32", "varint64"])
        default:
            field.type = random.pick(integers)
            if random.chance(4) { field.range = 0...Int.random(in: 1...100, using: &random) }
            if field.type != "uint8", field.type != "int8", random.chance(5) { field.byteOrder = "big" }
        }
        guard field.range == nil, random.chance(3) else { return field }
        field.list = random.pick([.counted, .repeated, .fixed(Int.random(in: 1...3, using: &random))])
        if field.list == .counted, random.chance(3) { field.maximum = Int.random(in: 1...9, using: &random) }
        return field
    }
}

extension SeededGenerator {
    /// Returns true once in `count` times on average.
    mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }
}
