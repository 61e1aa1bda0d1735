// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension Checker {
    /// Makes the layout of the `packet`, if there is one, and computes the largest packet that its lengths allow.
    mutating func checkPacket() {
        if let declared = declarations.packets.first {
            refuseAttributes(declared.declaration.attributes, at: .packet)
            for other in declarations.packets.dropFirst() {
                reporter.error(
                    "a second `packet`; the first is in \(reporter.place(of: declared.declaration.keyword))",
                    at: other.declaration.keyword, help: "a folder is one protocol: remove one of them",
                    related: [.first(declared.declaration.keyword)])
            }
            description.documentation = declared.declaration.documentation
            checkLayout(declared.syntax, keyword: declared.declaration.keyword)
        } else {
            // The options also apply to the default header.
            description.layout = .standard(description.options.byteOrder)
        }
        checkPacketLimit()
    }

    private mutating func checkLayout(_ packet: PacketSyntax, keyword: SourceSpan) {
        let fields = packet.header + packet.trailer
        checkMemberNames(fields.map { ($0.name, []) }, noun: "field")
        checkNumbersAscend(fields)
        let header = packet.header.map { headerField($0, in: packet) }
        let trailer = packet.trailer.map { headerField($0, in: packet) }
        description.packetFields = fields.map {
            PacketFieldDescription(
                name: $0.name.text, documentation: $0.documentation, location: reporter.location(of: $0.name.span))
        }
        let goodHeader = header.compactMap(\.self)
        let goodTrailer = trailer.compactMap(\.self)
        guard packet.isComplete, goodHeader.count + goodTrailer.count == fields.count,
            Set(fields.map(\.name.text)).count == fields.count
        else {
            hasFaultyLayout = true
            return
        }
        do {
            description.layout = try PacketLayout(header: goodHeader, trailer: goodTrailer)
        } catch {
            hasFaultyLayout = true
            guard case .invalidLayout(let fault) = error.reason else { return }
            report(fault, in: fields, keyword: keyword)
        }
    }

    private func report(_ fault: PacketLayout.Fault, in fields: [FieldSyntax], keyword: SourceSpan) {
        let span = fields.first { $0.name.text == fault.fieldName }?.name.span ?? keyword
        reporter.error("\(fault)", at: span, help: fault.help)
    }

    /// Limits `max_packet` to what the lengths can say, and checks that the header fits into it.
    private mutating func checkPacketLimit() {
        guard !hasFaultyLayout else { return }
        let layout = description.layout
        let limit = description.options.maximumPacketByteCount
        if limit < layout.minimumPacketByteCount, let span = maximumPacketSpan {
            reporter.error(
                "a packet of \(limit) bytes has no room for its header", at: span,
                help: "header and trailer take \(layout.minimumPacketByteCount) bytes")
        }
        let largest = layout.largestPacketByteCount
        if largest < layout.minimumPacketByteCount, let keyword = declarations.packets.first?.declaration.keyword {
            reporter.error(
                "a length of this packet cannot count even its header", at: keyword, help: "make the length wider")
        }
        description.options.maximumPacketByteCount = min(limit, largest)
    }

    // MARK: Fields

    /// Makes a field of the header or trailer; nil if something about it was reported.
    private mutating func headerField(_ field: FieldSyntax, in packet: PacketSyntax) -> PacketField? {
        let attributes = attributes(field.attributes, at: .headerField)
        if let modifier = field.optional ?? field.repeated ?? field.brackets.first?.span {
            reporter.error(
                "a field of the packet is always there, once", at: modifier,
                help: "leave this out; lists belong into the messages")
            return nil
        }
        guard let format = headerFormat(field, attributes),
            let role = headerRole(field, attributes, format, in: packet)
        else { return nil }
        return PacketField(field.name.text, format, role)
    }

    private mutating func headerFormat(_ field: FieldSyntax, _ attributes: AttributeSet) -> PacketField.Format? {
        let order = byteOrder(attributes) ?? description.options.byteOrder
        guard checkOneByteOrder(attributes) else { return nil }
        let builtin = BuiltinType(name: field.typeName.text)
        if attributes.has(.maximumByteCount), builtin?.isVarint != true {
            reportMisfit(.maximumByteCount, attributes, field.typeName.text, help: "it limits a `varint`")
        }
        switch builtin {
        case .integer(let format):
            return .integer(format, order)
        case .boolean: return .boolean
        case .varint(let encoding): return varintFormat(encoding, attributes).map { .varint($0) }
        default:
            guard !field.typeName.isFaulty else { return nil }
            let isType = builtin != nil || symbols[field.typeName.text] != nil
            let help = isType ? nil : spelling.help(for: field.typeName.text, among: BuiltinType.names)
            reporter.error(
                "a field of the packet cannot be \(field.typeName.text.quoted)", at: field.typeName.span,
                help: help ?? "it is an integer, a `bool` or a `varint`")
            return nil
        }
    }

    /// Returns the purpose of the field, which at most one attribute names.
    private mutating func headerRole(
        _ field: FieldSyntax, _ attributes: AttributeSet, _ format: PacketField.Format, in packet: PacketSyntax
    ) -> PacketField.Role? {
        let kinds: [AttributeKind] = [.length, .id, .constant, .default, .sequence, .checksum]
        let present = kinds.filter(attributes.has)
        guard present.count <= 1 else {
            reporter.error(
                "`@\(present[0].rawValue)` and `@\(present[1].rawValue)` exclude each other",
                at: attributes.span(of: present[1]) ?? field.name.span, help: "a field has one purpose")
            return nil
        }
        switch present.first {
        case nil: return .value(default: 0)
        case .length: return length(attributes)
        case .id: return .messageID
        case .sequence: return .sequence
        case .constant: return headerValue(.constant, field, attributes, format).map { .constant($0) }
        case .default: return headerValue(.default, field, attributes, format).map { .value(default: $0) }
        default: return checksum(attributes, in: packet).map { .checksum($0) }
        }
    }

    private func length(_ attributes: AttributeSet) -> PacketField.Role? {
        let base: NameSyntax
        var constant: Int128 = 0
        switch attributes.argument(of: .length) {
        case .name(let name)?: base = name
        case .sum(let name, let number)?:
            guard !number.isFaulty else { return nil }
            guard let value = number.integer, value.magnitude <= 0xFFFF else {
                reporter.error(
                    "a length differs from what it counts by a whole number up to 65535", at: number.span,
                    help: "as in `@length(packet - 4)`")
                return nil
            }
            (base, constant) = (name, value)
        default: return nil
        }
        switch base.text {
        case "packet": return .length(of: .packet, plus: Int(constant))
        case "payload": return .length(of: .payload, plus: Int(constant))
        case "rest": return .length(of: .rest, plus: Int(constant))
        default:
            reporter.error(
                "a length cannot count \(base.text.quoted)", at: base.span,
                help: "it counts the whole `packet`, the `payload`, or the `rest` behind the field")
            return nil
        }
    }

    private func headerValue(
        _ kind: AttributeKind, _ field: FieldSyntax, _ attributes: AttributeSet, _ format: PacketField.Format
    ) -> Int128? {
        switch attributes.argument(of: kind) {
        case .number(let number)?:
            guard !number.isFaulty else { return nil }
            if format != .boolean, let value = number.integer, format.range.contains(value) { return value }
        case .name(let name)? where format == .boolean && name.text == "true": return 1
        case .name(let name)? where format == .boolean && name.text == "false": return 0
        case nil: return nil
        default: break
        }
        let choices =
            format == .boolean
            ? "`true` or `false`" : "a whole number from \(format.range.lowerBound) to \(format.range.upperBound)"
        reporter.error(
            "`\(field.typeName.text)` cannot hold this value",
            at: attributes.argument(of: kind)?.span ?? field.name.span,
            help: "it holds \(choices)")
        return nil
    }
}

extension PacketLayout.Fault {
    /// What to do about it.
    fileprivate var help: String? {
        switch self {
        case .noLength: "put `@length(packet)`, `@length(payload)` or `@length(rest)` before a field of the header"
        case .severalVarints: "give it a type of fixed width"
        case .repeatedRole: "remove one of them"
        case .narrowChecksum(_, let kind): "write `uint\(8 * kind.byteCount)`"
        case .wideMessageID: "make the ID's fields narrower"
        case .invalidLength: "make it an integer"
        case .noPacketFits: "make the length wider, or what it is increased by smaller"
        case .tooLarge: "move what belongs to a message into it"
        default: nil
        }
    }

    /// The field that is at fault, if there is one.
    fileprivate var fieldName: String? {
        switch self {
        case .duplicateName(let name), .severalVarints(let name), .invalidVarint(let name), .repeatedRole(let name),
            .valueOutOfRange(let name), .narrowChecksum(let name, _), .invalidChecksumRange(let name),
            .wideMessageID(let name), .invalidLength(let name):
            name
        default: nil
        }
    }
}

extension PacketLayout {
    /// The most bytes that a packet can have before one of its length fields overflows.
    fileprivate var largestPacketByteCount: Int {
        let total = Int128(fields.reduce(0) { $0 + $1.format.largestByteCount })
        var behind = 0
        var limit = Int128(Int.max)
        for field in fields {
            behind += field.format.largestByteCount
            guard case .length(let base, let constant) = field.role else { continue }
            let counted = field.format.range.upperBound - Int128(constant)
            switch base {
            case .packet: limit = min(limit, counted)
            case .payload: limit = min(limit, counted + total)
            case .rest: limit = min(limit, counted + Int128(behind))
            }
        }
        return Int(max(limit, 0))
    }
}

extension PacketField.Format {
    fileprivate var largestByteCount: Int {
        switch self {
        case .integer, .boolean: byteCount ?? 1
        case .varint(let format): format.maximumByteCount
        }
    }
}
