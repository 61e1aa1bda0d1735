// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Values whose prefix says that they are absent, in JSON: `@count(int32)`, `@size(zigzag)`.
struct NullableTranslationTests {
    private static let schema = """
        struct Item { uint8 kind; string name; }
        struct Value { @count(int32) bytes data; }
        union Body : uint8 { 1: uint16 number; 2: nothing; }
        message Cs_1 {
            @count(int16) @max(4) string text; @count(zigzag) uint16[] numbers; @size(int32) @little Item item;
            @size(int16) Body body; @utf16 @count(int16) string wide; Value[] values;
        }
        """

    private func translator() throws -> PacketTranslator { PacketTranslator(try describe(Self.schema)) }

    private func decode(_ hexadecimal: String) throws -> JSONValue? {
        let bytes = try Hexadecimal.bytes(of: hexadecimal)
        return try translator().decodePayload(bytes.span.bytes, asMessage: "Cs_1")?["fields"]
    }

    @Test(arguments: [
        (#"{"values":[]}"#, "ffff" + "01" + "ffffffff" + "ffff" + "ffff" + "0000"),
        (
            #"{"text":"","numbers":[],"wide":"","values":[{"data":""},{}]}"#,
            "0000" + "00" + "ffffffff" + "ffff" + "0000" + "0002" + "00000000" + "ffffffff"
        ),
        (
            #"""
            {"text":"ab","numbers":[7],"item":{"kind":1,"name":"c"},"body":{"number":2},"wide":"é",
             "values":[{"data":"AQI="}]}
            """#,
            "00026162" + "020007" + "04000000" + "01000163" + "0003010002" + "000100e9" + "0001" + "000000020102"
        ),
    ])
    func `a value is absent, empty or there`(json: String, hexadecimal: String) throws {
        let fields = try JSONValue(parsing: json)
        let bytes = try translator().encodePayload(message: "Cs_1", fields: fields)
        #expect(Hexadecimal.text(of: bytes) == hexadecimal)
        #expect(try decode(hexadecimal)?.description == fields.description)
    }

    @Test func `null is absent`() throws {
        let fields = try JSONValue(parsing: #"{"text":null,"item":null,"values":[]}"#)
        let bytes = try translator().encodePayload(message: "Cs_1", fields: fields)
        #expect(Hexadecimal.text(of: bytes) == "ffff01ffffffffffffffff0000")
    }

    @Test(arguments: [
        ("fffe", CodecError.Reason.outOfRange(value: -2, minimum: -1, maximum: 32_767), 0, "Cs_1.text"),
        ("8000", .outOfRange(value: -32_768, minimum: -1, maximum: 32_767), 0, "Cs_1.text"),
        ("0005", .tooLong(count: 5, limit: 4), 0, "Cs_1.text"),
        ("00046162", .truncated(needed: 4, available: 2), 2, "Cs_1.text"),
        ("ff", .truncated(needed: 2, available: 1), 0, "Cs_1.text"),
        ("ffff03", .outOfRange(value: -2, minimum: -1, maximum: 2_147_483_647), 2, "Cs_1.numbers"),
        (
            "ffffffffffff0f", .outOfRange(value: -2_147_483_648, minimum: -1, maximum: 2_147_483_647), 2,
            "Cs_1.numbers"
        ),
        ("ffffffffffff1f", .varintTooLong(maximumByteCount: 5), 2, "Cs_1.numbers"),
        ("ffff8100", .varintNotShortest, 2, "Cs_1.numbers"),
        ("fffffeffffff0f", .truncated(needed: 2, available: 0), 7, "Cs_1.numbers[0]"),
        (
            "ffff01feffffff", .outOfRange(value: -2, minimum: -1, maximum: 2_147_483_647), 3, "Cs_1.item"
        ),
        ("ffff01ffffff7f", .truncated(needed: 2_147_483_647, available: 0), 7, "Cs_1.item"),
        ("ffff0101000000", .truncated(needed: 1, available: 0), 7, "Cs_1.item"),
        (
            "ffff01ffffffffffffffff000180000000",
            .outOfRange(value: -2_147_483_648, minimum: -1, maximum: 2_147_483_647), 13, "Cs_1.values[0].data"
        ),
    ])
    func `a count that is none is refused at its prefix`(
        hexadecimal: String, reason: CodecError.Reason, offset: Int, path: String
    ) {
        #expect(throws: CodecError(reason, offset: offset, path: path)) { try decode(hexadecimal) }
    }

    @Test func `a longer form of -1 is read where the schema accepts it`() throws {
        let translator = PacketTranslator(
            try describe("option varints = any; message Cs_1 { @count(zigzag) string a; uint8 b; }"))
        let bytes = try Hexadecimal.bytes(of: "810007")
        let fields = try translator.decodePayload(bytes.span.bytes, asMessage: "Cs_1")?["fields"]
        #expect(fields?.description == #"{"b":7}"#)
    }

    @Test func `a value over the limit of its prefix is refused`() throws {
        let translator = PacketTranslator(try describe("message Cs_1 { @count(int16) string a; }"))
        let text = String(repeating: "a", count: 32_768)
        #expect(throws: TranslationError(.tooLong(count: 32_768, limit: 32_767), path: "Cs_1.a")) {
            try translator.encodePayload(message: "Cs_1", fields: ["a": .string(text)])
        }
    }

    @Test func `the annotation shows which values are absent`() throws {
        let description = try describe(
            "struct Item { uint8 kind; } "
                + "@id(1) message Cs_1 { @count(int16) string a; @count(int32) Item[] b; @size(int16) Item c; }")
        let payload = "ffff" + "ffffffff" + "ffff"
        let absent = try PacketAnnotationTests.annotate(description, "0000000e0001" + payload)
        #expect(
            PacketAnnotationTests.lines(absent).suffix(3) == [
                "6..<8(2) a = null", "8..<12(4) b = null", "12..<14(2) c = null",
            ])
        let there = try PacketAnnotationTests.annotate(
            description, "000000120001" + "000161" + "0000000105" + "00020700")
        #expect(
            PacketAnnotationTests.lines(there).suffix(6) == [
                #"6..<9(2) a = "a""#, "9..<13 b = 1 item", "13..<14 b[0].kind = 5", "14..<16 c = 2 bytes",
                "16..<17 c.kind = 7", "17..<18 c = 1 byte",
            ])
    }
}
