// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension Checker {
    mutating func checkUnion(_ declared: Declared<UnionSyntax>) {
        let syntax = declared.syntax
        let attributes = attributes(declared.declaration.attributes, at: .union)
        let tag = tagType(syntax.tag)
        checkMemberNames(
            syntax.arms.filter { $0.field?.padding == nil }.map { ($0.name, $0.field?.attributes ?? []) }, noun: "arm")
        let numbers = armTags(syntax, tag)
        checkArmCount(syntax)
        var fields: [ResolvedField] = []
        var arms: [UnionDescription.Arm] = []
        var defaultArm: UnionDescription.Arm?
        for (arm, number) in zip(syntax.arms, numbers) {
            var result = UnionDescription.Arm(
                tag: number ?? 0, name: arm.name.text, documentation: arm.documentation,
                location: reporter.location(of: arm.name.span))
            if case .default = arm.tag {
                result = defaultArmDescription(arm)
                defaultArm = defaultArm ?? result
                continue
            }
            if let field = arm.field.flatMap({ armField($0) }) {
                fields.append(field)
                result = UnionDescription.Arm(tag: number ?? 0, field: field.description)
            }
            arms.append(result)
        }
        unionFields.append(fields)
        var union = UnionDescription(
            name: syntax.name.text, tag: tag ?? .varint(maximumByteCount: 10),
            arms: arms + [defaultArm].compactMap(\.self), byteOrder: description.options.byteOrder,
            location: reporter.location(of: syntax.name.span))
        if let prefix = syntax.sizePrefix { union.sizePrefix = countFormat(prefix, "the size of a value") ?? .uint16 }
        union.alias = alias(attributes)
        union.deprecation = deprecation(attributes)
        union.documentation = declared.declaration.documentation
        description.unions.append(union)
    }

    private func checkArmCount(_ syntax: UnionSyntax) {
        if syntax.arms.isEmpty, syntax.isComplete {
            reporter.error(
                "\(syntax.name.text.quoted) has no arms", at: syntax.name.span,
                help: "an arm is a tag and a field, as in `1: uint32 mileage;`")
        }
        guard syntax.arms.count > UnionDescription.maximumArmCount else { return }
        reporter.error(
            "\(syntax.name.text.quoted) has \(syntax.arms.count) arms, \(UnionDescription.maximumArmCount) are allowed",
            at: syntax.arms[UnionDescription.maximumArmCount].name.span,
            help: "let a `default` arm keep the rare ones, or put a second tag into a struct")
    }

    /// Returns the field of an arm; nil if it was refused.
    private mutating func armField(_ syntax: FieldSyntax) -> ResolvedField? {
        guard syntax.padding == nil else {
            reporter.error(
                "an arm holds a value or nothing", at: syntax.name.span,
                help: "put the padding into a struct with the value, or leave only a name, as in `0: nothing;`")
            return nil
        }
        checkNumbersAscend([syntax])
        earlierFields = EarlierFields()
        var field = field(syntax, of: .arm, ConditionScope(allFields: [], header: nil))
        if case .constant = field.description.role {
            reporter.error(
                "\(syntax.name.text.quoted) is a constant, which is no value of an arm", at: syntax.name.span,
                help: "put it into a struct, and let the arm hold that")
            field.description.role = .value
        }
        field.description.offset = 0
        if let attribute = syntax.tagAttribute {
            reporter.error(
                "an arm holds one field, so none stands before it with a tag", at: attribute.span,
                help: "put both fields into a struct, and let the arm hold that")
        }
        return packed([field], [syntax], in: .arm).first
    }

    // MARK: Tags

    /// Returns the type of a union's tag; nil if it was reported.
    private mutating func tagType(_ name: NameSyntax) -> TypeDescription? {
        let order = description.options.byteOrder
        switch BuiltinType(name: name.text) {
        case .integer(let format) where format.isWholeBytes: return .integer(format, order)
        case .varint(.unsigned): return .varint(VarintFormat(.unsigned, description.options.varintForms))
        default: break
        }
        if case .enumeration(let index)? = symbols[name.text]?.meaning,
            description.enumerations[index].format.isWholeBytes
        {
            return .enumeration(index, order)
        }
        guard !name.isFaulty, !lostNames.contains(name.text) else { return nil }
        let known = BuiltinType.names + declarations.enumerations.map(\.syntax.name.text)
        let isKnown = BuiltinType(name: name.text) != nil || symbols[name.text] != nil
        reporter.error(
            "\(name.text.quoted) cannot be the tag of a union", at: name.span,
            help: (isKnown ? nil : spelling.help(for: name.text, among: known))
                ?? "it is an integer or an enum of whole bytes, or a `varint`")
        return nil
    }

    /// Returns the tag of each arm; nil for the `default` arm, and for tags with a reported error.
    private mutating func armTags(_ syntax: UnionSyntax, _ type: TypeDescription?) -> [Int128?] {
        var first: [Int128: NameSyntax] = [:]
        var defaultSpan: SourceSpan?
        return syntax.arms.map { arm in
            if case .default(let span) = arm.tag {
                if let defaultSpan {
                    reporter.error(
                        "a second `default`", at: span, help: "one arm keeps all other tags: remove one of them",
                        related: [.first(defaultSpan)])
                }
                defaultSpan = defaultSpan ?? span
                return nil
            }
            guard let type, let number = armTag(arm.tag, type, syntax) else { return nil }
            if let other = first[number] {
                reporter.error(
                    "\(other.text.quoted) and \(arm.name.text.quoted) have the same tag", at: arm.tag.span,
                    help: "each tag has one arm")
            } else {
                first[number] = arm.name
            }
            return number
        }
    }

    private mutating func armTag(_ tag: ArmSyntax.Tag, _ type: TypeDescription, _ union: UnionSyntax) -> Int128? {
        switch (tag, type) {
        case (.number(let number), .integer(let format, _)): return checkedValue(number, in: format)
        case (.number(let number), .varint): return checkedValue(number, in: .uint64)
        case (.number(let number), _):
            guard !number.isFaulty else { return nil }
            reporter.error(
                "the tags of \(union.name.text.quoted) are names of \(union.tag.text.quoted)", at: number.span,
                help: "write the name; a number that has none gets one in the enum")
            return nil
        case (.name(let name), .enumeration(let index, _)):
            let table = enumerationTables[index]
            if let value = table.values[name.text] { return value }
            guard !name.isFaulty else { return nil }
            reporter.error(
                "\(union.tag.text.quoted) has no \(name.text.quoted)", at: name.span,
                help: spelling.help(for: name.text, among: table.names) ?? "declare it in the enum")
            return nil
        case (.name(let name), _):
            guard !name.isFaulty else { return nil }
            reporter.error(
                "the tags of \(union.name.text.quoted) are numbers", at: name.span,
                help: "for names, let the tag be an enum: `union \(union.name.text) : Kind { … }`")
            return nil
        case (.default, _): return nil
        }
    }

    // MARK: The default arm

    /// Returns the arm that keeps values with other tags.
    private mutating func defaultArmDescription(_ arm: ArmSyntax) -> UnionDescription.Arm {
        if let written = arm.field {
            _ = attributes(written.attributes, at: .defaultArm)
        }
        let isBytes =
            arm.field.map {
                $0.typeName.text == "bytes" && $0.brackets.isEmpty && $0.repeated == nil && $0.optional == nil
                    && $0.number == nil
            } ?? false
        if !isBytes {
            reporter.error(
                "the `default` arm holds `bytes`", at: arm.field?.typeSpan ?? arm.name.span,
                help: "it keeps what has another tag as it is: `default: bytes \(arm.name.text);`")
        }
        var field = FieldDescription(
            name: arm.name.text, type: .bytes(.rest), location: reporter.location(of: arm.name.span))
        field.documentation = arm.documentation
        field.offset = 0
        return UnionDescription.Arm(tag: nil, field: field)
    }

    // MARK: The end

    /// Checks that a union that may extend to the end of the payload is the last field of a message.
    ///
    /// Unions are declared in any order, so this needs all of them.
    func checkUnionEnds() {
        for (syntax, fields) in zip(declarations.unions, unionFields) where syntax.syntax.sizePrefix == nil {
            for field in fields { checkUnionEnd(of: field, isLast: false) }
        }
        for (structure, fields) in zip(description.structures, structureFields) {
            for (index, field) in fields.enumerated() {
                checkUnionEnd(of: field, isLast: structure.sizePrefix != nil && index == fields.count - 1)
            }
        }
        for fields in messageFields {
            for (index, field) in fields.enumerated() { checkUnionEnd(of: field, isLast: index == fields.count - 1) }
        }
        // In a sized union an arm's value ends with the body, but the items of a list do not.
        for (syntax, fields) in zip(declarations.unions, unionFields) where syntax.syntax.sizePrefix != nil {
            for field in fields { checkUnionEnd(of: field, isLast: true) }
        }
    }

    private func checkUnionEnd(of field: ResolvedField, isLast: Bool) {
        guard case .union(let index) = field.description.type.leaf, description.unions[index].mayGoToEnd else { return }
        let isList = field.description.type != field.description.type.leaf
        guard isList || !isLast else { return }
        let union = description.unions[index]
        let arm = union.arms.first { $0.field?.type.goesToEnd == true }?.name ?? ""
        reporter.error(
            "\(field.description.name.quoted) may go to the end of the payload, because of `\(union.name).\(arm)`",
            at: field.nameSpan,
            help: isList
                ? "let the union say its size: `union \(union.name) : … sized(uint16) { … }`"
                : "make it a message's last field, or let the union say its size: `sized(uint16)`")
    }
}
