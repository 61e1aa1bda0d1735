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
    /// More than one sequence number.
    case repeatedRole(String)
    /// A constant or default that its field cannot hold.
    case valueOutOfRange(String)
    /// A checksum in a field that is not an unsigned integer of at least its width.
    case narrowChecksum(String, ChecksumKind = .crc32)
    /// A checksum of fields that the packet does not have, or whose last one stands before the first.
    case invalidChecksumRange(String)
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
        case .repeatedRole(let name): "`\(name)`: there can be one sequence"
        case .valueOutOfRange(let name): "`\(name)` cannot hold its value"
        case .narrowChecksum(let name, let kind): "`\(name)`: \(kind.need)"
        case .invalidChecksumRange(let name):
            "`\(name)`: the range of its checksum names no field, or ends before it begins"
        case .wideMessageID(let name): "`\(name)`: an ID has at most 64 bits"
        case .invalidLength(let name): "`\(name)` cannot hold a length"
        case .noPacketFits: "no packet has a byte count that its lengths can say"
        case .tooLarge: "header or trailer has more than \(PacketLayout.maximumHeaderByteCount) bytes"
        }
    }
}

extension ChecksumKind {
    /// The bytes that it takes, in a few words.
    fileprivate var need: String {
        switch self {
        case .adler32: "an Adler-32 takes 4 bytes"
        case .sum8, .xor8: "a checksum is an unsigned integer"
        default: "a \(displayName) takes \(byteCount) bytes"
        }
    }
}
