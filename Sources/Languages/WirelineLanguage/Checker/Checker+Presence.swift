// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension Checker {
    /// Returns whether a field may be absent, and its value in that case.
    ///
    /// - Parameters:
    ///   - scope: The operands of conditions.
    ///   - hasType: Whether the field's type is known; if not, values are not checked.
    mutating func presence(
        of syntax: FieldSyntax, _ attributes: AttributeSet, _ field: FieldDescription, in owner: FieldOwner,
        _ scope: ConditionScope, hasType: Bool
    ) -> FieldDescription.Presence {
        let isNullable = hasType && field.type.isNullable
        if let span = attributes.span(of: .default), !attributes.has(.since), !isNullable {
            reporter.error(
                "`@default` goes with `@since`", at: span,
                help: "a field that every packet has needs no default; for one that was added write `@since(2)` too")
        }
        if case .arm = owner { return armPresence(syntax, attributes, field) }
        if isNullable { return nullablePresence(syntax, attributes) }
        if attributes.has(.condition) { return conditionalPresence(syntax, attributes, scope) }
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

    private func armPresence(
        _ syntax: FieldSyntax, _ attributes: AttributeSet, _ field: FieldDescription
    ) -> FieldDescription.Presence {
        let mark = syntax.optional ?? attributes.span(of: .since) ?? attributes.span(of: .condition)
        if let mark {
            reporter.error(
                "the value of an arm is always there", at: mark,
                help: "an arm without a value is only a name, as in `0: nothing;`")
        } else if field.type.isNullable, let prefix = attributes.prefix {
            reporter.error(
                "the value of an arm is always there, and the -1 of \(prefix.text.quoted) says that it is absent",
                at: prefix.span, help: "put the field into a struct, and let the arm hold that")
        }
        return .required
    }

    /// Returns the presence of a field whose prefix says whether it is present.
    private func nullablePresence(
        _ syntax: FieldSyntax, _ attributes: AttributeSet
    ) -> FieldDescription.Presence {
        let others = [AttributeKind.since, .condition, .default].compactMap { kind in
            attributes.span(of: kind).map { (name: "@\(kind.rawValue)", span: $0) }
        }
        let mark = syntax.optional.map { (name: "optional", span: $0) } ?? others.first
        if let mark, let prefix = attributes.prefix {
            reporter.error(
                "`\(mark.name)` does not go with the prefix \(prefix.text.quoted)", at: mark.span,
                help: "its -1 says that the field is absent: remove one of them, or take a prefix without a sign")
        }
        return .nullable
    }

    private mutating func conditionalPresence(
        _ syntax: FieldSyntax, _ attributes: AttributeSet, _ scope: ConditionScope
    ) -> FieldDescription.Presence {
        if let mark = syntax.optional ?? attributes.span(of: .since) {
            reporter.error(
                "`@if` and `\(syntax.optional == nil ? "@since" : "optional")` exclude each other", at: mark,
                help: "a field with a condition is there exactly when it holds: choose one")
            return .required
        }
        guard case .condition(let condition)? = attributes.argument(of: .condition) else { return .required }
        return self.condition(condition, in: scope).map { .when($0) } ?? .required
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
        // A reported value must not be treated as zero.
        let faulty = DefaultValue.string("")
        guard let argument = attributes.argument(of: .default) else { return faulty }
        let canHaveOne = if case .bytes = field.type { false } else { field.type.isValue }
        guard canHaveOne else {
            reportMisfit(
                .default, attributes, syntax.typeText, help: "leave it out: such a field is empty, or zero in all parts"
            )
            return faulty
        }
        if field.type.extent == .rest, case .string(let text, _) = argument, !text.isEmpty {
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
