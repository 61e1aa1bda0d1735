// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

extension DocumentMaker {
    func structureSection() -> Document.Section {
        let entries = description.structures.enumerated().map { index, structure in
            var line: [Document.Inline] = []
            if let prefix = structure.sizePrefix {
                let order =
                    structure.byteOrder == description.options.byteOrder || prefix == .uint8 || prefix == .varint
                    ? "" : ", " + FieldFacts.name(of: structure.byteOrder)
                line.append(.text("A \(prefix.name)\(order) in front counts the bytes after it. "))
            }
            line += named(structure.alias) + usedBy(uses.ofStructures[index])
            var blocks: [Document.Block] = line.isEmpty ? [] : [.line(line)]
            blocks += deprecation(structure.deprecation) + comment(structure.documentation)
            var parts = parts(of: structure.fields, startingAt: 0)
            if let prefix = structure.sizePrefix {
                let width = prefix == .varint ? "1 to 5" : "\(prefix.minimumByteCount)"
                let byteCount = prefix == .varint ? nil : prefix.minimumByteCount
                parts.insert(.init(name: "size", width: width, byteCount: byteCount, kind: .envelope), at: 0)
            }
            if !parts.isEmpty { blocks.append(.drawing(label: "The bytes of \(structure.name)", parts)) }
            if !structure.fields.isEmpty {
                let caption =
                    structure.sizePrefix == nil
                    ? "Offsets count from the structure's first byte."
                    : "Offsets count from the first byte after the size."
                let anchor = "struct-" + structure.name
                blocks.append(.table(table(of: structure.fields, prefix: anchor, startingAt: 0, caption: caption)))
            } else {
                blocks.append(.line([.text("No fields.")]))
            }
            return Document.Entry(anchor: "struct-" + structure.name, title: structure.name, blocks: blocks)
        }
        return Document.Section(anchor: "structures", title: "Structures", entries: entries)
    }

    func enumerationSection() -> Document.Section {
        let entries = description.enumerations.enumerated().map { index, item in
            let rule = item.isClosed ? "other numbers are refused" : "other numbers are kept"
            var line: [Document.Inline] = [.code(item.format.name), .text("; \(rule). ")]
            line += named(item.alias) + usedBy(uses.ofEnumerations[index])
            var rows = item.cases.map { row(of: $0, anchor: "enum-" + item.name, value: "\($0.value)") }
            for range in item.reservedValues {
                rows.append(Document.Row(cells: [[.init(text(of: range))], [], [.init("reserved", .note)]]))
            }
            let blocks: [Document.Block] =
                [.line(line)] + deprecation(item.deprecation) + comment(item.documentation)
                + [.table(.init(shape: .values, columns: Self.valueColumns, rows: rows))]
            return Document.Entry(anchor: "enum-" + item.name, title: item.name, blocks: blocks)
        }
        return Document.Section(anchor: "enums", title: "Enums", entries: entries)
    }

    func flagsSection() -> Document.Section {
        let entries = description.flagSets.enumerated().map { index, item in
            let line: [Document.Inline] =
                [.code(item.format.name), .text("; bits without a name are kept. ")]
                + named(item.alias) + usedBy(uses.ofFlagSets[index])
            let rows = item.cases.map { flag in
                let mask = UInt64(truncatingIfNeeded: flag.value)
                let value = DocumentText.hexadecimal(mask, byteCount: item.format.byteCount)
                return row(of: flag, anchor: "flags-" + item.name, value: value)
            }
            let blocks: [Document.Block] =
                [.line(line)] + deprecation(item.deprecation) + comment(item.documentation)
                + [.table(.init(shape: .values, columns: ["Mask", "Name", "Meaning"], rows: rows))]
            return Document.Entry(anchor: "flags-" + item.name, title: item.name, blocks: blocks)
        }
        return Document.Section(anchor: "flags", title: "Flags", entries: entries)
    }

    private static let valueColumns = ["Value", "Name", "Meaning"]

    private func row(of item: EnumerationDescription.Case, anchor: String, value: String) -> Document.Row {
        var meaning = DocumentText.cellLines(of: item.documentation)
        if let alias = item.alias { meaning.append(.init([.text("in code "), .code(alias)], .note)) }
        if let reason = item.deprecation {
            meaning.append(
                .init([.text("deprecated: ")] + DocumentText.inlines(of: DocumentText.line(of: reason)), .note))
        }
        return Document.Row(
            anchor: anchor + "." + item.name, cells: [[.init(value)], [.init([.code(item.name)], .name)], meaning])
    }

    func constantSection() -> Document.Section {
        let rows = description.constants.map { constant in
            Document.Row(
                anchor: "const-" + constant.name, isEntry: true,
                cells: [
                    [.init("\(constant.value)")], [.init([.code(constant.name)], .name)],
                    DocumentText.cellLines(of: constant.documentation) + [.init([.code(constant.format.name)], .note)],
                ])
        }
        let table = Document.Table(shape: .values, columns: Self.valueColumns, rows: rows)
        return Document.Section(anchor: "constants", title: "Constants", blocks: rows.isEmpty ? [] : [.table(table)])
    }

    func reservedSection() -> Document.Section {
        let rows = description.reservedIDs.map { range in
            let ends = Set([range.lowerBound, range.upperBound]).sorted()
            let digits = ends.map { DocumentText.hexadecimal($0) }.joined(separator: " to ")
            return Document.Row(
                isEntry: true, number: range.lowerBound,
                cells: [
                    [.init(text(of: range), .name)], [.init(digits, .name)], [.init("no message may have it", .note)],
                ])
        }
        let table = Document.Table(shape: .values, columns: ["ID", "Hexadecimal", "Meaning"], rows: rows)
        return Document.Section(
            anchor: "reserved-ids", title: "Reserved IDs", blocks: rows.isEmpty ? [] : [.table(table)])
    }

    private func text(of range: ClosedRange<some BinaryInteger>) -> String {
        range.lowerBound == range.upperBound ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
    }

    // MARK: Lines

    func named(_ alias: String?) -> [Document.Inline] {
        alias.map { [.text("In code "), .code($0), .text(". ")] } ?? []
    }

    func usedBy(_ links: [Document.Inline]) -> [Document.Inline] {
        guard !links.isEmpty else { return [] }
        let rest = links.count - Self.maximumUseCount
        return [.text("Used by ")] + list(Array(links.prefix(Self.maximumUseCount)))
            + [.text(rest > 0 ? " and \(DocumentText.number(rest)) more." : ".")]
    }

    private static let maximumUseCount = 12
}

/// The messages, structures and unions that have fields of a type.
struct TypeUses {
    /// For each type of its kind: links in the order of declaration, messages first.
    private(set) var ofStructures: [[Document.Inline]]
    private(set) var ofUnions: [[Document.Inline]]
    private(set) var ofEnumerations: [[Document.Inline]]
    private(set) var ofFlagSets: [[Document.Inline]]

    init(_ description: ProtocolDescription) {
        ofStructures = Array(repeating: [], count: description.structures.count)
        ofUnions = Array(repeating: [], count: description.unions.count)
        ofEnumerations = Array(repeating: [], count: description.enumerations.count)
        ofFlagSets = Array(repeating: [], count: description.flagSets.count)
        add(
            description.packetFields.compactMap(\.type) + description.states.map(\.type),
            .link("Packet layout", to: "packet"))
        for message in description.messages { add(message.fields, FieldFacts.link(message: message.name)) }
        for structure in description.structures { add(structure.fields, FieldFacts.link(structure: structure.name)) }
        for union in description.unions {
            let tag = FieldDescription(name: "", type: union.tag, location: union.location)
            add([tag] + union.fields, FieldFacts.link(union: union.name))
        }
    }

    private mutating func add(_ fields: [FieldDescription], _ link: Document.Inline) {
        add(fields.map(\.type), link)
    }

    private mutating func add(_ types: [TypeDescription], _ link: Document.Inline) {
        var (structures, enumerations, flagSets): (Set<Int>, Set<Int>, Set<Int>) = ([], [], [])
        var unions: Set<Int> = []
        for type in types {
            switch type.innermost {
            case .structure(let index):
                if structures.insert(index).inserted { ofStructures[index].append(link) }
            case .union(let index):
                if unions.insert(index).inserted { ofUnions[index].append(link) }
            case .enumeration(let index, _):
                if enumerations.insert(index).inserted { ofEnumerations[index].append(link) }
            case .flags(let index, _):
                if flagSets.insert(index).inserted { ofFlagSets[index].append(link) }
            default: break
            }
        }
    }
}

extension TypeDescription {
    /// The element type of a list, however nested, or the type itself.
    fileprivate var innermost: TypeDescription {
        switch self {
        case .list(let element, _), .fixedList(let element, _), .sized(let element, _): element.innermost
        default: self
        }
    }
}
