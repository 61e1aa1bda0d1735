// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSchema

/// The entries of the tables about the fields of messages, structures and unions.
struct FieldFacts {
    let description: ProtocolDescription
    /// The end of values with `@rest`, as the tables call it.
    var end = "payload"
    private let sizes: WireSizes

    init(_ description: ProtocolDescription) {
        self.description = description
        sizes = WireSizes(description)
    }

    /// Returns the size of every value of a type, in bytes; nil if it varies.
    func fixedByteCount(of type: TypeDescription) -> Int? { sizes.size(of: type).fixedByteCount }

    // MARK: Sizes

    /// Returns the size of a field in bytes, or in bits if it shares bytes: `4`, `2 + n`, `3 bits`.
    func width(of field: FieldDescription) -> String {
        if let packing = field.packing { return DocumentText.count(packing.bitWidth, "bit") }
        guard field.tagField != nil, !field.type.isSized else { return width(of: field.type) }
        if let byteCount = fixedByteCount(of: field) { return DocumentText.number(byteCount) }
        return "from \(DocumentText.number(sizes.size(of: field).minimumByteCount))"
    }

    /// Returns the size of a field in bytes, nil if it varies; for a field that shares bytes, the size of its type.
    func fixedByteCount(of field: FieldDescription) -> Int? {
        field.tagField == nil ? fixedByteCount(of: field.type) : sizes.size(of: field).fixedByteCount
    }

    /// Returns the bits of a field, among those that share its bytes.
    static func note(of packing: FieldPacking) -> String {
        let mask = DocumentText.hexadecimal(packing.mask, byteCount: packing.runByteCount)
        let whole = packing.runByteCount == 1 ? "the byte" : "an integer of \(packing.runByteCount) bytes"
        return "the bits \(mask) of \(whole)"
    }

    /// Returns the size of a value in bytes: `4`, `2 + n`, `1 to 10`.
    func width(of type: TypeDescription) -> String {
        if let count = fixedByteCount(of: type) { return DocumentText.number(count) }
        switch type {
        case .varint(let format): return Self.width(of: format)
        case .string(let extent), .bytes(let extent): return width(of: extent, "n")
        case .utf16(.terminated, _): return "2 × n + 2"
        case .utf16(let extent, _): return width(of: extent, "2 × n")
        case .list(let element, let extent):
            guard let item = fixedByteCount(of: element) else { return width(of: extent, "items") }
            return width(of: extent, item == 1 ? "n" : "n × \(DocumentText.number(item))")
        case .properties: return "the rest"
        case .sized(_, let extent): return width(of: extent, "n")
        case .fixedList(_, let count): return DocumentText.count(count, "item")
        case .structure(let index):
            if let prefix = description.structures[index].sizePrefix { return width(of: prefix) + " + n" }
            let minimum = sizes.size(of: type).minimumByteCount
            return minimum == 0 ? "varies" : "from \(DocumentText.number(minimum))"
        case .union: return "from \(DocumentText.number(sizes.size(of: type).minimumByteCount))"
        default: return "varies"
        }
    }

    static func width(of format: VarintFormat) -> String {
        format.maximumByteCount == 1 ? "1" : "1 to \(format.maximumByteCount)"
    }

    private func width(of extent: TypeDescription.Extent, _ content: String) -> String {
        switch extent {
        case .counted(let format, _): "\(width(of: format)) + \(content)"
        case .terminated: "n + 1"
        case .until: "\(content) + 1"
        case .rest: content == "items" ? "the rest" : content
        case .field: content
        case .fixed(let byteCount, _), .exact(let byteCount): DocumentText.number(byteCount)
        }
    }

    private func width(of format: CountFormat) -> String {
        format.fixedByteCount.map { "\($0)" } ?? "1 to 5"
    }

    // MARK: Names and types

    static func shownName(of field: FieldDescription) -> String { field.role == .padding ? "padding" : field.name }

    /// Returns a field's type in the schema's notation; `padding` has none.
    func typeName(of field: FieldDescription) -> [Document.Inline] {
        field.role == .padding ? [] : name(of: field.type)
    }

    /// Returns a type in the schema's notation; declared types are links.
    func name(of type: TypeDescription) -> [Document.Inline] {
        switch type {
        case .integer(let format, _): [.code(format.name)]
        case .float(let format, _): [.code(format.name)]
        case .boolean: [.code("bool")]
        case .bit: [.code("bit")]
        case .varint(let format): [.code(format.encoding.name)]
        case .string(.fixed(let byteCount, _)): [.code("char[\(byteCount)]")]
        case .string: [.code("string")]
        case .utf16(.fixed(let byteCount, _), _): [.code("char[\(byteCount / 2)]")]
        case .utf16: [.code("string")]
        case .digits(let format): [.code(format.name)]
        case .bytes: [.code("bytes")]
        case .properties: [.code("properties")]
        case .enumeration(let index, _): [Self.link(enumeration: description.enumerations[index].name)]
        case .flags(let index, _): [Self.link(flags: description.flagSets[index].name)]
        case .structure(let index): [Self.link(structure: description.structures[index].name)]
        case .union(let index): [Self.link(union: description.unions[index].name)]
        case .fixedList(let element, let count): name(of: element) + [.code("[\(count)]")]
        case .list(let element, _): name(of: element) + [.code("[]")]
        case .sized(let content, _): name(of: content)
        }
    }

    static func link(message name: String) -> Document.Inline { .link(name, to: "message-" + name) }
    static func link(structure name: String) -> Document.Inline { .link(name, to: "struct-" + name) }
    static func link(union name: String) -> Document.Inline { .link(name, to: "union-" + name) }
    static func link(enumeration name: String) -> Document.Inline { .link(name, to: "enum-" + name) }
    static func link(flags name: String) -> Document.Inline { .link(name, to: "flags-" + name) }

    // MARK: Notes

    /// Returns the notes about a field's attributes, one a line.
    func notes(of field: FieldDescription, among fields: [FieldDescription]) -> [Document.CellLine] {
        if field.role == .padding { return [Document.CellLine("written as zeros, not looked at", .note)] }
        var notes: [[Document.Inline]] = notes(of: field.type).map { [.text($0)] }
        if let packing = field.packing { notes.append([.text(Self.note(of: packing))]) }
        if field.role == .derived, let user = fields.first(where: { $0.tagField == field.name }) {
            notes.append([.text("the tag of "), .code(user.name)])
        }
        if let tag = field.tagField { notes.append([.text("its tag is "), .code(tag)]) }
        if case .constant(let value) = field.role, let text = text(of: value, field.type) {
            notes.append([.text("always "), .code(text), .text(", which is verified")])
        }
        if fields.contains(where: { $0.type.fieldCount?.field == field.name }) {
            notes.append(note(ofCounter: field, among: fields))
        }
        if let range = field.range { notes.append([.text("\(range.lowerBound) to \(range.upperBound)")]) }
        if let range = field.floatRange {
            let ends = [range.lowerBound, range.upperBound].map { text(of: $0, field.type) }
            notes.append([.text(ends.joined(separator: " to "))])
        }
        if let count = field.maximumCount {
            notes.append([.text("at most \(DocumentText.count(count, Self.counted(in: field.type.content)))")])
        }
        switch field.presence {
        case .required: break
        case .optional: notes.append([.text("optional: absent when the payload ends before it")])
        case .nullable: notes.append([.text("absent if its count is -1")])
        case .since(let version, let value): notes.append(note(version, value, field))
        case .when(let condition):
            notes.append([.text("there only if "), .code(description.text(of: condition, among: fields))])
        }
        if let alias = field.alias { notes.append([.text("in code "), .code(alias)]) }
        if let example = field.example.flatMap({ text(of: $0, field.type) }) {
            notes.append([.text("for example "), .code(example)])
        }
        if field.isSensitive { notes.append([.text("sensitive: hidden in logs; the examples here are made up")]) }
        if let reason = field.deprecation {
            notes.append([.text("deprecated: ")] + DocumentText.inlines(of: DocumentText.line(of: reason)))
        }
        return notes.map { Document.CellLine($0, .note) }
    }

    private func note(ofCounter field: FieldDescription, among fields: [FieldDescription]) -> [Document.Inline] {
        let counted = fields.filter { $0.type.fieldCount?.field == field.name }
        var inlines: [Document.Inline] = []
        for other in counted {
            let what = if case .list = other.type { "the items of " } else { "the bytes of " }
            inlines.append(.text(inlines.isEmpty ? "counts " + what : " and " + what))
            inlines.append(.code(other.name))
            guard let addend = other.type.fieldCount?.addend, addend != 0 else { continue }
            inlines.append(.text(addend < 0 ? ", and \(-addend) more" : ", less \(addend)"))
        }
        return inlines
    }

    /// Returns the unit that `@max` counts.
    private static func counted(in type: TypeDescription) -> String {
        switch type {
        case .list: "item"
        case .utf16: "16-bit unit"
        default: "byte"
        }
    }

    private func note(
        _ version: Int, _ value: DefaultValue, _ field: FieldDescription
    ) -> [Document.Inline] {
        // The default of a hidden field would reveal it.
        guard !field.isSensitive else { return [.text("since \(version)")] }
        let since = "since \(version), when absent "
        return text(of: value, field.type).map { [.text(since), .code($0)] } ?? [.text(since + "zero or empty")]
    }

    /// Returns a default or an example in the schema's notation; nil for the type's zero.
    private func text(of value: DefaultValue, _ type: TypeDescription) -> String? {
        switch (value, type) {
        case (.zero, _): nil
        case (_, .list(let element, _)), (_, .fixedList(let element, _)), (_, .sized(let element, _)):
            text(of: value, element)
        case (.integer(let number), .boolean), (.integer(let number), .bit): number == 0 ? "false" : "true"
        case (.integer(let number), .enumeration(let index, _)):
            description.enumerations[index].cases.first { $0.value == number }?.name ?? "\(number)"
        case (.integer(let number), .flags(let index, _)):
            description.flagSets[index].cases.first { $0.value == number }?.name
                ?? DocumentText.hexadecimal(UInt64(truncatingIfNeeded: number))
        case (.integer(let number), _): "\(number)"
        case (.float(let number), _): text(of: number, type)
        case (.string(let text), _): JSONValue.string(text).description
        }
    }

    /// Returns the shortest digits that stand for the number, without `.0`.
    private func text(of number: Double, _ type: TypeDescription) -> String {
        let text = if case .float(let format, _) = type { format.digits(of: number) } else { "\(number)" }
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Returns the properties that differ from the protocol's options.
    private func notes(of type: TypeDescription) -> [String] {
        switch type {
        case .integer(let format, let order): notes(of: order, format.byteCount)
        case .float(let format, let order): notes(of: order, format.byteCount)
        case .enumeration(let index, let order): notes(of: order, description.enumerations[index].format.byteCount)
        case .flags(let index, let order): notes(of: order, description.flagSets[index].format.byteCount)
        case .string(let extent), .bytes(let extent): notes(of: extent, usual: description.options.stringCount)
        case .list(let element, let extent):
            notes(of: extent, usual: description.options.listCount) + notes(of: element).map { "each item " + $0 }
        case .fixedList(let element, _): notes(of: element).map { "each item " + $0 }
        case .utf16(let extent, let order):
            ["UTF-16, \(Self.name(of: order))"]
                + notes(of: extent, usual: description.options.stringCount).map {
                    $0.replacing("zero byte", with: "zero unit")
                }
        case .digits(let format): ["\(format.digitCount) \(format.notation.noun), two in a byte"]
        case .sized(let content, let extent): notes(ofSize: extent) + notes(ofContent: content)
        case .boolean, .bit, .varint, .properties, .structure, .union: []
        }
    }

    /// Returns notes about a value that fills a fixed number of bytes.
    private func notes(ofContent type: TypeDescription) -> [String] {
        switch type {
        case .list(let element, _): notes(of: element).map { "each item " + $0 }
        case .utf16(_, let order): ["UTF-16, \(Self.name(of: order))"]
        default: notes(of: type)
        }
    }

    private func notes(ofSize extent: TypeDescription.Extent) -> [String] {
        if case .field(let count) = extent { return ["its bytes are counted by \(count.text)"] }
        guard case .counted(let format, let order) = extent else { return notes(of: extent, usual: .varint) }
        return ["its bytes are counted by \(Self.named(format))"]
            + notes(of: order, format.fixedByteCount ?? 1).map { "count \($0)" }
    }

    private func notes(of extent: TypeDescription.Extent, usual: CountFormat) -> [String] {
        switch extent {
        case .counted(let format, let order):
            let note = format == usual ? [] : ["counted by \(Self.named(format))"]
            return note + (format.hasByteOrder ? notes(of: order, 2).map { "count \($0)" } : [])
        case .terminated: return ["ends at a zero byte"]
        case .until(let terminator):
            return ["ends at a byte \(DocumentText.hexadecimal(UInt64(terminator), byteCount: 1))"]
        case .rest: return ["to the end of the \(end)"]
        case .field(let count): return ["counted by \(count.text)"]
        case .fixed(_, 0): return ["ends at the first zero byte, filled with zero bytes"]
        case .exact(let byteCount): return ["always \(DocumentText.count(byteCount, "byte"))"]
        case .fixed(_, let padding): return ["filled with \(DocumentText.hexadecimal(UInt64(padding)))"]
        }
    }

    private static func named(_ format: CountFormat) -> String {
        switch format {
        case .int16, .int32: "an \(format.name)"
        case .uint8, .uint16, .uint32, .varint, .zigzag: "a \(format.name)"
        }
    }

    private func notes(of order: ByteOrder, _ byteCount: Int) -> [String] {
        guard byteCount > 1, order != description.options.byteOrder else { return [] }
        return [Self.name(of: order)]
    }

    static func name(of order: ByteOrder) -> String { order == .bigEndian ? "big-endian" : "little-endian" }
}
