// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WirelineGenerator
import WirelineSchema

struct LuaGoldenTests {
    private static func text(_ schemas: [(String, String)]) throws -> String {
        try LuaGenerator(ProtocolDescription.checked(schemas)).files()[0].text
    }

    private static let several = [
        ("a.wire", "message Cs_1 { Point at; Color color; }\nmessage Sc_1 {}"),
        ("b.wire", "struct Point { int32 x; }\n@name(LeaveHall) message Cs_2 { uint8 UserID; uint8 end; }"),
        (
            "c.wire",
            "@closed enum Color : uint8 { red = 0; blue = 2; }\nflags Bits : uint8 { all = 1; }\nconst uint8 SEATS = 4;"
        ),
    ]

    /// `RECORD_VECTORS=1` writes the file again, and fails.
    @Test func `the generated module of Scene is unchanged`() throws {
        let golden = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/scene_protocol.lua")
        let scene = try SchemaFolder("Scene", under: SchemaFolder.protocols)
        let file = try LuaGenerator(scene.description).files()[0]
        #expect(file.path == "scene_protocol.lua")
        if ProcessInfo.processInfo.environment["RECORD_VECTORS"] == "1" {
            try Data(file.text.utf8).write(to: golden)
            Issue.record("recorded")
        }
        #expect(try file.text == String(contentsOf: golden, encoding: .utf8))
    }

    @Test(arguments: [[1, 0, 2], [2, 1, 0], [2, 0, 1]])
    func `the order of the files does not change a byte`(_ order: [Int]) throws {
        #expect(try Self.text(order.map { Self.several[$0] }) == Self.text(Self.several))
    }

    @Test func `names are those of the schema, and words of the language stand in quotes`() throws {
        let text = try Self.text(Self.several)
        #expect(text.contains(#"local m = { UserID = v0, ["end"] = v1 }"#))
        #expect(text.contains("M.SEATS = 4\n"))
        #expect(text.contains("M.Color = {\n  red = 0,\n  blue = 2,\n  [0] = \"red\",\n  [2] = \"blue\",\n}\n"))
        #expect(text.contains("M.Bits = {\n  all = 1,\n}\n"))
        #expect(text.contains(#"local aliases = { LeaveHall = "Cs_2" }"#))
    }

    @Test func `only names that programs call hide others`() throws {
        let text = try Self.text([
            (
                "a.wire",
                "enum has : uint8 { decode = 0; }\nmessage Cs_1 { has encode; has read; }\nconst uint8 splitter = 1;"
            )
        ])
        #expect(text.contains("M.has_ = {\n  decode = 0,\n"))
        #expect(text.contains("M.splitter_ = 1\n"))
        #expect(text.contains("local m = { encode = v0, read = v1 }"))
    }

    @Test(arguments: [
        ("scene-2", "scene_2"), ("9", "wire_9"), ("TwoByteHeader", "two_byte_header"), ("HTTP2", "http2"),
    ])
    func `the folder's name becomes the names of the files`(_ folder: String, _ stem: String) throws {
        let generator = LuaGenerator(try ProtocolDescription.checked([("a.wire", "message Cs_1 {}")], name: folder))
        #expect(try generator.files().map(\.path) == [stem + "_protocol.lua"])
        #expect(try generator.adapter().path == stem + "_conform.lua")
    }

    @Test func `a module contains only what its schema needs`() throws {
        let text = try Self.text([("a.wire", "message Cs_1 { uint8 a; }")])
        let words = ["decimal", "varint", "f64", "flaw", "crc32", "utf16", "covers", "list("]
        #expect(words.filter { text.contains($0) } == [])
    }

    @Test(arguments: [
        ("packet { @length(rest) uint16 size; @id uint8 id; layer zlib; }", "layers")
    ])
    func `what Lua cannot have yet is refused with the reason`(_ packet: String, _ reason: String) throws {
        let schema = packet + "\n@id(0) @from(both) message A {}"
        let generator = LuaGenerator(try ProtocolDescription.checked([("a.wire", schema)]))
        let error = #expect(throws: GenerationError.self) { try generator.files() }
        #expect(error?.description.contains(reason) == true)
        #expect(throws: GenerationError.self) { try generator.adapter() }
    }

    /// Whatever a comment contains, removing the comments removes all of it.
    @Test(arguments: ["\u{2028}", "\u{2029}", "\u{85}", "\r", "\r\n", "\n", "\u{B}", "\u{C}", "\0", "\u{202E}"])
    func `a comment stays a comment, whatever it contains`(_ newline: String) throws {
        var description = try ProtocolDescription.checked([
            (
                "a.wire",
                """
                packet { @length(rest) uint16 size; @id uint8 id; }
                @id(1) @from(both) message M { uint8 a; Color c; U u; }
                struct S {}
                enum Color : uint8 { red = 0; }
                union U : uint8 { 0: uint8 one; 1: none; }
                const uint8 seats = 4;
                """
            )
        ])
        let plain = try Self.code(description)
        let text = "[[ a ]] evil() --[==[ \(newline)]==] evil() [[ \(newline)M.evil = 1"
        description.name = text
        description.documentation = text
        description.messages[0].documentation = text
        description.messages[0].deprecation = text
        description.messages[0].fields[0].documentation = text
        description.messages[0].fields[0].deprecation = text
        description.structures[0].documentation = text
        description.enumerations[0].documentation = text
        description.enumerations[0].cases[0].documentation = text
        description.unions[0].documentation = text
        description.unions[0].arms[0].documentation = text
        description.constants[0].documentation = text
        description.packetFields[0].documentation = text
        let commented = try Self.code(description)
        #expect(commented == plain)
        #expect(!commented.contains("evil"))
    }

    /// Returns a module without its comments, as an interpreter sees it: none begins a comment of several lines.
    private static func code(_ description: ProtocolDescription) throws -> String {
        let text = try LuaGenerator(description).files()[0].text
        #expect(!text.contains("\r"))
        let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
        #expect(!lines.contains { $0.hasPrefix("--[") })
        return lines.filter { !$0.hasPrefix("--") }.joined(separator: "\n")
    }
}
