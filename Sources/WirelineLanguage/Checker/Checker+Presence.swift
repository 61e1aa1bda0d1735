// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension Checker {
    /// Returns whether a packet may end before a field, and the field's value then.
    ///
    /// - Parameter hasType: Whether the field's type is known; if not, values are not checked.
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

    /// Returns the number of `@since`; 0 if it was reported.
    private func sinceNumber(_ attributes: AttributeSet) -> Int {
        guard let (value, span) = attributes.integer(.since) else { return 0 }
        guard (1...Int128(Int32.max)).contains(value) else {
            reporter.error(
                "`@since` takes a number from 1 to \(Int32.max)", at: span,
                help: "it is the version of your protocol that added the field")
            return 0
        }
        return Int(value)
    }

    // MARK: Defaults

    /// Replaces a default that was reported, so that it is not treated as zero.
    private static let faultyDefault = DefaultValue.string("")

    private mutating func defaultValue(
        of field: FieldDescription, _ syntax: FieldSyntax, _ attributes: AttributeSet
    ) -> DefaultValue {
        guard attributes.has(.default) else { return .zero }
        guard let argument = attributes.argument(of: .default) else { return Self.faultyDefault }
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
                argument, enumerationTables[index], enumeration.format, isClosed: enumeration.isClosed,
                syntax.typeName.text)
        case .flags(let index, _):
            let format = description.flagSets[index].format
            return caseDefault(argument, flagTables[index], format, isClosed: false, syntax.typeName.text)
        case .string(let extent): return stringDefault(argument, field, extent)
        default:
            reportMisfit(
                .default, attributes, syntax.typeText, help: "leave it out: such a field is empty, or zero in all parts"
            )
            return Self.faultyDefault
        }
    }

    private func integerDefault(_ argument: ArgumentSyntax, _ range: ClosedRange<Int128>) -> DefaultValue {
        if case .number(let number) = argument {
            if number.isFaulty { return Self.faultyDefault }
            if let value = number.integer, range.contains(value) { return .integer(value) }
        }
        return refuse(argument, "it is a whole number from \(range.lowerBound) to \(range.upperBound)")
    }

    private func floatDefault(_ argument: ArgumentSyntax, _ field: FieldDescription) -> DefaultValue {
        if case .number(let number) = argument {
            guard let value = number.double else { return Self.faultyDefault }
            var fits = field.floatRange?.contains(value.nearest(of: field.type)) ?? true
            if case .float32 = field.type { fits = fits && Float(value).isFinite }
            if fits { return .float(value) }
        }
        return refuse(argument, "it is a number" + (field.floatRange.map { " from " + text($0, field.type) } ?? ""))
    }

    private func text(_ range: ClosedRange<Double>, _ type: TypeDescription) -> String {
        if case .float32 = type { return "\(Float(range.lowerBound)) to \(Float(range.upperBound))" }
        return "\(range.lowerBound) to \(range.upperBound)"
    }

    private func booleanDefault(_ argument: ArgumentSyntax) -> DefaultValue {
        if case .name(let name) = argument {
            if name.text == "true" { return .integer(1) }
            if name.text == "false" { return .integer(0) }
        }
        return refuse(argument, "it is `true` or `false`")
    }

    private mutating func caseDefault(
        _ argument: ArgumentSyntax, _ table: CaseTable, _ format: IntegerFormat, isClosed: Bool, _ owner: String
    ) -> DefaultValue {
        switch argument {
        case .name(let name):
            if let value = table.values[name.text] { return .integer(value) }
            let help = spelling.help(for: name.text, among: table.names)
            reporter.error(
                "\(owner.quoted) has no \(name.text.quoted)", at: name.span,
                help: help ?? "it has \(Self.list(table.names))")
            return Self.faultyDefault
        case .number(let number):
            if number.isFaulty { return Self.faultyDefault }
            if let value = number.integer, format.range.contains(value), !isClosed || table.numbers.contains(value) {
                return .integer(value)
            }
        default: break
        }
        return refuse(argument, "it is one of \(Self.list(table.names))")
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
            reporter.error(
                "this default has \(text.utf8.count) bytes, \(limit) are allowed", at: span,
                help: "shorten it, or raise the limit")
        }
        return .string(text)
    }

    private func refuse(_ argument: ArgumentSyntax, _ help: String) -> DefaultValue {
        reporter.error("this cannot be the field's default", at: argument.span, help: help)
        return Self.faultyDefault
    }

    /// Returns the first few of many names: `a`, `b` and so on.
    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(8).map { "`\($0)`" }.joined(separator: ", ")
        return names.count > 8 ? shown + ", …" : shown
    }
}

/// The cases of an enum or flags, for look-ups.
struct CaseTable {
    let names: [String]
    let values: [String: Int128]
    let numbers: Set<Int128>

    init(_ cases: [EnumerationDescription.Case]) {
        names = cases.map(\.name)
        values = Dictionary(cases.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        numbers = Set(cases.map(\.value))
    }
}
