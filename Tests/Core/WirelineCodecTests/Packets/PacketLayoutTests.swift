// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

struct PacketLayoutTests {
    static let length = PacketField("length", .integer(.uint16, .bigEndian), .length(of: .packet, plus: 0))
    static let varint = PacketField.Format.varint(maximumByteCount: 4)

    private static let byte = PacketField.Format.integer(.uint8, .bigEndian)

    private static func packed(_ bitWidth: Int, _ order: ByteOrder = .bigEndian) -> PacketField.Format {
        .integer(IntegerFormat(bitWidth: bitWidth, isSigned: false), order)
    }

    private static func sum(_ name: String) -> PacketField {
        PacketField(name, .integer(.uint8, .bigEndian), .checksum(PacketChecksum(.xor8)))
    }

    private static func sum(of first: PacketChecksum.Part, through last: PacketChecksum.Part) -> PacketField {
        PacketField(
            "a", .integer(.uint8, .bigEndian), .checksum(PacketChecksum(.sum8, of: .parts(first, through: last))))
    }

    static let faults: [(PacketLayout.Fault, [PacketField], [PacketField])] = [
        (.noLength, [], []),
        (.noLength, [PacketField("id", .boolean, .messageID)], [length]),
        (.duplicateName("length"), [length, length], []),
        (.duplicateName("length"), [length], [PacketField("length", .boolean)]),
        (.varintInTrailer("b"), [length, PacketField("a", varint)], [PacketField("b", varint)]),
        (.unfinishedRun("a"), [length, PacketField("a", packed(4))], []),
        (.unfinishedRun("b"), [length], [PacketField("a", packed(4)), PacketField("b", .bit)]),
        (.unfinishedRun("a"), [length, PacketField("a", packed(4)), PacketField("b", .boolean)], []),
        (.wideRun("a"), [length, PacketField("a", packed(60)), PacketField("b", packed(12))], []),
        (.mixedRun("b"), [length, PacketField("a", packed(4)), PacketField("b", packed(12, .littleEndian))], []),
        (
            .narrowChecksum("b", .xor8), [length, PacketField("a", packed(4)), sum("b"), PacketField("c", packed(4))],
            []
        ),
        (.invalidText("a"), [length, PacketField("a", .digits(byteCount: 4), .messageID)], []),
        (.invalidText("a"), [length], [PacketField("a", .text(byteCount: 0, padding: 0))]),
        (.invalidVarint("a"), [length, PacketField("a", .varint(maximumByteCount: 0))], []),
        (.invalidVarint("a"), [length, PacketField("a", .varint(maximumByteCount: 11))], []),
        (
            .repeatedRole("b"),
            [length, PacketField("a", .boolean, .sequence), PacketField("b", .boolean, .sequence)], []
        ),
        (.valueOutOfRange("a"), [length, PacketField("a", .integer(.int8, .bigEndian), .constant(128))], []),
        (.valueOutOfRange("a"), [length, PacketField("a", .boolean, .value(default: 2))], []),
        (.narrowChecksum("a"), [length, PacketField("a", .integer(.uint16, .bigEndian), .checksum)], []),
        (.narrowChecksum("a"), [length, PacketField("a", .integer(.int32, .bigEndian), .checksum)], []),
        (.narrowChecksum("a"), [length, PacketField("a", .varint(maximumByteCount: 5), .checksum)], []),
        (
            .narrowChecksum("a", .crc16X25),
            [length, PacketField("a", .integer(.uint8, .bigEndian), .checksum(PacketChecksum(.crc16X25)))], []
        ),
        (.narrowChecksum("a", .xor8), [length, PacketField("a", .boolean, .checksum(PacketChecksum(.xor8)))], []),
        (.invalidChecksumRange("a"), [length, sum(of: .field("length"), through: .field("b"))], []),
        (.invalidChecksumRange("a"), [length, sum(of: .field("a"), through: .field("length"))], []),
        (.invalidChecksumRange("a"), [length, sum(of: .payload, through: .field("a"))], []),
        (.invalidChecksumRange("a"), [length], [sum(of: .field("a"), through: .payload)]),
        (
            .wideMessageID("b"),
            [
                length, PacketField("a", .integer(.uint64, .bigEndian), .messageID),
                PacketField("b", .integer(.uint8, .bigEndian), .messageID),
            ], []
        ),
        (.invalidLength("a"), [PacketField("a", .boolean, .length(of: .rest, plus: 0))], []),
        (
            .invalidLength("a"),
            [PacketField("a", .integer(.uint8, .bigEndian), .length(of: .rest, plus: .min))], []
        ),
        (.noPacketFits, [PacketField("a", .integer(.uint8, .bigEndian), .length(of: .packet, plus: 255))], []),
        (
            .noPacketFits,
            [
                PacketField("a", .integer(.uint8, .bigEndian), .length(of: .packet, plus: 0)),
                PacketField("b", .integer(.uint16, .bigEndian), .length(of: .payload, plus: -300)),
            ], []
        ),
        (
            .invalidCondition("a"), [length, PacketField("a", byte, if: .isSet(.field("b"))), PacketField("b", byte)],
            []
        ),
        (.invalidCondition("a"), [length, PacketField("a", byte, if: .isSet(.field("a")))], []),
        (.invalidCondition("a"), [length, PacketField("a", byte, if: .isSet(.header("length")))], []),
        (.invalidCondition("a"), [length, PacketField("a", byte, if: .isSet(.field("length")))], []),
        (
            .invalidCondition("b"),
            [length, PacketField("a", .digits(byteCount: 1)), PacketField("b", byte, if: .not(.isSet(.field("a"))))], []
        ),
        (.invalidCondition("b"), [length, sum("a"), PacketField("b", byte, if: .isSet(.field("a")))], []),
        (.invalidCondition("b"), [length], [PacketField("a", byte), PacketField("b", byte, if: .isSet(.field("a")))]),
        (
            .conditionalBits("b"),
            [
                length, PacketField("a", byte), PacketField("b", packed(4), if: .isSet(.field("a"))),
                PacketField("c", packed(4)),
            ], []
        ),
        (
            .tooManyMessageIDs("e"),
            [length, PacketField("x", byte)]
                + ["a", "b", "c", "d", "e"].map { PacketField($0, byte, .messageID, if: .isSet(.field("x"))) }, []
        ),
        (.tooLarge, [length] + (0..<255).map { PacketField("f\($0)", .boolean) }, []),
    ]

    @Test(arguments: faults)
    func `fields that cannot work are refused`(
        fault: PacketLayout.Fault, header: [PacketField], trailer: [PacketField]
    ) {
        #expect(throws: CodecError(.invalidLayout(fault))) { try PacketLayout(header: header, trailer: trailer) }
        #expect(!fault.description.isEmpty)
    }

    @Test(arguments: [Int.min, -1, 0, 1, 10, 11, .max])
    func `a varint of any width has a range`(maximumByteCount: Int) {
        let range = PacketField.Format.varint(maximumByteCount: maximumByteCount).range
        #expect(range.lowerBound == 0)
        #expect(range.upperBound <= Int128(UInt64.max))
    }

    @Test func `each preset has the header size and message IDs that it is known for`() {
        #expect(PacketLayout.standard.minimumPacketByteCount == 6)
        #expect(PacketLayout.standard.maximumMessageID == 65_535)
        #expect(PacketLayout.qsiop.minimumPacketByteCount == 6)
        #expect(PacketLayout.erlangPacket1.minimumPacketByteCount == 1)
        #expect(PacketLayout.erlangPacket4.hasMessageID == false)
    }

    @Test func `layouts with equal fields are equal`() throws {
        let same = try PacketLayout(header: PacketLayout.standard.header)
        #expect(same == .standard)
        #expect(same != .qsiop)
    }

    @Test func `a constant cannot be set, and a sequence number can`() throws {
        let goim = try #require(SampleLayout.all.first { $0.name == "goim" }).layout
        #expect(goim.sequenceField?.name == "sequence")
    }
}
