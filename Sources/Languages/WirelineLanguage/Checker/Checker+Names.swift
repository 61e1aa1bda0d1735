// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

extension Checker {
    mutating func declare(_ list: [DeclarationSyntax]) {
        for declaration in list {
            switch declaration.body {
            case .message(let name, let fields):
                enter(name, .message(declarations.messages.count))
                declarations.messages.append(Declared(declaration: declaration, syntax: (name, fields)))
            case .structure(let syntax):
                enter(syntax.name, .structure(declarations.structures.count))
                declarations.structures.append(Declared(declaration: declaration, syntax: syntax))
            case .union(let syntax):
                enter(syntax.name, .union(declarations.unions.count))
                declarations.unions.append(Declared(declaration: declaration, syntax: syntax))
            case .enumeration(let syntax):
                enter(syntax.name, .enumeration(declarations.enumerations.count))
                declarations.enumerations.append(Declared(declaration: declaration, syntax: syntax))
            case .flags(let syntax):
                enter(syntax.name, .flags(declarations.flags.count))
                declarations.flags.append(Declared(declaration: declaration, syntax: syntax))
            case .constant(let syntax):
                enter(syntax.name, .constant(declarations.constants.count))
                declarations.constants.append(Declared(declaration: declaration, syntax: syntax))
            case .reserved(let syntax):
                declarations.reserved.append(Declared(declaration: declaration, syntax: syntax))
            case .option(let syntax):
                declarations.options.append(Declared(declaration: declaration, syntax: syntax))
            case .packet(let syntax):
                declarations.packets.append(Declared(declaration: declaration, syntax: syntax))
            }
        }
    }

    private mutating func enter(_ name: NameSyntax, _ meaning: Symbol.Meaning) {
        if BuiltinType(name: name.text) != nil {
            return reporter.error(
                "\(name.text.quoted) is a type of the language", at: name.span, help: "choose another name")
        }
        guard let first = symbols[name.text] else {
            symbols[name.text] = Symbol(meaning: meaning, span: name.span)
            return
        }
        reporter.error(
            "\(name.text.quoted) is declared twice; first in \(reporter.place(of: first.span))", at: name.span,
            help: "rename or remove one of them", related: [.first(first.span)])
    }

    // MARK: Names that `@name` gives

    /// Checks that no `@name` at the top level is the name or `@name` of another declaration.
    mutating func checkAliases() {
        var taken: [String: SourceSpan] = [:]
        for (declaration, owner) in namedTypes {
            guard let alias = aliasName(declaration.attributes), alias.text != owner.text else { continue }
            if let other = taken[alias.text] ?? symbols[alias.text]?.span {
                reportTaken(alias, by: other)
            } else {
                taken[alias.text] = alias.span
            }
        }
    }

    /// The declarations that become types in generated code.
    var namedTypes: [(DeclarationSyntax, NameSyntax)] {
        declarations.messages.map { ($0.declaration, $0.syntax.name) }
            + declarations.structures.map { ($0.declaration, $0.syntax.name) }
            + declarations.unions.map { ($0.declaration, $0.syntax.name) }
            + declarations.enumerations.map { ($0.declaration, $0.syntax.name) }
            + declarations.flags.map { ($0.declaration, $0.syntax.name) }
    }

    /// Checks the names of a message's fields or an enum's cases, and their `@name`.
    ///
    /// - Parameter noun: The word for them in error messages.
    mutating func checkMemberNames(_ members: [(name: NameSyntax, attributes: [AttributeSyntax])], noun: String) {
        var names: [String: SourceSpan] = [:]
        for (name, _) in members {
            if let first = names[name.text] {
                reporter.error(
                    "\(noun) \(name.text.quoted) is declared twice; first in \(reporter.place(of: first))",
                    at: name.span, help: "rename or remove one of them", related: [.first(first)])
            } else {
                names[name.text] = name.span
            }
        }
        for (name, attributes) in members {
            guard let alias = aliasName(attributes), alias.text != name.text else { continue }
            if let other = names[alias.text] { reportTaken(alias, by: other) } else { names[alias.text] = alias.span }
        }
    }

    private func reportTaken(_ alias: NameSyntax, by other: SourceSpan) {
        reporter.error(
            "the name \(alias.text.quoted) is taken in \(reporter.place(of: other))", at: alias.span,
            help: "choose another name", related: [.first(other)])
    }

    func aliasName(_ attributes: [AttributeSyntax]) -> NameSyntax? {
        for attribute in attributes where attribute.name.text == AttributeKind.name.rawValue {
            if case .name(let name)? = attribute.arguments?.first { return name }
        }
        return nil
    }

    // MARK: Unknown names

    mutating func noteUnknownType(_ name: NameSyntax) {
        guard !name.isFaulty else { return }
        if let index = unknownTypeIndices[name.text] {
            unknownTypes[index].spans.append(name.span)
        } else {
            unknownTypeIndices[name.text] = unknownTypes.count
            unknownTypes.append((name.text, [name.span]))
        }
    }

    /// The limit of other places in the report about an unknown type.
    private static let relatedLimit = 100

    /// Reports each unknown type once, however often it is used.
    mutating func reportUnknownTypes() {
        guard !unknownTypes.isEmpty else { return }
        let candidates = BuiltinType.names + symbols.filter { $0.value.isType }.keys.sorted()
        for (name, spans) in unknownTypes {
            let suggestion =
                BuiltinType.foreignNames[name.lowercased()] ?? spelling.suggestion(for: name, among: candidates)
            // An unreadable part may declare it, unless the name is close to a known one.
            if lostNames.contains(name), suggestion == nil { continue }
            let isInteger = IntegerFormat.width(inName: name) != nil
            var help =
                isInteger
                ? "an integer has 1 to 64 bits"
                : suggestion.map { "did you mean `\($0)`?" } ?? "declare it: `struct \(name.prefix(60)) { … }`"
            let others = spans.dropFirst()
            if !others.isEmpty {
                let shown = others.prefix(3).map { reporter.place(of: $0) }.joined(separator: ", ")
                let hiddenCount = others.count - min(3, others.count)
                help += " (also in \(shown)" + (hiddenCount > 0 ? " and \(hiddenCount) more places)" : ")")
            }
            let related = others.prefix(Self.relatedLimit).map {
                RelatedPlace(span: $0, message: "it is used here too")
            }
            reporter.error("unknown type \(name.quoted)", at: spans[0], help: help, related: related)
        }
    }
}

extension Symbol {
    fileprivate var isType: Bool {
        switch meaning {
        case .structure, .union, .enumeration, .flags: true
        case .message, .constant: false
        }
    }
}
