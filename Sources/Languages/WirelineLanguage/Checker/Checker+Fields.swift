// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The owner of a list of fields; some fields are allowed only in some owners.
enum FieldOwner {
    case message
    case structure(isSized: Bool)
    case arm

    var isMessage: Bool { if case .message = self { true } else { false } }

    /// Whether fields can be appended: the reader must see where the old fields end.
    var canGrow: Bool {
        switch self {
        case .message: true
        case .structure(let isSized): isSized
        case .arm: false
        }
    }

    /// Its name in errors.
    var noun: String {
        switch self {
        case .message: "message"
        case .structure: "struct"
        case .arm: "arm"
        }
    }
}

extension Checker {
    mutating func checkFields() {
        for declared in declarations.unions { checkUnion(declared) }
        for declared in declarations.structures {
            let prefix = declared.syntax.sizePrefix
            structureFields.append(fields(declared.syntax.fields, of: .structure(isSized: prefix != nil)))
            description.structures.append(structure(declared, prefix))
        }
        for declared in declarations.messages {
            messageFields.append(fields(declared.syntax.fields, of: .message))
        }
    }

    private mutating func structure(
        _ declared: Declared<StructureSyntax>, _ prefix: NameSyntax?
    ) -> StructureDescription {
        let attributes = attributes(declared.declaration.attributes, at: .structure)
        var structure = StructureDescription(
            name: declared.syntax.name.text, fields: [], byteOrder: description.options.byteOrder,
            location: reporter.location(of: declared.syntax.name.span))
        if let prefix {
            structure.sizePrefix = countFormat(prefix, "the size of a struct") ?? .uint16
        }
        structure.alias = alias(attributes)
        structure.deprecation = deprecation(attributes)
        structure.documentation = declared.declaration.documentation
        return structure
    }

    private mutating func fields(_ list: [FieldSyntax], of owner: FieldOwner) -> [ResolvedField] {
        checkMemberNames(list.filter { $0.padding == nil }.map { ($0.name, $0.attributes) }, noun: "field")
        checkNumbersAscend(list)
        var scope = conditionScope(for: list, of: owner)
        let derived = derivedNames(in: list)
        earlierFields = EarlierFields(of: list)
        var paddingCount = 0
        let separate = list.map { syntax in
            if let byteCount = syntax.padding {
                defer { paddingCount += 1 }
                return padding(syntax, byteCount, position: paddingCount)
            }
            let field = field(syntax, of: owner, scope)
            scope.add(syntax.name.text, derived[syntax.name.text].map { .other($0) } ?? operand(field))
            earlierFields.add(field)
            return field
        }
        let fields = packed(tagged(withDerivedFields(separate), list), list, in: owner)
        checkGrowth(fields)
        checkLast(fields, in: owner)
        return fields
    }

    mutating func field(
        _ written: FieldSyntax, of owner: FieldOwner, _ scope: ConditionScope
    ) -> ResolvedField {
        let syntax = withSize(written)
        let attributes = attributes(syntax.attributes, at: .field)
        let type = type(of: syntax, attributes)
        var field = FieldDescription(
            // A substitute for an unknown type: the smallest and simplest one.
            name: syntax.name.text, type: type ?? .boolean, location: reporter.location(of: syntax.name.span))
        field.alias = alias(attributes)
        field.number = syntax.number?.integer.flatMap { Int(exactly: $0) }
        field.documentation = syntax.documentation
        field.deprecation = deprecation(attributes)
        field.isSensitive = attributes.has(.sensitive)
        if type != nil {
            applyLimits(to: &field, syntax, attributes)
            field.example = example(of: field, syntax, attributes)
            field.role = role(of: field, syntax, attributes)
        }
        field.presence = presence(of: syntax, attributes, field, in: owner, scope, hasType: type != nil)
        return ResolvedField(
            description: field, nameSpan: syntax.name.span, typeSpan: syntax.typeSpan, typeName: syntax.typeText,
            isFaulty: type == nil)
    }

    /// Checks the field numbers, which are only documentation: they must ascend, and be 0 to `Int32.max`.
    mutating func checkNumbersAscend(_ fields: [FieldSyntax]) {
        var last: Int128?
        for field in fields {
            guard let number = field.number, !number.isFaulty else { continue }
            guard let value = number.integer, (0...Int128(Int32.max)).contains(value) else {
                reporter.error(
                    "a field's number is a whole number from 0 to \(Int32.max)", at: number.span,
                    help: "leave it out: the order on the wire is that of the lines")
                continue
            }
            if let last, value <= last {
                reporter.error(
                    "field number \(value) stands after \(last)", at: number.span,
                    help:
                        "fields stand on the wire in the order of their lines: number them upwards, or leave the numbers out"
                )
            }
            last = value
        }
    }

    // MARK: Order

    /// Checks that fields unknown to old programs follow those that they know.
    private func checkGrowth(_ fields: [ResolvedField]) {
        var appended: ResolvedField?
        var lastOptional: ResolvedField?
        var lastSince = 0
        for (index, field) in fields.enumerated() {
            switch field.description.presence {
            case .required, .when, .nullable:
                guard let appended else { continue }
                // The fields after this one have the same problem.
                let isConditional = field.description.presence.condition != nil
                let help =
                    isConditional
                    ? "move it up: a field with a condition cannot be `optional` or `@since(n)`"
                    : !field.description.hasValue || field.description.presence == .nullable
                        ? "move it up: it is in every packet" : "move it up, or make it `optional` or `@since(n)` too"
                return reporter.error(
                    "\(field.description.name.quoted) \(isConditional ? "has a condition" : "must be there"), but \(appended.description.name.quoted) before it "
                        + "may be missing",
                    at: field.nameSpan,
                    help: field.description.type.goesToEnd && !isConditional
                        ? helpForRest(after: fields[..<index]) ?? help : help)
            case .optional:
                lastOptional = field
            case .since(let number, _):
                if number != 0, number < lastSince {
                    reporter.error(
                        "`@since(\(number))` stands after `@since(\(lastSince))`", at: field.nameSpan,
                        help: "fields are only ever appended: the newest stand last")
                }
                lastSince = max(lastSince, number)
                if let optional = lastOptional {
                    let help = "make \(field.description.name.quoted) `optional` too"
                    reporter.warning(
                        "\(field.description.name.quoted) is always written, so \(optional.description.name.quoted) "
                            + "before it can never be left out",
                        at: field.nameSpan,
                        help: field.description.type.goesToEnd ? helpForRest(after: fields[..<index]) ?? help : help)
                    lastOptional = nil
                }
            }
            appended = appended ?? field
        }
    }

    /// Returns advice for a field that may have no bytes after fields that may be missing; nil if none of those may.
    ///
    /// It cannot be `optional`, and a field that is always written cannot follow an `optional` one.
    func helpForRest(after fields: ArraySlice<ResolvedField>) -> String? {
        if let optional = fields.first(where: { $0.description.presence == .optional }) {
            return "make it `@since(n)`, and the `optional` fields from \(optional.description.name.quoted) on too"
        }
        return fields.contains(where: \.description.presence.isAppended) ? "make it `@since(n)`" : nil
    }

    /// Checks that a field that extends to the end of the payload is the last one of a message or a sized structure.
    private func checkLast(_ fields: [ResolvedField], in owner: FieldOwner) {
        for (index, field) in fields.enumerated() where field.description.type.goesToEnd {
            let hasRest = field.description.type.extent == .rest
            // In a protocol of another party, the field cannot be moved.
            let advice = (hasRest ? "say how many bytes it has, as in `@size(n)`, or " : "") + "move it "
            if !owner.isMessage, !(owner.canGrow && hasRest) {
                reporter.error(
                    "\(field.description.name.quoted) goes to the end of the payload, which only a message's field can",
                    at: field.nameSpan, help: advice + "into the message")
            } else if index < fields.count - 1 {
                reporter.error(
                    "\(field.description.name.quoted) goes to the end of the payload, but "
                        + "\(fields[index + 1].description.name.quoted) follows",
                    at: field.nameSpan,
                    help: advice + "to the end of the \(owner.isMessage ? "message" : "struct")")
            }
        }
    }

    func reportMisfit(_ kind: AttributeKind, _ attributes: AttributeSet, _ typeName: String, help: String) {
        guard let span = attributes.span(of: kind) else { return }
        reporter.error("`@\(kind.rawValue)` does not go with \(typeName.quoted)", at: span, help: help)
    }
}
