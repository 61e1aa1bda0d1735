// SPDX-License-Identifier: Apache-2.0

import Testing
import TestingSupport
import WirelineCodec
import WirelineSchema

/// Pairs of unions with known consequences.
struct UnionCompatibilityTests {
    @Test(arguments: [
        // Arms that come and go.
        (
            "U : uint8 { 1: uint8 a; }", "U : uint8 { 1: uint8 a; 2: uint8 b; }",
            ["UNION_NO_ARM union U.b: old refuses, new reads"]
        ),
        (
            "U : uint8 sized(uint8) { 1: uint8 a; }", "U : uint8 sized(uint8) { 1: uint8 a; 2: nothing; }",
            ["UNION_NO_ARM union U.nothing: old refuses, new reads"]
        ),
        (
            "U : uint8 sized(uint8) { 1: uint8 a; default: bytes o; }",
            "U : uint8 sized(uint8) { 1: uint8 a; 2: uint8 b; default: bytes o; }",
            ["ADDITION union U.b: old reads, new reads"]
        ),
        (
            "U : uint8 { 1: uint8 a; 2: uint8 b; }", "U : uint8 { 1: uint8 a; }",
            ["UNION_NO_ARM union U.b: old reads, new refuses"]
        ),
        (
            "U : uint8 sized(uint8) { 1: uint8 a; 2: uint8 b; default: bytes o; }",
            "U : uint8 sized(uint8) { 1: uint8 a; default: bytes o; }",
            ["UNION_NO_ARM union U.b: old reads, new reads"]
        ),
        (
            "U : uint8 sized(uint8) { 1: uint8 a; default: bytes o; }", "U : uint8 sized(uint8) { 1: uint8 a; }",
            ["UNION_NO_ARM union U.o: old reads, new refuses"]
        ),
        (
            "U : uint8 sized(uint8) { 1: uint8 a; }", "U : uint8 sized(uint8) { 1: uint8 a; default: bytes o; }",
            ["UNION_NO_ARM union U.o: old refuses, new reads"]
        ),
        ("U : uint8 { 1: uint8 a; 2: int16 b; }", "U : uint8 { 2: int16 b; 1: uint8 a; }", []),
        // Tags.
        (
            "U : uint8 { 1: uint8 a; }", "U : uint8 { 3: uint8 a; }",
            ["UNION_SAME_TAG union U.a: old refuses, new refuses"]
        ),
        (
            "U : uint8 { 1: uint8 a; 2: uint8 b; }", "U : uint8 { 2: uint8 a; 1: uint8 b; }",
            [
                "UNION_SAME_TAG union U.a: old misreads, new misreads",
                "UNION_SAME_TAG union U.b: old misreads, new misreads",
            ]
        ),
        (
            "U : uint8 { 1: uint8 a; }", "U : uint16 { 1: uint8 a; }",
            ["UNION_SAME_TAG union U: old refuses, new refuses"]
        ),
        (
            "U : uint8 { 1: uint8 a; }", "U : E { one: uint8 a; }",
            ["UNION_SAME_TAG union U: old reads, new reads"]
        ),
        // Sizes.
        (
            "U : uint8 { 1: uint8 a; }", "U : uint8 sized(uint8) { 1: uint8 a; }",
            ["STRUCT_SAME_SIZED union U: old misreads, new refuses"]
        ),
        (
            "U : uint8 sized(uint8) { 1: uint8 a; }", "U : uint8 sized(uint16) { 1: uint8 a; }",
            ["STRUCT_SAME_SIZED union U: old refuses, new refuses"]
        ),
        (
            "U : uint8 sized(uint8) { 1: uint8 a; }", "U : uint8 sized(varint) { 1: uint8 a; }",
            ["STRUCT_SAME_SIZED union U: old reads, new reads"]
        ),
        (
            "U : uint8 sized(uint8) { 1: string a; }", "U : uint8 sized(varint) { 1: string a; }",
            ["STRUCT_SAME_SIZED union U: old refuses, new refuses"]
        ),
        // Values.
        (
            "U : uint8 { 1: uint8 a; }", "U : uint8 { 1: uint16 a; }",
            ["FIELD_SAME_TYPE union U.a: old misreads, new refuses"]
        ),
        (
            "U : uint8 { 1: uint8 a; }", "U : uint8 { 1: @range(0..9) uint8 a; }",
            ["RANGE_NO_NARROW union U.a: old reads, new refuses"]
        ),
        (
            "U : uint8 { 1: uint8 a; }", "U : uint8 { 1: a; }",
            ["FIELD_SAME_TYPE union U.a: old refuses, new misreads"]
        ),
        // Names.
        ("U : uint8 { 1: uint8 a; }", "U : uint8 { 1: uint8 b; }", ["FIELD_SAME_NAME union U.b: old reads, new reads"]),
        ("U : uint8 { 1: a; }", "U : uint8 { 1: b; }", ["FIELD_SAME_NAME union U.b: old reads, new reads"]),
        (
            "U : uint8 { 1: a; default: bytes b; }", "U : uint8 { 1: a; default: bytes c; }",
            ["FIELD_SAME_NAME union U.c: old reads, new reads"]
        ),
        ("U : uint8 { 1: uint8 a; }", "V : uint8 { 1: uint8 a; }", ["TYPE_SAME_NAME union V: old reads, new reads"]),
        (
            "U : uint8 { 1: uint8 a; }", "U : uint8 { 1: @name(x) uint8 a; }",
            ["ALIAS_SAME union U.a: old reads, new reads"]
        ),
    ])
    func `changes of unions have the expected effects`(old: String, new: String, expected: [String]) throws {
        let others = "enum E : uint8 { one = 1; }"
        func source(_ union: String) -> String { "\(others) union \(union) message Cs_1 { \(union.prefix(1)) u; }" }
        let found = try verdicts(source(old), source(new))
        #expect(found == expected)
    }

    @Test(arguments: [
        (
            "uint8 k; uint8 x; @tag(k) U u;", "uint8 k; uint8 x; U u;",
            ["FIELD_SAME_TYPE Cs_1.k: old reads, new misreads", "UNION_SAME_TAG Cs_1.u: old misreads, new refuses"]
        ),
        (
            "uint8 k; uint8 x; @tag(k) U u;", "uint8 n; uint8 x; @tag(n) U u;",
            ["FIELD_SAME_NAME Cs_1.n: old reads, new reads"]
        ),
        (
            "uint8 k; uint8 x; @tag(k) U u;", "uint8 k; uint8 y; @tag(k) U u;",
            ["FIELD_SAME_NAME Cs_1.y: old reads, new reads"]
        ),
        (
            "uint8 k; @tag(k) U u;", "uint8 k; @tag(k) optional U u;",
            ["FIELD_OPTIONALITY Cs_1.u: old refuses, new reads"]
        ),
    ])
    func `changes of tags in other fields have the expected effects`(
        old: String, new: String, expected: [String]
    ) throws {
        func source(_ fields: String) -> String {
            "union U : uint8 { 1: uint8 a; 2: uint16 b; } message Cs_1 { \(fields) }"
        }
        let found = try verdicts(source(old), source(new))
        #expect(found == expected)
    }

    @Test(arguments: ["1: S a; 2: T b;", "2: T b; 1: S a;", "1: U a; 2: T b;"])
    func `a change of a field is tried in the arm that leads to it`(arms: String) throws {
        let others = "struct S { uint8 a; } union U : uint8 { 1: S a; 2: uint32 b; } struct T { uint8 b; } "
        let text = others + "union V : uint8 sized(uint8) { \(arms) } message Cs_1 { uint8 k; @if(k == 77) V v; }"
        // Numbers under 128 are the same.
        let found = try verdicts(text, text.replacing("S { uint8 a; }", with: "S { varint a; }"))
        #expect(found.count == 1 && found[0].hasPrefix("FIELD_SAME_TYPE struct S.a:"), "\(found)")
        #expect(!found[0].contains("old reads") && !found[0].contains("new reads"), "\(found)")
    }

    @Test func `values are tried for which something else is there, too`() throws {
        func source(_ list: String) -> String {
            """
            option list_count = uint8;
            union U : uint8 sized(uint8) { 1: none; 4: uint32 some; }
            message Cs_1 { uint8 k; uint8 a; \(list) padding 3; @if(not a) @tag(k) U u; }
            """
        }
        let found = try verdicts(source("@if(a <= 54) uint8[] b;"), source(""))
        #expect(found.contains("FIELD_NO_DELETE Cs_1.b: old refuses, new refuses"), "\(found)")
    }

    @Test func `kept values are tried, too, for only they have bytes here`() throws {
        func source(_ padding: Int) -> String {
            """
            option byte_order = little;
            union U : uint8 sized(uint16) { 1: none; default: bytes kept; }
            message Cs_1 { uint8 k; padding \(padding); @tag(k) U u; }
            """
        }
        let found = try verdicts(source(2), source(1))
        #expect(found.contains { $0.hasSuffix("old refuses, new refuses") }, "\(found)")
    }

    @Test func `a new arm that an old reader keeps is shown with its packet`() throws {
        let old = try describe("union U : uint8 { 1: uint8 a; } message Cs_1 { uint8 n; U[] list; }")
        let new = try describe("union U : uint8 { 1: uint8 a; 2: uint8 b; } message Cs_1 { uint8 n; U[] list; }")
        let change = try #require(new.changes(since: old).first)
        #expect(change.rule == .unionArm && change.subject == "union U.b")
        let failure = try #require(change.failures.first)
        #expect(failure.reader == .old)
        guard case .refused(let error) = failure.outcome else {
            Issue.record("\(failure.outcome)")
            return
        }
        #expect(error.description.contains("no arm of this union has the tag 2"))
    }
}
