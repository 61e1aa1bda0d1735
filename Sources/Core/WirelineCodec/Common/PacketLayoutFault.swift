// SPDX-License-Identifier: Apache-2.0

/// Why fields cannot form a layout.
@nonexhaustive
public enum PacketLayoutFault: Equatable, Sendable, CustomStringConvertible {
    /// No header field is a length, and there is no frame, so the end of a packet is unknown.
    case noLength
    /// Marks or escapes that would change packets between writing and reading.
    case invalidFraming(PacketFraming.Fault)
    /// A frame around packets without a field: an empty frame is no packet.
    case emptyFrame
    /// Two fields have this name.
    case duplicateName(String)
    /// A field of variable width in the trailer: a reader could not tell where the trailer begins.
    case varintInTrailer(String)
    /// A field that ends inside a byte, without a field after it that continues there.
    case unfinishedRun(String)
    /// More than 64 bits from the first field until one ends at a byte boundary.
    case wideRun(String)
    /// A field in another byte order than the fields that it shares bytes with.
    case mixedRun(String)
    /// A varint of fewer than 1 or more than 10 bytes, or a `varint32` of more than 5.
    case invalidVarint(String)
    /// Text, digits or bytes that should be an ID, a length or another number, or that have no bytes.
    case invalidText(String)
    /// More than one sequence number, or more than one field that fits itself to the packet.
    case repeatedRole(String)
    /// A constant or default that its field cannot hold.
    case valueOutOfRange(String)
    /// A checksum in a field that is not an unsigned integer of at least its width.
    case narrowChecksum(String, ChecksumKind = .crc32)
    /// A checksum of fields that the packet does not have, or whose last one stands before the first.
    case invalidChecksumRange(String)
    /// ID fields of more than 64 bits together.
    case wideMessageID(String)
    /// A condition about anything but numbers of the header before its field, or about a length or a checksum.
    case invalidCondition(String)
    /// A condition of a field that shares bytes with others.
    case conditionalBits(String)
    /// More than four ID fields with a condition.
    case tooManyMessageIDs(String)
    /// A length in a field that cannot hold one, such as a `bool`, or with a constant beyond ±65,535.
    case invalidLength(String)
    /// More layers than ``PacketContent/maximumLayerCount``, or layers that are not in the order of the fields.
    case invalidLayers
    /// A condition of this layer, or of `packets` or `opaque`, about anything but numbers of the header before it.
    ///
    /// A condition about a length, a checksum, or a field that fits itself to the packet is also one.
    case invalidLayerCondition(String)
    /// A layer that begins with this field, but the field does not have 16 bytes or does not stand before the layer.
    case invalidVector(String)
    /// A cipher (with this key) that has one keystream for all packets and is in every packet, although packets can
    /// contain packets.
    case nestedKeystream(String)
    /// A length that is inside a layer and counts the whole packet.
    case lengthInsideLayer(String)
    /// A count of a layer's content that is not outside the innermost layer, or a second count.
    case invalidContentLength(String)
    /// ID fields inside a layer and, with this name, in the trailer.
    case splitMessageID(String)
    /// Lengths that fit the byte count of no packet, such as a `uint8` that counts 300 bytes too many.
    case noPacketFits
    /// Conditions that leave no field in the packets of this sender.
    case noFields(Sender)
    /// A message that sets a state which the layout does not have, or to a number that the state cannot hold.
    case invalidStateChange(String)
    /// Conditions with more than 6 different tests of states and of `nested`.
    case tooManyContextTests
    /// A layout that depends on the sender or on states, or has layers, in a place that needs a plain one:
    /// ``PacketLayout/layout(in:)``.
    case needsContext
    /// A header or trailer of more than ``PacketLayout/maximumHeaderByteCount`` bytes.
    case tooLarge

    /// One sentence without a full stop.
    public var description: String {
        switch self {
        case .noLength: "no header field is a length"
        case .invalidFraming(let fault): fault.description
        case .emptyFrame: "a packet in a frame has at least one field"
        case .duplicateName(let name): "two fields are named `\(name)`"
        case .varintInTrailer(let name): "`\(name)`: the fields of a trailer have a fixed width"
        case .unfinishedRun(let name): "`\(name)` ends inside a byte"
        case .wideRun(let name): "no field from `\(name)` on ends at a byte boundary within 64 bits"
        case .mixedRun(let name): "`\(name)` shares bytes with fields of another byte order"
        case .invalidVarint(let name): "`\(name)`: a varint has 1 to 10 bytes, a `varint32` at most 5"
        case .invalidText(let name): "`\(name)` is no number, and has 1 to \(PacketLayout.maximumHeaderByteCount) bytes"
        case .repeatedRole(let name): "`\(name)`: there can be one sequence, and one `@fit`"
        case .valueOutOfRange(let name): "`\(name)` cannot hold its value"
        case .narrowChecksum(let name, let kind): "`\(name)`: \(kind.need)"
        case .invalidChecksumRange(let name):
            "`\(name)`: the range of its checksum names no field, or ends before it begins"
        case .wideMessageID(let name): "`\(name)`: an ID has at most 64 bits"
        case .invalidCondition(let name):
            "`\(name)`: a condition tests numbers before it in the header, and no lengths or checksums"
        case .conditionalBits(let name): "`\(name)` shares bytes with others, and so is always there"
        case .tooManyMessageIDs(let name): "`\(name)`: at most four ID fields have a condition"
        case .invalidLength(let name): "`\(name)` cannot hold a length"
        case .invalidLayers:
            "a packet has at most \(PacketContent.maximumLayerCount) layers, in the order of its fields"
        case .invalidLayerCondition(let name):
            "`\(name)`: its condition tests numbers before it in the header, and no lengths, checksums or `@fit`"
        case .invalidVector(let name): "`\(name)` is no field of 16 bytes before the layer that begins with it"
        case .nestedKeystream(let name):
            "no packet can have packets inside: each would use the keystream of `\(name)` before those around it"
        case .lengthInsideLayer(let name): "`\(name)` is inside of a layer, where no length counts the whole packet"
        case .invalidContentLength(let name): "`\(name)`: one field before the innermost layer can count its content"
        case .splitMessageID(let name): "`\(name)`: an ID with fields inside of a layer has none in the trailer"
        case .noPacketFits: "no packet has a byte count that its lengths can say"
        case .noFields(let sender): "a packet from a \(sender.rawValue) has no fields"
        case .invalidStateChange(let name):
            "a message sets a state `\(name)` that there is not, or to what it cannot hold"
        case .tooManyContextTests:
            "the packet's conditions have more than \(ContextTest.maximumCount) different tests of states and of `nested`"
        case .needsContext: "the layout depends on the sender of a packet or on states, which are not known here"
        case .tooLarge: "header or trailer has more than \(PacketLayout.maximumHeaderByteCount) bytes"
        }
    }
}

extension ChecksumKind {
    /// The bytes of the checksum, in a few words.
    fileprivate var need: String {
        switch self {
        case .adler32: "an Adler-32 takes 4 bytes"
        case .sum8, .xor8: "a checksum is an unsigned integer"
        default: "a \(displayName) takes \(byteCount) bytes"
        }
    }
}
