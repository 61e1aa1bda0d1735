// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension Checker {
    /// Whether a packet may end before a field, and what the field is then.
    ///
    /// - Parameter hasType: Whether the field's type is known; without it nothing is said about values.
    mutating func presence(
        of syntax: FieldSyntax, _ attributes: AttributeSet, _ field: FieldDescription, in owner: FieldOwner,
        hasType: Bool
    ) -> FieldDescription.Presence {
        if let span = attributes.span(of: .default), !attributes.has(.since) {
            reporter.error(
                "`@default` goes with `@since`", at: span,
                help: "a field that every packet has needs no default; for one that was added write `@since(2)` too")
        }
        guard let mark = syntax.optional ?? attributes.span(of: .since) else { return .required }
        if let optional = syntax.optional, attributes.has(.since) {
            reporter.error(
                "`optional` and `@since` exclude each other", at: optional,
                help: "an `optional` field may be left out, a `@since` field is always written: choose one")
            return .optional
        }
        if !owner.canGrow {
            reporter.error(
                "a struct of fixed shape cannot have a field that may be missing", at: mark,
                help: "let the struct say its size: `struct S sized(uint16) { … }`")
        }
        guard syntax.optional == nil else { return .optional }
        let number = sinceNumber(attributes)
        guard hasType else { return .since(number, default: .zero) }
        return .since(number, default: defaultValue(of: field, syntax, attributes))
    }

    private func sinceNumber(_ attributes: AttributeSet) -> Int {
        guard let (value, span) = attributes.integer(.since) else { return Int(Int32.max) }
        guard (1...Int128(Int32.max)).contains(value) else {
            reporter.error("`@since` takes a number from 1 to \(Int32.max)", at: span)
            return Int(Int32.max)
        }
        return Int(value)
    }

    // MARK: Defaults

    private mutating func defaultValue(
        of field: FieldDescription, _ syntax: FieldSyntax, _ attributes: AttributeSet
    ) -> DefaultValue {
        guard attributes.has(.default) else {
            checkZero(of: field, syntax)
            return .zero
        }
        guard let argument = attributes.argument(of: .default) else { return .zero }
        switch field.type {
        case .integer(let format, _):
            return integerDefault(argument, field.range ?? format.range)
        case .varint(let byteCount):
            return integerDefault(argument, field.range ?? PacketField.Format.varint(maximumByteCount: byteCount).range)
        case .float32, .float64: return floatDefault(argument, field)
        case .boolean: return booleanDefault(argument)
        case .enumeration(let index, _):
            let enumeration = description.enumerations[index]
            return caseDefault(
                argument, enumeration.cases, enumeration.format, isClosed: enumeration.isClosed, syntax.typeName.text)
        case .flags(let index, _):
            let flags = description.flagSets[index]
            return caseDefault(argument, flags.cases, flags.format, isClosed: false, syntax.typeName.text)
        case .string(let extent): return stringDefault(argument, field, extent)
        default:
            reportMisfit(
                .default, attributes, syntax.typeText, help: "leave it out: such a field is empty, or zero in all parts"
            )
            return .zero
        }
    }

    private func integerDefault(_ argument: ArgumentSyntax, _ range: ClosedRange<Int128>) -> DefaultValue {
        if case .number(let number) = argument {
            if number.isFaulty { return .zero }
            if let value = number.integer, range.contains(value) { return .integer(value) }
        }
        return refuse(argument, "it is a whole number from \(range.lowerBound) to \(range.upperBound)")
    }

    private func floatDefault(_ argument: ArgumentSyntax, _ field: FieldDescription) -> DefaultValue {
        if case .number(let number) = argument {
            guard let value = number.double else { return .zero }
            var fits = field.floatRange?.contains(value) ?? true
            if case .float32 = field.type { fits = fits && Float(value).isFinite }
            if fits { return .float(value) }
        }
        let range = field.floatRange.map { " from \($0.lowerBound) to \($0.upperBound)" } ?? ""
        return refuse(argument, "it is a number" + range)
    }

    private func booleanDefault(_ argument: ArgumentSyntax) -> DefaultValue {
        if case .name(let name) = argument {
            if name.text == "true" { return .integer(1) }
            if name.text == "false" { return .integer(0) }
        }
        return refuse(argument, "it is `true` or `false`")
    }

    private mutating func caseDefault(
        _ argument: ArgumentSyntax, _ cases: [EnumerationDescription.Case], _ format: IntegerFormat, isClosed: Bool,
        _ owner: String
    ) -> DefaultValue {
        switch argument {
        case .name(let name):
            if let match = cases.first(where: { $0.name == name.text }) { return .integer(match.value) }
            let suggestion = spelling.suggestion(for: name.text, among: cases.map(\.name))
            reporter.error(
                "\(owner.quoted) has no \(name.text.quoted)", at: name.span,
                help: suggestion.map { "did you mean `\($0)`?" } ?? "it has \(Self.list(cases.map(\.name)))")
            return .zero
        case .number(let number):
            if number.isFaulty { return .zero }
            if let value = number.integer, format.range.contains(value),
                !isClosed || cases.contains(where: { $0.value == value })
            {
                return .integer(value)
            }
        default: break
        }
        return refuse(argument, "it is one of \(Self.list(cases.map(\.name)))")
    }

    private func stringDefault(
        _ argument: ArgumentSyntax, _ field: FieldDescription, _ extent: TypeDescription.Extent
    ) -> DefaultValue {
        guard case .string(let text, let span) = argument else {
            return refuse(argument, "it is a string: `\"…\"`")
        }
        var limit = field.maximumCount ?? .max
        switch extent {
        case .counted(let format, _): limit = min(limit, format.maximum)
        case .terminated where text.utf8.contains(0):
            return refuse(argument, "a string that ends at a NUL cannot hold one")
        case .rest where !text.isEmpty:
            return refuse(
                argument, "an empty `@rest` field is written as nothing, so that it could only be read as empty")
        default: break
        }
        if text.utf8.count > limit {
            reporter.error("this default has \(text.utf8.count) bytes, \(limit) are allowed", at: span)
        }
        return .string(text)
    }

    private func refuse(_ argument: ArgumentSyntax, _ help: String) -> DefaultValue {
        reporter.error("this cannot be the field's default", at: argument.span, help: help)
        return .zero
    }

    /// `a`, `b` and so on: the first few of many names.
    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(8).map { "`\($0)`" }.joined(separator: ", ")
        return names.count > 8 ? shown + ", …" : shown
    }

    /// A field that takes zero when it is missing must allow zero.
    private func checkZero(of field: FieldDescription, _ syntax: FieldSyntax) {
        let excludesZero =
            field.range.map { !$0.contains(0) } ?? field.floatRange.map { !$0.contains(0) } ?? false
        if excludesZero {
            reporter.error(
                "\(field.name.quoted) is 0 when it is missing, which its `@range` excludes", at: syntax.name.span,
                help: "say what it is then: `@default(…)`")
        } else if let name = closedWithoutZero(field.type) {
            reporter.error(
                "\(field.name.quoted) is 0 when it is missing, which the closed \(name.quoted) does not have",
                at: syntax.name.span, help: "say what it is then: `@default(…)`")
        }
    }

    private func closedWithoutZero(_ type: TypeDescription) -> String? {
        switch type {
        case .fixedList(let element, _): return closedWithoutZero(element)
        case .enumeration(let index, _):
            let enumeration = description.enumerations[index]
            let hasZero = !enumeration.isClosed || enumeration.cases.contains { $0.value == 0 }
            return hasZero ? nil : enumeration.name
        default: return nil
        }
    }
}
