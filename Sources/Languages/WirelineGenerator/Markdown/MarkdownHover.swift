// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
package import WirelineSchema

/// The hover text of an editor for a name in a schema, as Markdown: bytes and offsets, properties and the comment.
///
/// It has the facts of ``MarkdownGenerator``'s file, without drawings and examples.
package struct MarkdownHover {
    private let maker: DocumentMaker

    package init(_ description: ProtocolDescription) { maker = DocumentMaker(description) }

    private var description: ProtocolDescription { maker.description }

    // MARK: Declarations

    /// Returns the text about a declaration of the schema; nil if none has this name.
    package func declaration(_ name: String) -> String? {
        if let index = description.messages.firstIndex(where: { $0.name == name }) {
            return text("message " + name, maker.entry(of: index).blocks)
        }
        if let index = description.structures.firstIndex(where: { $0.name == name }) {
            return text("struct " + name, maker.structureSection().entries[index].blocks)
        }
        if let index = description.unions.firstIndex(where: { $0.name == name }) {
            return text("union " + name, maker.unionSection().entries[index].blocks)
        }
        if let index = description.enumerations.firstIndex(where: { $0.name == name }) {
            return text("enum " + name, maker.enumerationSection().entries[index].blocks)
        }
        if let index = description.flagSets.firstIndex(where: { $0.name == name }) {
            return text("flags " + name, maker.flagsSection().entries[index].blocks)
        }
        guard let constant = description.constants.first(where: { $0.name == name }) else { return nil }
        return text(
            "const \(constant.format.name) \(name) = \(constant.value)", maker.comment(constant.documentation))
    }

    // MARK: Members

    /// Returns the text about a field, an arm or a case of a declaration; nil if there is none.
    package func member(_ name: String, of owner: String) -> String? {
        if let message = description.messages.first(where: { $0.name == owner }) {
            return field(name, in: message.fields) { place(of: $0, inMessage: $1) }
        }
        if let structure = description.structures.first(where: { $0.name == owner }) {
            let start = structure.sizePrefix == nil ? "" : ", after the size"
            return field(name, in: structure.fields) { offset, _ in "at offset \(offset) of `\(owner)`\(start)" }
        }
        if let union = description.unions.first(where: { $0.name == owner }) { return arm(name, of: union) }
        if let enumeration = description.enumerations.first(where: { $0.name == owner }) {
            return item(name, of: enumeration.cases) { "\($0)" }
        }
        let flags = description.flagSets.first { $0.name == owner }
        return flags.flatMap { flags in
            item(name, of: flags.cases) {
                DocumentText.hexadecimal(UInt64(truncatingIfNeeded: $0), byteCount: flags.format.byteCount)
            }
        }
    }

    private func field(
        _ name: String, in fields: [FieldDescription], place: (Int, FieldDescription) -> String
    ) -> String? {
        guard let index = fields.firstIndex(where: { $0.name == name }) else { return nil }
        let field = fields[index]
        let width = maker.facts.width(of: field)
        let previous = index > 0 ? "after `\(fields[index - 1].name)`" : "first"
        let offset = field.offset.map { place($0, field) } ?? previous
        let notes = maker.facts.notes(of: field, among: fields).map { Document.Block.line($0.inlines) }
        return [
            MarkdownText.block(typeText(of: field.type) + " " + name, language: "wire").joined(separator: "\n"),
            "\(Self.bytes(width)), \(offset).",
            MarkdownPage.text(of: notes + maker.comment(field.documentation)),
        ].filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private func arm(_ name: String, of union: UnionDescription) -> String? {
        guard let arm = union.arms.first(where: { $0.name == name }) else { return nil }
        let tag = maker.facts.text(ofTag: arm.tag, in: union)
        let type = arm.field.map { typeText(of: $0.type) + " " } ?? ""
        let place = arm.tag == nil ? "keeps other tags" : "tag \(tag)"
        let width = arm.field.map { Self.bytes(maker.facts.width(of: $0.type)) + " after the " } ?? "Nothing after the "
        let notes = maker.notes(of: arm, in: union).map { Document.Block.line($0.inlines) }
        return [
            MarkdownText.block("\(tag): \(type)\(name)", language: "wire").joined(separator: "\n"),
            arm.tag == nil ? "An arm of `\(union.name)`; it \(place)." : "\(width)\(place) of `\(union.name)`.",
            MarkdownPage.text(of: notes + maker.comment(arm.documentation)),
        ].filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private func place(of offset: Int, inMessage field: FieldDescription) -> String {
        guard let start = maker.envelope().payloadOffset else { return "at offset \(offset) of the payload" }
        return "at offset \(start + offset) of the packet, \(offset) of the payload"
    }

    private func item(
        _ name: String, of cases: [EnumerationDescription.Case], number: (Int128) -> String
    ) -> String? {
        cases.first { $0.name == name }.map { item in
            text(
                "\(name) = \(number(item.value))",
                maker.deprecation(item.deprecation) + maker.comment(item.documentation))
        }
    }

    private func text(of state: StateDescription) -> String {
        let setters = description.messages.compactMap { message -> String? in
            guard let change = message.stateChange, description.states[change.state].name == state.name else {
                return nil
            }
            return "`\(message.name)` sets it to `\(description.text(of: change))`"
        }
        let line = (["A state of the connection, 0 at first"] + setters).joined(separator: "; ") + "."
        return [
            MarkdownText.block("state " + state.name, language: "wire").joined(separator: "\n"), line,
            MarkdownPage.text(of: maker.comment(state.documentation)),
        ].filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    /// Returns the text about a field or a state of the packet; nil if none has this name.
    package func packetField(_ name: String) -> String? {
        if let state = description.states.first(where: { $0.name == name }) { return text(of: state) }
        let (header, trailer, _) = maker.envelope()
        let fields = header + trailer
        guard let index = fields.firstIndex(where: { $0.name == name }) else { return nil }
        let place = fields[index].offset.map { "at offset \($0) of the packet" }
        let previous = index == header.count ? "after the payload" : "after `\(fields[max(0, index - 1)].name)`"
        let documentation = description.packetFields.first { $0.name == name }?.documentation ?? ""
        let condition =
            description.layout.fields[index].condition
            .map { "; there only if `\(description.text(ofPacketCondition: $0))`" } ?? ""
        let line =
            "\(Self.bytes(fields[index].width)), \(place ?? previous): "
            + maker.text(of: index) + condition + "."
        return [
            MarkdownText.block(name, language: "wire").joined(separator: "\n"), line,
            MarkdownPage.text(of: maker.comment(documentation)),
        ].filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    // MARK: Text

    private func text(_ title: String, _ blocks: [Document.Block]) -> String {
        let shown = blocks.filter { block in
            switch block {
            case .line, .comment, .table: true
            case .drawing, .label, .listing, .legend: false
            }
        }
        let head = MarkdownText.block(title, language: "wire").joined(separator: "\n")
        let body = MarkdownPage.text(of: shown)
        return body.isEmpty ? head : head + "\n\n" + body
    }

    private func typeText(of type: TypeDescription) -> String {
        maker.facts.name(of: type).map { inline in
            switch inline {
            case .text(let text), .code(let text), .link(let text, _): text
            }
        }.joined()
    }

    private static func bytes(_ width: String) -> String {
        switch width {
        case "1": "1 byte"
        case "the rest": "The rest of the payload"
        case _ where width.hasSuffix("bit") || width.hasSuffix("bits"): width
        case _ where width.contains { $0.isLetter && $0 != "n" }: "Bytes: " + width
        default: width + " bytes"
        }
    }
}
