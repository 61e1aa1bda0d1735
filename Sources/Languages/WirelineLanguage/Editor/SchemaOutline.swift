// SPDX-License-Identifier: Apache-2.0

/// A declaration or one of its members, for an editor's outline.
package struct OutlineItem: Equatable, Sendable {
    package var kind: Kind
    package var name: String
    /// The text after the name in the outline: the type of a field, the number of a case.
    package var detail: String
    package var nameSpan: SourceSpan
    /// The whole declaration, from its attributes to its `}` or `;`.
    package var span: SourceSpan
    package var members: [OutlineItem] = []

    package enum Kind: Equatable, Sendable {
        case message, structure, union, enumeration, flags, constant, packet, field, enumerationCase
    }
}

extension SchemaAnalysis {
    package func outline(of file: Int) -> [OutlineItem] {
        checked.trees[file].declarations.compactMap { declaration -> OutlineItem? in
            switch declaration.body {
            case .message(let name, let fields):
                item(.message, name, "message", declaration, members: members(fields, in: file))
            case .structure(let syntax):
                item(
                    .structure, syntax.name, "struct", declaration,
                    members: members(syntax.fields, in: file))
            case .union(let syntax):
                item(
                    .union, syntax.name, "union : " + syntax.tag.text, declaration,
                    members: syntax.arms.map { arm($0, in: file) })
            case .enumeration(let syntax):
                item(
                    .enumeration, syntax.name, "enum : " + syntax.format.text, declaration,
                    members: syntax.cases.map { member($0, in: file) })
            case .flags(let syntax):
                item(
                    .flags, syntax.name, "flags : " + syntax.format.text, declaration,
                    members: syntax.cases.map { member($0, in: file) })
            case .constant(let syntax):
                item(.constant, syntax.name, "const " + syntax.format.text, declaration, members: [])
            case .packet(let syntax):
                item(
                    .packet, NameSyntax(text: "packet", span: declaration.keyword), "", declaration,
                    members: (syntax.frame.map { [frame($0, in: file)] } ?? []) + syntax.states.map(state)
                        + members(syntax.header + syntax.trailer, in: file))
            case .reserved, .option: nil
            }
        }
    }

    private func item(
        _ kind: OutlineItem.Kind, _ name: NameSyntax, _ detail: String, _ declaration: DeclarationSyntax,
        members: [OutlineItem]
    ) -> OutlineItem {
        let start = declaration.attributes.first?.span ?? declaration.keyword
        return OutlineItem(
            kind: kind, name: name.text, detail: detail, nameSpan: name.span,
            span: start.through(endOfStatement(after: name.span)), members: members)
    }

    /// Returns the fields except `padding`.
    private func members(_ fields: [FieldSyntax], in file: Int) -> [OutlineItem] {
        fields.filter { $0.padding == nil }.map { field($0, in: file) }
    }

    private func frame(_ frame: FrameSyntax, in file: Int) -> OutlineItem {
        OutlineItem(
            kind: .field, name: "frame", detail: sources[file].text(frame.start.span.start..<frame.end.span.end),
            nameSpan: frame.keyword, span: frame.keyword.through(endOfStatement(after: frame.keyword)))
    }

    private func state(_ state: StateSyntax) -> OutlineItem {
        OutlineItem(
            kind: .field, name: state.name.text, detail: "state " + state.typeName.text, nameSpan: state.name.span,
            span: state.typeName.span.through(endOfStatement(after: state.name.span)))
    }

    private func field(_ field: FieldSyntax, in file: Int) -> OutlineItem {
        let start = field.attributes.first?.span ?? field.optional ?? field.repeated ?? field.typeName.span
        let words = (field.optional == nil ? "" : "optional ") + (field.repeated == nil ? "" : "repeated ")
        return OutlineItem(
            kind: .field, name: field.name.text, detail: words + field.typeText, nameSpan: field.name.span,
            span: start.through(endOfStatement(after: field.name.span)))
    }

    private func arm(_ arm: ArmSyntax, in file: Int) -> OutlineItem {
        let tag = arm.tag.span
        var item =
            arm.field.map { field($0, in: file) }
            ?? OutlineItem(
                kind: .field, name: arm.name.text, detail: "", nameSpan: arm.name.span,
                span: endOfStatement(after: arm.name.span))
        item.detail = [sources[file].text(tag.start..<tag.end), item.detail].filter { !$0.isEmpty }
            .joined(separator: ": ")
        item.span = tag.through(item.span)
        return item
    }

    private func member(_ item: CaseSyntax, in file: Int) -> OutlineItem {
        let start = item.attributes.first?.span ?? item.name.span
        let number = item.number.span
        return OutlineItem(
            kind: .enumerationCase, name: item.name.text, detail: sources[file].text(number.start..<number.end),
            nameSpan: item.name.span, span: start.through(endOfStatement(after: item.name.span)))
    }

    /// Returns the `;` or `}` that ends the statement with this name; the name itself if neither follows.
    private func endOfStatement(after name: SourceSpan) -> SourceSpan {
        let tokens = checked.lexed[name.file].tokens
        var depth = 0
        for token in tokens[firstToken(of: name.file, endingAfter: name.start)...] {
            switch token.kind {
            case .leftBrace: depth += 1
            case .rightBrace where depth > 1: depth -= 1
            case .semicolon where depth > 0: break
            case .semicolon, .rightBrace: return SourceSpan(file: name.file, start: token.start, end: token.end)
            default: break
            }
        }
        return name
    }
}
