// SPDX-License-Identifier: Apache-2.0

public import WirelineCodec

/// The type of a field, with everything resolved: options, attributes, byte order and names.
public indirect enum TypeDescription: Equatable, Sendable {
    /// `uint8` to `int64`.
    case integer(IntegerFormat, ByteOrder)
    /// IEEE 754, 4 bytes.
    case float32(ByteOrder)
    /// IEEE 754, 8 bytes.
    case float64(ByteOrder)
    /// One byte, 0 or 1.
    case boolean
    /// Unsigned LEB128 of at most 64 bits, shortest form only, of at most so many bytes (1 to 10).
    case varint(maximumByteCount: Int)
    /// UTF-8.
    case string(Extent)
    /// Any bytes.
    case bytes(Extent)
    /// QSIOP's lines, to the end of the payload.
    case properties(isStrict: Bool)
    /// An index into ``ProtocolDescription/enumerations``.
    case enumeration(Int, ByteOrder)
    /// An index into ``ProtocolDescription/flagSets``.
    case flags(Int, ByteOrder)
    /// An index into ``ProtocolDescription/structures``.
    case structure(Int)
    /// `T[4]`: 1 to 65,535 items, nothing before or between them.
    case fixedList(TypeDescription, count: Int)
    /// `repeated T` or `T[]`; `.terminated` does not occur.
    case list(TypeDescription, Extent)

    /// Where something of variable length ends.
    public enum Extent: Equatable, Sendable {
        /// Its bytes or items are counted in front of it.
        case counted(CountFormat, ByteOrder)
        /// It ends at a NUL, which is not part of the value.
        case terminated
        /// It goes to the end of the payload.
        case rest
    }
}
