// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

extension PacketLayout {
    /// A layout of any formats, byte orders and roles that can work together.
    public static func random(using random: inout SeededGenerator) -> PacketLayout {
        while true {
            if Int.random(in: 0...3, using: &random) == 0 {
                if let layout = try? PacketLayout(header: .randomOfValues(using: &random)) { return layout }
                continue
            }
            let header = [PacketField].random("h", 1...6, using: &random)
            let hasTrailer = Int.random(in: 0...2, using: &random) == 0
            let trailer = hasTrailer ? [PacketField].random("t", 1...3, using: &random) : []
            guard Int.random(in: 0...2, using: &random) == 0 else {
                if let layout = try? PacketLayout(header: header, trailer: trailer) { return layout }
                continue
            }
            let fields = (header + trailer).withRandomConditions(about: header, using: &random)
            let (first, last) = (Array(fields[..<header.count]), Array(fields[header.count...]))
            if let layout = try? PacketLayout(header: first, trailer: last), fields != header + trailer {
                return layout
            }
            if let layout = try? PacketLayout(header: header, trailer: trailer) { return layout }
        }
    }
}

extension PacketLayout {
    /// A layout of packets between marks, with or without lengths, whose fields are always there.
    public static func random(
        framing: PacketFraming, using random: inout SeededGenerator
    ) throws(CodecError) -> PacketLayout {
        for _ in 0..<1000 {
            let header = [PacketField].random("h", 1...4, using: &random)
            let trailer = Bool.random(using: &random) ? [PacketField].random("t", 1...2, using: &random) : []
            if let layout = try? PacketLayout(framing: framing, header: header, trailer: trailer) { return layout }
        }
        let id = PacketField("id", .integer(.uint16, .bigEndian), .messageID)
        return try PacketLayout(framing: framing, header: [id])
    }
}

extension PacketFraming {
    /// One or two marks, one or two bytes that begin escapes, and perhaps other listed bytes.
    public static func random(using random: inout SeededGenerator) -> PacketFraming {
        var free = (0...255).map { UInt8($0) }.shuffled(using: &random)
        let start = free.removeLast()
        let end = Bool.random(using: &random) ? start : free.removeLast()
        let firsts = (0..<Int.random(in: 1...2, using: &random)).map { _ in free.removeLast() }
        let others = (0..<Int.random(in: 0...2, using: &random)).map { _ in free.removeLast() }
        let escapes = Set([start, end] + firsts + others).sorted().enumerated().map { index, byte in
            // The second byte may begin an escape itself, too.
            let first = firsts.randomElement(using: &random) ?? firsts[0]
            return Escape(byte, as: first, index == 0 ? firsts[0] : free.removeLast())
        }
        return PacketFraming(start: start, end: end, escapes: escapes)
    }
}

extension [PacketField] {
    /// Some fields, among them sometimes a run of fields that share bytes.
    fileprivate static func random(
        _ prefix: String, _ counts: ClosedRange<Int>, using random: inout SeededGenerator
    ) -> [PacketField] {
        var formats = (0..<Int.random(in: counts, using: &random)).map { _ in
            PacketField.Format.random(using: &random)
        }
        if Int.random(in: 0...3, using: &random) == 0 {
            let place = Int.random(in: 0...formats.count, using: &random)
            formats.insert(contentsOf: PacketField.Format.randomRun(using: &random), at: place)
        }
        return formats.enumerated().map { PacketField.random("\(prefix)\($0)", $1, using: &random) }
    }
}

extension [PacketField] {
    /// Values, often with conditions, and a length and an ID among them that are always there: as in most protocols.
    fileprivate static func randomOfValues(using random: inout SeededGenerator) -> [PacketField] {
        let values = [PacketField].random("h", 1...4, using: &random).map { field in
            guard field.format.isNumber else { return PacketField(field.name, field.format) }
            let value = field.format.randomValue(using: &random)
            return PacketField(field.name, field.format, .value(default: .integer(value)))
        }
        var fields = values.withRandomConditions(about: values, mayFit: false, using: &random)
        let formats: [PacketField.Format] = [
            .varint(maximumByteCount: 3), .integer(.uint16, .bigEndian), .integer(.uint32, .littleEndian),
        ]
        let length = PacketField(
            "length", formats.randomElement(using: &random) ?? .boolean, .length(of: .random(using: &random), plus: 0))
        let id = PacketField("id", formats.randomElement(using: &random) ?? .boolean, .messageID)
        for field in [length, id] { fields.insert(field, at: Int.random(in: 0...fields.count, using: &random)) }
        return fields
    }

    /// The same fields, about half of them with a condition about fields of the header before them.
    fileprivate func withRandomConditions(
        about header: [PacketField], mayFit: Bool = true, using random: inout SeededGenerator
    ) -> [PacketField] {
        enumerated().map { index, field in
            var field = field
            if mayFit, case .value = field.role, field.format.isNumber, Int.random(in: 0...3, using: &random) == 0 {
                field.role = .fitting((0..<3).map { _ in field.format.randomValue(using: &random) })
            }
            let operands = header.prefix(index).filter(\.isTestable)
            let sharesBytes = if case .integer(let format, _) = field.format { !format.isWholeBytes } else { false }
            let canBeAbsent = !sharesBytes && field.format != .bit && field.role != .padding
            guard !operands.isEmpty, canBeAbsent, Bool.random(using: &random) else {
                return field
            }
            field.condition = WireCondition.random(about: operands, depth: 2, using: &random)
            return field
        }
    }
}

extension WireCondition {
    fileprivate static func random(
        about fields: [PacketField], depth: Int, using random: inout SeededGenerator
    ) -> WireCondition {
        guard depth > 0, Int.random(in: 0...2, using: &random) == 0 else { return test(of: fields, using: &random) }
        let left = WireCondition.random(about: fields, depth: depth - 1, using: &random)
        let right = WireCondition.random(about: fields, depth: depth - 1, using: &random)
        let conditions: [WireCondition] = [.not(left), .and(left, right), .or(left, right)]
        return conditions.randomElement(using: &random) ?? left
    }

    private static func test(of fields: [PacketField], using random: inout SeededGenerator) -> WireCondition {
        guard let field = fields.randomElement(using: &random), Bool.random(using: &random) else {
            return .isSet(.field(fields[0].name))
        }
        // The language compares only numbers.
        guard field.format != .bit, field.format != .boolean else { return .not(.isSet(.field(field.name))) }
        let comparison = Comparison.allCases.randomElement(using: &random) ?? .equal
        return .compares(.field(field.name), comparison, field.format.randomValue(using: &random))
    }
}

extension PacketLayout {
    /// An ID that fits into the ID fields, or into some of them if they have conditions.
    public func randomMessageID(using random: inout SeededGenerator) -> UInt64 {
        guard let set = messageIDSets.randomElement(using: &random) else {
            return UInt64.random(in: 0...maximumMessageID, using: &random)
        }
        return set.bitWidth == 0 ? 0 : UInt64.random(in: 0...UInt64.max >> UInt64(64 - set.bitWidth), using: &random)
    }

    /// Random values of some fields that a caller can set.
    ///
    /// - Parameter mayBeAbsent: Whether fields with a condition and sequence numbers are among them.
    public func randomHeader(mayBeAbsent: Bool = false, using random: inout SeededGenerator) -> PacketHeader {
        var header = PacketHeader()
        for field in fields where field.format.isNumber && (mayBeAbsent || field.condition == nil) {
            let isValue = if case .value = field.role { true } else { mayBeAbsent && field.role == .sequence }
            guard isValue, Bool.random(using: &random) else { continue }
            header[field.name] = field.format.randomValue(using: &random)
        }
        return header
    }
}

extension PacketField {
    fileprivate static func random(
        _ name: String, _ format: Format, using random: inout SeededGenerator
    ) -> PacketField {
        guard format.isNumber else {
            return PacketField(name, format, .random(withoutNumberIn: format, using: &random))
        }
        let role: Role =
            switch Int.random(in: 0...9, using: &random) {
            case 0...3: .length(of: .random(using: &random), plus: .randomConstant(using: &random))
            case 4...6: .messageID
            case 7: .constant(.integer(format.randomValue(using: &random)))
            case 8: Bool.random(using: &random) ? .sequence : .checksum(.random(using: &random))
            default: .value(default: .integer(format.randomValue(using: &random)))
            }
        return PacketField(name, format, role)
    }
}

extension PacketField.Role {
    fileprivate static func random(
        withoutNumberIn format: PacketField.Format, using random: inout SeededGenerator
    ) -> PacketField.Role {
        guard Bool.random(using: &random) else { return .value(default: 0) }
        switch format {
        case .text(let byteCount, _):
            let text = String(repeating: "x", count: Int.random(in: 0...byteCount, using: &random))
            return Bool.random(using: &random) ? .constant(.text(text)) : .value(default: .text(text))
        case .digits(let format):
            let digits = (0..<2 * format.byteCount).map { _ in "\(Int.random(in: 0...9, using: &random))" }
            return .value(default: .text(digits.joined()))
        default: return .padding
        }
    }
}

extension PacketField.Format {
    fileprivate static func random(using random: inout SeededGenerator) -> PacketField.Format {
        switch Int.random(in: 0...19, using: &random) {
        case 0: return .boolean
        case 1...4: return .varint(.random(using: &random))
        case 5:
            let byteCount = Int.random(in: 1...20, using: &random)
            let padding: UInt8 = [0, 0x20, 0xFF].randomElement(using: &random) ?? 0
            let formats: [Self] = [
                .text(byteCount: byteCount, padding: padding), .digits(byteCount: byteCount),
                .bytes(byteCount: byteCount),
            ]
            return formats.randomElement(using: &random) ?? .boolean
        default:
            let format = IntegerFormat.allCases.randomElement(using: &random) ?? .uint8
            let isLittleEndian = Int.random(in: 0...3, using: &random) == 0
            return .integer(format, isLittleEndian ? .littleEndian : .bigEndian)
        }
    }

    /// The formats of fields that share 1 to 8 bytes.
    fileprivate static func randomRun(using random: inout SeededGenerator) -> [PacketField.Format] {
        let order: ByteOrder = Bool.random(using: &random) ? .bigEndian : .littleEndian
        var rest = 8 * Int.random(in: 1...8, using: &random)
        var formats: [PacketField.Format] = []
        while rest > 0 {
            let isBit = Int.random(in: 0...3, using: &random) == 0
            let width = isBit ? 1 : min(rest, Int.random(in: 1...20, using: &random))
            let format = IntegerFormat(bitWidth: width, isSigned: Int.random(in: 0...3, using: &random) == 0)
            formats.append(isBit ? .bit : .integer(format, order))
            rest -= width
        }
        return formats
    }

    fileprivate func randomValue(using random: inout SeededGenerator) -> Int128 {
        let edges = [range.lowerBound, range.upperBound, 0, 1]
        return Bool.random(using: &random)
            ? edges.randomElement(using: &random) ?? 0 : Int128.random(in: range, using: &random)
    }
}

extension VarintFormat {
    /// Returns a random format, usually an unsigned one.
    package static func random(using random: inout SeededGenerator) -> VarintFormat {
        let encodings = Bool.random(using: &random) ? [.unsigned] : Encoding.allCases
        let encoding = encodings.randomElement(using: &random) ?? .zigzag
        return VarintFormat(encoding, maximumByteCount: Int.random(in: 1...encoding.maximumByteCount, using: &random))
    }
}

extension PacketChecksum {
    /// A checksum of any kind; its range may name fields that the layout does not have.
    fileprivate static func random(using random: inout SeededGenerator) -> PacketChecksum {
        let kind = ChecksumKind.allCases.randomElement(using: &random) ?? .crc32
        let parts: [Part] = [.payload, .field("h0"), .field("h1"), .field("h2"), .field("t0"), .field("t1")]
        let first = parts.randomElement(using: &random) ?? .payload
        let last = parts.randomElement(using: &random) ?? .payload
        let ranges: [Range] = [.payload, .rest, .parts(first, through: last)]
        return PacketChecksum(kind, of: ranges.randomElement(using: &random) ?? .payload)
    }
}

extension PacketField.LengthBase {
    fileprivate static func random(using random: inout SeededGenerator) -> PacketField.LengthBase {
        [.packet, .payload, .rest].randomElement(using: &random) ?? .packet
    }
}

extension Int {
    /// Mostly 0 and small, as in protocols that are in use; sometimes as much as a layout allows.
    fileprivate static func randomConstant(using random: inout SeededGenerator) -> Int {
        switch Int.random(in: 0...9, using: &random) {
        case 0...3: 0
        case 4...7: Int.random(in: -20...20, using: &random)
        case 8: Int.random(in: -300...300, using: &random)
        default: [-65_535, 65_535].randomElement(using: &random) ?? 0
        }
    }
}
