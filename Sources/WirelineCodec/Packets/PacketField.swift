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
    /// How the field stands on the wire.
    public var format: Format
    /// What the field is for.
    public var role: Role

    /// Makes a field; `role` is a plain value that defaults to 0 when left out.
    public init(_ name: String, _ format: Format, _ role: Role = .value(default: 0)) {
        self.name = name
        self.format = format
        self.role = role
    }

    /// How a header field stands on the wire.
    @frozen
    public enum Format: Equatable, Sendable {
        case integer(IntegerFormat, ByteOrder)
        /// One byte, 0 or 1.
        case boolean
        /// Unsigned LEB128 in its shortest form, of at most `maximumByteCount` bytes (1 to 10).
        case varint(maximumByteCount: Int)

        /// The width in bytes, or nil when it varies.
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
            case .varint: 0...(Int128(1) << bitWidth) - 1
            }
        }
    }

    /// What a header field is for.
    @frozen
    public enum Role: Equatable, Sendable {
        /// A value of the user's; what is written when nobody sets it.
        case value(default: Int128)
        /// The byte count of `base` plus a constant; several lengths of one packet must agree.
        case length(of: LengthBase, plus: Int)
        /// The message's ID; several such fields form one number, the first most significant.
        case messageID
        /// A number that is always written, and verified when read.
        case constant(Int128)
        /// Pairs a reply with its request; 0 when nobody sets it.
        case sequence
        /// CRC-32 of the payload (ISO-HDLC: zlib's, and that of IEEE 802.3).
        case checksum
    }

    /// What a length counts.
    @frozen
    public enum LengthBase: Equatable, Sendable {
        /// Every byte of the packet: header, payload and trailer.
        case packet
        /// The message's fields alone.
        case payload
        /// All that follows the length field, trailer included.
        case rest
    }
}
