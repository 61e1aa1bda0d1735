// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

extension PacketLayout {
    /// A layout of any formats, byte orders and roles that can work together.
    public static func random(using random: inout SeededGenerator) -> PacketLayout {
        while true {
            let header = (0..<Int.random(in: 1...6, using: &random)).map {
                PacketField.random("h\($0)", using: &random)
            }
            let hasTrailer = Int.random(in: 0...2, using: &random) == 0
            let trailer = (0..<(hasTrailer ? Int.random(in: 1...3, using: &random) : 0)).map {
                PacketField.random("t\($0)", using: &random)
            }
            if let layout = try? PacketLayout(header: header, trailer: trailer) { return layout }
        }
    }
}

extension PacketField {
    fileprivate static func random(_ name: String, using random: inout SeededGenerator) -> PacketField {
        let format = Format.random(using: &random)
        let role: Role =
            switch Int.random(in: 0...9, using: &random) {
            case 0...3: .length(of: .random(using: &random), plus: .randomConstant(using: &random))
            case 4...6: .messageID
            case 7: .constant(format.randomValue(using: &random))
            case 8: Bool.random(using: &random) ? .sequence : .checksum(.random(using: &random))
            default: .value(default: format.randomValue(using: &random))
            }
        return PacketField(name, format, role)
    }
}

extension PacketField.Format {
    fileprivate static func random(using random: inout SeededGenerator) -> PacketField.Format {
        switch Int.random(in: 0...19, using: &random) {
        case 0: return .boolean
        case 1: return .varint(.random(using: &random))
        default:
            let format = IntegerFormat.allCases.randomElement(using: &random) ?? .uint8
            let isLittleEndian = Int.random(in: 0...3, using: &random) == 0
            return .integer(format, isLittleEndian ? .littleEndian : .bigEndian)
        }
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
