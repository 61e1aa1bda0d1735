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
    /// When the field is in a packet; nil for a field that always is.
    ///
    /// Its operands are numbers of the header before the field, but no lengths and no checksums. An absent field counts
    /// as 0.
    public var condition: WireCondition?
    /// In a field that pairs replies with requests: its number in the reply to a request that has failed; nil: replies
    /// always have their request's number.
    ///
    /// Such a reply does not say which request it answers.
    public var failure: Int128?

    /// Makes a field; without `role` it is a plain value with default 0, without `condition` it is in every packet.
    public init(
        _ name: String, _ format: Format, _ role: Role = .value(default: 0), failure: Int128? = nil,
        if condition: WireCondition? = nil
    ) {
        self.name = name
        self.format = format
        self.role = role
        self.condition = condition
        self.failure = failure
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
        /// An integer. One that begins or ends inside a byte shares its bytes with the fields beside it.
        case integer(IntegerFormat, ByteOrder)
        /// One bit, which shares its byte with the fields beside it.
        case bit
        /// One byte, 0 or 1.
        case boolean
        /// An integer of variable length.
        case varint(VarintFormat)
        /// Text in UTF-8 in `byteCount` bytes, filled with `padding`: `char[n]`.
        case text(byteCount: Int, padding: UInt8)
        /// Digits, two in each byte: `bcd[n]`.
        case digits(DigitFormat)
        /// `byteCount` bytes of any value.
        case bytes(byteCount: Int)

        /// Returns the format of an unsigned LEB128 in its shortest form of at most `maximumByteCount` bytes (1 to 10).
        public static func varint(maximumByteCount: Int) -> Format {
            .varint(VarintFormat(.unsigned, maximumByteCount: maximumByteCount))
        }

        /// Returns the format of decimal digits, two in each of `byteCount` bytes.
        public static func digits(byteCount: Int) -> Format { .digits(DigitFormat(.bcd, byteCount: byteCount)) }

        /// The width in bytes of a field that shares none; nil if it varies.
        public var byteCount: Int? {
            switch self {
            case .integer(let format, _): format.byteCount
            case .boolean, .bit: 1
            case .varint: nil
            case .text(let byteCount, _), .bytes(let byteCount): byteCount
            case .digits(let format): format.byteCount
            }
        }

        /// The numbers that fit; only 0 for a field without a number.
        public var range: ClosedRange<Int128> {
            switch self {
            case .integer(let format, _): format.range
            case .boolean, .bit: 0...1
            case .varint(let format): format.range
            case .text, .digits, .bytes: 0...0
            }
        }

        /// Whether the values are numbers, true and false included.
        public var isNumber: Bool {
            switch self {
            case .integer, .boolean, .bit, .varint: true
            case .text, .digits, .bytes: false
            }
        }

        /// Whether the values are true and false.
        public var isBoolean: Bool { self == .boolean || self == .bit }
    }

    /// The purpose of a header field.
    @frozen
    public enum Role: Equatable, Sendable {
        /// A value that the caller may set; the default is written if it is not set.
        ///
        /// The default of a `char[n]` or a `bcd[n]` is text that fits. For fields without a number, 0 is a default as
        /// well: no text, zeros as digits, or zeros as bytes.
        case value(default: PacketHeader.FieldValue)
        /// A value that the caller may set; otherwise the first of these that lets the lengths hold the packet.
        ///
        /// All present lengths must hold it, and at least one must be present if the payload is not empty. If no value
        /// works, the writer takes the last one and throws its error.
        case fitting([Int128])
        /// The byte count of `base` plus a constant; all present lengths must agree.
        ///
        /// A packet without a length has an empty payload.
        case length(of: LengthBase, plus: Int)
        /// The number of bytes inside the innermost layer plus a constant; 0 if no layer follows the field.
        ///
        /// A program can set it if the condition of a layer asks for it: 0 leaves that layer out, and any other number
        /// is replaced by the right one.
        case contentLength(plus: Int)
        /// The message's ID; the present fields of this role form one number, the first most significant.
        case messageID
        /// A constant that is always written, and verified when it is read: a number, or the text of a `char[n]`.
        case constant(PacketHeader.FieldValue)
        /// The number that pairs a reply with its request; 0 if it is not set.
        case sequence
        /// Bytes without a meaning, in a field of bytes: zeros when written, ignored when read.
        case padding
        /// A checksum, which is computed when the packet is written, and verified when it is read.
        case checksum(PacketChecksum)

        /// CRC-32 of the payload (ISO-HDLC, as in zlib and IEEE 802.3).
        public static var checksum: Role { .checksum(PacketChecksum(.crc32)) }
    }

    /// The checksum that the field contains; nil for a field with another purpose.
    public var checksum: PacketChecksum? {
        if case .checksum(let checksum) = role { checksum } else { nil }
    }

    /// The values from which a field takes one that fits the packet; nil for a field with another purpose.
    package var fittingValues: [Int128]? {
        if case .fitting(let values) = role { values } else { nil }
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
