// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSchema

struct DocumentMaker {
    let description: ProtocolDescription
    let translator: PacketTranslator
    let facts: FieldFacts
    let uses: TypeUses
    /// The names of the messages to which each message replies.
    let requests: [String: [String]]

    /// The largest example, in bytes: nobody would read a longer one.
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
            + [
                structureSection(), unionSection(), enumerationSection(), flagsSection(), constantSection(),
                reservedSection(),
            ]
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
            (
                description.unions.isEmpty ? "Structures" : "Structures and unions",
                "at most \(options.maximumDepth) deep in one another"
            ),
            ("After the last known field", options.keepsTrailingBytes ? "bytes are kept" : "bytes are refused"),
        ]
        let types = description.allFields.map(\.type)
        if types.contains(where: { if case .properties = $0 { true } else { false } }) {
            rows.append(("Properties", options.hasStrictProperties ? "strict" : "lenient"))
        }
        if options.varintForms == .any { rows.append(("Varints", "read in any form, written in the shortest")) }
        rows += contentLimits
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
        var rows = zip(layout.header.indices, header).map { row(of: $0, $1, documentation[$1.name]) }
        rows.append(
            row(payload, after: layout.header.last?.name, type: [], meaning: [payloadMeaning], isName: false))
        var previous = "payload"
        for (index, part) in zip(layout.header.count..., trailer) {
            rows.append(row(of: index, part, documentation[part.name], after: previous))
            previous = part.name
        }
        let inside = layout.content.layers.isEmpty ? "" : " Inside of a layer they count from its content's first byte."
        let table = Document.Table(
            shape: .fields,
            caption: (layout.isFramed
                ? "Offsets count from the packet's first byte, without marks and escapes."
                : "Offsets count from the packet's first byte.") + inside,
            columns: Self.fieldColumns, rows: rows)
        let entry = Document.Entry(
            anchor: "packet", title: "Packet layout", isCode: false,
            blocks: states + (layout.framing.map(blocks) ?? []) + contentBlocks + [
                .drawing(label: "The bytes of a packet", drawing(of: [payload], in: header, trailer)),
                .legend(hasBits: description.hasPackedFields || !layout.packedPlaces.isEmpty), .table(table),
            ])
        return Document.Section(anchor: "layout", title: "Packet", entries: [entry])
    }

    /// The states of connections, and the messages that set them.
    private var states: [Document.Block] {
        guard !description.states.isEmpty else { return [] }
        let rows = description.states.enumerated().map { index, state in
            let setters = description.messages.compactMap { message -> Document.CellLine? in
                guard let change = message.stateChange, change.state == index else { return nil }
                let value = DocumentText.line(of: description.text(of: change))
                return .init([FieldFacts.link(message: message.name), .text(" sets it to "), .code(value)])
            }
            let comment = DocumentText.paragraphs(of: state.documentation).first?.first ?? ""
            return Document.Row(cells: [
                [.init([.code(DocumentText.line(of: state.name))])],
                [.init(facts.name(of: state.type))],
                (comment.isEmpty ? [] : [.init(DocumentText.inlines(of: comment))]) + setters,
            ])
        }
        return [
            .line([
                .text(
                    "The connection has states, which both directions share. They are 0 at first, and not on the wire:")
            ]),
            .table(Document.Table(shape: .facts, columns: ["State", "Type", "Meaning"], rows: rows)),
        ]
    }

    /// Describes the marks around packets, and the escapes of their bytes.
    private func blocks(of framing: PacketFraming) -> [Document.Block] {
        let rows = framing.escapes.map { escape in
            let pair = "\(escape.first.hexadecimal) \(escape.second.hexadecimal)"
            return Document.Row(cells: [[.init([.code(escape.byte.hexadecimal)])], [.init([.code(pair)])]])
        }
        let marks: [Document.Inline] = [
            .text("Each packet stands between the marks "), .code(framing.start.hexadecimal), .text(" and "),
            .code(framing.end.hexadecimal), .text(". In it, these bytes are escaped:"),
        ]
        return [
            .line(marks), .table(Document.Table(shape: .facts, columns: ["Byte", "On the wire"], rows: rows)),
        ]
    }

    static let fieldColumns = ["Offset", "Bytes", "Field", "Type", "Meaning"]

    private func part(of index: Int) -> Document.Part {
        let field = description.layout.fields[index]
        let width: String
        switch field.format {
        case _ where description.layout.packedPlace(ofField: index) != nil:
            width = DocumentText.count(description.layout.packedPlace(ofField: index)?.bitWidth ?? 1, "bit")
        case .varint(let format): width = FieldFacts.width(of: format)
        case .integer, .boolean, .bit, .text, .digits, .bytes:
            width = DocumentText.number(field.format.byteCount ?? 0)
        }
        return Document.Part(
            name: field.role == .padding ? "padding" : field.name, width: width, byteCount: field.format.byteCount,
            kind: .envelope,
            mayBeAbsent: field.condition != nil,
            bit: description.layout.packedPlace(ofField: index).map { FieldPacking($0).firstBit })
    }

    private func row(
        of index: Int, _ part: Document.Part, _ documentation: String?, after previous: String? = nil
    ) -> Document.Row {
        let field = description.layout.fields[index]
        let comment = DocumentText.cellLines(of: documentation ?? "")
        var notes = [Document.CellLine(text(of: index), .note)]
        if let place = description.layout.packedPlace(ofField: index) {
            notes.append(.init(FieldFacts.note(of: FieldPacking(place)), .note))
        }
        if let condition = field.condition {
            let text = description.text(ofPacketCondition: condition)
            notes.append(.init([.text("there only if "), .code(text)], .note))
        }
        if case .integer(let format, let order) = field.format, format.byteCount > 1,
            order != description.options.byteOrder
        {
            notes.append(.init(FieldFacts.name(of: order), .note))
        }
        let type: [Document.Inline] =
            if case .bytes(let byteCount) = field.format {
                [field.role == .padding ? .text("") : .code("@size(\(byteCount)) bytes")]
            } else {
                facts.name(of: description.packetFieldType(index) ?? field.format.type)
            }
        return row(part, after: previous, type: type, meaning: comment + notes, isName: true)
    }

    private func row(
        _ part: Document.Part, after previous: String?, type: [Document.Inline], meaning: [Document.CellLine],
        isName: Bool
    ) -> Document.Row {
        let offset = part.offset == nil ? previous.map { "after \($0)" } ?? "" : part.offsetText
        return Document.Row(cells: [
            [.init(offset)], [.init(part.width)], [.init([isName ? .code(part.name) : .text(part.name)], .name)],
            [.init(type)], meaning,
        ])
    }

    func text(of index: Int) -> String {
        let field = description.layout.fields[index]
        switch field.role {
        case .value(.integer) where !field.format.isNumber:
            return (field.format.isText ? "empty" : "zeros") + " unless it is set"
        case .value(let value):
            return text(of: value, inField: index) + " unless it is set"
        case .length(let base, let constant):
            let sign = constant < 0 ? " − \(-constant)" : constant > 0 ? " + \(constant)" : ""
            switch base {
            case .packet: return "the byte count of the whole packet\(sign)"
            case .payload: return "the byte count of the payload\(sign)"
            case .rest: return "the byte count of all that follows this field\(sign)"
            }
        case .contentLength(let constant):
            let sign = constant < 0 ? " − \(-constant)" : constant > 0 ? " + \(constant)" : ""
            return "the byte count of the innermost layer's content\(sign), and 0 without a layer after it"
        case .messageID: return "the message's ID"
        case .constant(.integer(let value)):
            let digits = value < 0 ? "" : " (" + DocumentText.hexadecimal(UInt64(truncatingIfNeeded: value)) + ")"
            return "always \(value)\(digits)"
        case .constant(let value): return "always \(text(of: value, inField: index))"
        case .fitting(let values):
            let names = values.map { text(of: .integer($0), inField: index) }.joined(separator: ", ")
            return "the first of \(names) with which the lengths can hold the packet, unless it is set"
        case .padding: return "written as zeros, not looked at"
        case .sequence:
            let failure = field.failure.map { "; \($0) if the request failed" } ?? ""
            return "pairs a reply with its request" + failure
        case .checksum(let checksum): return Self.text(of: checksum)
        }
    }

    /// Returns a value of a layout field; texts are in quotation marks.
    func text(of value: PacketHeader.FieldValue, inField index: Int) -> String {
        let json = translator.json(of: value, inPacketField: index)
        guard case .integer = value, case .string(let name) = json else { return "\(json)" }
        return name
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

    /// Returns header and trailer for a drawing; the payload's offset is nil if the header's width varies.
    func envelope() -> (header: [Document.Part], trailer: [Document.Part], payloadOffset: Int?) {
        let layout = description.layout
        var header = layout.header.indices.map { part(of: $0) }
        var offset: Int? = 0
        let layerStarts = Set(layout.content.layers.map(\.fieldCount))
        for index in header.indices {
            if layerStarts.contains(index) { offset = 0 }
            let place = layout.packedPlace(ofField: index)
            header[index].offset = offset.map { $0 - (place?.isFirst == false ? place?.runByteCount ?? 0 : 0) }
            let byteCount = layout.fields[index].condition == nil ? layout.byteCounts[index] : nil
            offset = offset.flatMap { start in byteCount.map { start + $0 } }
        }
        if layerStarts.contains(header.count) { offset = 0 }
        return (header, (header.count..<layout.fields.count).map { part(of: $0) }, offset)
    }
}

extension PacketField.Format {
    fileprivate var isText: Bool {
        if case .text = self { true } else { false }
    }
}
