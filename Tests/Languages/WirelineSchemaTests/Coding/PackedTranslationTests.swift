// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Fields that share bytes, in JSON.
struct PackedTranslationTests {
    private static let mqtt = "uint4 type; bit dup; uint2 qos; bit retain;"

    private static func translator(_ fields: String, option: String = "") throws -> PacketTranslator {
        PacketTranslator(
            try describe(
                """
                \(option) packet { @length(packet) uint8 length; @id uint8 id; }
                enum E : uint2 { a = 0; b = 1; } @closed enum C : int3 { low = -4; none = 0; } flags F : uint3 { x = 1; y = 4; }
                @id(1) @from(both) message M { \(fields) }
                """, warns: true))
    }

    private func encode(_ json: String, _ fields: String, option: String = "") throws -> String {
        let translator = try Self.translator(fields, option: option)
        return Hexadecimal.text(of: try translator.encodePayload(message: "M", fields: try JSONValue(parsing: json)))
    }

    private func decode(_ payload: String, _ fields: String, option: String = "") throws -> String {
        let bytes = try Hexadecimal.bytes(of: payload)
        let translator = try Self.translator(fields, option: option)
        return try translator.decodePayload(bytes.span.bytes, asMessage: "M")?["fields"]?.description ?? ""
    }

    static let values: [(fields: String, option: String, json: String, payload: String)] = [
        (mqtt, "", #"{"type":3,"dup":true,"qos":1,"retain":false}"#, "3a"),
        ("uint12 a; uint4 b;", "", #"{"a":2748,"b":13}"#, "abcd"),
        ("uint12 a; uint4 b;", "option byte_order = little;", #"{"a":2748,"b":13}"#, "cdab"),
        ("int26 x; int26 z; int12 y;", "", #"{"x":-1,"z":1,"y":-2048}"#, "ffffffc000001800"),
        ("uint8 a; uint4 b; uint8 c; uint4 d; uint8 e;", "", #"{"a":1,"b":2,"c":52,"d":5,"e":6}"#, "01234506"),
        ("E e; C c; F f;", "", #"{"e":"b","c":"low","f":["x","y"]}"#, "65"),
        ("E e; C c; F f;", "", #"{"e":3,"c":"none","f":["y",2]}"#, "c6"),
        ("int54 a; uint2 b;", "", #"{"a":"-9007199254740992","b":1}"#, "80000000000001"),
        ("uint1 a; uint63 b;", "", #"{"a":1,"b":"9223372036854775807"}"#, "ffffffffffffffff"),
        (
            "uint7 a; bit b; uint7 c; bit d;", "option byte_order = little;", #"{"a":1,"b":false,"c":2,"d":true}"#,
            "0205"
        ),
        ("uint40 a; int48 b; uint56 c;", "", #"{"a":1,"b":-2,"c":3}"#, "0000000001fffffffffffe00000000000003"),
    ]

    @Test(arguments: values)
    func `the first field has the most significant bits`(
        fields: String, option: String, json: String, payload: String
    ) throws {
        #expect(try encode(json, fields, option: option) == payload)
        #expect(try decode(payload, fields, option: option) == json)
    }

    @Test(arguments: [
        (#"{"type":16,"dup":true,"qos":1,"retain":true}"#, "M.type: 16 is not in 0...15"),
        (#"{"type":1,"dup":true,"qos":4,"retain":true}"#, "M.qos: 4 is not in 0...3"),
        (#"{"type":1,"dup":true,"qos":-1,"retain":true}"#, "M.qos: -1 is not in 0...3"),
        (#"{"type":1,"dup":1,"qos":1,"retain":true}"#, "M.dup: true or false is needed, not a number"),
        (#"{"type":1,"dup":true,"qos":1}"#, "M.retain: is missing"),
    ])
    func `a value that does not fit its bits is refused`(json: String, message: String) throws {
        let error = #expect(throws: TranslationError.self) { try encode(json, Self.mqtt) }
        #expect(error?.description == message)
    }

    @Test(arguments: [
        ("", "uint12 a; uint4 b;", "M.a: needs 2 bytes at offset 0, 0 are left"),
        ("ab", "uint12 a; uint4 b;", "M.a: needs 2 bytes at offset 0, 1 is left"),
        ("00", "uint8 a; uint4 b; uint4 c;", "M.b: needs 1 byte at offset 1, 0 are left"),
        ("10", "E e; C c; F f;", "M.c: 2 is not a case of this closed enum at offset 0"),
        ("ff30", "uint8 a; @range(0..2) uint4 b; uint4 c;", "M.b: 3 is not in 0...2 at offset 1"),
    ])
    func `what is wrong in a run is told at its first byte`(payload: String, fields: String, message: String) throws {
        let error = #expect(throws: CodecError.self) { try decode(payload, fields) }
        #expect(error?.description == message)
    }

    @Test func `annotations show the bits of each field, as the packet has them`() throws {
        let translator = try Self.translator(
            "uint12 a; bit b; uint3 c; uint8 d;", option: "option byte_order = little;")
        let packet = try Hexadecimal.bytes(of: "05017cab09")
        let annotation = try translator.annotate(packet.span.bytes, preferring: .client)
        let rows = annotation.rows(of: packet).map { "\($0.offset) \($0.digits) \($0.path) \($0.text)" }
        #expect(
            rows == [
                "0 05                length 5", "1 01                id     1", "2 0111.... 10101011 a      2743",
                "2 ....1... ........ b      true", "2 .....100 ........ c      4", "4 09                d      9",
            ])
    }
}
