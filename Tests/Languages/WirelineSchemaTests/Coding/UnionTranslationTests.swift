// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

/// Unions in the schema-driven codec: bytes, JSON and errors.
struct UnionTranslationTests {
    private static func translator(_ declarations: String, _ field: String) throws -> PacketTranslator {
        try PacketTranslator(describe("\(declarations) @id(1) @from(both) message M { \(field) }"))
    }

    private static let extra = """
        struct Point { uint8 x; uint8 y; }
        union Extra : uint8 sized(uint8) {
            1: uint16 fuel; 2: Point place; 3: nothing; 4: @rest uint8[] numbers; default: bytes other;
        }
        """

    private func bytes(_ translator: PacketTranslator, _ fields: JSONValue) throws -> String {
        Hexadecimal.text(of: try translator.encodePayload(message: "M", fields: fields))
    }

    private func fields(_ translator: PacketTranslator, _ digits: String) throws -> JSONValue? {
        let payload = try Hexadecimal.bytes(of: digits)
        return try translator.decodePayload(payload.span.bytes, asMessage: "M")?["fields"]
    }

    @Test(
        arguments: [
            (["fuel": 258], "01 02 0102"), (["place": ["x": 3, "y": 4]], "02 02 0304"), (["nothing": .null], "03 00"),
            (["numbers": [5, 6, 7]], "04 03 050607"), (["other": ["tag": 9, "bytes": "AAE="]], "09 02 0001"),
        ] as [(JSONValue, String)])
    func `an arm is an object with one key`(value: JSONValue, digits: String) throws {
        let translator = try Self.translator(Self.extra, "Extra u;")
        #expect(try bytes(translator, ["u": value]) == digits.filter { $0 != " " })
        #expect(try fields(translator, digits.filter { $0 != " " }) == ["u": value])
    }

    @Test func `bytes after the value of a sized arm are skipped`() throws {
        let translator = try Self.translator(Self.extra, "Extra u; uint8 next;")
        #expect(try fields(translator, "0104010200ff07") == ["u": ["fuel": 258], "next": 7])
        #expect(try fields(translator, "0302aabb07") == ["u": ["nothing": .null], "next": 7])
    }

    @Test(
        arguments: [
            ("", "M.u: needs 1 byte at offset 0, 0 are left"), ("01", "M.u: needs 1 byte at offset 1, 0 are left"),
            ("0102", "M.u: needs 2 bytes at offset 2, 0 are left"),
            ("0101ff", "M.u.fuel: needs 2 bytes at offset 2, 1 is left"),
            ("020103", "M.u.place.y: needs 1 byte at offset 3, 0 are left"),
        ])
    func `an error in an arm names it`(digits: String, error: String) throws {
        let translator = try Self.translator(Self.extra, "Extra u;")
        let found = #expect(throws: CodecError.self) { try fields(translator, digits) }
        #expect(found?.description == error)
    }

    @Test func `a tag that no arm has is an error of the union`() throws {
        let translator = try Self.translator("union U : uint16 { 1: uint8 a; }", "uint8 n; U[] list;")
        let found = #expect(throws: CodecError.self) { try fields(translator, "0000020001070002") }
        #expect(found?.description == "M.list[1]: no arm of this union has the tag 2 at offset 6")
        #expect(found?.reason.kind == "unknown_case")
    }

    @Test(
        arguments: [
            ([], "M.u: an object is needed, not an array"),
            (.object([]), "M.u: one arm is needed, not 0; there is fuel, place, nothing, numbers, other"),
            (
                ["fuel": 1, "nothing": .null],
                "M.u: one arm is needed, not 2; there is fuel, place, nothing, numbers, other"
            ),
            (["speed": 1], #"M.u: no field is named "speed"; there is fuel, place, nothing, numbers, other"#),
            (["nothing": 1], "M.u.nothing: null is needed, not a number"),
            (["fuel": 65536], "M.u.fuel: 65536 is not in 0...65535"),
            (["other": 1], "M.u.other: an object is needed, not a number"),
            (["other": ["tag": 9]], "M.u.other.bytes: is missing"),
            (
                ["other": ["tag": 2, "bytes": ""]],
                "M.u.other: an arm of this union has the tag 2, so it cannot be kept"
            ),
            (["other": ["tag": 256, "bytes": ""]], "M.u.other: 256 is not in 0...255"),
            (["other": ["tag": true, "bytes": ""]], "M.u.other.tag: an integer is needed, not a boolean"),
        ] as [(JSONValue, String)])
    func `what is no arm cannot be written`(value: JSONValue, error: String) throws {
        let translator = try Self.translator(Self.extra, "Extra u;")
        let found = #expect(throws: TranslationError.self) { try bytes(translator, ["u": value]) }
        #expect(found?.description == error)
    }

    @Test func `a value that its size cannot count is refused`() throws {
        let translator = try Self.translator(Self.extra, "Extra u;")
        let numbers = JSONValue.array(Array(repeating: 1, count: 256))
        let found = #expect(throws: TranslationError.self) { try bytes(translator, ["u": ["numbers": numbers]]) }
        #expect(found?.description == "M.u: 256 is over the limit of 255")
    }

    @Test func `tags of an enum are its names`() throws {
        let translator = try Self.translator(
            "@closed enum E : uint8 { a = 1; b = 2; c = 3; } union U : E sized(varint) { a: uint8 x; default: bytes kept; }",
            "U u;")
        #expect(try bytes(translator, ["u": ["kept": ["tag": "c", "bytes": "AQ=="]]]) == "030101")
        #expect(try fields(translator, "020101") == ["u": ["kept": ["tag": "b", "bytes": "AQ=="]]])
        let found = #expect(throws: CodecError.self) { try fields(translator, "0400") }
        #expect(found?.description == "M.u: 4 is not a case of this closed enum at offset 0")
    }

    @Test func `nothing is kept after a union that may go to the end`() throws {
        let translator = try Self.translator("union U : uint8 { 0: ok; 1: @rest bytes more; }", "U u;")
        #expect(try fields(translator, "01aabb") == ["u": ["more": "qrs="]])
        let found = #expect(throws: CodecError.self) { try fields(translator, "00aabb") }
        #expect(found?.description == "M: 2 bytes after the last field at offset 1")
    }

    private static let tagged = """
        option max_depth = 2;
        @closed enum E : uint8 { zero = 0; one = 1; two = 2; }
        union U : E { one: uint16 a; two: nothing; }
        union V : varint sized(uint8) { 300: uint8 a; default: bytes kept; }
        union W : E { one: uint16 a; }
        struct S { varint k; uint8 x; @tag(k) V v; }
        """

    @Test(
        arguments: [
            ("E k; uint8 x; @tag(k) U u;", ["x": 7, "u": ["a": 258]], "01 07 0102"),
            ("E k; uint8 x; @tag(k) U u;", ["x": 7, "u": ["nothing": .null]], "02 07"),
            ("E k; @tag(k) optional W u;", ["u": ["a": 1]], "01 0001"),
            ("E k; @tag(k) optional W u;", .object([]), "00"),
            ("E k; bool b; @if(b) @tag(k) U u; uint8 y;", ["b": false, "y": 5], "00 00 05"),
            ("E k; bool b; @if(b) @tag(k) U u; uint8 y;", ["b": true, "u": ["nothing": .null], "y": 5], "02 01 05"),
            ("S[] list;", ["list": [["x": 1, "v": ["a": 2]]]], "0001 ac02 01 01 02"),
            ("S s;", ["s": ["x": 1, "v": ["kept": ["tag": 9, "bytes": "AAE="]]]], "09 01 02 0001"),
        ] as [(String, JSONValue, String)])
    func `a tag in an earlier field has no key, and is what its union needs`(
        field: String, value: JSONValue, digits: String
    ) throws {
        let translator = try Self.translator(Self.tagged, field)
        #expect(try bytes(translator, value) == digits.filter { $0 != " " })
        #expect(try fields(translator, digits.filter { $0 != " " }) == value)
    }

    @Test(
        arguments: [
            ("E k; uint8 x; @tag(k) U u;", "03 07 00", "M.k: 3 is not a case of this closed enum at offset 0"),
            ("E k; uint8 x; @tag(k) U u;", "00 07 00", "M.u: no arm of this union has the tag 0 at offset 2"),
            ("E k; uint8 x; @tag(k) U u;", "01 07 00", "M.u.a: needs 2 bytes at offset 2, 1 is left"),
            ("S s;", "09 01 02 00", "M.s.v: needs 2 bytes at offset 3, 1 is left"),
            ("S s;", "ac02 01 00", "M.s.v.a: needs 1 byte at offset 4, 0 are left"),
        ])
    func `an error of a union whose tag stands elsewhere is at its own place`(
        field: String, digits: String, error: String
    ) throws {
        let translator = try Self.translator(Self.tagged, field)
        let found = #expect(throws: CodecError.self) { try fields(translator, digits.filter { $0 != " " }) }
        #expect(found?.description == error)
    }

    @Test(
        arguments: [
            (["k": 1, "x": 7, "u": ["a": 1]], #"M: no field is named "k"; there is x, u"#),
            (["x": 7, "u": ["b": 1]], #"M.u: no field is named "b"; there is a, nothing"#),
            (["x": 7], "M.u: is missing"), (["x": 256, "u": 3], "M.x: 256 is not in 0...255"),
        ] as [(JSONValue, String)])
    func `a tag cannot be set, and what is wrong with its union is said there`(value: JSONValue, error: String) throws {
        let translator = try Self.translator(Self.tagged, "E k; uint8 x; @tag(k) U u;")
        let found = #expect(throws: TranslationError.self) { try bytes(translator, value) }
        #expect(found?.description == error)
    }

    @Test func `a union is a level of depth, and may hold itself through a list`() throws {
        let translator = try Self.translator(
            "option max_depth = 2; union U : uint8 { 0: leaf; 1: U[] branches; }", "U u;")
        #expect(try fields(translator, "01000100") == ["u": ["branches": [["leaf": .null]]]])
        let found = #expect(throws: CodecError.self) { try fields(translator, "01000101000100") }
        #expect(found?.description == "M.u.branches[0].branches[0]: nested more than 2 deep at offset 6")
        let value: JSONValue = ["branches": [["branches": [["leaf": .null]]]]]
        let refused = #expect(throws: TranslationError.self) { try bytes(translator, ["u": value]) }
        #expect(refused?.description == "M.u.branches[0].branches[0]: nested more than 2 deep")
    }

    @Test func `an annotation shows tag, size, value and what is skipped`() throws {
        let translator = try Self.translator("option byte_order = big; " + Self.extra, "Extra u;")
        let packet = try translator.encode(message: "M", json: ["u": ["fuel": 258]])
        let annotation = try translator.annotate(packet.span.bytes, preferring: .client)
        let parts = annotation.parts.filter { $0.kind != .header }
        #expect(parts.map(\.path) == ["u", "u", "u.fuel"])
        #expect(parts.map(\.kind) == [.tag, .size, .field])
        #expect(parts.map(\.text) == ["1", "2 bytes", "258"])
    }
}
