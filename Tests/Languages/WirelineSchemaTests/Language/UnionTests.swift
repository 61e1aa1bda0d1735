// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

/// Unions in a schema that is valid.
struct UnionTests {
    @Test func `a union has a tag, a size and arms, of which the default arm is the last`() throws {
        let description = try describe(
            """
            option byte_order = little;
            // What may follow.
            @name(Addition) @deprecated("use Part")
            union Extra : uint16 sized(uint32) {
                default: bytes other;        // Anything else.
                0x01:    @range(0..9) int8 level;
                // In kilometres.
                'Q':     @name(far) varint mileage = 7;
                3:       nothing;            // No value.
            }
            message Cs_1 { Extra[] extras; }
            """)
        let union = try #require(description.unions.first)
        #expect(union.name == "Extra" && union.alias == "Addition" && union.deprecation == "use Part")
        #expect(union.documentation == "What may follow.")
        #expect(union.tag == .integer(.uint16, .littleEndian))
        #expect(union.sizePrefix == .uint32 && union.byteOrder == .littleEndian)
        #expect(union.arms.map(\.name) == ["level", "mileage", "nothing", "other"])
        #expect(union.arms.map(\.tag) == [1, 81, 3, nil])
        #expect(union.arms.map(\.alias) == [nil, "far", nil, nil])
        #expect(union.arms.map(\.documentation) == ["", "In kilometres.", "No value.", "Anything else."])
        #expect(
            union.fields.map(\.type) == [.integer(.int8, .littleEndian), .varint(maximumByteCount: 10), .bytes(.rest)])
        #expect(union.fields.map(\.range) == [0...9, nil, nil])
        #expect(union.fields.map(\.number) == [nil, 7, nil])
        #expect(union.fields.map(\.offset) == [0, 0, 0])
        #expect(union.defaultArm?.name == "other")
        #expect(description.messages[0].fields[0].type == .list(.union(0), .counted(.uint16, .littleEndian)))
    }

    @Test(
        arguments: [
            ("uint8", .uint8), ("int24", .integer(.int24, .bigEndian)), ("uint64", .integer(.uint64, .bigEndian)),
            ("varint", .varint(maximumByteCount: 10)),
        ] as [(String, TypeDescription)])
    func `a tag is an integer of whole bytes or a varint`(type: String, tag: TypeDescription) throws {
        let union = try describe("union U : \(type) { 1: uint8 a; }").unions[0]
        #expect(union.tag == tag && union.sizePrefix == nil && union.defaultArm == nil)
    }

    @Test func `the tags of an enum are its names, wherever it is declared`() throws {
        let description = try describe(
            """
            union U : E { two: uint8 a; one: nothing; default: bytes rest; }
            message Cs_1 { U u; }
            enum E : uint16 { one = 1; two = 2; }
            """)
        #expect(description.unions[0].tag == .enumeration(0, .bigEndian))
        #expect(description.unions[0].arms.map(\.tag) == [2, 1, nil])
    }

    @Test(arguments: ["union", "default", "sized", "padding", "optional", "uint8"])
    func `any word can name an arm`(word: String) throws {
        let union = try describe("union U : uint8 { 1: uint8 \(word); } union V : uint8 { 1: \(word); }")
        #expect(union.unions.map { $0.arms.map(\.name) } == [[word], [word]])
    }

    @Test(arguments: [
        // Through a list, also by way of a struct or another union.
        "union U : uint8 { 0: leaf; 1: U[] branches; } message Cs_1 { U u; }",
        "struct S { V[] list; } union V : uint8 { 0: leaf; 1: S s; } message Cs_1 { V v; }",
        "union A : uint8 { 0: leaf; 1: B b; } union B : uint8 { 1: A[] list; } message Cs_1 { A a; }",
        // To the end of a body of known size.
        "union U : uint8 { 1: @rest bytes all; } union V : uint8 sized(uint8) { 1: U u; } message Cs_1 { V[] list; }",
        "union U : uint8 { 1: @rest bytes all; 2: nothing; } message Cs_1 { uint8 a; U u; }",
        "union U : uint8 { 1: @rest bytes all; } message Cs_1 { uint8 a; @if(a) U u; }",
        "union U : uint8 { 1: @rest bytes all; } struct S sized(uint8) { uint8 a; U u; } message Cs_1 { S[] list; }",
        // A list of unions has a zero, which is empty.
        "union U : uint8 { 1: uint8 a; } message Cs_1 { @since(2) U[] list; optional U u; }",
    ])
    func `unions are allowed where they end and begin`(source: String) throws {
        _ = try describe(source)
    }

    @Test func `a union has up to 256 arms`() throws {
        let arms = (0..<256).map { "\($0): a\($0);" }.joined(separator: " ")
        #expect(try describe("union U : uint8 { \(arms) }").unions[0].arms.count == 256)
    }

    @Test func `a value takes its tag, its size and the value of any arm`() throws {
        let description = try describe(
            """
            union A : uint8 { 1: uint16 a; 2: uint8[2] b; }
            union B : uint16 { 1: uint16 a; 2: uint8 b; 3: nothing; }
            union C : varint sized(uint16) { 1: uint16 a; 2: int16 b; }
            """)
        let sizes = WireSizes(description)
        #expect([0, 1, 2].map { sizes.size(of: .union($0)).fixedByteCount } == [3, nil, nil])
        #expect([0, 1, 2].map { sizes.size(of: .union($0)).minimumByteCount } == [3, 2, 5])
    }

    @Test func `a union has at most 256 arms`() {
        let arms = (0...256).map { "\($0): a\($0);" }.joined(separator: " ")
        let found = check("union U : uint16 { \(arms) }").diagnostics
        #expect(found.map(\.message) == ["`U` has 257 arms, 256 are allowed"])
        #expect(found.map(\.hint) == ["let a `default` arm keep the rare ones, or put a second tag into a struct"])
    }
}
