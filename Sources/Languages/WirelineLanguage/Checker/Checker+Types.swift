// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension Checker {
    /// Resolves a field's type; nil if an error was reported.
    mutating func type(of field: FieldSyntax, _ attributes: AttributeSet) -> TypeDescription? {
        let listCount = field.brackets.count + (field.repeated == nil ? 0 : 1)
        guard listCount <= 1 else {
            reporter.error(
                "lists of lists are not possible", at: field.repeated?.through(field.typeSpan) ?? field.typeSpan,
                help: "put the inner list into a struct, and use a list of that")
            return nil
        }
        guard let element = elementType(of: field, attributes, isInList: listCount == 1) else { return nil }
        let orderFits = checkByteOrder(of: field, attributes, element)
        if listCount == 1, refusePackedItems(element, field) { return nil }
        let whole = listCount == 1 ? list(of: element, field, attributes) : single(element, attributes)
        guard orderFits, let type = whole else { return nil }
        // A byte order matters for the numbers of a list. For a single field it may belong to its bit group.
        if listCount == 1 || description.packedForm(of: type) == nil {
            warnAboutUselessOrder(of: type, field, attributes)
        }
        return type
    }

    // MARK: The named type

    private mutating func elementType(
        of field: FieldSyntax, _ attributes: AttributeSet, isInList: Bool
    ) -> TypeDescription? {
        let order = byteOrder(attributes) ?? description.options.byteOrder
        if let builtin = BuiltinType(name: field.typeName.text) {
            return builtinType(builtin, field, attributes, order, isInList: isInList)
        }
        if let type = sizedType(of: field) {
            return elementType(type, field, attributes, order, isInList: isInList)
        }
        guard let symbol = symbols[field.typeName.text] else {
            noteUnknownType(field.typeName)
            return nil
        }
        let isCompound =
            switch symbol.meaning {
            case .structure, .union: true
            default: false
            }
        guard
            checkAttributes(
                attributes, fit: field, isText: false, isVarint: false, isCompound: isCompound, isInList: isInList)
        else { return nil }
        switch symbol.meaning {
        case .structure(let index): return .structure(index)
        case .union(let index): return .union(index)
        case .enumeration(let index): return .enumeration(index, order)
        case .flags(let index): return .flags(index, order)
        case .message, .constant:
            reporter.error(
                "\(field.typeName.text.quoted) is \(symbol.meaning.noun), not a type", at: field.typeName.span,
                help: "declare a `struct` for what messages share")
            return nil
        }
    }

    private func builtinType(
        _ builtin: BuiltinType, _ field: FieldSyntax, _ attributes: AttributeSet, _ order: ByteOrder, isInList: Bool
    ) -> TypeDescription? {
        let isText = builtin == .string || builtin == .bytes
        guard
            checkAttributes(
                attributes, fit: field, isText: isText, isVarint: builtin.isVarint, hasUnits: builtin == .string,
                isInList: isInList)
        else { return nil }
        switch builtin {
        case .integer(let format): return .integer(format, order)
        case .float(let format): return .float(format, order)
        case .boolean: return .boolean
        case .bit: return .bit(order)
        case .varint(let encoding): return varintFormat(encoding, attributes).map { .varint($0) }
        case .string:
            return textExtent(attributes, order, isInList: isInList).map { extent in
                guard attributes.has(.utf16) else { return .string(extent) }
                // The prefix of such text counts 16-bit units, `@size` counts bytes.
                let isSized = attributes.has(.size) && !isInList
                return isSized ? .sized(.utf16(.rest, order), extent) : .utf16(extent, order)
            }
        case .bytes: return textExtent(attributes, order, isInList: isInList).map { .bytes($0) }
        case .properties:
            guard !isInList else {
                reporter.error(
                    "`properties` go to the end of the payload, so there is no list of them", at: field.typeSpan,
                    help: "use a list of a struct with a key and a value")
                return nil
            }
            return .properties(isStrict: description.options.hasStrictProperties)
        }
    }

    /// Reports attributes about prefixes and ends on types without them.
    func checkAttributes(
        _ attributes: AttributeSet, fit field: FieldSyntax, isText: Bool, isVarint: Bool, isPadded: Bool = false,
        hasUnits: Bool = false, isCompound: Bool = false, isInList: Bool
    ) -> Bool {
        var fits = true
        func refuse(_ kind: AttributeKind, _ help: String) {
            guard attributes.has(kind) else { return }
            reportMisfit(kind, attributes, field.typeText, help: help)
            fits = false
        }
        if !isVarint { refuse(.maximumByteCount, "it limits a `varint`") }
        if !isPadded { refuse(.pad, "it says what fills a `char[n]`") }
        if !hasUnits { refuse(.utf16, "it goes with a `string` or a `char`") }
        if !isText { refuse(.terminated, "it ends a string, or each string of a list, at a NUL") }
        let isFixedList = field.brackets.first?.count != nil
        if isFixedList || !isText && !isInList {
            refuse(.count, "it sets the prefix of a string, of bytes or of a list")
            refuse(.rest, "it goes with a string, bytes or a list")
        }
        if isFixedList || !isInList { refuse(.until, "it ends a list whose count varies, as in `@until(0) T[]`") }
        if isFixedList || !isText && !isCompound && !isInList {
            refuse(.size, "it says how many bytes a string, bytes, a list, a struct or a union take")
        }
        return fits
    }

    /// Returns how to find the end of a string or bytes; in a list, of each item.
    private func textExtent(
        _ attributes: AttributeSet, _ order: ByteOrder, isInList: Bool
    ) -> TypeDescription.Extent? {
        if isInList {
            return attributes.has(.terminated) ? .terminated : .counted(description.options.stringCount, order)
        }
        let extent = extent(attributes, [.count, .size, .terminated, .rest], description.options.stringCount, order)
        if case .field(let count)? = extent, attributes.has(.count), let span = attributes.span(of: .count) {
            reporter.error(
                "`@count(\(count.text))` counts the items of a list", at: span,
                help: "bytes are counted by `@size(\(count.text))`")
            return nil
        }
        return extent
    }

    private func extent(
        _ attributes: AttributeSet, _ kinds: [AttributeKind], _ format: CountFormat, _ order: ByteOrder
    ) -> TypeDescription.Extent? {
        let present = kinds.filter(attributes.has)
        guard present.count <= 1 else {
            if let span = attributes.span(of: present[1]) {
                reporter.error(
                    "`@\(present[0].rawValue)` and `@\(present[1].rawValue)` exclude each other", at: span,
                    help: "something ends in one way: remove one of them")
            }
            return nil
        }
        switch present.first {
        case .rest: return .rest
        case .terminated: return .terminated
        case .until: return terminator(attributes)
        case .count:
            guard let name = attributes.name(.count) else { return nil }
            if let format = CountFormat(name: name.text) { return .counted(format, order) }
            return fieldCount(name, nil, "a count").map { .field($0) }
        case .size: return size(attributes, order)
        default: return .counted(format, order)
        }
    }

    func countFormat(_ name: NameSyntax, _ what: String) -> CountFormat? {
        let format = CountFormat(name: name.text)
        if let format, !format.isSigned { return format }
        guard !name.isFaulty else { return nil }
        reporter.error(
            "\(name.text.quoted) cannot hold \(what)", at: name.span,
            help: "it is \(CountFormat.choices)"
                + (format.map { "; a field that may be absent has `@size(\($0.name))` before it" } ?? ""))
        return nil
    }

    /// Returns the format of a varint; nil if its `@max_bytes` was reported.
    func varintFormat(_ encoding: VarintFormat.Encoding, _ attributes: AttributeSet) -> VarintFormat? {
        var format = VarintFormat(encoding, description.options.varintForms)
        guard attributes.has(.maximumByteCount) else { return format }
        guard let (value, span) = attributes.integer(.maximumByteCount) else { return nil }
        let most = encoding.maximumByteCount
        guard (1...Int128(most)).contains(value) else {
            reporter.error(
                "a \(encoding.name) has 1 to \(most) bytes", at: span,
                help: "\(most) bytes hold \(encoding.bitWidth) bits")
            return nil
        }
        format.maximumByteCount = Int(value)
        return format
    }

    // MARK: Lists

    private mutating func list(
        of element: TypeDescription, _ field: FieldSyntax, _ attributes: AttributeSet
    ) -> TypeDescription? {
        if let brackets = field.brackets.first, let count = brackets.count {
            guard let value = fixedCount(count) else { return nil }
            warnAboutFixedList(of: element, field, count: value)
            return .fixedList(element, count: value)
        }
        let order = byteOrder(attributes) ?? description.options.byteOrder
        let kinds: [AttributeKind] = [.count, .size, .until, .rest]
        guard let extent = extent(attributes, kinds, description.options.listCount, order) else { return nil }
        return attributes.has(.size) ? .sized(.list(element, .rest), extent) : .list(element, extent)
    }

    mutating func fixedCount(_ count: BracketsSyntax.Count, of what: SizedType? = nil) -> Int? {
        let value: Int128?
        let span: SourceSpan
        switch count {
        case .number(let number):
            guard !number.isFaulty else { return nil }
            (value, span) = (number.integer, number.span)
        case .name(let name):
            guard let constant = constant(name) else { return nil }
            (value, span) = (constant, name.span)
        }
        guard let value, (1...65535).contains(value) else {
            if let what {
                reporter.error(
                    "a `\(what.rawValue)` has 1 to 65535 bytes", at: span,
                    help: "their number stands in the brackets, as in \(what.example)")
            } else {
                reporter.error(
                    "a fixed count is a whole number from 1 to 65535", at: span,
                    help: "a list whose count varies is `T[]` or `repeated T`")
            }
            return nil
        }
        return Int(value)
    }

    private mutating func constant(_ name: NameSyntax) -> Int128? {
        if case .constant(let index)? = symbols[name.text]?.meaning { return description.constants[index].value }
        guard !name.isFaulty, !lostNames.contains(name.text) else { return nil }
        if let symbol = symbols[name.text] {
            reporter.error(
                "\(name.text.quoted) is \(symbol.meaning.noun), not a constant", at: name.span,
                help: "declare one: `const uint8 seats = 4;`")
            return nil
        }
        let help = spelling.help(for: name.text, among: declarations.constants.lazy.map(\.syntax.name.text))
        reporter.error(
            "unknown constant \(name.text.quoted)", at: name.span,
            help: help ?? "declare it: `const uint8 \(name.text.prefix(60)) = 4;`")
        return nil
    }

    // MARK: Byte order

    func byteOrder(_ attributes: AttributeSet) -> ByteOrder? {
        if attributes.has(.little) { return .littleEndian }
        return attributes.has(.big) ? .bigEndian : nil
    }

    func checkOneByteOrder(_ attributes: AttributeSet) -> Bool {
        guard attributes.has(.little), let span = attributes.span(of: .big) else { return true }
        reporter.error("`@little` and `@big` exclude each other", at: span, help: "remove one of them")
        return false
    }

    private func checkByteOrder(
        of field: FieldSyntax, _ attributes: AttributeSet, _ element: TypeDescription
    ) -> Bool {
        guard checkOneByteOrder(attributes) else { return false }
        let isCounted = field.repeated != nil || field.brackets.contains { $0.count == nil }
        if element.isBody, !isCounted, byteOrder(attributes) != nil, !attributes.has(.size) {
            reportMisfit(
                attributes.has(.little) ? .little : .big, attributes, field.typeText,
                help: "put it before the fields inside `\(field.typeName.text)`")
            return false
        }
        return true
    }

    private func warnAboutUselessOrder(of type: TypeDescription, _ field: FieldSyntax, _ attributes: AttributeSet) {
        let kind: AttributeKind = attributes.has(.little) ? .little : .big
        guard let span = attributes.span(of: kind) else { return }
        warnAboutUselessOrder(of: type, kind, field.typeText, at: span)
    }

    func warnAboutUselessOrder(of type: TypeDescription, _ kind: AttributeKind, _ typeName: String, at span: SourceSpan)
    {
        guard !hasByteOrder(type) else { return }
        reporter.warning(
            "`@\(kind.rawValue)` changes nothing before \(typeName.quoted)", at: span,
            help: "nothing of it is a number of several bytes: leave it out")
    }

    private func hasByteOrder(_ type: TypeDescription) -> Bool {
        switch type {
        case .integer, .boolean, .bit, .enumeration, .flags:
            description.integerFormat(of: type).map { $0.byteCount > 1 } ?? false
        case .float, .utf16: true
        case .string(let extent), .bytes(let extent): hasByteOrder(extent)
        case .fixedList(let element, _): hasByteOrder(element)
        case .list(let element, let extent), .sized(let element, let extent):
            hasByteOrder(element) || hasByteOrder(extent)
        default: false
        }
    }

    private func hasByteOrder(_ extent: TypeDescription.Extent) -> Bool {
        if case .counted(let format, _) = extent { format.hasByteOrder } else { false }
    }
}
