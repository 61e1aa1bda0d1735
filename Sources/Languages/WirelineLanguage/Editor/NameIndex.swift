// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

package enum SchemaName: Hashable, Sendable {
    /// A message, a struct, a union, an enum, flags or a constant.
    case declaration(String)
    /// The `@name` of a declaration.
    case alias(String)
    /// A field of a message or a struct, an arm of a union, or a case of an enum or flags.
    case member(String, of: String)
    case memberAlias(String, of: String)
    case packetField(String)

    package var text: String {
        switch self {
        case .declaration(let text), .alias(let text), .member(let text, _), .memberAlias(let text, _),
            .packetField(let text):
            text
        }
    }
}

package struct NameUse: Equatable, Sendable {
    package var name: SchemaName
    package var span: SourceSpan
    package var isDeclaration: Bool
}

/// All places of names in the files of a protocol.
package struct NameIndex: Sendable {
    /// The places in each file, by position.
    private var uses: [[NameUse]]

    init(_ trees: [FileSyntax]) {
        let scope = NameScope(trees)
        uses = trees.map { tree in
            var collector = NameCollector(scope: scope)
            for declaration in tree.declarations { collector.add(declaration) }
            return collector.uses.sorted { $0.span.start < $1.span.start }
        }
    }

    /// Returns the name at an offset; also directly after the name, because an editor's cursor may be there.
    package func use(in file: Int, at offset: Int) -> NameUse? {
        let list = uses[file]
        var low = 0
        var high = list.count
        while low < high {
            let middle = low + (high - low) / 2
            if list[middle].span.end < offset { low = middle + 1 } else { high = middle }
        }
        guard low < list.count, list[low].span.start <= offset else { return nil }
        return list[low]
    }

    /// Returns all places of a name, by file and position.
    package func uses(of name: SchemaName) -> [NameUse] {
        uses.flatMap { $0.filter { $0.name == name } }
    }

    /// Returns the declarations of a name; more than one if that is an error.
    package func declarations(of name: SchemaName) -> [NameUse] { uses(of: name).filter(\.isDeclaration) }

    /// Returns the names in the same scope, which a new name there cannot use.
    func neighbours(of name: SchemaName) -> Set<String> {
        Set(uses.joined().filter { $0.isDeclaration && $0.name.isNeighbour(of: name) }.map(\.name.text))
    }
}

extension SchemaName {
    fileprivate func isNeighbour(of other: SchemaName) -> Bool {
        switch (self, other) {
        case (.declaration, .declaration), (.declaration, .alias), (.alias, .declaration), (.alias, .alias): true
        case (.packetField, .packetField): true
        case (.member(_, let owner), .member(_, let other)), (.member(_, let owner), .memberAlias(_, let other)),
            (.memberAlias(_, let owner), .member(_, let other)),
            (.memberAlias(_, let owner), .memberAlias(_, let other)):
            owner == other
        default: false
        }
    }
}

/// The declarations of all files that decide the meaning of a name.
private struct NameScope {
    var messages: Set<String> = []
    var messageAliases: Set<String> = []
    /// The structs and unions.
    var structures: Set<String> = []
    /// The enums and flags; defaults and examples can name their cases.
    var caseOwners: Set<String> = []
    /// The types of the packet's fields and states, by name.
    var packetTypes: [String: String] = [:]

    init(_ trees: [FileSyntax]) {
        for declaration in trees.lazy.flatMap(\.declarations) {
            switch declaration.body {
            case .message(let name, _):
                messages.insert(name.text)
                for alias in declaration.attributes.aliases { messageAliases.insert(alias.text) }
            case .enumeration(let cases), .flags(let cases): caseOwners.insert(cases.name.text)
            case .structure(let syntax): structures.insert(syntax.name.text)
            case .union(let syntax): structures.insert(syntax.name.text)
            case .packet(let syntax):
                for state in syntax.states { packetTypes[state.name.text] = state.typeName.text }
                for field in syntax.header + syntax.trailer { packetTypes[field.name.text] = field.typeName.text }
            case .constant, .reserved, .option: break
            }
        }
    }

    /// Whether a field's type belongs to the language and is not declared.
    func isBuiltin(_ type: String) -> Bool {
        if BuiltinType(name: type) != nil { return true }
        return SizedType(rawValue: type) != nil && !structures.contains(type) && !caseOwners.contains(type)
    }
}

private struct NameCollector {
    let scope: NameScope
    var uses: [NameUse] = []

    mutating func add(_ declaration: DeclarationSyntax) {
        switch declaration.body {
        case .message(let name, let fields):
            declare(name, declaration.attributes)
            addHeaderValues(declaration.attributes)
            addStateChange(declaration.attributes)
            add(fields, of: name.text)
        case .structure(let syntax):
            declare(syntax.name, declaration.attributes)
            add(syntax.fields, of: syntax.name.text)
        case .union(let syntax):
            declare(syntax.name, declaration.attributes)
            addArms(of: syntax)
        case .enumeration(let syntax), .flags(let syntax):
            declare(syntax.name, declaration.attributes)
            for item in syntax.cases { add(item.name, item.attributes, of: syntax.name.text) }
        case .constant(let syntax): declare(syntax.name, [])
        case .packet(let syntax):
            for state in syntax.states {
                add(state.name, .packetField(state.name.text), true)
                if scope.caseOwners.contains(state.typeName.text) {
                    add(state.typeName, .declaration(state.typeName.text), false)
                }
            }
            for field in syntax.header + syntax.trailer where field.padding == nil {
                add(field.name, .packetField(field.name.text), true)
                if scope.caseOwners.contains(field.typeName.text) {
                    add(field.typeName, .declaration(field.typeName.text), false)
                }
                addCases(of: field)
                addChecksumRange(field.attributes)
                let names = (syntax.header + syntax.trailer).map(\.name.text) + syntax.states.map(\.name.text)
                addConditions(field.attributes, among: syntax.header) { name in
                    PacketWord(rawValue: name) == nil || names.contains(name) ? .packetField(name) : nil
                }
            }
            addContent(syntax)
        case .reserved, .option: break
        }
    }

    /// Adds the fields in lines about the packet's content.
    private mutating func addContent(_ syntax: PacketSyntax) {
        let names = (syntax.header + syntax.trailer).map(\.name.text)
        for line in syntax.content {
            addConditions(line.attributes, among: syntax.header) { name in
                PacketWord(rawValue: name) == nil || names.contains(name) ? .packetField(name) : nil
            }
            // Keys are not names of the schema.
            for name in line.arguments where names.contains(name.text) { add(name, .packetField(name.text), false) }
        }
    }

    /// Adds the fields in `@checksum(kind, first..last)`; `payload` is not a field.
    private mutating func addChecksumRange(_ attributes: [AttributeSyntax]) {
        for attribute in attributes where attribute.name.text == AttributeKind.checksum.rawValue {
            guard case .nameRange(let first, let last)? = attribute.arguments?.last else { continue }
            for name in [first, last] where name.text != "payload" { add(name, .packetField(name.text), false) }
        }
    }

    /// Adds the state in `@sets(phase = play)`, and the case of its enum or flags.
    private mutating func addStateChange(_ attributes: [AttributeSyntax]) {
        for attribute in attributes where attribute.name.text == AttributeKind.sets.rawValue {
            switch attribute.arguments?.first {
            case .name(let state)?: add(state, .packetField(state.text), false)
            case .assignment(let state, let value)?:
                add(state, .packetField(state.text), false)
                guard case .name(let name) = value, let type = scope.packetTypes[state.text],
                    scope.caseOwners.contains(type)
                else { continue }
                add(name, .member(name.text, of: type), false)
            default: break
            }
        }
    }

    /// Adds the fields in `@header(qos = at_least_once)`, and the cases of their enums and flags.
    private mutating func addHeaderValues(_ attributes: [AttributeSyntax]) {
        for attribute in attributes where attribute.name.text == AttributeKind.header.rawValue {
            for argument in attribute.arguments ?? [] {
                guard case .assignment(let field, let value) = argument else { continue }
                add(field, .packetField(field.text), false)
                guard case .name(let name) = value, let type = scope.packetTypes[field.text],
                    scope.caseOwners.contains(type)
                else { continue }
                add(name, .member(name.text, of: type), false)
            }
        }
    }

    private mutating func declare(_ name: NameSyntax, _ attributes: [AttributeSyntax]) {
        add(name, .declaration(name.text), true)
        for alias in attributes.aliases { add(alias, .alias(alias.text), true) }
        for attribute in attributes where attribute.name.text == AttributeKind.reply.rawValue {
            for reply in attribute.arguments?.first?.names ?? [] {
                let isAlias = !scope.messages.contains(reply.text) && scope.messageAliases.contains(reply.text)
                add(reply, isAlias ? .alias(reply.text) : .declaration(reply.text), false)
            }
        }
    }

    private mutating func addArms(of union: UnionSyntax) {
        let isEnumeration = scope.caseOwners.contains(union.tag.text)
        if isEnumeration { add(union.tag, .declaration(union.tag.text), false) }
        for arm in union.arms {
            if isEnumeration, case .name(let name) = arm.tag {
                add(name, .member(name.text, of: union.tag.text), false)
            }
            if let field = arm.field {
                add([field], of: union.name.text)
            } else {
                add(arm.name, [], of: union.name.text)
            }
        }
    }

    private mutating func add(_ fields: [FieldSyntax], of owner: String) {
        for field in fields where field.padding == nil {
            add(field.name, field.attributes, of: owner)
            if !scope.isBuiltin(field.typeName.text) {
                add(field.typeName, .declaration(field.typeName.text), false)
            }
            for brackets in field.brackets {
                if case .name(let name)? = brackets.count { add(name, .declaration(name.text), false) }
            }
            addConditions(field.attributes, among: fields) { .member($0, of: owner) }
            if let tag = field.tagName { add(tag, .member(tag.text, of: owner), false) }
            addCounts(field.attributes, of: owner)
            addCases(of: field)
        }
    }

    private mutating func addCases(of field: FieldSyntax) {
        guard scope.caseOwners.contains(field.typeName.text) else { return }
        let values = [AttributeKind.default, .exampleValue, .constant].map(\.rawValue)
        for attribute in field.attributes where values.contains(attribute.name.text) {
            guard case .name(let name)? = attribute.arguments?.first else { continue }
            add(name, .member(name.text, of: field.typeName.text), false)
        }
    }

    /// Adds the fields in `@if(kind == zlib)`, and the cases that they are compared with.
    ///
    /// - Parameter name: Returns the name of an operand; nil for a word of the language.
    private mutating func addConditions(
        _ attributes: [AttributeSyntax], among fields: [FieldSyntax], name: (String) -> SchemaName?
    ) {
        for case .condition(let condition) in attributes.compactMap({ $0.arguments?.first }) {
            for (operand, comparison) in condition.tests {
                let isOfPacket = operand.header != nil
                let field = isOfPacket ? nil : fields.first { $0.name.text == operand.name.text }
                guard let found = isOfPacket ? .packetField(operand.name.text) : name(operand.name.text) else {
                    continue
                }
                add(operand.name, found, false)
                guard case .name(let value)? = comparison?.value,
                    let type = isOfPacket ? scope.packetTypes[operand.name.text] : field?.typeName.text,
                    scope.caseOwners.contains(type)
                else { continue }
                add(value, .member(value.text, of: type), false)
            }
        }
    }

    /// Adds the fields in `@count(n)` and `@size(n - 4)`.
    private mutating func addCounts(_ attributes: [AttributeSyntax], of owner: String) {
        for attribute in attributes
        where attribute.name.text == AttributeKind.count.rawValue || attribute.name.text == AttributeKind.size.rawValue
        {
            switch attribute.arguments?.first {
            case .sum(let name, _)?: add(name, .member(name.text, of: owner), false)
            case .name(let name)? where CountFormat(name: name.text) == nil:
                add(name, .member(name.text, of: owner), false)
            default: break
            }
        }
    }

    private mutating func add(_ name: NameSyntax, _ attributes: [AttributeSyntax], of owner: String) {
        add(name, .member(name.text, of: owner), true)
        for alias in attributes.aliases { add(alias, .memberAlias(alias.text, of: owner), true) }
    }

    private mutating func add(_ syntax: NameSyntax, _ name: SchemaName, _ isDeclaration: Bool) {
        guard !syntax.isFaulty else { return }
        uses.append(NameUse(name: name, span: syntax.span, isDeclaration: isDeclaration))
    }
}

extension [AttributeSyntax] {
    fileprivate var aliases: [NameSyntax] {
        compactMap { attribute in
            guard attribute.name.text == AttributeKind.name.rawValue, case .name(let name)? = attribute.arguments?.first
            else { return nil }
            return name
        }
    }
}
