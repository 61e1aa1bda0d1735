// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage
import WirelineSchema

/// The entries of the tables about the fields of messages and structures.
struct FieldFacts {
    let description: ProtocolDescription
    private let sizes: WireSizes

    init(_ description: ProtocolDescription) {
        self.description = description
        sizes = WireSizes(description)
    }

    /// Returns the size of every value of a type, in bytes; nil if it varies.
    func fixedByteCount(of type: TypeDescription) -> Int? { sizes.size(of: type).fixedByteCount }

    // MARK: Sizes

    /// Returns the size of a value in bytes: `4`, `2 + n`, `1 to 10`.
    func width(of type: TypeDescription) -> String {
        if let count = fixedByteCount(of: type) { return DocumentText.number(count) }
        switch type {
        case .varint(let format): return Self.width(of: format)
        case .string(let extent), .bytes(let extent): return width(of: extent, "n")
        case .list(let element, let extent):
            guard let item = fixedByteCount(of: element) else { return width(of: extent, "items") }
            return width(of: extent, item == 1 ? "n" : "n × \(DocumentText.number(item))")
        case .properties: return "the rest"
        case .fixedList(_, let count): return DocumentText.count(count, "item")
        case .structure(let index):
            if let prefix = description.structures[index].sizePrefix { return width(of: prefix) + " + n" }
            let minimum = sizes.size(of: type).minimumByteCount
            return minimum == 0 ? "varies" : "from \(DocumentText.number(minimum))"
        default: return "varies"
        }
    }

    /// Returns the size of an integer of variable length, in bytes.
    static func width(of format: VarintFormat) -> String {
        format.maximumByteCount == 1 ? "1" : "1 to \(format.maximumByteCount)"
    }

    private func width(of extent: TypeDescription.Extent, _ content: String) -> String {
        switch extent {
        case .counted(let format, _): "\(width(of: format)) + \(content)"
        case .terminated: "n + 1"
        case .rest: content == "items" ? "the rest" : content
        case .fixed(let byteCount, _): DocumentText.number(byteCount)
        }
    }

    private func width(of format: CountFormat) -> String {
        format == .varint ? "1 to 5" : "\(format.minimumByteCount)"
    }

    // MARK: Types

    /// Returns a type in the schema's notation; declared types are links.
    func name(of type: TypeDescription) -> [Document.Inline] {
        switch type {
        case .integer(let format, _): [.code(format.name)]
        case .float32: [.code("float32")]
        case .float64: [.code("float64")]
        case .boolean: [.code("bool")]
        case .varint(let format): [.code(format.encoding.name)]
        case .string(.fixed(let byteCount, _)): [.code("char[\(byteCount)]")]
        case .string: [.code("string")]
        case .digits(let byteCount): [.code("bcd[\(byteCount)]")]
        case .bytes: [.code("bytes")]
        case .properties: [.code("properties")]
        case .enumeration(let index, _): [Self.link(enumeration: description.enumerations[index].name)]
        case .flags(let index, _): [Self.link(flags: description.flagSets[index].name)]
        case .structure(let index): [Self.link(structure: description.structures[index].name)]
        case .fixedList(let element, let count): name(of: element) + [.code("[\(count)]")]
        case .list(let element, _): name(of: element) + [.code("[]")]
        }
    }

    static func link(message name: String) -> Document.Inline { .link(name, to: "message-" + name) }
    static func link(structure name: String) -> Document.Inline { .link(name, to: "struct-" + name) }
    static func link(enumeration name: String) -> Document.Inline { .link(name, to: "enum-" + name) }
    static func link(flags name: String) -> Document.Inline { .link(name, to: "flags-" + name) }

    // MARK: Notes

    /// Returns the properties that a field has from the schema's attributes, one a line.
    func notes(of field: FieldDescription) -> [Document.CellLine] {
        var notes: [[Document.Inline]] = notes(of: field.type).map { [.text($0)] }
        if let range = field.range { notes.append([.text("\(range.lowerBound) to \(range.upperBound)")]) }
        if let range = field.floatRange {
            let ends = [range.lowerBound, range.upperBound].map { text(of: $0, field.type) }
            notes.append([.text(ends.joined(separator: " to "))])
        }
        if let count = field.maximumCount {
            let noun = if case .list = field.type { "item" } else { "byte" }
            notes.append([.text("at most \(DocumentText.count(count, noun))")])
        }
        switch field.presence {
        case .required: break
        case .optional: notes.append([.text("optional: absent when the payload ends before it")])
        case .since(let version, let value): notes.append(note(version, value, field))
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
        case (_, .list(let element, _)), (_, .fixedList(let element, _)): text(of: value, element)
        case (.integer(let number), .boolean): number == 0 ? "false" : "true"
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

    /// Returns the shortest digits, without a fraction of zero.
    private func text(of number: Double, _ type: TypeDescription) -> String {
        let text = if case .float32 = type { "\(Float(number))" } else { "\(number)" }
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Returns the properties that differ from the protocol's options.
    private func notes(of type: TypeDescription) -> [String] {
        switch type {
        case .integer(let format, let order): notes(of: order, format.byteCount)
        case .float32(let order): notes(of: order, 4)
        case .float64(let order): notes(of: order, 8)
        case .enumeration(let index, let order): notes(of: order, description.enumerations[index].format.byteCount)
        case .flags(let index, let order): notes(of: order, description.flagSets[index].format.byteCount)
        case .string(let extent), .bytes(let extent): notes(of: extent, usual: description.options.stringCount)
        case .list(let element, let extent):
            notes(of: extent, usual: description.options.listCount) + notes(of: element).map { "each item " + $0 }
        case .fixedList(let element, _): notes(of: element).map { "each item " + $0 }
        case .digits(let byteCount): ["\(2 * byteCount) decimal digits, two in a byte"]
        case .boolean, .varint, .properties, .structure: []
        }
    }

    private func notes(of extent: TypeDescription.Extent, usual: CountFormat) -> [String] {
        switch extent {
        case .counted(let format, let order):
            let note = format == usual ? [] : ["counted by a \(format.name)"]
            let isWide = format == .uint16 || format == .uint32
            return note + (isWide ? notes(of: order, 2).map { "count \($0)" } : [])
        case .terminated: return ["ends at a zero byte"]
        case .rest: return ["to the end of the payload"]
        case .fixed(_, 0): return ["ends at the first zero byte, filled with zero bytes"]
        case .fixed(_, let padding): return ["filled with \(DocumentText.hexadecimal(UInt64(padding)))"]
        }
    }

    private func notes(of order: ByteOrder, _ byteCount: Int) -> [String] {
        guard byteCount > 1, order != description.options.byteOrder else { return [] }
        return [Self.name(of: order)]
    }

    static func name(of order: ByteOrder) -> String { order == .bigEndian ? "big-endian" : "little-endian" }
}
