// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// The position and the format of the length in a packet, and which bytes it counts.
struct Framing: Hashable {
    /// The number of bytes before the length field.
    let offset: Int
    /// The size of the length field, in bytes: 1 to 4.
    let width: Int
    let order: ByteOrder
    /// The packet's size minus the value of the length, in bytes.
    let excess: Int

    static let lengths: [(width: Int, order: ByteOrder)] = [
        (1, .bigEndian), (2, .bigEndian), (2, .littleEndian), (3, .bigEndian), (3, .littleEndian), (4, .bigEndian),
        (4, .littleEndian),
    ]

    /// The offset of the first byte after the length field.
    var lengthEnd: Int { offset + width }

    /// Returns the encoded lengths of the packets; nil if the bytes are not a sequence of whole packets.
    func lengths(in bytes: [UInt8]) -> [[UInt8]]? {
        var rest = bytes[...]
        var lengths: [[UInt8]] = []
        while !rest.isEmpty {
            guard rest.count >= lengthEnd else { return nil }
            let length = Array(rest.dropFirst(offset).prefix(width))
            let number = (order == .bigEndian ? length : length.reversed()).reduce(0) { $0 << 8 | Int($1) }
            guard (lengthEnd...rest.count).contains(number + excess) else { return nil }
            rest = rest.dropFirst(number + excess)
            lengths.append(length)
        }
        return lengths.isEmpty ? nil : lengths
    }

    /// Whether the bytes are a sequence of whole packets.
    func fits(_ bytes: [UInt8]) -> Bool { lengths(in: bytes) != nil }

    /// Returns a packet with a correct length. The bytes before the length are 1, and those after it are letters.
    ///
    /// - Parameter restByteCount: The number of bytes after the length.
    func packet(restByteCount: Int) -> [UInt8] {
        let length = lengthEnd + restByteCount - excess
        let digits = (0..<width).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
        return [UInt8](repeating: 1, count: offset) + (order == .bigEndian ? digits.reversed() : digits)
            + [UInt8](repeating: UInt8(ascii: "A"), count: restByteCount)
    }
}

extension Framing: CustomStringConvertible {
    var description: String {
        let byteOrder = order == .bigEndian ? ", big-endian" : ", little-endian"
        return "uint\(8 * width) length\(place)\(width > 1 ? byteOrder : ""), that counts \(counted)"
    }

    private var place: String {
        offset == 0 ? "" : " after \(offset) byte\(offset == 1 ? "" : "s") of header"
    }

    private var counted: String {
        switch excess {
        case 0: "the whole packet, itself included"
        case lengthEnd: "all that follows it"
        case lengthEnd...: "the bytes after a header of \(excess)"
        default: "the packet's bytes without \(excess)"
        }
    }

    /// The header as schema text.
    var schema: String {
        var lines = ["packet {"]
        if offset > 0 { lines += Self.filler(offset) }
        let count =
            switch excess {
            case 0: "packet"
            case lengthEnd: "rest"
            default: "packet - \(excess)"
            }
        lines.append("    @length(\(count)) uint\(8 * width) length;")
        if excess > lengthEnd { lines += Self.filler(excess - lengthEnd, from: offset) }
        lines.append("}")
        if order == .littleEndian { lines.insert("option byte_order = little;", at: 0) }
        return lines.joined(separator: "\n")
    }

    /// Returns schema fields for bytes whose meaning is unknown.
    private static func filler(_ byteCount: Int, from number: Int = 0) -> [String] {
        var (left, lines) = (byteCount, [String]())
        while left > 0 {
            let width = [4, 2, 1].first { $0 <= left } ?? 1
            lines.append("    uint\(8 * width) unknown\(number + byteCount - left + 1);")
            left -= width
        }
        return lines
    }
}
