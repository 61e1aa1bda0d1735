// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec

/// Texts in headers and trailers that have a default, are always the same, or are fixed by a message.
struct HeaderConstantTextTests {
    private let layout: PacketLayout

    init() throws {
        layout = try PacketLayout(
            header: [
                PacketField("magic", .text(byteCount: 4, padding: 0), .constant("ZBX")),
                PacketField("phone", .digits(byteCount: 2), .value(default: "0139")),
                PacketField("place", .text(byteCount: 3, padding: 0x20), .value(default: "é")),
                PacketField("flags", .integer(.uint8, .bigEndian)),
                PacketField("extra", .integer(.uint8, .bigEndian), if: .isSet(.field("flags"))),
                PacketField("qos", .integer(.uint8, .bigEndian)),
                PacketField("length", .integer(.uint8, .bigEndian), .length(of: .payload, plus: 0)),
            ], trailer: [PacketField("end", .text(byteCount: 10, padding: 0x2E), .constant("the end"))])
    }

    private static let packet = "5a425800" + "0139" + "c3a920" + "00" + "00" + "00" + "74686520656e642e2e2e"

    private func packet(_ replacing: Range<Int> = 0..<0, by other: String = "") throws -> [UInt8] {
        var bytes = try Hexadecimal.bytes(of: Self.packet)
        bytes.replaceSubrange(replacing, with: try Hexadecimal.bytes(of: other))
        return bytes
    }

    @Test func `defaults and constants are written and read`() throws {
        let bytes = try layout.encode(id: 0, payload: RawSpan())
        #expect(Hexadecimal.text(of: bytes) == Self.packet)
        let read = try layout.header(of: Packet(bytes.span.bytes, layout: layout))
        #expect(read[text: "magic"] == "ZBX")
        #expect(read[text: "phone"] == "0139")
        #expect(read[text: "place"] == "é")
        #expect(read[text: "end"] == "the end")
    }

    @Test func `a default gives way to the value that is set`() throws {
        let header = PacketHeader(values: ["phone": "0000", "place": ""])
        let bytes = try layout.encode(id: 0, header: header, payload: RawSpan())
        #expect(bytes[4..<9].elementsEqual([0, 0, 0x20, 0x20, 0x20]))
    }

    @Test(arguments: [
        (1..<2, "62", CodecError.Reason.wrongConstant(value: 0x62, expected: 0x42), 1, "packet.magic"),
        (0..<1, "ff", .wrongConstant(value: 0xFF, expected: 0x5A), 0, "packet.magic"),
        (3..<4, "44", .wrongConstant(value: 0x44, expected: 0), 3, "packet.magic"),
        (18..<19, "45", .wrongConstant(value: 0x45, expected: 0x64), 18, "packet.end"),
        (21..<22, "00", .wrongConstant(value: 0, expected: 0x2E), 21, "packet.end"),
    ])
    func `the first byte that differs from a constant is refused`(
        range: Range<Int>, other: String, reason: CodecError.Reason, offset: Int, path: String
    ) throws {
        let bytes = try packet(range, by: other)
        let whole = Splitting(bytes, layout: layout)
        #expect(whole.error?.reason == reason)
        #expect(whole.error?.offset == offset)
        #expect(whole.error?.path == path)
        #expect(Splitting(bytes.map { [$0] }, layout: layout).comparable == whole.comparable)
    }

    @Test func `what follows the NUL of a constant is not looked at`() throws {
        let layout = try PacketLayout(header: [
            PacketField("magic", .text(byteCount: 4, padding: 0), .constant("Z")),
            PacketField("length", .integer(.uint8, .bigEndian), .length(of: .payload, plus: 0)),
        ])
        let bytes = try Hexadecimal.bytes(of: "5a00ffff" + "00")
        #expect(Splitting(bytes, layout: layout).packets.map(\.bytes) == [bytes])
    }

    @Test func `a call of a browser is recognised by the constant that is missing`() throws {
        let error = Splitting(Array("GET / HTTP/1.1\r\n".utf8), layout: layout).error
        #expect(error?.misdirectedProtocol == .http)
        #expect(error?.bytes.count == 16)
    }

    @Test(arguments: 1...20) func `a constant of any width is read on every path`(byteCount: Int) throws {
        let text = String(String(repeating: "constant", count: 3).prefix(byteCount))
        let layout = try PacketLayout(header: [
            PacketField("magic", .text(byteCount: byteCount, padding: 0), .constant(.text(text))),
            PacketField("length", .integer(.uint16, .littleEndian), .length(of: .payload, plus: 0)),
        ])
        let bytes = try layout.encode(id: 0, payload: ([1, 2] as [UInt8]).span.bytes)
        #expect(bytes == Array(text.utf8) + [2, 0, 1, 2])
        let bounds = try layout.scan(bytes.span.bytes, limit: 100)
        #expect(bounds == .packet(try Packet(bytes.span.bytes, layout: layout).bounds))
        for index in 0..<byteCount {
            var wrong = bytes
            wrong[index] ^= 0x80
            #expect(Splitting(wrong, layout: layout).error?.offset == index)
        }
    }

    @Test func `a header that is written as one number has its texts`() throws {
        let layout = try PacketLayout(header: [
            PacketField("magic", .text(byteCount: 4, padding: 0), .constant("ZBXD")),
            PacketField("phone", .digits(byteCount: 2), .value(default: "0139")),
            PacketField("length", .integer(.uint16, .bigEndian), .length(of: .payload, plus: 0)),
            PacketField("id", .integer(.uint8, .bigEndian), .messageID),
        ])
        let payload: [UInt8] = [1]
        let quick = try layout.encode(id: 7, payload: payload.span.bytes)
        let slow = try layout.encode(
            id: 7, header: PacketHeader(values: ["phone": "0139"]), payload: payload.span.bytes)
        #expect(Hexadecimal.text(of: quick) == "5a425844" + "0139" + "0001" + "07" + "01")
        #expect(slow == quick)
        #expect(Splitting(quick, layout: layout).packets.map(\.id) == [7])
    }

    @Test func `a constant cannot be set`() {
        let header = PacketHeader(values: ["magic": "ZBX"])
        #expect(throws: CodecError(.invalidHeaderField("magic"))) {
            try layout.encode(id: 0, header: header, payload: RawSpan())
        }
    }

    @Test(arguments: [
        (PacketField("f", .text(byteCount: 2, padding: 0), .constant("abc")), PacketLayout.Fault.valueOutOfRange("f")),
        (PacketField("f", .text(byteCount: 2, padding: 0), .value(default: "a\0")), .valueOutOfRange("f")),
        (PacketField("f", .text(byteCount: 2, padding: 0x20), .constant("a ")), .valueOutOfRange("f")),
        (PacketField("f", .digits(byteCount: 1), .value(default: "1")), .valueOutOfRange("f")),
        (PacketField("f", .digits(byteCount: 1), .value(default: "1a")), .valueOutOfRange("f")),
        (PacketField("f", .digits(byteCount: 1), .constant("12")), .invalidText("f")),
        (PacketField("f", .text(byteCount: 2, padding: 0), .constant(0)), .invalidText("f")),
        (PacketField("f", .bytes(byteCount: 1), .constant(.bytes([1]))), .invalidText("f")),
        (PacketField("f", .bytes(byteCount: 1), .value(default: "1")), .invalidText("f")),
        (PacketField("f", .integer(.uint8, .bigEndian), .constant("1")), .valueOutOfRange("f")),
    ])
    func `a text that its field cannot hold makes no layout`(field: PacketField, fault: PacketLayout.Fault) {
        let length = PacketField("length", .integer(.uint8, .bigEndian), .length(of: .payload, plus: 0))
        #expect(throws: CodecError(.invalidLayout(fault))) { try PacketLayout(header: [length, field]) }
    }

    // MARK: Values that a message fixes

    private static let fixed = PacketHeader(values: ["phone": "0139", "place": "é", "qos": 0])

    @Test func `values that a message fixes are written`() throws {
        var header = PacketHeader(values: ["place": "é"])
        try layout.fix(Self.fixed, in: &header)
        #expect(header == PacketHeader(values: ["place": "é", "phone": "0139", "qos": 0]))
    }

    @Test(arguments: [
        ("phone", "0149", CodecError(.wrongConstant(value: 0x49, expected: 0x39), path: "packet.phone")),
        ("phone", "01", CodecError(.wrongDigitCount(count: 2, expected: 4), path: "packet.phone")),
        ("place", "a", CodecError(.wrongConstant(value: 0x61, expected: 0xC3), path: "packet.place")),
        ("place", "éa", CodecError(.wrongConstant(value: 0x61, expected: 0x20), path: "packet.place")),
        ("place", "e\u{301}", CodecError(.wrongConstant(value: 0x65, expected: 0xC3), path: "packet.place")),
        ("place", "four", CodecError(.tooLong(count: 4, limit: 3), path: "packet.place")),
        ("qos", "four", CodecError(.invalidHeaderField("qos"))),
    ])
    func `another value than a message fixes is refused`(name: String, text: String, error: CodecError) throws {
        var header = PacketHeader(name, .text(text))
        #expect(throws: error) { try layout.fix(Self.fixed, in: &header) }
    }

    @Test(arguments: [
        (5..<6, "49", CodecError(.wrongConstant(value: 0x49, expected: 0x39), offset: 5, path: "packet.phone")),
        (7..<8, "a8", CodecError(.wrongConstant(value: 0xA8, expected: 0xA9), offset: 7, path: "packet.place")),
        (8..<9, "61", CodecError(.wrongConstant(value: 0x61, expected: 0x20), offset: 8, path: "packet.place")),
        (10..<11, "07", CodecError(.wrongConstant(value: 7, expected: 0), offset: 10, path: "packet.qos")),
    ])
    func `another value than a message fixes is refused when it is read`(
        range: Range<Int>, other: String, error: CodecError
    ) throws {
        let bytes = try packet(range, by: other)
        let packet = try Packet(bytes.span.bytes, layout: layout)
        #expect(throws: error) { try layout.verify(Self.fixed, in: packet) }
    }

    @Test func `fields that are absent do not move the error`() throws {
        let bytes = try layout.encode(id: 0, header: ["flags": 1, "extra": 9, "qos": 7], payload: RawSpan())
        let packet = try Packet(bytes.span.bytes, layout: layout)
        let error = CodecError(.wrongConstant(value: 7, expected: 0), offset: 11, path: "packet.qos")
        #expect(throws: error) { try layout.verify(Self.fixed, in: packet) }
    }

    @Test func `values that a message fixes are accepted`() throws {
        let bytes = try packet()
        try layout.verify(Self.fixed, in: Packet(bytes.span.bytes, layout: layout))
    }
}
