// SPDX-License-Identifier: Apache-2.0

/// The format of an integer of variable length on the wire.
///
/// Every encoding makes a number without a sign first. That number is then written as LEB128: seven bits a byte, the
/// lowest bits first.
@frozen
public struct VarintFormat: Equatable, Hashable, Sendable {
    /// How the number without a sign is made.
    public var encoding: Encoding
    /// The most bytes that a value may have: 1 to ``Encoding/maximumByteCount``.
    public var maximumByteCount: Int
    /// The forms that a reader accepts.
    public var forms: VarintForms

    /// Makes a format; without `maximumByteCount` it holds every value of its encoding.
    public init(_ encoding: Encoding, maximumByteCount: Int? = nil, _ forms: VarintForms = .shortest) {
        self.encoding = encoding
        self.maximumByteCount = maximumByteCount ?? encoding.maximumByteCount
        self.forms = forms
    }

    /// How a value becomes a number without a sign.
    @frozen
    public enum Encoding: Equatable, Hashable, Sendable, CaseIterable {
        /// `varint`: the value itself, 0 to 2⁶⁴ − 1.
        case unsigned
        /// `zigzag`: 0, −1, 1, −2, 2 … become 0, 1, 2, 3, 4 …; 64 bits.
        case zigzag
        /// `varint32`: the two's complement in 32 bits; a negative value takes 5 bytes.
        case signed32
        /// `varint64`: the two's complement in 64 bits; a negative value takes 10 bytes.
        case signed64

        /// The name in the schema language.
        public var name: String {
            switch self {
            case .unsigned: "varint"
            case .zigzag: "zigzag"
            case .signed32: "varint32"
            case .signed64: "varint64"
            }
        }

        /// The number of bits of a value.
        public var bitWidth: Int { self == .signed32 ? 32 : 64 }

        /// The most bytes that a value can take: 5 or 10.
        public var maximumByteCount: Int { (bitWidth + 6) / 7 }
    }

    package var isUnlimited: Bool { maximumByteCount >= encoding.maximumByteCount }

    /// The values that fit, both ends included.
    public var range: ClosedRange<Int128> {
        isSigned
            ? -(Int128(1) << (bitWidth - 1))...(Int128(1) << (bitWidth - 1)) - 1
            : 0...(Int128(1) << bitWidth) - 1
    }

    /// The two's complement of a negative value takes all bytes, so a shorter format of one has no negative values.
    package var isSigned: Bool {
        switch encoding {
        case .unsigned: false
        case .zigzag: true
        case .signed32, .signed64: isUnlimited
        }
    }

    package var bitWidth: Int {
        let byteCount = min(max(encoding == .zigzag ? 1 : 0, maximumByteCount), 10)
        return min(encoding.bitWidth, 7 * byteCount)
    }

    /// Returns the number on the wire; a value that the encoding cannot hold becomes the nearest one that it can.
    package func bits(of value: Int128) -> UInt64 {
        switch encoding {
        case .unsigned: UInt64(clamping: value)
        case .zigzag: Int64(clamping: value).zigzag
        case .signed32: UInt64(UInt32(bitPattern: Int32(clamping: value)))
        case .signed64: UInt64(bitPattern: Int64(clamping: value))
        }
    }

    /// Returns the value of a number on the wire; nil if the format refuses the number.
    package func value(ofBits bits: UInt64) -> Int128? {
        guard bits.varintByteCount <= maximumByteCount else { return nil }
        switch encoding {
        case .unsigned: return Int128(bits)
        case .zigzag: return Int128(Int64(zigzag: bits))
        case .signed32: return UInt32(exactly: bits).map { Int128(Int32(bitPattern: $0)) }
        case .signed64: return Int128(Int64(bitPattern: bits))
        }
    }
}

/// The forms of an integer of variable length that a reader accepts. A writer always makes the shortest one.
@frozen
public enum VarintForms: Equatable, Hashable, Sendable {
    /// Only the shortest form.
    case shortest
    /// Any form within the maximum byte count: 0 may be `00`, `80 00` and so on.
    case any
}

extension Int64 {
    /// Makes the value of a zigzag number: 0, 1, 2, 3 … mean 0, −1, 1, −2 ….
    @inlinable
    public init(zigzag bits: UInt64) {
        self = Int64(bitPattern: bits &>> 1) ^ -Int64(bitPattern: bits & 1)
    }

    /// The zigzag number of the value: numbers near 0 are small.
    @inlinable
    public var zigzag: UInt64 { UInt64(bitPattern: self &<< 1 ^ self &>> 63) }

    /// The number of bytes of the value as a `zigzag`: 1 to 10.
    @inlinable
    public var zigzagByteCount: Int { zigzag.varintByteCount }

    /// The number of bytes of the value as a `varint64`: 1 to 10, and 10 if it is negative.
    @inlinable
    public var varintByteCount: Int { UInt64(bitPattern: self).varintByteCount }
}

extension Int32 {
    /// The number of bytes of the value as a `varint32`: 1 to 5, and 5 if it is negative.
    @inlinable
    public var varintByteCount: Int { UInt64(UInt32(bitPattern: self)).varintByteCount }
}

extension UInt64 {
    /// The number of bytes of the number as LEB128 in its shortest form: 1 to 10.
    @inlinable
    public var varintByteCount: Int { self == 0 ? 1 : (70 - leadingZeroBitCount) / 7 }
}
