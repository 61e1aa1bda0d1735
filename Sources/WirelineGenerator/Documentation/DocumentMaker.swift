// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSchema

/// Makes the documentation of a protocol.
struct DocumentMaker {
    let description: ProtocolDescription
    let translator: PacketTranslator
    let facts: FieldFacts
    let uses: TypeUses
    /// The names of the messages that each message replies to.
    let requests: [String: [String]]

    /// The largest example, in bytes. Nobody would read a longer one.
    static let maximumExampleByteCount = 2_048

    init(_ description: ProtocolDescription) {
        self.description = description
        translator = PacketTranslator(description)
        facts = FieldFacts(description)
        uses = TypeUses(description)
        var requests: [String: [String]] = [:]
        for message in description.messages {
            for reply in message.replies { requests[reply, default: []].append(message.name) }
        }
        self.requests = requests
    }

    func document() -> Document {
        let name = DocumentText.line(of: description.name)
        let sections =
            [packetSection()] + messageSections()
            + [structureSection(), enumerationSection(), flagsSection(), constantSection(), reservedSection()]
        return Document(
            title: name.isEmpty ? "Protocol" : name, introduction: introduction(),
            sections: sections.filter { !$0.entries.isEmpty || !$0.blocks.isEmpty })
    }

    // MARK: Introduction

    private func introduction() -> [Document.Block] {
        let options = description.options
        let bytes = DocumentText.count(options.maximumPacketByteCount, "byte")
        var rows = [
            ("Byte order", FieldFacts.name(of: options.byteOrder)),
            ("Strings and bytes", "counted by a \(options.stringCount.name), unless a field says otherwise"),
            ("Lists", "counted by a \(options.listCount.name), unless a field says otherwise"),
            ("Largest packet", bytes),
            ("Structures", "at most \(options.maximumDepth) deep in one another"),
            ("Behind the last known field", options.keepsTrailingBytes ? "bytes are kept" : "bytes are refused"),
        ]
        let types = (description.messages.map(\.fields) + description.structures.map(\.fields)).joined().map(\.type)
        if types.contains(where: { if case .properties = $0 { true } else { false } }) {
            rows.append(("Properties", options.hasStrictProperties ? "strict" : "lenient"))
        }
        if options.varintForms == .any { rows.append(("Varints", "read in any form, written in the shortest")) }
        let table = Document.Table(
            shape: .facts, columns: ["Option", "Value"],
            rows: rows.map { Document.Row(cells: [[.init($0.0)], [.init($0.1)]]) })
        return comment(description.documentation) + [.table(table)]
    }

    // MARK: The packet

    private func packetSection() -> Document.Section {
        let layout = description.layout
        let (header, trailer, offset) = envelope()
        let payload = Document.Part(name: "payload", offset: offset, width: "n", kind: .field)
        let documentation = Dictionary(
            description.packetFields.map { ($0.name, $0.documentation) }, uniquingKeysWith: { first, _ in first })
        let payloadMeaning = Document.CellLine("the message's fields", .note)
        var rows = zip(layout.header, header).map { row(of: $0, $1, documentation[$0.name]) }
        rows.append(
            row(payload, after: layout.header.last?.name, type: [], meaning: [payloadMeaning], isName: false))
        var previous = "payload"
        for (field, part) in zip(layout.trailer, trailer) {
            rows.append(row(of: field, part, documentation[field.name], after: previous))
            previous = field.name
        }
        let table = Document.Table(
            shape: .fields, caption: "Offsets count from the packet's first byte.", columns: Self.fieldColumns,
            rows: rows)
        let entry = Document.Entry(
            anchor: "packet", title: "Packet layout", isCode: false,
            blocks: [.drawing(label: "The bytes of a packet", header + [payload] + trailer), .legend, .table(table)])
        return Document.Section(anchor: "layout", title: "Packet", entries: [entry])
    }

    static let fieldColumns = ["Offset", "Bytes", "Field", "Type", "Meaning"]

    private func part(of field: PacketField) -> Document.Part {
        let width: String
        switch field.format {
        case .integer(let format, _): width = "\(format.byteCount)"
        case .boolean: width = "1"
        case .varint(let format): width = FieldFacts.width(of: format)
        }
        return Document.Part(name: field.name, width: width, byteCount: field.format.byteCount, kind: .envelope)
    }

    private func row(
        of field: PacketField, _ part: Document.Part, _ documentation: String?, after previous: String? = nil
    ) -> Document.Row {
        let comment = DocumentText.cellLines(of: documentation ?? "")
        var notes = [Document.CellLine(Self.text(of: field), .note)]
        let type: String
        switch field.format {
        case .integer(let format, let order):
            type = format.name
            if format.byteCount > 1, order != description.options.byteOrder {
                notes.append(.init(FieldFacts.name(of: order), .note))
            }
        case .boolean: type = "bool"
        case .varint(let format): type = format.encoding.name
        }
        return row(part, after: previous, type: [.code(type)], meaning: comment + notes, isName: true)
    }

    private func row(
        _ part: Document.Part, after previous: String?, type: [Document.Inline], meaning: [Document.CellLine],
        isName: Bool
    ) -> Document.Row {
        let offset = part.offset.map { "\($0)" } ?? previous.map { "after \($0)" } ?? ""
        return Document.Row(cells: [
            [.init(offset)], [.init(part.width)], [.init([isName ? .code(part.name) : .text(part.name)], .name)],
            [.init(type)], meaning,
        ])
    }

    static func text(of field: PacketField) -> String {
        switch field.role {
        case .value(let value):
            return (field.format == .boolean ? "\(value != 0)" : "\(value)") + " unless it is set"
        case .length(let base, let constant):
            let sign = constant < 0 ? " − \(-constant)" : constant > 0 ? " + \(constant)" : ""
            switch base {
            case .packet: return "the byte count of the whole packet\(sign)"
            case .payload: return "the byte count of the payload\(sign)"
            case .rest: return "the byte count of all that follows this field\(sign)"
            }
        case .messageID: return "the message's ID"
        case .constant(let value):
            let digits = value < 0 ? "" : " (" + DocumentText.hexadecimal(UInt64(truncatingIfNeeded: value)) + ")"
            return "always \(value)\(digits)"
        case .sequence: return "pairs a reply with its request"
        case .checksum(let checksum): return text(of: checksum)
        }
    }

    private static func text(of checksum: PacketChecksum) -> String {
        let name = checksum.kind.displayName
        switch checksum.range {
        case .payload: return "\(name) of the payload"
        case .rest: return "\(name) of all that follows this field"
        case .parts(let first, let last) where first == last: return "\(name) of \(first)"
        case .parts(let first, let last): return "\(name) of \(first) to \(last)"
        }
    }

    /// Returns the header and trailer for a drawing; the payload's offset is nil if the header's width varies.
    func envelope() -> (header: [Document.Part], trailer: [Document.Part], payloadOffset: Int?) {
        var header = description.layout.header.map { part(of: $0) }
        var offset: Int? = 0
        for index in header.indices {
            header[index].offset = offset
            offset = offset.flatMap { start in header[index].byteCount.map { start + $0 } }
        }
        return (header, description.layout.trailer.map { part(of: $0) }, offset)
    }
}
