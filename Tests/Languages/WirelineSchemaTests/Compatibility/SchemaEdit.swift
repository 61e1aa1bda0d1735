// SPDX-License-Identifier: Apache-2.0

import TestingSupport
import WirelineSchema

/// One change of a random schema.
struct SchemaEdit {
    /// A description of the edit, for reports.
    var text: String
    /// The replaced names and their new ones. Names of messages, cases and fields have keys of their own.
    var renamed: [String: String] = [:]

    /// Which parts may be changed.
    enum Scope {
        case everything
        /// Nothing that identifies a field, a case or a message.
        case attributes
        /// The packet, the options that do not concern fields, and the sizes of structures.
        case surroundings
    }

    /// Changes something.
    ///
    /// - Returns: nil if what was picked cannot be changed in this way.
    static func apply(
        to schema: inout RandomSchema, _ scope: Scope, using random: inout SeededGenerator
    ) -> SchemaEdit? {
        let count =
            switch scope {
            case .everything: 22
            case .attributes: 7
            case .surroundings: 3
            }
        switch Int.random(in: 0..<count, using: &random) {
        case 0: return editOption(&schema, scope, &random)
        case 1: return editPacket(&schema, &random)
        case 2: return editStructure(&schema, &random)
        case 3...6: return editFields(&schema, &random, editAttributes)
        case 7...9: return editCases(&schema, &random)
        case 10, 11: return editMessage(&schema, &random)
        case 12: return editFields(&schema, &random, editBits)
        case 13: return editUnion(&schema, &random)
        default: return editFields(&schema, &random, editList)
        }
    }

    // MARK: Unions

    private static func editUnion(_ schema: inout RandomSchema, _ random: inout SeededGenerator) -> SchemaEdit? {
        guard let index = schema.unions.indices.randomElement(using: &random),
            let arm = schema.unions[index].arms.indices.randomElement(using: &random)
        else { return nil }
        var union = schema.unions[index]
        let name = union.arms[arm].field?.name ?? union.arms[arm].name
        let text: String
        switch Int.random(in: 0..<7, using: &random) {
        case 0:
            union.arms[arm].tag += random.pick([1, 60])
            text = "change the tag of \(name)"
        case 1 where union.arms.count > 1:
            union.arms.remove(at: arm)
            text = "remove the arm \(name)"
        case 2:
            let field = random.chance(3) ? nil : RandomSchema.field("added", structures: 0, in: schema, &random)
            union.arms.insert((tag: 90, field: field, name: "added"), at: arm)
            text = "add an arm"
        case 3 where union.sizePrefix != nil:
            union.hasDefault.toggle()
            text = "toggle the default arm"
        case 4 where !union.hasDefault:
            union.sizePrefix = random.pick(["uint8", "uint16", "varint", nil])
            text = "change the size to \(union.sizePrefix ?? "none")"
        case 5:
            union.tag = random.pick(["uint8", "uint16", "int24", "varint"])
            text = "change the tag's type to \(union.tag)"
        default:
            guard var field = union.arms[arm].field else { return nil }
            field.type = random.pick(["uint8", "uint16", "string"])
            (field.list, field.range, field.maximum, field.pad, field.byteOrder) = (.none, nil, nil, nil, nil)
            field.isTerminated = false
            (field.count, field.until) = (nil, nil)
            union.arms[arm].field = field
            text = "let \(name) be \(field.type)"
        }
        schema.unions[index] = union
        return SchemaEdit(text: text + " in union \(index)")
    }

    // MARK: Fields

    private static func editFields(
        _ schema: inout RandomSchema, _ random: inout SeededGenerator,
        _ edit: (inout [RandomSchema.Field], RandomSchema, inout SeededGenerator) -> SchemaEdit?
    ) -> SchemaEdit? {
        if random.chance(3), let index = schema.structures.indices.randomElement(using: &random) {
            var fields = schema.structures[index].fields
            // Conditions of structures do not see the packet.
            var rest = schema
            rest.packet = []
            guard var found = edit(&fields, rest, &random) else { return nil }
            schema.structures[index].fields = fields
            found.text += " in struct \(index)"
            return found
        }
        guard let index = schema.messages.indices.randomElement(using: &random) else { return nil }
        var fields = schema.messages[index].fields
        guard var found = edit(&fields, schema, &random) else { return nil }
        schema.messages[index].fields = fields
        found.text += " in message \(index)"
        return found
    }

    private static func editList(
        _ fields: inout [RandomSchema.Field], _ schema: RandomSchema, _ random: inout SeededGenerator
    ) -> SchemaEdit? {
        let index = Int.random(in: 0..<fields.count, using: &random)
        let name = fields[index].name
        var added = RandomSchema.field("added", structures: 0, in: schema, &random)
        switch Int.random(in: 0..<7, using: &random) {
        case 0:
            guard fields[index].padding == nil else { return nil }
            fields[index].name = name + "_renamed"
            for other in fields.indices {
                let words = fields[other].condition?.split(separator: " ").map {
                    $0 == name ? name + "_renamed" : String($0)
                }
                fields[other].condition = words?.joined(separator: " ")
                if fields[other].tag == name { fields[other].tag = name + "_renamed" }
                if fields[other].count == name { fields[other].count = name + "_renamed" }
                fields[other].size = fields[other].size.map { size in
                    let words = size.split(separator: " ").map { $0 == name ? name + "_renamed" : String($0) }
                    return words.joined(separator: " ")
                }
            }
            return SchemaEdit(text: "rename \(name)", renamed: [name: name + "_renamed"])
        case 1:
            fields.insert(added, at: index)
            return SchemaEdit(text: "insert \(added.type) before \(name)")
        case 2:
            added.presence = random.pick([.required, .optional, .since(3, default: nil)])
            if added.presence != .required, added.presence != .optional {
                let presence = added.presence
                added = RandomSchema.Field("uint16", named: "added")
                added.presence = presence
            }
            fields.append(added)
            return SchemaEdit(text: "append \(added.tokens)")
        case 3, 4:
            guard fields.count > 1 else { return nil }
            fields.remove(at: index)
            return SchemaEdit(text: "delete \(name)")
        default:
            let other = Int.random(in: 0..<fields.count, using: &random)
            guard other != index else { return nil }
            fields.swapAt(index, other)
            return SchemaEdit(text: "swap \(name) and \(fields[index].name)")
        }
    }

    /// Moves a bit from a field to the next one, which shares its bytes.
    private static func editBits(
        _ fields: inout [RandomSchema.Field], _ schema: RandomSchema, _ random: inout SeededGenerator
    ) -> SchemaEdit? {
        let widths = fields.map { $0.type.hasPrefix("uint") ? Int($0.type.dropFirst(4)) : nil }
        for index in fields.indices.dropLast() {
            guard let width = widths[index], let next = widths[index + 1], width % 8 != 0, width > 1 else { continue }
            let names = "\(fields[index].name) and \(fields[index + 1].name)"
            (fields[index].type, fields[index + 1].type) = ("uint\(width - 1)", "uint\(next + 1)")
            return SchemaEdit(text: "a bit between \(names)")
        }
        return nil
    }

    private static let types = [
        "uint8", "int8", "uint16", "int16", "uint32", "uint64", "float16", "float32", "float64", "bool", "varint",
        "zigzag",
        "varint32", "varint64", "string",
        "bytes",
        "E0", "F0", "char [ 3 ]", "char [ 5 ]", "bcd [ 1 ]", "bcd [ 2 ]",
    ]

    private static func editAttributes(
        _ fields: inout [RandomSchema.Field], _ schema: RandomSchema, _ random: inout SeededGenerator
    ) -> SchemaEdit? {
        let index = Int.random(in: 0..<fields.count, using: &random)
        let before = fields[index]
        var field = before
        switch Int.random(in: 0..<14, using: &random) {
        case _ where field.tag != nil && random.chance(2): field.tag = nil
        case 11: field.constant = random.pick(field.type == "bit" ? ["true", "false", nil] : ["0", "1", "9", nil])
        case _ where field.padding != nil: field.padding = Int.random(in: 1...5, using: &random)
        case 10:
            let earlier = Array(fields[..<index])
            field.condition =
                random.chance(3) ? nil : RandomSchema.condition(after: earlier, headerOf: schema.packet, &random)
        case 12: field.size = random.pick(["uint8", "uint16", "int16", "4", "24", "40", "n", "n - 1", nil])
        case 13: field.until = random.pick([0, 9, nil])
        case 9: field.pad = random.pick([0x20, 0x30, nil])
        case 1: field.isUTF16.toggle()
        case 0: field.type = random.pick(types)
        case 2: field.range = random.chance(3) ? nil : 0...Int.random(in: 1...120, using: &random)
        case 3: field.maximum = random.chance(3) ? nil : Int.random(in: 1...40, using: &random)
        case 4: field.count = random.pick(["uint8", "uint16", "varint", "int16", "zigzag", "n", nil])
        case 5: field.list = random.pick([.none, .counted, .fixed(Int.random(in: 1...3, using: &random))])
        case 6: field.byteOrder = random.pick(["little", "big", nil])
        case 7: field.presence = random.pick([.required, .optional, .since(2, default: nil), .since(3, default: "9")])
        default: field.isTerminated.toggle()
        }
        guard field.tokens != before.tokens else { return nil }
        fields[index] = field
        return SchemaEdit(text: "\(before.tokens) to \(field.tokens)")
    }

    // MARK: Declarations

    private static func editCases(_ schema: inout RandomSchema, _ random: inout SeededGenerator) -> SchemaEdit? {
        let isFlags = random.chance(3)
        let place = isFlags ? 0 : Int.random(in: 0..<schema.enumerations.count, using: &random)
        var cases = isFlags ? schema.flagSets[place] : schema.enumerations[place]
        let index = Int.random(in: 0..<cases.cases.count, using: &random)
        let name = cases.cases[index].name
        var edit = SchemaEdit(text: "")
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            cases.cases.append(("added", isFlags ? 8 : 50))
            edit.text = "add a case"
        case 1:
            guard cases.cases.count > 1 else { return nil }
            cases.cases.remove(at: index)
            edit.text = "delete \(name)"
        case 2:
            cases.cases[index].value = isFlags ? 16 : 60
            edit.text = "renumber \(name)"
        case 3:
            cases.cases[index].name = name + "_renamed"
            edit = SchemaEdit(text: "rename \(name)", renamed: [name: name + "_renamed"])
        case 4 where !isFlags:
            cases.isClosed.toggle()
            edit.text = "open or close"
        default:
            let formats = isFlags ? ["uint8", "uint16", "uint32"] : ["uint8", "int8", "int16", "uint32", "uint40"]
            cases.format = cases.name == "P0" ? random.pick(["uint2", "int2"]) : random.pick(formats)
            edit.text = "another integer"
        }
        edit.text += " in \(cases.name)"
        if isFlags { schema.flagSets[place] = cases } else { schema.enumerations[place] = cases }
        return edit
    }

    private static func editOption(
        _ schema: inout RandomSchema, _ scope: Scope, _ random: inout SeededGenerator
    ) -> SchemaEdit? {
        var choices = [("trailing", ["keep", "reject"]), ("varints", ["any", "shortest"])]
        if scope != .surroundings {
            choices += [
                ("byte_order", ["little", "big"]), ("string_count", ["uint8", "uint16", "uint32", "varint"]),
                ("list_count", ["uint8", "uint16", "varint"]),
            ]
        }
        let choice = random.pick(choices)
        let value = random.pick(choice.1)
        schema.options.removeAll { $0.name == choice.0 }
        schema.options.append((choice.0, value))
        return SchemaEdit(text: "option \(choice.0) = \(value)")
    }

    /// Packets with the same fields and other layers.
    static let layeredPackets = [
        "layer zlib ;", "@if ( form ) layer zlib ;", "@if ( form == 1 ) layer zlib ;", "@if ( form != 0 ) layer zlib ;",
        "@if ( form > 3 ) layer deflate ;", "layer xor ( session ) ;", "layer xor ( key ) ;", "layer rc4 ( session ) ;",
        "@if ( form & 4 ) layer rc4 ( session ) ;", "@if ( form < 2 or form > 7 ) layer rc4 ( session ) ;",
        "layer xor ( session ) ; @if ( form ) layer gzip ;",
    ].flatMap { layers in
        [
            ["@id uint8 id ;", "@length ( rest ) uint16 length ;", "uint8 form ;", layers],
            ["@length ( rest ) uint16 length ;", "uint8 form ;", layers, "@id uint8 id ;"],
        ]
    }

    private static func editPacket(_ schema: inout RandomSchema, _ random: inout SeededGenerator) -> SchemaEdit? {
        let before = schema.packet
        if layeredPackets.contains(before) {
            schema.packet = random.pick(layeredPackets)
            return schema.packet == before ? nil : SchemaEdit(text: "packet \(schema.packet)")
        }
        if before.contains(where: { $0.contains(" level ") }), random.chance(2),
            let index = schema.messages.indices.randomElement(using: &random)
        {
            let level = random.chance(3) ? nil : Int.random(in: 0...3, using: &random)
            guard schema.messages[index].level != level else { return nil }
            schema.messages[index].level = level
            return SchemaEdit(text: "level \(String(describing: level)) of message \(index)")
        }
        schema.packet = random.pick([
            [], ["@length ( packet ) uint16 length ;", "@id uint8 id ;"],
            ["@length ( packet - 1 ) uint16 length ;", "@id uint8 id ;"],
            ["@length ( packet ) uint32 size ;", "@id uint16 id ;"],
            ["@length ( packet ) uint32 length ;", "@id @little uint16 id ;"],
            ["@id uint16 id ;", "@length ( payload ) uint32 length ;", "@default ( 4 ) uint8 version ;"],
            ["@id uint8 id ;", "@length ( rest ) uint16 length ;", "uint8 form ;", "@if ( form ) uint8 extra ;"],
            ["@id uint8 id ;", "@length ( rest ) uint16 length ;", "uint8 form ;", "@if ( form > 1 ) uint8 extra ;"],
            ["@id uint8 id ;", "@length ( rest ) uint16 length ;", "uint8 form ;", "@if ( not form ) uint8 extra ;"],
            ["@id uint16 id ;", "@length ( payload ) uint32 length ;", "@constant ( 3 ) uint8 version ;"],
            ["@id uint16 id ;", "@length ( packet - 7 ) uint32 length ;", "@default ( 3 ) uint8 version ;"],
        ])
        for index in schema.messages.indices { schema.messages[index].level = nil }
        return schema.packet == before ? nil : SchemaEdit(text: "packet \(schema.packet)")
    }

    private static func editStructure(_ schema: inout RandomSchema, _ random: inout SeededGenerator) -> SchemaEdit? {
        let index = Int.random(in: 0..<schema.structures.count, using: &random)
        let before = schema.structures[index].sizePrefix
        schema.structures[index].sizePrefix = random.pick(["uint8", "uint16", "varint", nil])
        let after = schema.structures[index].sizePrefix
        return before == after ? nil : SchemaEdit(text: "size of struct \(index): \(before ?? "-") to \(after ?? "-")")
    }

    private static func editMessage(_ schema: inout RandomSchema, _ random: inout SeededGenerator) -> SchemaEdit? {
        guard let index = schema.messages.indices.randomElement(using: &random) else { return nil }
        let message = schema.messages[index]
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            let field = RandomSchema.Field("uint8", named: "a")
            schema.messages.append(RandomSchema.Message("Added", id: 90, field: field))
            return SchemaEdit(text: "add a message")
        case 1:
            schema.messages.remove(at: index)
            if random.chance(2) { schema.reservedIDs.append(message.id) }
            return SchemaEdit(text: "delete \(message.name), reserved \(schema.reservedIDs)")
        case 2:
            schema.messages[index].id = 91
            return SchemaEdit(text: "another ID for \(message.name)")
        case 3:
            schema.messages[index].name = "Renamed"
            return SchemaEdit(text: "rename \(message.name)", renamed: [message.name: "Renamed"])
        default:
            schema.messages[index].sender = random.pick(["client", "server", "both"])
            return SchemaEdit(text: "\(message.name) from \(schema.messages[index].sender)")
        }
    }
}
