// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The owner of a list of fields; some fields are allowed only in some owners.
enum FieldOwner {
    case message
    case structure(isSized: Bool)

    /// Whether fields can be appended: the reader must see where the old fields end.
    var canGrow: Bool {
        switch self {
        case .message: true
        case .structure(let isSized): isSized
        }
    }
}

extension Checker {
    /// Checks the fields of all messages and structures.
    mutating func checkFields() {
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
        checkMemberNames(list.map { ($0.name, $0.attributes) }, noun: "field")
        checkNumbersAscend(list)
        let fields = list.map { field($0, of: owner) }
        checkGrowth(fields)
        checkLast(fields, in: owner)
        return fields
    }

    private mutating func field(_ written: FieldSyntax, of owner: FieldOwner) -> ResolvedField {
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
        }
        field.presence = presence(of: syntax, attributes, field, in: owner, hasType: type != nil)
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
                    "field number \(value) stands behind \(last)", at: number.span,
                    help:
                        "fields stand on the wire in the order of their lines: number them upwards, or leave the numbers out"
                )
            }
            last = value
        }
    }

    // MARK: Order

    /// Checks that fields unknown to old programs come after those that they know.
    private func checkGrowth(_ fields: [ResolvedField]) {
        var appended: ResolvedField?
        var lastOptional: ResolvedField?
        var lastSince = 0
        for (index, field) in fields.enumerated() {
            switch field.description.presence {
            case .required:
                guard let appended else { continue }
                // The fields after this one have the same problem.
                let help = "move it up, or make it `optional` or `@since(n)` too"
                return reporter.error(
                    "\(field.description.name.quoted) must be there, but \(appended.description.name.quoted) before it "
                        + "may be missing",
                    at: field.nameSpan,
                    help: field.description.type.goesToEnd ? helpForRest(after: fields[..<index]) ?? help : help)
            case .optional:
                lastOptional = field
            case .since(let number, _):
                if number != 0, number < lastSince {
                    reporter.error(
                        "`@since(\(number))` stands behind `@since(\(lastSince))`", at: field.nameSpan,
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

    /// Returns advice for a field that may have no bytes, after fields that may be missing; nil if none of those may.
    ///
    /// It cannot be `optional`, and a field that is always written cannot follow an `optional` one.
    func helpForRest(after fields: ArraySlice<ResolvedField>) -> String? {
        if let optional = fields.first(where: { $0.description.presence == .optional }) {
            return "make it `@since(n)`, and the `optional` fields from \(optional.description.name.quoted) on too"
        }
        return fields.contains { $0.description.presence != .required } ? "make it `@since(n)`" : nil
    }

    /// Checks that a field that goes to the end of the payload is the last field of a message.
    private func checkLast(_ fields: [ResolvedField], in owner: FieldOwner) {
        for (index, field) in fields.enumerated() where field.description.type.goesToEnd {
            if case .structure = owner {
                reporter.error(
                    "\(field.description.name.quoted) goes to the end of the payload, which only a message's field can",
                    at: field.nameSpan, help: "count it with a prefix, or move it into the message")
            } else if index < fields.count - 1 {
                reporter.error(
                    "\(field.description.name.quoted) goes to the end of the payload, but "
                        + "\(fields[index + 1].description.name.quoted) follows",
                    at: field.nameSpan, help: "move it to the end of the message")
            }
        }
    }

    func reportMisfit(_ kind: AttributeKind, _ attributes: AttributeSet, _ typeName: String, help: String) {
        guard let span = attributes.span(of: kind) else { return }
        reporter.error("`@\(kind.rawValue)` does not go with \(typeName.quoted)", at: span, help: help)
    }
}
