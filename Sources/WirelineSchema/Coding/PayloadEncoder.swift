// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Encodes JSON as the fields of messages and structures, as their description says.
///
/// Fields are checked in order. After an error ``bytes`` is incomplete, and the caller discards it.
struct PayloadEncoder {
    let index: DescriptionIndex
    /// The bytes written so far.
    var bytes: [UInt8] = []
    private var remainingDepth: Int

    init(_ index: DescriptionIndex) {
        self.index = index
        remainingDepth = index.maximumDepth
    }

    // MARK: Fields

    /// Writes the members of an object in the order of the fields.
    ///
    /// - Returns: The name of the first optional field that is not set; nothing may follow it.
    @discardableResult
    mutating func encodeFields(_ list: FieldListPlan, of object: JSONValue) throws(TranslationError) -> String? {
        let values = try arrange(object, list)
        var gap: String?
        for (field, value) in zip(list.fields, values) {
            guard let value else {
                guard field.isOptional else { throw TranslationError(.missing, path: field.name) }
                gap = gap ?? field.name
                continue
            }
            if let gap { throw TranslationError(.gapBeforeOptional, path: gap) }
            do throws(TranslationError) {
                try encode(value, as: field.type, field.limits)
            } catch {
                throw error.prefixed(by: field.name)
            }
        }
        return gap
    }

    /// Returns the members of an object in the order of the fields.
    ///
    /// Missing `@since` fields have their default. Other missing fields are nil, and so is an optional field that is
    /// `null`.
    private func arrange(_ object: JSONValue, _ list: FieldListPlan) throws(TranslationError) -> [JSONValue?] {
        guard case .object(let members) = object else { throw wrongKind(.object, object) }
        var values = list.fields.map(\.absent)
        var expected = 0
        for member in members {
            guard let position = list.index(of: member.name, expected: expected) else {
                throw TranslationError(.unknownKey(member.name, known: list.names))
            }
            let isAbsent = member.value.isNull && list.fields[position].isOptional
            values[position] = isAbsent ? nil : member.value
            expected = position + 1
        }
        return values
    }

    // MARK: Values

    private mutating func encode(
        _ value: JSONValue, as type: TypeDescription, _ limits: FieldLimits
    ) throws(TranslationError) {
        switch type {
        case .structure(let structure):
            try encodeStructure(value, index.structures[structure])
        case .fixedList(let element, let count):
            try encodeItems(try items(of: value, count: count), as: element)
        case .list(let element, let extent):
            try encodeItems(try itemsBehindCount(of: value, extent, limits), as: element)
        default:
            try encodeLeaf(value, as: type, limits)
        }
    }

    private mutating func encodeStructure(_ value: JSONValue, _ list: FieldListPlan) throws(TranslationError) {
        guard remainingDepth > 0 else { throw TranslationError(.tooDeep(limit: index.maximumDepth)) }
        remainingDepth -= 1
        if let format = list.sizePrefix {
            // The body is written first, because its byte count precedes it. Swapping never copies.
            var outer: [UInt8] = []
            swap(&outer, &bytes)
            try encodeFields(list, of: value)
            swap(&outer, &bytes)
            try append(body: outer, format, list.sizePrefixOrder)
        } else {
            try encodeFields(list, of: value)
        }
        remainingDepth += 1
    }

    private mutating func append(
        body: [UInt8], _ format: CountFormat, _ byteOrder: ByteOrder
    ) throws(TranslationError) {
        guard body.count <= format.maximum else {
            throw TranslationError(.tooLong(count: body.count, limit: format.maximum))
        }
        appendCount(body.count, format, byteOrder)
        bytes += body
    }

    private mutating func encodeItems(
        _ items: [JSONValue], as element: TypeDescription
    ) throws(TranslationError) {
        for position in items.indices {
            do throws(TranslationError) {
                try encode(items[position], as: element, .none)
            } catch {
                throw error.prefixed(by: "[\(position)]")
            }
        }
    }

    /// Returns the items of a fixed list, which has no count before it.
    private func items(of value: JSONValue, count: Int) throws(TranslationError) -> [JSONValue] {
        guard case .array(let items) = value else { throw wrongKind(.array, value) }
        guard items.count == count else {
            throw TranslationError(.wrongItemCount(count: items.count, expected: count))
        }
        return items
    }

    /// Writes the count of a list's items, if there is a prefix, and returns the items.
    private mutating func itemsBehindCount(
        of value: JSONValue, _ extent: TypeDescription.Extent, _ limits: FieldLimits
    ) throws(TranslationError) -> [JSONValue] {
        guard case .array(let items) = value else { throw wrongKind(.array, value) }
        try appendCount(items.count, extent, limits)
        return items
    }

    /// Writes a value that contains no other values.
    private mutating func encodeLeaf(
        _ value: JSONValue, as type: TypeDescription, _ limits: FieldLimits
    ) throws(TranslationError) {
        switch type {
        case .string(let extent):
            guard case .string(let text) = value else { throw wrongKind(.string, value) }
            if case .fixed(let byteCount, let padding) = extent {
                try appendText(text, byteCount: byteCount, padding: padding)
            } else {
                try append(Array(text.utf8), extent, limits)
            }
        case .digits(let byteCount):
            guard case .string(let text) = value else { throw wrongKind(.string, value) }
            try appendDigits(text, byteCount: byteCount)
        case .bytes(let extent):
            try append(try base64(value), extent, limits)
        case .properties:
            try appendProperties(value)
        default:
            try encodeScalar(value, as: type, limits)
        }
    }
}
