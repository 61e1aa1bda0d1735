// SPDX-License-Identifier: Apache-2.0

import Testing
import WirelineGenerator
import WirelineSchema

struct JavaGoldenTests {
    private static func text(_ schemas: [(String, String)]) throws -> String {
        try JavaGenerator(ProtocolDescription.checked(schemas)).files()[0].text
    }

    private static let several = [
        ("a.wire", "message Cs_1 { Point at; Color color; }\nmessage Sc_1 {}"),
        ("b.wire", "struct Point { int32 x; }\n@name(LeaveHall) message Cs_2 { uint8 UserID; uint8 user_id; }"),
        (
            "c.wire",
            "@closed enum Color : uint8 { red = 0; blue = 2; }\nflags Bits : uint64 { all = 1; }\nconst uint8 seats = 4;"
        ),
    ]

    @Test func `names follow Java's rules, and equal ones get a number`() throws {
        let text = try Self.text(Self.several)
        #expect(
            text.contains(
                "class LeaveHall extends Message {\n        public int userId;\n        public int userId_2;\n"))
        #expect(text.contains("    public static final int SEATS = 4;\n"))
        #expect(text.contains("        public static final int RED = 0;\n        public static final int BLUE = 2;\n"))
        #expect(text.contains("        public static final long ALL = 1L;\n"))
        // Errors have the schema's names.
        #expect(text.contains(#"return "Cs_2";"#) && text.contains(#"r.take(1, "UserID")"#))
    }

    @Test func `names of the language and of the runtime get an underscore`() throws {
        let text = try Self.text([
            (
                "a.wire",
                """
                struct header { uint8 type; uint8 class; uint8 java; uint8 r; }
                enum Object : uint8 { new = 0; }
                union U : uint8 { 0: uint8 nknown; }
                message Cs_1 { header Reader; Object trailing; U u; }
                """
            )
        ])
        #expect(
            text.contains(
                "class Header_ {\n        public int type;\n        public int class_;\n        public int java_;\n"))
        #expect(text.contains("        public Header_ reader = new Header_();\n        public int trailing_;\n"))
        #expect(text.contains("            this.r = r.u8At(q") && text.contains("class Object_ {\n"))
    }

    @Test(arguments: [
        ("scene-2", "Scene2"), ("9", "Wire9"), ("TwoByteHeader", "TwoByteHeader"), ("HTTP2", "HTTP2"),
    ])
    func `the folder's name and the package become the names of the files`(_ folder: String, _ name: String) throws {
        let description = try ProtocolDescription.checked([("a.wire", "message Cs_1 {}")], name: folder)
        #expect(try JavaGenerator(description).files().map(\.path) == [name + "Protocol.java"])
        #expect(try JavaGenerator(description).adapter().path == name + "Conform.java")
        let packaged = try JavaGenerator(description, package: "com.example").files()[0]
        #expect(
            packaged.path == "com/example/\(name)Protocol.java" && packaged.text.contains("\npackage com.example;\n"))
    }

    @Test func `a class contains only what its schema needs`() throws {
        let text = try Self.text([("a.wire", "message Cs_1 { uint8 a; }")])
        for word in ["varint", "Checksum", "Frame", "u16Little", "utf8", "filled"] { #expect(!text.contains(word)) }
    }

    /// Java reads the escape of a character before it looks for the end of a comment.
    @Test(arguments: [
        "*/ evil(); /*", "\\u002a/ evil(); /*", "\\\\u002a/ evil(); /*", "*\u{2028}/ evil(); /*", "x\revil();",
    ])
    func `a comment stays a comment, whatever it contains`(_ text: String) throws {
        var description = try ProtocolDescription.withAllParts()
        description.comment(with: text)
        let module = try JavaGenerator(description).files()[0].text
        #expect(!module.contains("\\u"))
        var code = module
        while let start = code.firstRange(of: "/*") {
            let end = try #require(code[start.upperBound...].firstRange(of: "*/"))
            code.removeSubrange(start.lowerBound..<end.upperBound)
        }
        let lines = code.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("//") }
        #expect(!lines.contains { $0.contains("evil()") })
    }
}
