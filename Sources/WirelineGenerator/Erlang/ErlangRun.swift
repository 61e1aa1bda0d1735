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

extension PackedFormat {
    /// Returns the segment that writes a value, or one that reads it.
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
    /// Returns the segments of a field of header or trailer that has a fixed width; of fields that share bytes, those of all.
    func erlangSegments(_ index: Int, _ letter: String, isRead: Bool) -> [ErlangCode.Segment] {
        if let run = erlangRun(index, letter, isRead: isRead) { return run.segments }
        let format = fields[index].format.value.fixedFormat ?? byteCounts[index].map { .bytes($0) }
        return format.map { [$0.segment(.name(letter + String(index)), isRead: isRead)] } ?? []
    }

    /// Returns the run that a field begins; nil if it begins none.
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
