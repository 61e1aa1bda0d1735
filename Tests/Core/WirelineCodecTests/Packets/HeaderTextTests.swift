// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec

/// Text, digits and bytes in headers and trailers.
struct HeaderTextTests {
    private let layout: PacketLayout

    init() throws {
        layout = try PacketLayout(
            header: [
                PacketField("name", .text(byteCount: 4, padding: 0x20)), PacketField("phone", .digits(byteCount: 2)),
                PacketField("length", .integer(.uint8, .bigEndian), .length(of: .rest, plus: 0)),
                PacketField("key", .bytes(byteCount: 2)), PacketField("id", .integer(.uint8, .bigEndian), .messageID),
            ], trailer: [PacketField("end", .text(byteCount: 3, padding: 0))])
    }

    @Test func `text, digits and bytes are written and read`() throws {
        var header = PacketHeader()
        header[text: "name"] = "ab"
        header[text: "phone"] = "0139"
        header[bytes: "key"] = [0xAA, 0xBB]
        header[text: "end"] = "z"
        let bytes = try layout.encode(id: 5, header: header, payload: [1 as UInt8].span.bytes)
        #expect(Hexadecimal.text(of: bytes) == "61622020" + "0139" + "07" + "aabb" + "05" + "01" + "7a0000")
        let read = try layout.header(of: Packet(bytes.span.bytes, layout: layout))
        #expect(read.fields.map(\.name) == ["name", "phone", "length", "key", "id", "end"])
        #expect(header.fields.allSatisfy { read[value: $0.name] == $0.value })
        #expect(read["length"] == 7)
        #expect(read["name"] == nil)
    }

    @Test func `without values, fields are filled`() throws {
        let bytes = try layout.encode(id: 5, payload: RawSpan())
        #expect(Hexadecimal.text(of: bytes) == "20202020" + "0000" + "06" + "0000" + "05" + "000000")
    }

    static let refusals: [(String, PacketHeader.FieldValue, CodecError)] = [
        ("name", .text("abcde"), CodecError(.tooLong(count: 5, limit: 4), path: "packet.name")),
        ("name", .text("a "), CodecError(.endsInPadding(0x20), path: "packet.name")),
        ("end", .text("a\u{0}"), CodecError(.embeddedTerminator, path: "packet.end")),
        ("phone", .text("123"), CodecError(.wrongDigitCount(count: 3, expected: 4), path: "packet.phone")),
        ("phone", .text("12a4"), CodecError(.invalidDigit(0x61), path: "packet.phone")),
        ("key", .bytes([1]), CodecError(.wrongItemCount(count: 1, expected: 2), path: "packet.key")),
        ("name", .integer(1), CodecError(.invalidHeaderField("name"))),
        ("id", .text("a"), CodecError(.invalidHeaderField("id"))),
    ]

    @Test(arguments: refusals)
    func `values that do not fit are refused`(name: String, value: PacketHeader.FieldValue, error: CodecError) {
        var header = PacketHeader()
        header[value: name] = value
        #expect(throws: error) { try layout.encode(id: 5, header: header, payload: RawSpan()) }
    }

    @Test(arguments: [
        (
            "c3202020" + "0000" + "06" + "0000" + "05" + "000000", CodecError.Reason.invalidUTF8(.truncated), 0,
            "packet.name"
        ),
        ("20202020" + "000a" + "06" + "0000" + "05" + "000000", .invalidDigit(0x0A), 5, "packet.phone"),
        ("20202020" + "0000" + "06" + "0000" + "05" + "80ffff", .invalidUTF8(.unexpectedByte), 10, "packet.end"),
    ])
    func `bytes that are no text are refused at once`(
        hex: String, reason: CodecError.Reason, offset: Int, path: String
    ) throws {
        let bytes = try Hexadecimal.bytes(of: hex)
        let whole = Splitting(bytes, layout: layout)
        #expect(whole.error?.reason == reason)
        #expect(whole.error?.offset == offset)
        #expect(whole.error?.path == path)
        #expect(Splitting(bytes.map { [$0] }, layout: layout).comparable == whole.comparable)
    }
}
