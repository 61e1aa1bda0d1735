// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// The type of a field, with options, attributes, byte order and names resolved.
public indirect enum TypeDescription: Equatable, Sendable {
    /// An integer: `uint8` to `int64`.
    case integer(IntegerFormat, ByteOrder)
    /// A float of 4 bytes, IEEE 754.
    case float32(ByteOrder)
    /// A float of 8 bytes, IEEE 754.
    case float64(ByteOrder)
    /// A `bool`: one byte, 0 or 1.
    case boolean
    /// An integer of variable length: `varint`, `zigzag`, `varint32`, `varint64`.
    case varint(VarintFormat)
    /// Text in UTF-8.
    case string(Extent)
    /// Any bytes.
    case bytes(Extent)
    /// A `bcd[n]`: a string of exactly `2 * byteCount` decimal digits, two in a byte, the first in its high half.
    case digits(byteCount: Int)
    /// QSIOP's properties, as lines up to the end of the payload.
    case properties(isStrict: Bool)
    /// An enum; the index in ``ProtocolDescription/enumerations``.
    case enumeration(Int, ByteOrder)
    /// Flags; the index in ``ProtocolDescription/flagSets``.
    case flags(Int, ByteOrder)
    /// A structure; the index in ``ProtocolDescription/structures``.
    case structure(Int)
    /// A fixed list such as `T[4]`: 1 to 65,535 items, with nothing before or between them.
    case fixedList(TypeDescription, count: Int)
    /// A list, `repeated T` or `T[]`; its extent is never `.terminated`.
    case list(TypeDescription, Extent)

    /// Returns the type `varint`: unsigned LEB128 in its shortest form, of at most `maximumByteCount` bytes (1 to 10).
    public static func varint(maximumByteCount: Int) -> TypeDescription {
        .varint(VarintFormat(.unsigned, maximumByteCount: maximumByteCount))
    }

    /// The type of the values in it that are no lists: of a list, that of its items.
    package var leaf: TypeDescription {
        switch self {
        case .list(let element, _), .fixedList(let element, _): element.leaf
        default: self
        }
    }

    /// How a value of variable length ends.
    public enum Extent: Equatable, Sendable {
        /// A count before it counts its bytes or items.
        case counted(CountFormat, ByteOrder)
        /// It ends at a NUL, which is not part of the value.
        case terminated
        /// It extends to the end of the payload.
        case rest
        /// It takes exactly so many bytes, 1 to 65,535, as a `char[n]` does.
        ///
        /// Text that is shorter is filled with `padding`. If that is 0, text ends at the first NUL, and what follows it is
        /// not looked at; any other padding is taken off the end.
        case fixed(byteCount: Int, padding: UInt8)
    }
}
