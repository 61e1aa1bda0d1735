// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

struct FieldTypeTests {
    /// The type of the only field of a message, with other declarations after it.
    private func type(_ field: String, _ others: String = "") throws -> TypeDescription {
        try describe("message Cs_1 { \(field) }\n\(others)").messages[0].fields[0].type
    }

    @Test(arguments: IntegerFormat.allCases)
    func `integers are big-endian by default`(format: IntegerFormat) throws {
        #expect(try type("\(format.name) a;") == .integer(format, .bigEndian))
    }

    @Test(arguments: [
        ("float a;", TypeDescription.float(.binary32, .bigEndian)),
        ("float32 a;", .float(.binary32, .bigEndian)),
        ("float16 a;", .float(.binary16, .bigEndian)),
        ("double a;", .float(.binary64, .bigEndian)),
        ("float64 a;", .float(.binary64, .bigEndian)),
        ("bool a;", .boolean),
        ("varint a;", .varint(maximumByteCount: 10)),
        ("@max_bytes(4) varint a;", .varint(maximumByteCount: 4)),
        ("zigzag a;", .varint(VarintFormat(.zigzag))), ("varint32 a;", .varint(VarintFormat(.signed32))),
        ("varint64 a;", .varint(VarintFormat(.signed64))),
        ("@max_bytes(3) zigzag a;", .varint(VarintFormat(.zigzag, maximumByteCount: 3))),
        ("varint32[] a;", .list(.varint(VarintFormat(.signed32)), .counted(.uint16, .bigEndian))),
        ("zigzag zigzag;", .varint(VarintFormat(.zigzag))),
        ("string a;", .string(.counted(.uint16, .bigEndian))),
        ("String a;", .string(.counted(.uint16, .bigEndian))),
        ("@count(uint8) string a;", .string(.counted(.uint8, .bigEndian))),
        ("@count(uint32) bytes a;", .bytes(.counted(.uint32, .bigEndian))),
        ("@count(varint) bytes a;", .bytes(.counted(.varint, .bigEndian))),
        ("@terminated string a;", .string(.terminated)),
        ("@terminated bytes a;", .bytes(.terminated)),
        ("@rest string a;", .string(.rest)),
        ("@rest bytes a;", .bytes(.rest)),
        ("properties a;", .properties(isStrict: true)),
        ("@little uint16 a;", .integer(.uint16, .littleEndian)),
        ("@big uint16 a;", .integer(.uint16, .bigEndian)),
        ("@little float16 a;", .float(.binary16, .littleEndian)),
        ("@little double a;", .float(.binary64, .littleEndian)),
        ("@little string a;", .string(.counted(.uint16, .littleEndian))),
        ("@utf16 string a;", .utf16(.counted(.uint16, .bigEndian), .bigEndian)),
        ("@utf16 @little @terminated string a;", .utf16(.terminated, .littleEndian)),
        ("@utf16 @rest string a;", .utf16(.rest, .bigEndian)),
        ("@utf16 @little char[12] a;", .utf16(.fixed(byteCount: 24, padding: 0), .littleEndian)),
        ("@utf16 @pad(0x20) char[12] a;", .utf16(.fixed(byteCount: 24, padding: 0x20), .bigEndian)),
        ("@utf16 string[] a;", .list(.utf16(.counted(.uint16, .bigEndian), .bigEndian), .counted(.uint16, .bigEndian))),
        ("char[24] a;", .string(.fixed(byteCount: 24, padding: 0))),
        ("char[65535] a;", .string(.fixed(byteCount: 65535, padding: 0))),
        ("@pad(0x20) char[0x10] a;", .string(.fixed(byteCount: 16, padding: 0x20))),
        ("bcd[6] a;", .digits(DigitFormat(.bcd, byteCount: 6))),
        ("@size(16) bytes a;", .bytes(.exact(byteCount: 16))),
        ("@size(0x10) string a;", .string(.exact(byteCount: 16))),
        ("@little @size(uint32) bytes a;", .bytes(.counted(.uint32, .littleEndian))),
        ("@size(uint8) uint8[] a;", .sized(.list(.integer(.uint8, .bigEndian), .rest), .counted(.uint8, .bigEndian))),
        ("@size(8) repeated uint16 a;", .sized(.list(.integer(.uint16, .bigEndian), .rest), .exact(byteCount: 8))),
    ])
    func `simple types have the declared encoding`(field: String, expected: TypeDescription) throws {
        #expect(try type(field) == expected)
    }

    @Test(arguments: [
        ("uint8[4] a;", TypeDescription.fixedList(.integer(.uint8, .bigEndian), count: 4)),
        ("uint8[65535] a;", .fixedList(.integer(.uint8, .bigEndian), count: 65535)),
        ("uint8[0x10] a;", .fixedList(.integer(.uint8, .bigEndian), count: 16)),
        ("uint8[] a;", .list(.integer(.uint8, .bigEndian), .counted(.uint16, .bigEndian))),
        ("char[8][4] a;", .fixedList(.string(.fixed(byteCount: 8, padding: 0)), count: 4)),
        ("char[8][] a;", .list(.string(.fixed(byteCount: 8, padding: 0)), .counted(.uint16, .bigEndian))),
        ("@pad(1) @rest char[8][] a;", .list(.string(.fixed(byteCount: 8, padding: 1)), .rest)),
        (
            "@count(uint8) repeated bcd[2] a;",
            .list(.digits(DigitFormat(.bcd, byteCount: 2)), .counted(.uint8, .bigEndian))
        ),
        ("repeated uint8 a;", .list(.integer(.uint8, .bigEndian), .counted(.uint16, .bigEndian))),
        ("@count(uint8) string[] a;", .list(.string(.counted(.uint16, .bigEndian)), .counted(.uint8, .bigEndian))),
        ("@terminated string[] a;", .list(.string(.terminated), .counted(.uint16, .bigEndian))),
        ("@terminated string[3] a;", .fixedList(.string(.terminated), count: 3)),
        (
            "@count(varint) @terminated repeated bytes a;",
            .list(.bytes(.terminated), .counted(.varint, .bigEndian))
        ),
        ("@until(0) uint8[] a;", .list(.integer(.uint8, .bigEndian), .until(0))),
        ("@until(0xFF) repeated uint16 a;", .list(.integer(.uint16, .bigEndian), .until(0xFF))),
        ("@until(';') @little @max(3) uint16[] a;", .list(.integer(.uint16, .littleEndian), .until(0x3B))),
        ("@until(255) @terminated string[] a;", .list(.string(.terminated), .until(255))),
        ("@rest @terminated string[] a;", .list(.string(.terminated), .rest)),
        ("@rest repeated uint32 a;", .list(.integer(.uint32, .bigEndian), .rest)),
        ("@max_bytes(3) varint[] a;", .list(.varint(maximumByteCount: 3), .counted(.uint16, .bigEndian))),
        (
            "@little string[] a;",
            .list(.string(.counted(.uint16, .littleEndian)), .counted(.uint16, .littleEndian))
        ),
    ])
    func `lists have a fixed count, a count prefix, or go to the end`(field: String, expected: TypeDescription) throws {
        #expect(try type(field) == expected)
    }

    @Test func `@little applies to an enum, flags and the prefix of a list of structs, not to the structs`() throws {
        let others = "enum E : uint16 { a = 1; } flags F : uint32 { a = 1; } struct S { uint16 a; }"
        #expect(try type("@little E a;", others) == .enumeration(0, .littleEndian))
        #expect(try type("@little F[] a;", others) == .list(.flags(0, .littleEndian), .counted(.uint16, .littleEndian)))
        #expect(try type("@little S[] a;", others) == .list(.structure(0), .counted(.uint16, .littleEndian)))
    }

    @Test func `options set what fields leave open`() throws {
        let options =
            "option byte_order = little; option string_count = uint8; option list_count = varint; option properties = lenient;"
        #expect(try type("uint16 a;", options) == .integer(.uint16, .littleEndian))
        #expect(try type("@big uint16 a;", options) == .integer(.uint16, .bigEndian))
        #expect(try type("string a;", options) == .string(.counted(.uint8, .littleEndian)))
        #expect(
            try type("bytes[] a;", options)
                == .list(.bytes(.counted(.uint8, .littleEndian)), .counted(.varint, .littleEndian)))
        #expect(try type("properties a;", options) == .properties(isStrict: false))
        #expect(try describe("struct S sized(uint16) { uint8 a; } \(options)").structures[0].byteOrder == .littleEndian)
    }

    @Test func `a field has its range and its limit`() throws {
        let fields = try describe(
            """
            message Cs_1 {
                @range(0..100) uint8 a; @range(-0x80..-1) int8 b; @range(1..1) varint c;
                @range(-0.5..1e3) float d; @range(0..1) double e; @max(32) string f; @max(65535) uint8[] g;
                @max(100000) @terminated string h; @sensitive string i; @max(3) @rest bytes j;
            }
            """
        ).messages[0].fields
        #expect(fields.map(\.range) == [0...100, -128 ... -1, 1...1, nil, nil, nil, nil, nil, nil, nil])
        #expect(fields.compactMap(\.floatRange) == [-0.5...1000, 0...1])
        #expect(fields.map(\.maximumCount) == [nil, nil, nil, nil, nil, 32, 65535, 100_000, nil, 3])
        #expect(fields.filter(\.isSensitive).map(\.name) == ["i"])
    }

    @Test func `the bounds of a float's range are rounded to its type`() throws {
        let fields = try describe(
            """
            message Cs_1 {
                @range(0.7..1.1) float64 a; @range(0.7..1.1) float32 b; @range(-1e39..1e39) float32 c;
                @since(1) @range(0.7..1.1) @default(0.7) float32 d; @since(1) @range(0.1..1.1) @default(1.1) float32 e;
                @since(1) @range(0.1..0.7) @default(0.7) float16 f; @since(1) @range(-1e5..1e5) float16 g;
            }
            """
        ).messages[0].fields
        let narrow = Double(0.7 as Float)...Double(1.1 as Float)
        #expect(fields.prefix(4).map(\.floatRange) == [0.7...1.1, narrow, FloatFormat.binary32.range, narrow])
        #expect(fields.suffix(2).map(\.floatRange) == [0.0999755859375...0.7001953125, -65504...65504])
    }

    @Test func `offsets are known as long as all widths are fixed`() throws {
        let description = try describe(
            """
            struct P { uint16 x; uint24 y; }
            struct Z sized(uint16) { uint8 a; uint8 b; }
            message Cs_1 { uint8 a; P[3] b; bool c; double d; optional string e; optional uint8 f; }
            message Cs_2 { Z a; uint8 b; }
            """)
        #expect(description.messages[0].fields.map(\.offset) == [0, 1, 16, 17, 25, nil])
        #expect(description.messages[1].fields.map(\.offset) == [0, nil])
        #expect(description.structures[1].fields.map(\.offset) == [0, 1])
    }

    @Test(arguments: [
        ("uint4 a; bit b; uint2 c; bit d;", "", ["1:4<<4", "1:1<<3", "1:2<<1", "1:1<<0"], [0, 0, 0, 0]),
        ("uint8 a; uint12 b; uint4 c; uint8 d;", "", ["-", "2:12<<4", "2:4<<0", "-"], [0, 1, 1, 3]),
        ("uint4 a; uint4 b; int4 c; int4 d;", "", ["1:4<<4", "1:4<<0", "1:4<<4", "1:4<<0"], [0, 0, 1, 1]),
        (
            "uint4 a; uint8 b; uint4 c; E d; F e;", "", ["2:4<<12", "2:8<<4", "2:4<<0", "1:2<<6", "1:6<<0"],
            [0, 0, 0, 2, 2]
        ),
        ("bit a; uint63 b;", "", ["8:1<<63", "8:63<<0"], [0, 0]),
        ("@little uint12 a; @little int4 b;", "", ["2:12<<4 little", "2:4<<0 little"], [0, 0]),
        ("bit a; uint7 b; uint40 c;", "option byte_order = little;", ["1:1<<7", "1:7<<0", "-"], [0, 0, 1]),
    ])
    func `fields share bytes from one byte boundary to the next at which a field ends`(
        fields: String, option: String, places: [String], offsets: [Int]
    ) throws {
        let others = "enum E : uint2 { a = 0; } flags F : uint6 { a = 1; }"
        let found = try describe("\(option) \(others) message Cs_1 { \(fields) }").messages[0].fields
        let texts = found.map { field in
            field.packing.map {
                "\($0.runByteCount):\($0.bitWidth)<<\($0.shift)" + ($0.byteOrder == .littleEndian ? " little" : "")
            } ?? "-"
        }
        #expect(texts == places)
        #expect(found.map(\.offset) == offsets)
    }

    @Test func `a list of structs of eight bits takes no more memory than its bytes pay for`() throws {
        let bits = (0..<8).map { "bit b\($0);" }.joined(separator: " ")
        #expect(try describe("struct S { \(bits) } message Cs_1 { S[] a; }").structures[0].fields.count == 8)
    }

    @Test func `the words for bits are names of fields, too`() throws {
        let fields = try describe("message Cs_1 { bit bit; uint7 uint7; }").messages[0].fields
        #expect(fields.map(\.name) == ["bit", "uint7"])
        #expect(fields[0].type == .bit(.bigEndian))
    }

    @Test func `structs can contain themselves in lists`() throws {
        let node = try describe("struct Node { uint8 a; Node[] children; Other o; } struct Other { repeated Node n; }")
            .structures[0]
        #expect(node.fields[1].type == .list(.structure(0), .counted(.uint16, .bigEndian)))
    }

    @Test func `field numbers are optional and may leave gaps`() throws {
        #expect(
            try describe("message Cs_1 { uint8 a = 0; uint8 b; uint8 c = 0x10; }").messages[0].fields.map(\.number)
                == [0, nil, 16])
    }

    @Test func `padding is a name everywhere else`() throws {
        let description = try describe(
            "struct padding { uint8 padding; } message Cs_1 { padding padding; padding 2; padding[2] more; padding 1; }"
        )
        #expect(description.messages[0].fields.map(\.name) == ["padding", "padding[0]", "more", "padding[1]"])
        #expect(description.messages[0].fields.map(\.hasValue) == [true, false, true, false])
        #expect(description.messages[0].fields.map(\.offset) == [0, 1, 3, 5])
    }

    @Test func `declared types may be called char and bcd, and fields too`() throws {
        let description = try describe(
            """
            struct char { uint8 a; }
            enum bcd : uint8 { char = 0; }
            message Cs_1 { char[4] char; bcd[2] bcd; char pad; }
            """)
        #expect(
            description.messages[0].fields.map(\.type) == [
                .fixedList(.structure(0), count: 4), .fixedList(.enumeration(0, .bigEndian), count: 2), .structure(0),
            ])
    }
}
