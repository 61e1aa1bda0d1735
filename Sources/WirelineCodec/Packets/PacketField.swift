// SPDX-License-Identifier: Apache-2.0

/// One field of a packet's header or trailer.
///
/// ```swift
/// let length = PacketField("length", .integer(.uint32, .bigEndian), .length(of: .packet, plus: 0))
/// let id = PacketField("id", .integer(.uint16, .bigEndian), .messageID)
/// ```
public struct PacketField: Equatable, Sendable {
    /// The field's name, unique in its layout.
    public var name: String
    /// The field's format on the wire.
    public var format: Format
    /// The purpose of the field.
    public var role: Role

    /// Makes a field; without `role` it is a plain value with default 0.
    public init(_ name: String, _ format: Format, _ role: Role = .value(default: 0)) {
        self.name = name
        self.format = format
        self.role = role
    }

    /// The values that fit.
    ///
    /// A length that is a varint is never negative: so a longer packet never has a shorter length, and the width of a
    /// length that counts itself can be found.
    package var range: ClosedRange<Int128> {
        guard case .length = role, case .varint = format else { return format.range }
        return 0...format.range.upperBound
    }

    /// The format of a header field on the wire.
    @frozen
    public enum Format: Equatable, Sendable {
        case integer(IntegerFormat, ByteOrder)
        /// One byte, 0 or 1.
        case boolean
        /// An integer of variable length.
        case varint(VarintFormat)

        /// Returns the format of an unsigned LEB128 in its shortest form, of at most `maximumByteCount` bytes (1 to 10).
        public static func varint(maximumByteCount: Int) -> Format {
            .varint(VarintFormat(.unsigned, maximumByteCount: maximumByteCount))
        }

        /// The width in bytes; nil if it varies.
        public var byteCount: Int? {
            switch self {
            case .integer(let format, _): format.byteCount
            case .boolean: 1
            case .varint: nil
            }
        }

        /// The values that fit.
        public var range: ClosedRange<Int128> {
            switch self {
            case .integer(let format, _): format.range
            case .boolean: 0...1
            case .varint(let format): format.range
            }
        }
    }

    /// The purpose of a header field.
    @frozen
    public enum Role: Equatable, Sendable {
        /// A value that the caller may set; the default is written if it is not set.
        case value(default: Int128)
        /// The byte count of `base` plus a constant; several lengths of one packet must agree.
        case length(of: LengthBase, plus: Int)
        /// The message's ID; several such fields form one number, the first most significant.
        case messageID
        /// A constant that is always written, and verified when it is read.
        case constant(Int128)
        /// The number that pairs a reply with its request; 0 if it is not set.
        case sequence
        /// A checksum, which is computed when the packet is written, and verified when it is read.
        case checksum(PacketChecksum)

        /// CRC-32 of the payload (ISO-HDLC, as in zlib and IEEE 802.3).
        public static var checksum: Role { .checksum(PacketChecksum(.crc32)) }
    }

    /// The checksum that the field contains; nil for a field with another purpose.
    public var checksum: PacketChecksum? {
        if case .checksum(let checksum) = role { checksum } else { nil }
    }

    /// The bytes that a length counts.
    @frozen
    public enum LengthBase: Equatable, Sendable {
        /// All bytes of the packet: header, payload and trailer.
        case packet
        /// Only the payload.
        case payload
        /// All bytes after the length field, trailer included.
        case rest
    }
}
