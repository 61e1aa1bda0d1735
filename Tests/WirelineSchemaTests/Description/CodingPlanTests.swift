// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSchema

struct CodingPlanTests {
    /// A step in one line: its parts as `field@offset`, a count as `#field@offset`, `?` if it may be absent, and the content.
    private func line(_ step: PlannedStep) -> String {
        let parts = step.parts.map { "\($0.kind.isWhole ? "" : "#")\($0.field)@\($0.offset)" }
        let content = step.content.map { ["→\($0)"] } ?? []
        let text = (parts + content).joined(separator: " ")
        return step.absentField == nil ? text : "? " + text
    }

    private func plan(_ schema: String) throws -> CodingPlan { CodingPlan(try describe(schema, warns: true)) }

    @Test(arguments: [
        ("", []),
        ("uint8 a; uint32 b; bool c; double d;", ["0@0 1@1 2@5 3@6"]),
        ("uint8 a; string b; uint8 c; uint8 d;", ["0@0 #1@1 →1", "2@0 3@1"]),
        ("uint8 a; varint b; uint24 c;", ["0@0", "→1", "2@0"]),
        ("@count(varint) bytes a; uint16[] b;", ["→0", "#1@0 →1"]),
        ("S a; uint8[4] b; uint8 c; S d;", ["→0", "→1", "2@0", "→3"]),
        ("uint8 a; optional uint8 b; optional uint16[] c;", ["0@0", "? 1@0", "? #2@0 →2"]),
        ("uint8 a; @since(2) uint8 b; @rest @since(3) bytes c;", ["0@0", "? 1@0", "? →2"]),
        ("E a; F b; @terminated string c;", ["0@0 1@2", "→2"]),
    ])
    func `parts side by side are one step, up to a value of variable width`(fields: String, steps: [String]) throws {
        let others = "struct S { uint8 a; } enum E : uint16 { a = 0; } flags F : uint8 { a = 1; }"
        let plan = try plan("\(others) message Cs_1 { \(fields) }")
        #expect(plan.messages[0].steps.map(line) == steps)
        let bytes = plan.messages[0].steps.map(\.byteCount)
        #expect(bytes == plan.messages[0].steps.map { $0.parts.reduce(0) { $0 + $1.kind.byteCount } })
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
    ])
    func `the last field decides what becomes of more bytes`(fields: String, end: BodyPlan.End) throws {
        #expect(try plan("message Cs_1 { \(fields) }").messages[0].end == end)
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
        ("Short", true), ("Closed", false), ("Wide", false), ("Plain", false), ("Ranged", true), ("string", true),
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
