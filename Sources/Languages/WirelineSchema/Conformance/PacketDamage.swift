// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// Damage to a packet, in transit or by the program that wrote it.
struct PacketDamage {
    var label: String
    /// Whether payload bytes are changed, with a valid packet around them; otherwise bytes of the packet are changed.
    var isOfPayload: Bool
    /// The bytes to replace, counted from the packet's first.
    var range: Range<Int>
    var bytes: [UInt8]

    /// Returns all kinds of damage for a packet.
    ///
    /// - Parameters:
    ///   - checksums: The names of the header's and the trailer's checksums.
    ///   - counters: The names of message fields that later fields determine.
    ///   - escaped: The bytes that a frame escapes.
    static func all(
        of annotation: PacketAnnotation, _ packet: [UInt8], payload: Range<Int>, checksums: Set<String>,
        counters: Set<String>, escaped: [UInt8] = []
    ) -> [PacketDamage] {
        var result: [PacketDamage] = []
        for part in annotation.parts {
            // Padding may also be in the header and the trailer.
            let isOfPayload =
                part.kind != .header && part.range.lowerBound >= payload.lowerBound
                && part.range.upperBound <= payload.upperBound
            func add(_ what: String, _ range: Range<Int>, _ bytes: [UInt8]) {
                result.append(
                    PacketDamage(label: part.path + "-" + what, isOfPayload: isOfPayload, range: range, bytes: bytes))
            }
            let range = part.range
            add("all-ones", range, Array(repeating: 0xFF, count: range.count))
            add("zero", range, Array(repeating: 0, count: range.count))
            add("changed", range.upperBound - 1..<range.upperBound, [packet[range.upperBound - 1] ^ 1])
            if isOfPayload {
                for byte in escaped {
                    add("escaped-" + Hexadecimal.text(of: [byte]), range, Array(repeating: byte, count: range.count))
                }
                add("cut-before", range.lowerBound..<payload.upperBound, [])
                add("cut-inside", range.upperBound - 1..<payload.upperBound, [])
            } else if range.lowerBound > 0 {
                add("cut-before", range.lowerBound..<packet.count, [])
            }
            if range.count == 1, packet[range.lowerBound] < 0x80 {
                add("two-bytes", range, [packet[range.lowerBound] | 0x80, 0])
            }
            if !isOfPayload, checksums.contains(part.path) {
                // An implementation may compare only some of its bytes.
                for (place, offset) in range.enumerated() {
                    add("off-by-a-bit-\(place)", offset..<offset + 1, [packet[offset] ^ 0x80])
                }
            }
            addBits(part, packet, add)
            addText(part, packet, add)
            let isCounter = part.kind == .field && part.bits == nil && counters.contains(part.fieldName)
            if isCounter || part.kind == .size || part.kind == .count || part.prefixByteCount > 0 {
                addCounts(part, packet, add)
            }
            if part.isNullable { addSignedCounts(part, add) }
        }
        let end = payload.upperBound..<payload.upperBound
        result.append(PacketDamage(label: "byte-behind", isOfPayload: true, range: end, bytes: [0xAA]))
        result.append(PacketDamage(label: "empty", isOfPayload: true, range: payload, bytes: []))
        let last = packet.count - 1..<packet.count
        result.append(PacketDamage(label: "ends-early", isOfPayload: false, range: last, bytes: []))
        return result
    }

    /// Sets the bits of a field that shares its bytes to all 1, and to all 0.
    private static func addBits(
        _ part: PacketAnnotation.Part, _ packet: [UInt8], _ add: (String, Range<Int>, [UInt8]) -> Void
    ) {
        guard let bits = part.bits else { return }
        var mask: [UInt8] = []
        mask.append(
            Int128(bits.mask), IntegerFormat(bitWidth: 8 * bits.runByteCount, isSigned: false), bits.byteOrder)
        let bytes = packet[part.range]
        add("bits-all-ones", part.range, zip(bytes, mask).map { $0 | $1 })
        add("bits-zero", part.range, zip(bytes, mask).map { $0 & ~$1 })
    }

    /// Bytes that are not UTF-8 (Unicode 16, table 3-7); they replace as many bytes.
    private static let badTexts: [(String, [UInt8])] = [
        ("continuation", [0x80]), ("never", [0xFE]), ("overlong", [0xC0, 0xAF]), ("cut-character", [0xC3]),
        ("surrogate", [0xED, 0xA0, 0x80]), ("above", [0xF4, 0x90, 0x80, 0x80]), ("overlong-3", [0xE0, 0x80, 0xAF]),
    ]

    private static let badUnits: [(String, [UInt8])] = [
        ("high-half", [0xD8, 0x00]), ("low-half", [0xDC, 0x00]), ("little-high-half", [0x00, 0xD8]),
        ("little-low-half", [0x00, 0xDC]),
    ]

    private static func addText(
        _ part: PacketAnnotation.Part, _ packet: [UInt8], _ add: (String, Range<Int>, [UInt8]) -> Void
    ) {
        guard case .string = part.value else { return }
        let content = part.range.lowerBound + part.prefixByteCount..<part.range.upperBound
        for (what, bytes) in badTexts where content.count >= bytes.count {
            add("text-" + what, content.lowerBound..<content.lowerBound + bytes.count, bytes)
        }
        // Halves of surrogate pairs, for UTF-16 in either byte order, at both ends.
        for (what, half) in badUnits where content.count >= 2 {
            add("text-first-" + what, content.lowerBound..<content.lowerBound + 2, half)
            add("text-last-" + what, content.upperBound - 2..<content.upperBound, half)
        }
    }

    /// Adds the extreme numbers of a prefix with a sign, in either byte order.
    private static func addSignedCounts(
        _ part: PacketAnnotation.Part, _ add: (String, Range<Int>, [UInt8]) -> Void
    ) {
        let width = part.prefixByteCount > 0 ? part.prefixByteCount : part.range.count
        let prefix = part.range.lowerBound..<part.range.lowerBound + width
        let numbers: [(String, Int128)] = [("absent", -1), ("minus-two", -2), ("none", 0)]
        // A short zigzag number.
        guard width > 1 else {
            for (what, number) in numbers + [("least", Int128(Int32.min)), ("most", Int128(Int32.max))] {
                var bytes: [UInt8] = []
                bytes.append(varint: Int64(number).zigzag)
                add("count-" + what, prefix, bytes)
            }
            return
        }
        let format = IntegerFormat(bitWidth: 8 * width, isSigned: true)
        for (what, number) in numbers + [("least", format.range.lowerBound), ("most", format.range.upperBound)] {
            for order in [ByteOrder.bigEndian, .littleEndian] {
                var bytes: [UInt8] = []
                bytes.append(number, format, order)
                add("count-" + what + (order == .bigEndian ? "" : "-little"), prefix, bytes)
            }
        }
    }

    /// Adds prefixes and counters that count one byte or item more or less, in either byte order.
    ///
    /// If the prefix is a size, the structure also gets one more byte, so that the longer size is valid.
    private static func addCounts(
        _ part: PacketAnnotation.Part, _ packet: [UInt8], _ add: (String, Range<Int>, [UInt8]) -> Void
    ) {
        let count = part.prefixByteCount > 0 ? part.prefixByteCount : part.range.count
        let prefix = part.range.lowerBound..<part.range.lowerBound + count
        let bytes = Array(packet[prefix])
        // The least significant byte.
        let isBigEndian = bytes.first == 0
        let low = isBigEndian ? bytes.count - 1 : 0
        for (what, step) in [("one-more", UInt8(1)), ("one-less", UInt8(255))] {
            var other = bytes
            other[low] = other[low] &+ step
            add(what, prefix, other)
            guard part.kind == .size, what == "one-more" else { continue }
            guard case .number(let number) = part.value, let size = number.integer.flatMap({ Int(exactly: $0) })
            else { continue }
            let body = prefix.upperBound..<min(prefix.upperBound + size, packet.count)
            add("longer", prefix.lowerBound..<body.upperBound, other + packet[body] + [0x55])
        }
    }
}

extension PacketAnnotation.Part {
    /// The name of the field, without the fields that contain it.
    fileprivate var fieldName: String { path.split(separator: ".").last.map(String.init) ?? path }
}
