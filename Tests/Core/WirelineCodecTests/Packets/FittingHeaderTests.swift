// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec

/// Headers in which a field takes the first value with which the lengths can hold the packet, and bytes without a meaning.
struct FittingHeaderTests {
    private static func layout() throws -> PacketLayout {
        func isForm(_ value: Int128) -> WireCondition { .compares(.field("form"), .equal, value) }
        let byte = PacketField.Format.integer(.uint8, .bigEndian)
        return try PacketLayout(header: [
            PacketField("form", byte, .fitting([0, 0xC1, 0xC2])),
            PacketField("padding[0]", .bytes(byteCount: 2), .padding),
            PacketField("short", byte, .length(of: .packet, plus: 0), if: isForm(0xC1)),
            PacketField("long", .integer(.uint16, .bigEndian), .length(of: .packet, plus: 0), if: isForm(0xC2)),
            PacketField("id", byte, .messageID),
        ])
    }

    @Test(arguments: [
        (0, "000000" + "07"), (1, "c10000" + "0607aa"), (250, "c10000" + "ff07"), (251, "c20000" + "010107"),
    ])
    func `the first value is taken with which the lengths can hold the packet`(byteCount: Int, start: String) throws {
        let layout = try Self.layout()
        let payload = [UInt8](repeating: 0xAA, count: byteCount)
        let bytes = try layout.encode(id: 7, payload: payload.span.bytes)
        #expect(Hexadecimal.text(of: bytes).hasPrefix(start))
        let packet = try Packet(bytes.span.bytes, layout: layout)
        #expect([UInt8](copying: packet.payload) == payload)
        #expect(try layout.header(of: packet).fields.allSatisfy { $0.name != "padding[0]" })
    }

    @Test func `a value that is set is taken`() throws {
        let layout = try Self.layout()
        let none: [UInt8] = []
        let bytes = try layout.encode(id: 7, header: ["form": 0xC2], payload: none.span.bytes)
        #expect(Hexadecimal.text(of: bytes) == "c20000" + "000607")
        let one: [UInt8] = [1]
        #expect(throws: CodecError(.packetTooLong(length: 5, packetByteCount: 5, limit: 4))) {
            try layout.encode(id: 7, header: ["form": 5], payload: one.span.bytes)
        }
    }

    @Test func `a field that is absent takes no value`() throws {
        let byte = PacketField.Format.integer(.uint8, .bigEndian)
        let layout = try PacketLayout(header: [
            PacketField("kind", byte), PacketField("form", byte, .fitting([1, 2]), if: .isSet(.field("kind"))),
            PacketField("size", byte, .length(of: .payload, plus: 0)),
        ])
        let payload: [UInt8] = [9]
        #expect(try layout.encode(id: 0, payload: payload.span.bytes) == [0, 1, 9])
        #expect(try layout.encode(id: 0, header: ["kind": 1], payload: payload.span.bytes) == [1, 1, 1, 9])
    }

    @Test func `a packet that no value can hold has the last one's error`() throws {
        let layout = try Self.layout()
        let payload = [UInt8](repeating: 0, count: 65_530)
        let error = CodecError(
            .packetTooLong(length: 65_536, packetByteCount: 65_536, limit: 65_535), path: "packet.long")
        #expect(throws: error) { try layout.encode(id: 7, payload: payload.span.bytes) }
    }

    @Test func `bytes without a meaning are not looked at, and cannot be set`() throws {
        let layout = try Self.layout()
        let bytes: [UInt8] = [0xC1, 0xFF, 0xEE, 6, 7, 9]
        for pieces in everyCut(of: bytes) {
            #expect(Splitting(pieces, layout: layout).packets.map(\.payload) == [[9]])
        }
        let none: [UInt8] = []
        #expect(throws: CodecError(.invalidHeaderField("padding[0]"))) {
            try layout.encode(id: 7, header: ["padding[0]": 1], payload: none.span.bytes)
        }
    }
}
