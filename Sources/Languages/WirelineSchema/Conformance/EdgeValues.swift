// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// Values at both ends of each type's range, and one step beyond them.
struct EdgeValues {
    private let description: ProtocolDescription
    /// Whether each structure, then each union, contains itself.
    private let isRecursive: [Bool]

    /// - Parameter graph: The structures and unions that each one contains, also in lists.
    init(_ description: ProtocolDescription, _ graph: StructureGraph) {
        self.description = description
        isRecursive = graph.isInCycle
    }

    struct Edge {
        var label: String
        var hint: ExampleHint
    }

    /// Text and lists longer than this are not made: shorter ones show the same.
    private static let mostCount = 300

    /// Returns the edges of a field and of its items. Structures have none of their own, only those of their fields; a
    /// union has each arm.
    func edges(of field: FieldDescription, _ key: FieldKey) -> [Edge] {
        var result = edges(of: field.type, field, key, isItem: false)
        if field.presence == .optional || field.presence == .nullable {
            result.append(Edge(label: "absent", hint: .absent(key)))
        }
        return result + conditionEdges(of: field, key)
    }

    /// Returns both outcomes of a condition's tests, and the field with a presence that contradicts its condition.
    private func conditionEdges(of field: FieldDescription, _ key: FieldKey) -> [Edge] {
        guard field.presence.condition != nil else { return [] }
        let trials = description.operandValues(of: field, in: key.owner) { $0.choices() }
        let both = description.operandValues(of: field, in: key.owner) { $0.bothWays() }
        return trials.enumerated().map { Edge(label: "condition-\($0)", hint: .operands($1)) }
            + both.enumerated().map { Edge(label: "presence-\($0)", hint: .wrongPresence(key, operands: $1)) }
    }

    /// Returns the value whose bits are all 1, for a field that shares bytes; nil for other fields.
    ///
    /// Among zeros it shows which bits are the field's.
    func allOnes(of field: FieldDescription, _ key: FieldKey) -> ExampleHint? {
        guard field.packing != nil, let format = description.packedForm(of: field.type)?.format else { return nil }
        let number = JSONValue.exactInteger(format.isSigned ? -1 : format.range.upperBound)
        switch field.type {
        case .bit: return .value(key, .boolean(true))
        case .flags: return .value(key, [number])
        default: return .value(key, number)
        }
    }

    private func edges(of type: TypeDescription, _ field: FieldDescription, _ key: FieldKey, isItem: Bool) -> [Edge] {
        func values(_ values: [JSONValue]) -> [Edge] {
            values.enumerated().map { Edge(label: Self.label($1, $0), hint: .value(key, $1)) }
        }
        switch type {
        case .structure: return []
        case .sized(.utf16, let extent):
            return values(Self.texts.map { .string($0) }) + texts(extent.unitsOfBytes, field, key, isItem: isItem)
        case .sized(.list(let element, _), let extent):
            guard let count = WireSizes(description).itemCount(filling: type) else {
                return edges(of: .list(element, extent), field, key, isItem: isItem)
            }
            return [count - 1, count + 1].map { Edge(label: "\($0)-items", hint: .count(key, $0)) }
                + edges(of: element, field, key, isItem: true)
        case .sized(let content, _): return edges(of: content, field, key, isItem: isItem)
        case .union(let index):
            return description.unions[index].arms.enumerated().map { Edge(label: $1.name, hint: .arm(index, $0)) }
        case .fixedList(let element, _): return edges(of: element, field, key, isItem: true)
        case .list(let element, let extent):
            var counts = counts(upTo: min(field.maximumCount ?? .max, extent.capacity))
            // A structure or union that contains itself has as many items at each depth.
            if let body = description.innermostBody(of: element), isRecursive[body] {
                counts.removeAll { $0 > 2 }
            }
            return counts.map { Edge(label: "\($0)-items", hint: .count(key, $0)) }
                + edges(of: element, field, key, isItem: true)
                + terminatorEdges(of: element, extent, field, key)
        case .integer(let format, _): return values(integers(in: format.range, isItem ? nil : field.range))
        case .varint(let format): return values(integers(in: format.range, isItem ? nil : field.range))
        case .float(let format, _): return values(floats(isItem ? nil : field.floatRange, format))
        case .boolean, .bit: return values([false, true])
        case .string(let extent):
            return values((Self.texts + extent.endsInPadding).map { .string($0) })
                + texts(extent, field, key, isItem: isItem)
        case .utf16(let extent, _):
            return values((Self.texts + extent.endsInPadding).map { .string($0) })
                + texts(extent.inUnits, field, key, isItem: isItem)
        case .digits(let format): return values(digits(format).map { .string($0) })
        case .bytes(let extent):
            let contents: [[UInt8]] = [[], [0], [0xFF, 0x00, 0x80], [1, 2, 3, 4, 5]]
            return values(contents.map { .string(Base64.encode($0)) }) + texts(extent, field, key, isItem: isItem)
        case .properties: return values(Self.properties)
        case .enumeration(let index, _):
            let item = description.enumerations[index]
            let numbers = [item.format.range.lowerBound, item.format.range.upperBound, 0]
            return values(item.cases.prefix(16).map { .string($0.name) } + numbers.map { .exactInteger($0) })
        case .flags(let index, _):
            let item = description.flagSets[index]
            let all = item.cases.reduce(0) { $0 | $1.value }
            let rest = item.format.range.upperBound & ~all
            return values(
                [[]] + item.cases.prefix(16).map { .array([.string($0.name)]) }
                    + [.array([.exactInteger(all)]), .array([.exactInteger(rest)])])
        }
    }

    /// Returns an item that begins with the byte that ends its list, and cannot be written.
    private func terminatorEdges(
        of element: TypeDescription, _ extent: TypeDescription.Extent, _ field: FieldDescription, _ key: FieldKey
    ) -> [Edge] {
        guard let terminator = extent.terminator else { return [] }
        let first = FirstByte(of: element, in: description, WireSizes(description))
        guard case .value(let type) = first.source else { return [] }
        let source = first.path.last.map { FieldKey(owner: .structure($0.structure), index: $0.field) } ?? key
        let hint: ExampleHint
        switch type {
        case .integer(let format, let order):
            let bits = Int128(terminator) << Int128(order == .bigEndian ? 8 * (format.byteCount - 1) : 0)
            let isNegative = bits > format.range.upperBound
            hint = .value(source, .exactInteger(isNegative ? bits - (1 << Int128(format.bitWidth)) : bits))
        case .string(.terminated):
            guard terminator < 0x80 else { return [] }
            hint = .value(source, .string(terminator == 0 ? "" : String(Character(Unicode.Scalar(terminator)))))
        case .string(.counted(.uint8, _)), .bytes(.counted(.uint8, _)):
            hint = .value(source, text(type, byteCount: Int(terminator)))
        default: return []
        }
        return [Edge(label: "begins-with-terminator", hint: hint)]
    }

    private func text(_ type: TypeDescription, byteCount: Int) -> JSONValue {
        let text = String(repeating: "x", count: byteCount)
        if case .bytes = type { return .string(Base64.encode(Array(text.utf8))) }
        return .string(text)
    }

    /// Returns the name of a value for use in a file's name; `position` replaces a value that cannot be used.
    private static func label(_ value: JSONValue, _ position: Int) -> String {
        let text = value.description
        let isPlain = !text.isEmpty && text.utf8.count <= 24 && text.utf8.allSatisfy { $0.isPlainInName }
        return isPlain ? text : "value-\(position)"
    }

    // MARK: Values

    private func integers(in all: ClosedRange<Int128>, _ limit: ClosedRange<Int128>?) -> [JSONValue] {
        let range = limit ?? all
        let usual: [Int128] = [0, 1, -1, 127, 128, 255, 256, 16_383, 16_384, 1 << 32, (1 << 53) - 1, 1 << 53]
        let ends = [range.lowerBound, range.upperBound, range.lowerBound + 1, range.upperBound - 1]
        // Values that only a limit forbids can be on the wire.
        let beyond = [range.lowerBound - 1, range.upperBound + 1]
        var seen: Set<Int128> = []
        return (ends + usual.filter(range.contains) + beyond).filter { seen.insert($0).inserted }
            .map { JSONValue.exactInteger($0) }
    }

    private func floats(_ limit: ClosedRange<Double>?, _ format: FloatFormat) -> [JSONValue] {
        let usual = [format.greatest, format.least, 0.1].map { JSONValue.float($0, format) }
        let ends: [JSONValue] =
            limit.map { limit in
                let beyond = limit.upperBound + max(1, abs(limit.upperBound))
                return [.float(limit.lowerBound), .float(limit.upperBound), .float(beyond)]
            } ?? []
        let tooLarge = format.leastTooLarge.map { [JSONValue.float($0)] } ?? []
        return [.float(0.0), .float(-0.0), "NaN", "Infinity", "-Infinity", .float(-1.5)] + usual + ends + tooLarge
    }

    /// Characters of one to four bytes, JSON escapes, terminal controls, and text with two normal forms.
    private static let texts = [
        "", "a", "é", "你好", "\u{1F600}", "\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}", "\"\\/\u{8}\u{C}\n\r\t",
        "\u{0}", "\u{1B}[31m\u{7F}\u{85}\u{2028}\u{202E}\u{FEFF}", "e\u{301}", "x",
    ]

    private static let properties: [JSONValue] = [
        [:], ["k": "v"], ["k": ""], ["k": "a:b"], ["ключ": "值"], ["a": "1", "b": "2", "A": "3"], ["": "v"],
        ["a:b": "v"], ["a": "b\nc"], ["a\r": "b\r"],
    ]

    /// Extreme digits, counts that are off by one and by two, and characters that are not digits.
    private func digits(_ format: DigitFormat) -> [String] {
        guard format.digitCount <= Self.mostCount else { return [] }
        let (zeros, radix) = (format.zero, format.notation.radix)
        let shorter = String(zeros.dropLast())
        return [
            zeros, format.text { _ in radix - 1 }, format.text { ($0 + 1) % radix }, "", "\(zeros)0", "\(zeros)00",
            shorter,
            shorter + format.notation.noDigit, ":\(shorter)", "\(shorter)٣",
        ]
    }

    private func texts(
        _ extent: TypeDescription.Extent, _ field: FieldDescription, _ key: FieldKey, isItem: Bool
    ) -> [Edge] {
        // A hint for a count applies to the list if the text is an item.
        guard !isItem else { return [] }
        return counts(upTo: min(field.maximumCount ?? .max, extent.capacity)).map {
            Edge(label: "\($0)-bytes", hint: .count(key, $0))
        }
    }

    private func counts(upTo most: Int) -> [Int] {
        var counts = [0, 1, 2, 17]
        if most <= Self.mostCount { counts += [most - 1, most, most + 1] }
        var seen: Set<Int> = []
        return counts.filter { $0 >= 0 && $0 <= most + (most <= Self.mostCount ? 1 : 0) && seen.insert($0).inserted }
    }
}

extension FloatFormat {
    /// The smallest `Double` that rounds to no finite number of the format; nil if there is none.
    fileprivate var leastTooLarge: Double? {
        let lastStep = greatest - value(ofBits: bits(of: greatest) - 1)
        let number = greatest + lastStep / 2
        return number.isFinite ? number : nil
    }
}

extension TypeDescription.Extent {
    /// Texts that end with the padding of their field, and one that begins with it.
    fileprivate var endsInPadding: [String] {
        guard case .fixed(_, let padding) = self, padding != 0, padding < 0x80 else { return [] }
        let text = String(Character(Unicode.Scalar(padding)))
        return ["a" + text, text, text + "a"]
    }
}

extension UInt8 {
    /// Whether the byte is allowed in a file's name on every system.
    var isPlainInName: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
