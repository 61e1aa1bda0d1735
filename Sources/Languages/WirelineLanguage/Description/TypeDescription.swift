// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// The type of a field, with options, attributes, byte order and names resolved.
public indirect enum TypeDescription: Equatable, Sendable {
    /// An integer: `uint8` to `int64`, or of any width from 1 to 64 bits, such as `uint4`.
    case integer(IntegerFormat, ByteOrder)
    /// A floating-point number of IEEE 754.
    case float(FloatFormat, ByteOrder)
    /// A `bool`: one byte, 0 or 1.
    case boolean
    /// A `bit`: one bit, true if it is 1; the byte order is that of the fields with which it shares bytes.
    case bit(ByteOrder)
    /// An integer of variable length: `varint`, `zigzag`, `varint32`, `varint64`.
    case varint(VarintFormat)
    /// Text in UTF-8.
    case string(Extent)
    /// Any bytes.
    case bytes(Extent)
    /// `@utf16 string` or `@utf16 char[n]`: valid UTF-16 in this byte order, without a byte order mark.
    ///
    /// Counts are of 16-bit units, and a unit of 0 ends it. The bytes of a fixed extent are twice its units.
    case utf16(Extent, ByteOrder)
    /// A `bcd[n]`: a string of exactly two digits for each byte.
    case digits(DigitFormat)
    /// QSIOP's properties, as lines up to the end of the payload.
    case properties(isStrict: Bool)
    /// An enum; the index in ``ProtocolDescription/enumerations``.
    case enumeration(Int, ByteOrder)
    /// Flags; the index in ``ProtocolDescription/flagSets``.
    case flags(Int, ByteOrder)
    /// A structure; the index in ``ProtocolDescription/structures``.
    case structure(Int)
    /// A union; the index in ``ProtocolDescription/unions``.
    case union(Int)
    /// A fixed list such as `T[4]`: 1 to 65,535 items, with nothing before or between them.
    case fixedList(TypeDescription, count: Int)
    /// A list, `repeated T` or `T[]`; its extent is never `.terminated`, and only a list's is `.until`.
    case list(TypeDescription, Extent)
    /// A list, a structure, a union or text in UTF-16 inside so many bytes: `@size(16)` or `@size(uint32)`. Only a
    /// field has such a type.
    ///
    /// The extent counts or fixes bytes. A list or text inside extends to their end; bytes after a structure or a union
    /// are skipped.
    case sized(TypeDescription, Extent)

    /// Returns the type `varint`: unsigned LEB128 in its shortest form, of at most `maximumByteCount` bytes (1 to 10).
    public static func varint(maximumByteCount: Int) -> TypeDescription {
        .varint(VarintFormat(.unsigned, maximumByteCount: maximumByteCount))
    }

    /// The type without lists around it: for a list, that of its items.
    package var leaf: TypeDescription {
        switch self {
        case .list(let element, _), .fixedList(let element, _), .sized(let element, _): element.leaf
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
        /// A list ends at this byte in place of an item, as in `@until(0)`; the byte is not part of the list.
        case until(UInt8)
        /// An earlier field of the body counts its items or bytes, as in `@count(n)` and `@size(n - 4)`.
        case field(FieldCount)
        /// It takes exactly so many bytes, 1 to 65,535, as a `char[n]` does.
        ///
        /// Shorter text is filled with `padding`. If that is 0, text ends at the first NUL, and readers ignore the
        /// bytes after it. Any other padding is removed from the end.
        case fixed(byteCount: Int, padding: UInt8)
        /// It takes exactly so many bytes, 1 to 65,535, as in `@size(16)`, and a value fills them.
        case exact(byteCount: Int)
    }
}
