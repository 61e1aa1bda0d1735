// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineGenerator
import WirelineSchema

struct GoGoldenTests {
    private static func text(_ schemas: [(String, String)], name: String = "Test") throws -> String {
        try GoGenerator(ProtocolDescription.checked(schemas, name: name)).files()[0].text
    }

    private static let several = [
        ("a.wire", "message Cs_1 { Point at; Color color; }\nmessage Sc_1 {}"),
        ("b.wire", "struct Point { int32 x; }\n@name(LeaveHall) message Cs_2 { uint8 UserId; uint8 user_id; }"),
        (
            "c.wire",
            "@closed enum Color : uint8 { red = 0; blue = 2; }\nflags Bits : uint16 { all = 1; }\nconst uint8 seats = 4;"
        ),
    ]

    @Test func `names follow Go's rules, and equal ones get a number`() throws {
        let text = try Self.text(Self.several)
        #expect(text.contains("type LeaveHall struct {\n\tUserID   uint8\n\tUserID_2 uint8\n"))
        #expect(text.contains("\nconst Seats = 4\n"))
        #expect(text.contains("type Color uint8\n\nconst (\n\tColorRed  Color = 0\n\tColorBlue Color = 2\n)\n"))
        #expect(text.contains("type Bits uint16\n\nconst (\n\tBitsAll Bits = 1\n)\n"))
        #expect(text.contains("type Cs_1 struct {\n\tAt    Point\n\tColor Color\n"))
        // Errors have the schema's names.
        #expect(text.contains(#"r.take(1, "UserId")"#) && text.contains(#"return "Cs_2""#))
    }

    @Test func `names that other packages could not see, and those of the package, are changed`() throws {
        let text = try Self.text([
            (
                "a.wire",
                """
                struct point { uint8 type; uint8 _; uint8 _1; uint8 http_url; uint8 string; uint8 MAX_HP; }
                struct _hidden { uint8 a; }
                enum splitter : uint8 { none = 0; }
                struct Packet { uint8 a; }
                enum New : uint8 { header = 0; }
                message Cs_1 { Packet Reader; splitter trailing; _hidden message_id; point at; New new; }
                """
            )
        ])
        #expect(text.contains("type Packet_ struct {\n\tA uint8\n"))
        #expect(text.contains("type X_hidden struct {\n\tA uint8\n"))
        for field in ["Type", "X", "X1", "HTTPURL", "String_", "MaxHp"] {
            #expect(text.contains("\n\t\(field) "), "\(field)")
        }
        #expect(text.contains("type Splitter_ uint8\n\nconst (\n\tSplitter_None Splitter_ = 0\n)\n"))
        #expect(text.contains("\tNewHeader_ New = 0\n"))
        #expect(text.contains("\tTrailing_  Splitter_\n\tMessageID_ X_hidden\n"))
    }

    @Test(arguments: [
        ("scene-2", "scene_2", "scene_2"), ("9", "wire_9", "wire_9"), ("HTTP2", "http2", "http2"), ("Go", "go", "go_"),
        ("Type", "type", "type_"),
    ])
    func `the folder's name becomes the names of the files and of the package`(
        _ folder: String, _ stem: String, _ package: String
    ) throws {
        let description = try ProtocolDescription.checked([("a.wire", "message Cs_1 {}")], name: folder)
        let generator = GoGenerator(description)
        let file = try generator.files()[0]
        #expect(file.path == stem + "_protocol.go")
        #expect(file.text.contains("\npackage \(package)\n"))
        #expect(try generator.adapter().path == stem + "_conform.go")
        #expect(try GoGenerator(description, package: "main").files()[0].text.contains("\npackage main\n"))
    }

    @Test(arguments: ["_", "a-b", "9a", "func", "a b", "a\nimport \"C\"", "日"])
    func `a package cannot have just any name`(_ name: String) throws {
        let description = try ProtocolDescription.checked([("a.wire", "message Cs_1 {}")])
        #expect(throws: GenerationError.self) { try GoGenerator(description, package: name).files() }
    }

    @Test func `a package contains only what its schema needs`() throws {
        let text = try Self.text([("a.wire", "message Cs_1 { uint8 a; }")])
        for word in ["utf16", "utf8", "Property", "crc32", "capacity", "math.Float"] {
            #expect(!text.contains(word), "\(word)")
        }
    }

    /// Whatever a comment contains, removing the lines of comments removes all of it, and none is an instruction for a tool.
    @Test(arguments: ProtocolDescription.lineEnds)
    func `a comment stays a comment, whatever it contains`(_ newline: String) throws {
        var description = try ProtocolDescription.withAllParts()
        let plain = try Self.code(description)
        let marks = ["go:build ignore", "+build ignore", "line evil.go:1", "*/ evil()", "go:linkname evil evil"]
        let text = marks.map { newline + $0 + newline + "//" + $0 + newline + "  " + $0 }.joined()
        description.comment(with: text)
        #expect(try Self.code(description) == plain)
        let all = try GoGenerator(description, package: "test").files()[0].text
        let lines = all.split(whereSeparator: \.isNewline)
        #expect(!lines.contains { $0.contains(/^\s*\/\/\s*\+build/) || $0.contains(/^\s*\/\/(?:go:|line )/) })
        // Tools know generated files by their first line; build tags count before `package`, each on a line of its own.
        #expect(lines[0].contains(/^\/\/ Code generated .* DO NOT EDIT\.$/))
        #expect(lines.prefix { !$0.hasPrefix("package ") }.count == 3)
    }

    /// Returns the lines that are no comments, in which fields have one space.
    private static func code(_ description: ProtocolDescription) throws -> [String] {
        try GoGenerator(description, package: "test").files()[0].text.split(whereSeparator: \.isNewline)
            .filter { !$0.drop(while: \.isWhitespace).hasPrefix("//") }
            .map { $0.split(separator: " ").joined(separator: " ") }
    }
}
