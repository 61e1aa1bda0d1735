// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSchema

struct GrowthTests {
    private func presences(_ fields: String, _ others: String = "") throws -> [FieldDescription.Presence] {
        try describe("message Cs_1 { \(fields) }\n\(others)").messages[0].fields.map(\.presence)
    }

    @Test func `fields are required, optional or added with @since`() throws {
        #expect(
            try presences("uint8 a; @since(1) uint8 b; @since(3) uint8 c; optional uint8 d; optional string e;")
                == [.required, .since(1, default: .zero), .since(3, default: .zero), .optional, .optional])
    }

    @Test func `defaults have the field's type`() throws {
        let fields = #"""
            @since(1) @default(-5) int8 a; @since(1) @default(0xFF) varint b; @since(1) @default(true) bool c;
            @since(1) @default(false) bool d; @since(1) @default(1.5) float e; @since(1) @default(2) double f;
            @since(1) @default("hi\n") string g; @since(1) @default(ok) E h; @since(1) @default(7) E i;
            @since(1) @default(ban) F j; @since(1) @default(3) F k; @since(1) @default(one) Closed l;
            @since(1) @default("") @rest string m;
            """#
        let others = """
            enum E : uint8 { failed = 0; ok = 1; } flags F : uint8 { mute = 1; ban = 2; }
            @closed enum Closed : uint8 { one = 1; }
            """
        let expected: [DefaultValue] = [
            .integer(-5), .integer(255), .integer(1), .integer(0), .float(1.5), .float(2), .string("hi\n"),
            .integer(1), .integer(7), .integer(2), .integer(3), .integer(1), .string(""),
        ]
        #expect(try presences(fields, others) == expected.map { .since(1, default: $0) })
    }

    @Test func `a sized struct can grow, too`() throws {
        let fields = try describe(
            "struct S sized(uint8) { uint8 a; optional uint8 b; @since(2) @default(4) uint8 c; }", warns: true
        )
        .structures[0].fields
        #expect(fields.map(\.presence) == [.required, .optional, .since(2, default: .integer(4))])
    }

    @Test func `a field to the end may be added with @since`() throws {
        #expect(try presences("uint8 a; @since(2) @rest bytes b;") == [.required, .since(2, default: .zero)])
        #expect(try presences("uint8 a; @since(2) properties b;") == [.required, .since(2, default: .zero)])
    }

    @Test func `a struct with fields that may be missing has a zero, even with closed enums`() throws {
        let others = "@closed enum E : uint8 { one = 1; } struct S sized(uint8) { uint8 a; E[] e; optional E f; }"
        #expect(try presences("@since(1) S s;", others) == [.since(1, default: .zero)])
    }
}
