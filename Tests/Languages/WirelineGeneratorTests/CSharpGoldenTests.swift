// SPDX-License-Identifier: Apache-2.0

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

    @Test func `names follow C#'s rules, and equal ones get a number`() throws {
        let text = try Self.text(Self.several)
        #expect(
            text.contains("class LeaveHall : Message {\n        public byte UserId;\n        public byte UserId_2;\n"))
        #expect(text.contains("        public const byte Seats = 4;\n"))
        #expect(text.contains("    public enum Color : byte {\n        Red = 0,\n        Blue = 2,\n    }\n"))
        #expect(text.contains("    [System.Flags]\n    public enum Bits : ulong {\n        All = 1UL,\n    }\n"))
        // Errors have the schema's names.
        #expect(text.contains(#"return "Cs_2";"#) && text.contains(#"r.Take(1, "UserID")"#))
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
        "*/ evil(); /*", "\u{2028}evil();", "x\revil();", "\u{85}evil();", "</summary>\nevil();", "\\\"); evil();",
    ])
    func `a comment stays a comment, whatever it contains`(_ text: String) throws {
        var description = try ProtocolDescription.withAllParts()
        description.comment(with: text)
        let module = try CSharpGenerator(description, namespace: "N").files()[0].text
        let lines = module.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }
        let code = lines.filter { !$0.hasPrefix("//") && !$0.hasPrefix("[System.Obsolete(\"") }
        #expect(!code.contains { $0.contains("evil()") })
    }
}
