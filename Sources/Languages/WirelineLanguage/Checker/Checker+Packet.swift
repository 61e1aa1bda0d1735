// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension Checker {
    /// Makes the layout of the `packet`, if there is one, and computes the largest packet that its lengths allow.
    mutating func checkPacket() {
        if let declared = declarations.packets.first {
            let attributes = attributes(declared.declaration.attributes, at: .packet)
            for other in declarations.packets.dropFirst() {
                reporter.error(
                    "a second `packet`; the first is in \(reporter.place(of: declared.declaration.keyword))",
                    at: other.declaration.keyword, help: "a folder is one protocol: remove one of them",
                    related: [.first(declared.declaration.keyword)])
            }
            description.documentation = declared.declaration.documentation
            checkLayout(declared.syntax, attributes, keyword: declared.declaration.keyword)
        } else {
            // The options also apply to the default header.
            description.layout = .standard(description.options.byteOrder)
        }
        checkPacketLimit()
    }

    private mutating func checkLayout(_ packet: PacketSyntax, _ attributes: AttributeSet, keyword: SourceSpan) {
        let fields = packet.header + packet.trailer
        checkMemberNames(fields.filter { $0.padding == nil }.map { ($0.name, []) }, noun: "field")
        checkNumbersAscend(fields)
        let states = checkStates(packet.states, fields)
        var scope = ConditionScope(
            allFields: (fields.map(\.name) + packet.states.map(\.name)).map(\.text), header: nil, isOfPacket: true)
        var declaredStates = packet.states[...]
        var lines = ContentLines(description.options)
        var made: [PacketField?] = []
        var paddingCount = 0
        for (index, field) in fields.enumerated() {
            while let state = declaredStates.first, state.name.span.start < field.name.span.start {
                scope.addState(state.name.text, operand(ofState: state.name.text))
                declaredStates.removeFirst()
            }
            lines.check(packet, beforeField: index, scope, made, with: &self)
            if let byteCount = field.padding {
                made.append(headerPadding(field, byteCount, position: paddingCount))
                paddingCount += 1
                continue
            }
            let isTrailer = index >= packet.header.count
            made.append(headerField(field, in: packet, scope))
            scope.add(field.name.text, isTrailer ? .other("in the trailer") : operand(field, made[index]))
        }
        for state in declaredStates { scope.addState(state.name.text, operand(ofState: state.name.text)) }
        lines.check(packet, beforeField: fields.count, scope, made, with: &self)
        let (header, trailer) = (Array(made[..<packet.header.count]), Array(made[packet.header.count...]))
        description.packetFields = zip(fields, header + trailer).map { field, made in
            PacketFieldDescription(
                name: made?.name ?? field.name.text, type: made.flatMap { namedType(of: field, $0.format) },
                documentation: field.documentation, location: reporter.location(of: field.name.span))
        }
        let goodHeader = header.compactMap(\.self)
        let goodTrailer = trailer.compactMap(\.self)
        let framing = packet.frame.flatMap(framing)
        guard let states, let content = lines.content, packet.isComplete, (framing == nil) == (packet.frame == nil),
            goodHeader.count + goodTrailer.count == fields.count,
            Set(description.packetFields.map(\.name)).count == fields.count
        else {
            hasFaultyLayout = true
            return
        }
        do {
            refuseImpossibleConditions(of: goodHeader + goodTrailer, fields, states)
            description.layout = try PacketLayout(
                framing: framing, states: states, header: goodHeader, content: content, trailer: goodTrailer)
            warnAboutCiphers(lines, attributes)
        } catch {
            hasFaultyLayout = true
            guard case .invalidLayout(let fault) = error.reason else { return }
            report(fault, in: fields, keyword: keyword)
        }
    }

    /// Refuses conditions that hold in no context, whatever the header's numbers are.
    private func refuseImpossibleConditions(
        of fields: [PacketField], _ syntax: [FieldSyntax], _ states: [PacketState]
    ) {
        guard let contexts = LayoutContexts(states: states, conditions: fields.compactMap(\.condition)) else { return }
        for (field, syntax) in zip(fields, syntax) {
            guard let condition = field.condition, condition.looksAtContext else { continue }
            let isPossible = contexts.combinations.contains { combination in
                condition.remainder { combination.outcome(of: $0, contexts.tests) } != .never
            }
            guard !isPossible else { continue }
            let span = syntax.attributes.first { $0.name.text == AttributeKind.condition.rawValue }?.name.span
            let looksAtStates = condition.operands.contains { if case .state = $0 { true } else { false } }
            reporter.error(
                "no packet has \(field.name.quoted)", at: span ?? syntax.name.span,
                help: "its condition holds neither for a client nor for a server"
                    + (looksAtStates ? ", whatever the states are" : "")
                    + ": remove the field, or correct the condition")
        }
    }

    private func report(_ fault: PacketLayout.Fault, in fields: [FieldSyntax], keyword: SourceSpan) {
        let index = description.packetFields.firstIndex { $0.name == fault.fieldName }
        let span = index.map { fields[$0].name.span } ?? keyword
        reporter.error("\(fault)", at: span, help: fault.help)
    }

    /// Limits `max_packet` to the lengths' maximum, and checks that the header fits into it.
    private mutating func checkPacketLimit() {
        guard !hasFaultyLayout else { return }
        let layout = description.layout
        let limit = description.options.maximumPacketByteCount
        let minimum = layout.plainLayouts.map(\.minimumPacketByteCount).max() ?? 0
        if limit < minimum, let span = maximumPacketSpan {
            reporter.error(
                "a packet of \(limit) bytes has no room for its header", at: span,
                help: "header and trailer take \(minimum) bytes")
        }
        let largest = layout.plainLayouts.map(\.largestPacketByteCount).max() ?? 0
        if largest < layout.minimumPacketByteCount, let keyword = declarations.packets.first?.declaration.keyword {
            reporter.error(
                "a length of this packet cannot count even its header", at: keyword, help: "make the length wider")
        }
        guard largest < limit else { return }
        description.options.maximumPacketByteCount = largest
        description.limitingLengths = layout.fields.filter(\.role.isLength).map(\.name)
    }

    // MARK: Fields

    /// Makes a field of the header or trailer; nil if an error was reported.
    ///
    /// - Parameter scope: The operands of conditions.
    private mutating func headerField(
        _ field: FieldSyntax, in packet: PacketSyntax, _ scope: ConditionScope
    ) -> PacketField? {
        let attributes = attributes(field.attributes, at: .headerField)
        let field = withSize(field)
        if let modifier = field.optional ?? field.repeated ?? field.brackets.first?.span {
            reporter.error(
                "a field of the packet is there once", at: modifier,
                help: field.optional == nil
                    ? bytesHelp(field) ?? "leave this out; lists belong into the messages"
                    : "say when it is there with `@if`: `@if(versioned) uint8 version;`")
            return nil
        }
        guard let format = headerFormat(field, attributes),
            let role = headerRole(field, attributes, format, in: packet)
        else { return nil }
        var made = PacketField(field.name.text, format, role)
        if let failure = attributes.argument(of: .sequence) {
            guard let number = failureNumber(failure, format) else { return nil }
            made.failure = number
        }
        guard attributes.has(.condition) else { return made }
        guard case .condition(let syntax)? = attributes.argument(of: .condition),
            let condition = condition(syntax, in: scope)
        else { return nil }
        made.condition = condition
        return made
    }

    /// Returns how to write bytes of a fixed size, for `bytes[64] key;` and `uint8[64] key;`; nil for other lists.
    private func bytesHelp(_ field: FieldSyntax) -> String? {
        guard case .number(let count)? = field.brackets.first?.count, let count = count.integer,
            [.bytes, .integer(.uint8)].contains(BuiltinType(name: field.typeName.text))
        else { return nil }
        return "write `@size(\(count)) bytes \(field.name.text);`"
    }

    /// Makes a `padding` field; nil if an error was reported.
    ///
    /// - Parameter position: Its position among the packet's `padding` fields.
    private mutating func headerPadding(
        _ syntax: FieldSyntax, _ number: NumberSyntax, position: Int
    ) -> PacketField? {
        let padding = padding(syntax, number, position: position)
        guard !padding.isFaulty, case .fixedList(_, let byteCount) = padding.description.type else { return nil }
        return PacketField(padding.description.name, .bytes(byteCount: byteCount), .padding)
    }

    private func operand(_ syntax: FieldSyntax, _ field: PacketField?) -> ConditionScope.Operand {
        guard let field else { return .faulty }
        guard field.format.isNumber else { return .other("`\(syntax.typeText)`") }
        guard field.isTestable else { return .other(field.checksum == nil ? "a length" : "a checksum") }
        switch namedType(of: syntax, field.format) {
        case .enumeration(let index, _): return .enumeration(index)
        case .flags(let index, _): return .flags(index)
        default: return field.format.isBoolean ? .boolean : .number(field.format.range)
        }
    }

    private mutating func headerFormat(_ field: FieldSyntax, _ attributes: AttributeSet) -> PacketField.Format? {
        let order = byteOrder(attributes) ?? description.options.byteOrder
        guard checkOneByteOrder(attributes) else { return nil }
        let builtin = BuiltinType(name: field.typeName.text)
        if attributes.has(.maximumByteCount), builtin?.isVarint != true {
            reportMisfit(.maximumByteCount, attributes, field.typeName.text, help: "it limits a `varint`")
        }
        if builtin == nil, let type = sizedType(of: field) { return textFormat(type, field, attributes) }
        if builtin == .bytes { return bytesFormat(field, attributes, order) }
        if attributes.has(.size) {
            reportMisfit(.size, attributes, field.typeName.text, help: "in the packet it goes with `bytes`")
        }
        if attributes.has(.pad) {
            reportMisfit(.pad, attributes, field.typeName.text, help: "it says what fills a `char[n]`")
        }
        switch builtin {
        case .integer(let format): return .integer(format, order)
        case .boolean: return .boolean
        case .bit: return .bit
        case .varint(let encoding): return varintFormat(encoding, attributes).map { .varint($0) }
        default: return namedFormat(field, order, isBuiltin: builtin != nil)
        }
    }

    /// Returns the format of a field of text or digits; nil if an error was reported.
    private mutating func textFormat(
        _ type: SizedType, _ field: FieldSyntax, _ attributes: AttributeSet
    ) -> PacketField.Format? {
        let values: [AttributeKind] = type.notation == nil ? [.default, .constant] : [.default]
        guard canBeText(field, attributes, but: values) else { return nil }
        switch elementType(type, field, attributes, description.options.byteOrder, isInList: false) {
        case .string(.fixed(let byteCount, let padding))?: return .text(byteCount: byteCount, padding: padding)
        case .digits(let format)?: return .digits(format)
        default: return nil
        }
    }

    /// Returns the format of a field of bytes; nil if an error was reported.
    private mutating func bytesFormat(
        _ field: FieldSyntax, _ attributes: AttributeSet, _ order: ByteOrder
    ) -> PacketField.Format? {
        guard attributes.has(.size) else {
            reporter.error(
                "bytes in the packet have a size", at: field.typeName.span, help: "as in `@size(16) bytes key;`")
            return nil
        }
        guard canBeText(field, attributes) else { return nil }
        if let name = attributes.name(.size), !name.isFaulty {
            reporter.error(
                "bytes in the packet have always the same size", at: name.span, help: "as in `@size(16) bytes key;`")
            return nil
        }
        guard case .exact(let byteCount)? = size(attributes, order) else { return nil }
        return .bytes(byteCount: byteCount)
    }

    /// Returns whether a field without a number lacks all attributes that need numbers; reports the first one it has.
    ///
    /// - Parameter values: The attributes that may give the field a text.
    private func canBeText(
        _ field: FieldSyntax, _ attributes: AttributeSet, but values: [AttributeKind] = []
    ) -> Bool {
        let roles: [AttributeKind] = [.length, .id, .constant, .default, .sequence, .checksum, .fit, .little, .big]
        guard let role = roles.first(where: { attributes.has($0) && !values.contains($0) }) else { return true }
        let help =
            switch role {
            case .constant: "it goes with a number or a `char[n]`"
            case .default: "it goes with a number, a `char[n]` or a `bcd[n]`"
            default: "it goes with a number"
            }
        reportMisfit(role, attributes, field.typeText, help: help)
        return false
    }

    /// Returns the format of a field whose type is an enum or flags; nil if an error was reported.
    private mutating func namedFormat(
        _ field: FieldSyntax, _ order: ByteOrder, isBuiltin: Bool
    ) -> PacketField.Format? {
        let name = field.typeName
        switch isBuiltin ? nil : symbols[name.text]?.meaning {
        case .enumeration(let index)?:
            guard !description.enumerations[index].isClosed else {
                reporter.error(
                    "a field of the packet cannot be the `@closed` enum \(name.text.quoted)", at: name.span,
                    help: "leave `@closed` out: then an unknown number is kept, and the message can still be read")
                return nil
            }
            return .integer(description.enumerations[index].format, order)
        case .flags(let index)?: return .integer(description.flagSets[index].format, order)
        default:
            guard !name.isFaulty else { return nil }
            let isType = isBuiltin || symbols[name.text] != nil
            let help = isType ? nil : spelling.help(for: name.text, among: BuiltinType.names)
            reporter.error(
                "a field of the packet cannot be \(name.text.quoted)", at: name.span,
                help: help ?? "it is a number, a `bool`, an enum, flags, `char[n]`, `bcd[n]` or `@size(n) bytes`")
            return nil
        }
    }

    /// Returns the enum or the flags that a field names as its type; nil for other types.
    private func namedType(of field: FieldSyntax, _ format: PacketField.Format) -> TypeDescription? {
        guard BuiltinType(name: field.typeName.text) == nil, case .integer(_, let order) = format else { return nil }
        switch symbols[field.typeName.text]?.meaning {
        case .enumeration(let index): return .enumeration(index, order)
        case .flags(let index): return .flags(index, order)
        default: return nil
        }
    }

    /// Returns the role of the field; at most one attribute names it.
    private mutating func headerRole(
        _ field: FieldSyntax, _ attributes: AttributeSet, _ format: PacketField.Format, in packet: PacketSyntax
    ) -> PacketField.Role? {
        let kinds: [AttributeKind] = [.length, .id, .constant, .default, .sequence, .checksum, .fit]
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
        case .fit: return fit(field, attributes, format)
        case .constant: return headerValue(.constant, field, attributes, format).map { .constant($0) }
        case .default: return headerValue(.default, field, attributes, format).map { .value(default: $0) }
        default: return checksum(attributes, in: packet).map { .checksum($0) }
        }
    }

    /// Returns the enum's cases in the order in which a writer tries them.
    private func fit(
        _ field: FieldSyntax, _ attributes: AttributeSet, _ format: PacketField.Format
    ) -> PacketField.Role? {
        guard case .enumeration(let index, _)? = namedType(of: field, format) else {
            reportMisfit(.fit, attributes, field.typeName.text, help: "it goes with an enum")
            return nil
        }
        return .fitting(description.enumerations[index].cases.map(\.value))
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
        case "content": return .contentLength(plus: Int(constant))
        default:
            reporter.error(
                "a length cannot count \(base.text.quoted)", at: base.span,
                help: "it counts the whole `packet`, the `payload`, the `rest` after the field, or the `content` "
                    + "of the innermost layer")
            return nil
        }
    }

    private mutating func headerValue(
        _ kind: AttributeKind, _ field: FieldSyntax, _ attributes: AttributeSet, _ format: PacketField.Format
    ) -> PacketHeader.FieldValue? {
        guard !format.isNumber else {
            return headerNumber(kind, field, attributes, format).map { .integer($0) }
        }
        return attributes.argument(of: kind).flatMap { headerText($0, kind, format) }
    }

    private mutating func headerNumber(
        _ kind: AttributeKind, _ field: FieldSyntax, _ attributes: AttributeSet, _ format: PacketField.Format
    ) -> Int128? {
        switch attributes.argument(of: kind) {
        case .number(let number)?:
            guard !number.isFaulty else { return nil }
            if format != .boolean, let value = number.integer, format.range.contains(value) { return value }
        case .name(let name)? where format.isBoolean && name.text == "true": return 1
        case .name(let name)? where format.isBoolean && name.text == "false": return 0
        case .name(let name)?:
            if let table = caseTable(of: field, format) { return caseNumber(name, of: field, table) }
        case nil: return nil
        default: break
        }
        reporter.error(
            "`\(field.typeName.text)` cannot hold this value",
            at: attributes.argument(of: kind)?.span ?? field.name.span,
            help: "it holds \(format.choices)")
        return nil
    }
}

extension Checker {
    private func caseTable(of field: FieldSyntax, _ format: PacketField.Format) -> CaseTable? {
        namedType(of: field, format).flatMap(caseTable)
    }

    /// The cases of an enum or of flags; nil for other types.
    func caseTable(of type: TypeDescription) -> CaseTable? {
        switch type {
        case .enumeration(let index, _): enumerationTables[index]
        case .flags(let index, _): flagTables[index]
        default: nil
        }
    }

    private mutating func caseNumber(_ name: NameSyntax, of field: FieldSyntax, _ table: CaseTable) -> Int128? {
        if let value = table.values[name.text] { return value }
        reporter.error(
            "\(field.typeName.text.quoted) has no \(name.text.quoted)", at: name.span,
            help: spelling.help(for: name.text, among: table.names) ?? "it has \(Self.list(table.names))")
        return nil
    }
}

extension PacketField.Format {
    /// The possible values of a number field, for error messages.
    var choices: String {
        switch self {
        case .boolean: "`true` or `false`"
        case .bit: "`true` or `false`, 1 or 0"
        default: "a whole number from \(range.lowerBound) to \(range.upperBound)"
        }
    }
}

extension PacketLayout.Fault {
    /// The advice for the error message.
    fileprivate var help: String? {
        switch self {
        case .noLength: "put `@length(packet)`, `@length(payload)` or `@length(rest)` before a field of the header"
        case .emptyFrame: "add a field, such as `@id uint16 id;`: marks with nothing between them are no packet"
        case .varintInTrailer: "give it a type of fixed width, or put it into the header"
        case .unfinishedRun: "let its bits and those of the fields beside it fill whole bytes"
        case .wideRun: "end a field at a byte boundary earlier"
        case .mixedRun: "fields that share bytes have one byte order"
        case .invalidText: "make it shorter"
        case .repeatedRole: "remove one of them"
        case .narrowChecksum(_, let kind): "write `uint\(8 * kind.byteCount)`"
        case .wideMessageID: "make the ID's fields narrower"
        case .invalidLayers: "remove one of them"
        case .invalidLayerCondition: "look at other fields"
        case .invalidVector: "write `@size(16) bytes` before the field's name"
        case .nestedKeystream: "write `@if(not nested)` before the layer: then the packets inside are without it"
        case .lengthInsideLayer: "count the `payload` or the `rest`"
        case .invalidContentLength: "write a `layer` after it, or count the `payload`"
        case .splitMessageID: "move it before the layer, or into it"
        case .conditionalBits: "give it whole bytes, after other whole bytes"
        case .noFields(let sender): "let a field be there if `sender == \(sender.rawValue)`, too"
        case .tooManyContextTests: "test an enum that says the same as several states"
        case .tooManyMessageIDs: "let fewer fields with `@id` have `@if`"
        case .invalidLength: "make it an integer"
        case .noPacketFits: "make the length wider, or what it is increased by smaller"
        case .tooLarge: "move what belongs to a message into it"
        default: nil
        }
    }

    fileprivate var fieldName: String? {
        switch self {
        case .duplicateName(let name), .varintInTrailer(let name), .unfinishedRun(let name), .wideRun(let name),
            .mixedRun(let name), .invalidVarint(let name), .invalidText(let name), .repeatedRole(let name),
            .valueOutOfRange(let name), .narrowChecksum(let name, _), .invalidChecksumRange(let name),
            .wideMessageID(let name), .invalidLength(let name), .invalidCondition(let name),
            .conditionalBits(let name), .tooManyMessageIDs(let name), .invalidVector(let name),
            .lengthInsideLayer(let name), .invalidContentLength(let name), .splitMessageID(let name):
            name
        default: nil
        }
    }
}

extension PacketLayout {
    /// The most bytes that a packet can have before one of its length fields overflows.
    fileprivate var largestPacketByteCount: Int {
        let byteCounts = zip(fields, byteCounts).map { $1 ?? $0.format.largestByteCount }
        let total = Int128(byteCounts.reduce(0, +))
        var behind = 0
        var limit: Int128?
        // One of several conditional lengths suffices; an empty payload or a frame needs none.
        var otherLimit = isFramed ? Int128(Int.max) : total
        for (field, byteCount) in zip(fields, byteCounts) {
            behind += byteCount
            guard case .length(let base, let constant) = field.role else { continue }
            let counted = field.format.range.upperBound - Int128(constant)
            let most =
                switch base {
                case .packet: counted
                case .payload: counted + total
                case .rest: counted + Int128(behind)
                }
            if field.condition == nil { limit = min(limit ?? most, most) } else { otherLimit = max(otherLimit, most) }
        }
        return Int(clamping: max(limit ?? otherLimit, 0))
    }
}

extension PacketField.Format {
    fileprivate var largestByteCount: Int {
        if case .varint(let format) = self { format.maximumByteCount } else { byteCount ?? 1 }
    }
}
