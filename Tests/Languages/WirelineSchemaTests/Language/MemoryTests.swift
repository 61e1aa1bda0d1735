// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSchema

/// Schemas with which a peer could fill the memory by sending few bytes.
struct MemoryTests {
    @Test(arguments: [
        "struct Slot sized(uint8) { uint8 id; @since(2) uint32[65535] history; } message Cs_1 { Slot[] slots; }",
        "struct Slot sized(uint8) { uint8 id; @since(2) uint32[1024] history; } message Cs_1 { @rest Slot[] slots; }",
        "struct Slot sized(uint8) { uint8 id; @since(2) uint32[1024] history; } message Cs_1 { @until(0) Slot[] slots; }",
        "struct Big { uint64[100] a; } struct S sized(uint8) { uint8 a; optional Big b; } message Cs_1 { S[] s; }",
        "struct S sized(uint8) { uint8 a; @count(uint8) S[] b; @since(2) uint8[200] c; } message Cs_1 { S s; }",
        "struct A { uint8[1] x; } struct B { A[1] a; } struct C { B[1] b; } struct D { C[1] c; } "
            + "struct R { D[] d; } message Cs_1 { R r; }",
        "struct S sized(uint8) { uint8 a; @since(2) @default(\"" + String(repeating: "x", count: 2000)
            + "\") string b; } message Cs_1 { S[] s; }",
        // An empty arm takes as much as a large one that is not a list.
        "struct Big { " + (1...30).map { "uint64 a\($0); " }.joined()
            + "} union U : uint8 { 0: nothing; 1: Big big; } message Cs_1 { U[] list; }",
        "struct Slot sized(uint8) { uint8 id; @since(2) uint32[1024] history; } "
            + "union U : uint8 { 0: nothing; 1: Slot slot; } message Cs_1 { @rest U[] list; }",
    ])
    func `lists whose items take far more memory than bytes are refused`(source: String) {
        let result = check(source)
        #expect(result.description == nil)
        #expect(result.diagnostics.map(\.severity) == [.error])
        #expect(result.diagnostics.first?.message.hasPrefix("an item of ") == true)
    }

    @Test(arguments: [
        // As many items as 16 MiB allow.
        "struct S sized(uint8) { uint8 id; @since(2) uint32[1024] a; } message Cs_1 { @max(2088) S[] s; }",
        "struct S sized(uint8) { uint8 id; @since(2) uint32[1024] a; } message Cs_1 { @count(uint8) S[] s; }",
        "struct S sized(uint8) { uint8 id; @since(2) uint32[1024] a; } message Cs_1 { @max(2088) @until(0) S[] s; }",
        // The items have enough bytes for their memory.
        "struct S { uint8[64] a; uint32[1024] b; } message Cs_1 { S[] s; }",
        "struct S sized(uint16) { uint64 id; string a; @since(2) uint32[100] b; } message Cs_1 { @rest S[] s; }",
        "struct S { @count(uint8) S[] s; } message Cs_1 { S s; }",
        "struct P { uint8 x; } struct Q { P p; } struct R { @count(uint8) Q[] q; } message Cs_1 { R[] r; }",
        "struct S { uint8[1] a; } struct R { @count(uint8) S[] s; } message Cs_1 { R[] r; }",
        // Each arm has enough bytes for what only it holds.
        "union U : uint8 { 0: nothing; 1: uint8[4000] much; 2: string text; } message Cs_1 { U[] list; }",
        "union U : uint8 { 0: nothing; 1: uint64 big; 2: U[] list; } message Cs_1 { U[] list; }",
        // A struct to which forty fields were added.
        "struct P sized(uint16) { uint32 id; " + (1...40).map { "@since(\($0)) string s\($0); " }.joined()
            + "} struct R { P[] p; } message Cs_1 { R[] r; }",
    ])
    func `lists whose items have enough bytes for their memory are accepted`(source: String) {
        #expect(problems(source) == "")
    }

    @Test func `one item more than a list may have is refused`() {
        func source(_ count: Int) -> String {
            "struct S sized(uint8) { uint8 id; @since(2) uint32[1024] a; } message Cs_1 { @max(\(count)) S[] s; }"
        }
        #expect(problems(source(2088)) == "")
        #expect(check(source(2089)).diagnostics.count == 1)
    }
}
