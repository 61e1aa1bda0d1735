// SPDX-License-Identifier: Apache-2.0

import WirelineCodec

/// One step of taking a packet apart. A back end prints the steps of ``PacketReadPlan`` in their order.
///
/// A reader stands at the beginning of the packet, and each step that reads goes on from where the last one stopped. The
/// value of field `n` is a variable such as `x3`, its width, if it varies, one such as `w3`, whether it is there, if it has a
/// condition, one such as `c3`, the size of the packet by a length field one such as `t3`. Offsets count from the packet's
/// first byte, and are where an error is.
indirect enum PacketReadStep: Sendable {
    /// Bytes up to this one must have arrived; if they have not, more are needed.
    case need(Int)
    /// So many bytes of a field must be there. If they are not, more bytes are needed; but if the packet is known to end
    /// before them, they are missing: `truncated`.
    case part(field: Int, byteCount: Int)
    /// A number of whole bytes. A boolean is a number here; ``boolean`` follows.
    case number(field: Int)
    /// Fields that share bytes, by their positions.
    case run(Range<Int>, PackedPlace)
    /// A varint, which may not have arrived; it sets its width.
    case varint(field: Int, VarintFormat)
    /// The bytes of a text, of digits or of bytes, which are verified by ``text``.
    case bytes(field: Int, byteCount: Int)
    /// Padding: its bytes are not checked, and have no name in the header.
    case skip(byteCount: Int)
    /// The number of a boolean must be 0 or 1.
    case boolean(field: Int, at: PacketOffset)
    /// The text or digits in the bytes of a field.
    case text(field: Int, at: PacketOffset)
    /// The number must be this one.
    case constant(field: Int, Int128, at: PacketOffset)
    /// The first bytes of a field must be these.
    case constantText(field: Int, [UInt8], at: PacketOffset)
    /// The size of the packet is a length and `difference`. Under `least` it is `length_too_small`, above the limit
    /// `packet_too_long`.
    case size(ReadLength)
    /// The size by one length must be that by another one.
    case sameSize(ReadLength, as: Int)
    /// The same, and the packet ends there: what is read next cannot stand beyond that.
    case last(ReadLength)
    /// A field that is there only if a condition holds. The steps read it; without it, it is 0 or empty.
    case conditional(field: Int, WireCondition, [PacketReadStep])
    /// Checks that are made only if a field is there.
    case ifPresent(field: Int, [PacketReadStep])
    /// Whether a field of the trailer is there.
    case presence(field: Int, WireCondition, byteCount: Int)
    /// The size of the packet is that by the lengths that are there. They must agree. Without any it is `otherwise`.
    case total([ReadLength], otherwise: SizeWithoutLength?)
    /// The whole packet must have arrived; if it has not, more bytes are needed. The payload begins after the header.
    case whole(header: PacketOffset, trailer: PacketOffset)
    /// The checksum of a range of the packet, in which it and later ones count as zeros.
    case checksum(field: Int, ChecksumKind, ChecksumRange, at: PacketOffset)
    /// A length in the trailer must be that of what it counts.
    case sameLength(field: Int, PacketField.LengthBase, constant: Int, rest: PacketOffset, at: PacketOffset)
}

/// A length field of the header, and how the packet's size follows from it.
struct ReadLength: Sendable {
    let field: Int
    /// What is added to the field's number.
    let difference: PacketOffset
    /// The fewest bytes that the packet has.
    let least: PacketOffset
    /// Whether the number could be negative, which no length is.
    let mayBeNegative: Bool
    let at: PacketOffset
    /// Whether the length may be absent.
    let isConditional: Bool
}

/// The size of a packet without a length.
enum SizeWithoutLength: Sendable {
    /// The payload is empty.
    case emptyPayload(PacketOffset)
    /// All bytes that there are, in a frame.
    case allBytes(least: PacketOffset)
}

/// The bytes that a checksum covers.
struct ChecksumRange: Sendable {
    /// A place in a packet.
    enum Place: Equatable, Sendable {
        /// From the packet's first byte.
        case header(PacketOffset)
        /// From the first byte after the payload.
        case trailer(PacketOffset)
    }

    let start: Place
    let end: Place
    /// The bytes in the range that count as zeros, in order; those of a field that is absent are none.
    let zeros: [(at: Place, field: Int, byteCount: Int)]
}
