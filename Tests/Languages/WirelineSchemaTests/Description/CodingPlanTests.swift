// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineCodec
import WirelineSchema

struct CodingPlanTests {
    /// A step in one line: its parts as `field@offset`, a count as `#field@offset`, `?` if it may be absent, `if` if it has a
    /// condition, and the content.
    private func line(_ step: PlannedStep) -> String {
        let parts = step.parts.map { "\($0.kind.isWhole ? "" : "#")\($0.field)@\($0.offset)" }
        let content = step.content.map { ["→\($0)"] } ?? []
        let text = (parts + content).joined(separator: " ")
        if let field = step.conditionalField { return "if\(field) " + text }
        return step.absentField == nil ? text : "? " + text
    }

    private func plan(_ schema: String) throws -> CodingPlan { CodingPlan(try describe(schema, warns: true)) }

    @Test(
        arguments: [
            ("uint16", "", .value(.integer(.uint16, .bigEndian))),
            ("@terminated string", "", .value(.string(.terminated))),
            ("Inner", "a", .value(.integer(.uint8, .bigEndian))),
            ("Outer", "inner.a", .value(.integer(.uint8, .bigEndian))),
            ("Padded", "", .constant(0)), ("Magic", "", .constant(2)), ("Lone", "", .constant(7)),
            ("Two", "", .value(.union(1))),
            ("Sized", "", .computed), ("Bits", "", .computed), ("Counter", "", .computed),
            ("Ended", "items", .computed),
        ] as [(String, String, FirstByte.Source)])
    func `the first byte of a value comes from one of its parts`(
        type: String, path: String, source: FirstByte.Source
    ) throws {
        let plan = try plan(
            """
            struct Empty {} struct Inner { Empty none; uint8 a; uint8 b; } struct Outer { Inner inner; }
            struct Padded { padding 1; uint8 a; } struct Magic { @little @constant(0x0102) uint16 a; uint8 b; }
            union Lone : uint8 { 7: uint8 a; } union Two : uint8 { 7: uint8 b; 8: uint8 c; }
            struct Sized sized(uint8) { uint8 a; } struct Bits { uint4 a; uint4 b; }
            struct Counter { uint8 n; @count(n) uint8[] list; } struct Ended { @until(0) uint8[] items; }
            message Cs_1 { @until(1) \(type)[] list; }
            """)
        guard case .list(let element, _)? = plan.description.messages.first?.fields.first?.type else {
            Issue.record("no list")
            return
        }
        let first = plan.firstByte(of: element)
        let names = first.path.map { plan.description.structures[$0.structure].fields[$0.field].name }
        #expect(names.joined(separator: ".") == path)
        #expect(first.source == source)
    }

    @Test(arguments: [
        ("", []),
        ("uint8 a; uint32 b; bool c; double d;", ["0@0 1@1 2@5 3@6"]),
        ("uint8 a; string b; uint8 c; uint8 d;", ["0@0 #1@1 →1", "2@0 3@1"]),
        ("uint8 a; varint b; uint24 c;", ["0@0", "→1", "2@0"]),
        ("@count(varint) bytes a; uint16[] b;", ["→0", "#1@0 →1"]),
        ("uint8 a; @count(int16) string b; uint8 c; @size(int32) S d;", ["0@0 #1@1 →1", "2@0 #3@1 →3"]),
        ("@count(zigzag) bytes a; @size(zigzag) S b; uint8 c;", ["→0", "→1", "2@0"]),
        ("S a; uint8[4] b; uint8 c; S d;", ["→0", "→1", "2@0", "→3"]),
        ("uint8 a; optional uint8 b; optional uint16[] c;", ["0@0", "? 1@0", "? #2@0 →2"]),
        ("uint8 a; @since(2) uint8 b; @rest @since(3) bytes c;", ["0@0", "? 1@0", "? →2"]),
        ("uint8 a; @until(0) uint16[] b; uint8 c;", ["0@0", "→1", "2@0"]),
        ("E a; F b; @terminated string c;", ["0@0 1@2", "→2"]),
        ("uint8 a; @constant(1) uint16 b; @constant(\"x\") char[4] c; bool d;", ["0@0 1@1 2@3 3@7"]),
        ("uint8 a; padding 3; string b; padding 1; uint8 c;", ["0@0 1@1 #2@4 →2", "3@0 4@1"]),
        ("uint8 a; uint4 b; uint4 c; uint12 d; bit e; uint3 f; string g;", ["0@0 1@1 3@2 #6@4 →6"]),
        (
            "uint8 a; uint8 b; @if(a) uint8 c; @if(a) string d; uint8 e; @if(c) varint f;",
            ["0@0 1@1", "if2 2@0", "if3 #3@0 →3", "4@0", "if5 →5"]
        ),
    ])
    func `parts side by side are one step, up to a value of variable width`(fields: String, steps: [String]) throws {
        let others = "struct S { uint8 a; } enum E : uint16 { a = 0; } flags F : uint8 { a = 1; }"
        let plan = try plan("\(others) message Cs_1 { \(fields) }")
        #expect(plan.messages[0].steps.map(line) == steps)
        let bytes = plan.messages[0].steps.map(\.byteCount)
        #expect(bytes == plan.messages[0].steps.map { $0.parts.reduce(0) { $0 + $1.kind.byteCount } })
    }

    @Test func `fields that share bytes are one part, with the bits of each`() throws {
        let plan = try plan("message Cs_1 { string a; @little uint12 b; @little bit c; @little int3 d; }")
        let run = try #require(plan.messages[0].runs.first)
        #expect(run.byteCount == 2 && run.byteOrder == .littleEndian)
        #expect(run.bits.map(\.field) == [1, 2, 3])
        #expect(run.bits.map(\.bitWidth) == [12, 1, 3])
        #expect(run.bits.map(\.shift) == [4, 3, 0])
        #expect(plan.messages[0].fields.map { plan.leadingByteCount(of: $0.description) } == [2, 2, 0, 0])
    }

    @Test func `a run knows its constants, and the integer that they make`() throws {
        let plan = try plan(
            "message Cs_1 { @constant(0xA) uint4 a; @constant(-3) int3 b; bit c; } enum E : uint2 { e = 2; } "
                + "struct S { @constant(true) bit a; @constant(e) E b; @constant(1) uint5 c; }")
        let (mixed, whole) = (try #require(plan.messages[0].runs.first), try #require(plan.structures[0].runs.first))
        #expect(mixed.bits.map(\.constant) == [10, -3, nil])
        #expect(mixed.constantInteger == 0b1010_1010)
        #expect(whole.bits.map(\.constant) == [1, 2, 1])
        #expect(whole.constantInteger == 0b1100_0001)
    }

    @Test func `only a field after an optional one can be in a gap, and only one with followers can leave it`() throws {
        let fields = "uint8 a; optional uint8 b; @since(2) uint8 c; optional string d;"
        let kept = try plan("message Cs_1 { \(fields) }").messages[0]
        #expect(kept.fields.map(\.followsOptional) == [false, false, true, true])
        #expect(kept.fields.map(\.isFollowed) == [true, true, true, true])
        #expect(kept.end == .kept && kept.keptBytesFollowOptional)
        let refused = try plan("option trailing = reject; message Cs_1 { \(fields) }").messages[0]
        #expect(refused.fields.map(\.isFollowed) == [true, true, true, false])
        #expect(refused.end == .refused && !refused.keptBytesFollowOptional)
    }

    @Test(arguments: [
        ("@rest bytes a;", BodyPlan.End.reached), ("properties a;", .reached), ("uint8 a;", .kept), ("", .kept),
        ("uint8 b; @if(b) @rest bytes a;", .refused), ("uint8 b; @if(b) bytes a;", .kept),
        ("Open a;", .refused), ("Closed a;", .kept), ("@rest Closed[] a;", .reached),
    ])
    func `the last field decides what becomes of more bytes`(fields: String, end: BodyPlan.End) throws {
        let unions = "union Open : uint8 { 1: @rest bytes a; 2: nothing; } union Closed : uint8 { 1: uint8 a; }"
        #expect(try plan("\(unions) message Cs_1 { \(fields) }").messages[0].end == end)
    }

    @Test func `the plan tells the fields that conditions look at`() throws {
        let fields = "uint8 a; uint8 b; @if(a) uint8 c; @if(c == 1 or a) uint8 d; uint8 e;"
        let body = try plan("message Cs_1 { \(fields) }").messages[0]
        #expect(body.operands == [0, 2])
        #expect(body.fields.map(\.mayBeUnset) == [false, false, true, true, false])
        #expect(body.field(.field("c"))?.index == 2)
        #expect(!body.looksAtHeader)
    }

    @Test func `the plan tells the fields of the packet that conditions look at, each once`() throws {
        let plan = try plan(
            """
            packet { @length(packet) uint16 length; @id uint8 id; uint8 a; bool b; uint8 c; }
            message Cs_1 { @if(header.b) uint8 a; @if(header.a > 1 or not header.b) uint8 b; @if(a) uint8 c; }
            message Cs_2 { uint8 a; @if(a) uint8 b; }
            """)
        #expect(plan.messages.map(\.headerOperands) == [["b", "a"], []])
        #expect(plan.messages.map(\.looksAtHeader) == [true, false])
        #expect(plan.messages[0].operands == [0])
        #expect(plan.messages[0].field(.header("a")) == nil)
    }

    @Test func `a size prefix says where a structure ends, and nesting is counted only if it can be too deep`() throws {
        let plan = try plan(
            """
            struct Sized sized(uint16) { uint8 a; }
            struct Open { uint8 a; }
            struct Tree { uint8 a; Tree[] b; }
            message Cs_1 { Sized a; Open b; @since(2) Open c; } message Cs_2 { Tree a; }
            """)
        #expect(plan.structures.map(\.end) == [.skipped, .open, .open])
        #expect(plan.structures.map { $0.sizePrefix?.maximum } == [65535, nil, nil])
        #expect(plan.structures.map(\.countsDepth) == [false, false, true])
        #expect(plan.structuresNeedingZero == [1] && plan.structuresInCountedLists == [2])
    }

    @Test func `a union has a body for each arm, which its size or what comes after it ends`() throws {
        let plan = try plan(
            """
            union U : uint16 sized(uint8) { 1: uint32 a; 2: string b; 3: nothing; default: bytes other; }
            union V : varint { 1: V[] list; 2: U u; }
            message Cs_1 { V v; U[] list; }
            """)
        #expect(plan.unions.map(\.sizePrefix?.maximum) == [255, nil])
        #expect(plan.unions[0].arms.map(\.name) == ["a", "b", "nothing", "other"])
        #expect(plan.unions[0].arms.map { $0.body.steps.map(line) } == [["0@0"], ["#0@0 →0"], [], ["→0"]])
        #expect(
            plan.unions.flatMap { $0.arms.map(\.body.end) } == [.skipped, .skipped, .skipped, .skipped, .open, .open])
        #expect(plan.unions[0].taggedArms.map(\.tag) == [1, 2, 3] && plan.unions[0].defaultArm?.name == "other")
        #expect(plan.unions[1].defaultArm == nil)
        #expect(plan.unions.map(\.countsDepth) == [true, true])
        #expect(plan.messages[0].fields.map { plan.leadingByteCount(of: $0.description) } == [0, 2])
    }

    @Test func `a tag in another field is read as a part, and its union knows the field`() throws {
        let plan = try plan(
            """
            union U : uint16 { 1: uint32 a; 2: string b; } union V : uint8 { 1: U u; }
            message Cs_1 { uint8 x; uint16 k; uint8 y; @tag(k) U u; uint8 z; } message Cs_2 { V v; }
            """)
        let body = plan.messages[0]
        #expect(body.steps.map(line) == ["0@0 1@1 2@3", "→3", "4@0"])
        #expect(body.fields.map(\.reference.tagSource) == [nil, nil, nil, 1, nil])
        #expect(body.fields.map(\.reference.user) == [nil, 3, nil, nil, nil])
        #expect(body.fields.map(\.isDerived) == [false, true, false, false, false])
        #expect(plan.unions.map(\.tagPlaces) == [[.before, .elsewhere], .before])
        #expect(WireSizes(plan.description).size(of: body.fields[3].description).minimumByteCount == 2)
    }

    @Test(arguments: [
        ("uint8 n; @count(n) uint16[] a;", ["0: 1 items"]),
        ("uint8 n; @size(n) uint16[] a;", ["0: 1 itemBytes(byteCount: 2)"]),
        ("uint8 n; @size(n - 4) string a; uint16 k; @size(k) bytes b;", ["0: 1-4 text", "2: 3 bytes"]),
        ("uint8 n; @size(n + 1) @utf16 string a;", ["0: 1+1 units"]),
        ("uint8 n; @size(n) string[] a;", ["0: 1 body"]),
        ("uint8 n; uint8 x; @size(n) S a;", ["0: 2 body"]),
        ("uint8 n; uint8 x; @count(n) uint8[] a; @if(x) @count(n) string[] b;", ["0: 2 items 3 items"]),
        ("uint8 k; @tag(k) U u;", []),
    ])
    func `a field that counts later ones knows how each is counted`(fields: String, derivations: [String]) throws {
        let others = "struct S { string a; } union U : uint8 { 1: uint8 a; }"
        let body = try plan("\(others) message Cs_1 { \(fields) }").messages[0]
        let found = body.derivations.map { derivation in
            let counted = derivation.counted.map { item in
                let addend = item.count.addend
                let sum = addend == 0 ? "" : addend > 0 ? "+\(addend)" : "\(addend)"
                return "\(item.field)\(sum) \(item.measure)"
            }
            return "\(derivation.field): " + counted.joined(separator: " ")
        }
        #expect(found == derivations)
        #expect(body.derivations.map(\.isLate) == derivations.map { $0.hasSuffix("body") })
        #expect(body.fields.map(\.isCounter) == body.fields.indices.map { body.derivation(of: $0) != nil })
    }

    @Test(arguments: [
        ("string a;", nil, 65535), ("@max(16) string a;", 16, 16), ("@max(65535) bytes a;", nil, 65535),
        ("@count(uint8) @max(3) uint16[] a;", 3, 3),
    ])
    func `a limit is checked in reading only if the prefix can exceed it`(
        field: String, limit: Int?, maximum: Int
    ) throws {
        let count = try plan("message Cs_1 { \(field) }").messages[0].fields[0].description.count
        #expect(count?.limit == limit && count?.maximum == maximum)
    }

    @Test(arguments: [
        ("uint8", false), ("uint24", true), ("int64", false), ("varint", false), ("@max_bytes(2) varint", true),
        ("uint40", true), ("Short", true), ("Closed", false), ("Wide", false), ("Plain", false), ("Ranged", true),
        ("string", true),
    ])
    func `a value needs a check if an integer of 8, 16, 32 or 64 bits can hold more`(
        type: String, needsCheck: Bool
    ) throws {
        let plan = try plan(
            """
            enum Short : uint24 { a = 0; } @closed enum Closed : uint24 { a = 0; } enum Wide : uint32 { a = 0; }
            struct Plain { uint8 a; Wide b; } struct Ranged { @range(0..9) uint8 a; }
            message Cs_1 { \(type) a; }
            """)
        #expect(plan.needsCheck(plan.messages[0].fields[0].type) == needsCheck)
    }
}
