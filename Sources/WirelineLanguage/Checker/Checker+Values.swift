// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The values that attributes give to fields: `@default(v)` and `@example(v)`.
extension Checker {
    /// Returns the value in `@example(v)`; nil if there is none, or if it was reported.
    mutating func example(
        of field: FieldDescription, _ syntax: FieldSyntax, _ attributes: AttributeSet
    ) -> DefaultValue? {
        guard let argument = attributes.argument(of: .exampleValue) else { return nil }
        var item = field
        while let element = item.type.itemType {
            item.type = element
            // Limits are those of the list.
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

    /// Returns a value of a field, which has a type with values of its own; nil if it was reported.
    mutating func value(
        _ argument: ArgumentSyntax, for kind: AttributeKind, of field: FieldDescription, _ syntax: FieldSyntax
    ) -> DefaultValue? {
        switch field.type {
        case .integer(let format, _): integer(argument, kind, field.range ?? format.range)
        case .varint(let format): integer(argument, kind, field.range ?? format.range)
        case .float32, .float64: float(argument, kind, field)
        case .boolean: boolean(argument, kind)
        case .enumeration(let index, _):
            listed(
                argument, kind, enumerationTables[index], description.enumerations[index].format,
                isClosed: description.enumerations[index].isClosed, syntax.typeName.text)
        case .flags(let index, _):
            listed(
                argument, kind, flagTables[index], description.flagSets[index].format, isClosed: false,
                syntax.typeName.text)
        case .string(let extent), .bytes(let extent): text(argument, kind, field, extent)
        case .digits(let byteCount): digits(argument, kind, count: 2 * byteCount)
        case .structure, .list, .fixedList, .properties: nil
        }
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
        _ argument: ArgumentSyntax, _ kind: AttributeKind, _ field: FieldDescription
    ) -> DefaultValue? {
        if case .number(let number) = argument {
            guard let value = number.double else { return nil }
            var fits = field.floatRange?.contains(value.nearest(of: field.type)) ?? true
            if case .float32 = field.type { fits = fits && Float(value).isFinite }
            if fits { return .float(value) }
        }
        return refuse(
            argument, kind, "it is a number" + (field.floatRange.map { " from " + text($0, field.type) } ?? ""))
    }

    private func text(_ range: ClosedRange<Double>, _ type: TypeDescription) -> String {
        if case .float32 = type { return "\(Float(range.lowerBound)) to \(Float(range.upperBound))" }
        return "\(range.lowerBound) to \(range.upperBound)"
    }

    private func boolean(_ argument: ArgumentSyntax, _ kind: AttributeKind) -> DefaultValue? {
        if case .name(let name) = argument {
            if name.text == "true" { return .integer(1) }
            if name.text == "false" { return .integer(0) }
        }
        return refuse(argument, kind, "it is `true` or `false`")
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
        _ argument: ArgumentSyntax, _ kind: AttributeKind, _ field: FieldDescription, _ extent: TypeDescription.Extent
    ) -> DefaultValue? {
        guard case .string(let text, let span) = argument else {
            return refuse(argument, kind, "it is a string: `\"…\"`")
        }
        var limit = field.maximumCount ?? .max
        switch extent {
        case .counted(let format, _): limit = min(limit, format.maximum)
        case .terminated where text.utf8.contains(0):
            return refuse(argument, kind, "a string that ends at a NUL cannot hold one")
        case .fixed(let byteCount, let padding):
            guard !text.isChanged(byPadding: padding) else {
                let help =
                    padding == 0
                    ? "text that ends at a NUL cannot hold one" : "the byte of `@pad` is taken off the end of a text"
                return refuse(argument, kind, help)
            }
            limit = min(limit, byteCount)
        default: break
        }
        if text.utf8.count > limit {
            reporter.error(
                "this \(kind.rawValue) has \(text.utf8.count) bytes, \(limit) are allowed", at: span,
                help: "shorten it, or raise the limit")
            // A default that is too long is still one.
            return kind == .default ? .string(text) : nil
        }
        return .string(text)
    }

    private func digits(_ argument: ArgumentSyntax, _ kind: AttributeKind, count: Int) -> DefaultValue? {
        guard case .string(let text, _) = argument, text.utf8.count == count, text.utf8.allSatisfy(\.isDigit) else {
            let zeros = String(repeating: "0", count: min(count, 40))
            return refuse(argument, kind, "it is a string of \(count) digits: `\"\(zeros)\"`")
        }
        return .string(text)
    }

    func refuse(_ argument: ArgumentSyntax, _ kind: AttributeKind, _ help: String) -> DefaultValue? {
        reporter.error("this cannot be the field's \(kind.rawValue)", at: argument.span, help: help)
        return nil
    }

    /// Returns the first few of many names: `a`, `b` and so on.
    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(8).map { "`\($0)`" }.joined(separator: ", ")
        return names.count > 8 ? shown + ", …" : shown
    }
}

extension TypeDescription {
    /// The type of a list's items; nil for other types.
    fileprivate var itemType: TypeDescription? {
        switch self {
        case .list(let element, _), .fixedList(let element, _): element
        default: nil
        }
    }

    /// Whether a value of it can be written as one number, name or string.
    var isValue: Bool {
        switch self {
        case .structure, .list, .fixedList, .properties: false
        default: true
        }
    }
}
