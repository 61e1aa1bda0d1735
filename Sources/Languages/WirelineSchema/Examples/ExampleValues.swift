// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

enum ExampleHint {
    /// A value for a field, or for each of its items.
    case value(FieldKey, JSONValue)
    /// A number of bytes or items for a field.
    case count(FieldKey, Int)
    /// A number of bytes or items for each item of a field.
    case itemCount(FieldKey, Int)
    /// An arm for all uses of a union, both by their index.
    case arm(Int, Int)
    /// A structure or a union that is large once.
    case largeBody(FieldListKey)
    /// A field that is not set: an optional one, or one whose prefix can say so.
    case absent(FieldKey)
    /// Numbers for fields that conditions refer to.
    case operands(OperandValues)
    /// A field whose presence contradicts its condition; and numbers for operands.
    case wrongPresence(FieldKey, operands: OperandValues)
    /// A value for all uses of an enum, by its index.
    case enumeration(Int, JSONValue)
    /// A value for all uses of flags, by their index.
    case flags(Int, JSONValue)
    case header(PacketHeader)
    case packetByteCount(Int)
    /// At least this many bytes inside the layers of a packet with these header values.
    case contentByteCount(Int, PacketHeader)
    /// This many packets around the message's own one, with these header values.
    case nestedDepth(Int, PacketHeader)
    /// Structures that nest this deeply.
    case depth(Int)
}

/// Makes values of a protocol's messages, to try them on another version.
struct ExampleValues {
    enum Style {
        /// Small values, each a different one, and lists of one item.
        case plain
        /// For people to read: like plain, but with the values of `@example`, words as texts, and two items in the
        /// outermost lists.
        case legible
        /// Zeros, without fields that may be absent.
        case zero
        case most, least
        /// Random values; from a pool, if there is one.
        case random(seed: UInt64)
    }

    let index: DescriptionIndex
    let style: Style
    let hint: ExampleHint?
    /// A declared type: unions take the arm that leads to it. A hint for the union itself takes precedence.
    let target: TypeDescription?
    /// Numbers for fields that conditions refer to; the hint takes precedence.
    let operands: OperandValues
    /// The header fields that the packet of such a message must have, if they differ from their defaults.
    let header: PacketHeader
    /// The remaining bytes of text or items to add, to make a packet or a structure large.
    private var extraCount: Int
    /// The value of `extraCount` for the structure or union that is to be large.
    private var bodyExtraCount = 0
    /// Whether this is inside a list with the hinted count; a list that contains itself has that count only once.
    var isInHintedList = false
    /// The number of items to try if items of varying width must fill a number of bytes; fewer for nested lists of that
    /// kind.
    var sampleCount = 32
    var counter: Int128 = 0
    /// The number of values that may still be made; further ones are null.
    var remainingCount: Int
    private var random: SplitMix64
    /// The source of half of the random values.
    let pool: EdgePool?
    private var hasLong = false

    /// - Parameters:
    ///   - operands: Numbers for operands of conditions (default: none).
    ///   - target: A declared type that the values should have somewhere inside (default: none).
    ///   - extraCount: For the hints ``ExampleHint/packetByteCount(_:)``, ``ExampleHint/contentByteCount(_:_:)`` and
    ///     ``ExampleHint/largeBody(_:)``.
    ///   - maximumCount: The most values in an example; one with more cannot be encoded.
    ///   - pool: The source of random values (default: only the ranges of their types).
    init(
        _ index: DescriptionIndex, _ style: Style, hint: ExampleHint? = nil,
        operands: OperandValues = OperandValues(), target: TypeDescription? = nil, extraCount: Int = 0,
        maximumCount: Int = .max, pool: EdgePool? = nil
    ) {
        self.index = index
        self.style = style
        self.hint = hint
        self.operands = operands
        self.target = target
        var header = operands.header
        switch hint {
        case .header(let values)?, .contentByteCount(_, let values)?, .nestedDepth(_, let values)?:
            for (name, value) in values.fields { header[value: name] = value }
        case .operands(let values)?, .wrongPresence(_, let values)?:
            for (name, value) in values.header.fields { header[value: name] = value }
        default: break
        }
        self.header = header
        self.extraCount = extraCount
        if case .largeBody? = hint { swap(&self.extraCount, &bodyExtraCount) }
        remainingCount = maximumCount
        self.pool = pool
        let seed: UInt64 = if case .random(let seed) = style { seed } else { 0 }
        random = SplitMix64(seed: seed)
    }

    var description: ProtocolDescription { index.description }

    /// Whether the hint asks for a large value, so that values should be able to grow.
    var isGrowing: Bool { extraCount > 0 }

    /// Whether values of a type can have any number of bytes.
    func canGrow(_ type: TypeDescription) -> Bool { index.sizes.size(of: type).fixedByteCount == nil }

    mutating func fields(ofMessage index: Int) -> JSONValue { object(.message(index), depth: 0) }

    private mutating func object(_ owner: FieldListKey, depth: Int) -> JSONValue {
        var members: [JSONValue.Member] = []
        for (index, field) in description.fields(of: owner).enumerated() where field.hasValue {
            let key = FieldKey(owner: owner, index: index)
            if field.presence == .optional, isAbsent(key) || isTooDeep(field.type, depth) { break }
            if field.presence == .nullable, isAbsent(key) || isTooDeep(field.type, depth) { continue }
            guard isThere(field, key, members) else { continue }
            members.append(JSONValue.Member(field.name, value(field.type, of: field, key, depth, isItem: false)))
        }
        return .object(members)
    }

    private func isThere(_ field: FieldDescription, _ key: FieldKey, _ members: [JSONValue.Member]) -> Bool {
        let fields = description.fields(of: key.owner)
        let isThere = description.isThere(field, among: fields, members, header: header)
        if case .wrongPresence(key, _)? = hint { return !isThere }
        return isThere
    }

    private func hintedValue(_ key: FieldKey) -> JSONValue? {
        switch hint {
        case .value(key, let value)?: value
        case .operands(let values)?, .wrongPresence(_, let values)?:
            values.fields[key] ?? operands.fields[key]
        default: operands.fields[key]
        }
    }

    /// Whether a field contains a structure or a union beyond the maximum depth.
    private func isTooDeep(_ type: TypeDescription, _ depth: Int) -> Bool {
        depth >= description.options.maximumDepth && description.bodyByValue(of: type) != nil
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

    mutating func value(
        _ type: TypeDescription, of field: FieldDescription, _ key: FieldKey, _ depth: Int, isItem: Bool
    ) -> JSONValue {
        guard remainingCount > 0 else { return .null }
        remainingCount -= 1
        if !type.isCompound, let value = hintedValue(key) { return value }
        // A value that is too deep cannot be encoded.
        if isTooDeep(type, depth) { return .null }
        if case .legible = style, let example = field.example, !type.isCompound { return value(example, type) }
        switch type {
        case .structure(let index):
            return large(.structure(index)) { $0.object(.structure(index), depth: depth + 1) }
        case .union(let index): return large(.union(index)) { $0.union(index, depth: depth + 1) }
        case .fixedList(let element, let count):
            return .array((0..<count).map { _ in value(element, of: field, key, depth, isItem: true) })
        case .sized(.utf16, let extent):
            return .string(text(extent.unitsOfBytes, field, key, isItem: isItem))
        case .sized(.list(let element, _), let extent):
            guard let count = index.sizes.itemCount(filling: type) else {
                return items(element, filling: extent, of: field, key, depth, count: hintedCount(key, isItem: isItem))
                    ?? value(.list(element, extent), of: field, key, depth, isItem: isItem)
            }
            let hinted = hintedCount(key, isItem: isItem) ?? count
            return value(.fixedList(element, count: hinted), of: field, key, depth, isItem: isItem)
        case .sized(let content, _): return value(content, of: field, key, depth, isItem: isItem)
        case .list(let element, let extent):
            let hinted = isInHintedList ? nil : hintedCount(key, isItem: isItem)
            let wasInHintedList = isInHintedList
            isInHintedList = isInHintedList || hinted != nil
            defer { isInHintedList = wasInHintedList }
            let count = hinted ?? itemCount(element, extent, field, depth)
            if let terminator = extent.terminator {
                // After one item that cannot be written, others are not tried: a large list would take minutes.
                var items: [JSONValue] = []
                while items.count < count, let item = item(element, until: terminator, of: field, key, depth) {
                    items.append(item)
                }
                return .array(items)
            }
            return .array((0..<count).map { _ in value(element, of: field, key, depth, isItem: true) })
        case .string(let extent): return .string(text(extent, field, key, isItem: isItem).unpadded(by: extent))
        case .utf16(let extent, _):
            return .string(text(extent.inUnits, field, key, isItem: isItem).unpadded(by: extent))
        case .digits(let format): return .string(digits(format))
        case .bytes(let extent): return .string(Base64.encode(Array(text(extent, field, key, isItem: isItem).utf8)))
        case .properties: return .object(flip() ? [JSONValue.Member("k", .string("v"))] : [])
        case .float: return float(type, field.floatRange, isItem: isItem)
        case .enumeration(let index, _):
            if case .enumeration(index, let value)? = hint { return value }
            let item = description.enumerations[index]
            return number(item.format.range, listed: item.cases, isClosed: item.isClosed)
        case .flags(let index, _):
            if case .flags(index, let value)? = hint { return [value] }
            let item = description.flagSets[index]
            return [number(item.format.range, listed: item.cases, isClosed: false)]
        case .boolean, .bit: return .boolean(number(0...1) == 1)
        case .integer(let format, _): return .exactInteger(number(limited(format.range, field, isItem)))
        case .varint(let format): return .exactInteger(number(limited(format.range, field, isItem)))
        }
    }

    /// Returns a structure or a union, large if the hint asks for it and this is the first one.
    private mutating func large(
        _ body: FieldListKey, _ make: (inout ExampleValues) -> JSONValue
    ) -> JSONValue {
        guard case .largeBody(body)? = hint, bodyExtraCount > 0 else { return make(&self) }
        swap(&extraCount, &bodyExtraCount)
        defer { extraCount = 0 }
        return make(&self)
    }

    private func value(_ given: DefaultValue, _ type: TypeDescription) -> JSONValue {
        switch (given, type) {
        case (.integer(let number), .boolean), (.integer(let number), .bit): .boolean(number != 0)
        case (.integer(let number), .flags): [.exactInteger(number)]
        case (.integer(let number), _): .exactInteger(number)
        case (.float(let number), .float(let format, _)): .float(number, format)
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
            // Small numbers that become other numbers in any other byte order or width.
            let start = max(range.lowerBound, min(0, range.upperBound))
            return start + counter % (min(range.upperBound - start, 100) + 1)
        case .zero: return min(max(0, range.lowerBound), range.upperBound)
        case .most: return range.upperBound
        case .least: return range.lowerBound
        case .random:
            if let pool, next(2) == 0, let edge = pool.number(in: range, &random) { return edge }
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
        var greatest = 1e9
        if case .float(let format, _) = type { greatest = min(greatest, format.greatest) }
        switch style {
        case .zero: return .float(limit.map { min(max(0, $0.lowerBound), $0.upperBound) } ?? 0)
        case .most: return .float(limit?.upperBound ?? greatest)
        case .least: return .float(limit?.lowerBound ?? -greatest)
        default:
            counter += 1
            let value = Double(Int(counter % 100)) + 0.5
            return .float(limit.map { min(max(value, $0.lowerBound), $0.upperBound) } ?? value)
        }
    }

    // MARK: Counts

    private func hintedCount(_ key: FieldKey, isItem: Bool) -> Int? {
        // More items than a packet can contain show nothing.
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
        var count: Int
        switch style {
        case .plain: count = 2
        case .legible:
            counter += 1
            let word = String(Self.words[Int(counter) % Self.words.count].prefix(maximum))
            guard case .exact(let byteCount) = extent else { return word }
            return word + String(repeating: "x", count: byteCount - word.utf8.count)
        case .zero, .least: count = 0
        case .most: count = 5
        case .random: count = randomCount(below: 9)
        }
        if case .exact(let byteCount) = extent { return letters(byteCount) }
        if case .field(let fieldCount) = extent { count = max(count, fieldCount.range.lowerBound) }
        let extra = takeExtra(max(0, maximum - count))
        return letters(min(count, maximum)) + filler(extra)
    }

    /// Returns text that makes a packet large. It is random if packets are compressed, because other text would shrink.
    private mutating func filler(_ count: Int) -> String {
        guard case .packetByteCount? = hint, description.layout.content.isCompressed else {
            return String(repeating: "x", count: count)
        }
        return String(decoding: (0..<count).map { _ in UInt8(ascii: "a") + UInt8(next(26)) }, as: UTF8.self)
    }

    /// Returns text of `count` bytes, a different one each time. An `x` replaces each missing letter.
    private mutating func letters(_ count: Int) -> String {
        counter += 1
        let letters = "abcdefghijklmnopqrstuvwxyz0123456789".dropFirst(Int(counter) % 26).prefix(count)
        return letters + String(repeating: "x", count: count - letters.count)
    }

    private mutating func digits(_ format: DigitFormat) -> String {
        let radix = format.notation.radix
        switch style {
        case .zero, .least: return format.zero
        case .most: return format.text { _ in radix - 1 }
        case .random: return format.text { _ in next(radix) }
        case .plain, .legible:
            counter += 1
            let start = Int(counter % Int128(radix))
            return format.text { (start + $0) % radix }
        }
    }

    private mutating func itemCount(
        _ element: TypeDescription, _ extent: TypeDescription.Extent, _ field: FieldDescription, _ depth: Int
    ) -> Int {
        let maximum = min(field.maximumCount ?? .max, extent.capacity)
        let isLegible = if case .legible = style { true } else { false }
        if element.isBody, depth >= min(isLegible ? 2 : 4, description.options.maximumDepth) {
            // This ends structures and unions that contain themselves, before they are too deep.
            guard case .depth(let limit)? = hint else { return 0 }
            return depth < limit ? min(1, maximum) : 0
        }
        let count: Int
        switch style {
        case .plain: count = 1
        case .legible: count = depth == 0 ? 2 : 1
        case .zero, .least: count = 0
        case .most: count = 2
        case .random: count = randomCount(below: 4)
        }
        // Single bytes make a packet exactly as large as needed; a structure need only be large.
        if element.isCompound, !hasLargeBody { return min(count, maximum) }
        return min(count, maximum) + takeExtra(max(0, maximum - count))
    }

    /// Takes some of the extra bytes or items for this place; random values take them anywhere.
    private mutating func takeExtra(_ most: Int) -> Int {
        guard extraCount > 0, flip() else { return 0 }
        let count = min(extraCount, most)
        extraCount -= count
        return count
    }

    private var hasLargeBody: Bool { if case .largeBody? = hint { true } else { false } }

    private static let words = ["hello", "Lin", "green", "two", "north", "abc", "world"]

    // MARK: Random

    private mutating func randomCount(below limit: Int) -> Int {
        guard let pool, next(2) == 0 else { return next(limit) }
        return pool.count(&random, hasLong: &hasLong)
    }

    mutating func next(_ limit: Int) -> Int { limit <= 0 ? 0 : Int(random.next() % UInt64(limit)) }

    private mutating func flip() -> Bool {
        if case .random = style { next(2) == 0 } else { true }
    }
}

extension PacketTranslator {
    /// Returns a possible value of a field: zero, if its limits allow it, and no items.
    package func sample(of field: FieldDescription) -> JSONValue {
        var values = ExampleValues(index, .zero)
        return values.value(field.type, of: field, FieldKey(owner: .message(0), index: 0), 0, isItem: false)
    }
}

extension TypeDescription {
    var isCompound: Bool {
        switch self {
        case .structure, .union, .fixedList, .list: true
        case .sized(let content, _): content.isCompound
        default: false
        }
    }
}

extension TypeDescription.Extent {
    /// The same extent of text in UTF-16, with a capacity of 16-bit units.
    var inUnits: Self {
        if case .fixed(let byteCount, let padding) = self {
            .fixed(byteCount: byteCount / 2, padding: padding)
        } else {
            self
        }
    }

    /// An extent with the number of 16-bit units that fit into these bytes: for text in UTF-16 with `@size`.
    var unitsOfBytes: Self {
        switch self {
        case .counted(let format, _): .fixed(byteCount: format.maximum / 2, padding: 0)
        case .exact(let byteCount): .exact(byteCount: byteCount / 2)
        case .field(let count): .fixed(byteCount: count.range.upperBound / 2, padding: 0)
        case .terminated, .until, .rest, .fixed: self
        }
    }

    /// The most bytes or items that its prefix can count.
    var capacity: Int {
        switch self {
        case .counted(let format, _): format.maximum
        case .fixed(let byteCount, _), .exact(let byteCount): byteCount
        case .field(let count): count.range.upperBound
        case .terminated, .until, .rest: .max
        }
    }
}

extension String {
    /// The text without trailing bytes that a reader would take for padding; only such a text can be written.
    fileprivate func unpadded(by extent: TypeDescription.Extent) -> String {
        guard case .fixed(_, let padding) = extent, padding != 0 else { return self }
        var text = self
        while text.utf8.last == padding { text.removeLast() }
        return text
    }
}
