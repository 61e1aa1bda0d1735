// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WirelineGenerator
import WirelineSchema

/// What holds for the generated code of each language. What is a language's own is in its file `NAMEGoldenTests.swift`.
struct GeneratedLanguageTests {
    struct Language: CustomTestStringConvertible, Sendable {
        /// The file of Scene in the folder `Golden`.
        let golden: String
        let files: @Sendable (ProtocolDescription) throws -> [GeneratedFile]
        let adapter: @Sendable (ProtocolDescription) throws -> GeneratedFile

        var testDescription: String { golden }
    }

    static let languages = [
        Language(
            golden: "scene_protocol.ts",
            files: { try TypeScriptGenerator($0).files() }, adapter: { try TypeScriptGenerator($0).adapter() }),
        Language(
            golden: "scene_protocol.lua",
            files: { try LuaGenerator($0).files() }, adapter: { try LuaGenerator($0).adapter() }),
        Language(
            golden: "scene_protocol.py",
            files: { try PythonGenerator($0).files() }, adapter: { try PythonGenerator($0).adapter() }),
        Language(
            golden: "SceneProtocol.java",
            files: { try JavaGenerator($0).files() }, adapter: { try JavaGenerator($0).adapter() }),
        Language(
            golden: "SceneProtocol.cs",
            files: { try CSharpGenerator($0).files() }, adapter: { try CSharpGenerator($0).adapter() }),
        Language(
            golden: "scene_protocol.go",
            files: { try GoGenerator($0).files() }, adapter: { try GoGenerator($0).adapter() }),
    ]

    /// `RECORD_VECTORS=1` writes the file again, and fails.
    @Test(arguments: languages)
    func `the generated code of Scene is unchanged`(in language: Language) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
        let golden = folder.appending(path: language.golden)
        let scene = try SchemaFolder("Scene", under: SchemaFolder.protocols)
        let file = try language.files(scene.description)[0]
        #expect(file.path == language.golden)
        if ProcessInfo.processInfo.environment["RECORD_VECTORS"] == "1" {
            try Data(file.text.utf8).write(to: golden)
            Issue.record("recorded")
        }
        #expect(try file.text == String(contentsOf: golden, encoding: .utf8))
    }

    @Test(arguments: languages, [[1, 0, 2], [2, 1, 0], [2, 0, 1]])
    func `the order of the files does not change a byte`(in language: Language, _ order: [Int]) throws {
        let several = [
            ("a.wire", "message Cs_1 { Point at; Color color; }\nmessage Sc_1 {}"),
            ("b.wire", "struct Point { int32 x; }\n@name(LeaveHall) message Cs_2 { uint8 UserID; uint8 user_id; }"),
            ("c.wire", "@closed enum Color : uint8 { red = 0; blue = 2; }\nflags Bits : uint8 { all = 1; }"),
        ]
        func text(_ schemas: [(String, String)]) throws -> String {
            try language.files(ProtocolDescription.checked(schemas))[0].text
        }
        #expect(try text(order.map { several[$0] }) == text(several))
    }
}
