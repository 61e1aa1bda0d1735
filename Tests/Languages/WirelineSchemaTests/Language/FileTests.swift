// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineSchema

struct FileTests {
    @Test func `all files together are one protocol, in the order of their paths`() throws {
        let files: KeyValuePairs = [
            "b.wire": "message Sc_1 { Point p; }", "a.wire": "message Cs_1 { }",
            "c/d.wire": "struct Point { uint8 x; }",
        ]
        let description = try #require(check(files).description)
        #expect(description.messages.map(\.name) == ["Cs_1", "Sc_1"])
        #expect(description.messages.map(\.location.file) == ["a.wire", "b.wire"])
        #expect(description.messages.map(\.replies) == [["Sc_1"], []])
        #expect(description.messages[1].fields[0].type == .structure(0))
    }

    @Test func `the result does not depend on the order in which files are given`() {
        let one: KeyValuePairs = ["a.wire": "message Cs_1 { Foo a; }", "b.wire": "message Cs_1 { Bar a; }"]
        let other: KeyValuePairs = ["b.wire": "message Cs_1 { Bar a; }", "a.wire": "message Cs_1 { Foo a; }"]
        #expect(check(one) == check(other))
    }

    @Test func `names that an unreadable file may declare are not reported as unknown`() {
        let utf16: [UInt8] = [0xFF, 0xFE] + "struct S { uint8 a; }".utf8.flatMap { [$0, 0] }
        let files = [
            SourceFile(path: "a.wire", bytes: Array("message Cs_1 { Shape s; uint8[rows] b; }".utf8)),
            SourceFile(path: "b.wire", bytes: utf16),
        ]
        let diagnostics = ProtocolDescription.check(name: "Test", files: files).diagnostics
        #expect(diagnostics.map(\.message) == ["the file is not UTF-8; it looks like UTF-16LE"])
    }

    @Test(arguments: [
        "struct Shape ( uint8 a; )", "struct Shape sizd(uint8) { uint8 a; }", "enum Shape uint8 { a = 1; }",
        "@since( struct Shape { uint8 a; }", "union Shape { uint8 a; }",
    ])
    func `an unreadable declaration hides only its own name`(declaration: String) {
        let result = check([
            "a.wire": declaration, "b.wire": "message Cs_1 { Shape a; Nowhere b; uint8[rows] c; }",
        ])
        let messages = result.diagnostics.map(\.message)
        #expect(messages.filter { $0.contains("unknown") } == ["unknown type `Nowhere`", "unknown constant `rows`"])
        #expect(messages.count == 3, "\(messages)")
    }

    @Test(arguments: ["struct { uint8 a; }", "struct 1Shape { uint8 a; }", "const uint8 = 4;"])
    func `a declaration without a readable name hides all unknown names`(declaration: String) {
        let result = check([
            "a.wire": declaration, "b.wire": "@reply(Sc_9) message Cs_1 { Shape a; uint8[rows] c; }",
        ])
        #expect(result.diagnostics.count == 1, "\(result.diagnostics.map(\.message))")
    }

    @Test func `a file may be empty, or have only comments`() throws {
        #expect(
            try #require(check(["a.wire": "", "b.wire": "// nothing\n", "c.wire": "\u{FEFF}"]).description).messages
                .isEmpty)
    }
}
