// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineLayers
import WirelineSchema

/// Header fields inside of layers, counts of their contents, and keys.
struct LayeredHeaderTests {
    private func translator(
        _ schema: String, keys: KeyValuePairs<String, [UInt8]> = [:]
    ) throws -> PacketTranslator {
        var translator = PacketTranslator(try describe(schema, warns: true))
        for (name, bytes) in keys {
            try translator.layers.setKey(name, bytes, in: translator.description.layout)
        }
        return translator
    }

    private func encode(_ line: String, _ translator: PacketTranslator) throws -> [UInt8] {
        try translator.encode(line: JSONValue(parsing: line), from: .client)
    }

    private func decode(_ hex: String, _ translator: PacketTranslator) throws -> String {
        let bytes = try Hexadecimal.bytes(of: hex)
        return try translator.decode(bytes.span.bytes, from: .client).description
    }

    // MARK: Ciphers

    private static let game = """
        option byte_order = little;
        packet {
            @length(packet) uint16 size;
            layer xor(session);
            @id uint16 opcode;
            @length(payload) uint8 used;
            payload;
            uint8 end;
        }
        @id(0x65) @from(client) message Login { @rest string account; }
        """

    @Test func `the ID and a length stand inside of a layer, and filler after the payload`() throws {
        let translator = try translator(Self.game, keys: ["session": [1, 2]])
        // Inside: 65 00, 02, "hi", and two bytes of filler; each byte has 1 or 2 XORed into it.
        let line =
            #"{"message":"Login","id":101,"header":{"size":10,"opcode":101,"used":2,"end":9},"fields":{"account":"hi"}}"#
        #expect(try decode("0a00" + "6402036a68" + "0203" + "09", translator) == line)
        let encoded = try encode(line.replacing("size\":10", with: "size\":8"), translator)
        #expect(Hexadecimal.text(of: encoded) == "08006402036a6809")
    }

    @Test func `the ID may stand behind the payload of a packet with fields inside of a layer`() throws {
        let translator = try translator(
            """
            packet {
                @length(packet) uint8 size;
                layer xor(session);
                uint8 kind;
                payload;
                @id uint8 id;
            }
            @id(7) @from(client) message Note { @rest string text; }
            """, keys: ["session": [1]])
        let line = #"{"message":"Note","id":7,"header":{"size":5,"kind":9,"id":7},"fields":{"text":"hi"}}"#
        #expect(try decode("05" + "086968" + "07", translator) == line)
        #expect(Hexadecimal.text(of: try encode(line, translator)) == "0508696807")
    }

    @Test func `offsets inside of a layer count from its first byte`() throws {
        let translator = try translator(Self.game, keys: ["session": [0]])
        #expect(throws: CodecError(.truncated(needed: 1, available: 0), offset: 4, path: "")) {
            try decode("0700" + "65000268" + "09", translator)
        }
        #expect(throws: CodecError(.invalidUTF8(.unexpectedByte), offset: 3, path: "Login.account")) {
            try decode("0700" + "650001ff" + "09", translator)
        }
    }

    @Test func `without its key a layer is not opened and not sealed`() throws {
        let translator = try translator(Self.game)
        let error = CodecError.Reason.layerUnavailable(.key("session", of: .client))
        #expect(throws: CodecError(error, path: "packet.session")) {
            try decode("0700" + "650001ff" + "09", translator)
        }
        #expect(throws: TranslationError(error, path: "Login.packet.session")) {
            try encode(#"{"message":"Login","fields":{"account":""}}"#, translator)
        }
    }

    @Test func `AES begins with a field of the header, and another layer may follow it`() throws {
        let translator = try translator(
            """
            packet {
                @length(rest) uint8 size;
                @size(16) bytes iv;
                uint8 form;
                layer aes_cbc(key, iv);
                @id uint8 id;
                @if(form == 1) layer zlib;
                @checksum(xor8) uint8 check;
            }
            @id(1) @from(client) message Note { @rest bytes text; }
            """, keys: ["key": [UInt8](repeating: 7, count: 16)])
        for form in 0...1 {
            let line =
                #"{"message":"Note","header":{"iv":"AAECAwQFBgcICQoLDA0ODw==","form":\#(form)},"fields":{"text":"aGVsbG8="}}"#
            let bytes = try encode(line, translator)
            let json = try translator.decode(bytes.span.bytes, from: .client)
            #expect(json["fields"]?.description == #"{"text":"aGVsbG8="}"#)
            #expect(json["header"]?["check"] == .integer(Int128("hello".utf8.reduce(0, ^))))
            #expect(json["header"]?["form"] == .integer(Int128(form)))
        }
    }

    // MARK: Counts of the content

    private static let counted = """
        option max_packet = 65536;
        option max_inflated = 65536;
        packet {
            @length(rest) @max_bytes(3) varint length;
            @length(content) @max_bytes(4) varint dataLength;
            @if(dataLength != 0) layer zlib;
            @id @max_bytes(5) varint id;
        }
        @id(3) @from(client) message Say { @rest string text; }
        """

    @Test func `a program chooses the layer, and the right count is written`() throws {
        let translator = try translator(Self.counted)
        #expect(
            Hexadecimal.text(of: try encode(#"{"message":"Say","fields":{"text":"hi"}}"#, translator)) == "0400036869")
        let sealed = try encode(#"{"message":"Say","header":{"dataLength":77},"fields":{"text":"hi"}}"#, translator)
        let json = try translator.decode(sealed.span.bytes, from: .client)
        #expect(json["header"]?["dataLength"] == .integer(3))
        #expect(json["fields"]?.description == #"{"text":"hi"}"#)
    }

    @Test(arguments: [(threshold: 4, text: "hi", count: 0), (3, "hi", 3), (0, "", 1)])
    func `from a number of bytes on the layer is chosen by itself`(threshold: Int, text: String, count: Int128) throws {
        var translator = try translator(Self.counted)
        translator.layers.options.threshold = threshold
        let bytes = try encode(#"{"message":"Say","fields":{"text":"\#(text)"}}"#, translator)
        let json = try translator.decode(bytes.span.bytes, from: .client)
        #expect(json["header"]?["dataLength"] == .integer(count))
    }

    @Test(arguments: [nil, 1, 100])
    func `a packet without the count has no layer that asks for it`(threshold: Int?) throws {
        var translator = try translator(
            """
            packet {
                @length(rest) uint8 length;
                bool counted;
                @if(counted) @length(content) uint8 count;
                @if(count != 0) layer zlib;
                @id uint8 id;
            }
            @id(3) @from(client) message Say { @rest string text; }
            """)
        translator.layers.options.threshold = threshold
        let plain = try encode(#"{"message":"Say","fields":{"text":"hi"}}"#, translator)
        #expect(Hexadecimal.text(of: plain) == "0400036869")
        let counted = try encode(
            #"{"message":"Say","header":{"counted":true},"fields":{"text":"hi"}}"#, translator)
        let json = try translator.decode(counted.span.bytes, from: .client)
        #expect(json["header"]?["count"] == .integer(threshold == 1 ? 3 : 0))
        #expect(throws: TranslationError(.wrongPresence(isSet: true), path: "Say.packet.count")) {
            try encode(#"{"message":"Say","header":{"count":1},"fields":{"text":"hi"}}"#, translator)
        }
    }

    @Test func `a wrong count is refused, and one beyond the limit before anything is inflated`() throws {
        let translator = try translator(Self.counted)
        var bytes = try encode(#"{"message":"Say","header":{"dataLength":1},"fields":{"text":"hi"}}"#, translator)
        bytes[1] = 4
        #expect(
            throws: CodecError(.lengthMismatch(length: 4, expected: 3), offset: 1, path: "packet.dataLength")
        ) { try translator.decode(bytes.span.bytes, from: .client) }
        #expect(throws: CodecError(.inflatedTooLong(limit: 65_536), path: "packet.zlib")) {
            try decode("04" + "818004" + "00", translator)
        }
    }

    // MARK: Contents that are not read

    @Test func `an opaque content is an unknown message`() throws {
        let translator = try translator(
            """
            packet { @length(payload) uint8 size; @id uint8 id; bool split; @if(split) opaque; }
            @id(1) @from(client) message Note { uint16 number; }
            """)
        #expect(
            try decode("02010007" + "09", translator)
                == #"{"message":"Note","id":1,"header":{"size":2,"id":1,"split":false},"fields":{"number":1801}}"#)
        let line = #"{"message":null,"id":1,"header":{"size":1,"id":1,"split":true},"payload":"07"}"#
        #expect(try decode("01010107", translator) == line)
        #expect(Hexadecimal.text(of: try encode(line, translator)) == "01010107")
        #expect(throws: TranslationError(.wrongPresence(isSet: false), path: "Note.opaque")) {
            try encode(#"{"message":"Note","header":{"split":true},"fields":{"number":1}}"#, translator)
        }
    }

    @Test func `packets without an ID need none in lines`() throws {
        let translator = try translator(
            """
            packet { @length(payload) uint8 size; uint8 kind; @if(kind == 1) packets; @if(kind == 2) opaque; }
            @from(client) message Note { uint8 number; }
            """)
        let inner = #"{"message":null,"header":{"kind":2},"payload":"07"}"#
        let line = #"{"message":null,"header":{"kind":1},"packets":[\#(inner)]}"#
        #expect(Hexadecimal.text(of: try encode(line, translator)) == "0301" + "010207")
    }

    @Test func `packets inside know that they are`() throws {
        let translator = try translator(
            """
            packet {
                @length(rest) uint8 size;
                @if(not nested) uint8 version;
                @id uint8 id;
                @if(id == 9) packets;
            }
            @id(1) @from(client) message Note { uint8 number; }
            """)
        let line =
            #"{"message":null,"id":9,"header":{"size":8,"version":5,"id":9},"packets":[{"message":"Note","id":1,"header":{"size":2,"id":1},"fields":{"number":6}},{"message":"Note","id":1,"header":{"size":2,"id":1},"fields":{"number":7}}]}"#
        #expect(try decode("080509" + "020106" + "020107", translator) == line)
        #expect(Hexadecimal.text(of: try encode(line, translator)) == "080509020106020107")
    }
}
