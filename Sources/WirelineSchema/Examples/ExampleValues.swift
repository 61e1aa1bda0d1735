// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// A requirement for an example.
enum ExampleHint {
    /// A value for a field, or for each of its items.
    case value(FieldKey, JSONValue)
    /// A number of bytes or items for a field.
    case count(FieldKey, Int)
    /// A number of bytes or items for each item of a field.
    case itemCount(FieldKey, Int)
    /// A structure, by its index, that is large once.
    case largeStructure(Int)
    /// An optional field that is not set.
    case absent(FieldKey)
    /// A value for all uses of an enum, by its index.
    case enumeration(Int, JSONValue)
    /// A value for all uses of flags, by their index.
    case flags(Int, JSONValue)
    /// A value for a field of the header.
    case header(String, Int128)
    /// A packet of at least this many bytes.
    case packetByteCount(Int)
    /// Structures that nest this deeply.
    case depth(Int)
}

/// Makes values of a protocol's messages, to try them on another version.
struct ExampleValues {
    /// The kind of values.
    enum Style {
        /// Small values, each a different one, and lists of one item.
        case plain
        /// For people to read: like plain, but with the values of `@example`, words as texts, and two items in the
        /// outermost lists.
        case legible
        /// Zeros, without optional fields.
        case zero
        /// The largest values; the smallest values.
        case most, least
        case random(seed: UInt64)
    }

    private let description: ProtocolDescription
    private let style: Style
    private let hint: ExampleHint?
    /// The remaining bytes of text or items to add, to make a packet or a structure large.
    private var extraCount: Int
    /// The value of `extraCount` for the structure that is to be large.
    private var structureExtraCount = 0
    /// Whether this is inside a list with the hinted count; a list that contains itself has that count only once.
    private var isInHintedList = false
    private var counter: Int128 = 0
    /// The number of values that may still be made; further ones are null.
    private var remainingCount: Int
    private var random: SplitMix64

    /// - Parameters:
    ///   - extraCount: For the hints ``ExampleHint/packetByteCount(_:)`` and ``ExampleHint/largeStructure(_:)``.
    ///   - maximumCount: The most values in an example; one with more cannot be encoded.
    init(
        _ description: ProtocolDescription, _ style: Style, hint: ExampleHint? = nil, extraCount: Int = 0,
        maximumCount: Int = .max
    ) {
        self.description = description
        self.style = style
        self.hint = hint
        self.extraCount = extraCount
        if case .largeStructure? = hint { swap(&self.extraCount, &structureExtraCount) }
        remainingCount = maximumCount
        let seed: UInt64 = if case .random(let seed) = style { seed } else { 0 }
        random = SplitMix64(seed: seed)
    }

    /// Returns an object of a message's fields.
    mutating func fields(ofMessage index: Int) -> JSONValue { object(.message(index), depth: 0) }

    private mutating func object(_ owner: FieldListKey, depth: Int) -> JSONValue {
        var members: [JSONValue.Member] = []
        for (index, field) in description.fields(of: owner).enumerated() {
            let key = FieldKey(owner: owner, index: index)
            if field.presence == .optional, isAbsent(key) || isTooDeep(field.type, depth) { break }
            members.append(JSONValue.Member(field.name, value(field.type, of: field, key, depth, isItem: false)))
        }
        return .object(members)
    }

    /// Whether a field contains a structure beyond the maximum depth.
    private func isTooDeep(_ type: TypeDescription, _ depth: Int) -> Bool {
        depth >= description.options.maximumDepth && type.structureByValue != nil
    }

    private mutating func isAbsent(_ key: FieldKey) -> Bool {
        if case .absent(key)? = hint { return true }
        switch style {
        case .plain, .legible, .most: return false
        case .zero, .least: return true
        case .random: return next(3) == 0
        }
    }

    // MARK: Values

    private mutating func value(
        _ type: TypeDescription, of field: FieldDescription, _ key: FieldKey, _ depth: Int, isItem: Bool
    ) -> JSONValue {
        guard remainingCount > 0 else { return .null }
        remainingCount -= 1
        if case .value(key, let value)? = hint, !type.isCompound { return value }
        // Such a value cannot be encoded.
        if isTooDeep(type, depth) { return .null }
        if case .legible = style, let example = field.example, !type.isCompound { return value(example, type) }
        switch type {
        case .structure(let index):
            guard case .largeStructure(index)? = hint, structureExtraCount > 0 else {
                return object(.structure(index), depth: depth + 1)
            }
            swap(&extraCount, &structureExtraCount)
            defer { extraCount = 0 }
            return object(.structure(index), depth: depth + 1)
        case .fixedList(let element, let count):
            return .array((0..<count).map { _ in value(element, of: field, key, depth, isItem: true) })
        case .list(let element, let extent):
            let hinted = isInHintedList ? nil : hintedCount(key, isItem: isItem)
            let wasInHintedList = isInHintedList
            isInHintedList = isInHintedList || hinted != nil
            defer { isInHintedList = wasInHintedList }
            let count = hinted ?? itemCount(element, extent, field, depth)
            return .array((0..<count).map { _ in value(element, of: field, key, depth, isItem: true) })
        case .string(let extent): return .string(text(extent, field, key, isItem: isItem).unpadded(by: extent))
        case .digits(let byteCount): return .string(digits(2 * byteCount))
        case .bytes(let extent): return .string(Base64.encode(Array(text(extent, field, key, isItem: isItem).utf8)))
        case .properties: return .object(flip() ? [JSONValue.Member("k", .string("v"))] : [])
        case .float32, .float64: return float(type, field.floatRange, isItem: isItem)
        case .enumeration(let index, _):
            if case .enumeration(index, let value)? = hint { return value }
            let item = description.enumerations[index]
            return number(item.format.range, listed: item.cases, isClosed: item.isClosed)
        case .flags(let index, _):
            if case .flags(index, let value)? = hint { return [value] }
            let item = description.flagSets[index]
            return [number(item.format.range, listed: item.cases, isClosed: false)]
        case .boolean: return .boolean(number(0...1) == 1)
        case .integer(let format, _): return .exactInteger(number(limited(format.range, field, isItem)))
        case .varint(let format): return .exactInteger(number(limited(format.range, field, isItem)))
        }
    }

    /// A value that an attribute gives.
    private func value(_ given: DefaultValue, _ type: TypeDescription) -> JSONValue {
        switch (given, type) {
        case (.integer(let number), .boolean): .boolean(number != 0)
        case (.integer(let number), .flags): [.exactInteger(number)]
        case (.integer(let number), _): .exactInteger(number)
        case (.float(let number), .float32): .float(Float(number))
        case (.float(let number), _): .float(number)
        case (.string(let text), .bytes): .string(Base64.encode(Array(text.utf8)))
        case (.string(let text), _): .string(text)
        case (.zero, _): .null
        }
    }

    private func limited(_ range: ClosedRange<Int128>, _ field: FieldDescription, _ isItem: Bool) -> ClosedRange<Int128>
    {
        isItem ? range : field.range.map { range.clamped(to: $0) } ?? range
    }

    private mutating func number(_ range: ClosedRange<Int128>) -> Int128 {
        switch style {
        case .plain, .legible:
            counter += 1
            // Small numbers, which become other numbers in any other byte order or width.
            let start = max(range.lowerBound, min(0, range.upperBound))
            return start + counter % (min(range.upperBound - start, 100) + 1)
        case .zero: return min(max(0, range.lowerBound), range.upperBound)
        case .most: return range.upperBound
        case .least: return range.lowerBound
        case .random:
            let span = range.upperBound - range.lowerBound
            let value = Int128(random.next()) >> Int128(next(60))
            return flip() ? range.lowerBound + value % (span + 1) : range.upperBound - value % (span + 1)
        }
    }

    private mutating func number(
        _ range: ClosedRange<Int128>, listed: [EnumerationDescription.Case], isClosed: Bool
    ) -> JSONValue {
        switch style {
        case .random where !isClosed && flip(): return .exactInteger(number(range))
        case .most where !isClosed, .least where !isClosed: return .exactInteger(number(range))
        case .zero where !isClosed: return 0
        default:
            counter += 1
            let index = if case .random = style { next(listed.count) } else { Int(counter) % listed.count }
            return .exactInteger(listed[index].value)
        }
    }

    private mutating func float(_ type: TypeDescription, _ limit: ClosedRange<Double>?, isItem: Bool) -> JSONValue {
        let limit = isItem ? nil : limit
        switch style {
        case .zero: return .float(limit.map { min(max(0, $0.lowerBound), $0.upperBound) } ?? 0)
        case .most: return .float(limit?.upperBound ?? 1e9)
        case .least: return .float(limit?.lowerBound ?? -1e9)
        default:
            counter += 1
            let value = Double(Int(counter % 100)) + 0.5
            return .float(limit.map { min(max(value, $0.lowerBound), $0.upperBound) } ?? value)
        }
    }

    // MARK: Counts

    private func hintedCount(_ key: FieldKey, isItem: Bool) -> Int? {
        // More than a packet can contain shows nothing.
        let most = description.options.maximumPacketByteCount + 1
        return switch hint {
        case .count(key, let count)? where !isItem: min(count, most)
        case .itemCount(key, let count)? where isItem: min(count, most)
        default: nil
        }
    }

    private mutating func text(
        _ extent: TypeDescription.Extent, _ field: FieldDescription, _ key: FieldKey, isItem: Bool
    ) -> String {
        if let count = hintedCount(key, isItem: isItem) { return String(repeating: "x", count: count) }
        let maximum = min(isItem ? .max : field.maximumCount ?? .max, extent.capacity)
        let count: Int
        switch style {
        case .plain: count = 2
        case .legible:
            counter += 1
            return String(Self.words[Int(counter) % Self.words.count].prefix(maximum))
        case .zero, .least: count = 0
        case .most: count = 5
        case .random: count = next(9)
        }
        let extra = min(extraCount, max(0, maximum - count))
        extraCount -= extra
        counter += 1
        let letters = "abcdefghijklmnopqrstuvwxyz0123456789"
        let start = Int(counter) % 26
        return String(letters.dropFirst(start).prefix(min(count, maximum))) + String(repeating: "x", count: extra)
    }

    private mutating func digits(_ count: Int) -> String {
        switch style {
        case .zero, .least: return String(repeating: "0", count: count)
        case .most: return String(repeating: "9", count: count)
        case .random: return String((0..<count).map { _ in Character("\(next(10))") })
        case .plain, .legible:
            counter += 1
            let start = Int(counter % 10)
            return String((0..<count).map { Character("\((start + $0) % 10)") })
        }
    }

    private mutating func itemCount(
        _ element: TypeDescription, _ extent: TypeDescription.Extent, _ field: FieldDescription, _ depth: Int
    ) -> Int {
        let maximum = min(field.maximumCount ?? .max, extent.capacity)
        let isLegible = if case .legible = style { true } else { false }
        if case .structure = element, depth >= (isLegible ? 2 : 4) {
            // This ends structures that contain themselves.
            guard case .depth(let limit)? = hint else { return 0 }
            return depth < limit ? min(1, maximum) : 0
        }
        let count: Int
        switch style {
        case .plain: count = 1
        case .legible: count = depth == 0 ? 2 : 1
        case .zero, .least: count = 0
        case .most: count = 2
        case .random: count = next(4)
        }
        // Single bytes make a packet exactly as large as needed; a structure need only be large.
        if element.isCompound, !hasLargeStructure { return min(count, maximum) }
        let extra = min(extraCount, max(0, maximum - count))
        extraCount -= extra
        return min(count, maximum) + extra
    }

    private var hasLargeStructure: Bool { if case .largeStructure? = hint { true } else { false } }

    private static let words = ["hello", "Lin", "green", "two", "north", "abc", "world"]

    // MARK: Random

    private mutating func next(_ limit: Int) -> Int { limit <= 0 ? 0 : Int(random.next() % UInt64(limit)) }

    private mutating func flip() -> Bool {
        if case .random = style { next(2) == 0 } else { true }
    }
}

extension TypeDescription {
    /// Whether it contains other values.
    var isCompound: Bool {
        switch self {
        case .structure, .fixedList, .list: true
        default: false
        }
    }
}

extension TypeDescription.Extent {
    /// The most bytes or items that its prefix can count.
    var capacity: Int {
        switch self {
        case .counted(let format, _): format.maximum
        case .fixed(let byteCount, _): byteCount
        case .terminated, .rest: .max
        }
    }
}

extension String {
    /// The text without the bytes at its end that a reader would take for padding, so that it can be written.
    fileprivate func unpadded(by extent: TypeDescription.Extent) -> String {
        guard case .fixed(_, let padding) = extent, padding != 0 else { return self }
        var text = self
        while text.utf8.last == padding { text.removeLast() }
        return text
    }
}
