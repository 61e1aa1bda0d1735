// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WirelineGenerator
import WirelineSchema

struct CSharpGoldenTests {
    private static func text(_ schemas: [(String, String)]) throws -> String {
        try CSharpGenerator(ProtocolDescription.checked(schemas)).files()[0].text
    }

    private static let several = [
        ("a.wire", "message Cs_1 { Point at; Color color; }\nmessage Sc_1 {}"),
        ("b.wire", "struct Point { int32 x; }\n@name(LeaveHall) message Cs_2 { uint8 UserID; uint8 user_id; }"),
        (
            "c.wire",
            "@closed enum Color : uint8 { red = 0; blue = 2; }\nflags Bits : uint64 { all = 1; }\nconst uint8 seats = 4;"
        ),
    ]

    /// `RECORD_VECTORS=1` writes the file again, and fails.
    @Test func `the generated file of Scene is unchanged`() throws {
        let golden = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/SceneProtocol.cs")
        let scene = try SchemaFolder("Scene", under: SchemaFolder.protocols)
        let file = try CSharpGenerator(scene.description).files()[0]
        #expect(file.path == "SceneProtocol.cs")
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

    @Test func `names follow C#'s rules, and equal ones get a number`() throws {
        let text = try Self.text(Self.several)
        #expect(
            text.contains("class LeaveHall : Message {\n        public byte UserId;\n        public byte UserId_2;\n"))
        #expect(text.contains("        public const byte Seats = 4;\n"))
        #expect(text.contains("    public enum Color : byte {\n        Red = 0,\n        Blue = 2,\n    }\n"))
        #expect(text.contains("    [System.Flags]\n    public enum Bits : ulong {\n        All = 1UL,\n    }\n"))
        // Errors have the schema's names.
        #expect(text.contains(#"return "Cs_2";"#) && text.contains(#"r.U8("UserID")"#))
    }

    @Test func `names of the runtime, and members that are named as their class, get an underscore`() throws {
        let text = try Self.text([
            (
                "a.wire",
                """
                struct header { uint8 type; uint8 read; uint8 System; }
                struct Line { uint8 line; }
                enum Packets : uint8 { new = 0; }
                message Cs_1 { header Reader; Packets trailing; Line l; }
                """
            )
        ])
        #expect(text.contains("        public byte Read_;\n        public byte System_;\n"))
        #expect(text.contains("class Line {\n        public byte Line_;\n") && text.contains("enum Packets_ : byte {"))
        #expect(text.contains("        public Packets_ Trailing_;\n"))
    }

    @Test(arguments: [
        ("scene-2", "Scene2"), ("9", "Wire9"), ("TwoByteHeader", "TwoByteHeader"), ("HTTP2", "HTTP2"),
    ])
    func `the folder's name becomes the names of the files and of the namespace`(
        _ folder: String, _ name: String
    ) throws {
        let description = try ProtocolDescription.checked([("a.wire", "message Cs_1 {}")], name: folder)
        #expect(try CSharpGenerator(description).files().map(\.path) == [name + "Protocol.cs"])
        #expect(try CSharpGenerator(description).adapter().path == name + "Conform.cs")
        #expect(try CSharpGenerator(description).files()[0].text.contains("\nnamespace \(name) {\n"))
        let other = try CSharpGenerator(description, namespace: "Example.Net").files()[0].text
        #expect(other.contains("\nnamespace Example.Net {\n"))
    }

    @Test func `a file contains only what its schema needs`() throws {
        let text = try Self.text([("a.wire", "message Cs_1 { uint8 a; }")])
        for word in ["Varint", "Checksum", "Frame", "U16Little", "Utf8", "Filled", "FloatBits"] {
            #expect(!text.contains(word))
        }
    }

    @Test(arguments: [
        ("packet { @length(rest) uint16 size; @id uint8 id; layer zlib; }", "layers"),
        ("packet { state bit open; @length(rest) uint16 size; @if(open) @id uint8 id; }", "states"),
    ])
    func `what C# cannot have yet is refused with the reason`(_ packet: String, _ reason: String) throws {
        let schema = packet + "\n@id(0) @from(both) message A {}"
        let generator = CSharpGenerator(try ProtocolDescription.checked([("a.wire", schema)]))
        let error = #expect(throws: GenerationError.self) { try generator.files() }
        #expect(error?.description.contains(reason) == true)
        #expect(throws: GenerationError.self) { try generator.adapter() }
    }

    @Test(arguments: [
        "*/ evil(); /*", "\u{2028}evil();", "x\revil();", "\u{85}evil();", "</summary>\nevil();", "\\\"); evil();",
    ])
    func `a comment stays a comment, whatever it contains`(_ text: String) throws {
        var description = try ProtocolDescription.checked([
            ("a.wire", "message Cs_1 { uint8 a; }\nenum E : uint8 { red = 0; }\nconst uint8 seats = 4;")
        ])
        description.name = text
        description.documentation = text
        description.messages[0].documentation = text
        description.messages[0].deprecation = text
        description.messages[0].fields[0].documentation = text
        description.enumerations[0].cases[0].documentation = text
        description.constants[0].documentation = text
        let module = try CSharpGenerator(description, namespace: "N").files()[0].text
        let lines = module.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }
        let code = lines.filter { !$0.hasPrefix("//") && !$0.hasPrefix("[System.Obsolete(\"") }
        #expect(!code.contains { $0.contains("evil()") })
    }
}
