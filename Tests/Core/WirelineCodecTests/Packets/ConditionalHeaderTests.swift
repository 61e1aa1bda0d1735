// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

/// Headers in which some fields are there only if a condition holds.
struct ConditionalHeaderTests {
    static let terminal: PacketHeader = {
        var header: PacketHeader = ["version": 1, "split": 1, "parts": 3]
        header[text: "terminal"] = "00000000013912345678"
        return header
    }()

    static let phone: PacketHeader = {
        var header: PacketHeader = ["versioned": 0, "serial": 7]
        header[text: "phone"] = "013912345678"
        return header
    }()

    static let golden: [(String, UInt64, PacketHeader, String, String, [String])] = [
        (
            "JT/T 808", 0x0200, terminal, "aa", "0200c001010000000001391234567800000003" + "aa5b",
            ["id", "versioned", "split", "size", "version", "terminal", "serial", "parts", "check"]
        ),
        (
            "JT/T 808", 0x0002, phone, "", "00020000013912345678000735",
            ["id", "versioned", "split", "size", "phone", "serial", "check"]
        ),
        ("MU Online", 0xF3, [:], "aa", "c104f3aa", ["kind", "short", "id"]),
        ("MU Online", 0xF3, ["kind": 0xC2], "aa", "c20005f3aa", ["kind", "long", "id"]),
        // No length is there, and so no payload.
        ("MU Online", 0xF3, ["kind": 0xC3], "", "c3f3", ["kind", "id"]),
        ("an ID that goes on", 0xFE, [:], "aa", "0004feaa", ["length", "kind"]),
        ("an ID that goes on", 0xFF_1234, [:], "aa", "0006ff1234aa", ["length", "kind", "extended"]),
        ("an ID that goes on", 0xFF_0000, [:], "", "0005ff0000", ["length", "kind", "extended"]),
        (
            "varints and a trailer with conditions", 6, [:], "616263", "030bac0206" + "616263" + "352441c27f",
            ["flags", "size", "time", "id", "crc", "end"]
        ),
        (
            "varints and a trailer with conditions", 6, ["flags": 0], "616263", "000506" + "616263" + "7f",
            ["flags", "size", "id", "end"]
        ),
        (
            "varints and a trailer with conditions", 6, ["flags": 1, "time": 7], "", "0103" + "07067f",
            ["flags", "size", "time", "id", "end"]
        ),
    ]

    @Test(arguments: golden)
    func `a packet has the fields whose conditions hold`(
        name: String, id: UInt64, header: PacketHeader, payload: String, hex: String, present: [String]
    ) throws {
        let layout = try #require(SampleLayout.all.first { $0.name == name }).layout
        let payload = try Hexadecimal.bytes(of: payload)
        let bytes = try layout.encode(id: id, header: header, payload: payload.span.bytes)
        #expect(Hexadecimal.text(of: bytes) == hex)
        let packet = try Packet(bytes.span.bytes, layout: layout)
        #expect(packet.id == id)
        #expect([UInt8](copying: packet.payload) == payload)
        let values = try layout.header(of: packet)
        #expect(values.fields.map(\.name) == present)
        #expect(header.fields.allSatisfy { values[value: $0.name] == $0.value })
        for pieces in everyCut(of: bytes + bytes) {
            #expect(Splitting(pieces, layout: layout).packets.map(\.bytes) == [bytes, bytes])
        }
    }

    static let refused: [(String, UInt64, PacketHeader, Int, CodecError)] = [
        ("JT/T 808", 1, ["parts": 3], 0, CodecError(.wrongPresence(isSet: true), path: "packet.parts")),
        (
            "JT/T 808", 1, ["versioned": 0, "version": 1], 0,
            CodecError(.wrongPresence(isSet: true), path: "packet.version")
        ),
        (
            "MU Online", 1, ["kind": 0xC3], 1,
            CodecError(.packetTooLong(length: 3, packetByteCount: 3, limit: 2))
        ),
        (
            "MU Online", 1, [:], 253,
            CodecError(.packetTooLong(length: 256, packetByteCount: 256, limit: 255), path: "packet.short")
        ),
        ("an ID that goes on", 0xFF, [:], 0, CodecError(.invalidMessageID(0xFF))),
        ("an ID that goes on", 0xFE_0000, [:], 0, CodecError(.invalidMessageID(0xFE_0000))),
    ]

    @Test(arguments: refused)
    func `a header that no packet can have is refused`(
        name: String, id: UInt64, header: PacketHeader, byteCount: Int, error: CodecError
    ) throws {
        let layout = try #require(SampleLayout.all.first { $0.name == name }).layout
        let payload = [UInt8](repeating: 0, count: byteCount)
        #expect(throws: error) { try layout.encode(id: id, header: header, payload: payload.span.bytes) }
    }

    static let broken: [(String, String, CodecError.Reason, Int, String)] = [
        // Both bytes of the header that are always there fit, those that the kind adds do not.
        ("MU Online", "c102f3", .lengthTooSmall(length: 2, minimum: 3), 1, ""),
        ("MU Online", "c2000305", .lengthTooSmall(length: 3, minimum: 4), 1, ""),
        ("an ID that goes on", "0003ff", .lengthTooSmall(length: 3, minimum: 5), 0, ""),
        ("an ID that goes on", "0004ffaa", .lengthTooSmall(length: 4, minimum: 5), 0, ""),
        ("varints and a trailer with conditions", "0001", .lengthTooSmall(length: 1, minimum: 2), 1, ""),
        ("varints and a trailer with conditions", "03050106616263", .lengthTooSmall(length: 5, minimum: 7), 1, ""),
        (
            "varints and a trailer with conditions", "000506" + "616263" + "7e",
            .wrongConstant(value: 0x7E, expected: 0x7F), 6, "packet.end"
        ),
        (
            "varints and a trailer with conditions", "030a0106" + "616263" + "352441c37f",
            .wrongChecksum(value: 0x3524_41C3, computed: 0x3524_41C2), 7, "packet.crc"
        ),
    ]

    @Test(arguments: broken)
    func `a length that leaves no room for the fields that are there is refused`(
        name: String, hex: String, reason: CodecError.Reason, offset: Int, path: String
    ) throws {
        let layout = try #require(SampleLayout.all.first { $0.name == name }).layout
        let bytes = try Hexadecimal.bytes(of: hex)
        for pieces in everyCut(of: bytes) {
            let error = Splitting(pieces, layout: layout).error
            #expect(error?.reason == reason)
            #expect(error?.offset == offset)
            #expect(error?.path == path)
        }
    }

    @Test func `a header without a length must fit into the limit`() throws {
        let layout = try #require(SampleLayout.all.first { $0.name == "MU Online" }).layout
        let bytes: [UInt8] = [0xC3, 1]
        #expect(Splitting(bytes, layout: layout, limit: 2).packets.map(\.bytes) == [bytes])
        let error = Splitting(bytes, layout: layout, limit: 1).error
        #expect(error?.reason == .packetTooLong(length: 2, packetByteCount: 2, limit: 1))
        #expect(error?.offset == 0)
    }

    @Test func `lengths that are there must agree`() throws {
        let layout = try PacketLayout(header: [
            PacketField("flags", .integer(.uint8, .bigEndian)),
            PacketField(
                "first", .integer(.uint8, .bigEndian), .length(of: .packet, plus: 0), if: .isSet(.field("flags"))),
            PacketField(
                "second", .integer(.uint8, .bigEndian), .length(of: .payload, plus: 0),
                if: .compares(.field("flags"), .greater, 1)),
        ])
        let payload: [UInt8] = [9]
        #expect(try layout.encode(id: 0, header: ["flags": 2], payload: payload.span.bytes) == [2, 4, 1, 9])
        let bad: [UInt8] = [2, 4, 0, 9]
        for pieces in everyCut(of: bad) {
            let error = Splitting(pieces, layout: layout).error
            #expect(error?.reason == .lengthMismatch(length: 0, expected: 1))
            #expect(error?.path == "packet.second")
        }
    }

    @Test func `the widest set of ID fields comes first, and then the one with earlier fields`() throws {
        func field(_ name: String, _ format: IntegerFormat, _ condition: WireCondition) -> PacketField {
            PacketField(name, .integer(format, .bigEndian), .messageID, if: condition)
        }
        let kind = WireCondition.Operand.field("kind")
        let layout = try PacketLayout(header: [
            PacketField("length", .integer(.uint16, .bigEndian), .length(of: .packet, plus: 0)),
            PacketField("kind", .integer(.uint8, .bigEndian)),
            field("a", .uint8, .compares(kind, .less, 2)), field("b", .uint8, .compares(kind, .greater, 0)),
            field("c", .uint16, .compares(kind, .equal, 3)),
        ])
        let none: [UInt8] = []
        let written = try (0..<4).map { try layout.encode(id: 5, header: ["kind": $0], payload: none.span.bytes) }
        #expect(written == [[0, 4, 0, 5], [0, 5, 1, 0, 5], [0, 4, 2, 5], [0, 6, 3, 0, 0, 5]])
    }
}
