// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The binary segments of numbers that share bytes.
///
/// Erlang's bit order is that of a big-endian group: the first field has the most significant bits. A little-endian
/// group of several bytes is one integer; its bytes in big-endian order are matched against the fields.
struct ErlangRun {
    let byteCount: Int
    let byteOrder: ByteOrder
    let parts: [ErlangCode.Segment]
    /// The variable of the group's integer.
    let integer: String

    private var isTurned: Bool { byteOrder == .littleEndian && byteCount > 1 }

    private var segment: ErlangCode.Segment { .bits(.name(integer), 8 * byteCount, ["little"]) }
    private var whole: ErlangCode { .binary([.bits(.name(integer), 8 * byteCount)]) }

    /// The segments that read or write the group.
    var segments: [ErlangCode.Segment] { isTurned ? [segment] : parts }

    /// The match that splits the integer after reading; nil if there is none.
    var taking: ErlangCode? { isTurned ? .match(.binary(parts), whole) : nil }

    /// The match that makes the integer before writing; nil if there is none.
    var making: ErlangCode? { isTurned ? .match(whole, .binary(parts)) : nil }
}

extension PackedFormat {
    func segment(_ value: ErlangCode, isRead: Bool = false) -> ErlangCode.Segment {
        let order = byteOrder == .littleEndian ? ["little"] : []
        return switch self {
        case .integer(let format, _):
            .bits(value, 8 * format.byteCount, order + (isRead && format.isSigned ? ["signed"] : []))
        case .float(let byteCount, _): .bits(value, 8 * byteCount, order)
        case .bytes(let byteCount), .filler(let byteCount): .bytes(value, .number(byteCount))
        }
    }
}

extension PacketLayout {
    /// Returns the segments of a header or trailer field of fixed width; for fields that share bytes, those of the
    /// whole group.
    func erlangSegments(_ index: Int, _ letter: String, isRead: Bool) -> [ErlangCode.Segment] {
        if let run = erlangRun(index, letter, isRead: isRead) { return run.segments }
        let format = fields[index].format.value.fixedFormat ?? byteCounts[index].map { .bytes($0) }
        return format.map { [$0.segment(.name(letter + String(index)), isRead: isRead)] } ?? []
    }

    /// Returns the group whose first field this is; nil for other fields.
    func erlangRun(_ index: Int, _ letter: String, isRead: Bool) -> ErlangRun? {
        guard let place = packedPlace(ofField: index), place.isFirst else { return nil }
        let parts = (index..<index + place.fieldCount).map { index -> ErlangCode.Segment in
            let format = fields[index].format
            let sign = isRead && format.range.lowerBound < 0 ? ["signed"] : []
            return .bits(.name(letter + String(index)), format.bitWidth, sign)
        }
        return ErlangRun(
            byteCount: place.runByteCount, byteOrder: place.byteOrder, parts: parts, integer: "n\(index)")
    }
}
