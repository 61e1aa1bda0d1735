// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

struct DeclarationTests {
    @Test func `an empty folder is a protocol without messages and with the default packet`() throws {
        let description = try #require(ProtocolDescription.check(name: "Empty", files: []).description)
        #expect(description == ProtocolDescription(name: "Empty"))
    }

    @Test func `a message may be empty`() throws {
        #expect(try describe("message Cs_1 { }").messages[0].fields.isEmpty)
    }

    @Test func `semicolons after declarations are allowed, as in C`() throws {
        #expect(try describe("message Cs_1 { uint8 a; };;").messages.count == 1)
    }

    @Test func `a character stands for the number of its ASCII code wherever a number may stand`() throws {
        let description = try describe(
            """
            option max_depth = ' ';
            packet { @constant('\\') uint8 start; @length(packet) uint32 length; @id uint16 id; }
            @id('Q') @from(client) message Query { @range('a'..'z') @since(1) @default('q') uint8 a; }
            enum E : uint8 { a = 'A'; quote = '''; reserved '0' to '9'; }
            const int8 c = -'"';
            reserved 'x', '0' to '9';
            """)
        #expect(description.messages[0].id == 0x51)
        #expect(description.messages[0].fields[0].range == 0x61...0x7A)
        #expect(description.messages[0].fields[0].presence == .since(1, default: .integer(0x71)))
        #expect(description.enumerations[0].cases.map(\.value) == [0x41, 0x27])
        #expect(description.enumerations[0].reservedValues == [0x30...0x39])
        #expect(description.constants[0].value == -0x22)
        #expect(description.layout.header[0].role == .constant(0x5C))
        #expect(description.options.maximumDepth == 0x20)
        #expect(description.reservedIDs == [0x78...0x78, 0x30...0x39])
    }

    @Test(arguments: [
        "message", "struct", "enum", "flags", "const", "reserved", "option", "packet", "payload", "optional",
        "repeated", "sized", "union", "default", "to", "uint8", "String", "bytes", "true", "client",
    ])
    func `any word can name a field`(word: String) throws {
        let description = try describe(
            """
            message Cs_1 { uint8 \(word) = 1; }
            message Cs_2 { optional uint8 \(word); }
            message Cs_3 { repeated uint8 \(word); }
            message Cs_4 { uint8[4] \(word); }
            enum E : uint8 { \(word) = 1; }
            flags F : uint8 { \(word) = 1; }
            """)
        #expect(description.messages.map { $0.fields[0].name } == [word, word, word, word])
        #expect(description.enumerations[0].cases[0].name == word)
        #expect(description.flagSets[0].cases[0].name == word)
    }

    @Test(arguments: [
        "message", "struct", "enum", "flags", "const", "reserved", "option", "packet", "payload", "optional",
        "repeated", "sized", "union",
    ])
    func `any keyword can name a type`(word: String) throws {
        let description = try describe(
            """
            struct \(word) { uint8 a; }
            message Cs_1 { \(word) a; \(word) \(word); optional \(word)[] b; optional repeated \(word) c; }
            """)
        #expect(description.messages[0].fields.map(\.name) == ["a", word, "b", "c"])
        #expect(description.messages[0].fields[1].type == .structure(0))
    }

    @Test func `types can be used before they are declared`() throws {
        let description = try describe(
            "message Cs_1 { E e; F f; S s; } struct S { E e; } enum E : uint8 { a = 1; } flags F : uint8 { a = 1; }")
        #expect(
            description.messages[0].fields.map(\.type) == [
                .enumeration(0, .bigEndian), .flags(0, .bigEndian), .structure(0),
            ])
    }

    @Test func `an enum has names, numbers and reserved values`() throws {
        let enumeration = try describe(
            "@closed enum E : int16 { low = -32768; none = 0; high = 0x7FFF; reserved 5, 7 to 9, -3 to -1; reserved = 1; }"
        ).enumerations[0]
        #expect(enumeration.format == .int16)
        #expect(enumeration.isClosed)
        #expect(enumeration.cases.map(\.name) == ["low", "none", "high", "reserved"])
        #expect(enumeration.cases.map(\.value) == [-32768, 0, 32767, 1])
        #expect(enumeration.reservedValues == [5...5, 7...9, -3 ... -1])
    }

    @Test func `an enum is open unless it is declared closed`() throws {
        #expect(try !describe("enum E : uint8 { a = 1; }").enumerations[0].isClosed)
    }

    @Test func `flags have masks, which may overlap`() throws {
        let flags = try describe("flags F : uint64 { a = 1; b = 0x8000000000000000; all = 0xFFFFFFFFFFFFFFFF; }")
            .flagSets[0]
        #expect(flags.format == .uint64)
        #expect(flags.cases.map(\.value) == [1, 0x8000_0000_0000_0000, 0xFFFF_FFFF_FFFF_FFFF])
    }

    @Test func `constants have a type and a value, and can count lists`() throws {
        let description = try describe(
            "message Cs_1 { uint8[seats] a; } const uint8 seats = 4; const int24 lowest = -0x800000;")
        #expect(description.constants.map(\.name) == ["seats", "lowest"])
        #expect(description.constants.map(\.format) == [.uint8, .int24])
        #expect(description.constants.map(\.value) == [4, -0x80_0000])
        #expect(description.messages[0].fields[0].type == .fixedList(.integer(.uint8, .bigEndian), count: 4))
    }

    @Test func `reserved IDs are single numbers or ranges`() throws {
        let description = try describe("reserved 20003, 20010 to 20019; reserved 0x10;")
        #expect(description.reservedIDs == [20003...20003, 20010...20019, 16...16])
    }

    @Test func `a struct may declare a size prefix`() throws {
        let structures = try describe(
            """
            struct A { uint8 a; } struct B sized(uint8) { uint8 a; } struct C sized(varint) { }
            """
        ).structures
        #expect(structures.map(\.sizePrefix) == [nil, .uint8, .varint])
    }

    @Test func `the schema's own names are kept beside the names from @name`() throws {
        let description = try describe(
            """
            @name(EnterScene) message Cs_1 { @name(scene) uint8 SceneId; }
            @name(Point2D) struct P { uint8 x; }
            @name(Mode) enum E : uint8 { @name(on) an = 1; }
            @name(Rights) flags F : uint8 { @name(mute) stumm = 1; }
            """)
        #expect(description.messages[0].alias == "EnterScene")
        #expect(description.messages[0].fields[0].alias == "scene")
        #expect(description.structures[0].alias == "Point2D")
        #expect(description.enumerations[0].alias == "Mode")
        #expect(description.enumerations[0].cases[0].alias == "on")
        #expect(description.flagSets[0].alias == "Rights")
        #expect(description.flagSets[0].cases[0].alias == "mute")
        #expect(description.message(named: "EnterScene")?.name == "Cs_1")
    }

    @Test func `everything may be deprecated, with a reason`() throws {
        let description = try describe(
            #"""
            @deprecated("m") message Cs_1 { @deprecated("f \"x\" \\ \n\t。") uint8 a; }
            @deprecated("s") struct P { uint8 x; }
            @deprecated("e") enum E : uint8 { @deprecated("c") a = 1; }
            @deprecated("f") flags F : uint8 { @deprecated("b") a = 1; }
            """#)
        #expect(description.messages[0].deprecation == "m")
        #expect(description.messages[0].fields[0].deprecation == "f \"x\" \\ \n\t。")
        #expect(description.structures[0].deprecation == "s")
        #expect(description.enumerations[0].deprecation == "e")
        #expect(description.enumerations[0].cases[0].deprecation == "c")
        #expect(description.flagSets[0].deprecation == "f")
        #expect(description.flagSets[0].cases[0].deprecation == "b")
    }

    @Test func `locations count bytes, whatever comes before`() throws {
        let description = try describe("/* 场景 */ message Cs_1 {\n\tuint8 a; }\nstruct S { uint8 a; }")
        #expect(description.messages[0].location == SourceLocation(file: "a.wire", line: 1, column: 22))
        #expect(description.messages[0].fields[0].location == SourceLocation(file: "a.wire", line: 2, column: 8))
        #expect(description.structures[0].location == SourceLocation(file: "a.wire", line: 3, column: 8))
    }
}
