// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// One step of reading a packet. A back end prints the steps of ``PacketReadPlan`` in order.
///
/// A reader starts at the beginning of the packet; each step that reads continues where the last one stopped. For the
/// field n, `xn` is the value, `wn` the width if it varies, `cn` whether it is present if it has a condition, and `tn`
/// the packet's size according to a length. Offsets count from the packet's first byte, and locate errors.
indirect enum PacketReadStep: Sendable {
    /// Bytes up to this offset must have arrived; otherwise more are needed.
    case need(Int)
    /// So many bytes of a field must be there; otherwise more are needed. If the packet is known to end before them,
    /// the error is `truncated`.
    case part(field: Int, byteCount: Int)
    /// A number of whole bytes. A boolean is a number here; ``boolean`` follows.
    case number(field: Int)
    /// Fields that share bytes, by their positions.
    case run(Range<Int>, PackedPlace)
    /// A varint, which may not have arrived; it sets its width.
    case varint(field: Int, VarintFormat)
    /// The bytes of a text, of digits or of bytes; ``text`` verifies them.
    case bytes(field: Int, byteCount: Int)
    /// Padding: its bytes are not checked, and have no name in the header.
    case skip(byteCount: Int)
    case boolean(field: Int, at: PacketOffset)
    /// Decodes the text or digits in the bytes of a field.
    case text(field: Int, at: PacketOffset)
    case constant(field: Int, Int128, at: PacketOffset)
    case constantText(field: Int, [UInt8], at: PacketOffset)
    /// The size of the packet is a length plus `difference`. Below `least` the error is `length_too_small`, above the
    /// limit `packet_too_long`.
    case size(ReadLength)
    /// The sizes according to two lengths must be equal.
    case sameSize(ReadLength, as: Int)
    /// Like `size`, and the packet ends there: later reads cannot go beyond it.
    case last(ReadLength)
    /// A field that is present only if a condition holds. The steps read it; an absent field is 0 or empty.
    case conditional(field: Int, WireCondition, [PacketReadStep])
    case ifPresent(field: Int, [PacketReadStep])
    /// Finds out whether a field of the trailer is present.
    case presence(field: Int, WireCondition, byteCount: Int)
    /// The size of the packet follows from the lengths that are present, which must agree. Without any it is
    /// `otherwise`.
    case total([ReadLength], otherwise: SizeWithoutLength?)
    /// The whole packet must have arrived; otherwise more bytes are needed. The payload begins after the header.
    case whole(header: PacketOffset, trailer: PacketOffset)
    /// The checksum of a range of the packet. It and later checksums count as zeros.
    case checksum(field: Int, ChecksumKind, ChecksumRange, at: PacketOffset)
    /// A length in the trailer must match the bytes that it counts.
    case sameLength(field: Int, PacketField.LengthBase, constant: Int, rest: PacketOffset, at: PacketOffset)
}

/// A length field of the header, and how the packet's size follows from it.
struct ReadLength: Sendable {
    let field: Int
    /// Added to the field's number.
    let difference: PacketOffset
    /// The minimum size of the packet.
    let least: PacketOffset
    let mayBeNegative: Bool
    let at: PacketOffset
    let isConditional: Bool
}

enum SizeWithoutLength: Sendable {
    case emptyPayload(PacketOffset)
    case allBytes(least: PacketOffset)
}

struct ChecksumRange: Sendable {
    enum Place: Equatable, Sendable {
        /// From the packet's first byte.
        case header(PacketOffset)
        /// From the first byte after the payload.
        case trailer(PacketOffset)
    }

    let start: Place
    let end: Place
    /// The bytes in the range that count as zeros, in order; absent fields have none.
    let zeros: [(at: Place, field: Int, byteCount: Int)]
}
