// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The values that attributes give to fields: `@default(v)` and `@example(v)`.
extension Checker {
    /// Returns the value in `@example(v)`; nil if there is none, or if an error was reported.
    mutating func example(
        of field: FieldDescription, _ syntax: FieldSyntax, _ attributes: AttributeSet
    ) -> DefaultValue? {
        guard let argument = attributes.argument(of: .exampleValue) else { return nil }
        var item = field
        while let element = item.type.itemType {
            item.type = element
            // The limits apply to the list, not to its items.
            (item.range, item.floatRange, item.maximumCount) = (nil, nil, nil)
        }
        guard item.type.isValue else {
            reportMisfit(
                .exampleValue, attributes, syntax.typeText,
                help: "it is for numbers, texts, enums and flags, and for lists of them")
            return nil
        }
        return value(argument, for: .exampleValue, of: item, syntax)
    }

    /// Returns a value for a field with a scalar type; nil if an error was reported.
    mutating func value(
        _ argument: ArgumentSyntax, for kind: AttributeKind, of field: FieldDescription, _ syntax: FieldSyntax
    ) -> DefaultValue? {
        switch field.type {
        case .integer(let format, _): integer(argument, kind, field.range ?? format.range)
        case .varint(let format): integer(argument, kind, field.range ?? format.range)
        case .float(let format, _): float(argument, kind, field, format)
        case .boolean: boolean(argument, kind)
        case .bit: boolean(argument, kind, orNumber: true)
        case .enumeration(let index, _):
            listed(
                argument, kind, enumerationTables[index], description.enumerations[index].format,
                isClosed: description.enumerations[index].isClosed, syntax.typeName.text)
        case .flags(let index, _):
            listed(
                argument, kind, flagTables[index], description.flagSets[index].format, isClosed: false,
                syntax.typeName.text)
        case .string(let extent), .bytes(let extent): text(argument, kind, extent, isUTF16: false, of: field)
        case .utf16(let extent, _), .sized(.utf16, let extent): text(argument, kind, extent, isUTF16: true, of: field)
        case .digits(let format): digits(argument, kind, format)
        case .structure, .union, .list, .fixedList, .sized, .properties: nil
        }
    }

    /// Returns the text or the digits that an attribute gives to a packet field; nil if an error was reported.
    func headerText(
        _ argument: ArgumentSyntax, _ kind: AttributeKind, _ format: PacketField.Format
    ) -> PacketHeader.FieldValue? {
        let value: DefaultValue? =
            switch format.type {
            case .string(let extent): text(argument, kind, extent, isUTF16: false)
            case .digits(let format): digits(argument, kind, format)
            default: nil
            }
        guard case .string(let text)? = value, format.canHold(.text(text)) else { return nil }
        return .text(text)
    }

    private func integer(
        _ argument: ArgumentSyntax, _ kind: AttributeKind, _ range: ClosedRange<Int128>
    ) -> DefaultValue? {
        if case .number(let number) = argument {
            if number.isFaulty { return nil }
            if let value = number.integer, range.contains(value) { return .integer(value) }
        }
        return refuse(argument, kind, "it is a whole number from \(range.lowerBound) to \(range.upperBound)")
    }

    private func float(
        _ argument: ArgumentSyntax, _ kind: AttributeKind, _ field: FieldDescription, _ format: FloatFormat
    ) -> DefaultValue? {
        let range = field.floatRange ?? format.range
        if case .number(let number) = argument {
            guard let value = number.double else { return nil }
            if range.contains(format.nearest(to: value)) { return .float(value) }
        }
        return refuse(argument, kind, "it is a number from " + text(range, format))
    }

    func text(_ range: ClosedRange<Double>, _ format: FloatFormat) -> String {
        "\(format.digits(of: range.lowerBound)) to \(format.digits(of: range.upperBound))"
    }

    /// - Parameter orNumber: Whether 0 and 1 stand for `false` and `true`.
    private func boolean(
        _ argument: ArgumentSyntax, _ kind: AttributeKind, orNumber: Bool = false
    ) -> DefaultValue? {
        switch argument {
        case .name(let name) where name.text == "true": return .integer(1)
        case .name(let name) where name.text == "false": return .integer(0)
        case .number(let number) where orNumber:
            if number.isFaulty { return nil }
            if let value = number.integer, 0...1 ~= value { return .integer(value) }
        default: break
        }
        return refuse(argument, kind, orNumber ? "it is `true` or `false`, 1 or 0" : "it is `true` or `false`")
    }

    private mutating func listed(
        _ argument: ArgumentSyntax, _ kind: AttributeKind, _ table: CaseTable, _ format: IntegerFormat, isClosed: Bool,
        _ owner: String
    ) -> DefaultValue? {
        switch argument {
        case .name(let name):
            if let value = table.values[name.text] { return .integer(value) }
            let help = spelling.help(for: name.text, among: table.names)
            reporter.error(
                "\(owner.quoted) has no \(name.text.quoted)", at: name.span,
                help: help ?? "it has \(Self.list(table.names))")
            return nil
        case .number(let number):
            if number.isFaulty { return nil }
            if let value = number.integer, format.range.contains(value), !isClosed || table.numbers.contains(value) {
                return .integer(value)
            }
        default: break
        }
        return refuse(argument, kind, "it is one of \(Self.list(table.names))")
    }

    private func text(
        _ argument: ArgumentSyntax, _ kind: AttributeKind, _ extent: TypeDescription.Extent, isUTF16: Bool,
        of field: FieldDescription? = nil
    ) -> DefaultValue? {
        guard case .string(let text, let span) = argument else {
            return refuse(argument, kind, "it is a string: `\"…\"`")
        }
        var limit = field?.maximumCount ?? .max
        switch extent {
        case .counted(let format, _):
            let isSized = field?.type.isSized ?? false
            limit = min(limit, isSized ? format.maximum / 2 : format.maximum)
        case .terminated where text.utf8.contains(0):
            return refuse(argument, kind, "a string that ends at a NUL cannot hold one")
        case .fixed(let byteCount, let padding):
            guard !(isUTF16 ? text.isChanged(byUTF16Padding: padding) : text.isChanged(byPadding: padding)) else {
                let help =
                    padding == 0
                    ? "text that ends at a NUL cannot hold one" : "the byte of `@pad` is taken off the end of a text"
                return refuse(argument, kind, help)
            }
            limit = min(limit, isUTF16 ? byteCount / 2 : byteCount)
        case .field(let count): limit = min(limit, isUTF16 ? count.range.upperBound / 2 : count.range.upperBound)
        case .exact(let byteCount):
            let count = isUTF16 ? 2 * text.utf16UnitCount : text.utf8.count
            if count == byteCount { break }
            return refuse(argument, kind, "`@size` gives it \(byteCount) bytes, and this has \(count)")
        default: break
        }
        let count = isUTF16 ? text.utf16UnitCount : text.utf8.count
        if count > limit {
            reporter.error(
                "this \(kind.noun) has \(count) \(isUTF16 ? "16-bit units" : "bytes"), \(limit) are allowed",
                at: span,
                help: "shorten it, or raise the limit")
            // A default that is too long still counts as one, so that no further errors follow.
            return kind == .default ? .string(text) : nil
        }
        return .string(text)
    }

    private func digits(_ argument: ArgumentSyntax, _ kind: AttributeKind, _ format: DigitFormat) -> DefaultValue? {
        guard case .string(let text, _) = argument, format.fault(of: Array(text.utf8)) == nil else {
            let zeros = format.zero.prefix(40)
            return refuse(argument, kind, "it is a string of \(format.digitCount) digits: `\"\(zeros)\"`")
        }
        return .string(text)
    }

    func refuse(_ argument: ArgumentSyntax, _ kind: AttributeKind, _ help: String) -> DefaultValue? {
        reporter.error("this cannot be the field's \(kind.noun)", at: argument.span, help: help)
        return nil
    }

    /// Returns the first few of many names: `a`, `b` and so on.
    static func list(_ names: [String]) -> String {
        let shown = names.prefix(8).map { "`\($0)`" }.joined(separator: ", ")
        return names.count > 8 ? shown + ", …" : shown
    }
}

extension AttributeKind {
    /// Its noun in error messages.
    fileprivate var noun: String { self == .header ? "value" : rawValue }
}

extension TypeDescription {
    /// Whether one number, name or string can express its values.
    var isValue: Bool {
        switch self {
        case .sized(let content, _): content.isValue
        case .structure, .union, .list, .fixedList, .properties: false
        default: true
        }
    }
}
