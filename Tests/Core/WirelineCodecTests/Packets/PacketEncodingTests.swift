// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

struct PacketEncodingTests {
    static let golden: [(String, UInt64, PacketHeader, String, String)] = [
        ("standard", 20_001, [:], "0100000002", "0000000b4e210100000002"),
        ("standard", 65_535, [:], "", "00000006ffff"),
        ("QSIOP", 2, [:], "6162", "0001000200026162"),
        ("QSIOP", 2, ["ver": 7], "", "000700020000"),
        ("{packet, 1}", 0, [:], "0102", "020102"),
        ("{packet, 2}", 0, [:], "", "0000"),
        ("{packet, 4}", 0, [:], "09", "0000000109"),
        ("two bytes each", 513, [:], "aa", "00050201aa"),
        ("goim", 7, ["sequence": 258], "", "00000010001000010000000700000102"),
        ("type and 24-bit length", 4, [:], "aabb", "04000002aabb"),
        ("little-endian", 0x1234, [:], "aa", "070000003412aa"),
        ("two IDs, two lengths", 0x0001_0002, [:], "ff", "0000001100010002000100010000" + "0001" + "ff"),
        // zlib.crc32(b"123456789") is CBF43926.
        ("magic and checksum", 9, [:], "313233343536373839", "decafbad000900000009cbf43926313233343536373839"),
        ("magic and checksum", 9, [:], "", "decafbad00090000000000000000"),
        ("varint length", 0x30, [:], "aa", "3001aa"),
        (
            "varint length", 0x30, [:], String(repeating: "aa", count: 128),
            "308001" + String(repeating: "aa", count: 128)
        ),
        (
            "varint length that counts itself", 1, [:], String(repeating: "00", count: 125),
            "7f01" + String(repeating: "00", count: 125)
        ),
        (
            "varint length that counts itself", 1, [:], String(repeating: "00", count: 126),
            "810101" + String(repeating: "00", count: 126)
        ),
        ("varint sequence after the length", 0, ["sequence": 300, "flag": 1], "bb", "0001ac0201bb"),
        // PUBLISH with QoS 1 (MQTT 3.1.1 §3.3.1), and again.
        ("MQTT", 3, ["qos": 1], "aa", "3201aa"),
        ("MQTT", 3, ["qos": 1, "dup": 1, "retain": 1], "", "3b00"),
        // 101 0000001001 111 is A04F, with its low byte first.
        ("little-endian run with a length", 0x1234_5678, [:], "aabb", "4fa012345678" + "aabb" + "0301"),
        ("little-endian run with a length", 0x1234_5678, ["level": 3, "filler": 64], "", "3ba012345678" + "ef81"),
        ("three varints", 300, ["extra": -1], "bb", "06ac020101bb"),
        // The length's own second byte makes it 129.
        (
            "three varints", 300, ["extra": 64], String(repeating: "00", count: 122),
            "8101ac0280017a" + String(repeating: "00", count: 122)
        ),
        (
            "three varints", 1, [:], String(repeating: "00", count: 123),
            "7f01007b" + String(repeating: "00", count: 123)
        ),
        ("length of the rest in the middle", 3, [:], "cc", "00010000000203cc"),
        ("signed length minus four", 65_535, [:], "", "00000002ffff"),
        ("64-bit ID", 0xFFFF_FFFF_FFFF_FFFE, [:], "", "000afffffffffffffffe"),
        ("length that counts two more", 5, [:], "dd", "00030005dd"),
        ("trailer", 0x0102, [:], "313233343536373839", "7e00130201" + "313233343536373839" + "2639f4cb7f"),
        ("ID and second length in the trailer", 0x0A0B, [:], "ee", "0a0000ee0a0b03fffffe"),
    ]

    @Test(arguments: golden)
    func `a packet is encoded to its bytes and decoded back`(
        name: String, id: UInt64, header: PacketHeader, payload: String, hex: String
    ) throws {
        let layout = try #require(SampleLayout.all.first { $0.name == name }).layout
        let payload = try Hexadecimal.bytes(of: payload)
        let bytes = try layout.encode(id: id, header: header, payload: payload.span.bytes)
        #expect(Hexadecimal.text(of: bytes) == hex)
        let packet = try Packet(bytes.span.bytes, layout: layout)
        let result = PacketCopy(id: packet.id, bytes: bytes, payload: [UInt8](copying: packet.payload))
        #expect(result == PacketCopy(id: id, bytes: bytes, payload: payload))
        let values = try layout.header(of: packet)
        #expect(header.fields.allSatisfy { values[value: $0.name] == $0.value })
        #expect(values.fields.map(\.name) == layout.fields.map(\.name))
    }

    @Test func `every field of the header can be read`() throws {
        let layout = try #require(SampleLayout.all.first { $0.name == "trailer" }).layout
        let none: [UInt8] = []
        let bytes = try layout.encode(id: 0x0102, payload: none.span.bytes)
        let values = try layout.header(of: Packet(bytes.span.bytes, layout: layout))
        #expect(values == ["start": 0x7E, "length": 10, "id": 0x0102, "crc": 0, "end": 0x7F])
    }

    /// With a varint of one byte the packet would have three bytes, one fewer than the length can express.
    @Test func `a length is checked after the width of the varint beside it is known`() throws {
        let layout = try PacketLayout(header: [
            PacketField("length", .integer(.uint8, .bigEndian), .length(of: .packet, plus: -4)),
            PacketField("sequence", .varint(maximumByteCount: 10), .sequence),
            PacketField("id", .integer(.uint8, .bigEndian), .messageID),
        ])
        let none: [UInt8] = []
        let bytes = try layout.encode(id: 7, header: ["sequence": 300], payload: none.span.bytes)
        #expect(bytes == [0, 0xAC, 2, 7])
        #expect(throws: CodecError(.lengthTooSmall(length: -1, minimum: 0), path: "packet.length")) {
            try layout.encode(id: 7, header: ["sequence": 1], payload: none.span.bytes)
        }
    }

    /// In one byte -1 would be the length of the shorter packet, in five bytes 3 that of the longer one.
    @Test func `a length that is a varint is never negative`() throws {
        for encoding in [VarintFormat.Encoding.zigzag, .signed32, .signed64] {
            let layout = try PacketLayout(header: [
                PacketField("length", .varint(VarintFormat(encoding)), .length(of: .packet, plus: -3)),
                PacketField("id", .integer(.uint8, .bigEndian), .messageID),
            ])
            let none: [UInt8] = []
            #expect(throws: CodecError(.lengthTooSmall(length: -1, minimum: 0), path: "packet.length")) {
                try layout.encode(id: 7, payload: none.span.bytes)
            }
            let negative: [UInt8] = encoding == .zigzag ? [0x01, 7] : [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 7]
            #expect(throws: CodecError.self) { try layout.scan(negative.span.bytes, limit: 100) }
            let one: [UInt8] = [9]
            #expect(try layout.encode(id: 7, payload: one.span.bytes) == [0, 7, 9])
            let long = [UInt8](repeating: 0, count: 126)
            let bytes = try layout.encode(id: 7, payload: long.span.bytes)
            #expect(bytes.starts(with: encoding == .zigzag ? [0xFC, 0x01, 7] : [0x7D, 7]))
            #expect(try Self.bounds(bytes, layout)?.packetByteCount == bytes.count)
        }
    }

    @Test func `an ID in signed varints keeps its bits`() throws {
        for encoding in VarintFormat.Encoding.allCases {
            let layout = try PacketLayout(header: [
                PacketField("length", .integer(.uint16, .bigEndian), .length(of: .packet, plus: 0)),
                PacketField("group", .integer(.uint8, .bigEndian), .messageID),
                PacketField("id", .varint(VarintFormat(encoding, maximumByteCount: 5)), .messageID),
            ])
            let none: [UInt8] = []
            for id: UInt64 in [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, layout.maximumMessageID] {
                let bytes = try layout.encode(id: id, payload: none.span.bytes)
                #expect(try Self.bounds(bytes, layout)?.id == id)
            }
        }
    }

    private static func bounds(_ bytes: [UInt8], _ layout: PacketLayout) throws -> PacketBounds? {
        guard case .packet(let bounds) = try layout.scan(bytes.span.bytes, limit: 1000) else { return nil }
        return bounds
    }

    static let refused: [(String, UInt64, PacketHeader, Int, CodecError)] = [
        ("standard", 65_536, [:], 0, CodecError(.invalidMessageID(65_536))),
        ("{packet, 2}", 1, [:], 0, CodecError(.invalidMessageID(1))),
        ("goim", 7, ["PacketLength": 7], 0, CodecError(.invalidHeaderField("PacketLength"))),
        ("goim", 7, ["length": 7], 0, CodecError(.invalidHeaderField("length"))),
        ("goim", 7, ["header": 16], 0, CodecError(.invalidHeaderField("header"))),
        ("goim", 7, ["id": 7], 0, CodecError(.invalidHeaderField("id"))),
        (
            "goim", 7, ["version": 65_536], 0,
            CodecError(.outOfRange(value: 65_536, minimum: 0, maximum: 65_535), path: "packet.version")
        ),
        (
            "{packet, 1}", 0, [:], 256,
            CodecError(.packetTooLong(length: 256, packetByteCount: 257, limit: 256), path: "packet.length")
        ),
        (
            "standard", 1, [:], 1 << 20,
            CodecError(.packetTooLong(length: 1_048_582, packetByteCount: 1_048_582, limit: 1_048_576))
        ),
    ]

    @Test(arguments: refused)
    func `values that do not fit the header are refused`(
        name: String, id: UInt64, header: PacketHeader, byteCount: Int, error: CodecError
    ) throws {
        let layout = try #require(SampleLayout.all.first { $0.name == name }).layout
        let payload = [UInt8](repeating: 0, count: byteCount)
        #expect(throws: error) { try layout.encode(id: id, header: header, payload: payload.span.bytes) }
    }

    @Test(arguments: [(255, true), (256, false), (65_535, true), (65_536, false)])
    func `a length field can hold its largest number and no more`(byteCount: Int, fits: Bool) {
        let layout: PacketLayout = byteCount < 1_000 ? .erlangPacket1 : .erlangPacket2
        let payload = [UInt8](repeating: 1, count: byteCount)
        let bytes = try? layout.encode(id: 0, payload: payload.span.bytes)
        #expect((bytes != nil) == fits)
        #expect(bytes.map { Splitting($0, layout: layout).packets.map(\.payload) } == (fits ? [payload] : nil))
    }
}

struct PacketDecodingTests {
    static let broken: [(String, String, CodecError.Reason)] = [
        ("goim", "00000010001100010000000700000000", .wrongConstant(value: 17, expected: 16)),
        ("two IDs, two lengths", "0000001100010002000100010000000200", .lengthMismatch(length: 2, expected: 1)),
        ("magic and checksum", "decafbad0009000000010000000061", .wrongChecksum(value: 0, computed: 0xE8B7_BE43)),
        ("magic and checksum", "decafbae00", .wrongConstant(value: 0xDECA_FBAE, expected: 0xDECA_FBAD)),
        ("trailer", "7e000a0201000000007e", .wrongConstant(value: 0x7E, expected: 0x7F)),
        ("trailer", "7f", .wrongConstant(value: 0x7F, expected: 0x7E)),
        ("varint length", "30ffffffff01", .varintTooLong(maximumByteCount: 4)),
        ("varint length", "308000", .varintNotShortest),
        ("varint length that counts itself", "01", .lengthTooSmall(length: 1, minimum: 2)),
        ("varint sequence after the length", "00000002", .invalidBoolean(2)),
        ("ID and second length in the trailer", "0a0000ee0a0b04fffffe", .lengthMismatch(length: 4, expected: 3)),
        ("signed length minus four", "ffffffff0001", .lengthTooSmall(length: -1, minimum: 2)),
        ("length that counts two more", "00010005", .lengthTooSmall(length: 1, minimum: 2)),
    ]

    @Test(arguments: broken)
    func `a packet that breaks its layout is refused, however it is split`(
        name: String, hex: String, reason: CodecError.Reason
    ) throws {
        let layout = try #require(SampleLayout.all.first { $0.name == name }).layout
        let bytes = try Hexadecimal.bytes(of: hex)
        let different = everyCut(of: bytes).filter { pieces in
            let splitting = Splitting(pieces, layout: layout, isFinished: false)
            return splitting.error?.reason != reason || !splitting.packets.isEmpty
        }
        #expect(different.isEmpty)
    }

    @Test(arguments: ["signed 16-bit length", "signed 16-bit length and a constant"])
    func `a negative length is not read as a large one`(name: String) throws {
        let layout = try #require(SampleLayout.all.first { $0.name == name }).layout
        let bytes: [UInt8] = [0xFF, 0xFF, 0, 7] + [UInt8](repeating: 0, count: 65_531)
        let negative = CodecError.Reason.lengthTooSmall(length: -1, minimum: Int128(layout.minimumPacketByteCount))
        #expect(Splitting(bytes, layout: layout).error?.reason == negative)
        #expect(reason(of: bytes, layout) == negative)
    }

    @Test func `bytes that are not exactly one packet are refused`() {
        let packet: [UInt8] = [0, 0, 0, 8, 0x4E, 0x21, 1, 2]
        let cut = packet.indices.map { reason(of: Array(packet.prefix($0))) }
        let isTruncated = cut.map { reason in
            if case .truncated = reason { true } else { false }
        }
        #expect(isTruncated == Array(repeating: true, count: 8))
        #expect(reason(of: packet) == nil)
        #expect(reason(of: packet + [0]) == .trailingBytes(count: 1))
    }

    private func reason(of bytes: [UInt8], _ layout: PacketLayout = .standard) -> CodecError.Reason? {
        do throws(CodecError) {
            _ = try Packet(bytes.span.bytes, layout: layout).id
            return nil
        } catch {
            return error.reason
        }
    }

    static let misdirectedProtocols: [(String, PacketLayout, CodecError.MisdirectedProtocol)] = [
        ("474554202f20485454502f312e31", .standard, .http),
        ("48545450", .standard, .http),
        ("504f5354", .standard, .http),
        ("16030100a50100", .standard, .tls),
        ("5353482d322e302d4f", .standard, .ssh),
        ("3c706f6c6963792d66696c652d726571756573742f3e00", .standard, .flashPolicyRequest),
        ("50524f58592054435034", .standard, .proxyProtocol),
        ("0d0000004e21", .standard, .otherByteOrder(length: 13)),
    ]

    @Test(arguments: misdirectedProtocols)
    func `a foreign stream is recognised by its first bytes`(
        hex: String, layout: PacketLayout, misdirectedProtocol: CodecError.MisdirectedProtocol
    ) throws {
        let splitting = Splitting(try Hexadecimal.bytes(of: hex), layout: layout, isFinished: false)
        #expect(splitting.error?.misdirectedProtocol == misdirectedProtocol)
    }

    /// A TLS server's answer to plain packets. Its first bytes happen to be a valid length.
    @Test func `a foreign stream that ends inside its first supposed packet is recognised, too`() throws {
        let alert: [UInt8] = [0x15, 3, 3, 0, 2, 2, 0x28]
        let layout = try PacketLayout(
            header: [
                PacketField("length", .integer(.uint16, .bigEndian), .length(of: .packet, plus: 0)),
                PacketField("id", .integer(.uint16, .bigEndian), .messageID),
            ])
        let error = Splitting(alert, layout: layout, isFinished: true).error
        #expect(error?.reason == .endOfStream(received: 7, needed: 0x1503 - 7))
        #expect(error?.misdirectedProtocol == .tls)
        var splitter = PacketSplitter(layout: layout)
        let bytes = alert.span.bytes
        #expect(try splitter.packet(in: bytes, at: 0) == nil)
        #expect(splitter.endOfStream(in: bytes) == error)
    }

    @Test func `bytes that look like no known protocol get no guess`() {
        let splitting = Splitting([0xFF, 0xFE, 0xFD, 0xFC, 0, 1], layout: .standard, isFinished: false)
        #expect(splitting.error?.misdirectedProtocol == nil)
        #expect(splitting.error != nil)
    }
}
