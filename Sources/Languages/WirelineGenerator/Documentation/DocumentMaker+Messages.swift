// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSchema

extension DocumentMaker {
    /// Returns a section for each direction, with its messages ordered by ID.
    func messageSections() -> [Document.Section] {
        let groups: [(anchor: String, title: String, senders: Set<Sender>)] = [
            ("client-messages", "Client to server", [.client]), ("server-messages", "Server to client", [.server]),
            ("both-messages", "Both ways", [.client, .server]),
        ]
        return groups.map { group in
            let indices = description.messages.indices.filter { description.messages[$0].senders == group.senders }
                .sorted { (description.messages[$0].id, $0) < (description.messages[$1].id, $1) }
            var section = Document.Section(anchor: group.anchor, title: group.title)
            guard !indices.isEmpty else { return section }
            section.blocks = [.table(overview(of: indices.map { description.messages[$0] }))]
            section.entries = indices.map(entry)
            return section
        }
    }

    private func overview(of messages: [MessageDescription]) -> Document.Table {
        let hasID = description.layout.hasMessageID
        let rows = messages.map { message in
            var cells: [[Document.CellLine]] = [[.init([FieldFacts.link(message: message.name)])]]
            if hasID { cells.insert([.init(text(ofID: message.id))], at: 0) }
            cells.append(message.replies.map { .init([FieldFacts.link(message: $0)]) })
            let comment = DocumentText.paragraphs(of: message.documentation).first?.first ?? ""
            cells.append(comment.isEmpty ? [] : [.init(DocumentText.inlines(of: comment))])
            return Document.Row(entry: "message-" + message.name, cells: cells)
        }
        return Document.Table(
            shape: .index, columns: (hasID ? ["ID"] : []) + ["Message", "Reply", "Meaning"], rows: rows)
    }

    /// Returns an ID in both notations: `20001 (0x4e21)`.
    private func text(ofID id: UInt64) -> String {
        let byteCount = description.layout.plainLayouts.map(Self.messageIDByteCount).max() ?? 0
        return "\(id) (\(DocumentText.hexadecimal(id, byteCount: byteCount)))"
    }

    private static func messageIDByteCount(_ layout: PacketLayout) -> Int {
        zip(layout.fields, layout.byteCounts).reduce(0) { sum, item in
            item.0.role == .messageID ? sum + (item.1 ?? 0) : sum
        }
    }

    func entry(of index: Int) -> Document.Entry {
        let message = description.messages[index]
        let hasID = description.layout.hasMessageID
        var line: [Document.Inline] = hasID ? [.text("ID \(text(ofID: message.id)), ")] : []
        switch message.senders {
        case [.client]: line.append(.text("client to server"))
        case [.server]: line.append(.text("server to client"))
        default: line.append(.text("both ways"))
        }
        if let alias = message.alias { line += [.text(", in code "), .code(alias)] }
        if !message.replies.isEmpty {
            line.append(.text(", answered by "))
            line += list(message.replies.map { FieldFacts.link(message: $0) }, separator: " or ")
        }
        if let requests = requests[message.name] {
            line.append(.text(", answers "))
            line += list(requests.map { FieldFacts.link(message: $0) })
        }
        for (position, item) in message.headerValues.enumerated() {
            line.append(.text(position == 0 ? ", always with " : " and "))
            line += [
                .code(description.layout.fields[item.field].name),
                .text(" = \(text(of: item.value, inField: item.field))"),
            ]
        }
        if let change = message.stateChange {
            let name = DocumentText.line(of: description.states[change.state].name)
            line += [
                .text("; sets the state "), .code(name), .text(" to "),
                .code(DocumentText.line(of: description.text(of: change))),
            ]
        }
        var blocks: [Document.Block] = [.line(line + [.text(".")])]
        blocks += deprecation(message.deprecation) + comment(message.documentation)
        let (header, trailer, payloadOffset) = envelope()
        let parts = parts(of: message.fields, startingAt: payloadOffset)
        blocks.append(.drawing(label: "The bytes of a packet", drawing(of: parts, in: header, trailer)))
        if !message.fields.isEmpty {
            let isInLayer = !description.layout.content.layers.isEmpty
            let base = payloadOffset == nil ? "payload" : isInLayer ? "innermost content" : "packet"
            blocks.append(
                .table(
                    table(
                        of: message.fields, prefix: "message-" + message.name, startingAt: payloadOffset ?? 0,
                        caption: "Offsets count from the \(base)'s first byte.")))
        }
        return Document.Entry(
            anchor: "message-" + message.name, title: message.name, number: hasID ? message.id : nil,
            blocks: blocks + example(of: index))
    }

    // MARK: Fields of messages and structures

    /// - Parameter start: The offset of the first field in bytes; nil if it is unknown.
    func parts(of fields: [FieldDescription], startingAt start: Int?) -> [Document.Part] {
        fields.map { field in
            Document.Part(
                name: FieldFacts.shownName(of: field),
                offset: field.offset.flatMap { offset in start.map { $0 + offset } },
                width: facts.width(of: field), byteCount: facts.fixedByteCount(of: field), kind: .field,
                mayBeAbsent: !field.presence.isInEveryBody, bit: field.packing.map(\.firstBit))
        }
    }

    func table(
        of fields: [FieldDescription], prefix: String, startingAt start: Int, caption: String
    ) -> Document.Table {
        var previous = ""
        let rows = fields.map { field in
            let name = FieldFacts.shownName(of: field)
            defer { previous = name }
            let bit = field.packing.map { ".\($0.firstBit)" } ?? ""
            let offset = field.offset.map { "\(start + $0)\(bit)" } ?? "after \(previous)"
            return Document.Row(
                anchor: field.hasValue ? prefix + "." + field.name : nil,
                cells: [
                    [.init(offset)], [.init(facts.width(of: field))],
                    [.init([.code(name)], field.hasValue ? .name : .plain)],
                    [.init(facts.typeName(of: field))],
                    DocumentText.cellLines(of: field.documentation) + facts.notes(of: field, among: fields),
                ])
        }
        return Document.Table(shape: .fields, caption: caption, columns: Self.fieldColumns, rows: rows)
    }

    func comment(_ documentation: String) -> [Document.Block] {
        let paragraphs = DocumentText.paragraphs(of: documentation)
        return paragraphs.isEmpty ? [] : [.comment(paragraphs.map { $0.map(DocumentText.inlines) })]
    }

    func deprecation(_ reason: String?) -> [Document.Block] {
        reason.map { [.line([.text("Deprecated: ")] + DocumentText.inlines(of: DocumentText.line(of: $0)))] } ?? []
    }

    func list(_ links: [Document.Inline], separator: String = ", ") -> [Document.Inline] {
        Array(links.map { [$0] }.joined(separator: [.text(separator)]))
    }

    // MARK: Examples

    private func example(of index: Int) -> [Document.Block] {
        guard let example = translator.example(ofMessage: index, maximumByteCount: Self.maximumExampleByteCount) else {
            guard !needsKeys else {
                return [.line([.text("No example: packets have layers with keys or with a program's transforms.")])]
            }
            let limit = DocumentText.number(Self.maximumExampleByteCount)
            return [.line([.text("No example: a packet has more than \(limit) bytes.")])]
        }
        let blocks: [Document.Block] = [
            .label("Example as JSON"), .listing(.json, DocumentText.json(example.fields)),
            .label("As a packet in hexadecimal"), .listing(.digits, Hexadecimal.text(of: example.packet)),
        ]
        guard let annotation = example.annotation else { return blocks }
        let rows = annotation.rows(of: example.content, maximumCount: Self.maximumRowCount, hidesSensitive: false)
        var lines = rows.map { "\($0.offset)  \($0.digits)  \($0.path)  \($0.text)" }
        let omitted = annotation.parts.count - rows.count
        if omitted > 0 { lines.append("… and \(DocumentText.count(omitted, "part")) more") }
        return blocks + [.label("Byte by byte"), .listing(.columns, lines.joined(separator: "\n"))]
    }

    private static let maximumRowCount = 40
}
