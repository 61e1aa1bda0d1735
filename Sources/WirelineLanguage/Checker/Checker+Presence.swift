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

    private mutating func defaultValue(
        of field: FieldDescription, _ syntax: FieldSyntax, _ attributes: AttributeSet
    ) -> DefaultValue {
        guard attributes.has(.default) else { return .zero }
        // A value that was reported must not be treated as zero.
        let faulty = DefaultValue.string("")
        guard let argument = attributes.argument(of: .default) else { return faulty }
        let canHaveOne = if case .bytes = field.type { false } else { field.type.isValue }
        guard canHaveOne else {
            reportMisfit(
                .default, attributes, syntax.typeText, help: "leave it out: such a field is empty, or zero in all parts"
            )
            return faulty
        }
        if case .string(.rest) = field.type, case .string(let text, _) = argument, !text.isEmpty {
            return refuse(
                argument, .default,
                "an empty `@rest` field is written as nothing, so that it could only be read as empty") ?? faulty
        }
        return value(argument, for: .default, of: field, syntax) ?? faulty
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
