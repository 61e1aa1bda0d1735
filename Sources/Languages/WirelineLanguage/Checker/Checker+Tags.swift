// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Tags in an earlier field: `uint8 kind; @tag(kind) Body body;`.
extension Checker {
    /// The attributes that make no sense for a number that no program sets.
    private static let excluded: [AttributeKind] = [
        .constant, .since, .default, .condition, .maximumByteCount, .range, .exampleValue, .sensitive, .name,
        .deprecated,
    ]

    /// Returns the names of fields that later ones determine, each with its role, as in ``the tag of `body` ``.
    func derivedNames(in list: [FieldSyntax]) -> [String: String] {
        let names = list.compactMap { field in field.tagName.map { ($0.text, "the tag of \(field.name.text.quoted)") } }
        return Dictionary(names, uniquingKeysWith: { first, _ in first })
    }

    /// Connects unions with the earlier fields that hold their tags, and reports those that cannot be connected.
    func tagged(_ fields: [ResolvedField], _ list: [FieldSyntax]) -> [ResolvedField] {
        var fields = fields
        var users: [Int: String] = [:]
        for (index, syntax) in list.enumerated() {
            guard let attribute = syntax.tagAttribute, !fields[index].isFaulty else { continue }
            guard case .union(let union) = fields[index].description.type.content else {
                reportMisfit(attribute, fields[index])
                continue
            }
            guard let name = syntax.tagName, let source = tagField(name, before: index, list) else { continue }
            guard !fields[source].isFaulty, isTag(fields[source], list[source], of: syntax, name, union) else {
                continue
            }
            if users[source] == nil, fields[source].description.role == .derived {
                reporter.error(
                    "\(name.text.quoted) counts other fields, so it cannot be the tag of \(syntax.name.text.quoted)",
                    at: name.span, help: "each needs a number of its own")
                continue
            }
            if let other = users[source] {
                reporter.error(
                    "\(name.text.quoted) is already the tag of \(other.quoted)", at: name.span,
                    help: "each union has a tag of its own")
            }
            users[source] = syntax.name.text
            checkAbsentTag(fields[index], union)
            fields[source].description.role = .derived
            fields[index].description.tagField = name.text
        }
        return fields
    }

    private func reportMisfit(_ attribute: AttributeSyntax, _ field: ResolvedField) {
        let isList = if case .union = field.description.type.leaf { true } else { false }
        reporter.error(
            "`@tag` does not go with \(field.typeName.quoted)", at: attribute.span,
            help: isList ? "each item of a list has its own tag: leave `@tag` out" : "it goes with a union")
    }

    /// Returns the index of the named field; nil if none before `index` has this name.
    private func tagField(_ name: NameSyntax, before index: Int, _ list: [FieldSyntax]) -> Int? {
        if let found = list[..<index].firstIndex(where: { $0.padding == nil && $0.name.text == name.text }) {
            return found
        }
        guard !name.isFaulty else { return nil }
        let isLater = list[(index + 1)...].contains { $0.padding == nil && $0.name.text == name.text }
        let earlier = list[..<index].filter { $0.padding == nil }.map(\.name.text)
        reporter.error(
            "no field before \(list[index].name.text.quoted) is called \(name.text.quoted)", at: name.span,
            help: isLater
                ? "move it up: a tag stands before its union"
                : Spelling.help(for: name.text, among: earlier)
                    ?? "name an earlier field of the same message or struct, with the type of the union's tag")
        return nil
    }

    /// Returns whether a field can be the tag of a union; reports the reason if it cannot.
    private func isTag(
        _ field: ResolvedField, _ syntax: FieldSyntax, of user: FieldSyntax, _ name: NameSyntax, _ union: Int
    ) -> Bool {
        let role = "\(name.text.quoted) is the tag of \(user.name.text.quoted)"
        if let optional = syntax.optional {
            reporter.error("\(role), so it is always there", at: optional, help: "leave `optional` out")
            return false
        }
        let other = syntax.attributes.first { attribute in
            Self.excluded.contains { $0.rawValue == attribute.name.text }
        }
        if let other {
            reporter.error(
                "\(role), so `@\(other.name.text)` does not go with it", at: other.span,
                help: "it is always there, and written as what \(user.name.text.quoted) needs; no program sets it")
            return false
        }
        guard field.description.type.isTag(description.unions[union].tag) else {
            let (type, tag) = (field.typeName.quoted, declarations.unions[union].syntax.tag.text.quoted)
            reporter.error(
                "\(name.text.quoted) is \(type), but the tag of \(user.typeName.text.quoted) is \(tag)", at: name.span,
                help: "give it the type of the tag")
            return false
        }
        return true
    }

    /// Checks that a union that may be missing has a tag for that: 0.
    private func checkAbsentTag(_ field: ResolvedField, _ union: Int) {
        guard field.description.presence.mayBeUnset, case .enumeration(let index, _) = description.unions[union].tag,
            description.enumerations[index].isClosed, !enumerationTables[index].numbers.contains(0)
        else { return }
        reporter.error(
            "without \(field.description.name.quoted) its tag is 0, but the closed "
                + "\(description.enumerations[index].name.quoted) has no 0",
            at: field.nameSpan, help: "give it a case with the number 0, or let the union always be there")
    }
}

extension FieldSyntax {
    var tagAttribute: AttributeSyntax? { attributes.first { $0.name.text == AttributeKind.tag.rawValue } }

    /// The name in `@tag(…)`.
    var tagName: NameSyntax? {
        if case .name(let name)? = tagAttribute?.arguments?.first { name } else { nil }
    }
}

extension TypeDescription {
    /// Whether a field of this type can hold a tag, in either byte order.
    fileprivate func isTag(_ tag: Self) -> Bool {
        switch (self, tag) {
        case (.integer(let one, _), .integer(let other, _)): one == other
        case (.enumeration(let one, _), .enumeration(let other, _)): one == other
        default: self == tag
        }
    }
}
