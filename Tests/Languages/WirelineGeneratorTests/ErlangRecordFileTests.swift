// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineGenerator
import WirelineSchema

/// The Swift file that makes messages records of Erlang.
struct ErlangRecordFileTests {
    private static func file(_ text: String) throws -> GeneratedFile {
        let source = SourceFile(path: "Some/a \"b\".wire", bytes: Array(text.utf8))
        let result = ProtocolDescription.check(name: "Some", files: [source])
        return SwiftGenerator(try #require(result.description)).erlangFile([source])
    }

    @Test func `it has the schema, and a line for each message`() throws {
        let file = try Self.file(
            """
            // "Quotes", a \\ and ü.
            message Cs_1 { uint8 number; }
            @deprecated("no") message Sc_2 {}
            """)
        #expect(file.path == "SomeProtocol+Erlang.swift")
        let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.contains("public import WirelineErlang"))
        #expect(lines.contains("extension Cs_1: WirelineErlang::ErlangRecord {}"))
        #expect(lines.contains("extension SomeProtocol.Sc_2: WirelineErlang::ErlangRecord {}"))
        let schema = try #require(lines.first { $0.contains("(name: ") })
        #expect(schema.contains("name: \"a \\\"b\\\".wire\""))
        #expect(schema.contains("// \\\"Quotes\\\", a \\\\ and ü.\\u{A}message Cs_1"))
    }

    @Test func `a protocol without messages has its schema, too`() throws {
        let text = try Self.file("enum Mood : uint8 { calm = 0; }").text
        #expect(text.contains("public import WirelineErlang\n"))
        #expect(text.contains("extension SomeProtocol: WirelineErlang::ErlangProtocol"))
    }
}
