// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

/// A layout to run the same tests on, with an ID that it can carry.
struct SampleLayout: Sendable, CustomTestStringConvertible {
    var name: String
    var layout: PacketLayout
    var id: UInt64

    var testDescription: String { name }

    /// The presets, and one header of each other kind, common or unusual.
    static let all = constant + conditional

    /// Headers in which all fields are always there.
    private static let constant: [SampleLayout] = [
        SampleLayout(name: "standard", layout: .standard, id: 20_001),
        SampleLayout(name: "QSIOP", layout: .qsiop, id: 2),
        SampleLayout(name: "{packet, 1}", layout: .erlangPacket1, id: 0),
        SampleLayout(name: "{packet, 2}", layout: .erlangPacket2, id: 0),
        SampleLayout(name: "{packet, 4}", layout: .erlangPacket4, id: 0),
        make("two bytes each", [length(.uint16), id(.uint16)], 513),
        make(
            "goim",
            [
                length(.uint32), constant("header", .uint16, 16), value("version", .uint16, 1), id(.uint32),
                PacketField("sequence", .integer(.uint32, .bigEndian), .sequence),
            ], 7),
        make("type and 24-bit length", [id(.uint8), length(.uint24, of: .payload)], 4),
        make("little-endian", [length(.uint32, .littleEndian), id(.uint16, .littleEndian)], 0x1234),
        make("ID first", [id(.uint32), length(.uint32, of: .payload)], 70_000),
        make(
            "two IDs, two lengths",
            [
                length(.uint32), id(.uint16, name: "service"), id(.uint16, name: "command"),
                constant("version", .uint16, 1), value("reserved", .uint16, 1),
                length(.uint32, of: .payload, name: "data"),
            ], 0x0001_0002),
        make(
            "magic and checksum",
            [
                constant("magic", .uint32, 0xDECA_FBAD), id(.uint16), length(.uint32, of: .payload),
                PacketField("crc", .integer(.uint32, .bigEndian), .checksum),
            ], 9),
        make(
            "varint length",
            [id(.uint8), PacketField("length", .varint(maximumByteCount: 4), .length(of: .rest, plus: 0))], 0x30),
        make(
            "varint length that counts itself",
            [PacketField("length", .varint(maximumByteCount: 5), .length(of: .packet, plus: 0)), id(.uint8)], 1),
        make(
            "varint sequence after the length",
            [
                length(.uint16, of: .payload), PacketField("sequence", .varint(maximumByteCount: 10), .sequence),
                PacketField("flag", .boolean),
            ], 0),
        make(
            "MQTT",
            [
                PacketField("type", packed(4), .messageID), PacketField("dup", .bit), PacketField("qos", packed(2)),
                PacketField("retain", .bit),
                PacketField("remaining", .varint(maximumByteCount: 4), .length(of: .rest, plus: 0)),
            ], 3),
        make(
            "little-endian run with a length",
            [
                PacketField("start", packed(3, .littleEndian), .constant(5)),
                PacketField("size", packed(10, .littleEndian), .length(of: .rest, plus: 1)),
                PacketField("level", packed(3, .littleEndian, isSigned: true), .value(default: -1)),
                PacketField("high", packed(12), .messageID), PacketField("low", packed(20), .messageID),
            ], 0x1234_5678,
            trailer: [
                PacketField(
                    "sum", .integer(.uint8, .bigEndian),
                    .checksum(
                        PacketChecksum(.sum8, of: .parts(.field("level"), through: .field("high"))))),
                PacketField("filler", packed(7)), PacketField("end", .bit, .constant(1)),
            ]),
        make(
            "three varints",
            [
                PacketField("length", .varint(maximumByteCount: 3), .length(of: .packet, plus: 0)),
                PacketField("id", .varint(maximumByteCount: 2), .messageID),
                PacketField("extra", .varint(VarintFormat(.zigzag))),
                PacketField("rest", .varint(maximumByteCount: 3), .length(of: .rest, plus: 0)),
            ], 300),
        make(
            "length of the rest in the middle",
            [
                constant("transaction", .uint16, 1), constant("protocol", .uint16, 0), length(.uint16, of: .rest),
                id(.uint8),
            ], 3),
        make("signed length minus four", [length(.int32, plus: -4), id(.int16)], 65_535),
        make("signed 16-bit length", [length(.int16), id(.uint16), value("tail", .uint64, 0)], 5),
        make("signed 16-bit length and a constant", [length(.int16), constant("c", .uint16, 7), id(.uint32)], 5),
        make("64-bit ID", [length(.uint16), id(.uint64)], 0xFFFF_FFFF_FFFF_FFFE),
        make("length that counts two more", [length(.uint16, plus: 2, of: .payload), id(.uint16)], 5),
        make(
            "trailer",
            [constant("start", .uint8, 0x7E), length(.uint16), id(.uint16, .littleEndian)], 0x0102,
            trailer: [
                PacketField("crc", .integer(.uint32, .littleEndian), .checksum), constant("end", .uint8, 0x7F),
            ]),
        make(
            "ID and second length in the trailer", [length(.uint24, .littleEndian)], 0x0A0B,
            trailer: [id(.uint16), length(.uint8, of: .rest, name: "rest"), value("tail", .int24, -2)]),
    ]

    /// Headers in which fields may be absent; most of them have the first values of their conditions by default.
    private static let conditional: [SampleLayout] = [
        make(
            "JT/T 808",
            [
                id(.uint16), PacketField("versioned", .bit, .value(default: 1)), PacketField("split", .bit),
                PacketField("size", packed(14), .length(of: .payload, plus: 0)),
                PacketField("version", .integer(.uint8, .bigEndian), if: .isSet(.field("versioned"))),
                PacketField("terminal", .digits(byteCount: 10), if: .isSet(.field("versioned"))),
                PacketField("phone", .digits(byteCount: 6), if: .not(.isSet(.field("versioned")))),
                PacketField("serial", .integer(.uint16, .bigEndian), .sequence),
                PacketField("parts", .integer(.uint16, .bigEndian), if: .isSet(.field("split"))),
            ], 0x0200,
            trailer: [
                PacketField(
                    "check", .integer(.uint8, .bigEndian),
                    .checksum(PacketChecksum(.xor8, of: .parts(.field("id"), through: .payload))))
            ]),
        make(
            "MU Online",
            [
                value("kind", .uint8, 0xC1),
                PacketField(
                    "short", .integer(.uint8, .bigEndian), .length(of: .packet, plus: 0),
                    if: .compares(.field("kind"), .equal, 0xC1)),
                PacketField(
                    "long", .integer(.uint16, .bigEndian), .length(of: .packet, plus: 0),
                    if: .compares(.field("kind"), .equal, 0xC2)),
                id(.uint8),
            ], 0xF3),
        make(
            "an ID that goes on",
            [
                length(.uint16), PacketField("kind", .integer(.uint8, .bigEndian), .messageID),
                PacketField(
                    "extended", .integer(.uint16, .bigEndian), .messageID,
                    if: .compares(.field("kind"), .equal, 0xFF)),
            ], 0xFF_1234),
        make(
            "varints and a trailer with conditions",
            [
                PacketField("flags", .integer(.uint8, .bigEndian), .value(default: 3)),
                PacketField("size", .varint(maximumByteCount: 3), .length(of: .rest, plus: 0)),
                PacketField(
                    "time", .varint(maximumByteCount: 5), .value(default: 300),
                    if: .compares(.field("flags"), .sharesBit, 1)),
                id(.uint8),
            ], 6,
            trailer: [
                PacketField(
                    "crc", .integer(.uint32, .bigEndian), .checksum(PacketChecksum(.crc32)),
                    if: .compares(.field("flags"), .sharesBit, 2)),
                constant("end", .uint8, 0x7F),
            ]),
    ]

    private static func packed(
        _ bitWidth: Int, _ byteOrder: ByteOrder = .bigEndian, isSigned: Bool = false
    ) -> PacketField.Format {
        .integer(IntegerFormat(bitWidth: bitWidth, isSigned: isSigned), byteOrder)
    }

    private static func make(
        _ name: String, _ header: [PacketField], _ id: UInt64, trailer: [PacketField] = []
    ) -> SampleLayout {
        guard let layout = try? PacketLayout(header: header, trailer: trailer) else {
            preconditionFailure("\(name) is no layout")
        }
        return SampleLayout(name: name, layout: layout, id: id)
    }

    private static func length(
        _ format: IntegerFormat, _ byteOrder: ByteOrder = .bigEndian, plus constant: Int = 0,
        of base: PacketField.LengthBase = .packet, name: String = "length"
    ) -> PacketField {
        PacketField(name, .integer(format, byteOrder), .length(of: base, plus: constant))
    }

    private static func id(
        _ format: IntegerFormat, _ byteOrder: ByteOrder = .bigEndian, name: String = "id"
    ) -> PacketField {
        PacketField(name, .integer(format, byteOrder), .messageID)
    }

    private static func constant(_ name: String, _ format: IntegerFormat, _ value: Int128) -> PacketField {
        PacketField(name, .integer(format, .bigEndian), .constant(.integer(value)))
    }

    private static func value(_ name: String, _ format: IntegerFormat, _ value: Int128) -> PacketField {
        PacketField(name, .integer(format, .bigEndian), .value(default: .integer(value)))
    }
}
