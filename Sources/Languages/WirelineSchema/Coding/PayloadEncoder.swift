// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Encodes JSON as the fields of messages, structures and unions, by their description.
///
/// It checks fields in order. After an error ``bytes`` is incomplete, and the caller discards it.
struct PayloadEncoder {
    let index: DescriptionIndex
    /// The bytes written so far.
    var bytes: [UInt8] = []
    /// The header of the packet, with its defaults, for conditions of a message's fields.
    private let header: PacketHeader
    /// Whether a conditional field must be set exactly if its condition holds; otherwise it is written if it is set.
    private let checksPresence: Bool
    /// The number of structures and unions that may still be opened.
    var remainingDepth: Int

    init(_ index: DescriptionIndex, header: PacketHeader, checksPresence: Bool = true) {
        self.index = index
        self.header = header
        self.checksPresence = checksPresence
        remainingDepth = index.maximumDepth
    }

    // MARK: Fields

    /// Writes the members of an object in the order of the fields.
    ///
    /// - Returns: The name of the first optional field that is not set; nothing may follow it.
    @discardableResult
    mutating func encodeFields(_ list: JSONFieldList, of object: JSONValue) throws(TranslationError) -> String? {
        let values = try arrange(object, list)
        var gap: String?
        var run = PackedBits()
        var numbers = OpenNumbers()
        for (position, (field, value)) in zip(list.fields, values).enumerated() {
            if let user = field.user {
                appendTag(field, of: list.fields[user], values[user])
                continue
            }
            if !field.hasValue {
                appendFiller(field, in: &run, &numbers)
                continue
            }
            if let condition = field.condition {
                try checkPresence(of: field, value, condition, list, values[..<position])
                if value == nil { continue }
            }
            guard let value else {
                if field.isNullable {
                    appendAbsence(field.type)
                    continue
                }
                guard field.isOptional else { throw TranslationError(.missing, path: field.name) }
                gap = gap ?? field.name
                continue
            }
            if let gap { throw TranslationError(.gapBeforeOptional, path: gap) }
            do throws(TranslationError) {
                if let packing = field.packing {
                    try encodePacked(value, field, packing, in: &run)
                } else if let count = field.fieldCount {
                    try encodeCounted(value, field, count, &numbers)
                } else {
                    try encode(value, as: field.type, field.limits, hasTag: field.tagSource == nil)
                }
            } catch {
                throw error.prefixed(by: field.name)
            }
        }
        if !numbers.isEmpty { numbers.write(to: &bytes) }
        return gap
    }

    /// Writes a field without a value in JSON; a number that counts others is 0 at first.
    ///
    /// It is never inlined: its caller recurses into structures, and its variables would enlarge the caller's stack
    /// frame.
    @inline(never)
    private mutating func appendFiller(
        _ field: JSONField, in run: inout PackedBits, _ numbers: inout OpenNumbers
    ) {
        if field.isCounter {
            numbers.open(field, at: bytes.count)
            if let packing = field.packing { return add(0, packing, to: &run) }
            if case .integer(let format, let byteOrder) = field.type { bytes.append(0, format, byteOrder) }
            return
        }
        switch field.constant {
        case .number(let number, let format, let byteOrder):
            if let packing = field.packing { return add(number, packing, to: &run) }
            bytes.append(number, format, byteOrder)
        case .text(let text, let byteCount, let padding):
            bytes += text.utf8
            bytes += Array(repeating: padding, count: max(0, byteCount - text.utf8.count))
        case nil: bytes += Array(repeating: 0, count: index.minimumByteCount(of: field.type))
        }
    }

    /// Refuses a field whose presence contradicts its condition.
    ///
    /// - Parameter values: The values of the earlier fields; they are valid.
    private func checkPresence(
        of field: JSONField, _ value: JSONValue?, _ condition: WireCondition, _ list: JSONFieldList,
        _ values: ArraySlice<JSONValue?>
    ) throws(TranslationError) {
        guard checksPresence else { return }
        let holds = index.holds(condition, list, header) { name in
            list.index(of: name, expected: 0).flatMap { values.indices.contains($0) ? values[$0] : nil }
        }
        guard holds == (value != nil) else {
            throw TranslationError(.wrongPresence(isSet: value != nil), path: field.name)
        }
    }

    /// Returns the members of an object in the order of the fields.
    ///
    /// Missing `@since` fields have their default. Other missing fields are nil; so are fields that are `null` and may
    /// be unset.
    private func arrange(_ object: JSONValue, _ list: JSONFieldList) throws(TranslationError) -> [JSONValue?] {
        guard case .object(let members) = object else { throw wrongKind(.object, object) }
        var values = list.fields.map(\.absent)
        var expected = 0
        for member in members {
            guard let position = list.index(of: member.name, expected: expected) else {
                throw TranslationError(.unknownKey(member.name, known: list.names))
            }
            let isAbsent = member.value.isNull && list.fields[position].mayBeUnset
            values[position] = isAbsent ? nil : member.value
            expected = position + 1
        }
        return values
    }

    // MARK: Values

    /// - Parameter hasTag: Whether the tag of a union precedes its value.
    mutating func encode(
        _ value: JSONValue, as type: TypeDescription, _ limits: FieldLimits, hasTag: Bool = true
    ) throws(TranslationError) {
        switch type {
        case .structure(let structure):
            try encodeStructure(value, index.structures[structure])
        case .union(let union):
            try encodeUnion(value, index.unions[union], hasTag: hasTag)
        case .fixedList(let element, let count):
            try encodeItems(try items(of: value, count: count), as: element)
        case .list(let element, let extent):
            try encodeItems(try itemsBehindCount(of: value, extent, limits), as: element, until: extent.terminator)
        case .sized(let content, let extent):
            try encodeSized(value, as: content, extent, limits, hasTag: hasTag)
        default:
            try encodeLeaf(value, as: type, limits)
        }
    }

    private mutating func encodeStructure(_ value: JSONValue, _ list: JSONFieldList) throws(TranslationError) {
        guard remainingDepth > 0 else { throw TranslationError(.tooDeep(limit: index.maximumDepth)) }
        remainingDepth -= 1
        if let format = list.sizePrefix {
            let outer = startBody()
            try encodeFields(list, of: value)
            try append(body: endBody(outer), format, list.sizePrefixOrder)
        } else {
            try encodeFields(list, of: value)
        }
        remainingDepth += 1
    }

    /// Writes a list or a structure inside a number of bytes.
    private mutating func encodeSized(
        _ value: JSONValue, as content: TypeDescription, _ extent: TypeDescription.Extent, _ limits: FieldLimits,
        hasTag: Bool
    ) throws(TranslationError) {
        let outer = startBody()
        try encode(value, as: content, limits, hasTag: hasTag)
        let body = endBody(outer)
        switch extent {
        case .counted(let format, let byteOrder): try append(body: body, format, byteOrder)
        case .exact(let byteCount): try append(body: body, filling: byteCount, skipsRest: !content.goesToEnd)
        case .terminated, .until, .rest, .fixed, .field: bytes += body
        }
    }

    /// Begins a body. It is written before the byte count that precedes it. Swapping never copies.
    ///
    /// - Returns: The bytes written before the body.
    mutating func startBody() -> [UInt8] {
        var outer: [UInt8] = []
        swap(&outer, &bytes)
        return outer
    }

    /// Returns the body, and restores the bytes written before it.
    mutating func endBody(_ outer: [UInt8]) -> [UInt8] {
        var body = outer
        swap(&body, &bytes)
        return body
    }

    /// - Parameter skipsRest: Whether a reader skips the bytes that the body does not fill; they are zeros then.
    private mutating func append(
        body: [UInt8], filling byteCount: Int, skipsRest: Bool
    ) throws(TranslationError) {
        let fits = skipsRest ? body.count <= byteCount : body.count == byteCount
        guard fits else {
            throw TranslationError(
                skipsRest
                    ? .tooLong(count: body.count, limit: byteCount)
                    : .wrongByteCount(count: body.count, expected: byteCount))
        }
        bytes += body
        bytes += [UInt8](repeating: 0, count: byteCount - body.count)
    }

    mutating func append(
        body: [UInt8], _ format: CountFormat, _ byteOrder: ByteOrder
    ) throws(TranslationError) {
        guard body.count <= format.maximum else {
            throw TranslationError(.tooLong(count: body.count, limit: format.maximum))
        }
        appendCount(body.count, format, byteOrder)
        bytes += body
    }

    /// - Parameter terminator: The byte that ends the list; no item may begin with it. Nil if no byte ends it.
    private mutating func encodeItems(
        _ items: [JSONValue], as element: TypeDescription, until terminator: UInt8? = nil
    ) throws(TranslationError) {
        for position in items.indices {
            let start = bytes.count
            do throws(TranslationError) {
                try encode(items[position], as: element, .none)
                if let terminator, bytes.count > start, bytes[start] == terminator {
                    throw TranslationError(.beginsWithTerminator(terminator))
                }
            } catch {
                throw error.prefixed(by: "[\(position)]")
            }
        }
        if let terminator { bytes.append(terminator) }
    }

    /// Returns the items of a fixed list; no count precedes them.
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
        case .utf16(let extent, let byteOrder):
            guard case .string(let text) = value else { throw wrongKind(.string, value) }
            try appendUTF16(text, extent, byteOrder, limits)
        case .digits(let format):
            guard case .string(let text) = value else { throw wrongKind(.string, value) }
            try append(digits: text, format)
        case .bytes(let extent):
            try append(try base64(value), extent, limits)
        case .properties:
            try appendProperties(value)
        default:
            try encodeScalar(value, as: type, limits)
        }
    }
}
