// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Writes JSON as the fields of messages and structures, as their description says.
///
/// Fields are checked in their order; a fault leaves ``bytes`` unfinished, and the caller throws them away.
struct PayloadEncoder {
    let index: DescriptionIndex
    /// What has been written.
    var bytes: [UInt8] = []
    private var remainingDepth: Int

    init(_ index: DescriptionIndex) {
        self.index = index
        remainingDepth = index.description.options.maximumDepth
    }

    // MARK: Fields

    /// Writes the members of an object in the order of the fields.
    ///
    /// - Returns: The name of the first optional field that is not set; nothing may follow it.
    @discardableResult
    mutating func encodeFields(_ list: FieldList, of object: JSONValue) throws(TranslationError) -> String? {
        let values = try arrange(object, list)
        var gap: String?
        for (position, field) in list.fields.enumerated() {
            guard let value = values[position] ?? list.defaults[position] else {
                guard field.presence == .optional else { throw TranslationError(.missing, path: field.name) }
                gap = gap ?? field.name
                continue
            }
            if let gap { throw TranslationError(.gapBeforeOptional, path: gap) }
            try encodeField(value, field)
        }
        return gap
    }

    /// Puts the members of an object in the order of the fields; what is not there or `null` for an optional is nil.
    private func arrange(_ object: JSONValue, _ list: FieldList) throws(TranslationError) -> [JSONValue?] {
        guard case .object(let members) = object else {
            throw TranslationError(.wrongKind(expected: .object, found: object.kind))
        }
        var values: [JSONValue?] = Array(repeating: nil, count: list.fields.count)
        var expected = 0
        for member in members {
            guard let position = list.index(of: member.name, expected: expected) else {
                throw TranslationError(.unknownKey(member.name, known: list.names))
            }
            let isAbsent = member.value.isNull && list.fields[position].presence == .optional
            values[position] = isAbsent ? nil : member.value
            expected = position + 1
        }
        return values
    }

    private mutating func encodeField(_ value: JSONValue, _ field: FieldDescription) throws(TranslationError) {
        do throws(TranslationError) {
            try encode(value, as: field.type, of: field)
        } catch {
            throw error.prefixed(by: field.name)
        }
    }

    // MARK: Values

    private mutating func encode(
        _ value: JSONValue, as type: TypeDescription, of field: FieldDescription
    ) throws(TranslationError) {
        switch type {
        case .structure(let structure):
            try encodeStructure(structure, value)
        case .fixedList(let element, let count):
            let items = try items(of: value)
            guard items.count == count else {
                throw TranslationError(.wrongItemCount(count: items.count, expected: count))
            }
            try encodeItems(items, as: element, of: field)
        case .list(let element, let extent):
            let items = try items(of: value)
            try appendCount(items.count, extent, of: field)
            try encodeItems(items, as: element, of: field)
        case .string(let extent):
            guard case .string(let text) = value else { throw wrongKind(.string, value) }
            try append(Array(text.utf8), extent, of: field)
        case .bytes(let extent):
            try append(try base64(value), extent, of: field)
        case .properties:
            try appendProperties(value)
        default:
            try encodeScalar(value, as: type, of: field)
        }
    }

    private mutating func encodeStructure(_ structure: Int, _ value: JSONValue) throws(TranslationError) {
        guard remainingDepth > 0 else {
            throw TranslationError(.tooDeep(limit: index.description.options.maximumDepth))
        }
        remainingDepth -= 1
        let description = index.description.structures[structure]
        if let format = description.sizePrefix {
            // The body is written first, because its byte count stands in front of it. Swapping never copies.
            var outer: [UInt8] = []
            swap(&outer, &bytes)
            try encodeFields(index.structures[structure], of: value)
            guard bytes.count <= format.maximum else {
                throw TranslationError(.tooLong(count: bytes.count, limit: format.maximum))
            }
            swap(&outer, &bytes)
            appendCount(outer.count, format, description.byteOrder)
            bytes += outer
        } else {
            try encodeFields(index.structures[structure], of: value)
        }
        remainingDepth += 1
    }

    private func items(of value: JSONValue) throws(TranslationError) -> [JSONValue] {
        guard case .array(let items) = value else { throw wrongKind(.array, value) }
        return items
    }

    private mutating func encodeItems(
        _ items: [JSONValue], as element: TypeDescription, of field: FieldDescription
    ) throws(TranslationError) {
        let itemField = field.item
        for (position, item) in items.enumerated() {
            do throws(TranslationError) {
                try encode(item, as: element, of: itemField)
            } catch {
                throw error.prefixed(by: "[\(position)]")
            }
        }
    }
}
