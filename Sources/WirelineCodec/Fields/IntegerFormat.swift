// SPDX-License-Identifier: Apache-2.0

/// The width and sign of an integer on the wire, without its byte order.
@frozen
public enum IntegerFormat: Equatable, Hashable, Sendable, CaseIterable {
    case uint8, uint16, uint24, uint32, uint64
    case int8, int16, int24, int32, int64

    /// The number of bytes that the integer takes: 1, 2, 3, 4 or 8.
    @inlinable
    public var byteCount: Int {
        switch self {
        case .uint8, .int8: 1
        case .uint16, .int16: 2
        case .uint24, .int24: 3
        case .uint32, .int32: 4
        case .uint64, .int64: 8
        }
    }

    /// Whether the integer is in two's complement.
    @inlinable
    public var isSigned: Bool {
        switch self {
        case .uint8, .uint16, .uint24, .uint32, .uint64: false
        case .int8, .int16, .int24, .int32, .int64: true
        }
    }

    /// The values that fit, both ends included.
    public var range: ClosedRange<Int128> {
        let bits = byteCount * 8
        return isSigned
            ? -(Int128(1) << (bits - 1))...(Int128(1) << (bits - 1)) - 1
            : 0...(Int128(1) << bits) - 1
    }

    /// The name in the schema language: `uint8`, `int24`, …
    public var name: String { "\(isSigned ? "int" : "uint")\(byteCount * 8)" }
}

/// The format of the count that precedes a string (in bytes) or a list (in items).
@frozen
public enum CountFormat: Equatable, Hashable, Sendable, CaseIterable {
    case uint8, uint16, uint32
    /// Unsigned LEB128 in its shortest form, at most 5 bytes.
    case varint

    /// The largest count that can be written: 255, 65,535 or 4,294,967,295.
    ///
    /// If an `Int` has 32 bits, `Int.max` replaces the last of them.
    @inlinable
    public var maximum: Int {
        switch self {
        case .uint8: 0xFF
        case .uint16: 0xFFFF
        case .uint32, .varint: Int(clampingCount: .max)
        }
    }

    /// The fewest bytes that a count takes.
    @inlinable
    public var minimumByteCount: Int {
        switch self {
        case .uint8, .varint: 1
        case .uint16: 2
        case .uint32: 4
        }
    }

    /// The name in the schema language.
    public var name: String {
        switch self {
        case .uint8: "uint8"
        case .uint16: "uint16"
        case .uint32: "uint32"
        case .varint: "varint"
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
