// SPDX-License-Identifier: Apache-2.0

import WirelineCodec
import WirelineLanguage

/// The segments of binaries for numbers, and for those that share bytes.
///
/// Erlang's own bits are those of a big-endian run: the first field has the most significant ones. A little-endian run of several
/// bytes is one integer, whose bytes in big-endian order are taken apart.
struct ErlangRun {
    let byteCount: Int
    let byteOrder: ByteOrder
    /// The fields, with the code of each.
    let parts: [ErlangCode.Segment]
    /// The variable of the run's integer.
    let integer: String

    private var isTurned: Bool { byteOrder == .littleEndian && byteCount > 1 }

    private var segment: ErlangCode.Segment { .bits(.name(integer), 8 * byteCount, ["little"]) }
    private var whole: ErlangCode { .binary([.bits(.name(integer), 8 * byteCount)]) }

    /// The segments that read the run or write it.
    var segments: [ErlangCode.Segment] { isTurned ? [segment] : parts }

    /// What takes the integer apart after it has been read; nil if it is none.
    var taking: ErlangCode? { isTurned ? .match(.binary(parts), whole) : nil }

    /// What makes the integer before it is written; nil if it is none.
    var making: ErlangCode? { isTurned ? .match(whole, .binary(parts)) : nil }
}

extension ErlangCode.Segment {
    /// Returns the segment of a number of whole bytes.
    static func number(
        _ value: ErlangCode, _ format: IntegerFormat, _ order: ByteOrder, isRead: Bool = false
    ) -> Self {
        .bits(
            value, 8 * format.byteCount,
            (order == .littleEndian && format.byteCount > 1 ? ["little"] : [])
                + (isRead && format.isSigned ? ["signed"] : []))
    }
}

extension PacketLayout {
    /// Returns the segments of a field of header or trailer that has a fixed width; of fields that share bytes, those of all.
    func erlangSegments(_ index: Int, _ letter: String, isRead: Bool) -> [ErlangCode.Segment] {
        if let run = erlangRun(index, letter, isRead: isRead) { return run.segments }
        let own = ErlangCode.name(letter + String(index))
        switch fields[index].format {
        case .integer(let format, let order): return [.number(own, format, order, isRead: isRead)]
        case .boolean, .bit: return [.bits(own, 8)]
        case .varint: return []
        case .text, .digits, .bytes: return [.bytes(own, .number(byteCounts[index] ?? 0))]
        }
    }

    /// Returns the run that a field begins; nil if it begins none.
    func erlangRun(_ index: Int, _ letter: String, isRead: Bool) -> ErlangRun? {
        guard let place = packedPlace(ofField: index), place.isFirst else { return nil }
        let parts = (index..<index + place.fieldCount).map { index -> ErlangCode.Segment in
            let format = fields[index].format
            let sign = isRead && format.range.lowerBound < 0 ? ["signed"] : []
            return .bits(.name(letter + String(index)), format.idBitWidth, sign)
        }
        return ErlangRun(
            byteCount: place.runByteCount, byteOrder: place.byteOrder, parts: parts, integer: "n\(index)")
    }
}
