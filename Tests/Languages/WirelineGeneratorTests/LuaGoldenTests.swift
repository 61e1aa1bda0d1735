// SPDX-License-Identifier: Apache-2.0

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

    @Test func `names are those of the schema, and words of the language stand in quotes`() throws {
        let text = try Self.text(Self.several)
        #expect(text.contains(#"return { UserID = v0, ["end"] = v1, trailing = extra }"#))
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
        #expect(text.contains("return { encode = v0, read = v1, trailing = extra }"))
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

    /// Whatever a comment contains, removing the comments removes all of it.
    @Test(arguments: ProtocolDescription.lineEnds)
    func `a comment stays a comment, whatever it contains`(_ newline: String) throws {
        var description = try ProtocolDescription.withAllParts()
        let plain = try Self.code(description)
        let text = "[[ a ]] evil() --[==[ \(newline)]==] evil() [[ \(newline)M.evil = 1"
        description.comment(with: text)
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
