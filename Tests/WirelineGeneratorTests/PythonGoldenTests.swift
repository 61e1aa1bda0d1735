// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WirelineGenerator
import WirelineSchema

struct PythonGoldenTests {
    private static func text(_ schemas: [(String, String)], name: String = "Test") throws -> String {
        try PythonGenerator(ProtocolDescription.checked(schemas, name: name)).files()[0].text
    }

    private static let several = [
        ("a.wire", "message Cs_1 { Point at; Color color; }\nmessage Sc_1 {}"),
        ("b.wire", "struct Point { int32 x; }\n@name(LeaveHall) message Cs_2 { uint8 UserID; uint8 user_id; }"),
        (
            "c.wire",
            "@closed enum Color : uint8 { red = 0; blue = 2; }\nflags Bits : uint8 { all = 1; }\nconst uint8 seats = 4;"
        ),
    ]

    /// `RECORD_VECTORS=1` writes the file again, and fails.
    @Test func `the generated module of Scene is unchanged`() throws {
        let golden = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/scene_protocol.py")
        let scene = try SchemaFolder("Scene", under: SchemaFolder.protocols)
        let file = try PythonGenerator(scene.description).files()[0]
        #expect(file.path == "scene_protocol.py")
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

    @Test func `names follow Python's rules, and equal ones get a number`() throws {
        let text = try Self.text(Self.several)
        #expect(text.contains("class LeaveHall:\n"))
        #expect(text.contains("    user_id: int\n    user_id_2: int\n"))
        #expect(text.contains("\nSEATS: Final = 4\n"))
        #expect(text.contains("class Color(enum.IntEnum):\n    RED = 0\n    BLUE = 2\n"))
        #expect(text.contains("class Bits(enum.IntFlag):\n    ALL = 1\n"))
        #expect(text.contains("    color: Color\n"))
        // Errors have the schema's names.
        #expect(text.contains(#"("UserID", 1)"#) && text.contains(#""Cs_2", _write_LeaveHall"#))
    }

    @Test func `names of the language and of the module get an underscore`() throws {
        let text = try Self.text([
            (
                "a.wire",
                """
                struct holder { uint8 type; uint8 class; uint8 list; uint8 self; }
                enum splitter : uint8 { none = 0; }
                struct Packet { uint8 a; }
                message Cs_1 { Packet Reader; splitter trailing; uint8 match; }
                """
            )
        ])
        #expect(text.contains("class Packet_:\n    a: int\n"))
        #expect(text.contains("    type: int\n    class_: int\n    list_: int\n    self_: int\n"))
        #expect(text.contains("class Splitter_(enum.IntEnum):\n    NONE = 0\n"))
        #expect(text.contains("    reader: Packet_\n    trailing_: Splitter_ | int\n    match: int\n"))
    }

    @Test(arguments: [
        ("scene-2", "scene_2"), ("9", "wire_9"), ("TwoByteHeader", "two_byte_header"), ("HTTP2", "http2"),
    ])
    func `the folder's name becomes the names of the files`(_ folder: String, _ stem: String) throws {
        let generator = PythonGenerator(
            try ProtocolDescription.checked([("a.wire", "message Cs_1 {}")], name: folder))
        #expect(try generator.files().map(\.path) == [stem + "_protocol.py"])
        #expect(try generator.adapter().path == stem + "_conform.py")
    }

    @Test func `a module contains only what its schema needs`() throws {
        let text = try Self.text([("a.wire", "message Cs_1 { uint8 a; }")])
        for word in ["_varint", "_list", "binascii", "zlib", "import enum", "import re", "_utf16"] {
            #expect(!text.contains(word))
        }
    }

    /// Whatever a comment contains, removing comments and documentation removes all of it.
    @Test(arguments: ["\u{2028}", "\u{2029}", "\u{85}", "\r", "\r\n", "\n", "\u{B}", "\u{C}", "\0", "\u{202E}"])
    func `a comment stays a comment, whatever it contains`(_ newline: String) throws {
        var description = try ProtocolDescription.checked([
            (
                "a.wire",
                """
                packet { @length(rest) uint16 size; @id uint8 id; }
                @id(1) @from(both) message M { uint8 a; Color c; U u; }
                struct S { uint8 x; }
                enum Color : uint8 { red = 0; }
                union U : uint8 { 0: uint8 one; 1: none; }
                const uint8 seats = 4;
                """
            )
        ])
        let plain = try Self.code(description)
        let text = "coding: utf-7 \"\"\" evil() \\ \(newline)evil() \"\(newline)\"\"\"; evil() #\"\"\"\\"
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
        let first = try PythonGenerator(description).files()[0].text.prefix { $0 != "\n" }
        // Python takes the encoding of a file from such a comment in its first lines.
        #expect(first.hasPrefix("# Generated by Wireline from ") && !first.contains(/coding[:=]/))
    }

    /// Returns a module without its comments and documentation, as Python sees it.
    private static func code(_ description: ProtocolDescription) throws -> String {
        var code = ""
        var rest = try PythonGenerator(description).files()[0].text[...]
        while let start = rest.firstRange(of: /"""|"|#/) {
            code += rest[..<start.lowerBound]
            let mark = rest[start]
            rest = rest[start.upperBound...]
            guard mark != "#" else {
                rest = rest.drop { $0 != "\n" && $0 != "\r" && $0 != "\r\n" }
                continue
            }
            let end = try #require(
                rest.firstRange(of: mark == "\"" ? /(?:[^"\\]|\\.)*"/ : /(?s:(?:[^"\\]|\\.|"(?!""))*""")/))
            #expect(end.lowerBound == rest.startIndex)
            if mark == "\"" { code += "\"" + rest[end] }
            rest = rest[end.upperBound...]
        }
        return (code + rest).split(whereSeparator: \.isNewline).filter { !$0.allSatisfy(\.isWhitespace) }
            .joined(separator: "\n")
    }
}
