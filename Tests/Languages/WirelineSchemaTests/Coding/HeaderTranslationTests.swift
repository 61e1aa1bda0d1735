// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Header fields that share bytes, and enums and flags in the header, in JSON.
struct HeaderTranslationTests {
    private static let schema = """
        enum Kind : uint8 { none = 0; one = 1; }
        flags Marks : uint8 { first = 1; last = 2; }
        packet {
            @id uint4 type; bit dup; uint2 qos; bit retain;
            @length(rest) varint remaining;
            @default(one) Kind kind; Marks marks;
        }
        @id(3) @from(both) message Publish { @rest string text; }
        @id(6) @from(both) @header(qos = 1, kind = none, retain = true) message Release { uint8 number; }
        """

    private let translator: PacketTranslator

    init() throws { translator = PacketTranslator(try describe(Self.schema)) }

    private func encode(_ line: String) throws -> String {
        Hexadecimal.text(of: try translator.encode(line: JSONValue(parsing: line)))
    }

    private static func line(_ header: String) -> String {
        #"{"message":"Publish","header":{\#(header)},"fields":{"text":"hi"}}"#
    }

    @Test(arguments: [
        ("", "3004" + "0100" + "6869"), (#""dup":true,"qos":2"#, "3c04" + "0100" + "6869"),
        (#""retain":true,"kind":"none","marks":["last"]"#, "3104" + "0002" + "6869"),
        (#""kind":7,"marks":["first",128]"#, "3004" + "0781" + "6869"),
    ])
    func `header fields are set by their names`(header: String, hex: String) throws {
        #expect(try encode(Self.line(header)) == hex)
    }

    @Test func `a header shows bits as true and false, and numbers by their names`() throws {
        let packet = try Hexadecimal.bytes(of: "3b04" + "0183" + "6869")
        let line = try translator.decode(packet.span.bytes, from: .client)
        let header = """
            {"type":3,"dup":true,"qos":1,"retain":true,"remaining":4,"kind":"one","marks":["first","last",128]}
            """
        #expect(line["header"]?.description == header)
        #expect(try encode(line.description) == "3b04" + "0183" + "6869")
    }

    /// MQTT 3.1.1 §2.2 and §3.6.1.
    @Test func `the header of MQTT has a type, flags and a length`() throws {
        let translator = PacketTranslator(
            try describe(
                """
                enum QoS : uint2 { at_most_once = 0; at_least_once = 1; exactly_once = 2; }
                packet {
                    @id uint4 type; bit dup; QoS qos; bit retain;
                    @length(rest) @max_bytes(4) varint remaining;
                }
                @id(3) @from(both) message Publish { string topic; @rest bytes payload; }
                @id(6) @from(both) @header(qos = at_least_once) message Pubrel { uint16 packetID; }
                @id(12) @from(client) message Pingreq {}
                """))
        func bytes(_ line: String) throws -> String {
            Hexadecimal.text(of: try translator.encode(line: JSONValue(parsing: line)))
        }
        #expect(try bytes(#"{"message":"Pingreq","fields":{}}"#) == "c000")
        #expect(try bytes(#"{"message":"Pubrel","fields":{"packetID":5}}"#) == "62020005")
        let publish =
            #"{"message":"Publish","id":3,"header":{"type":3,"dup":true,"qos":"exactly_once","retain":true,"#
            + #""remaining":4},"fields":{"topic":"a","payload":"Yg=="}}"#
        #expect(try bytes(publish) == "3d04" + "000161" + "62")
        let packet = try Hexadecimal.bytes(of: "3d0400016162")
        #expect(try translator.decode(packet.span.bytes, from: .client).description == publish)
        let refused = try Hexadecimal.bytes(of: "60020005")
        #expect(throws: CodecError(.wrongConstant(value: 0, expected: 1), offset: 0, path: "packet.qos")) {
            try translator.decode(refused.span.bytes, from: .client)
        }
    }

    @Test func `fields that share a byte have the same one`() throws {
        let packet = try Hexadecimal.bytes(of: "3b04" + "0183" + "6869")
        let parts = try translator.annotate(packet.span.bytes, preferring: .client).parts
        #expect(parts.prefix(6).map(\.path) == ["type", "dup", "qos", "retain", "remaining", "kind"])
        #expect(parts.prefix(6).map(\.range) == [0..<1, 0..<1, 0..<1, 0..<1, 1..<2, 2..<3])
    }

    @Test(arguments: ["", #""header":{"dup":false,"qos":1},"#])
    func `a message sets the header fields that it fixes`(header: String) throws {
        let line = #"{"message":"Release",\#(header)"fields":{"number":5}}"#
        #expect(try encode(line) == "6303" + "0000" + "05")
        let packet = try Hexadecimal.bytes(of: "6303" + "0000" + "05")
        #expect(try encode(translator.decode(packet.span.bytes, from: .server).description) == "6303000005")
    }

    @Test func `another value for a field that the message fixes is refused`() throws {
        #expect(
            throws: TranslationError(
                CodecError.Reason.wrongConstant(value: 2, expected: 1), path: "Release.packet.qos")
        ) {
            try encode(#"{"message":"Release","header":{"qos":2},"fields":{"number":5}}"#)
        }
        let packet = try Hexadecimal.bytes(of: "6303" + "0100" + "05")
        #expect(throws: CodecError(.wrongConstant(value: 1, expected: 0), offset: 2, path: "packet.kind")) {
            try translator.decode(packet.span.bytes, from: .server)
        }
    }

    @Test(arguments: [
        (#""qos":4"#, TranslationError(.outOfRange(value: 4, minimum: 0, maximum: 3), path: "Publish.header.qos")),
        (#""dup":1"#, TranslationError(.wrongKind(expected: .boolean, found: "a number"), path: "Publish.header.dup")),
        (#""kind":"on""#, TranslationError(.unknownName("on", known: ["none", "one"]), path: "Publish.header.kind")),
        (#""type":4"#, TranslationError(.differs(found: "4", actual: "3"), path: "Publish.header.type")),
    ])
    func `values that do not fit are refused`(header: String, error: TranslationError) {
        #expect(throws: error) { try encode(Self.line(header)) }
    }
}
