// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

struct PacketDeclarationTests {
    @Test func `the packet of the seed is the default`() throws {
        let description = try describe(
            """
            packet {
                @length(packet) uint32 length = 1;     // counts every byte of the packet, itself included
                @id             uint16 id     = 2;
            }
            """)
        #expect(description.layout == .standard)
        #expect(description.packetFields.map(\.name) == ["length", "id"])
        #expect(description.packetFields[0].documentation == "counts every byte of the packet, itself included")
    }

    @Test func `the packet of QSIOP equals its preset`() throws {
        let description = try describe(
            "packet { @default(1) uint16 ver; @id uint16 op; @length(payload) uint16 propl; } message Cs_1 { properties prop; }"
        )
        #expect(description.layout == .qsiop)
    }

    @Test func `every role, width and byte order can be declared`() throws {
        let layout = try describe(
            """
            // The packet.
            packet {
                @length(packet - 4) @little uint32 total;
                @length(payload + 0x10) int24 data;
                @length(rest) uint16 rest;
                @constant(0xDECAFBAD) uint32 magic;
                @constant(-1) int8 minus;
                @constant(true) bool on;
                @default(2) uint64 version;
                @default(false) bool off;
                @sequence uint32 sequence;
                @id uint8 service;
                @id @max_bytes(2) varint command;
                uint16 plain;
                payload;
                @checksum(crc32) @little uint32 crc;
                @constant(0x7E) uint8 end;
            }
            """
        ).layout
        #expect(
            layout.header == [
                PacketField("total", .integer(.uint32, .littleEndian), .length(of: .packet, plus: -4)),
                PacketField("data", .integer(.int24, .bigEndian), .length(of: .payload, plus: 16)),
                PacketField("rest", .integer(.uint16, .bigEndian), .length(of: .rest, plus: 0)),
                PacketField("magic", .integer(.uint32, .bigEndian), .constant(0xDECA_FBAD)),
                PacketField("minus", .integer(.int8, .bigEndian), .constant(-1)),
                PacketField("on", .boolean, .constant(1)),
                PacketField("version", .integer(.uint64, .bigEndian), .value(default: 2)),
                PacketField("off", .boolean, .value(default: 0)),
                PacketField("sequence", .integer(.uint32, .bigEndian), .sequence),
                PacketField("service", .integer(.uint8, .bigEndian), .messageID),
                PacketField("command", .varint(maximumByteCount: 2), .messageID),
                PacketField("plain", .integer(.uint16, .bigEndian)),
            ])
        #expect(
            layout.trailer == [
                PacketField("crc", .integer(.uint32, .littleEndian), .checksum),
                PacketField("end", .integer(.uint8, .bigEndian), .constant(0x7E)),
            ])
    }

    @Test(
        arguments: [
            ("crc32", .checksum), ("crc32, payload", .checksum), ("xor8", .checksum(PacketChecksum(.xor8))),
            ("adler32, rest", .checksum(PacketChecksum(.adler32, of: .rest))),
            (
                "crc16_x25, length..payload",
                .checksum(PacketChecksum(.crc16X25, of: .parts(.field("length"), through: .payload)))
            ),
            (
                "sum8, payload..sum",
                .checksum(PacketChecksum(.sum8, of: .parts(.payload, through: .field("sum"))))
            ),
        ] as [(String, PacketField.Role)])
    func `a checksum has a kind and a range`(arguments: String, role: PacketField.Role) throws {
        let schema = "packet { @length(packet) uint32 length; payload; @checksum(\(arguments)) uint64 sum; }"
        #expect(try describe(schema).layout.trailer == [PacketField("sum", .integer(.uint64, .bigEndian), role)])
    }

    @Test func `options apply to the header, before or after it`() throws {
        let layout = try describe(
            "packet { @length(packet) uint32 a; @id @big uint16 b; payload; uint16 c; } option byte_order = little;"
        ).layout
        #expect(
            layout.fields.map(\.format) == [
                .integer(.uint32, .littleEndian), .integer(.uint16, .bigEndian), .integer(.uint16, .littleEndian),
            ])
    }

    @Test func `the byte order applies to the default header`() throws {
        let written = "packet { @length(packet) uint32 length; @id uint16 id; }"
        #expect(try describe(written).layout == .standard)
        let layout = try describe("option byte_order = little;").layout
        #expect(layout != .standard)
        #expect(try describe("option byte_order = little; " + written).layout == layout)
    }

    @Test func `fields may share bytes, and be enums or flags`() throws {
        let description = try describe(
            """
            flags Marks : uint16 { first = 1; }
            enum Kind : uint8 { none = 0; one = 1; }
            packet {
                @id uint4 type; bit dup; uint2 qos; @constant(true) bit retain;
                @length(rest) @max_bytes(4) varint remaining;
                @default(one) Kind kind; @little Marks marks;
                bcd[6] phone; @pad(0x20) char[4] name;
                payload;
                int7 filler; bit end;
            }
            """)
        #expect(
            description.layout.fields == [
                PacketField("type", .integer(IntegerFormat(bitWidth: 4, isSigned: false), .bigEndian), .messageID),
                PacketField("dup", .bit),
                PacketField("qos", .integer(IntegerFormat(bitWidth: 2, isSigned: false), .bigEndian)),
                PacketField("retain", .bit, .constant(1)),
                PacketField("remaining", .varint(maximumByteCount: 4), .length(of: .rest, plus: 0)),
                PacketField("kind", .integer(.uint8, .bigEndian), .value(default: 1)),
                PacketField("marks", .integer(.uint16, .littleEndian)),
                PacketField("phone", .digits(byteCount: 6)),
                PacketField("name", .text(byteCount: 4, padding: 0x20)),
                PacketField("filler", .integer(IntegerFormat(bitWidth: 7, isSigned: true), .bigEndian)),
                PacketField("end", .bit),
            ])
        let types = description.packetFields.map(\.type)
        #expect(types[5] == .enumeration(0, .bigEndian))
        #expect(types[6] == .flags(0, .littleEndian))
        #expect(types.compactMap(\.self).count == 2)
        #expect(description.layout.minimumPacketByteCount == 16)
    }

    @Test(arguments: [("0", 0), ("1", 1), ("false", 0), ("true", 1)])
    func `a bit is a number, too`(text: String, number: Int128) throws {
        let description = try describe(
            """
            packet {
                @constant(\(text)) bit fixed; @default(\(text)) bit usual; bit free; uint5 rest;
                @length(rest) uint16 size; @id uint8 id;
            }
            @id(1) @from(client) @header(free = \(text)) message A { @constant(\(text)) bit one; uint7 more; }
            """)
        #expect(description.layout.fields[0].role == .constant(.integer(number)))
        #expect(description.layout.fields[1].role == .value(default: .integer(number)))
        #expect(description.messages[0].headerValues.map(\.value) == [.integer(number)])
        #expect(description.messages[0].fields[0].role == .constant(.integer(number)))
    }

    @Test func `a field may be named payload`() throws {
        let layout = try describe("packet { @length(packet) uint32 payload; payload; uint8 packet; }").layout
        #expect(layout.fields.map(\.name) == ["payload", "packet"])
    }

    @Test(arguments: [
        ("@length(packet) uint8 length;", 255),
        ("@length(packet - 4) uint8 length;", 259),
        ("@length(packet + 4) uint8 length;", 251),
        ("@length(payload) uint8 length; @id uint16 id;", 258),
        ("uint8 before; @length(rest) uint8 length; @id uint16 id;", 257),
        ("@length(rest) int8 length;", 128),
        ("@length(rest) @max_bytes(1) varint length;", 128), ("@length(rest) @max_bytes(1) zigzag length;", 64),
        ("@length(packet) uint32 length; @length(payload) uint8 data;", 260),
        ("@length(packet) uint32 length;", 1_048_576),
    ])
    func `a narrow length field limits the packet`(fields: String, limit: Int) throws {
        #expect(try describe("packet { \(fields) }").options.maximumPacketByteCount == limit)
    }

    @Test func `options have the defaults of the seed, and each can be set`() throws {
        #expect(try describe("").options == ProtocolOptions())
        let options = try describe(
            """
            option byte_order = little; option string_count = uint8; option list_count = varint;
            option max_packet = 65536; option max_depth = 8; option trailing = reject; option properties = lenient;
            option varints = any;
            """
        ).options
        var expected = ProtocolOptions()
        expected.byteOrder = .littleEndian
        expected.stringCount = .uint8
        expected.listCount = .varint
        expected.maximumPacketByteCount = 65536
        expected.maximumDepth = 8
        expected.keepsTrailingBytes = false
        expected.hasStrictProperties = false
        expected.varintForms = .any
        #expect(options == expected)
    }

    @Test func `an option may be repeated with the same value`() throws {
        #expect(try describe("option max_depth = 16; option max_depth = 0x10;").options.maximumDepth == 16)
    }

    @Test(arguments: [
        "@if(form > 9 and not form == 12 and form < 14) @id uint8 more;",
        "@if(form > 65534) @id uint8 more;",
        // Too many numbers to try: nothing is decided.
        "@if(form & 0x8000 and form & 1) @id uint8 more;",
        "@if(form) uint8 next; @if(next == 3) @id uint8 more;",
    ])
    func `an ID that some packet can have is accepted`(fields: String) {
        let packet = "packet { @length(packet) uint8 size; uint16 form; @id uint8 id; \(fields) }\n"
        #expect(problems(packet + "@id(256) @from(both) message A {}") == "")
    }

    @Test(arguments: [
        "@if(sender == server or f) uint8 a;", "@if(not (sender != client)) uint8 a;", "@if(nested) uint8 a;",
        "@if(nested == false and sender == client) uint8 a;", "uint8 sender; @if(sender > 3) uint8 a;",
        "uint8 nested; @if(nested == 3) uint8 a;", "@if(sender == client or sender == server) uint8 a;",
        "@if(sender == client) uint8 g; @if(g > 3) uint8 a;",
    ])
    func `conditions about the sender are accepted`(fields: String) {
        let packet = "packet { @length(packet) uint8 size; uint8 f; \(fields) @id uint8 id; }\n"
        #expect(problems(packet + "@id(2) @from(both) message A {}") == "")
    }
}
