// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Lists that end at a byte where an item would begin, in JSON: `@until(0)`.
struct TerminatorTranslationTests {
    /// Shapes of PostgreSQL, DNS and Minecraft.
    private static let schema = """
        option string_count = uint8;
        struct Parameter { @terminated string name; @terminated string value; }
        @id(1) @from(client) message Startup { @until(0) Parameter[] parameters; }
        struct Detail { uint8 code; @terminated string text; }
        @id(2) @from(server) message ErrorResponse { @until(0) Detail[] details; }
        union Authentication : uint32 {
            0: ok; 3: cleartext; 5: @size(4) bytes md5Salt; 10: @until(0) Mechanism[] sasl; 11: @rest bytes more;
        }
        struct Mechanism { @terminated string name; }
        @id(3) @from(server) message AuthenticationRequest { Authentication request; }
        struct Name { @until(0) string[] labels; }
        @id(4) @from(both) message Question { Name name; uint16 type; }
        union Data : varint { 0: uint8 byte; 1: varint32 number; 3: string text; }
        struct Entry { uint8 index; Data data; }
        @id(5) @from(server) message EntityMetadata { varint32 entity; @until(0xFF) Entry[] entries; uint8 more; }
        @id(6) @from(both) message Few { @until(';') @max(2) uint16[] few; }
        """

    private func translator() throws -> PacketTranslator { PacketTranslator(try describe(Self.schema)) }

    @Test(arguments: [
        ("Startup", #"{"parameters":[]}"#, "00"),
        (
            "Startup", #"{"parameters":[{"name":"user","value":"me"},{"name":"a","value":""}]}"#,
            "75736572006d6500610000" + "00"
        ),
        (
            "ErrorResponse", #"{"details":[{"code":83,"text":"ERROR"},{"code":77,"text":""}]}"#,
            "534552524f5200" + "4d00" + "00"
        ),
        ("AuthenticationRequest", #"{"request":{"sasl":[{"name":"SCRAM"}]}}"#, "0000000a" + "534352414d00" + "00"),
        ("AuthenticationRequest", #"{"request":{"md5Salt":"AQIDBA=="}}"#, "00000005" + "01020304"),
        ("Question", #"{"name":{"labels":["swift","org"]},"type":1}"#, "057377696674" + "036f7267" + "00" + "0001"),
        ("Question", #"{"name":{"labels":[]},"type":1}"#, "00" + "0001"),
        (
            "EntityMetadata",
            #"{"entity":7,"entries":[{"index":0,"data":{"byte":255}},{"index":2,"data":{"text":"a"}}],"more":1}"#,
            "07" + "0000ff" + "02030161" + "ff" + "01"
        ),
        ("Few", #"{"few":[1,15360]}"#, "00013c00" + "3b"),
    ])
    func `items are written before the byte that ends them, and read back`(
        message: String, json: String, bytes: String
    ) throws {
        let translator = try translator()
        let payload = try translator.encodePayload(message: message, fields: JSONValue(parsing: json))
        #expect(Hexadecimal.text(of: payload) == bytes)
        let span = payload.span
        let decoded = try translator.decodePayload(span.bytes, asMessage: message)
        #expect(try decoded?["fields"]?.description == JSONValue(parsing: json).description)
    }

    @Test(arguments: [
        (
            "Startup", #"{"parameters":[{"name":"a","value":"b"},{"name":"","value":"c"}]}"#,
            "parameters[1]: begins with 0x00, the byte that ends the list"
        ),
        (
            "ErrorResponse", #"{"details":[{"code":0,"text":"x"}]}"#,
            "details[0]: begins with 0x00, the byte that ends the list"
        ),
        (
            "AuthenticationRequest", #"{"request":{"sasl":[{"name":""}]}}"#,
            "request.sasl[0]: begins with 0x00, the byte that ends the list"
        ),
        (
            "Question", #"{"name":{"labels":["a",""]},"type":1}"#,
            "name.labels[1]: begins with 0x00, the byte that ends the list"
        ),
        (
            "EntityMetadata", #"{"entity":7,"entries":[{"index":255,"data":{"byte":1}}],"more":1}"#,
            "entries[0]: begins with 0xFF, the byte that ends the list"
        ),
        ("Few", #"{"few":[15104]}"#, "few[0]: begins with 0x3B, the byte that ends the list"),
        ("Few", #"{"few":[1,2,3]}"#, "few: 3 is over the limit of 2"),
    ])
    func `an item that begins with the byte is refused`(message: String, json: String, text: String) throws {
        let translator = try translator()
        let error = #expect(throws: TranslationError.self) {
            try translator.encodePayload(message: message, fields: JSONValue(parsing: json))
        }
        #expect(error?.description.hasSuffix(text) == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        ("Startup", "", "Startup.parameters: needs 1 byte at offset 0, 0 are left"),
        ("Startup", "61006200", "Startup.parameters: needs 1 byte at offset 4, 0 are left"),
        ("Startup", "610062", "Startup.parameters[0].value: the string at offset 2 has no terminating NUL"),
        (
            "AuthenticationRequest", "0000000a6100",
            "AuthenticationRequest.request.sasl: needs 1 byte at offset 6, 0 are left"
        ),
        ("Question", "0161", "Question.name.labels: needs 1 byte at offset 2, 0 are left"),
        ("Question", "0261", "Question.name.labels[0]: needs 2 bytes at offset 1, 1 is left"),
        ("EntityMetadata", "07000009", "EntityMetadata.entries: needs 1 byte at offset 4, 0 are left"),
        ("Few", "0001000200033b", "Few.few: 3 is over the limit of 2 at offset 4"),
    ])
    func `a list that is cut is refused`(message: String, bytes: String, text: String) throws {
        let translator = try translator()
        let payload = try Hexadecimal.bytes(of: bytes)
        let error = #expect(throws: CodecError.self) {
            let span = payload.span
            _ = try translator.decodePayload(span.bytes, asMessage: message)
        }
        #expect(error?.description == text)
    }

    @Test func `the byte has a part of its own in annotations`() throws {
        let translator = try translator()
        let line = try JSONValue(
            parsing: #"{"message":"ErrorResponse","fields":{"details":[{"code":83,"text":"a"}]}}"#)
        let packet = try translator.encode(line: line)
        let span = packet.span
        let annotation = try translator.annotate(span.bytes, preferring: .server)
        let part = try #require(annotation.parts.last)
        #expect(part.kind == .terminator)
        #expect(part.path == "details")
        #expect(part.text == "end of 1 item")
        #expect(part.range == packet.count - 1..<packet.count)
    }
}
