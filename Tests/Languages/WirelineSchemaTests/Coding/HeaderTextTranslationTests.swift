// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Texts of the header that have a default, are always the same, or are fixed by a message, in JSON.
struct HeaderTextTranslationTests {
    private let translator: PacketTranslator

    init() throws {
        translator = PacketTranslator(
            try describe(
                """
                packet {
                    @constant("WIRE") char[4] magic; @length(payload) uint8 length; @id uint8 id;
                    @default("0139") bcd[2] phone; @default("é") char[3] place;
                }
                @id(1) @from(both) message Text { @rest string text; }
                @id(2) @from(both) @header(phone = "0001", place = "") message Alarm {}
                """))
    }

    private func encode(_ line: String) throws -> String {
        Hexadecimal.text(of: try translator.encode(line: JSONValue(parsing: line)))
    }

    @Test(arguments: [
        (#"{"message":"Text","fields":{"text":"a"}}"#, "57495245" + "01" + "01" + "0139" + "c3a900" + "61"),
        (
            #"{"message":"Text","header":{"magic":"WIRE","phone":"0002","place":"z"},"fields":{"text":""}}"#,
            "57495245" + "00" + "01" + "0002" + "7a0000"
        ),
        (#"{"message":"Alarm","fields":{}}"#, "57495245" + "00" + "02" + "0001" + "000000"),
        (
            #"{"message":"Alarm","header":{"phone":"0001","place":""},"fields":{}}"#,
            "57495245" + "00" + "02" + "0001" + "000000"
        ),
    ])
    func `texts are written`(line: String, hex: String) throws {
        #expect(try encode(line) == hex)
    }

    @Test func `a header shows all of its texts`() throws {
        let packet = try Hexadecimal.bytes(of: "57495245" + "00" + "02" + "0001" + "000000")
        let line = try translator.decode(packet.span.bytes, from: .client)
        #expect(
            line["header"]?.description == #"{"magic":"WIRE","length":0,"id":2,"phone":"0001","place":""}"#)
    }

    @Test(arguments: [
        (
            #"{"message":"Text","header":{"magic":"WIFE"},"fields":{"text":""}}"#,
            #"Text.header.magic: "WIFE", but this packet has "WIRE""#
        ),
        (
            #"{"message":"Text","header":{"place":1},"fields":{"text":""}}"#,
            "Text.header.place: a string is needed, not a number"
        ),
    ])
    func `texts that cannot be are refused`(line: String, text: String) throws {
        let error = #expect(throws: TranslationError.self) { try encode(line) }
        #expect(error?.description == text)
    }
}
