// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec

// For the size of a recipe.
@testable import WirelineSchema

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

    private static func vectors(_ count: Int, seed: UInt64 = 1) throws -> [ConformanceVector] {
        VectorMaker.vectors(of: try describe(schema, warns: true), count: count, seed: seed)
    }

    /// All edges, and some random values. They are made once for all tests, because that takes long.
    private static let most = Result { try vectors(1500) }

    @Test func `a longer form of a varint is read where the schema accepts it, and need not be written again`() throws {
        let description = try describe("option varints = any;\n" + Self.schema, warns: true)
        let vectors = VectorMaker.vectors(of: description, count: 1500, seed: 1)
        #expect(!vectors.contains { $0.refusal?.kind == "varint_not_shortest" })
        #expect(vectors.contains { $0.kind == .decodeOnly && $0.name.contains("small-two-bytes") })
    }

    @Test func `numbers that count other fields are one too large and one too small`() throws {
        let schema =
            "struct S { uint16 n; @count(n) uint32[] a; } message Cs_1 { uint8 n; @size(n - 2) string a; S s; }"
        let vectors = VectorMaker.vectors(of: try describe(schema), count: 600, seed: 1)
        let labels = ["n-one-more", "n-one-less", "s.n-one-more", "s.n-one-less"].map { "Cs_1-" + $0 }
        #expect(Set(vectors.map(\.note)).isSuperset(of: labels), "\(vectors.map(\.note))")
    }

    @Test func `halves of surrogate pairs are among the vectors of text in UTF-16`() throws {
        let schema = "message Cs_1 { @utf16 string a; @utf16 char[4] b; @utf16 @little @rest string c; }"
        let vectors = VectorMaker.vectors(of: try describe(schema), count: 600, seed: 1)
        let kinds = Set(vectors.compactMap(\.refusal?.kind))
        #expect(kinds.isSuperset(of: ["invalid_utf16", "truncated", "too_long"]), "\(kinds)")
    }

    @Test func `lists that a byte ends are empty, long, cut before it, and have items that begin with it`() throws {
        let schema = """
            struct Detail { uint8 code; @terminated string text; }
            message Cs_1 { @until(0) Detail[] details; @until(5) uint16[] numbers; @until('a') @terminated string[] names; }
            """
        let vectors = VectorMaker.vectors(of: try describe(schema), count: 2000, seed: 1)
        func has(_ kind: ConformanceVector.Kind, _ word: String) -> Bool {
            vectors.contains { $0.kind == kind && $0.note.contains(word) }
        }
        for (list, byte) in [("details", "0x00"), ("numbers", "0x05"), ("names", "0x61")] {
            // A list of one item is in the first vector.
            for count in [0, 2, 17] { #expect(has(.exact, "\(list)-\(count)-items"), "\(list) \(count)") }
            #expect(has(.invalid, list + "-cut-"), "\(list)")
            let refused = vectors.first { $0.errorText?.contains("\(list)[0]: begins with \(byte)") == true }
            #expect(refused?.kind == .refused && refused?.refusal?.kind == "embedded_terminator", "\(list)")
        }
    }

    @Test func `each shape of the header is made, and each field of it set against its condition`() throws {
        let description = try describe(
            """
            enum Form : uint8 { none = 0; short = 1; long = 2; }
            packet {
                @fit Form form; @if(form == short) @length(packet) uint8 size; @if(form == long) @length(packet) uint16 wide;
                @id uint4 kind; bit versioned; uint3 rest; @if(versioned) @default(7) uint8 version; padding 1;
            }
            @id(1) @from(both) message Say { @rest string text; }
            """)
        let vectors = VectorMaker.vectors(of: description, count: 400, seed: 1)
        let headers = vectors.filter { $0.kind == .exact }.compactMap { $0.line?["header"] }
        for form in ["none", "short", "long"] {
            for isVersioned in [false, true] {
                let hasShape = headers.contains { header in
                    header["form"] == .string(form) && header["versioned"] == .boolean(isVersioned)
                        && (header["version"] != nil) == isVersioned
                }
                #expect(hasShape, "\(form) \(isVersioned)")
            }
        }
        let refused = vectors.filter { $0.refusal?.kind == "presence" }
        let fields = Set(refused.compactMap(\.refusal?.field))
        #expect(fields.count == 1 && fields.allSatisfy { $0.hasSuffix("packet.version") }, "\(fields)")
    }

    @Test func `each test of a condition is made both ways, and each field set against its condition`() throws {
        let description = try describe(
            """
            flags Rights : uint8 { mute = 1; ban = 2; }
            message Cs_1 {
                Rights rights; uint16 level; @if(rights & ban and level > 300) uint8 a;
                @if(not a) string b;
            }
            """)
        let vectors = VectorMaker.vectors(of: description, count: 400, seed: 1)
        let fields = vectors.filter { $0.kind == .exact }.compactMap { $0.line?["fields"] }
        func has(ban: Bool, over: Bool) -> Bool {
            fields.contains { fields in
                guard case .array(let rights)? = fields["rights"], case .number(let level)? = fields["level"] else {
                    return false
                }
                return rights.contains("ban") == ban && (level.integer ?? 0 > 300) == over
                    && (fields["a"] != nil) == (ban && over)
            }
        }
        #expect(has(ban: true, over: true) && has(ban: true, over: false) && has(ban: false, over: true))
        let refused = vectors.filter { $0.refusal?.kind == "presence" }
        #expect(Set(refused.compactMap(\.refusal?.field)) == ["Cs_1.a", "Cs_1.b"])
        let errors = refused.compactMap(\.errorText)
        #expect(errors.contains { $0.contains("is set") } && errors.contains { $0.contains("is not set") })
    }

    @Test func `each arm of a union is made, with an unknown tag, and with a value that is longer or cut`() throws {
        let description = try describe(
            """
            union Extra : uint8 sized(uint8) { 1: uint32 mileage; 2: nothing; 3: Extra[] inner; default: bytes other; }
            union Plain : uint16 { 1: uint8 a; 2: string b; }
            message Cs_1 { Extra extra; Plain plain; }
            """)
        let vectors = VectorMaker.vectors(of: description, count: 400, seed: 1)
        func arms(_ field: String) -> Set<String> {
            Set(
                vectors.filter { $0.kind == .exact }.compactMap { vector in
                    guard case .object(let members)? = vector.line?["fields"]?[field] else { return nil }
                    return members.first?.name
                })
        }
        #expect(arms("extra") == ["mileage", "nothing", "inner", "other"])
        #expect(arms("plain") == ["a", "b"])
        let invalid = vectors.compactMap(\.refusal)
        #expect(invalid.contains { $0.kind == "unknown_case" && $0.field == "Cs_1.plain" })
        #expect(invalid.contains { $0.kind == "truncated" && $0.field?.hasPrefix("Cs_1.extra.") == true })
        #expect(vectors.contains { $0.kind == .decodeOnly && $0.name.contains("longer") })
        #expect(vectors.contains { $0.kind == .invalid && $0.name.contains("one-less") })
    }

    @Test func `a value that may be absent is absent, empty and there, and its prefix is at its ends`() throws {
        let description = try describe(
            "struct Item { uint8 kind; } message Cs_1 { @count(int16) string a; @count(zigzag) Item[] b; @size(int32) Item c; }"
        )
        let vectors = VectorMaker.vectors(of: description, count: 500, seed: 1)
        let exact = vectors.filter { $0.kind == .exact }.compactMap { $0.line?["fields"] }
        for name in ["a", "b", "c"] {
            #expect(exact.contains { $0[name] == nil } && exact.contains { $0[name] != nil }, "\(name)")
            let refusals = vectors.compactMap(\.refusal).filter { $0.field == "Cs_1.\(name)" }
            #expect(Set(refusals.compactMap(\.kind)).isSuperset(of: ["out_of_range", "truncated"]), "\(name)")
        }
        #expect(exact.contains { $0["a"] == "" && $0["b"] == [] })
        let names = vectors.filter { $0.kind == .invalid }.map(\.name)
        for what in ["count-minus-two", "count-least", "count-most", "count-absent"] {
            #expect(names.contains { $0.contains(what) }, "\(what)")
        }
    }

    @Test func `conditions on the header are made both ways, whatever its defaults are`() throws {
        let description = try describe(
            """
            packet { @id uint4 type; bit dup; uint2 qos; bit retain; @length(rest) varint length; }
            @id(3) @from(both) message M {
                @if(header.qos > 1 and not header.dup) @range(1..9) uint16 a; @if(a) string b;
            }
            """)
        let vectors = VectorMaker.vectors(of: description, count: 300, seed: 1)
        let exact = vectors.filter { $0.kind == .exact }.compactMap(\.line)
        func has(qos: JSONValue, dup: JSONValue, a: Bool) -> Bool {
            exact.contains {
                $0["header"]?["qos"] == qos && $0["header"]?["dup"] == dup && ($0["fields"]?["a"] != nil) == a
            }
        }
        #expect(has(qos: 2, dup: false, a: true) && has(qos: 1, dup: false, a: false))
        #expect(exact.contains { $0["header"]?["dup"] == true && $0["fields"]?["a"] == nil })
        let values = Set(exact.compactMap { $0["fields"]?["a"]?.description })
        #expect(values.isSuperset(of: ["1", "9"]))
        let refused = vectors.filter { $0.refusal?.kind == "presence" }
        #expect(Set(refused.compactMap(\.refusal?.field)) == ["M.a", "M.b"])
        #expect(vectors.contains { $0.refusal?.kind == "out_of_range" && $0.refusal?.field == "M.a" })
    }

    @Test func `a line that is refused has one fault`() throws {
        let description = try describe(
            """
            @closed enum Wide : uint64 { none = 0; most = 18446744073709551615; }
            struct Large { uint64 number; string text; }
            struct Long { @size(5) Large[] items; uint8 number; }
            union Part : uint8 { 1: uint8 small; 2: Long long; }
            message Cs_1 { @size(5) Large[] items; uint8 number; }
            message Cs_2 { bit on; uint7 rest; @if(on) uint8 more; Wide wide; }
            message Cs_3 { @until(0) @utf16 string[] texts; int8 number; }
            message Cs_4 { Part part; }
            """, warns: true)
        let vectors = VectorMaker.vectors(of: description, count: 1000, seed: 1)
        let refused = vectors.filter { $0.kind == .refused }
        func fields(of message: String) -> Set<String> {
            Set(refused.compactMap(\.refusal?.field).filter { $0.hasPrefix(message + ".") })
        }
        // Items of ten bytes or more never fill five, so nothing else shows.
        #expect(fields(of: "Cs_1") == [])
        #expect(fields(of: "Cs_2") == ["Cs_2.rest", "Cs_2.more"])
        #expect(fields(of: "Cs_3") == ["Cs_3.number"])
        #expect(fields(of: "Cs_4") == ["Cs_4.part.small"])
        #expect(Set(refused.filter { $0.note.contains("presence") }.compactMap(\.refusal?.field)) == ["Cs_2.more"])
        let exact = vectors.filter { $0.kind == .exact }.compactMap { $0.line?["fields"] }
        for isOn in [true, false] {
            #expect(exact.contains { $0["on"] == .boolean(isOn) && ($0["more"] != nil) == isOn }, "\(isOn)")
        }
        let wide = vectors.filter { !$0.note.contains("wide") }.compactMap { $0.line?["fields"]?["wide"] }
        #expect(Set(wide.map(\.description)) == [#""none""#, #""most""#])
    }

    @Test func `a header that a message fixes is not set to one that also asks for packets inside`() throws {
        let description = try describe(
            """
            packet { @length(packet) uint16 length; @id uint8 id; uint8 kind; @if(kind == 3) packets; }
            @id(1) @from(client) @header(kind = 1) message Say { uint8 number; }
            """)
        let vectors = VectorMaker.vectors(of: description, count: 400, seed: 1)
        let faults = vectors.filter { $0.refusal?.field == "Say.packet.kind" }
        #expect(faults.map(\.note) == ["Say-header-kind-other"])
    }

    @Test func `a recipe is moved as a reference`() {
        #expect(MemoryLayout<VectorMaker.Recipe>.size == MemoryLayout<Int>.size)
    }

    /// If vectors were kept, these would take thousands of terabytes, and if all were made first, years.
    @Test func `vectors are made one by one`() throws {
        let description = try describe(Self.schema, warns: true)
        let maker = VectorMaker(of: description, count: 1 << 40, seed: 1)
        let names = IteratorSequence(maker).prefix(300).map(\.name)
        #expect(names == VectorMaker.vectors(of: description, count: 300, seed: 1).map(\.name))
    }

    @Test func `the maker tells its progress`() throws {
        var parts: [Double] = []
        var maker = VectorMaker(of: try describe(Self.schema, warns: true), count: 100, seed: 1)
        repeat { parts.append(maker.progress) } while maker.next() != nil
        #expect(parts.count == 101)
        #expect(parts.first == 0)
        #expect(parts == parts.sorted())
        #expect(parts.allSatisfy { 0...1 ~= $0 })
        #expect(Set(parts).count > 50)
    }

    /// Each kind of fault that the schema makes possible appears.
    @Test func `vectors cover the limits of every type and every kind of error`() throws {
        let vectors = try Self.most.get()
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

    @Test func `a field that shares bytes is all ones alone, and has values that do not fit`() throws {
        let description = try describe(
            """
            packet { @length(packet) uint8 length; @id uint8 id; }
            flags Marks : uint3 { red = 1; }
            @id(1) @from(client) message Say { uint4 kind; bit urgent; int3 level; @little uint13 count; @little Marks marks; }
            """, warns: true)
        let vectors = VectorMaker.vectors(of: description, count: 400, seed: 1)
        let packets = vectors.filter { $0.kind == .exact }.map { Hexadecimal.text(of: $0.bytes) }
        for payload in ["000000", "f00000", "080000", "070000", "00f8ff", "000700", "ffffff"] {
            #expect(packets.contains("0501" + payload), "\(payload)")
        }
        let refused = vectors.filter { $0.kind == .refused }.compactMap(\.errorText)
        for text in [
            "Say.kind: 16 is not in 0...15", "Say.kind: -1 is not in 0...15", "Say.level: 4 is not in -4...3",
            "Say.level: -5 is not in -4...3", "Say.count: 8192 is not in 0...8191",
        ] {
            #expect(refused.contains { $0.contains(text) }, "\(text)")
        }
        let cuts = vectors.filter { $0.refusal?.kind == "truncated" }.compactMap(\.refusal?.field)
        #expect(Set(cuts) == ["Say.kind", "Say.count"])
    }

    @Test func `lines show names of enums and flags, also in lines that cannot be encoded`() throws {
        let lines = try Self.most.get().filter { $0.kind == .refused }.compactMap(\.line?.description)
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

    /// The checker does not find out that the two conditions never hold together: there are too many numbers to try.
    @Test func `a message of which no packet can be written is named`() throws {
        let description = try describe(
            """
            packet { @id uint8 id; uint16 form; @if(form & 1 and form == 2) @length(rest) uint16 size; }
            @id(1) @from(client) message Long { uint32 number; }
            @id(2) @from(client) message Short {}
            """)
        let messages = VectorMaker.unwritableMessages(of: description)
        #expect(messages.map(\.name) == ["Long"])
        let error = try #require(messages.first?.error)
        #expect(error.description.hasPrefix("Long: length 0x07"), "\(error)")
    }

    @Test func `messages with a key for one side alone are shown from both sides`() throws {
        let description = try describe(
            """
            packet { @length(rest) uint16 size; @accept(unauthenticated) layer xor(session); @id uint8 id; }
            @id(1) @from(client) message Ask { uint8 number; }
            @id(2) @from(server) message Answer { uint8 number; }
            """)
        let key = try #require(LayerKey("client.session", [1, 2]))
        let vectors = VectorMaker.vectors(of: description, count: 60, seed: 1, keys: [key])
        let exact = vectors.filter { $0.kind == .exact }.compactMap { $0.line?["message"] }
        #expect(exact.contains("Ask") && exact.contains("Answer"))
        #expect(vectors.allSatisfy { $0.keys.map(\.text) == ["client.session", "server.session"] })
    }

    @Test func `even a few vectors show every message once`() throws {
        #expect(try Self.vectors(2).compactMap { $0.line?["message"] } == ["Say", "Said"])
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
        func names(_ seed: UInt64) throws -> [String] {
            try Self.vectors(60, seed: seed).map { "\($0.name) \($0.bytes)" }
        }
        #expect(try names(3) == names(3))
        #expect(try names(3) != names(4))
        #expect(try names(3).count == 60)
    }

    @Test func `the vectors detect an implementation with another limit`() throws {
        let other = PacketTranslator(
            try describe(Self.schema.replacing("@range(10..20)", with: "@range(10..21)"), warns: true))
        let wrong = try Self.most.get().filter { vector in
            vector.kind == .invalid
                && other.streamError(of: vector.bytes, in: vector.context)?.description != vector.errorText
        }
        #expect(wrong.contains { $0.refusal?.field == "Say.limited" })
    }
}

struct LineComparisonTests {
    private static let schema = """
        enum Mood : uint8 { calm = 0; angry = 1; }
        flags Rights : uint16 { mute = 0x1; ban = 0x2; }
        struct Item sized(uint8) { uint32 id; optional float32 weight; }
        union Part : Mood sized(uint8) { calm: Item item; default: bytes other; }
        message Cs_1 {
            uint64 user; Mood mood; Rights rights; Item[] items; bytes raw; Part[] parts; String text; optional uint8 last;
        }
        """
    private static let line = #"""
        {"message":"Cs_1","id":1,"header":{"length":49,"id":1},"fields":{"user":"9007199254740993","mood":"angry",
        "rights":["mute",4],"items":[{"id":7,"weight":0.1},{"id":8}],"raw":"AQI=",
        "parts":[{"item":{"id":9}},{"other":{"tag":"angry","bytes":"AAE="}}],"text":"é"},"trailing":"0aff"}
        """#

    @Test(arguments: [
        #"{"trailing":"0AFF","id":1,"message":"Cs_1","header":{"id":1,"length":49},"fields":{"mood":1,"#
            + #""user":9007199254740993,"rights":[5],"items":[{"weight":0.10000000149011612,"id":7},"#
            + #"{"id":8,"weight":null}],"raw":"AQI=","parts":[{"item":{"weight":null,"id":9}},"#
            + #"{"other":{"bytes":"AAE=","tag":1}}],"text":"é","last":null}}"#,
        #"{"message":"Cs_1","fields":{"user":"9007199254740993","mood":"angry","rights":[4,"mute"],"#
            + #""items":[{"id":7,"weight":1.0e-1},{"id":8}],"raw":"AQI=","parts":[{"item":{"id":9}},"#
            + #"{"other":{"tag":"angry","bytes":"AAE="}}],"text":"é"},"trailing":"0aff"}"#,
    ])
    func `another notation of the same line counts as equal`(found: String) throws {
        let comparison = LineComparison(PacketTranslator(try describe(Self.schema)))
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
        (#"{"id":9}"#, #"{"id":5}"#, "fields.parts[0].item.id"), (#""item":{"#, #""other":{"#, "fields.parts[0]"),
        (#""tag":"angry""#, #""tag":2"#, "fields.parts[1].other.tag"),
        ("AAE=", "AAI=", "fields.parts[1].other.bytes"),
        (#""id":1,"header""#, #""id":2,"header""#, "id"), ("{\"id\":8}", "8", "fields.items[1]"),
    ])
    func `the first difference between two lines is named`(text: String, other: String, path: String) throws {
        let comparison = LineComparison(PacketTranslator(try describe(Self.schema)))
        let expected = try JSONValue(parsing: Self.line)
        #expect(Self.line.contains(text))
        let found = try JSONValue(parsing: Self.line.replacing(text, with: other))
        #expect(comparison.difference(expected, found)?.path == path)
    }
}

extension VectorMaker {
    static func vectors(
        of description: ProtocolDescription, count: Int, seed: UInt64, keys: [LayerKey] = []
    ) -> [ConformanceVector] {
        Array(IteratorSequence(VectorMaker(of: description, count: count, seed: seed, keys: keys)))
    }
}
