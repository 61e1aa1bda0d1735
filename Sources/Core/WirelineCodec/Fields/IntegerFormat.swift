// SPDX-License-Identifier: Apache-2.0

/// The width and sign of an integer on the wire, without its byte order.
///
/// An integer of whole bytes can stand anywhere. One of another width shares bytes with the fields beside it.
@frozen
public struct IntegerFormat: Equatable, Hashable, Sendable {
    /// The number of bits, 1 to 64.
    public let bitWidth: Int
    /// Whether the integer is in two's complement.
    public let isSigned: Bool

    /// Makes a format of 1 to 64 bits; another width stops the program.
    @inlinable
    public init(bitWidth: Int, isSigned: Bool) {
        precondition(bitWidth >= 1 && bitWidth <= 64, "an integer of more than 64 bits, or of none")
        self.bitWidth = bitWidth
        self.isSigned = isSigned
    }

    @inlinable public static var uint8: IntegerFormat { IntegerFormat(bitWidth: 8, isSigned: false) }
    @inlinable public static var uint16: IntegerFormat { IntegerFormat(bitWidth: 16, isSigned: false) }
    @inlinable public static var uint24: IntegerFormat { IntegerFormat(bitWidth: 24, isSigned: false) }
    @inlinable public static var uint32: IntegerFormat { IntegerFormat(bitWidth: 32, isSigned: false) }
    @inlinable public static var uint40: IntegerFormat { IntegerFormat(bitWidth: 40, isSigned: false) }
    @inlinable public static var uint48: IntegerFormat { IntegerFormat(bitWidth: 48, isSigned: false) }
    @inlinable public static var uint56: IntegerFormat { IntegerFormat(bitWidth: 56, isSigned: false) }
    @inlinable public static var uint64: IntegerFormat { IntegerFormat(bitWidth: 64, isSigned: false) }
    @inlinable public static var int8: IntegerFormat { IntegerFormat(bitWidth: 8, isSigned: true) }
    @inlinable public static var int16: IntegerFormat { IntegerFormat(bitWidth: 16, isSigned: true) }
    @inlinable public static var int24: IntegerFormat { IntegerFormat(bitWidth: 24, isSigned: true) }
    @inlinable public static var int32: IntegerFormat { IntegerFormat(bitWidth: 32, isSigned: true) }
    @inlinable public static var int40: IntegerFormat { IntegerFormat(bitWidth: 40, isSigned: true) }
    @inlinable public static var int48: IntegerFormat { IntegerFormat(bitWidth: 48, isSigned: true) }
    @inlinable public static var int56: IntegerFormat { IntegerFormat(bitWidth: 56, isSigned: true) }
    @inlinable public static var int64: IntegerFormat { IntegerFormat(bitWidth: 64, isSigned: true) }

    /// The number of bytes, 1 to 8, that hold the integer alone.
    @inlinable
    public var byteCount: Int { (bitWidth + 7) / 8 }

    /// Whether the integer takes whole bytes.
    @inlinable
    public var isWholeBytes: Bool { bitWidth % 8 == 0 }

    /// The values that fit, both ends included.
    public var range: ClosedRange<Int128> {
        isSigned
            ? -(Int128(1) << (bitWidth - 1))...(Int128(1) << (bitWidth - 1)) - 1
            : 0...(Int128(1) << bitWidth) - 1
    }

    /// The name in the schema language: `uint8`, `int24`, …
    public var name: String { "\(isSigned ? "int" : "uint")\(bitWidth)" }
}

extension IntegerFormat: CaseIterable {
    /// The formats of whole bytes.
    public static var allCases: [IntegerFormat] {
        [.uint8, .uint16, .uint24, .uint32, .uint40, .uint48, .uint56, .uint64]
            + [.int8, .int16, .int24, .int32, .int40, .int48, .int56, .int64]
    }
}

extension IntegerFormat: CustomStringConvertible {
    /// The name in the schema language.
    public var description: String { name }
}

/// The format of the count that precedes a string (in bytes) or a list (in items).
@frozen
public enum CountFormat: Equatable, Hashable, Sendable, CaseIterable {
    case uint8, uint16, uint32
    /// Unsigned LEB128 in its shortest form, at most 5 bytes.
    case varint
    /// A count with a sign: −1 says that the value is absent.
    case int16, int32
    /// A count with a sign as zigzag and LEB128, at most 5 bytes, which hold 32 bits; −1 says that the value is absent.
    case zigzag

    /// The largest count that can be written: 255, 65,535 or 4,294,967,295, and 32,767 or 2,147,483,647 with a sign.
    ///
    /// If an `Int` has 32 bits, `Int.max` replaces 4,294,967,295.
    @inlinable
    public var maximum: Int {
        switch self {
        case .uint8: 0xFF
        case .uint16: 0xFFFF
        case .uint32, .varint: Int(clampingCount: .max)
        case .int16: 0x7FFF
        case .int32, .zigzag: 0x7FFF_FFFF
        }
    }

    /// The fewest bytes that a count takes.
    @inlinable
    public var minimumByteCount: Int {
        switch self {
        case .uint8, .varint, .zigzag: 1
        case .uint16, .int16: 2
        case .uint32, .int32: 4
        }
    }

    /// Whether −1 stands for a value that is absent.
    @inlinable
    public var isSigned: Bool {
        switch self {
        case .uint8, .uint16, .uint32, .varint: false
        case .int16, .int32, .zigzag: true
        }
    }

    /// The name in the schema language.
    public var name: String {
        switch self {
        case .uint8: "uint8"
        case .uint16: "uint16"
        case .uint32: "uint32"
        case .varint: "varint"
        case .int16: "int16"
        case .int32: "int32"
        case .zigzag: "zigzag"
        }
    }
}

extension Int {
    /// Converts a 32-bit count.
    ///
    /// If an `Int` has only 32 bits, a count above `Int.max` becomes `Int.max`. No memory has space for so many bytes
    /// or items, so it is refused like the count itself.
    ///
    /// `init(clamping:)` does the same, but the compiler takes far longer to optimise it away.
    @inlinable @inline(__always)
    init(clampingCount count: UInt32) {
        let number = Int(truncatingIfNeeded: count)
        self = number < 0 ? .max : number
    }
}
