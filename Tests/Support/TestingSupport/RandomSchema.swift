// SPDX-License-Identifier: Apache-2.0

package import WirelineSchema

/// The text of a random schema, in parts that can be changed one by one.
package struct RandomSchema {
    package var options: [(name: String, value: String)] = []
    /// The members of the packet; empty for the default one.
    package var packet: [String] = []
    package var enumerations: [Cases] = []
    package var flagSets: [Cases] = []
    package var structures: [Structure] = []
    package var unions: [Union] = []
    package var messages: [Message] = []
    package var reservedIDs: [Int] = []

    package struct Cases {
        package var name: String
        package var format: String
        package var cases: [(name: String, value: Int)]
        package var reserved: [Int] = []
        package var isClosed = false
    }

    package struct Structure {
        package var name: String
        package var sizePrefix: String?
        package var fields: [Field]
    }

    package struct Union {
        package var name: String
        package var tag: String
        package var sizePrefix: String?
        package var arms: [(tag: Int, field: Field?, name: String)]
        package var hasDefault: Bool
    }

    package struct Message {
        package var name: String
        package var id: Int
        package var sender: String
        /// The value of the header field `level` in its packets.
        package var level: Int?
        package var fields: [Field]
    }

    package struct Field {
        package var name: String
        package var type: String
        package var list: List = .none
        package var presence: Presence = .required
        package var range: ClosedRange<Int>?
        package var maximum: Int?
        package var pad: Int?
        /// The number of bytes of `padding`, which has nothing else.
        package var padding: Int?
        package var constant: String?
        package var count: String?
        package var size: String?
        /// The byte that ends a list.
        package var until: Int?
        package var isTerminated = false
        package var isUTF16 = false
        package var isRest = false
        package var condition: String?
        /// The earlier field with the tag of a union.
        package var tag: String?
        package var byteOrder: String?

        package enum List: Equatable {
            case none, counted, repeated
            case fixed(Int)
        }
        package enum Presence: Equatable {
            case required, optional
            case since(Int, default: String?)
        }
    }

    // MARK: Text

    /// Between two tokens of ``tokens``.
    package static let gap: Character = "\u{1}"

    /// The whole schema, with a ``gap`` at each place that may have comments or needs space.
    package var marked: String {
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
        for item in unions {
            tokens += ["union", item.name, ":", item.tag]
            if let prefix = item.sizePrefix { tokens += ["sized", "(", prefix, ")"] }
            tokens.append("{")
            for arm in item.arms { tokens += ["\(arm.tag)", ":"] + (arm.field?.tokens ?? [arm.name, ";"]) }
            if item.hasDefault { tokens += ["default", ":", "bytes", "kept", ";"] }
            tokens.append("}")
        }
        for item in messages {
            tokens += ["@id", "(", "\(item.id)", ")", "@from", "(", item.sender, ")"]
            if let level = item.level { tokens += ["@header", "(", "level", "=", "\(level)", ")"] }
            tokens += ["message", item.name, "{"]
            tokens += item.fields.flatMap(\.tokens) + ["}"]
        }
        for id in reservedIDs { tokens += ["reserved", "\(id)", ";"] }
        return tokens.map { String(Self.gap) + $0 }.joined() + String(Self.gap)
    }

    /// The schema with a line for each member.
    package var text: String {
        marked.replacing("\u{1};\u{1}", with: ";\n").replacing("\u{1}{\u{1}", with: " {\n")
            .replacing("\u{1}}\u{1}", with: "}\n\n").replacing(String(Self.gap), with: " ")
    }

    package var files: [SourceFile] { [SourceFile(path: "a.wire", bytes: Array(text.utf8))] }

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

extension RandomSchema.Message {
    /// A message of both sides with one field.
    package init(_ name: String, id: Int, field: RandomSchema.Field) {
        self.init(name: name, id: id, sender: "both", fields: [field])
    }
}

extension RandomSchema.Field {
    /// A field without attributes.
    package init(_ type: String, named name: String) { self.init(name: name, type: type) }

    /// Whether its prefix says that it may be absent.
    fileprivate var isNullable: Bool { ["int16", "int32", "zigzag"].contains(count ?? size) }

    /// Whether it is an enum, an integer or a varint.
    fileprivate var isNumber: Bool {
        type.hasPrefix("E") || type.hasPrefix("uint") || type.hasPrefix("int") || type.hasPrefix("varint")
            || type == "zigzag"
    }

    package var tokens: [String] {
        if let padding { return ["padding", "\(padding)", ";"] }
        var tokens: [String] = []
        if let condition { tokens += ["@if", "("] + condition.split(separator: " ").map(String.init) + [")"] }
        if let tag { tokens += ["@tag", "(", tag, ")"] }
        if let byteOrder { tokens.append("@" + byteOrder) }
        if let count { tokens += ["@count", "(", count, ")"] }
        if let size { tokens += ["@size", "("] + size.split(separator: " ").map(String.init) + [")"] }
        if let until { tokens += ["@until", "(", "\(until)", ")"] }
        if isTerminated { tokens.append("@terminated") }
        if isUTF16 { tokens.append("@utf16") }
        if isRest { tokens.append("@rest") }
        if let range { tokens += ["@range", "(", "\(range.lowerBound)", "..", "\(range.upperBound)", ")"] }
        if let maximum { tokens += ["@max", "(", "\(maximum)", ")"] }
        if let constant { tokens += ["@constant", "(", constant, ")"] }
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
    package static func make(
        using random: inout SeededGenerator
    ) -> (schema: RandomSchema, description: ProtocolDescription) {
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
            "bcd [ 2 ] phone ;", "@pad ( 0x20 ) char [ 3 ] name ;", "@id uint4 kind ;", "bit flag ;",
            "@default ( 2 ) uint2 level ;", "bit last ;",
            "@length ( rest ) @max_bytes ( 4 ) varint length ;",
        ],
        [
            "@constant ( 5 ) @little uint3 start ;", "@id @little uint10 id ;", "@little int5 level ;",
            "@little bit flag ;",
            "@little uint5 more ;", "@length ( payload ) uint16 length ;", "payload ;", "uint7 filler ;",
            "@constant ( true ) bit end ;",
        ],
        ["@length ( rest ) @max_bytes ( 3 ) varint length ;", "@id @max_bytes ( 5 ) varint id ;"],
        [
            "@id zigzag id ;", "@length ( packet ) varint length ;", "varint32 extra ;",
            "@length ( rest ) varint more ;", "@checksum ( sum8 , id .. payload ) uint8 sum ;",
        ],
        [
            "@checksum ( xor8 , id .. payload ) uint8 sum ;", "@length ( rest ) uint16 length ;", "@id uint8 id ;",
            "payload ;", "@checksum ( adler32 , rest ) uint64 none ;", "@checksum ( crc16_x25 ) @little uint32 check ;",
        ],
        [
            "@default ( 1 ) uint8 form ;", "@if ( form == 1 ) @length ( packet ) uint16 length ;",
            "@if ( form > 1 or form == 0 ) @length ( rest ) uint32 longer ;", "@id uint8 id ;",
            "@if ( form & 4 ) @default ( 7 ) varint extra ;",
        ],
        [
            "@id uint7 id ;", "bit long ;", "@length ( packet ) uint16 length ;", "@if ( long ) @id uint8 more ;",
            "payload ;", "@if ( not long ) @checksum ( sum8 , id .. payload ) uint8 sum ;",
            "@if ( id >= 64 ) int16 tail ;",
        ],
    ]
    private static let integers = [
        "uint8", "uint16", "uint24", "uint32", "uint64", "int8", "int16", "int24", "int32", "int64", "uint40", "int56",
    ]
    /// Fields that share bytes.
    private static let runs = [
        ["uint4", "bit", "uint2", "bit"], ["uint12", "int4"], ["bit", "uint15"], ["uint4", "uint8", "int4"],
        ["uint33", "int6", "bit"], ["int26", "int26", "int12"], ["P0", "uint6"], ["uint3", "P0", "Q0"],
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
        let isClosed = random.chance(2)
        enumerations.append(Cases(name: "P0", format: "uint2", cases: [("p0", 0), ("p1", 2)], isClosed: isClosed))
        flagSets = [
            Cases(name: "F0", format: random.pick(["uint8", "uint16"]), cases: [("a", 1), ("b", 2), ("c", 4)]),
            Cases(name: "Q0", format: "uint3", cases: [("q0", 1), ("q1", 6)]),
        ]
        if random.chance(2) { unions.append(Self.union("U0", structures: 0, in: self, &random)) }
        for index in 0..<Int.random(in: 1...3, using: &random) {
            let isSized = random.chance(2)
            let fields = Self.fields(structures: index, mayGrow: isSized, mayTakeRest: false, in: self, &random)
            let prefix = isSized ? random.pick(["uint8", "uint16", "varint"]) : nil
            structures.append(Structure(name: "S\(index)", sizePrefix: prefix, fields: fields))
        }
        if random.chance(2) { unions.append(Self.union("U1", structures: structures.count, in: self, &random)) }
        for index in 0..<Int.random(in: 1...3, using: &random) {
            let count = structures.count
            let fields = Self.fields(
                structures: count, mayGrow: true, mayTakeRest: true, headerOf: packet, in: self, &random)
            let sender = random.pick(["client", "server", "both"])
            let hasLevel = packet.contains { $0.contains(" level ") }
            let level = hasLevel && random.chance(2) ? Int.random(in: 0...3, using: &random) : nil
            messages.append(Message(name: "M\(index)", id: 10 + index, sender: sender, level: level, fields: fields))
        }
    }

    /// A union without an arm that goes to the end, unless the union says its size.
    private static func union(
        _ name: String, structures: Int, in schema: RandomSchema, _ random: inout SeededGenerator
    ) -> Union {
        let prefix = random.chance(2) ? random.pick(["uint8", "uint16", "varint"]) : nil
        let arms = (0..<Int.random(in: 1...4, using: &random)).map { index in
            let name = "\(name.lowercased())_\(index)"
            var field = random.chance(4) ? nil : field(name, structures: structures, in: schema, &random)
            // The value of an arm is always there.
            if field?.isNullable == true {
                field?.count = nil
                field?.size = nil
            }
            return (tag: 3 * index + 1, field: field, name: name)
        }
        return Union(
            name: name, tag: random.pick(["uint8", "uint16", "int24", "varint"]), sizePrefix: prefix, arms: arms,
            hasDefault: prefix != nil && random.chance(2))
    }

    private static func fields(
        structures: Int, mayGrow: Bool, mayTakeRest: Bool, headerOf: [String] = [], in schema: RandomSchema,
        _ random: inout SeededGenerator
    ) -> [Field] {
        var fields: [Field] = []
        for index in 0..<Int.random(in: 1...4, using: &random) {
            var field = field("f\(index)", structures: structures, in: schema, &random)
            if !field.isNullable, random.chance(4) {
                field.condition = condition(after: fields, headerOf: headerOf, &random)
            }
            fields.append(field)
        }
        if let union = schema.unions.randomElement(using: &random), random.chance(3) {
            var body = Field(name: "u", type: union.name, tag: "k")
            if random.chance(3) { body.size = random.pick(["uint8", "uint16", "int16", "zigzag"]) }
            if !body.isNullable, random.chance(3) {
                body.condition = condition(after: fields, headerOf: headerOf, &random)
            }
            fields.append(body)
            let tag = Field(name: "k", type: union.tag)
            fields.insert(tag, at: Int.random(in: 0..<fields.count, using: &random))
        }
        if random.chance(3) { fields += counted(structures: structures, &random) }
        if random.chance(3) {
            let order = random.pick(["little", "big", nil])
            for (index, type) in random.pick(runs).enumerated() {
                var field = Field(name: "p\(index)", type: type, byteOrder: order)
                if type != "Q0", random.chance(4) {
                    field.constant = type == "bit" ? random.pick(["true", "false"]) : random.pick(["0", "2"])
                }
                fields.append(field)
            }
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

    /// Makes a field that counts the items or bytes of one or two others.
    private static func counted(structures: Int, _ random: inout SeededGenerator) -> [Field] {
        var fields = [Field(name: "n", type: random.pick(["uint8", "uint16", "int8", "uint24", "int32"]))]
        switch Int.random(in: 0..<4, using: &random) {
        case 0 where structures > 0: fields.append(Field(name: "c", type: "S0", size: random.pick(["n", "n - 2"])))
        case 1:
            fields.append(Field(name: "c", type: random.pick(["string", "bytes"]), size: random.pick(["n", "n - 3"])))
        case 2: fields.append(Field(name: "c", type: random.pick(integers), list: .counted, size: "n - 1"))
        default:
            fields.append(Field(name: "c", type: random.pick(integers + ["string"]), list: .counted, count: "n"))
        }
        if random.chance(2) { fields.insert(Field(name: "b", type: random.pick(integers)), at: 1) }
        return fields
    }

    /// Makes a condition on some of these fields, and of the packet's; nil if none of them is a number.
    ///
    /// - Parameter packet: The members of the packet; empty if conditions cannot look at it.
    package static func condition(
        after fields: [Field], headerOf packet: [String] = [], _ random: inout SeededGenerator
    ) -> String? {
        let operands = fields.filter {
            $0.padding == nil && $0.list == .none && ($0.type == "F0" || $0.type == "bool" || $0.isNumber)
        }
        let header = headerOperands(packet)
        guard !operands.isEmpty || !header.isEmpty else { return nil }
        func test(_ random: inout SeededGenerator) -> String {
            if operands.isEmpty || !header.isEmpty && random.chance(2) {
                let name = "header . " + random.pick(header)
                return random.chance(2) ? name : "\(name) > 0"
            }
            let field = random.pick(operands)
            let value = Int.random(in: 0...(field.range?.upperBound ?? 100), using: &random)
            let marks = ["==", "!=", "<", "<=", ">", ">=", "&"]
            let isPlain = field.type == "bool" || random.chance(3)
            let test = isPlain ? field.name : "\(field.name) \(random.pick(marks)) \(value)"
            return random.chance(4) ? "not ( \(test) )" : test
        }
        let first = test(&random)
        return random.chance(2) ? first : "\(first) \(random.pick(["and", "or"])) \(test(&random))"
    }

    /// The names of the packet's fields that conditions of messages can look at.
    private static func headerOperands(_ packet: [String]) -> [String] {
        packet.prefix { $0 != "payload ;" }.compactMap { member in
            let others = ["@id", "@length", "@constant", "@checksum", "@sequence", "char", "bcd", "layer"]
            let words = member.split(separator: " ").map(String.init)
            return words.contains(where: others.contains) ? nil : words.dropLast().last
        }
    }

    package static func field(
        _ name: String, structures: Int, in schema: RandomSchema, _ random: inout SeededGenerator
    ) -> Field {
        var field = Field(name: name, type: "uint8")
        switch Int.random(in: 0..<10, using: &random) {
        case 9 where random.chance(2):
            field.padding = Int.random(in: 1...5, using: &random)
            return field
        case 9 where !schema.unions.isEmpty: field.type = random.pick(schema.unions).name
        case 8:
            field.type = random.pick(["char [ 3 ]", "char [ 7 ]", "bcd [ 1 ]", "bcd [ 4 ]"])
            if field.type.hasPrefix("char"), random.chance(3) { field.isUTF16 = true }
            if field.type.hasPrefix("char"), random.chance(3) { field.pad = random.pick([0x20, 0x30]) }
        case 0 where structures > 0:
            field.type = "S\(Int.random(in: 0..<structures, using: &random))"
            guard random.chance(3) else { break }
            field.size = random.pick(["uint8", "uint16", "varint", "int16", "zigzag"])
            return field
        case 1: field.type = "E\(Int.random(in: 0..<schema.enumerations.count - 1, using: &random))"
        case 2: field.type = "F0"
        case 3:
            field.type = random.pick(["string", "bytes"])
            if field.type == "string", random.chance(3) { field.isUTF16 = true }
            if random.chance(3) { field.maximum = Int.random(in: 1...40, using: &random) }
            switch Int.random(in: 0..<9, using: &random) {
            case 0...2: field.isTerminated = true
            case 3, 4: field.count = random.pick(["uint8", "int16", "int32", "zigzag"])
            case 5:
                field.size = random.pick(["uint8", "uint16", "varint", "int32", "4"])
                if field.size == "4" { field.maximum = nil }
            default: break
            }
            return field
        case 4:
            field.type = random.pick([
                "float16", "float32", "float64", "bool", "varint", "zigzag", "varint32", "varint64",
            ])
        default:
            field.type = random.pick(integers)
            if random.chance(4) { field.range = 0...Int.random(in: 1...100, using: &random) }
            if field.type != "uint8", field.type != "int8", random.chance(5) { field.byteOrder = "big" }
        }
        if field.range == nil, random.chance(8) {
            switch field.type {
            case "uint8", "uint16", "int8", "int32": field.constant = random.pick(["0", "1", "7"])
            case "bool": field.constant = "true"
            case "char [ 3 ]": field.constant = random.pick(["\"\"", "\"ab\"", "\"abc\""])
            default: break
            }
            if field.constant != nil { return field }
        }
        guard field.range == nil, random.chance(3) else { return field }
        field.list = random.pick([.counted, .repeated, .fixed(Int.random(in: 1...3, using: &random))])
        if field.list == .counted, random.chance(3) { field.maximum = Int.random(in: 1...9, using: &random) }
        if field.list == .counted, random.chance(4) {
            field.size = random.pick(["uint8", "uint16", "varint", "24", "int16"])
        } else if field.list == .counted, random.chance(5) {
            field.count = random.pick(["uint16", "int16", "int32", "zigzag"])
        }
        // Whether structures of varying width fit a fixed size is a matter of luck.
        if field.size == "24", field.type.hasPrefix("S") || field.type.hasPrefix("U") { field.size = "uint8" }
        // More than `@max` may be needed to fill the bytes.
        if field.size == "24" { field.maximum = nil }
        let isFixed = if case .fixed = field.list { true } else { false }
        if !isFixed, field.size == nil, random.chance(4) {
            field.until = random.pick([0, 9, 0xFF])
            if field.type == "string", random.chance(2) { field.isTerminated = true }
        }
        return field
    }
}

extension SeededGenerator {
    /// Returns true once in `count` times on average.
    package mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &self)]
    }
}
