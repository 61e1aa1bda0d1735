// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension DocumentMaker {
    func unionSection() -> Document.Section {
        let entries = description.unions.enumerated().map { entry(of: $1, usedBy: uses.ofUnions[$0]) }
        return Document.Section(anchor: "unions", title: "Unions", entries: entries)
    }

    private func entry(of union: UnionDescription, usedBy links: [Document.Inline]) -> Document.Entry {
        let anchor = "union-" + union.name
        let rest = union.defaultArm.map { "other tags are kept as `\($0.name)`" } ?? "other tags are refused"
        var line: [Document.Inline] = [.text("The tag is ")] + facts.name(of: union.tag) + [.text("; ")]
        line += DocumentText.inlines(of: rest) + [.text(". ")]
        if let prefix = union.sizePrefix {
            line.append(.text("A \(prefix.name)\(order(of: prefix, union)) after it counts the bytes of the value. "))
        }
        line += named(union.alias) + usedBy(links)
        let columns = ["Tag", "Bytes", "Arm", "Type", "Meaning"]
        let rows = union.arms.map { row(of: $0, union, anchor: anchor) }
        let blocks: [Document.Block] =
            [.line(line)] + deprecation(union.deprecation) + comment(union.documentation)
            + [
                .drawing(label: "The bytes of \(union.name)", parts(of: union)),
                .table(.init(shape: .fields, columns: columns, rows: rows)),
            ]
        return Document.Entry(anchor: anchor, title: union.name, blocks: blocks)
    }

    /// Returns the common parts of all values: tag, size and arm.
    private func parts(of union: UnionDescription) -> [Document.Part] {
        var parts = [
            Document.Part(
                name: "tag", offset: 0, width: facts.width(of: union.tag),
                byteCount: facts.fixedByteCount(of: union.tag), kind: .envelope)
        ]
        if let prefix = union.sizePrefix {
            let byteCount = prefix == .varint ? nil : prefix.minimumByteCount
            parts.append(
                .init(
                    name: "size", offset: parts[0].byteCount, width: byteCount.map { "\($0)" } ?? "1 to 5",
                    byteCount: byteCount, kind: .envelope))
        }
        return parts + [.init(name: "value", width: "n", kind: .field)]
    }

    private func order(of prefix: CountFormat, _ union: UnionDescription) -> String {
        let isUsual = union.byteOrder == description.options.byteOrder || prefix == .uint8 || prefix == .varint
        return isUsual ? "" : ", " + FieldFacts.name(of: union.byteOrder)
    }

    private func row(
        of arm: UnionDescription.Arm, _ union: UnionDescription, anchor: String
    ) -> Document.Row {
        let width = arm.field.map { facts.width(of: $0.type) } ?? "0"
        return Document.Row(
            anchor: anchor + "." + arm.name,
            cells: [
                [.init(facts.text(ofTag: arm.tag, in: union))], [.init(width)], [.init([.code(arm.name)], .name)],
                [.init(arm.field.map { facts.name(of: $0.type) } ?? [])],
                DocumentText.cellLines(of: arm.documentation) + notes(of: arm, in: union),
            ])
    }

    /// Returns the notes about an arm's value, one a line.
    func notes(of arm: UnionDescription.Arm, in union: UnionDescription) -> [Document.CellLine] {
        var facts = facts
        if union.sizePrefix != nil { facts.end = "value" }
        return arm.field.map { facts.notes(of: $0, among: []) } ?? []
    }
}

extension FieldFacts {
    /// Returns the tag of an arm in the schema's notation: a number, the name of a case, or `default`.
    func text(ofTag tag: Int128?, in union: UnionDescription) -> String {
        guard let tag else { return "default" }
        guard case .enumeration(let index, _) = union.tag else { return "\(tag)" }
        return description.enumerations[index].cases.first { $0.value == tag }?.name ?? "\(tag)"
    }
}
