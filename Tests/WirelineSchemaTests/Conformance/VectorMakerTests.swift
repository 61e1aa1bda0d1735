// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

struct VectorMakerTests {
    private static let schema = """
        packet {
            @constant(0xA5) uint8 mark;
            @length(packet) uint16 length;
            @id uint16 id;
            @sequence uint16 number;
            payload;
            @checksum(crc32) uint32 sum;
        }
        enum Open : uint8 { one = 1; two = 2; }
        @closed enum Closed : uint8 { yes = 1; no = 2; }
        flags Rights : uint16 { mute = 0x1; ban = 0x2; }
        struct Badge sized(uint8) { uint16 id; @since(2) @default(7) uint8 level; }
        struct Tree { uint8 leaf; Tree[] branches; }
        @id(1) @from(client) message Say {
            @range(10..20) int16 limited;
            uint64 wide;
            varint small;
            float32 single;
            @range(0..1) float64 part;
            bool on;
            @max(5) String text;
            @terminated String ended;
            bytes raw;
            Open open;
            Closed closed;
            Rights rights;
            Badge[] badges;
            uint8[3] three;
            Tree tree;
            optional uint32 more;
            optional String last;
        }
        @id(2) @from(server) message Said { properties lines; }
        """

    private func vectors(_ count: Int, seed: UInt64 = 1) throws -> [ConformanceVector] {
        VectorMaker.vectors(of: try describe(Self.schema, warns: true), count: count, seed: seed)
    }

    @Test func `a longer form of a varint is read where the schema accepts it, and need not be written again`() throws {
        let description = try describe("option varints = any;\n" + Self.schema, warns: true)
        let vectors = VectorMaker.vectors(of: description, count: 1500, seed: 1)
        #expect(!vectors.contains { $0.refusal?.kind == "varint_not_shortest" })
        #expect(vectors.contains { $0.kind == .decodeOnly && $0.name.contains("small-two-bytes") })
    }

    @Test func `the caller is told the progress`() throws {
        var parts: [Double] = []
        let vectors = VectorMaker.vectors(of: try describe(Self.schema, warns: true), count: 100, seed: 1) {
            parts.append($0)
        }
        #expect(vectors.count == 100)
        #expect(parts.first == 0)
        #expect(parts == parts.sorted())
        #expect(parts.allSatisfy { 0...1 ~= $0 })
        #expect(Set(parts).count > 50)
    }

    /// Each kind of fault that the schema makes possible appears.
    @Test func `vectors cover the limits of every type and every kind of error`() throws {
        let vectors = try vectors(1500)
        let kinds = Set(vectors.filter { $0.kind == .invalid }.compactMap(\.refusal?.kind))
        let expected: Set = [
            "end_of_stream", "wrong_constant", "wrong_checksum", "length_too_small", "out_of_range", "invalid_utf8",
            "float_out_of_range", "invalid_boolean", "unknown_case", "too_long", "truncated", "varint_not_shortest",
            "missing_terminator",
        ]
        #expect(expected.subtracting(kinds) == [])
        let refused = Set(vectors.filter { $0.kind == .refused }.compactMap(\.refusal?.kind))
        #expect(
            refused.isSuperset(of: [
                "out_of_range", "float_out_of_range", "too_long", "embedded_terminator", "unknown_case",
                "gap_before_optional", "invalid_property",
            ]), "\(refused)")
        let lines = vectors.filter { $0.kind == .exact }.compactMap(\.line?.description)
        for part in [
            #""wide":"18446744073709551615""#, #""wide":0,"#, #""single":"NaN""#, #""single":-0.0"#,
            #""single":"-Infinity""#, #""open":255"#, #""rights":["mute"]"#, #""rights":[65532]"#, #""badges":[]"#,
            #""limited":10,"#, #""limited":20,"#, #""text":"é""#, #""number":65535"#, #""message":null"#,
            #""small":128,"#, #""message":"Said""#,
        ] {
            #expect(lines.contains { $0.contains(part) }, "\(part)")
        }
        #expect(lines.contains { !$0.contains(#""last""#) && $0.contains(#""more""#) })
        #expect(lines.contains { !$0.contains(#""more""#) && $0.contains(#""Say""#) })
        #expect(vectors.contains { $0.kind == .decodeOnly && $0.caseName.contains("longer") })
    }

    @Test func `lines show names of enums and flags, also in lines that cannot be encoded`() throws {
        let lines = try vectors(1500).filter { $0.kind == .refused }.compactMap(\.line?.description)
        #expect(lines.contains { $0.contains(#""closed":""#) && $0.contains(#""open":""#) })
        #expect(!lines.contains { $0.contains(#""closed":1,"#) || $0.contains(#""closed":2,"#) })
    }

    /// Following every path from each structure would visit more than a billion structures.
    @Test(.amongAll) func `the work for a long chain of structures in lists grows only with its length`() throws {
        let count = 10_000
        let chain = (0..<count).map { "struct S\($0) { S\($0 + 1)[] a; }\n" }.joined()
        let description = try describe(chain + "struct S\(count) { uint8 a; } message Cs_1 { S0[] a; }")
        #expect(!StructureGraph(anywhereIn: description).isInCycle.contains(true))
        #expect(VectorMaker.vectors(of: description, count: 20, seed: 1).count == 20)
    }

    @Test func `even a few vectors show every message once`() throws {
        #expect(try vectors(2).compactMap { $0.line?["message"] } == ["Say", "Said"])
    }

    @Test(arguments: ["bool", "uint8"])
    func `an unknown ID fits the header, if there is one`(type: String) throws {
        let header = "packet { @length(packet) uint16 length; @id \(type) id; }"
        let schema = header + "@id(0) @from(both) message A {} @id(1) @from(both) message B {}"
        let vectors = VectorMaker.vectors(of: try describe(schema, warns: true), count: 200, seed: 1)
        #expect(!vectors.isEmpty)
        #expect(vectors.contains { $0.name.contains("unknown") } == (type == "uint8"))
    }

    @Test func `equal seeds make equal vectors, and other seeds make others`() throws {
        func names(_ seed: UInt64) throws -> [String] { try vectors(60, seed: seed).map { "\($0.name) \($0.bytes)" } }
        #expect(try names(3) == names(3))
        #expect(try names(3) != names(4))
        #expect(try names(3).count == 60)
    }

    @Test func `the vectors detect an implementation with another limit`() throws {
        let other = PacketTranslator(
            try describe(Self.schema.replacing("@range(10..20)", with: "@range(10..21)"), warns: true))
        let wrong = try vectors(1500).filter { vector in
            vector.kind == .invalid
                && other.streamError(of: vector.bytes, from: vector.sender)?.description != vector.errorText
        }
        #expect(wrong.contains { $0.refusal?.field == "Say.limited" })
    }
}

struct LineComparisonTests {
    private static let schema = """
        enum Mood : uint8 { calm = 0; angry = 1; }
        flags Rights : uint16 { mute = 0x1; ban = 0x2; }
        struct Item sized(uint8) { uint32 id; optional float32 weight; }
        message Cs_1 {
            uint64 user; Mood mood; Rights rights; Item[] items; bytes raw; String text; optional uint8 last;
        }
        """
    private static let line = #"""
        {"message":"Cs_1","id":1,"header":{"length":49,"id":1},"fields":{"user":"9007199254740993","mood":"angry",
        "rights":["mute",4],"items":[{"id":7,"weight":0.1},{"id":8}],"raw":"AQI=","text":"é"},"trailing":"0aff"}
        """#

    @Test(arguments: [
        #"{"trailing":"0AFF","id":1,"message":"Cs_1","header":{"id":1,"length":49},"fields":{"mood":1,"#
            + #""user":9007199254740993,"rights":[5],"items":[{"weight":0.10000000149011612,"id":7},"#
            + #"{"id":8,"weight":null}],"raw":"AQI=","text":"é","last":null}}"#,
        #"{"message":"Cs_1","fields":{"user":"9007199254740993","mood":"angry","rights":[4,"mute"],"#
            + #""items":[{"id":7,"weight":1.0e-1},{"id":8}],"raw":"AQI=","text":"é"},"trailing":"0aff"}"#,
    ])
    func `another notation of the same line counts as equal`(found: String) throws {
        let comparison = LineComparison(try describe(Self.schema))
        #expect(try comparison.difference(JSONValue(parsing: Self.line), JSONValue(parsing: found)) == nil)
    }

    @Test(arguments: [
        (#""0aff""#, #""0afe""#, "trailing"), ("9007199254740993", "9007199254740992", "fields.user"),
        (#""angry""#, "2", "fields.mood"), ("[\"mute\",4]", "[\"mute\"]", "fields.rights"),
        (#""weight":0.1"#, #""weight":0.100001"#, "fields.items[0].weight"),
        (#"{"id":8}"#, #"{"id":8,"weight":0}"#, "fields.items[1].weight"), ("AQI=", "AQM=", "fields.raw"),
        ("é", "e\u{301}", "fields.text"), (#","text":"é""#, "", "fields.text"),
        (#""text":"#, #""other":1,"text":"#, "fields.other"), (#""length":49"#, #""length":48"#, "header.length"),
        (#""Cs_1""#, #""Cs_2""#, "message"), (#""trailing""#, #""tail""#, "trailing"),
        (#""id":1,"header""#, #""id":2,"header""#, "id"), ("{\"id\":8}", "8", "fields.items[1]"),
    ])
    func `the first difference between two lines is named`(text: String, other: String, path: String) throws {
        let comparison = LineComparison(try describe(Self.schema))
        let expected = try JSONValue(parsing: Self.line)
        #expect(Self.line.contains(text))
        let found = try JSONValue(parsing: Self.line.replacing(text, with: other))
        #expect(comparison.difference(expected, found)?.path == path)
    }
}
