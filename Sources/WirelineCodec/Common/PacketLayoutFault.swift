// SPDX-License-Identifier: Apache-2.0

/// Why fields cannot form a layout.
@nonexhaustive
public enum PacketLayoutFault: Equatable, Sendable, CustomStringConvertible {
    /// No header field is a length, so the end of a packet is unknown.
    case noLength
    /// Two fields have this name.
    case duplicateName(String)
    /// More than one field of variable width, or one in the trailer.
    case severalVarints(String)
    /// A varint of fewer than 1 or more than 10 bytes, or a `varint32` of more than 5.
    case invalidVarint(String)
    /// More than one sequence number, or more than one checksum.
    case repeatedRole(String)
    /// A constant or default that its field cannot hold.
    case valueOutOfRange(String)
    /// A checksum that is not 4 bytes wide.
    case narrowChecksum(String)
    /// ID fields of more than 64 bits together.
    case wideMessageID(String)
    /// A length in a field that cannot hold one, such as a `bool`, or with a constant beyond ±65,535.
    case invalidLength(String)
    /// Lengths that cannot say the byte count of any packet, such as a `uint8` that counts 300 bytes too many.
    case noPacketFits
    /// A header or trailer of more than ``PacketLayout/maximumHeaderByteCount`` bytes.
    case tooLarge

    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .noLength: "no header field is a length"
        case .duplicateName(let name): "two fields are named `\(name)`"
        case .severalVarints(let name): "`\(name)`: only one field may vary in width, and it stands in the header"
        case .invalidVarint(let name): "`\(name)`: a varint has 1 to 10 bytes, a `varint32` at most 5"
        case .repeatedRole(let name): "`\(name)`: there can be one sequence and one checksum"
        case .valueOutOfRange(let name): "`\(name)` cannot hold its value"
        case .narrowChecksum(let name): "`\(name)`: a CRC-32 takes 4 bytes"
        case .wideMessageID(let name): "`\(name)`: an ID has at most 64 bits"
        case .invalidLength(let name): "`\(name)` cannot hold a length"
        case .noPacketFits: "no packet has a byte count that its lengths can say"
        case .tooLarge: "header or trailer has more than \(PacketLayout.maximumHeaderByteCount) bytes"
        }
    }
}
